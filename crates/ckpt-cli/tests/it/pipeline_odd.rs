//! Pipelines that others wrote, or that change under one's hands.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::pipeline::{FILE, begun, pipeline, proof, stored, with_members};

#[test]
fn members_of_odd_shapes_keep_what_they_have() {
    for (members, operation, pointer, expected) in [
        (
            json!({"artifacts": ["a.ts", "b.ts"]}),
            &["done", "PRD-009", "WS1", "--artifact", "n.ts"][..],
            "/artifacts",
            json!(["a.ts", "b.ts", "n.ts"]),
        ),
        (
            json!({"artifacts": {"WS1": "single.ts"}}),
            &["done", "PRD-009", "WS1", "--artifact", "n.ts"],
            "/artifacts/WS1",
            json!(["single.ts", "n.ts"]),
        ),
        (
            json!({"execution_spec": "docs/x.md"}),
            &["done", "PRD-009", "WS1"],
            "/execution_spec",
            json!("docs/x.md"),
        ),
        (
            json!({"execution_spec": "docs/x.md"}),
            &["fail", "PRD-009", "WS1", "--message", "m"],
            "/execution_spec",
            json!({"path": "docs/x.md", "interrupted": ["WS1"]}),
        ),
        (
            json!({"dormant_workstreams": {"WS9": {"why": "later"}}}),
            &["defer", "PRD-009", "WS2", "--reason", "r"],
            "/dormant_workstreams",
            json!({"WS9": {"why": "later"}, "WS2": {"id": "WS2", "reason": "r"}}),
        ),
        (
            json!({"in_progress_workstreams": [{"id": "WS1", "agent": "be"}]}),
            &["done", "PRD-009", "WS1"],
            "/completed_workstreams",
            json!([{"id": "WS1", "agent": "be"}]),
        ),
        (
            json!({"pending_workstreams": [{"id": "WS2", "agent": "be"}]}),
            &["start", "PRD-009", "WS2"],
            "/in_progress_workstreams",
            json!(["WS1", {"id": "WS2", "agent": "be"}]),
        ),
        (
            json!({"in_progress_workstreams": [{"id": "WS1", "agent": "be"}]}),
            &["fail", "PRD-009", "WS1", "--message", "m"],
            "/pending_workstreams",
            json!([{"id": "WS1", "agent": "be"}, "WS2"]),
        ),
        (
            json!({"cleanup_done": "none"}),
            &["note", "PRD-009", "--cleanup", "logs"],
            "/cleanup_done",
            json!(["none", "logs"]),
        ),
        (
            json!({"failed_workstreams": ["WS8"]}),
            &["start", "PRD-009", "WS8"],
            "/in_progress_workstreams",
            json!(["WS1", "WS8"]),
        ),
        (
            json!({"gates_passed": {"lint": true, "types": false}}),
            &["gate", "fail", "PRD-009", "lint"],
            "/gates_passed",
            json!({"types": false}),
        ),
        (
            json!({"gates_passed": {"lint": true, "types": false}, "in_progress_workstreams": []}),
            &["gate", "pass", "PRD-009", "types"],
            "/gates_passed",
            json!({"lint": true, "types": true}),
        ),
    ] {
        let environment = with_members(&members);
        let run = pipeline(&environment, operation).exits(0);
        let found = stored(&environment).pointer(pointer).cloned();
        assert_eq!(found, Some(expected), "{members} {operation:?}: {run}");
    }
}

#[test]
fn what_a_map_calls_false_has_not_passed_and_a_failed_workstream_is_seen() {
    let members =
        json!({"gates_passed": {"lint": true, "types": false}, "failed_workstreams": ["WS8"]});
    let environment = with_members(&members);
    let shown = pipeline(&environment, &["show"]).exits(0);
    assert!(shown.stdout.contains("gate lint: claimed"), "{shown}");
    assert!(!shown.stdout.contains("types"), "{shown}");
    assert!(shown.stdout.contains("○ WS8  ready"), "{shown}");
}

