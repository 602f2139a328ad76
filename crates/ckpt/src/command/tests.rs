//! Behaviour of command checkpoints.

use proptest::prelude::*;

use super::*;
use crate::document::{Document, Object, Value};
use crate::history::EventName;
use crate::key::CommandKey;
use crate::operation::{Changed, Stamp};
use crate::repository::CommitId;
use crate::standing::Lifecycle;
use crate::time::Timestamp;
use crate::tokens::Limit;

const HEAD: &str = "d36b6b4a1e2f3c4d5e6f7a8b9c0d1e2f3a4b5c6d";

fn key() -> CommandKey {
    CommandKey::parse("implement/auth").unwrap()
}

fn stamp(time: &str) -> Stamp {
    Stamp {
        now: Timestamp::parse(time).unwrap(),
        head: Some(CommitId::parse(HEAD).unwrap()),
    }
}

fn at_ten() -> Stamp {
    stamp("2026-01-29T10:00:00Z")
}

fn at_eleven() -> Stamp {
    stamp("2026-01-29T11:00:00Z")
}

fn value(text: &str) -> Value {
    Document::parse(text).unwrap().value()
}

fn started(phases: &[&str]) -> Value {
    let phases: Vec<String> = phases.iter().map(ToString::to_string).collect();
    start(&key(), Some(&phases), None, &at_ten()).value
}

fn update(data: &str) -> PhaseUpdate {
    let Value::Object(data) = value(data) else {
        panic!("an object");
    };
    PhaseUpdate {
        data,
        ..PhaseUpdate::default()
    }
}

fn changed(present: Value, phase: &str, data: &str) -> Value {
    let update = update(data);
    let changed = update_phase(
        Some(present),
        &key(),
        phase,
        &update,
        &at_eleven(),
        Limit::default(),
    );
    changed.unwrap().value
}

fn state(value: &Value) -> String {
    value
        .as_object()
        .unwrap()
        .get("state")
        .unwrap()
        .to_compact()
}

fn phase(value: &Value, name: &str) -> String {
    let phases = value.as_object().unwrap().get("phases").unwrap();
    phases.as_object().unwrap().get(name).unwrap().to_compact()
}

#[test]
fn a_new_checkpoint_has_the_members_of_the_schema_in_their_order() {
    let Changed { value, events } = start(&key(), None, None, &at_ten());
    assert_eq!(
        value.to_compact(),
        format!(
            r#"{{"command":"implement","feature":"auth","version":1,"head_commit":"{HEAD}","started_at":"2026-01-29T10:00:00.000Z","updated_at":"2026-01-29T10:00:00.000Z","state":{{"current_phase":null,"completed_phases":[],"pending_phases":["implementation","validation"]}},"phases":{{"implementation":{{"status":"pending"}},"validation":{{"status":"pending"}}}}}}"#
        )
    );
    assert_eq!(events[0].name, EventName::CheckpointStarted);
}

#[test]
fn each_of_the_seven_commands_brings_its_phases() {
    let phases = |command| default_phases(command).join(" ");
    assert_eq!(phases("start"), "branch issue-creation");
    assert_eq!(phases("design"), "research planning specs");
    assert_eq!(phases("reconcile"), "analysis reconciliation");
    assert_eq!(phases("research"), "discovery synthesis");
    assert_eq!(phases("implement"), "implementation validation");
    assert_eq!(phases("ship"), "pre-flight commit push");
    assert_eq!(phases("review"), "analysis feedback");
    assert_eq!(phases("something-else"), "");
}

