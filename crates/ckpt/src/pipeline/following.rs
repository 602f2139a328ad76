//! Following a specification: from its first reading on.

use super::change::{Change, split_gate};
use super::lists::{add, has, is_empty, names, take};
use super::model::{COMPLETED, GATES_PASSED, GATES_PENDING, IN_PROGRESS, PENDING, Status};
use super::operations::put_off;
use super::refusal::Refusal;
use super::spec::Spec;
use crate::document::{Object, Value};
use crate::history::Event;
use crate::operation::{Changed, Stamp};

/// A new pipeline. The specification gives its workstreams and gates.
#[must_use]
pub fn init(id: &str, spec: &Spec, path: &str, hash: &str, stamp: &Stamp) -> Changed {
    let list = |names: Vec<&str>| Value::Array(names.into_iter().map(Value::from).collect());
    let empty = || Value::Array(Vec::new());
    let workstreams = spec.workstreams.iter().map(|known| known.id.as_str());
    let gates = spec.gates.iter().map(|gate| gate.name.as_str());
    let mut root = Object::new();
    root.set("prd", id);
    root.set("prd_title", spec.title.as_deref().unwrap_or(id));
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
        events: vec![Event::new("pipeline_initialized").with("prd", id)],
    }
}

/// Takes over what changed in the specification. New workstreams are pending, removed ones become
/// dormant; nothing vanishes.
pub fn sync(
    present: Value,
    id: &str,
    spec: &Spec,
    path: &str,
    hash: &str,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, Some(spec), stamp)?;
    let mut events = Vec::new();
    for workstream in &spec.workstreams {
        if change.place(&workstream.id).is_err() {
            add(&mut change.root, PENDING, workstream.id.as_str().into());
            events.push(Event::new("workstream_added").with("workstream", workstream.id.as_str()));
        }
    }
    for list in [COMPLETED, IN_PROGRESS, PENDING] {
        for name in names(&change.root, list) {
            if spec.workstream(&name).is_none() {
                let entry = take(&mut change.root, list, &name);
                let entry = entry.unwrap_or_else(|| name.as_str().into());
                put_off(&mut change.root, entry, "no longer in the specification");
                if list == IN_PROGRESS {
                    // Whoever works on it is not refused in the end.
                    let mut interrupted = change.interrupted();
                    interrupted.push(name.clone());
                    change.set_interrupted(&interrupted);
                }
                let event = Event::new("workstream_removed").with("workstream", name.as_str());
                events.push(event.with("was", list));
            }
        }
    }
    let passed = names(&change.root, GATES_PASSED);
    for gate in &spec.gates {
        let known = has(&change.root, GATES_PENDING, &gate.name)
            || passed.iter().any(|entry| split_gate(entry).0 == gate.name);
        if !known {
            add(&mut change.root, GATES_PENDING, gate.name.as_str().into());
        }
    }
    for name in names(&change.root, GATES_PENDING) {
        if spec.gate(&name).is_none() {
            take(&mut change.root, GATES_PENDING, &name);
        }
    }
    if change.status == Status::InProgress && is_empty(&change.root, IN_PROGRESS) {
        change.set_status(Status::Paused);
    }
    let source = change.source_mut();
    source.set("path", path);
    source.set("hash", hash);
    events.insert(0, Event::new("pipeline_synced"));
    Ok(change.finish(events))
}