#[test]
fn what_came_of_a_run_is_kept_although_a_sibling_failed_meanwhile() {
    for (command, code, proof) in [("exit 0", 0, "proven"), ("exit 1", 6, "failed")] {
        let environment = begun(&format!(
            "workstreams: {{ WS1: {{ gate: slow }}, WS2: {{}} }}\ngates:\n  slow: {{ command: 'touch ../begun; while ! test -e ../go; do sleep 0.01; done; {command}' }}\n"
        ));
        pipeline(&environment, &["start", "PRD-009", "WS1", "WS2"]).exits(0);
        let mut child = Command::new(env!("CARGO_BIN_EXE_ckpt"))
            .args(["pipeline", "gate", "run", "PRD-009", "slow", "--for", "WS1"])
            .current_dir(environment.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let is_begun = |_: u32| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            environment.path("../begun").exists()
        };
        assert!((0..3000).any(is_begun));
        pipeline(&environment, &["fail", "PRD-009", "WS2", "--message", "m"]).exits(0);
        environment.write("../go", "");
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let state = stored(&environment);
        assert_eq!(state["status"], "failed");
        assert_eq!(state["error"]["message"], "m");
        let report = pipeline(&environment, &["gate", "check", "PRD-009", "--json"]).json();
        assert_eq!(report["gates"][0]["proof"], proof);
        std::fs::remove_file(environment.path("../go")).unwrap();
    }
}

#[test]
fn a_gate_over_files_is_proven_for_each_workstream_and_the_last_run_counts() {
    let environment = begun(
        "workstreams: { WS1: { outputs: [a.txt] }, WS2: { outputs: [b.txt] } }\nexecution_phases:\n  - { name: All, parallel: [WS1, WS2], gates: [exists] }\ngates:\n  exists: { command: 'ls {paths}' }\n",
    );
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "exists", "--for", "WS1"],
    )
    .exits(0);
    assert_eq!(proof(&environment), "missing");
    pipeline(&environment, &["gate", "run", "PRD-009", "exists"]).exits(6);
    assert_eq!(proof(&environment), "failed");
    environment.write("b.txt", "b\n");
    pipeline(&environment, &["fixed", "PRD-009"]).exits(0);
    pipeline(&environment, &["gate", "run", "PRD-009", "exists"]).exits(0);
    assert_eq!(proof(&environment), "proven");
    // What is put off is not looked for.
    std::fs::remove_file(environment.path("b.txt")).unwrap();
    pipeline(
        &environment,
        &["defer", "PRD-009", "WS2", "--reason", "later"],
    )
    .exits(0);
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "exists", "--for", "WS1"],
    )
    .exits(0);
    assert_eq!(proof(&environment), "proven");
}

#[test]
fn another_command_proves_nothing() {
    // Below `plans/`, where what the file says is not part of the content.
    let environment = Environment::new();
    let spec = |command: &str| {
        let text = format!(
            "---\nprd: PRD-009\nworkstreams: {{ WS1: {{ gate: t }} }}\ngates: {{ t: {{ command: '{command}' }} }}\n---\n"
        );
        environment.write("plans/SPEC.md", &text);
    };
    spec("false");
    pipeline(&environment, &["init", "plans/SPEC.md"]).exits(0);
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    environment
        .ckpt(&["gate", "run", "PRD-009", "t", "--", "true"])
        .exits(0);
    assert_eq!(proof(&environment), "stale");
    spec("true");
    let run = ["gate", "run", "PRD-009", "t", "--for", "WS1"];
    let refused = pipeline(&environment, &run).exits(6);
    assert!(refused.reason().contains("has changed since"), "{refused}");
    pipeline(&environment, &["sync", "PRD-009"]).exits(0);
    pipeline(&environment, &run).exits(0);
    assert_eq!(proof(&environment), "proven");
    spec("false");
    assert_eq!(proof(&environment), "stale");
}

#[test]
fn what_is_staged_after_a_run_makes_its_proof_one_to_be_checked() {
    let environment =
        begun("workstreams: { WS1: { gate: t } }\ngates: { t: { command: 'true' } }\n");
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "t", "--for", "WS1"],
    )
    .exits(0);
    let shown = pipeline(&environment, &["show"]).exits(0);
    assert!(shown.stdout.contains("gate t (WS1): proven"), "{shown}");
    environment.write("new.txt", "n\n");
    environment.git(&["add", "new.txt"]);
    let shown = pipeline(&environment, &["show"]).exits(0);
    assert!(shown.stdout.contains("gate t (WS1): unchecked"), "{shown}");
}

