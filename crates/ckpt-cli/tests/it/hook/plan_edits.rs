//! Edits of a plan are picked up once, whoever makes them.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::agent::{
    Agent, FOUR_TASKS, HISTORY, LOG, PLAN, STATE, THREE_TASKS, completions, planned, ticked,
};
use crate::support::environment::CKPT;
use crate::support::event::{edited, event, hook};

#[test]
fn an_edit_of_a_plan_is_followed_once() {
    let environment = ticked();
    for _ in 0..3 {
        assert_eq!(edited(&environment, PLAN).stdout, "");
    }
    assert_eq!(completions(&environment), 1);
    let state: Value = serde_json::from_str(&environment.read(STATE)).unwrap();
    assert_eq!(state["progress"]["completedTasks"], 1);
    let log = environment.read(LOG);
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["agent"], &last["event"]),
        (&json!("claude"), &json!("PostToolUse"))
    );
    assert!(last["us"].is_u64() && last.get("error").is_none(), "{last}");
}

#[test]
fn what_a_sub_agent_ticks_is_its_own_and_the_shell_is_watched() {
    let environment = ticked();
    let members = json!({"tool_name": "Bash", "tool_input": {"command": "sed -i ..."}, "agent_id": "d", "agent_type": "fullstack"});
    hook(&environment, "PostToolUse", &members);
    assert!(environment.read(HISTORY).contains("subagent:fullstack"));
    // Files outside any plan, and files that do not exist, change nothing.
    let before = environment.read(HISTORY);
    for file in [
        "README.md",
        "plans/260220-1149-x/../../README.md",
        "plans/x/deep/plan.md",
        "/etc/passwd",
        "plans",
    ] {
        edited(&environment, file);
    }
    assert_eq!(environment.read(HISTORY), before);
}

#[test]
fn sixty_four_hooks_at_once_complete_a_task_once() {
    let environment = ticked();
    let event = event(
        &environment,
        "s1",
        "PostToolUse",
        &json!({"tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}}),
    );
    environment.write("../event.json", event.to_string());
    let children: Vec<_> = (0..64)
        .map(|_| {
            environment
                .command(CKPT)
                .args(["hook", "claude"])
                .stdin(std::fs::File::open(environment.path("../event.json")).unwrap())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    // A hook that could not get the lock in time leaves the rest to the next one.
    edited(&environment, PLAN);
    assert_eq!(completions(&environment), 1);
}

#[test]
fn one_plan_that_cannot_be_changed_keeps_no_other_from_being_followed() {
    let environment = planned(FOUR_TASKS);
    let other = "plans/260101-0000-a";
    environment.write(&format!("{other}/plan.md"), FOUR_TASKS);
    environment
        .ckpt(&["plan", "sync", "--plan", "260101-0000-a"])
        .exits(0);
    let file = format!("{other}/.checkpoint/state.json");
    let newer = environment
        .read(&file)
        .replace("\"version\": 2", "\"version\": 3");
    environment.write(&file, newer);
    environment.write(
        "plans/260220-1149-x/phase-01-more.md",
        "- [ ] More <!-- TASK: more -->\n",
    );
    environment
        .ckpt(&["plan", "sync", "--plan", "260220-1149-x"])
        .exits(0);
    environment.ckpt(&["plan", "use", "260101-0000-a"]).exits(0);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.shell("sed -i 's/\\[ \\] B/[x] B/' plans/*/plan.md && sed -i 's/\\[ \\]/[x]/' plans/260220-1149-x/phase-01-more.md");
    let history = environment.read(HISTORY);
    assert!(
        history.contains("\"taskId\":\"t2\"") && history.contains("\"taskId\":\"more\""),
        "{history}"
    );
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    assert!(
        environment
            .read(".claude/state/sessions/A.json")
            .contains("ended_at")
    );
}

#[test]
fn the_plan_that_the_environment_names_is_the_one_that_hooks_work_on() {
    let environment = planned(THREE_TASKS);
    environment.write("plans/260301-0900-y/plan.md", "- [ ] Y <!-- TASK: y -->\n");
    environment
        .ckpt(&["plan", "sync", "--plan", "260301-0900-y"])
        .exits(0);
    let environment = environment.with_variable("CK_ACTIVE_PLAN", "260220-1149-x");
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.hook("PreCompact", &json!({}));
    assert!(environment.read(HISTORY).contains("pre_compact"));
    let other = environment.read("plans/260301-0900-y/.checkpoint/history.jsonl");
    assert!(!other.contains("pre_compact"));
}
