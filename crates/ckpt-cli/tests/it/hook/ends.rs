//! How sessions end, and what comes after.

use serde_json::json;

use crate::support::agent::{
    Agent, FOUR_TASKS, HISTORY, Held, PLAN, STATE, THREE_TASKS, TWO_TASKS, becomes, context,
    is_over, occurrences, planned, session_file, session_record, state,
};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::event::tell;
use crate::support::tool;

const SESSIONS_LOCK: &str = ".claude/state/locks/sessions.lock";

#[test]
fn the_fate_of_sub_agents_is_recorded_once_a_plan_that_was_away_is_back() {
    let away = |environment: &Environment, how: &str| match how {
        "on another branch" => {
            environment.git(&["checkout", "--quiet", "empty"]);
        }
        _ => {
            environment.write(PLAN, "Nothing to follow.\n");
        }
    };
    for how in ["on another branch", "without markers"] {
        let environment = planned(TWO_TASKS);
        environment.git(&["branch", "empty"]);
        environment.commit("plan");
        let (agent, _) = Agent::begin(&environment, "A");
        agent.spawns("d", "dev", "do t1");
        away(&environment, how);
        agent.hook("SessionEnd", &json!({"reason": "other"}));
        agent.dies();
        assert!(!is_over(&environment, "A"), "{how}");
        // A session that begins in the meantime cannot report it either, and nothing is lost.
        let (second, _) = Agent::begin(&environment, "B");
        second.hook("SessionEnd", &json!({"reason": "other"}));
        assert!(!is_over(&environment, "A"), "{how}");
        assert_eq!(occurrences(&environment, "subagent_stopped"), 0, "{how}");
        environment.git(&["checkout", "--quiet", "--force", "main"]);
        for (_, run) in ["C", "D"].map(|session| Agent::begin(&environment, session)) {
            assert!(
                !context(&run).contains("Session A (claude) died"),
                "{how}: {run}"
            );
        }
        assert!(is_over(&environment, "A"), "{how}");
        assert_eq!(state(&environment)["agents"]["d"]["died"], true, "{how}");
        assert_eq!(occurrences(&environment, "subagent_stopped"), 1, "{how}");
    }
}

#[test]
fn the_record_of_an_old_session_is_taken_away_under_its_lock() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    let (_agent, _) = Agent::begin(&environment, "A");
    let mut old = session_record(&environment, "A");
    old["session_id"] = json!("old");
    old["ended_at"] = json!("2026-01-01T00:00:00.000Z");
    environment.write_session("old", &old);
    let path = environment.path(&session_file("old"));
    let held = Held::lock(&environment, SESSIONS_LOCK);
    let (_second, _) = Agent::begin(&environment, "B");
    assert!(path.exists(), "somebody may be about to go on with it");
    drop(held);
    assert!(becomes(|| !path.exists()));
    assert!(environment.path(&session_file("A")).exists());
}

#[test]
fn the_last_words_of_a_session_are_noted_up_to_a_length_and_never_half_a_letter() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    let noted = |words: &str, event: &str| {
        let line = json!({"type": "assistant", "message": {"content": words}});
        let file = agent.transcript();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("{line}\n")).unwrap();
        agent.hook(event, &json!({"trigger": "auto", "reason": "other"}));
        environment.read(STATE)
    };
    let long = noted(&format!("x{}", "é".repeat(300)), "PreCompact");
    let kept = format!(": x{} …", "é".repeat(199));
    assert!(long.contains(&kept), "{long}");
    let just = "y".repeat(400);
    let short = noted(&just, "SessionEnd");
    assert!(short.contains(&just) && !short.contains('…'), "{short}");
}

#[test]
fn a_session_that_is_resumed_after_its_end_lives_again() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.hook("SessionEnd", &json!({"reason": "resume"}));
    drop(agent);
    let (again, _) = Agent::begin(&environment, "A");
    let (other, run) = Agent::begin(&environment, "B");
    assert!(context(&run).contains("has been running since"), "{run}");
    again.spawns("d", "dev", "do t1");
    assert_eq!(occurrences(&environment, "subagent_started"), 1);
    again.dies();
    let (_next, run) = Agent::begin(&environment, "C");
    assert!(context(&run).contains("Session A (claude) died"), "{run}");
    assert_eq!(state(&environment)["agents"]["d"]["died"], true);
    // The second end of a session is recorded like the first.
    other.hook("SessionEnd", &json!({"reason": "other"}));
    other.hook("SessionStart", &json!({"source": "resume"}));
    other.hook("SessionEnd", &json!({"reason": "other"}));
    assert_eq!(occurrences(&environment, "backup_created"), 3);
    assert!(is_over(&environment, "B"));
}

#[test]
fn a_session_resumed_while_its_plan_is_away_is_live_again_once_its_end_is_reported() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.spawns("d", "dev", "do t1");
    environment.write(PLAN, "");
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    agent.hook("SessionStart", &json!({"source": "resume"}));
    environment.write(PLAN, TWO_TASKS);
    agent.hook(
        "UserPromptSubmit",
        &json!({"prompt": "go on", "prompt_id": "p"}),
    );
    assert_eq!(state(&environment)["agents"]["d"]["died"], true);
    agent.spawns("e", "dev", "do t2");
    let (_other, run) = Agent::begin(&environment, "B");
    assert!(context(&run).contains("has been running since"), "{run}");
    assert_eq!(state(&environment)["agents"]["e"].get("died"), None);
    assert_eq!(occurrences(&environment, "subagent_started"), 2);
}

#[test]
fn what_comes_after_the_end_of_a_session_does_not_bring_it_back() {
    let environment = planned(FOUR_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    agent.hook(
        "SubagentStart",
        &json!({"agent_id": "z", "agent_type": "dev"}),
    );
    agent.dies();
    let (_next, run) = Agent::begin(&environment, "B");
    assert!(!context(&run).contains("Session A (claude) died"), "{run}");
    assert!(!environment.read(HISTORY).contains("subagent_started"));
}

#[test]
fn a_session_ends_where_it_began_wherever_its_agent_has_gone() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    let elsewhere = environment.path("../elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let event = json!({"session_id": "s1", "cwd": elsewhere, "hook_event_name": "SessionEnd"});
    let mut command = environment.command(CKPT);
    command
        .args(["hook", "claude"])
        .env("CLAUDE_PROJECT_DIR", environment.path(""));
    Run::reading(&mut command, event.to_string().as_bytes()).exits(0);
    assert!(
        environment
            .read(".claude/state/sessions/s1.json")
            .contains("\"ended_at\"")
    );
    agent.dies();
    // Edits of a plan are picked up, whatever the agent's current directory.
    environment.write(PLAN, THREE_TASKS.replacen("[ ]", "[x]", 1));
    let event = json!({"session_id": "s2", "cwd": elsewhere, "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}});
    tell(&environment, "claude", &event);
    assert_eq!(occurrences(&environment, "task_completed"), 1);
    let (_next, run) = Agent::begin(&environment, "s3");
    assert!(!context(&run).contains("Session A (claude) died"), "{run}");
}
