//! Plans whose Markdown is back at earlier content, as after switching branches.

use std::collections::HashSet;

use super::outline::{Entry, Outline, UNNAMED_PHASE};
use super::state::{Records, decision, member};
use crate::document::{Object, Value};

/// What to do with tasks that are no longer in the Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vanished {
    /// Forget them: they went with the content that is gone.
    Forget,
    /// Keep them: they may have been lost by accident.
    Keep,
}

/// The current state, with the records from the time when one of the files had its current content: times and authors
/// of the items in that file are restored. Everything that is not about the Markdown is kept.
#[must_use]
pub fn as_recorded(
    present: &Object,
    then: &Object,
    outline: &Outline,
    is_back: impl Fn(usize) -> bool,
    vanished: Vanished,
) -> Object {
    let (now, before) = (Records::of(present), Records::of(then));
    let is_back = |entry: &Entry| is_back(entry.source);
    let phases = outline.phases.iter().map(|phase| {
        let pick = |back: bool| {
            if back {
                (then, &before)
            } else {
                (present, &now)
            }
        };
        let (times, _) = pick(phase.tasks.iter().chain(&phase.acceptance).all(is_back));
        let recorded = member(times, "phases").and_then(|phases| member(phases, &phase.id));
        let mut record = recorded.cloned().unwrap_or_default();
        let tasks = phase.tasks.iter().filter_map(|task| {
            let (_, records) = pick(is_back(task));
            entry(&task.id, records.tasks.get(task.id.as_str()))
        });
        record.set("tasks", Object::from_unique(tasks));
        let acceptance = phase.acceptance.iter().filter_map(|criterion| {
            let (_, records) = pick(is_back(criterion));
            entry(&criterion.id, records.acceptance.get(criterion.id.as_str()))
        });
        record.set("acceptance", Object::from_unique(acceptance));
        (phase.id.as_str(), Value::Object(record))
    });
    let mut phases = Object::from_unique(phases);
    if vanished == Vanished::Keep {
        keep_vanished(&now, outline, &mut phases);
    }
    let mut state = present.clone();
    state.set("phases", phases);
    let blockers = outline.blockers.iter().map(String::as_str);
    state.set("blockers", blockers.collect::<Vec<_>>());
    state.set("decisions", Value::Array(decisions(present, then, outline)));
    state
}

/// Adds the records of tasks that are nowhere in the Markdown.
fn keep_vanished(records: &Records<'_>, outline: &Outline, phases: &mut Object) {
    let present: HashSet<&str> = outline.tasks().map(|(_, task)| task.id.as_str()).collect();
    for (id, record) in &records.tasks {
        if !present.contains(id) {
            let phase = phases.object_mut(UNNAMED_PHASE);
            phase.object_mut("tasks").set(id, (*record).clone());
        }
    }
}

fn entry<'i>(id: &'i str, record: Option<&&Object>) -> Option<(&'i str, Value)> {
    record.map(|record| (id, Value::Object((*record).clone())))
}

/// The current decisions, and the earlier ones that are in the plan again.
fn decisions(present: &Object, then: &Object, outline: &Outline) -> Vec<Value> {
    let list = |state: &Object| -> Vec<Value> {
        let list = state.get("decisions").and_then(Value::as_array);
        list.unwrap_or_default().to_vec()
    };
    let standing: HashSet<&str> = outline.decisions.iter().map(String::as_str).collect();
    let mut all = list(present);
    let mut known: HashSet<String> = all.iter().filter_map(decision).map(str::to_owned).collect();
    for old in list(then) {
        let text = decision(&old).filter(|text| standing.contains(text));
        if text.is_some_and(|text| known.insert(text.to_owned())) {
            all.push(old);
        }
    }
    all
}
