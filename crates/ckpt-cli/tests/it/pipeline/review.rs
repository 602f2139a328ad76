//! Reviews that block.

use serde_json::json;

use crate::support::pipeline::{FILE, begun, does, initialized, pipeline, stored};

#[test]
fn a_negative_review_blocks_the_start_until_it_is_overridden() {
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
fn a_blocking_review_is_shown_wherever_the_next_step_is() {
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
            "Blocked by the review: do_not_ship, with 2 P0 findings",
        ),
        (
            &["pipeline", "resume"],
            "Blocked by the review: do_not_ship, with 2 P0 findings",
        ),
        (
            &["pipeline", "show"],
            "waits for the review, which says do_not_ship, with 2 P0 findings",
        ),
        (&["resume"], "NEXT\nFix what the review found"),
    ] {
        let run = environment.ckpt(arguments).exits(0);
        assert!(run.stdout.contains(expected), "{run}");
        assert!(!run.stdout.contains("Can start now"), "{run}");
    }
    // Without an id, the only pipeline in flight is meant.
    pipeline(&environment, &["review", "overridden", "--reason", "known"]).exits(0);
    let review = &stored(&environment)["adversarial_review"];
    assert_eq!(
        *review,
        json!({"verdict": "overridden", "p0_count": 2, "p1_count": 1, "attempt": 1, "findings_path": "f.md", "override_reason": "known"})
    );
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
}

#[test]
fn a_review_that_breaks_the_rules_is_an_error_and_blocks() {
    let good = json!({"verdict": "ship", "p0_count": 0, "p1_count": 0, "attempt": 1});
    for (member, value, blocks) in [
        ("verdict", json!("maybe"), true),
        ("verdict", json!("SHIP"), true),
        ("verdict", json!(null), true),
        ("verdict", json!("overridden"), true),
        ("verdict", json!("do_not_ship"), true),
        ("attempt", json!(0), false),
        ("attempt", json!(3), false),
        ("attempt", json!("1"), false),
        ("p0_count", json!(-1), false),
        ("p1_count", json!(null), false),
        ("findings_path", json!(7), false),
    ] {
        let environment = begun("workstreams: { WS1: {} }\n");
        let mut state = stored(&environment);
        state["adversarial_review"] = good.clone();
        state["adversarial_review"][member] = value.clone();
        if value == "do_not_ship" {
            state["adversarial_review"]["p0_count"] = json!("2");
        }
        environment.write(FILE, state.to_string());
        let judged = pipeline(&environment, &["validate", "PRD-009"]).exits(4);
        let rules = ["error[pipeline.review]", "error[pipeline.override-reason]"];
        let is_told = rules.iter().any(|rule| judged.stdout.contains(rule));
        assert!(is_told, "{member} {value}: {judged}");
        let started = pipeline(&environment, &["start", "PRD-009", "WS1"]);
        let expected = if blocks { 6 } else { 0 };
        assert_eq!(started.code, Some(expected), "{member} {value}: {started}");
    }
}

#[test]
fn a_start_without_a_review_says_so_once_or_is_refused() {
    let environment = begun("workstreams: { WS1: {}, WS2: {} }\n");
    environment
        .ckpt(&["config", "set", "require_review", "true"])
        .exits(0);
    let run = pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(6);
    assert!(run.stderr.contains("has no adversarial review"), "{run}");
    std::fs::remove_file(environment.path(".claude/config/ckpt.json")).unwrap();
    let run = pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    let note = "warning: PRD-009 starts without an adversarial review; record one with: ckpt pipeline review PRD-009 VERDICT";
    assert_eq!(run.stderr.trim_end(), note);
    let run = pipeline(&environment, &["start", "PRD-009", "WS2"]).exits(0);
    assert_eq!(run.stderr, "");

    let environment = begun("workstreams: { WS1: {} }\n");
    environment
        .ckpt(&["config", "set", "require_review", "true"])
        .exits(0);
    pipeline(&environment, &["review", "ship_with_gates"]).exits(0);
    let run = pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    assert_eq!(run.stderr, "");
}
