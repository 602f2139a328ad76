//! A pipeline from its specification to its end.

use std::process::{Command, Stdio};

use crate::support::pipeline::{does, initialized, specified, stored};

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
    environment.write("docs/MVP-ROADMAP.md", "# Roadmap\n");
    let run = environment
        .ckpt(&["pipeline", "complete", "PRD-009"])
        .exits(0);
    assert!(run.stdout.contains("update MVP-ROADMAP"), "{run}");
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