#[test]
fn a_phase_moves_between_the_lists_of_the_state() {
    let first = changed(started(&["a", "b"]), "a", r#"{"status":"in_progress"}"#);
    assert_eq!(
        state(&first),
        r#"{"current_phase":"a","completed_phases":[],"pending_phases":["b"]}"#
    );
    let second = changed(first, "a", r#"{"status":"complete"}"#);
    assert_eq!(
        state(&second),
        r#"{"current_phase":null,"completed_phases":["a"],"pending_phases":["b"]}"#
    );
    let again = changed(second.clone(), "a", r#"{"status":"complete"}"#);
    assert_eq!(state(&again), state(&second));
    let failed = changed(second.clone(), "a", r#"{"status":"failed","error":"x"}"#);
    assert_eq!(
        state(&failed),
        r#"{"current_phase":"a","completed_phases":[],"pending_phases":["b"]}"#
    );
    let skipped = changed(second.clone(), "b", r#"{"status":"skipped"}"#);
    assert_eq!(
        state(&skipped),
        r#"{"current_phase":null,"completed_phases":["a"],"pending_phases":[]}"#
    );
    let reopened = changed(second.clone(), "a", r#"{"status":"in_progress"}"#);
    assert_eq!(
        state(&reopened),
        r#"{"current_phase":"a","completed_phases":[],"pending_phases":["b"]}"#
    );
    let pending = changed(second, "a", r#"{"status":"pending"}"#);
    assert_eq!(
        state(&pending),
        r#"{"current_phase":null,"completed_phases":[],"pending_phases":["b","a"]}"#
    );
}

#[test]
fn another_phase_that_ends_does_not_take_the_current_one_away() {
    let first = changed(started(&["a", "b"]), "a", r#"{"status":"in_progress"}"#);
    let second = changed(first, "b", r#"{"status":"complete"}"#);
    assert_eq!(
        state(&second),
        r#"{"current_phase":"a","completed_phases":["b"],"pending_phases":[]}"#
    );
}

#[test]
fn phase_data_is_merged_key_by_key_and_arrays_are_replaced() {
    let first = changed(
        started(&[]),
        "a",
        r#"{"tasks":{"t1":1,"deep":{"x":1}},"files_created":["a"]}"#,
    );
    let second = changed(
        first,
        "a",
        r#"{"tasks":{"t2":2,"deep":{"y":2}},"files_created":["b"]}"#,
    );
    assert_eq!(
        phase(&second, "a"),
        r#"{"status":"pending","tasks":{"t1":1,"deep":{"x":1,"y":2},"t2":2},"files_created":["b"],"updated_at":"2026-01-29T11:00:00.000Z"}"#
    );
}

#[test]
fn files_that_are_added_are_listed_once() {
    let update = PhaseUpdate {
        created: vec!["a".into(), "b".into()],
        modified: vec!["c".into()],
        ..PhaseUpdate::default()
    };
    let once = update_phase(
        Some(started(&[])),
        &key(),
        "p",
        &update,
        &at_ten(),
        Limit::default(),
    )
    .unwrap();
    let twice = update_phase(
        Some(once.value),
        &key(),
        "p",
        &update,
        &at_ten(),
        Limit::default(),
    )
    .unwrap();
    assert!(
        phase(&twice.value, "p").contains(r#""files_created":["a","b"],"files_modified":["c"]"#)
    );
}

#[test]
fn a_phase_is_started_once() {
    let first = changed(started(&[]), "a", r#"{"status":"pending"}"#);
    assert!(!phase(&first, "a").contains("started_at"));
    let update = update(r#"{"status":"in_progress"}"#);
    let second = update_phase(
        Some(first),
        &key(),
        "a",
        &update,
        &at_ten(),
        Limit::default(),
    )
    .unwrap()
    .value;
    let third = changed(second, "a", r#"{"status":"complete"}"#);
    assert_eq!(
        phase(&third, "a"),
        r#"{"status":"complete","started_at":"2026-01-29T10:00:00.000Z","updated_at":"2026-01-29T11:00:00.000Z"}"#
    );
}

#[test]
fn a_careful_update_refuses_a_phase_that_is_much_like_another() {
    let careful = |present: Value, name: &str| {
        let update = PhaseUpdate {
            naming: Naming::Careful,
            ..PhaseUpdate::to(PhaseStatus::Complete)
        };
        update_phase(
            Some(present),
            &key(),
            name,
            &update,
            &at_ten(),
            Limit::default(),
        )
    };
    let present = || started(&["research", "phase-1"]);
    for name in ["reserch", "rese", "Research"] {
        let refused = careful(present(), name).unwrap_err();
        let near = vec!["research".to_owned()];
        assert!(
            matches!(refused, Refusal::NearPhase { near: found, .. } if found == near),
            "{name}"
        );
    }
    for name in ["research", "phase-2", "deploy"] {
        careful(present(), name).unwrap();
    }
    let free = PhaseUpdate::to(PhaseStatus::Complete);
    update_phase(
        Some(present()),
        &key(),
        "reserch",
        &free,
        &at_ten(),
        Limit::default(),
    )
    .unwrap();
}

#[test]
fn completing_can_be_refused_while_phases_are_open_or_failed() {
    let refuse = |present: Value| {
        complete(
            Some(present),
            &key(),
            Unfinished::Refuse,
            &at_ten(),
            Limit::default(),
        )
    };
    let begun = changed(started(&["a", "b", "c"]), "b", r#"{"status":"failed"}"#);
    assert_eq!(
        refuse(begun.clone()).unwrap_err().to_string(),
        "implement/auth is not done: phase b failed, and phases a, c are open"
    );
    let mut done = begun;
    for (phase, status) in [("a", "complete"), ("b", "skipped"), ("c", "complete")] {
        done = changed(done, phase, &format!(r#"{{"status":"{status}"}}"#));
    }
    assert!(refuse(done).unwrap().is_some());
}

#[test]
fn phases_keep_the_order_of_the_start() {
    let mut value = started(&["a", "b", "c"]);
    for phase in ["c", "a"] {
        value = changed(value, phase, r#"{"status":"complete"}"#);
    }
    assert_eq!(Checkpoint::new(value.view()).phase_names(), ["a", "b", "c"]);
}

#[test]
fn the_task_of_a_phase_ends_when_another_phase_begins() {
    let update = PhaseUpdate {
        task: Some("T1".to_owned()),
        ..PhaseUpdate::to(PhaseStatus::InProgress)
    };
    let value = update_phase(
        Some(started(&["a", "b"])),
        &key(),
        "a",
        &update,
        &at_ten(),
        Limit::default(),
    );
    let value = changed(value.unwrap().value, "b", r#"{"status":"in_progress"}"#);
    assert_eq!(Checkpoint::new(value.view()).current_task(), None);
}

#[test]
fn an_update_after_the_end_reopens_the_checkpoint() {
    let done = complete(
        Some(started(&["a"])),
        &key(),
        Unfinished::Ignore,
        &at_ten(),
        Limit::default(),
    )
    .unwrap()
    .unwrap()
    .value;
    assert_eq!(
        state(&done),
        r#"{"current_phase":null,"completed_phases":[],"pending_phases":[]}"#
    );
    assert_eq!(
        Checkpoint::new(done.view()).lifecycle(),
        Lifecycle::Complete
    );
    let reopened = changed(done, "a", r#"{"status":"in_progress"}"#);
    assert_eq!(
        Checkpoint::new(reopened.view()).lifecycle(),
        Lifecycle::InFlight
    );
    let given_up = abandon(Some(reopened), &key(), "no time", &at_ten())
        .unwrap()
        .value;
    assert_eq!(
        Checkpoint::new(given_up.view()).lifecycle(),
        Lifecycle::Abandoned
    );
    let reopened = changed(given_up, "a", r#"{"status":"in_progress"}"#);
    assert_eq!(
        Checkpoint::new(reopened.view()).lifecycle(),
        Lifecycle::InFlight
    );
    assert!(!reopened.to_compact().contains("abandon"));
}

#[test]
fn a_summary_over_the_limit_is_refused_in_the_words_of_the_format() {
    let long = "word ".repeat(501);
    let data = update(&format!(r#"{{"context_summary":"{long}"}}"#));
    let refused =
        update_phase(None, &key(), "build", &data, &at_ten(), Limit::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Phase \"build\" Context summary exceeds 500 token limit (actual: 501 tokens)"
    );
    let whole = value(&format!(
        r#"{{"version":1,"state":{{"context_summary":"{long}"}},"phases":{{}}}}"#
    ));
    let refused = save(None, &key(), whole, None, &at_ten(), Limit::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Context summary exceeds 500 token limit (actual: 501 tokens)"
    );
}

#[test]
fn other_versions_are_neither_changed_nor_saved() {
    for (version, shown) in [("2", "2"), ("\"1\"", "1"), ("null", "null")] {
        let text = format!(r#"{{"version":{version},"state":{{}},"phases":{{}}}}"#);
        let refused = complete(
            Some(value(&text)),
            &key(),
            Unfinished::Ignore,
            &at_ten(),
            Limit::default(),
        )
        .unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("Unsupported checkpoint schema version: {shown} (expected 1)")
        );
        let refused = save(
            None,
            &key(),
            value(&text),
            None,
            &at_ten(),
            Limit::default(),
        )
        .unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("Cannot save checkpoint with unsupported schema version: {shown} (expected 1)")
        );
    }
    let refused = save(None, &key(), value("{}"), None, &at_ten(), Limit::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Cannot save checkpoint with unsupported schema version: undefined (expected 1)"
    );
    let refused = complete(
        None,
        &key(),
        Unfinished::Ignore,
        &at_ten(),
        Limit::default(),
    )
    .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Cannot complete checkpoint: no checkpoint found"
    );
}

#[test]
fn a_document_of_another_feature_is_not_touched() {
    let theirs =
        value(r#"{"command":"implement","feature":"a/b","version":1,"state":{},"phases":{}}"#);
    let key = CommandKey::parse("implement/a-b").unwrap();
    let refused = complete(
        Some(theirs),
        &key,
        Unfinished::Ignore,
        &at_ten(),
        Limit::default(),
    )
    .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "implement-a-b belongs to implement/a/b, not to implement/a-b: both names give the same file name"
    );
    let absent = value(r#"{"command":"implement","version":1,"state":{},"phases":{}}"#);
    complete(
        Some(absent),
        &key,
        Unfinished::Ignore,
        &at_ten(),
        Limit::default(),
    )
    .unwrap()
    .unwrap();
}

#[test]
fn one_file_name_for_two_keys_belongs_to_the_key_that_the_document_names() {
    let of = |feature: &str| {
        value(&format!(
            r#"{{"command":"ship","feature":{feature},"version":1,"state":{{}},"phases":{{}}}}"#
        ))
    };
    let (bare, named) = (
        CommandKey::parse("ship").unwrap(),
        CommandKey::parse("ship/checkpoint").unwrap(),
    );
    check_ownership(&of("null"), &bare).unwrap();
    check_ownership(&of("null"), &named).unwrap_err();
    check_ownership(&of("\"checkpoint\""), &named).unwrap();
    check_ownership(&of("\"checkpoint\""), &bare).unwrap_err();
    // Its key has no feature, but the document does.
    check_ownership(&of("\"auth\""), &bare).unwrap();
    let refused = save(None, &key(), of("null"), None, &at_ten(), Limit::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the document belongs to ship, not to implement/auth"
    );
}

#[test]
fn a_value_in_place_of_an_object_is_not_overwritten() {
    for (member, found) in [("phases", "[1]"), ("state", "\"x\"")] {
        let mut root = started(&["a"]);
        root.as_object_mut().unwrap().set(member, value(found));
        let refused = update_phase(
            Some(root),
            &key(),
            "a",
            &update("{}"),
            &at_ten(),
            Limit::default(),
        );
        assert!(
            matches!(refused.unwrap_err(), Refusal::NotMergeable { .. }),
            "{member}"
        );
    }
    let mut root = started(&["a"]);
    root.as_object_mut()
        .unwrap()
        .object_mut("phases")
        .set("a", "done");
    let refused = update_phase(
        Some(root),
        &key(),
        "a",
        &update("{}"),
        &at_ten(),
        Limit::default(),
    )
    .unwrap_err();
    assert_eq!(refused.to_string(), "/phases/a is a string, not an object");
}

#[test]
fn a_null_time_of_completion_is_none() {
    let mut root = started(&["a"]);
    root.as_object_mut()
        .unwrap()
        .set("completed_at", Value::Null);
    let update = update(r#"{"status":"in_progress"}"#);
    let changed = update_phase(
        Some(root),
        &key(),
        "a",
        &update,
        &at_ten(),
        Limit::default(),
    )
    .unwrap();
    assert_eq!(changed.events.len(), 1);
    complete(
        Some(changed.value),
        &key(),
        Unfinished::Ignore,
        &at_ten(),
        Limit::default(),
    )
    .unwrap()
    .unwrap();
}

#[test]
fn a_save_keeps_what_others_changed_since_the_base() {
    let base = started(&["a", "b"]);
    let theirs = changed(
        base.clone(),
        "a",
        r#"{"status":"complete","context_summary":"theirs"}"#,
    );
    let mut mine = base.clone();
    mine.as_object_mut().unwrap().set("note", "mine");
    let saved = save(
        Some(theirs.clone()),
        &key(),
        mine,
        Some(&base),
        &at_ten(),
        Limit::default(),
    )
    .unwrap()
    .value;
    assert!(phase(&saved, "a").contains("theirs"));
    assert_eq!(saved.as_object().unwrap().get("note"), Some(&"mine".into()));

    let mut mine = base.clone();
    let root = mine.as_object_mut().unwrap();
    root.object_mut("state").set("completed_phases", vec!["b"]);
    let refused = save(
        Some(theirs),
        &key(),
        mine,
        Some(&base),
        &at_ten(),
        Limit::default(),
    )
    .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Checkpoint changed since it was loaded"
    );
    let Refusal::Conflict(conflicts) = refused else {
        panic!("a conflict");
    };
    assert_eq!(conflicts[0].pointer.to_string(), "/state/completed_phases");
}

#[test]
fn the_resume_point_is_the_current_phase_and_the_last_completed_summary() {
    let first = changed(
        started(&["a", "b"]),
        "a",
        r#"{"status":"complete","context_summary":"sum"}"#,
    );
    let second = changed(first, "b", r#"{"status":"in_progress"}"#);
    let point = |value: &Value| {
        let document = Document::from_value(value).unwrap();
        Checkpoint::new(document.root()).resume_point()
    };
    assert_eq!(
        point(&second),
        ResumePoint {
            phase: Some("b".into()),
            summary: Some("sum".into())
        }
    );
    let done = complete(
        Some(second),
        &key(),
        Unfinished::Ignore,
        &at_ten(),
        Limit::default(),
    )
    .unwrap()
    .unwrap()
    .value;
    assert_eq!(point(&done), ResumePoint::default());
}

#[test]
fn broken_rules_are_found_with_their_place() {
    let document = Document::parse(
        r#"{
  "command": 7,
  "version": "1",
  "started_at": "yesterday",
  "updated_at": "2026-01-29T10:30:00Z",
  "state": {"current_phase": 1, "completed_phases": ["a", "a"], "pending_phases": [2]},
  "phases": {"x": {"status": "done"}, "y": []},
  "gate": {}
}"#,
    )
    .unwrap();
    let findings: Vec<String> = judge(&document, Limit::default())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        findings,
        [
            "warning[command.member] line 2, /command: \"command\" must be a string, not 7",
            "error[command.version] line 3, /version: \"version\" must be the number 1, not \"1\"",
            "warning[command.time] line 4, /started_at: \"started_at\" is not an ISO 8601 time: \"yesterday\"",
            "error[command.state] line 6, /state/current_phase: \"current_phase\" must be a string or null",
            "warning[command.phase-listed-twice] line 6, /state/completed_phases/1: phase \"a\" is listed twice",
            "error[command.state] line 6, /state/pending_phases: \"pending_phases\" must be an array of strings (/state/pending_phases/0: expected a string, found a number)",
            "error[command.phase-status] line 7, /phases/x/status: the status of phase \"x\" must be pending, in_progress, complete, failed or skipped, not \"done\"",
            "error[command.phases] line 7, /phases/y: phase \"y\" must be an object",
            "warning[command.gate] line 8, /gate: \"ship_allowed\" is missing: it must be true or false",
            "warning[command.gate] line 8, /gate: \"blockers\" is missing: it must be an array of strings",
        ]
    );
}

fn any_update() -> impl Strategy<Value = (String, PhaseUpdate)> {
    let status = prop::sample::select(PhaseStatus::ALL.to_vec());
    (
        "[abc]",
        prop::option::of(status),
        prop::option::of("[a-z ]{0,20}"),
    )
        .prop_map(|(phase, status, summary)| {
            let mut data = Object::new();
            if let Some(status) = status {
                data.set("status", status.as_str());
            }
            if let Some(summary) = summary {
                data.set("context_summary", summary);
            }
            let update = PhaseUpdate {
                data,
                ..PhaseUpdate::default()
            };
            (phase, update)
        })
}

proptest! {
    /// The lists of the state always agree with the statuses of the phases, after any updates.
    #[test]
    fn after_any_updates_no_rule_is_broken_and_the_lists_agree_with_the_phases(
        updates in prop::collection::vec(any_update(), 1..20),
    ) {
        let mut present = None;
        for (phase, update) in updates {
            let changed = update_phase(present, &key(), &phase, &update, &at_ten(), Limit::default()).unwrap();
            present = Some(changed.value);
        }
        let document = Document::from_value(&present.unwrap()).unwrap();
        prop_assert_eq!(judge(&document, Limit::default()), Vec::new());
        let checkpoint = Checkpoint::new(document.root());
        for (name, phase) in checkpoint.phases() {
            let status = phase.status().unwrap();
            prop_assert_eq!(
                checkpoint.completed_phases().contains(&name),
                status == PhaseStatus::Complete
            );
            if checkpoint.pending_phases().contains(&name) {
                prop_assert_eq!(status, PhaseStatus::Pending);
            }
            if checkpoint.current_phase() == Some(name) {
                prop_assert!(matches!(status, PhaseStatus::InProgress | PhaseStatus::Failed));
            }
        }
    }
}
