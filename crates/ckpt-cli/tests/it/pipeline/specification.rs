//! Specifications: what is refused, how they are named, and what happens when they change.

use serde_json::json;

use crate::support::environment::Environment;
use crate::support::pipeline::{SPEC, begun, does, initialized, pipeline, specified, stored};

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
    assert!(run.reason().contains("two --- lines"), "{run}");
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
fn a_changed_specification_is_reported_and_applied_and_nothing_is_lost() {
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
        run.stderr.contains("WS2 is no longer in the specification"),
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
fn two_ids_with_the_same_file_name_are_kept_apart() {
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
    assert!(run.stderr.contains("a reason is needed"), "{run}");

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
            .contains("cycle.md: line 4, column 3: dependency cycle"),
        "{run}"
    );
}
