//! Who has claimed what, with several sessions and sub-agents.

use serde_json::json;

use crate::support::agent::{
    Agent, FOUR_TASKS, HISTORY, Held, OTHER_PLAN, PLAN_LOCK, STATE, THREE_TASKS, becomes, planned,
    state,
};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::tool;

/// `ckpt plan` in a session.
fn plan(environment: &Environment, session: &str, arguments: &[&str]) -> Run {
    let mut command = environment.command(CKPT);
    command
        .arg("plan")
        .args(arguments)
        .env("CLAUDE_CODE_SESSION_ID", session);
    Run::of(&mut command)
}

fn next(environment: &Environment, session: &str) -> String {
    plan(environment, session, &["next", "-n", "9"])
        .exits(0)
        .stdout
}

#[test]
fn what_a_dead_session_had_taken_over_does_not_pass_to_the_next_one() {
    let environment = planned(FOUR_TASKS);
    let (first, _) = Agent::begin(&environment, "A");
    plan(&environment, "A", &["claim", "t1"]).exits(0);
    first.dies();
    let (_second, _) = Agent::begin(&environment, "B");
    plan(&environment, "B", &["claim", "t2"]).exits(0);
    let offered = next(&environment, "C");
    assert!(
        offered.contains("t1") && !offered.contains("t2"),
        "{offered}"
    );
    plan(&environment, "C", &["claim", "t1"]).exits(0);
    // Nor does a claim that was made without a session.
    environment
        .ckpt(&["plan", "claim", "t4", "--by", "team:x"])
        .exits(0);
    let mut command = environment.command(CKPT);
    command
        .args(["plan", "claim", "t3", "--by", "team:x"])
        .env("CLAUDE_CODE_SESSION_ID", "B");
    Run::of(&mut command).exits(0);
    assert_eq!(
        state(&environment)["agents"]["team:x"]["assignedTasks"],
        json!(["t4"])
    );
    assert_eq!(state(&environment)["agents"]["team:x"].get("session"), None);
}

#[test]
fn a_session_gives_up_and_completes_what_is_its_own() {
    let environment = planned(FOUR_TASKS);
    let (_first, _) = Agent::begin(&environment, "A");
    let (_second, _) = Agent::begin(&environment, "B");
    plan(&environment, "A", &["claim", "t1"]).exits(0);
    plan(&environment, "B", &["claim", "t2"]).exits(0);
    let refused = plan(&environment, "B", &["release", "t1"]);
    assert_ne!(refused.code, Some(0), "{refused}");
    assert!(!environment.read(HISTORY).contains("task_released"));
    plan(&environment, "B", &["done", "t2"]).exits(0);
    let agents = state(&environment)["agents"].clone();
    assert_eq!(
        agents["main:B"]["completedTasks"],
        json!(["t2"]),
        "{agents}"
    );
    assert_eq!(agents["main"]["completedTasks"], json!([]), "{agents}");
    plan(&environment, "A", &["release", "t1"]).exits(0);
}

#[test]
fn a_session_that_is_resumed_while_the_plan_is_locked_is_told_of_its_crash_later() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(FOUR_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    plan(&environment, "A", &["claim", "t1"]).exits(0);
    agent.dies();
    let held = Held::lock(&environment, PLAN_LOCK);
    let (_again, _) = Agent::begin(&environment, "A");
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(held);
    let crashes = || environment.read(HISTORY).matches("session_crash").count();
    assert!(becomes(|| crashes() == 1));
    assert!(next(&environment, "B").contains("t1"));
}

#[test]
fn two_live_sessions_do_not_take_tasks_from_each_other() {
    let environment = planned(THREE_TASKS);
    let (first, _) = Agent::begin(&environment, "A");
    let (second, _) = Agent::begin(&environment, "B");
    let plan = |session: &str, arguments: &[&str]| plan(&environment, session, arguments);
    plan("A", &["claim", "alpha"]).exits(0);
    assert!(plan("A", &["next"]).exits(0).stdout.contains("alpha"));
    assert!(!plan("B", &["next"]).exits(0).stdout.contains("alpha"));
    plan("B", &["claim", "alpha"]).exits(5);
    plan("B", &["claim", "beta"]).exits(0);
    second.hook("SessionEnd", &json!({"reason": "other"}));
    assert!(
        !plan("C", &["next"]).exits(0).stdout.contains("alpha"),
        "A is live"
    );
    assert!(plan("C", &["next"]).exits(0).stdout.contains("beta"));
    // A new sub-agent does not take over a claim either.
    first.spawns("d", "full", "do alpha and gamma");
    assert_eq!(
        state(&environment)["agents"]["d"]["assignedTasks"],
        json!(["gamma"])
    );
}

#[test]
fn a_sub_agent_that_works_keeps_its_claims() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.spawns("d", "full", "do alpha");
    let now = state(&environment)["agents"]["d"]["lastActive"]
        .as_str()
        .unwrap()
        .to_owned();
    let old = environment.read(STATE).replace(
        &format!("\"lastActive\": \"{now}\""),
        "\"lastActive\": \"2026-01-01T00:00:00.000Z\"",
    );
    environment.write(STATE, &old);
    let bash = json!({"agent_id": "d", "agent_type": "full", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    agent.hook("PostToolUse", &bash);
    assert_ne!(
        state(&environment)["agents"]["d"]["lastActive"],
        "2026-01-01T00:00:00.000Z"
    );
    // Not every time.
    let before = environment.read(HISTORY);
    agent.hook("PostToolUse", &bash);
    assert_eq!(environment.read(HISTORY), before);
    // The same while another plan is the current one.
    environment.write(OTHER_PLAN, "- [ ] Y <!-- TASK: why -->\n");
    environment.ckpt(&["plan", "use", "260301-0900-y"]).exits(0);
    environment.write(STATE, &old);
    agent.hook("PostToolUse", &bash);
    assert_ne!(
        state(&environment)["agents"]["d"]["lastActive"],
        "2026-01-01T00:00:00.000Z"
    );
}
