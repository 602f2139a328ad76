//! A held lock does not delay the agent.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::agent::{
    Agent, Held, HeldPlan, LOG, PLAN, THREE_TASKS, becomes, completions, planned, ticked,
};
use crate::support::event::edited;
use crate::support::tool;

#[test]
fn a_locked_store_does_not_delay_the_agent() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = ticked();
    let locks = Command::new("find")
        .args([".", "-name", "*.lock"])
        .current_dir(environment.path(""))
        .output()
        .unwrap();
    let locks = String::from_utf8(locks.stdout).unwrap();
    let holders: Vec<Held> = locks
        .lines()
        .map(|lock| Held::lock(&environment, lock))
        .collect();
    let begin = Instant::now();
    edited(&environment, PLAN);
    // The platforms give a hook at least 1.5 s; the rest is for a busy machine.
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?}",
        begin.elapsed()
    );
    assert!(
        environment.read(LOG).contains("\"error\":"),
        "{}",
        environment.read(LOG)
    );
    assert_eq!(completions(&environment), 0);
    drop(holders);
    // A background process does the rest.
    assert!(becomes(|| completions(&environment) == 1));
}

#[test]
fn an_event_that_changes_nothing_takes_no_lock() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    let held = HeldPlan::new(&environment);
    let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}});
    agent.hook("PostToolUse", &edit);
    agent.shell("true");
    held.let_go();
    let log = environment.read(LOG);
    assert!(
        !log.contains("error") && !log.contains("handed_on"),
        "{log}"
    );
}
