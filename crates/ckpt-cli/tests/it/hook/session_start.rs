//! What a session is told at its start.

use std::process::Command;

use serde_json::json;

use crate::support::agent::{THREE_TASKS, planned, ticked};
use crate::support::environment::Environment;
use crate::support::event::{hook, tell};

fn files(environment: &Environment) -> Vec<String> {
    let output = Command::new("find")
        .arg(".")
        .current_dir(environment.path(""))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut files: Vec<String> = text
        .lines()
        .filter(|line| !line.starts_with("./.git/"))
        .map(str::to_owned)
        .collect();
    files.sort();
    files
}

#[test]
fn without_state_nothing_is_written_and_nothing_is_printed() {
    let environment = Environment::new();
    let before = files(&environment);
    for (name, members) in [
        ("SessionStart", json!({"source": "startup"})),
        (
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ),
        ("SessionEnd", json!({"reason": "clear"})),
    ] {
        assert_eq!(hook(&environment, name, &members).stdout, "");
    }
    assert_eq!(files(&environment), before);
}

#[test]
fn a_session_is_told_at_its_start_where_the_work_stands() {
    let environment = ticked();
    for source in ["startup", "resume", "clear", "compact", "fork"] {
        let run = hook(&environment, "SessionStart", &json!({"source": source}));
        let answer = run.json();
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "SessionStart");
        let text = environment.ckpt(&["resume"]).exits(0).stdout;
        assert_eq!(output["additionalContext"], text.trim());
    }
    let cursor =
        json!({"hook_event_name": "sessionStart", "workspace_roots": [environment.path("")]})
            .to_string();
    let run = environment
        .ckpt_reading(cursor, &["hook", "cursor"])
        .exits(0);
    assert!(
        run.json()["additional_context"]
            .as_str()
            .unwrap()
            .contains("implement/auth"),
        "{run}"
    );
}

#[test]
fn many_sessions_take_no_more_room_than_the_budget_has() {
    let environment = planned(THREE_TASKS);
    for number in 0..60 {
        let event = json!({"session_id": format!("s{number}"), "cwd": environment.path(""), "hook_event_name": "SessionStart"});
        let run = tell(&environment, "claude", &event);
        assert!(run.stdout.len() < 2500, "{run}");
    }
}
