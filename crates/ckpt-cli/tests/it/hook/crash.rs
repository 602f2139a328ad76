//! Sessions that crash: noticed, reported once, and reported to the session that resumes.

use std::process::Command;

use ckpt::Timestamp;
use serde_json::json;

use crate::support::agent::{
    Agent, HISTORY, Held, LOG, PLAN, PLAN_LOCK, STATE, THREE_TASKS, TWO_TASKS, becomes, context,
    is_over, occurrences, planned, session_file, session_record, ticked,
};
use crate::support::environment::{CKPT, Run};
use crate::support::event::{begin, edited, event, hook, leave};
use crate::support::tool;

#[test]
fn a_session_that_ended_without_a_word_is_noticed_once_and_live_ones_are_not_taken_for_it() {
    let environment = ticked();
    edited(&environment, PLAN);
    let mut agent = Command::new("sleep").arg("60").spawn().unwrap();
    begin(&environment, "s1", agent.id());
    // Two sessions at the same time are fine.
    let second = begin(&environment, "s2", std::process::id());
    assert!(
        second.contains("Another claude session has been running since"),
        "{second}"
    );
    assert!(!environment.read(HISTORY).contains("session_crash"));
    agent.kill().unwrap();
    agent.wait().unwrap();
    // It is told until somebody works on what it left.
    for session in ["s3", "s4"] {
        let told = begin(&environment, session, std::process::id());
        assert!(told.contains("Session s1 (claude) died"), "{told}");
    }
    environment.ckpt(&["plan", "note", "I go on"]).exits(0);
    let fifth = begin(&environment, "s5", std::process::id());
    assert!(!fifth.contains("died without SessionEnd"), "{fifth}");
    let history = environment.read(HISTORY);
    let events: Vec<&str> = history
        .lines()
        .filter(|line| line.contains("\"event\":\"session_"))
        .collect();
    assert_eq!(events.len(), 2, "{events:?}");
    // No copy was made yet, so none is named.
    assert!(
        events[0].contains("\"event\":\"session_crash\",\"lastKnownState\":\"state.json\""),
        "{events:?}"
    );
    assert!(
        events[1].contains(
            "\"event\":\"session_recovered\",\"from\":\"state.json\",\"tasksRestored\":1"
        ),
        "{events:?}"
    );
}

#[test]
fn a_session_that_says_goodbye_has_not_crashed() {
    let environment = ticked();
    let mut agent = Command::new("sleep").arg("60").spawn().unwrap();
    begin(&environment, "../../s1", agent.id());
    let records = std::fs::read_dir(environment.path(".claude/state/sessions")).unwrap();
    let names: Vec<_> = records.map(|entry| entry.unwrap().file_name()).collect();
    let records = names.iter().filter(|name| *name != ".gitignore");
    assert_eq!(records.count(), 1, "{names:?}");
    hook(
        &environment,
        "SessionEnd",
        &json!({"session_id": "../../s1", "reason": "other"}),
    );
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert!(!begin(&environment, "s2", std::process::id()).contains("died without SessionEnd"));
}

#[test]
fn a_session_that_is_resumed_after_a_crash_is_told_of_its_own_crash() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.spawns("d", "full", "do alpha");
    agent.dies();
    let (again, run) = Agent::begin(&environment, "s1");
    let told = context(&run);
    assert!(
        told.contains("This session died without SessionEnd, and is resumed now."),
        "{run}"
    );
    assert!(
        told.contains("Sub-agent d (full) died without a report, at work on alpha"),
        "{run}"
    );
    assert_eq!(
        (
            occurrences(&environment, "session_crash"),
            occurrences(&environment, "session_recovered")
        ),
        (1, 1)
    );
    let next = environment.ckpt(&["plan", "next"]).exits(0).stdout;
    assert!(next.contains("alpha"), "{next}");
    // Continuing in the same process is not a crash.
    again.hook("SessionStart", &json!({"source": "compact"}));
    again.hook("SessionStart", &json!({"source": "clear"}));
    assert_eq!(occurrences(&environment, "session_crash"), 1);
    // Once someone claims the task, the crash is no longer reported.
    environment
        .ckpt(&["plan", "claim", "alpha", "--by", "team:x"])
        .exits(0);
    assert!(
        !environment
            .ckpt(&["resume"])
            .exits(0)
            .stdout
            .contains("Died")
    );
}

