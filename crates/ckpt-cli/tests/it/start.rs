//! Starting, finishing, starting over, and where to go on.

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
        "implement/auth is under way: 1 of 2 phases done, next: build\n"
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
    // Whoever holds the lock leaves a note in it.
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
    environment.ckpt(&["complete", "implement/auth"]).exits(0);
    let old = environment.read(".claude/state/implement-auth.json");
    environment.ckpt(&["start", "implement", "auth"]).exits(8);
    assert_eq!(environment.read(".claude/state/implement-auth.json"), old);

    let report = environment
        .ckpt(&["start", "implement", "auth", "--again", "--json"])
        .exits(0);
    assert_eq!(report.json()["created"], true);
    let document = environment.document("implement-auth");
    assert_eq!(document["phases"], json!({}));
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
fn a_phase_after_completion_takes_the_work_up_again() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    environment.ckpt(&["complete", "implement/auth"]).exits(0);
    let document = environment.document("implement-auth");
    assert_eq!(document["state"]["pending_phases"], json!([]));
    assert_eq!(document["state"]["current_phase"], json!(null));
    assert!(document["completed_at"].is_string());
    environment
        .ckpt(&["phase", "implement/auth", "fix", "in_progress"])
        .exits(0);
    let document = environment.document("implement-auth");
    assert_eq!(document.get("completed_at"), None);
    assert_eq!(document["state"]["current_phase"], "fix");
}

#[test]
fn phases_move_between_the_lists_as_their_status_says() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "a,b"])
        .exits(0);
    let state = |status: &str| {
        environment
            .ckpt(&["phase", "implement/auth", "a", status])
            .exits(0);
        let document = environment.document("implement-auth");
        let state = &document["state"];
        (
            state["current_phase"].clone(),
            state["completed_phases"].clone(),
            document["phases"]["a"]["started_at"].is_string(),
        )
    };
    assert_eq!(state("in_progress"), (json!("a"), json!([]), true));
    assert_eq!(state("complete"), (json!(null), json!(["a"]), true));
    assert_eq!(state("complete"), (json!(null), json!(["a"]), true));
    let pending = environment.document("implement-auth")["state"]["pending_phases"].clone();
    assert_eq!(pending, json!(["b"]));
    assert_eq!(state("in_progress"), (json!("a"), json!([]), true));
    assert_eq!(state("failed"), (json!(null), json!([]), true));
    assert_eq!(state("complete"), (json!(null), json!(["a"]), true));
    assert_eq!(state("skipped"), (json!(null), json!([]), true));
    assert_eq!(state("complete"), (json!(null), json!(["a"]), true));
    assert_eq!(state("pending"), (json!(null), json!([]), true));
}

#[test]
fn the_time_a_phase_started_is_set_once() {
    let environment = Environment::new();
    let phase = |status: &str| {
        environment
            .ckpt(&["phase", "implement/auth", "a", status])
            .exits(0);
        environment.document("implement-auth")["phases"]["a"]["started_at"].clone()
    };
    assert_eq!(phase("pending"), json!(null));
    let first = phase("in_progress");
    assert!(first.is_string());
    std::thread::sleep(std::time::Duration::from_millis(5));
    assert_eq!(phase("complete"), first);
}

#[test]
fn nested_data_merges_key_by_key_and_lists_are_replaced() {
    let environment = Environment::new();
    for data in [
        r#"{ "tasks": { "T1": true, "T2": { "done": false, "by": "a" } }, "tags": ["x", "y"] }"#,
        r#"{ "tasks": { "T2": { "done": true }, "T3": true }, "tags": ["z"] }"#,
    ] {
        environment
            .ckpt(&["phase", "implement/auth", "a", "--data", data])
            .exits(0);
    }
    let phase = &environment.document("implement-auth")["phases"]["a"];
    let tasks = json!({ "T1": true, "T2": { "done": true, "by": "a" }, "T3": true });
    assert_eq!((&phase["tasks"], &phase["tags"]), (&tasks, &json!(["z"])));
}

#[test]
fn a_summary_comes_from_an_argument_a_file_or_standard_input() {
    let environment = Environment::new();
    let summary =
        || environment.document("implement-auth")["phases"]["a"]["context_summary"].clone();
    let phase = ["phase", "implement/auth", "a"];
    environment
        .ckpt(&[&phase[..], &["--summary", "typed"]].concat())
        .exits(0);
    assert_eq!(summary(), "typed");
    environment.write("summary.txt", "from a file\n");
    environment
        .ckpt(&[&phase[..], &["--summary-file", "summary.txt"]].concat())
        .exits(0);
    assert_eq!(summary(), "from a file");
    environment
        .ckpt_reading("piped in\n", &[&phase[..], &["--summary", "-"]].concat())
        .exits(0);
    assert_eq!(summary(), "piped in");
}

#[test]
fn files_task_error_and_author_are_recorded() {
    let environment = Environment::new();
    let run = environment.ckpt(&[
        "phase",
        "implement/auth",
        "a",
        "failed",
        "--error",
        "no network",
        "--created",
        "x.rs",
        "--created",
        "y.rs",
        "--modified",
        "z.rs",
        "--task",
        "T7",
        "--by",
        "subagent:code",
    ]);
    run.exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "a", "--created", "x.rs"])
        .exits(0);
    let document = environment.document("implement-auth");
    let phase = &document["phases"]["a"];
    assert_eq!(phase["files_created"], json!(["x.rs", "y.rs"]));
    assert_eq!(phase["files_modified"], json!(["z.rs"]));
    assert_eq!(phase["error"], "no network");
    assert_eq!(document["state"]["current_task"], "T7");
    let authors: Vec<_> = environment
        .history("implement-auth")
        .iter()
        .map(|l| l["by"].clone())
        .collect();
    assert_eq!(authors, ["subagent:code", "subagent:code", "main"]);
}

#[test]
fn resume_with_nothing_in_flight_says_so_in_one_line() {
    let environment = Environment::new();
    let run = environment.ckpt(&["resume"]).exits(0);
    assert_eq!(
        run.stdout,
        "Nothing in flight. Start with: ckpt start COMMAND [FEATURE]\n"
    );
    assert_eq!(run.stderr, "");
    let report = environment.ckpt(&["resume", "--json"]).exits(0).json();
    assert_eq!(report["in_flight"], json!([]));
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
    assert!(run.stdout.contains("\nimplement/auth: "), "{run}");
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
