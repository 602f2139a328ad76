//! Starting, starting over and abandoning.

use serde_json::json;

use crate::support::environment::Environment;
use crate::support::tree;

#[test]
fn starting_makes_a_checkpoint_with_the_phases_of_its_command() {
    let environment = Environment::new();
    for (command, phases) in [
        ("start", json!(["branch", "issue-creation"])),
        ("design", json!(["research", "planning", "specs"])),
        ("reconcile", json!(["analysis", "reconciliation"])),
        ("research", json!(["discovery", "synthesis"])),
        ("implement", json!(["implementation", "validation"])),
        ("ship", json!(["pre-flight", "commit", "push"])),
        ("review", json!(["analysis", "feedback"])),
        ("deploy", json!([])),
    ] {
        environment.ckpt(&["start", command]).exits(0);
        let document = environment.document(&format!("{command}-checkpoint"));
        assert_eq!(document["state"]["pending_phases"], phases, "{command}");
        assert_eq!(document["feature"], json!(null));
        assert_eq!(document["head_commit"], environment.head());
    }
}

#[test]
fn starting_what_is_under_way_changes_nothing() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "plan, build"])
        .exits(0);
    environment.complete_plan_phase("Planned");
    let before = tree::listing(&environment.state(""));
    let run = environment
        .ckpt(&["start", "implement", "auth", "--phases", "x"])
        .exits(0);
    assert_eq!(
        run.stdout,
        "implement/auth is in flight: 1 of 2 phases done, next: build\n"
    );
    let report = environment
        .ckpt(&["start", "implement", "auth", "--json"])
        .exits(0)
        .json();
    let expected = json!({
        "format": 1,
        "key": "command:implement/auth",
        "revision": null,
        "created": false,
        "absorbed_foreign_edit": false,
        "findings": [],
        "resume": { "phase": null, "summary": "Planned" },
    });
    assert_eq!(report, expected);
    let changed = tree::changes(&before, &tree::listing(&environment.state("")));
    // The holder of the lock leaves a note in it.
    assert_eq!(changed, ["locks/command.lock"]);
}

#[test]
fn starting_over_needs_to_be_asked_for_and_the_history_keeps_what_was_there() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    environment
        .ckpt(&[
            "phase",
            "implement/auth",
            "implementation",
            "complete",
            "--summary",
            "The old",
        ])
        .exits(0);
    environment
        .ckpt(&["complete", "implement/auth", "--force"])
        .exits(0);
    let old = environment.read(".claude/state/implement-auth.json");
    environment.ckpt(&["start", "implement", "auth"]).exits(8);
    assert_eq!(environment.read(".claude/state/implement-auth.json"), old);

    let report = environment
        .ckpt(&["start", "implement", "auth", "--again", "--json"])
        .exits(0);
    assert_eq!(report.json()["created"], true);
    let document = environment.document("implement-auth");
    let pending = json!({"status": "pending"});
    assert_eq!(
        document["phases"],
        json!({"implementation": pending, "validation": pending})
    );
    assert_eq!(document.get("completed_at"), None);
    assert_eq!(
        environment.events("implement-auth"),
        [
            "1 checkpoint_started",
            "2 phase_updated",
            "3 checkpoint_completed",
            "4 checkpoint_started"
        ]
    );
    let last = environment.history("implement-auth").pop().unwrap();
    assert!(last.to_string().contains("The old"), "{last}");
}

#[test]
fn an_abandoned_checkpoint_is_not_in_flight_and_keeps_its_reason() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    environment
        .ckpt(&["abandon", "implement/auth", "--reason", "replaced by sso"])
        .exits(0);
    let run = environment.ckpt(&["resume"]).exits(0);
    assert!(run.stdout.starts_with("Nothing in flight."), "{run}");
    let shown = environment
        .ckpt(&["show", "implement/auth"])
        .exits(0)
        .stdout;
    assert!(
        shown.starts_with("implement/auth  abandoned: replaced by sso"),
        "{shown}"
    );
    environment
        .ckpt(&["phase", "implement/auth", "implementation", "in_progress"])
        .exits(0);
    let run = environment.ckpt(&["resume"]).exits(0);
    assert!(run.stdout.contains("\nIn focus: implement/auth, "), "{run}");
}

#[test]
fn a_feature_is_given_once() {
    let environment = Environment::new();
    let run = environment
        .ckpt(&["start", "implement/auth", "login"])
        .exits(2);
    assert!(run.reason().contains("ckpt start implement login"), "{run}");
    environment.ckpt(&["start", "implement/auth"]).exits(0);
}
