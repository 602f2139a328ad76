//! Which operation is allowed when, and how to continue after failures and interrupted runs.

use serde_json::{Value, json};

use crate::support::pipeline::{FILE, does, initialized, pipeline, stored, with_members};

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
    let formats = include_str!("../../../../../docs/formats.md");
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
            // Resuming with nothing to restart is allowed, and changes nothing.
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
