//! Phases: their status, and what is recorded with it.

use serde_json::json;

use crate::support::environment::{AUTH, Environment};

#[test]
fn a_phase_after_completion_takes_the_work_up_again() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    environment
        .ckpt(&["complete", "implement/auth", "--force"])
        .exits(0);
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
    assert_eq!(state("failed"), (json!("a"), json!([]), true));
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
fn a_status_in_the_data_must_be_a_known_one() {
    let environment = Environment::started();
    let before = environment.read(AUTH);
    for data in [
        r#"{ "status": "sleeping" }"#,
        r#"{ "status": 5 }"#,
        r#"{ "status": null }"#,
    ] {
        let run = environment
            .ckpt(&["phase", "implement/auth", "a", "--data", data])
            .exits(4);
        assert!(run.reason().contains("unknown phase status"), "{run}");
    }
    assert_eq!(environment.read(AUTH), before);
}