#[test]
fn a_pipeline_is_not_complete_while_a_gate_is_pending() {
    let environment = begun(
        "workstreams: { WS1: {} }\nexecution_phases:\n  - { name: A, parallel: [WS1], gates: [q] }\ngates: { q: { command: 'true' } }\n",
    );
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    pipeline(&environment, &["done", "PRD-009", "WS1"]).exits(0);
    let run = pipeline(&environment, &["complete", "PRD-009"]).exits(4);
    assert!(run.stderr.contains("gate q is pending"), "{run}");
    pipeline(&environment, &["gate", "run", "PRD-009", "q"]).exits(0);
    pipeline(&environment, &["gate", "fail", "PRD-009", "q"]).exits(0);
    assert_eq!(stored(&environment)["gates_passed"], json!([]));
    pipeline(&environment, &["fixed", "PRD-009"]).exits(0);
    pipeline(&environment, &["complete", "PRD-009"]).exits(4);
    pipeline(&environment, &["gate", "run", "PRD-009", "q"]).exits(0);
    pipeline(&environment, &["complete", "PRD-009"]).exits(0);

    let environment = with_members(&json!({
        "status": "complete", "in_progress_workstreams": [], "pending_workstreams": [], "gates_pending": ["q"],
    }));
    let run = environment
        .ckpt(&["validate", "PRD-009", "--strict"])
        .exits(4);
    assert!(run.stdout.contains("gate q is pending"), "{run}");
}

#[test]
fn the_gates_of_what_was_put_off_are_not_waited_for() {
    let environment =
        begun("workstreams: { WS1: {}, WS2: { gate: q } }\ngates: { q: { command: 'false' } }\n");
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    pipeline(&environment, &["done", "PRD-009", "WS1"]).exits(0);
    pipeline(
        &environment,
        &["defer", "PRD-009", "WS2", "--reason", "later"],
    )
    .exits(0);
    pipeline(&environment, &["gate", "check", "PRD-009"]).exits(0);
    pipeline(&environment, &["complete", "PRD-009"]).exits(0);
}

#[test]
fn a_gate_that_changes_files_says_so() {
    let environment = begun(
        "workstreams: { WS1: { gate: t } }\ngates: { t: { command: 'echo more >> a.txt' } }\n",
    );
    environment.ckpt(&["start", "ship"]).exits(0);
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    for arguments in [
        &["pipeline", "gate", "run", "PRD-009", "t", "--for", "WS1"][..],
        &["gate", "run", "ship", "t", "--", "touch", "b.txt"],
    ] {
        let run = environment.ckpt(arguments).exits(0);
        assert!(run.stderr.contains("it changed files"), "{run}");
    }
    let run = environment.ckpt(&["gate", "run", "ship", "t", "--json", "--", "touch", "c.txt"]);
    assert_eq!(run.json()["changed_files"], true);
    let run = environment.ckpt(&["gate", "run", "ship", "t", "--json", "--", "true"]);
    assert_eq!(run.json()["changed_files"], false);
}

#[test]
fn what_the_specification_dropped_is_neither_started_nor_refused_when_it_is_done() {
    let both = "workstreams: { WS1: {}, WS2: {} }\n";
    let environment = begun(both);
    pipeline(&environment, &["start", "PRD-009", "WS2"]).exits(0);
    environment.write(
        "docs/SPEC.md",
        "---\nprd: PRD-009\nworkstreams: { WS1: {} }\n---\n",
    );
    pipeline(&environment, &["sync", "PRD-009"]).exits(0);
    assert_eq!(stored(&environment)["status"], "paused");
    let run = pipeline(&environment, &["start", "PRD-009", "WS2"]).exits(4);
    assert!(
        run.stderr
            .contains("WS2 is not in the specification any more"),
        "{run}"
    );
    pipeline(
        &environment,
        &["done", "PRD-009", "WS2", "--artifact", "x.ts"],
    )
    .exits(0);
    let state = stored(&environment);
    assert_eq!(state["artifacts"]["WS2"], json!(["x.ts"]));
    assert_eq!(state["dormant_workstreams"][0]["id"], "WS2");
    environment
        .ckpt(&["validate", "PRD-009", "--strict"])
        .exits(0);
}

