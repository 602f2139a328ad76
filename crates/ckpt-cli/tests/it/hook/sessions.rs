//! Which session an event belongs to, and whether that session is alive.

use serde_json::json;

use crate::support::agent::{
    Agent, FOUR_TASKS, HISTORY, PLAN, THREE_TASKS, context, occurrences, planned, state,
};
use crate::support::environment::{CKPT, Run};
use crate::support::event::tell;

#[test]
fn a_session_with_a_type_is_not_a_sub_agent() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    environment.write(PLAN, THREE_TASKS.replacen("[ ]", "[x]", 1));
    let edit = json!({"agent_type": "reviewer", "tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}});
    agent.hook("PostToolUse", &edit);
    assert!(
        environment
            .read(HISTORY)
            .contains("\"taskId\":\"alpha\",\"by\":\"main\"")
    );
}

#[test]
fn one_session_that_two_agents_hooks_tell_of_is_one() {
    let environment = planned(THREE_TASKS);
    let event = |name: &str| json!({"session_id": "same", "cwd": environment.path(""), "hook_event_name": name});
    for agent in ["claude", "copilot"] {
        let run = tell(&environment, agent, &event("SessionStart"));
        assert!(!run.stdout.contains("has been running since"), "{run}");
    }
    for name in ["PreCompact", "SessionEnd"] {
        for agent in ["claude", "copilot"] {
            tell(&environment, agent, &event(name));
        }
    }
    assert_eq!(occurrences(&environment, "backup_created"), 2);
    assert_eq!(occurrences(&environment, "notes_replaced"), 2);
}

#[test]
fn a_session_that_began_before_its_hooks_is_recorded_at_its_next_sign_of_life() {
    let environment = planned(THREE_TASKS);
    for number in 0..5 {
        let event = json!({"session_id": "old", "cwd": environment.path(""), "hook_event_name": "UserPromptSubmit", "prompt": "x", "prompt_id": number.to_string()});
        tell(&environment, "claude", &event);
    }
    assert_eq!(occurrences(&environment, "backup_created"), 1);
    assert!(environment.path(".claude/state/sessions/old.json").exists());
}

#[test]
fn a_session_of_another_machine_is_gone_after_a_day_of_silence() {
    let environment = planned(THREE_TASKS);
    let record = |seen: &str| {
        let record = json!({"agent": "claude", "session_id": "far", "host": "elsewhere", "begun_at": "2026-01-01T00:00:00.000Z", "seen_at": seen, "process": {"pid": 1}});
        environment.write_session("far", &record);
    };
    environment.ckpt(&["start", "ship"]).exits(0);
    let now = state(&environment)["lastCheckpoint"]
        .as_str()
        .unwrap()
        .to_owned();
    record(&now);
    let (first, run) = Agent::begin(&environment, "s1");
    assert!(context(&run).contains("has been running since"), "{run}");
    record("2026-01-02T00:00:00.000Z");
    let (second, run) = Agent::begin(&environment, "s2");
    assert!(
        !context(&run).contains("has been running since 2026-01-01"),
        "{run}"
    );
    assert_eq!(occurrences(&environment, "session_crash"), 1);
    drop((first, second));
}

#[test]
fn a_process_that_cannot_be_seen_is_not_taken_for_the_agents() {
    let environment = planned(FOUR_TASKS);
    let begin = |session: &str| {
        let event = json!({"session_id": session, "cwd": environment.path(""), "hook_event_name": "SessionStart"});
        let mut command = environment.command(CKPT);
        command
            .args(["hook", "claude"])
            .env("CLAUDE_PID", "4194303");
        Run::reading(&mut command, event.to_string().as_bytes()).exits(0)
    };
    begin("s1");
    let second = begin("s2");
    assert!(!second.stdout.contains("ended unexpectedly"), "{second}");
}
