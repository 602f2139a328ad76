//! What a checkpoint must be after an earlier revision was brought back.

use std::collections::{BTreeMap, BTreeSet};

use super::Files;
use crate::document::{Document, Object, Value};
use crate::key::Key;
use crate::pipeline::{Pipeline, Status};
use crate::plan::{ItemKind, Outline};

/// The document then, before it was restored, and after.
type States = [Object; 3];

/// Compares what is there now with what was there then, and with what was there before.
pub(super) fn check(key: &Key, then: &Files, before: &Files, after: &Files) {
    let mut states = [then, before, after].map(state);
    if before == after {
        // Where only the times of saves differ, nothing is written.
        states = states.each_ref().map(without_times);
    }
    match key {
        Key::Command(_) => check_members(&states, &["gate", "receipts", "agents"], &[]),
        Key::Pipeline(_) => check_pipeline(&states),
        Key::Plan(_) => return check_plan(&states, [&before[0].1, &after[0].1]),
    }
    // Values that are as they were then are spelled as they were then.
    let [was, _, is] = states.each_ref().map(members);
    assert!(was != is || after == before || after == then, "{after:?}");
}

fn state(files: &Files) -> Object {
    let (_, text) = files.last().expect("there is one");
    let document = Document::parse(text.clone()).expect("it is JSON");
    document.value().into_object().expect("it is an object")
}

fn without_times(state: &Object) -> Object {
    let members = state.iter();
    let members = members.filter(|(name, _)| !["timestamp", "updated_at"].contains(name));
    members
        .map(|(name, value)| match value {
            Value::Object(object) => (name.to_owned(), without_times(object).into()),
            value => (name.to_owned(), value.clone()),
        })
        .collect()
}

/// The members of a document, as texts.
fn members(state: &Object) -> BTreeMap<&str, String> {
    let members = state.iter();
    members
        .map(|(name, value)| (name, value.to_compact()))
        .collect()
}

/// Each member is as it was then. Only what stays, and whatever is sealed, is as it was before. Those apart are judged by
/// themselves.
fn check_members(states: &States, staying: &[&str], apart: &[&str]) {
    let all = states.each_ref().map(members);
    let names: BTreeSet<&str> = all.iter().flat_map(BTreeMap::keys).copied().collect();
    let [then, before, after] = &all;
    for name in names.into_iter().filter(|name| !apart.contains(name)) {
        let is_sealed = |state: &BTreeMap<&str, String>| {
            let member = state.get(name);
            member.is_some_and(|member| member.contains("\"seal\":"))
        };
        let expected = match staying.contains(&name) || is_sealed(then) || is_sealed(before) {
            true => before.get(name),
            false => then.get(name),
        };
        assert_eq!(after.get(name), expected, "{name}: {all:#?}");
    }
}

/// No gate passes by going back, and none that had passed then too is lost.
fn check_pipeline(states: &States) {
    let pipelines = states.each_ref().map(|state| Pipeline::new(state.view()));
    let [then, before, after] = pipelines.map(|pipeline| {
        let gates: BTreeSet<String> = pipeline.gates_passed().into_iter().collect();
        (pipeline.status(), gates)
    });
    assert!(after.1.is_subset(&before.1), "{states:?}");
    assert!(
        then.1
            .intersection(&before.1)
            .all(|gate| after.1.contains(gate)),
        "{states:?}"
    );
    let mut apart = vec!["gates_passed", "gates_pending", "current_phase", SPEC];
    if then.0 == Status::InProgress && before.0 == Status::Paused {
        assert!(matches!(after.0, Status::InProgress | Status::Paused));
        apart.push("status");
    }
    let mut staying = vec!["adversarial_review", "receipts"];
    if before.0 == Status::Failed {
        staying.extend(["error", "aborted_at"]);
    }
    check_members(states, &staying, &apart);
    let [_, was, is] = states.each_ref().map(specification);
    assert_eq!(was, is);
}

const SPEC: &str = "execution_spec";

/// What was accepted of the specification, without the workstreams that were running when something went wrong.
fn specification(state: &Object) -> Option<Object> {
    let mut accepted = state.get(SPEC).cloned()?.into_object()?;
    accepted.remove("interrupted");
    Some(accepted)
}

/// Boxes are ticked as they were then, but for those that are new since. All texts stay.
fn check_plan(states: &States, texts: [&str; 2]) {
    let [then, _, after] = states;
    let [was, is] = texts.map(boxes);
    assert_eq!(was.len(), is.len(), "{texts:#?}");
    let outline = Outline::of_state(then);
    let kinds = [ItemKind::Task, ItemKind::Acceptance];
    let earlier: BTreeMap<&str, bool> = kinds
        .into_iter()
        .flat_map(|kind| outline.entries(kind))
        .map(|(id, entry)| (id, entry.done))
        .collect();
    for ((text, id, was_done), (text_now, _, is_done)) in was.iter().zip(&is) {
        assert_eq!(text, text_now);
        let expected = earlier.get(id).unwrap_or(was_done);
        assert_eq!(expected, is_done, "{id} in {texts:#?}");
    }
    let member = |state: &Object, name: &str| state.get(name).map(Value::to_compact);
    assert_eq!(member(after, NOTES), member(then, NOTES));
    let decisions = member(after, "decisions").unwrap_or_default();
    let recorded = then.get("decisions").and_then(Value::as_array);
    for decision in recorded.unwrap_or_default() {
        let decision = decision.to_compact();
        let is_there = decisions.contains(&decision) || !decision.contains("\"by\":");
        assert!(is_there, "{decision} in {decisions}");
    }
}

const NOTES: &str = "sessionNotes";

/// The lines of a plan without their boxes: the text, the id of a task or criterion, and whether it is ticked.
fn boxes(text: &str) -> Vec<(String, &str, bool)> {
    let lines = text.lines().map(|line| {
        let is_done = line.starts_with("- [x]");
        let marked = line.split_once("<!-- TASK: ");
        let marked = marked.or_else(|| line.split_once("<!-- ACCEPT: "));
        let id = marked.map_or("", |(_, rest)| rest.trim_end_matches(" -->"));
        (line.replacen("- [x]", "- [ ]", 1), id, is_done)
    });
    lines.collect()
}