#[test]
fn a_review_that_blocks_is_seen_wherever_the_next_step_is() {
    let environment = begun("workstreams: { WS1: {} }\n");
    let review = [
        "review",
        "PRD-009",
        "do_not_ship",
        "--p0",
        "2",
        "--p1",
        "1",
        "--findings",
        "f.md",
    ];
    pipeline(&environment, &review).exits(0);
    for (arguments, expected) in [
        (
            &["pipeline", "next"][..],
            "Blocked by the review: 2 P0 findings",
        ),
        (
            &["pipeline", "resume"],
            "Blocked by the review: 2 P0 findings",
        ),
        (
            &["pipeline", "show"],
            "waits for the review, which has 2 P0 findings",
        ),
        (&["resume"], "Next: mend what the review found"),
    ] {
        let run = environment.ckpt(arguments).exits(0);
        assert!(run.stdout.contains(expected), "{run}");
        assert!(!run.stdout.contains("Can start now"), "{run}");
    }
    // The only one in flight is meant when none is named.
    pipeline(&environment, &["review", "overridden", "--reason", "known"]).exits(0);
    let review = &stored(&environment)["adversarial_review"];
    assert_eq!(
        *review,
        json!({"verdict": "overridden", "p0_count": 2, "p1_count": 1, "attempt": 1, "findings_path": "f.md", "override_reason": "known"})
    );
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
}

#[test]
fn two_ids_with_one_file_name_are_told_apart() {
    let environment = Environment::new();
    environment.write("one.md", "---\nprd: A/B\nworkstreams: { WS1: {} }\n---\n");
    environment.write("two.md", "---\nprd: A-B\nworkstreams: { WS1: {} }\n---\n");
    pipeline(&environment, &["init", "one.md"]).exits(0);
    let run = pipeline(&environment, &["init", "two.md"]).exits(5);
    assert!(
        run.stderr.contains("A-B") && run.stderr.contains("A/B"),
        "{run}"
    );
}

#[test]
fn what_is_wrong_with_a_specification_is_said_in_its_own_words() {
    let environment =
        begun("workstreams: { WS1: { gate: t } }\ngates: { t: { command: 'true' } }\n");
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    std::fs::remove_file(environment.path("docs/SPEC.md")).unwrap();
    let run = pipeline(&environment, &["gate", "run", "PRD-009", "t"]).exits(3);
    assert!(
        run.stderr.contains("no specification docs/SPEC.md"),
        "{run}"
    );
    let run = pipeline(&environment, &["abort", "PRD-009", "--reason", ""]).exits(2);
    assert!(run.stderr.contains("needs a reason"), "{run}");

    std::fs::write(environment.path("bad.md"), b"---\nprd: X\n# \xff\n---\n").unwrap();
    let run = pipeline(&environment, &["init", "bad.md"]).exits(4);
    assert!(
        run.stderr
            .contains("bad.md: line 3, column 3: this byte is not valid UTF-8"),
        "{run}"
    );
    environment.write("cycle.md", "---\nprd: X\nworkstreams:\n  WS1: { depends_on: [WS2] }\n  WS2: { depends_on: [WS1] }\n---\n");
    let run = pipeline(&environment, &["init", "cycle.md"]).exits(4);
    assert!(
        run.stderr
            .contains("cycle.md: line 4, column 3: these wait for each other"),
        "{run}"
    );
}

#[test]
fn a_file_that_is_no_object_is_said_to_be_none() {
    for content in ["[1]", "null"] {
        let environment = Environment::new();
        environment.write(FILE, content);
        let run = environment.ckpt(&["resume"]).exits(0);
        assert!(!run.stdout.contains("all is done"), "{run}");
        assert!(
            run.stderr.contains("a checkpoint is a JSON object"),
            "{run}"
        );
        let run = environment.ckpt(&["validate", "PRD-009"]).exits(4);
        assert!(run.stdout.contains("pipeline.object"), "{run}");
    }
}

#[test]
fn quotes_around_all_paths_neither_join_nor_open_them() {
    let environment = begun(
        "workstreams: { WS1: { outputs: ['$(touch ../pwned)', 'b c.txt'], gate: t } }\ngates: { t: { command: 'printf \"%s|\" \"{paths}\"' } }\n",
    );
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    let run = pipeline(
        &environment,
        &["gate", "run", "PRD-009", "t", "--for", "WS1"],
    )
    .exits(0);
    assert!(run.stderr.contains("$(touch ../pwned)|b c.txt|"), "{run}");
    assert!(!environment.path("../pwned").exists());
}

