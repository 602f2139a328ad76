//! Checkpoints that name no specification: it is found by its id, named, or said to be unknown.

use serde_json::json;

use crate::support::environment::Environment;
use crate::support::pipeline::{FILE, pipeline, stored};

const SPEC: &str = "---\nprd: PRD-009\nprd_title: Cashier Workflows\nworkstreams:\n  WS1: { name: Database Layer }\n  WS2: { name: Service Layer, depends_on: [WS1] }\n---\n";

/// A checkpoint exactly as the format writes it.
fn foreign() -> Environment {
    let environment = Environment::new();
    let checkpoint = json!({
        "prd": "PRD-009", "prd_title": "Cashier Workflows", "current_phase": 0, "status": "initialized",
        "completed_workstreams": [], "in_progress_workstreams": [], "pending_workstreams": ["WS1", "WS2"],
        "artifacts": {}, "gates_passed": [], "gates_pending": [], "timestamp": "2025-12-11T10:00:00Z",
    });
    environment.write(FILE, serde_json::to_string_pretty(&checkpoint).unwrap());
    environment
}

#[test]
fn the_only_specification_with_its_id_is_found_wherever_it_is() {
    for file in [
        "docs/EXECUTION-SPEC-PRD-009.md",
        "docs/20-architecture/specs/cashier.md",
        ".claude/specs/PRD-009.md",
    ] {
        let environment = foreign();
        environment.write(file, SPEC);
        // A requirements document with the same id is no specification, nor is one of another id.
        environment.write("docs/PRD-009.md", "# PRD-009\n\nWords.\n");
        environment.write("docs/PRD-0091.md", SPEC.replace("PRD-009", "PRD-0091"));
        let run = pipeline(&environment, &["resume", "PRD-009"]).exits(0);
        assert!(run.stdout.contains("WS1: Database Layer"), "{file}: {run}");
        let run = pipeline(&environment, &["next", "PRD-009"]).exits(0);
        assert_eq!(run.stdout, "WS1: Database Layer\n");
        let run = pipeline(&environment, &["start", "PRD-009", "WS2"]).exits(4);
        assert!(run.stderr.contains("WS2 waits for WS1"), "{run}");
        assert!(stored(&environment).get("execution_spec").is_none());
        pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
        assert_eq!(stored(&environment)["execution_spec"]["path"], file);
    }
}

#[test]
fn a_specification_that_was_found_is_bound_once_and_not_yet_accepted() {
    let environment = foreign();
    let with_gate = SPEC.replace("Database Layer }", "Database Layer, gate: q }");
    let with_gate = with_gate.replace("---\n", "").trim_end().to_owned();
    let text = format!("---\n{with_gate}\ngates: {{ q: {{ command: 'true' }} }}\n---\n");
    environment.write("docs/spec.md", &text);
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    // Its commands may have come with a clone.
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "q", "--for", "WS1"],
    )
    .exits(6);
    pipeline(&environment, &["sync", "PRD-009"]).exits(0);
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "q", "--for", "WS1"],
    )
    .exits(0);
    // From now on a change of it is noticed.
    environment.write("docs/spec.md", text.replace("Service Layer", "Services"));
    let run = pipeline(&environment, &["resume", "PRD-009", "--continue"]).exits(0);
    assert!(
        run.stdout.contains("The specification has changed"),
        "{run}"
    );
}

#[test]
fn until_it_is_known_nothing_is_ready_and_everything_says_so() {
    let environment = foreign();
    let unknown = "does not name its specification, and none with this id is in docs or .claude";
    let report = pipeline(&environment, &["next", "PRD-009", "--json"]).exits(0);
    assert_eq!(report.json()["ready"], json!([]));
    for arguments in [&["next", "PRD-009"][..], &["resume", "PRD-009"], &["show"]] {
        let run = pipeline(&environment, arguments).exits(0);
        assert!(run.stdout.contains(unknown), "{run}");
    }
    let run = pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(4);
    assert!(run.stderr.contains(unknown), "{run}");
    assert!(
        run.stderr.contains("ckpt pipeline sync PRD-009 SPEC"),
        "{run}"
    );
    let brief = environment.ckpt(&["resume"]).exits(0);
    assert!(
        brief
            .stdout
            .contains("NEXT\nFind the specification of PRD-009"),
        "{brief}"
    );
    let judged = pipeline(&environment, &["validate", "PRD-009"]).exits(0);
    assert!(judged.stdout.contains("pipeline.specification"), "{judged}");

    environment.write("elsewhere/spec.md", SPEC);
    pipeline(&environment, &["sync", "PRD-009", "elsewhere/spec.md"]).exits(0);
    assert_eq!(
        stored(&environment)["execution_spec"]["path"],
        "elsewhere/spec.md"
    );
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
}

#[test]
fn two_specifications_of_one_id_are_named_and_neither_is_taken() {
    let environment = foreign();
    environment.write("docs/a/PRD-009.md", SPEC);
    environment.write("docs/b/PRD-009.md", SPEC);
    let run = pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(4);
    let both = "several have this id: docs/a/PRD-009.md, docs/b/PRD-009.md";
    assert!(run.stderr.contains(both), "{run}");
    pipeline(&environment, &["sync", "PRD-009", "docs/b/PRD-009.md"]).exits(0);
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
}

#[test]
fn copies_in_other_work_trees_do_not_count_and_a_broken_one_is_named() {
    let environment = foreign();
    environment.write("docs/PRD-009.md", SPEC);
    environment.git(&["add", "--all"]);
    environment.git(&["commit", "--quiet", "--message", "Specify"]);
    environment.git(&["worktree", "add", "--quiet", ".claude/worktrees/w"]);
    let run = pipeline(&environment, &["next", "PRD-009"]).exits(0);
    assert_eq!(run.stdout, "WS1: Database Layer\n");

    let environment = foreign();
    environment.write(
        "docs/PRD-009.md",
        "---\nprd: PRD-009\nworkstreams: [\n---\n",
    );
    let run = pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(4);
    assert!(run.stderr.contains("docs/PRD-009.md: line "), "{run}");
}

#[test]
fn a_specification_of_another_pipeline_is_refused() {
    let environment = foreign();
    environment.write("docs/other.md", SPEC.replace("PRD-009", "PRD-010"));
    let run = pipeline(&environment, &["sync", "PRD-009", "docs/other.md"]).exits(4);
    let other = "docs/other.md is the specification of PRD-010, not of PRD-009";
    assert!(run.stderr.contains(other), "{run}");
    pipeline(&environment, &["sync", "PRD-009", "docs/missing.md"]).exits(3);
    assert!(stored(&environment).get("execution_spec").is_none());
}
