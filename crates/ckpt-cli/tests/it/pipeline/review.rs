//! Reviews that block.

use serde_json::json;

use crate::support::pipeline::{begun, does, initialized, pipeline, stored};

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