#[test]
fn outside_git_a_run_is_as_good_as_somebodys_word() {
    let directory = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let ckpt = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ckpt"))
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", home.path())
            .current_dir(directory.path())
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let spec = "---\nprd: PRD-009\nworkstreams: { WS1: { gate: t } }\ngates: { t: { command: 'true' } }\n---\n";
    std::fs::write(directory.path().join("s.md"), spec).unwrap();
    for arguments in [
        &["pipeline", "init", "s.md"][..],
        &["pipeline", "start", "PRD-009", "WS1"],
        &["pipeline", "gate", "run", "PRD-009", "t", "--for", "WS1"],
    ] {
        assert_eq!(ckpt(arguments).0, Some(0), "{arguments:?}");
    }
    let check = ["pipeline", "gate", "check", "PRD-009"];
    assert_eq!(ckpt(&check), (Some(6), "t (WS1): claimed\n".to_owned()));
    assert_eq!(ckpt(&[&check[..], &["--allow-claims"]].concat()).0, Some(0));
}

/// Each oddity that is found in the wild, alone.
fn oddities() -> Vec<(&'static str, String)> {
    let unknown: String = (0..50)
        .map(|n| format!("  \"field_{n}\" : {{\"a\":  {n}}},\n"))
        .collect();
    let with = |members: &str| {
        format!(
            "{{\n  {members}\"completed_workstreams\": [\"A\"],\n  \"in_progress_workstreams\": [ \"B\" ],\n  \"pending_workstreams\": []\n}}\n"
        )
    };
    vec![
        (
            "nothing says what it is",
            with("\"status\": \"in_progress\", "),
        ),
        (
            "prd_id",
            with("\"prd_id\":\"PRD-009\", \"status\": \"in_progress\", "),
        ),
        (
            "two statuses",
            with("\"status\": \"paused\", \"status\":  \"executing\", "),
        ),
        (
            "artifacts as a list",
            with("\"status\": \"in_progress\", \"artifacts\": [ \"x.ts\",\"y.ts\" ], "),
        ),
        (
            "artifacts as objects",
            with(
                "\"status\": \"in_progress\", \"artifacts\": {\"A\": {\"files\":  [\"x\"], \"n\": 1.0}}, ",
            ),
        ),
        (
            "gates as a map",
            with("\"status\": \"in-progress\", \"gates_passed\": {\"lint\" :true}, "),
        ),
        (
            "dormant objects",
            with(
                "\"status\": \"in_progress\", \"dormant_workstreams\": [{ \"id\":\"C\", \"why\": \"later\" }], ",
            ),
        ),
        (
            "unknown members",
            with(&format!("\"status\": \"in_progress\",\n{unknown}  ")),
        ),
        (
            "all on one line",
            with("\"prd\":\"PRD-009\",\"status\":\"in_progress\",").replace('\n', ""),
        ),
        (
            "another word for complete",
            with("\"status\": \"COMPLETED\", ").replace("[ \"B\" ]", "[]"),
        ),
    ]
}

/// The members of an object as they are spelled, without those that completing a workstream changes.
fn spelled(text: &str) -> Vec<String> {
    let members: serde_json::Map<String, Value> = serde_json::from_str(text).unwrap();
    let changed = [
        "completed_workstreams",
        "in_progress_workstreams",
        "timestamp",
        "cleanup_done",
        "status",
    ];
    let raw: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(text).unwrap();
    let kept = members
        .keys()
        .filter(|name| !changed.contains(&name.as_str()));
    kept.map(|name| raw[name].get().to_owned()).collect()
}

