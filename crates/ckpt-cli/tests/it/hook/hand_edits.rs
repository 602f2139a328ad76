//! Checkpoints that an agent writes by hand are validated.

use crate::support::agent::{Agent, STATE, THREE_TASKS, context, planned, state};

#[test]
fn checkpoints_written_by_hand_are_recorded_and_validated() {
    let environment = planned(THREE_TASKS);
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build,test"])
        .exits(0);
    let (agent, _) = Agent::begin(&environment, "s1");
    let file = ".claude/state/implement-auth.json";
    let text = environment.read(file);
    let broken_rule = text.replacen("\"status\": \"pending\"", "\"status\": \"shiny\"", 1);
    assert_ne!(broken_rule, text);
    let told = context(&agent.writes(file, &broken_rule));
    assert!(
        told.starts_with("implement/auth was edited by hand. Problems found:\n"),
        "{told}"
    );
    assert!(told.contains("shiny"), "{told}");
    let log = environment.ckpt(&["log", "implement/auth"]).exits(0).stdout;
    assert!(log.contains("edited by another program"), "{log}");
    assert_eq!(agent.writes(file, &text).stdout, "", "nothing to say");
    let told = context(&agent.writes(file, "{ broken"));
    assert!(
        told.contains("implement-auth.json is no longer valid JSON: \"line 1, column 3"),
        "{told}"
    );
    assert_eq!(environment.read(file), "{ broken", "hooks restore nothing");
    assert_eq!(
        agent
            .writes(".claude/state/loop-state.json", "{\"a\": 1}")
            .stdout,
        ""
    );
    assert_eq!(agent.writes("src/a.json", "{ broken").stdout, "");
}

#[test]
fn a_state_written_by_hand_is_validated_and_other_files_are_left_alone() {
    let environment = planned(THREE_TASKS);
    environment.write(
        "plans/q3-roadmap/plan.md",
        "# Some thoughts\n\nNothing to tick.\n",
    );
    let (agent, _) = Agent::begin(&environment, "s1");
    assert!(!environment.path("plans/q3-roadmap/.checkpoint").exists());
    let broken = environment
        .read(STATE)
        .replace("\"completedTasks\": 0", "\"completedTasks\": \"many\"");
    let told = context(&agent.writes(STATE, &broken));
    assert!(
        told.starts_with("state.json of 260220-1149-x was edited by hand. Problems found:"),
        "{told}"
    );
    let told = context(&agent.writes(STATE, "{ broken"));
    assert!(told.contains("is no longer valid JSON"), "{told}");
    assert_eq!(
        state(&environment)["progress"]["totalTasks"],
        3,
        "it was brought back"
    );
}