#[test]
fn a_plan_that_cannot_be_changed_does_not_keep_sessions_from_being_noted() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.dies();
    let newer = environment
        .read(STATE)
        .replace("\"version\": 2", "\"version\": 3");
    environment.write(STATE, newer);
    let (second, run) = Agent::begin(&environment, "s2");
    assert!(
        environment.path(".claude/state/sessions/s2.json").exists(),
        "{run}"
    );
    assert!(
        environment.path(".claude/state/sessions/s1.json").exists(),
        "it is still to be told"
    );
    drop(second);
}

#[test]
fn a_locked_plan_is_not_waited_for_once_per_session() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    let names: Vec<String> = (0..6).map(|number| format!("A{number}")).collect();
    let agents: Vec<_> = names
        .iter()
        .map(|name| Agent::begin(&environment, name).0)
        .collect();
    agents.into_iter().for_each(Agent::dies);
    let records = || {
        names
            .iter()
            .map(|name| environment.read(&session_file(name)))
    };
    let before: Vec<String> = records().collect();
    let held = Held::lock(&environment, PLAN_LOCK);
    let (_next, _) = Agent::begin(&environment, "B");
    // Whoever tries to report a session writes a claim into its record.
    let tried = records().zip(&before).filter(|(now, then)| now != *then);
    assert_eq!(tried.count(), 1);
    drop(held);
    assert!(becomes(
        || occurrences(&environment, "session_crash") == names.len()
    ));
}

#[test]
fn a_crash_whose_reporting_process_was_killed_is_reported_once_by_another() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.spawns("d", "dev", "do t1");
    agent.dies();
    let held = Held::lock(&environment, PLAN_LOCK);
    let start = event(&environment, "B", "SessionStart", &json!({}));
    leave(&environment, &Timestamp::now().to_string(), &start);
    let mut teller = environment.command(CKPT);
    let mut teller = teller.args(["hook", "claude", "--late"]).spawn().unwrap();
    assert!(becomes(
        || session_record(&environment, "A")["teller"].is_object()
    ));
    // In the meantime nobody else has to wait.
    let (_third, run) = Agent::begin(&environment, "C");
    assert!(!context(&run).contains("ended unexpectedly"), "{run}");
    let log = environment.read(LOG);
    assert!(!log.contains("locked by"), "{log}");
    teller.kill().unwrap();
    teller.wait().unwrap();
    drop(held);
    assert_eq!(occurrences(&environment, "session_crash"), 0);
    let told = std::thread::scope(|scope| {
        let begins = ["D", "E", "F"].map(|session| {
            let environment = &environment;
            scope.spawn(move || Agent::begin(environment, session))
        });
        // All of them stay alive until the last one has begun.
        let begun = begins.map(|begin| begin.join().unwrap());
        let told = |(_, run): &&(Agent<'_>, Run)| context(run).contains("ended unexpectedly");
        begun.iter().filter(told).count()
    });
    assert!(told <= 1, "{told}");
    assert!(becomes(|| is_over(&environment, "A")));
    let counted = ["session_crash", "session_recovered", "subagent_stopped"]
        .map(|name| occurrences(&environment, name));
    assert_eq!(counted, [1, 1, 1]);
}

#[test]
fn a_session_that_is_resumed_is_told_of_its_own_crash_even_if_other_ends_cannot_be_reported() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    let crashed = ["A", "Z"].map(|session| Agent::begin(&environment, session).0);
    crashed.into_iter().for_each(Agent::dies);
    let held = Held::lock(&environment, PLAN_LOCK);
    let (_again, _) = Agent::begin(&environment, "Z");
    drop(held);
    assert!(becomes(|| occurrences(&environment, "session_crash") == 2));
}

#[test]
fn a_crash_is_reported_once_even_while_another_plan_is_locked() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    environment.write("plans/260301-0900-y/plan.md", TWO_TASKS);
    environment.ckpt(&["plan", "use", "260301-0900-y"]).exits(0);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.spawns("d", "dev", "do t1");
    environment.ckpt(&["plan", "use", "260220-1149-x"]).exits(0);
    agent.spawns("e", "dev", "do t2");
    agent.dies();
    let held = Held::lock(&environment, ".claude/state/locks/plan-260301-0900-y.lock");
    let (_next, _) = Agent::begin(&environment, "B");
    drop(held);
    assert!(becomes(|| is_over(&environment, "A")));
    assert_eq!(occurrences(&environment, "session_crash"), 1);
    let other = environment.read("plans/260301-0900-y/.checkpoint/history.jsonl");
    assert_eq!(other.matches("\"died\":true").count(), 1, "{other}");
}
