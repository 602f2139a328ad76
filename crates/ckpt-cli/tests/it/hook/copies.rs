//! Prompts, compaction and the end of a session each make one backup.

use serde_json::{Value, json};

use crate::support::agent::{
    Agent, Held, LOG, PLAN_LOCK, THREE_TASKS, becomes, copies, history, planned, ticked,
};
use crate::support::event::{begin, hook};
use crate::support::tool;

const TEXT: &str = "- [ ] A <!-- TASK: alpha -->\n- [ ] B <!-- TASK: beta -->\n";

#[test]
fn prompts_that_wait_for_the_same_lock_make_one_copy() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    let say = |number: u32| {
        let prompt = json!({"prompt": "x", "prompt_id": format!("p{number}")});
        agent.hook("UserPromptSubmit", &prompt);
    };
    let held = Held::lock(&environment, PLAN_LOCK);
    for number in 1..=7 {
        say(number);
    }
    drop(held);
    // Every event that was handed over is eventually processed and logged.
    let count = |what: &str| environment.read(LOG).matches(what).count();
    let is_done = || {
        let late = count("\"late\":true");
        late > 0 && late == count("\"handed_on\":true")
    };
    assert!(becomes(is_done), "{}", environment.read(LOG));
    assert_eq!(copies(&environment), ["prompts"]);
    for number in 8..=10 {
        say(number);
    }
    assert_eq!(copies(&environment), ["prompts", "prompts"]);
}

#[test]
fn a_compaction_in_a_session_that_was_never_noted_is_noted_once() {
    let environment = planned(TEXT);
    let event = json!({"session_id": "s9", "cwd": environment.path(""), "hook_event_name": "PreCompact", "trigger": "auto"});
    for _ in 0..2 {
        environment
            .ckpt_reading(event.to_string(), &["hook", "claude"])
            .exits(0);
    }
    assert_eq!(copies(&environment), ["pre_compact"]);
    let lines = history(&environment);
    let notes = lines
        .iter()
        .filter(|line| line["event"] == "notes_replaced");
    assert_eq!(notes.count(), 1);
}

#[test]
fn a_compaction_that_is_reported_late_does_not_revive_an_ended_session() {
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    agent.hook("PreCompact", &json!({"trigger": "auto"}));
    let record = environment.read(".claude/state/sessions/s1.json");
    let record: Value = serde_json::from_str(&record).unwrap();
    assert!(record["ended_at"].is_string(), "{record}");
}

#[test]
fn every_fifth_prompt_compaction_and_goodbye_leave_a_copy() {
    let environment = ticked();
    begin(&environment, "s1", std::process::id());
    for number in 1..=11 {
        let prompt = json!({"prompt": "go on", "prompt_id": format!("p{number}")});
        // Two hooks for the same prompt count once.
        hook(&environment, "UserPromptSubmit", &prompt);
        hook(&environment, "UserPromptSubmit", &prompt);
    }
    assert_eq!(copies(&environment), ["prompts", "prompts"]);
    hook(&environment, "PreCompact", &json!({"trigger": "auto"}));
    hook(&environment, "SessionEnd", &json!({"reason": "other"}));
    assert_eq!(
        copies(&environment),
        ["prompts", "prompts", "pre_compact", "session_end"]
    );
    let recovery: Value =
        serde_json::from_str(&environment.read("plans/260220-1149-x/.checkpoint/recovery.json"))
            .unwrap();
    assert_eq!(recovery["reason"], "session_end");
    assert_eq!(recovery["state"]["progress"]["completedTasks"], 1);
    // The end counts once. Prompts after it belong to a new session.
    hook(&environment, "SessionEnd", &json!({"reason": "other"}));
    assert_eq!(copies(&environment).len(), 4);
    for _ in 0..5 {
        hook(&environment, "UserPromptSubmit", &json!({"prompt": "x"}));
    }
    assert_eq!(copies(&environment).len(), 5);
}

#[test]
fn prompts_that_arrive_together_are_all_counted() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    std::thread::scope(|scope| {
        for number in 0..16 {
            let agent = &agent;
            scope.spawn(move || {
                agent.hook(
                    "UserPromptSubmit",
                    &json!({"prompt": "x", "prompt_id": format!("p{number}")}),
                )
            });
        }
    });
    let record = ".claude/state/sessions/s1.json";
    let counted = || {
        let record: Value = serde_json::from_str(&environment.read(record)).unwrap();
        record["prompts"].as_u64().unwrap()
    };
    assert!(becomes(|| counted() == 16), "{}", counted());
}
