//! When a copy of the state is made.

use serde_json::Value;

use crate::support::planned::{Planned, RECOVERY, TEXT, work_of};

/// The copy, which must have all its members.
#[track_caller]
fn copy(planned: &Planned, when: &str) -> Value {
    let copy: Value = serde_json::from_str(&planned.text(RECOVERY)).unwrap();
    let members: Vec<&String> = copy.as_object().unwrap().keys().collect();
    assert_eq!(members[..2], ["savedAt", "reason"], "{when}");
    assert!(copy["savedAt"].as_str().unwrap().ends_with('Z'), "{when}");
    assert!(copy["reason"].is_string(), "{when}");
    assert!(copy.get("rev").is_some(), "{when}");
    let members =
        |state: &Value| -> Vec<String> { state.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(copy["state"]["version"], 2, "{when}");
    assert_eq!(
        members(&copy["state"]),
        members(&planned.stored()),
        "{when}"
    );
    copy
}

#[test]
fn a_copy_is_made_within_every_five_changes() {
    let planned = Planned::new(TEXT);
    let mut states = Vec::new();
    for number in 1..=17 {
        planned.does(&["note", &format!("note {number}")]);
        states.push(planned.work());
        if number < 5 {
            continue;
        }
        let state = copy(&planned, &format!("after change {number}"))["state"].clone();
        let state = work_of(state);
        // The state before the change counts too: the copy is written ahead of it.
        let recent = &states[states.len().saturating_sub(6)..];
        assert!(
            recent.contains(&state),
            "the copy is older than five changes after change {number}: {state}"
        );
    }
}

#[test]
fn a_claim_for_a_sub_agent_makes_a_copy_first() {
    let planned = Planned::new(TEXT);
    planned.does(&["done", "schema"]);
    let before = planned.stored();
    planned.does(&["claim", "form", "--by", "subagent:ui"]);
    let copy = copy(&planned, "after the claim");
    assert_eq!(copy["reason"], "pre_subagent_spawn");
    assert_eq!(copy["state"], before);
}
