//! Pipelines on the command line.

use std::process::{Command, Stdio};

use crate::support::environment::Environment;
use crate::support::pipeline::{FILE, SPEC, does, initialized, specified, stored};

#[test]
fn a_pipeline_goes_from_its_specification_to_its_end() {
    let environment = initialized();
    let run = environment.ckpt(&["pipeline", "next"]).exits(0);
    assert_eq!(run.stdout, "WS1: Database Layer\n");
    does(&environment, &["start", "PRD-009", "WS1"]);
    does(
        &environment,
        &["done", "PRD-009", "WS1", "--artifact", "a.sql"],
    );
    does(
        &environment,
        &[
            "gate",
            "pass",
            "PRD-009",
            "schema-validation",
            "--for",
            "WS1",
        ],
    );
    let run = environment.ckpt(&["pipeline", "show"]).exits(0);
    insta::assert_snapshot!(run.stdout, @r"
    PRD-009  Cashier Workflows  ██░░░░░░░░ 1/4  paused
    1. Data
      ✓ WS1: Database Layer
      ~ gate schema-validation (WS1): claimed
    2. Services
      ○ WS2: Service Layer  ready
      ○ WS3: Route Handlers  ready
      · gate type-check (WS2, WS3): missing
    3. UI
      · WS4: Hooks  waits for WS2, WS3
    ");
    let run = environment
        .ckpt(&["pipeline", "resume", "PRD-009"])
        .exits(0);
    insta::assert_snapshot!(run.stdout, @r"
    Resuming PRD-009 from Phase 2

    Completed:
      WS1: Database Layer ✅

    Pending:
      WS2: Service Layer
      WS3: Route Handlers
      WS4: Hooks

    Can start now: WS2, WS3
    Last gate passed: schema-validation (WS1)

    Gates without a fresh proof:
      schema-validation (WS1): claimed
    ");
    does(&environment, &["approve", "PRD-009"]);
    does(&environment, &["start", "PRD-009", "WS2", "WS3"]);
    does(&environment, &["done", "PRD-009", "WS2"]);
    does(&environment, &["done", "PRD-009", "WS3"]);
    does(&environment, &["gate", "pass", "PRD-009", "type-check"]);
    does(&environment, &["start", "PRD-009", "WS4"]);
    does(&environment, &["done", "PRD-009", "WS4"]);
    let run = environment
        .ckpt(&["pipeline", "complete", "PRD-009"])
        .exits(0);
    assert!(run.stdout.contains("MVP-ROADMAP"), "{run}");
    assert_eq!(stored(&environment)["current_phase"], 3);
    let run = environment
        .ckpt(&["pipeline", "resume", "PRD-009"])
        .exits(8);
    assert!(
        run.stderr.starts_with("error: PRD-009 already complete"),
        "{run}"
    );
    let run = environment
        .ckpt(&["pipeline", "start", "PRD-009", "WS1"])
        .exits(8);
    assert!(
        run.reason().contains("ckpt pipeline reopen PRD-009"),
        "{run}"
    );
    does(&environment, &["reopen", "PRD-009"]);
}

#[test]
fn what_is_not_allowed_is_refused_with_what_is() {
    let environment = initialized();
    for arguments in [
        &["done", "PRD-009", "WS1"][..],
        &["fixed", "PRD-009"],
        &["approve", "PRD-009"],
        &["complete", "PRD-009"],
        &["reopen", "PRD-009"],
        &["fail", "PRD-009", "WS1", "--message", "x"],
        &["gate", "pass", "PRD-009", "type-check"],
    ] {
        let mut all = vec!["pipeline"];
        all.extend(arguments);
        let before = environment.read(FILE);
        let run = environment.ckpt(&all).exits(4);
        assert!(
            run.stderr.contains("Allowed now: start, defer, abort"),
            "{arguments:?}: {run}"
        );
        assert_eq!(environment.read(FILE), before);
    }
    environment
        .ckpt(&["pipeline", "start", "PRD-009", "WS9"])
        .exits(3);
    environment
        .ckpt(&["pipeline", "start", "PRD-404", "WS1"])
        .exits(3);
    let run = environment
        .ckpt(&["pipeline", "start", "PRD-009", "WS2"])
        .exits(4);
    assert!(run.stderr.contains("WS2 waits for WS1"), "{run}");
    does(&environment, &["start", "PRD-009", "WS2", "--anyway"]);
}

#[test]
fn a_specification_that_cannot_be_used_is_refused_with_its_place() {
    for (spec, expected) in [
        (
            "---\nprd: X\nworkstreams:\n  WS1: { a: [ }\n---\n",
            "docs/SPEC.md: line 4, column ",
        ),
        ("---\nprd: X\n---\n", "\"workstreams\" is missing"),
        (
            "---\nworkstreams: {A: {depends_on: [B]}, B: {depends_on: [A]}}\n---\n",
            "A -> B -> A",
        ),
        (
            "---\nworkstreams: {A: {depends_on: [Z]}}\n---\n",
            "docs/SPEC.md: line 2, column 32: A depends on Z",
        ),
    ] {
        let environment = specified(spec);
        let run = environment
            .ckpt(&["pipeline", "init", "docs/SPEC.md"])
            .exits(4);
        assert!(run.stderr.contains(expected), "{expected}: {run}");
        assert!(!environment.path(".claude").exists(), "{spec}");
    }
    let prose = specified("# Only words\n- and a list\n");
    let run = prose.ckpt(&["pipeline", "init", "docs/SPEC.md"]).exits(4);
    assert!(run.reason().contains("two lines of ---"), "{run}");
    Environment::new()
        .ckpt(&["pipeline", "init", "missing.md"])
        .exits(3);
}

#[test]
fn a_specification_without_an_id_is_called_after_its_file() {
    let environment = Environment::new();
    environment.write("specs/GAP-7.md", "---\nworkstreams: {A: {}}\n---\n");
    let run = environment
        .ckpt(&["pipeline", "init", "specs/GAP-7.md"])
        .exits(0);
    assert_eq!(run.stdout, "initialized GAP-7\n");
    assert!(run.stderr.contains("pipeline.id"), "{run}");
    let again = environment
        .ckpt(&["pipeline", "init", "specs/GAP-7.md", "--json"])
        .exits(0);
    assert_eq!(again.json()["created"], false);
}

#[test]
fn a_failure_interrupts_and_what_was_finished_is_still_accepted() {
    let environment = initialized();
    does(&environment, &["start", "PRD-009", "WS1"]);
    does(&environment, &["done", "PRD-009", "WS1"]);
    does(
        &environment,
        &["gate", "pass", "PRD-009", "schema-validation"],
    );
    does(&environment, &["start", "PRD-009", "WS2", "WS3"]);
    let fail = [
        "fail",
        "PRD-009",
        "WS3",
        "--message",
        "boom",
        "--file",
        "a.ts",
        "--line",
        "4",
    ];
    does(&environment, &fail);
    does(&environment, &["done", "PRD-009", "WS2"]);
    let run = environment
        .ckpt(&["pipeline", "resume", "PRD-009"])
        .exits(4);
    assert!(run.stderr.contains("WS3: boom (a.ts:4)"), "{run}");
    let run = environment
        .ckpt(&["pipeline", "resume", "PRD-009", "--fixed"])
        .exits(0);
    assert!(
        run.stdout.contains("WS3: Route Handlers  (interrupted)"),
        "{run}"
    );
    assert_eq!(
        stored(&environment)["completed_workstreams"],
        serde_json::json!(["WS1", "WS2"])
    );
}

#[test]
fn a_run_whose_process_is_gone_is_taken_up_again() {
    let environment = initialized();
    does(&environment, &["start", "PRD-009", "WS1"]);
    let run = environment
        .ckpt(&["pipeline", "resume", "PRD-009"])
        .exits(4);
    assert!(run.reason().contains("--restart"), "{run}");
    environment
        .ckpt(&["pipeline", "resume", "PRD-009", "--continue"])
        .exits(0);
    let run = environment
        .ckpt(&["pipeline", "resume", "PRD-009", "--restart"])
        .exits(0);
    assert!(
        run.stdout.contains("WS1: Database Layer  (interrupted)"),
        "{run}"
    );
    let state = stored(&environment);
    assert_eq!(state["status"], "paused");
    assert_eq!(state["pending_workstreams"][0], "WS1");
}

#[test]
fn a_specification_that_changes_is_told_and_taken_over_and_nothing_vanishes() {
    let environment = initialized();
    does(&environment, &["start", "PRD-009", "WS1"]);
    does(&environment, &["done", "PRD-009", "WS1"]);
    let changed = SPEC
        .replace(
            "  WS1: { name: Database Layer }\n",
            "  WS7: { name: Docs }\n",
        )
        .replace("depends_on: [WS1]", "depends_on: []")
        .replace("parallel: [WS1]", "parallel: [WS7]");
    environment.write("docs/SPEC.md", &changed);
    let run = environment.ckpt(&["resume", "PRD-009"]).exits(0);
    assert!(run.stdout.contains("ckpt pipeline sync PRD-009"), "{run}");
    does(&environment, &["sync", "PRD-009"]);
    let state = stored(&environment);
    assert_eq!(
        state["pending_workstreams"],
        serde_json::json!(["WS2", "WS3", "WS4", "WS7"])
    );
    assert_eq!(state["dormant_workstreams"][0]["id"], "WS1");
    environment
        .ckpt(&["pipeline", "validate", "PRD-009"])
        .exits(0);
}

/// What is found in the wild is listed, shown, judged and resumable, and an edit keeps its bytes.
#[test]
fn oddities_are_listed_shown_judged_and_edited_in_place() {
    let unknown: String = (0..50)
        .map(|n| format!("  \"field_{n}\": {{\"a\":  {n}}},\n"))
        .collect();
    let files = [
        ("GAP-1", "{\"status\": \"in_progress\", \"completed_workstreams\": [\"A\"], \"in_progress_workstreams\": [\"B\"], \"pending_workstreams\": []}\n".to_owned()),
        ("PRD-010", "{\"prd_id\":\"PRD-010\",\"status\":\"executing\",\"status\":\"in-progress\",\n \"completed_workstreams\":[ \"A\" ],\"in_progress_workstreams\":[\"B\"],\"pending_workstreams\":[],\n \"artifacts\": [\"x\"], \"gates_passed\": {\"lint\": true}}\n".to_owned()),
        ("PRD-011", format!("{{\n{unknown}  \"prd\": \"PRD-011\", \"status\": \"in_progress\",\n  \"completed_workstreams\": [{{\"id\":\"A\", \"note\": \"x\"}}], \"in_progress_workstreams\": [ \"B\" ],\n  \"pending_workstreams\": [], \"dormant_workstreams\": [{{\"id\": \"C\"}}], \"updated_at\": \"2025-12-11T10:00:00Z\"\n}}\n")),
    ];
    for (id, text) in files {
        let environment = Environment::new();
        let file = format!(".claude/skills/build-pipeline/checkpoints/{id}.json");
        environment.write(&file, &text);
        let listed = environment.ckpt(&["list"]).exits(0);
        assert!(
            listed.stdout.starts_with(&format!("{id}\tin_flight\t1/2")),
            "{listed}"
        );
        for arguments in [
            &["show", id][..],
            &["resume", id],
            &["pipeline", "show", id],
            &["pipeline", "next", id],
        ] {
            environment.ckpt(arguments).exits(0);
        }
        let judged = environment.ckpt(&["validate", id]);
        assert!(judged.code == Some(0) || judged.code == Some(4), "{judged}");
        environment
            .ckpt(&["pipeline", "resume", id, "--continue"])
            .exits(0);
        does(&environment, &["done", id, "B"]);
        let after = environment.read(&file);
        let kept: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("field_"))
            .collect();
        for line in kept {
            assert!(after.contains(line), "{line}");
        }
        let value: serde_json::Value = serde_json::from_str(&after).unwrap();
        assert_eq!(
            value["in_progress_workstreams"],
            serde_json::json!([]),
            "{id}"
        );
        assert_eq!(
            value["completed_workstreams"].as_array().unwrap().len(),
            2,
            "{id}"
        );
        let undone = environment.ckpt(&["log", id]).exits(0);
        assert!(undone.stdout.contains("adopted"), "{undone}");
    }
}

#[test]
fn sixteen_processes_complete_sixteen_workstreams() {
    let workstreams: String = (0..16).map(|n| format!("  W{n}: {{}}\n")).collect();
    let environment = specified(&format!(
        "---\nprd: PRD-009\nworkstreams:\n{workstreams}---\n"
    ));
    does(&environment, &["init", "docs/SPEC.md"]);
    let names: Vec<String> = (0..16).map(|n| format!("W{n}")).collect();
    let mut start = vec!["start", "PRD-009"];
    start.extend(names.iter().map(String::as_str));
    does(&environment, &start);
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            Command::new(env!("CARGO_BIN_EXE_ckpt"))
                .args([
                    "pipeline",
                    "done",
                    "PRD-009",
                    name,
                    "--artifact",
                    &format!("{name}.ts"),
                ])
                .current_dir(environment.path(""))
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let state = stored(&environment);
    let mut completed: Vec<&str> = state["completed_workstreams"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    completed.sort_unstable();
    let mut expected: Vec<&str> = names.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(completed, expected);
    assert_eq!(state["in_progress_workstreams"], serde_json::json!([]));
    assert_eq!(state["artifacts"].as_object().unwrap().len(), 16);
}

#[test]
fn a_review_that_says_no_blocks_the_start_until_it_is_overridden() {
    let environment = initialized();
    does(
        &environment,
        &["review", "PRD-009", "do_not_ship", "--p0", "1"],
    );
    environment
        .ckpt(&["pipeline", "start", "PRD-009", "WS1"])
        .exits(6);
    does(
        &environment,
        &["review", "PRD-009", "do_not_ship", "--p0", "1"],
    );
    let run = environment
        .ckpt(&["pipeline", "review", "PRD-009", "ship"])
        .exits(4);
    assert!(run.reason().contains("overridden"), "{run}");
    environment
        .ckpt(&["pipeline", "review", "PRD-009", "overridden"])
        .exits(2);
    does(
        &environment,
        &[
            "review",
            "PRD-009",
            "overridden",
            "--reason",
            "seen and accepted",
        ],
    );
    does(&environment, &["start", "PRD-009", "WS1"]);
}

#[test]
fn the_graph_is_printed_for_graphviz_and_mermaid() {
    let environment = initialized();
    let dot = environment
        .ckpt(&["pipeline", "graph", "PRD-009"])
        .exits(0)
        .stdout;
    assert!(dot.starts_with("digraph \"PRD-009\" {"), "{dot}");
    assert!(dot.contains("\"WS1\" -> \"WS2\";"), "{dot}");
    let mermaid = environment
        .ckpt(&["pipeline", "graph", "PRD-009", "--mermaid"])
        .exits(0);
    assert!(
        mermaid.stdout.starts_with("graph LR\n") && mermaid.stdout.contains("n0 --> n1"),
        "{mermaid}"
    );
}

#[test]
fn notes_are_kept_in_the_forms_of_the_format() {
    let environment = initialized();
    let note = [
        "note",
        "PRD-009",
        "--eslint-fix",
        "a.ts: no any",
        "--key-fix",
        "b.ts: use the DTO",
        "--cleanup",
        "removed logs",
    ];
    does(&environment, &note);
    let state = stored(&environment);
    assert_eq!(
        state["eslint_fixes"],
        serde_json::json!([{"file": "a.ts", "change": "no any"}])
    );
    assert_eq!(
        state["key_fixes"],
        serde_json::json!([{"file": "b.ts", "change": "use the DTO"}])
    );
    assert_eq!(state["cleanup_done"], serde_json::json!(["removed logs"]));
    environment.ckpt(&["pipeline", "note", "PRD-009"]).exits(2);
}
