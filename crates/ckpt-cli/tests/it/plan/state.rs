//! The members of `state.json`, members of the wrong type, and states of a newer version.

use crate::support::planned::{HALF_DONE, ID, Planned, STATE, TEXT};

#[test]
fn the_state_has_the_members_of_the_format() {
    let environment = Planned::new(HALF_DONE);
    let run = environment
        .ckpt(&["plan", "done", "schema", "--by", "subagent:db"])
        .exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let state = environment.read("plans/260220-1149-login/.checkpoint/state.json");
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    let members: Vec<&String> = state.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "version",
            "planId",
            "planPath",
            "lastCheckpoint",
            "checksum",
            "progress",
            "phases",
            "currentPhase",
            "currentTask",
            "blockers",
            "decisions",
            "sessionNotes",
            "agents",
            "phaseFiles",
        ]
    );
    assert_eq!(state["progress"]["percentage"], serde_json::json!(66.7));
    assert_eq!(state["phases"]["setup"]["status"], "completed");
    assert_eq!(
        state["phases"]["setup"]["tasks"]["schema"]["completedBy"],
        "subagent:db"
    );
    assert_eq!(state["currentTask"], "form");
}

#[test]
fn a_state_with_members_of_the_wrong_type_stops_no_command() {
    let wrong = [
        r#"{ "version": 2, "phases": [], "agents": 5, "decisions": {}, "blockers": null }"#,
        r#"{ "version": 2, "phases": { "setup": 1 }, "agents": { "x": [] }, "decisions": [1, "x"] }"#,
        r#"{ "version": 2, "phases": { "setup": { "tasks": [], "acceptance": 1 } }, "sessionNotes": {} }"#,
        r#"{ "version": 2, "phases": { "setup": { "tasks": { "schema": { "done": "yes" } } } }, "lastCheckpoint": 7 }"#,
        r#"{ "version": 2, "agents": { "x": { "assignedTasks": "schema", "lastActive": "never" } } }"#,
    ];
    for document in wrong {
        let planned = Planned::new(TEXT);
        planned.put(STATE, document);
        for (name, run) in planned.readers() {
            run.assert_no_panic(&name);
            assert_ne!(run.code, Some(1), "{document}, {name}: {run}");
        }
        planned.does(&["done", "schema"]);
        assert_eq!(planned.task("setup", "schema")["done"], true, "{document}");
    }
}

/// A plan whose state was written by a newer version.
fn of_a_newer_version() -> Planned {
    let planned = Planned::worked();
    let newer = planned
        .text(STATE)
        .replacen("\"version\": 2", "\"version\": 3", 1);
    planned.put(STATE, &newer);
    planned
}

#[test]
fn a_state_of_a_newer_version_is_never_written_over() {
    let planned = of_a_newer_version();
    let newer = planned.text(STATE);
    let markdown = planned.markdown();
    let run = planned.plan(&["done", "roles", "--plan", ID]).exits(4);
    assert!(run.reason().contains("version: 3 (expected 2)"), "{run}");
    assert_eq!(planned.text(STATE), newer);
    assert_eq!(planned.markdown(), markdown);
}

/// A command that names no plan must say why the only one is not used.
#[test]
fn a_plan_whose_state_has_a_newer_version_is_not_skipped_silently() {
    let planned = of_a_newer_version();
    let run = planned.plan(&["done", "roles"]);
    assert_ne!(run.code, Some(0), "{run}");
    assert!(run.stderr.contains("version: 3 (expected 2)"), "{run}");
}
