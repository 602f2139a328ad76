//! Events as agents send them, without a process that stands for the agent.

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment, Run};

/// An event of a session of Claude Code, with more members.
pub(crate) fn event(
    environment: &Environment,
    session: &str,
    name: &str,
    members: &Value,
) -> Value {
    let mut event =
        json!({"session_id": session, "cwd": environment.path(""), "hook_event_name": name});
    let all = event.as_object_mut().unwrap();
    all.extend(members.as_object().unwrap().clone());
    event
}

/// Calls the hook of any agent with an event.
pub(crate) fn tell(environment: &Environment, agent: &str, event: &Value) -> Run {
    let run = environment.ckpt_reading(event.to_string(), &["hook", agent]);
    assert_eq!(run.stderr, "");
    run.exits(0)
}

/// Calls the hook of Claude Code with an event of the session `s1`.
pub(crate) fn hook(environment: &Environment, name: &str, members: &Value) -> Run {
    tell(
        environment,
        "claude",
        &event(environment, "s1", name, members),
    )
}

/// Reports that a file was edited.
pub(crate) fn edited(environment: &Environment, file: &str) -> Run {
    let file = environment.path(file);
    hook(
        environment,
        "PostToolUse",
        &json!({"tool_name": "Edit", "tool_input": {"file_path": file}}),
    )
}

/// Begins a session of an agent with this process, and returns what it is told.
pub(crate) fn begin(environment: &Environment, session: &str, process: u32) -> String {
    let event = json!({"session_id": session, "cwd": environment.path(""), "hook_event_name": "SessionStart", "source": "startup"});
    let mut command = environment.command(CKPT);
    command.args(["hook", "claude"]);
    command.env("CLAUDE_PID", process.to_string());
    Run::reading(&mut command, event.to_string().as_bytes())
        .exits(0)
        .stdout
}

/// Queues an event for the background process.
pub(crate) fn leave(environment: &Environment, told_at: &str, event: &Value) {
    environment.write(
        ".git/ckpt/late/000000000000001-1-0",
        format!("claude {told_at} \n{event}"),
    );
}

/// Queues an event, and runs the background process.
pub(crate) fn act_late(environment: &Environment, told_at: &str, event: &Value) {
    leave(environment, told_at, event);
    environment.ckpt(&["hook", "claude", "--late"]).exits(0);
    assert!(
        !environment
            .path(".git/ckpt/late/000000000000001-1-0")
            .exists()
    );
}