#[test]
fn each_oddity_is_listed_shown_judged_and_resumable_and_an_edit_keeps_all_else() {
    for (name, text) in oddities() {
        let environment = Environment::new();
        environment.write(FILE, &text);
        let is_complete = text.contains("COMPLETED");
        let listed = environment.ckpt(&["list"]).exits(0);
        assert!(listed.stdout.starts_with("PRD-009\t"), "{name}: {listed}");
        for arguments in [
            &["show", "PRD-009"][..],
            &["pipeline", "show", "PRD-009"],
            &["log", "PRD-009"],
        ] {
            let run = environment.ckpt(arguments);
            assert!(matches!(run.code, Some(0 | 3)), "{name}: {run}");
        }
        let judged = environment.ckpt(&["validate", "PRD-009", "--json"]);
        assert!(
            judged.json()["documents"][0].get("unreadable").is_none(),
            "{name}: {judged}"
        );
        let resumed = pipeline(&environment, &["resume", "PRD-009", "--continue"]);
        assert_eq!(
            resumed.code,
            Some(if is_complete { 8 } else { 0 }),
            "{name}: {resumed}"
        );
        match is_complete {
            true => pipeline(&environment, &["note", "PRD-009", "--cleanup", "x"]).exits(0),
            false => pipeline(&environment, &["done", "PRD-009", "B"]).exits(0),
        };
        let after = environment.read(FILE);
        for member in spelled(&text) {
            assert!(
                after.contains(&member),
                "{name}: {member} is gone from {after}"
            );
        }
        // Around what changed the lines are as they were.
        let is_kept = |line: &&str| {
            !["workstreams", "status"]
                .iter()
                .any(|word| line.contains(word))
        };
        for line in text.lines().filter(is_kept).filter(|line| line.len() > 3) {
            assert!(after.contains(line), "{name}: {line} is gone from {after}");
        }
    }
}

/// Every status against every operation, by the table in docs/formats.md.
#[test]
fn every_transition_that_is_forbidden_is_refused_with_those_that_are_not() {
    let operations: [(&str, &[&str]); 11] = [
        ("start", &["start", "PRD-009", "B"]),
        ("done", &["done", "PRD-009", "A"]),
        ("fail", &["fail", "PRD-009", "A", "--message", "m"]),
        ("fixed", &["fixed", "PRD-009"]),
        ("defer", &["defer", "PRD-009", "B", "--reason", "r"]),
        ("gate", &["gate", "pass", "PRD-009", "lint"]),
        ("approve", &["approve", "PRD-009"]),
        ("complete", &["complete", "PRD-009"]),
        ("reopen", &["reopen", "PRD-009"]),
        ("abort", &["abort", "PRD-009", "--reason", "r"]),
        ("resume --restart", &["resume", "PRD-009", "--restart"]),
    ];
    let formats = include_str!("../../../../docs/formats.md");
    let (_, formats) = formats.split_once("| from | allowed |").unwrap();
    for status in ["initialized", "in_progress", "paused", "failed", "complete"] {
        let row = formats
            .lines()
            .find(|line| line.starts_with(&format!("| `{status}` | ")));
        let row = row.unwrap().trim_end_matches(" |");
        let allowed: Vec<&str> = row.rsplit(" | ").next().unwrap().split(", ").collect();
        for (name, arguments) in operations {
            let running = if status == "in_progress" {
                json!(["A"])
            } else {
                json!([])
            };
            let environment = with_members(&json!({
                "status": status, "in_progress_workstreams": running, "pending_workstreams": ["B"],
                "error": if status == "failed" { json!({"message": "m"}) } else { Value::Null },
            }));
            let before = environment.read(FILE);
            let run = pipeline(&environment, arguments);
            // Resuming is not refused where there is nothing to take back; it then takes nothing back.
            if name == "resume --restart"
                && !["in_progress", "complete", "failed"].contains(&status)
            {
                assert_eq!(environment.read(FILE), before, "{status} {name}: {run}");
                continue;
            }
            if allowed.contains(&name) {
                assert!(
                    !run.stderr.contains("does not allow"),
                    "{status} {name}: {run}"
                );
                continue;
            }
            assert_eq!(environment.read(FILE), before, "{status} {name}: {run}");
            match (status, name) {
                ("complete", _) => {
                    assert_eq!(run.code, Some(8), "{status} {name}: {run}");
                    assert!(run.stderr.contains("ckpt pipeline reopen PRD-009"), "{run}");
                }
                // Resuming what has failed needs --fixed, and says so.
                (_, "resume --restart") => assert_eq!(run.code, Some(4), "{run}"),
                _ => {
                    assert_eq!(run.code, Some(4), "{status} {name}: {run}");
                    let hint = format!("Allowed now: {}", allowed.join(", "));
                    assert!(run.stderr.contains(&hint), "{status} {name}: {hint}: {run}");
                }
            }
        }
    }
}
