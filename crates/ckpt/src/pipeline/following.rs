//! Creating a pipeline from a specification, and keeping up with changes of it.

use std::collections::HashSet;

use super::change::{Change, split_gate};
use super::gates::Unmet;
use super::lists::{add_all, replace, take_all};
use super::model::{
    COMPLETED, GATES_PASSED, GATES_PENDING, IN_PROGRESS, PENDING, Pipeline, Status,
};
use super::operations::defer_entries;
use super::refusal::Refusal;
use super::spec::Spec;
use crate::document::{Object, Value};
use crate::history::{Event, EventName};
use crate::key::PipelineId;
use crate::operation::{Changed, Stamp};

/// A new pipeline, with the workstreams and gates of its specification.
#[must_use]
pub fn init(id: &PipelineId, spec: &Spec, path: &str, hash: &str, stamp: &Stamp) -> Changed {
    let list = |names: Vec<&str>| Value::Array(names.into_iter().map(Value::from).collect());
    let empty = || Value::Array(Vec::new());
    let workstreams = spec.workstreams.iter().map(|known| known.id.as_str());
    let gates = spec.gates.iter().map(|gate| gate.name.as_str());
    let mut root = Object::new();
    root.set("prd", id.as_str());
    root.set("prd_title", spec.title.as_deref().unwrap_or(id.as_str()));
    root.set("current_phase", 0_u64);
    root.set("status", Status::Initialized.as_str());
    root.set(COMPLETED, empty());
    root.set(IN_PROGRESS, empty());
    root.set(PENDING, list(workstreams.collect()));
    root.set("artifacts", Object::new());
    root.set(GATES_PASSED, empty());
    root.set(GATES_PENDING, list(gates.collect()));
    root.set("timestamp", stamp.now);
    let mut source = Object::new();
    source.set("path", path);
    source.set("hash", hash);
    root.set("execution_spec", source);
    Changed {
        value: Value::Object(root),
        events: vec![Event::new(EventName::PipelineInitialized).with("prd", id.as_str())],
    }
}

/// Adds the workstreams that are in no list.
fn add_workstreams(change: &mut Change<'_>, spec: &Spec) -> Vec<Event> {
    let listed: HashSet<String> = change.listed().collect();
    let ids = spec.workstreams.iter().map(|known| known.id.as_str());
    let new: Vec<&str> = ids.filter(|id| !listed.contains(*id)).collect();
    let entries = new.iter().map(|id| Value::from(*id)).collect();
    add_all(&mut change.root, PENDING, entries);
    let added = |id: &&str| Event::new(EventName::WorkstreamAdded).with("workstream", *id);
    new.iter().map(added).collect()
}

/// Defers workstreams that are no longer in the specification.
fn defer_dropped_workstreams(change: &mut Change<'_>, spec: &Spec) -> Vec<Event> {
    let mut events = Vec::new();
    for list in [COMPLETED, IN_PROGRESS, PENDING] {
        let removed = take_all(&mut change.root, list, |name| {
            spec.workstream(name).is_none()
        });
        let (names, entries): (Vec<String>, Vec<Value>) = removed.into_iter().unzip();
        defer_entries(&mut change.root, entries, "no longer in the specification");
        if list == IN_PROGRESS && !names.is_empty() {
            // Record it as interrupted, so that its owner can still complete it.
            let mut interrupted = change.pipeline().interrupted();
            interrupted.extend(names.iter().cloned());
            change.set_interrupted(&interrupted);
        }
        events.extend(names.into_iter().map(|name| {
            let event = Event::new(EventName::WorkstreamRemoved).with("workstream", name);
            event.with("was", list)
        }));
    }
    events
}

/// Sets the pending gates to those of the specification that have not passed.
pub(super) fn follow_gates(change: &mut Change<'_>, spec: &Spec) {
    let listed = change.pipeline().gates_pending();
    let listed = listed.iter().map(|entry| split_gate(entry).0);
    let mut seen = HashSet::new();
    let listed = listed.filter(|gate| spec.gate(gate).is_some());
    let new = spec.gates.iter().map(|gate| gate.name.as_str());
    let gates = listed.chain(new).filter(|gate| seen.insert(*gate));
    let unmet = Unmet::of(spec, change.pipeline());
    let entries = gates.flat_map(|gate| unmet.entries(gate));
    let entries = entries.map(|entry| Value::from(entry.as_str())).collect();
    replace(&mut change.root, GATES_PENDING, |_| true, entries);
}

/// Syncs with a changed specification. New workstreams become pending, removed ones dormant; nothing is lost.
pub fn sync(
    present: Value,
    id: &PipelineId,
    spec: &Spec,
    path: &str,
    hash: &str,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, Some(spec), stamp)?;
    let mut events = add_workstreams(&mut change, spec);
    events.extend(defer_dropped_workstreams(&mut change, spec));
    follow_gates(&mut change, spec);
    if change.status == Status::InProgress && change.pipeline().names(IN_PROGRESS).is_empty() {
        change.set_status(Status::Paused);
    }
    let source = change.source_mut();
    source.set("path", path);
    source.set("hash", hash);
    events.insert(0, Event::new(EventName::PipelineSynced));
    Ok(change.finish(events))
}

/// Records the specification that was found for a pipeline that names none. Nobody has accepted it yet.
pub fn bind(pipeline: &mut Value, path: &str, hash: &str) {
    let Some(root) = pipeline.as_object_mut() else {
        return;
    };
    if Pipeline::new(root.view()).spec_path().is_none() {
        let source = root.object_mut("execution_spec");
        source.set("path", path);
        source.set("hash", hash);
    }
}
