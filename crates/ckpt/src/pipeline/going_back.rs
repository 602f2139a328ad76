//! Going back to an earlier state of a pipeline.
//!
//! Workstreams, artifacts, notes, the phase and the status come back. Whatever decides if work may go on stays as it is
//! now: receipts, reviews, the specification, and the gates that have passed. A gate goes back to pending with its
//! workstream, and none passes because of it, so going back only ever takes power away. A failure is left behind only where the
//! repair is on record, and nothing but that was taken back since. The way there and back again leads to
//! the same bytes, except that such a gate is pending, and that a pipeline which waits for an approval still waits.

use std::borrow::Cow;
use std::collections::HashSet;

use super::change::{Change, split_gate};
use super::following::follow_gates;
use super::gates::requirements;
use super::lists::{add, take};
use super::model::{
    ABORTED_AT, Bucket, GATES_PASSED, GATES_PENDING, IN_PROGRESS, Pipeline, Status, entry_name,
};
use super::refusal::Refusal;
use super::spec::Spec;
use crate::document::{Object, Value, View};
use crate::key::PipelineId;
use crate::operation::{Refusal as Shared, Stamp};
use crate::seal::has_seal;

/// Members that stay as they are now, sealed or not.
pub const STAYING: [&str; 4] = ["adversarial_review", "execution_spec", "receipts", "agents"];

/// Members that stay while the pipeline has failed.
const OF_A_FAILURE: [&str; 2] = ["error", ABORTED_AT];

/// Whether going back may leave a failure behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// It may not: only whoever has repaired the pipeline may say so.
    Missing,
    /// It may: somebody had repaired the pipeline, and nothing has happened since but that this was taken back.
    Recorded,
}

/// The next tree: an earlier one, with what must not come back as it is now.
pub fn brought_back(
    then: &Value,
    present: &Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    stamp: &Stamp,
    repair: Repair,
) -> Result<Value, Refusal> {
    let (Value::Object(then), Value::Object(present)) = (then, present) else {
        return Err(Shared::NotAnObject.into());
    };
    let (earlier, current) = (Pipeline::new(then.view()), Pipeline::new(present.view()));
    let stays_failed = current.status() == Status::Failed && repair == Repair::Missing;
    if stays_failed {
        check_failure(id, earlier, current)?;
    }
    let next = with_staying(then, present, stays_failed);
    let mut change = Change::of(Value::Object(next), id, spec, stamp)?;
    change.set_interrupted(&earlier.interrupted());
    check_review(&change, id, current)?;
    if current.status() == Status::Paused
        && change.status == Status::InProgress
        && change.pipeline().buckets() == current.buckets()
    {
        // A gate has paused it.
        change.set_status(Status::Paused);
    }
    bring_gates(&mut change, then, present);
    Ok(Value::Object(change.root))
}

/// A tree from which changes were taken out: its status, its gates and its phase fit its workstreams again.
pub fn fitted(
    tree: Value,
    present: &Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    stamp: &Stamp,
) -> Result<Value, Refusal> {
    let Value::Object(present) = present else {
        return Err(Shared::NotAnObject.into());
    };
    let current = Pipeline::new(present.view());
    let mut change = Change::of(tree, id, spec, stamp)?;
    let lost = lost_gates(&change, current);
    set_pending(&mut change, &lost);
    let buckets = change.pipeline().buckets();
    match (&change.status, buckets.in_progress.is_empty()) {
        (Status::Initialized | Status::Paused, false) => change.set_status(Status::InProgress),
        (Status::InProgress, true) if buckets.completed.is_empty() => {
            change.set_status(Status::Initialized);
        }
        _ => {}
    }
    if let Some(spec) = spec {
        follow_gates(&mut change, spec);
    }
    change.count_phases();
    Ok(Value::Object(change.root))
}

/// A workstream that was begun, and one that it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence {
    /// The workstream.
    pub workstream: String,
    /// What it depends on.
    pub on: String,
}

/// The first workstream that would go on although one that it depends on would no longer be done.
#[must_use]
pub fn stranded(next: &Value, present: &Value, spec: &Spec) -> Option<Dependence> {
    let (Value::Object(next), Value::Object(present)) = (next, present) else {
        return None;
    };
    let (next, current) = (Pipeline::new(next.view()), Pipeline::new(present.view()));
    let (done, then) = (current.buckets().completed, next.buckets());
    let lost: HashSet<&str> = done
        .iter()
        .filter(|name| !then.completed.contains(name))
        .map(String::as_str)
        .collect();
    let begun = then.completed.iter().chain(&then.in_progress);
    let begun: HashSet<&str> = begun.map(String::as_str).collect();
    let mut begun = spec
        .workstreams
        .iter()
        .filter(|known| begun.contains(known.id.as_str()));
    begun.find_map(|known| {
        let mut names = known.depends_on.iter().map(|on| on.name.as_str());
        Some(Dependence {
            on: names.find(|name| lost.contains(name))?.to_owned(),
            workstream: known.id.clone(),
        })
    })
}

/// Refuses to leave a failure behind: only whoever has repaired it may say so.
fn check_failure(
    id: &PipelineId,
    earlier: Pipeline<View<'_>>,
    current: Pipeline<View<'_>>,
) -> Result<(), Refusal> {
    let is_aborted = current.aborted().is_some();
    match earlier.status() == Status::Failed && earlier.aborted().is_some() == is_aborted {
        true => Ok(()),
        false => Err(until_repaired(id, current)),
    }
}

/// Refuses to take back what only changed how the pipeline failed, because a failure stays until it is repaired.
pub fn check_account(id: &PipelineId, then: &Value, present: &Value) -> Result<(), Refusal> {
    let (Value::Object(then), Value::Object(present)) = (then, present) else {
        return Err(Shared::NotAnObject.into());
    };
    let current = Pipeline::new(present.view());
    let mut account = OF_A_FAILURE.iter();
    let is_other = account.any(|name| then.get(name) != present.get(name));
    match current.status() == Status::Failed && is_other {
        true => Err(until_repaired(id, current)),
        false => Ok(()),
    }
}

fn until_repaired(id: &PipelineId, current: Pipeline<View<'_>>) -> Refusal {
    match current.aborted().is_some() {
        true => Refusal::Aborted(id.to_string()),
        false => Refusal::StillFailed(id.to_string()),
    }
}

/// Refuses to set workstreams running that the present review does not allow to start.
fn check_review(
    change: &Change<'_>,
    id: &PipelineId,
    current: Pipeline<View<'_>>,
) -> Result<(), Refusal> {
    let mut running = change.pipeline().names(IN_PROGRESS).into_iter();
    let starts = running.any(|name| !current.has(IN_PROGRESS, &name));
    let objection = current.review().and_then(|review| review.objection());
    match objection.filter(|_| starts) {
        None => Ok(()),
        Some(objection) => Err(Refusal::ReviewBlocks {
            id: id.to_string(),
            objection,
        }),
    }
}

fn with_staying(then: &Object, present: &Object, has_failed: bool) -> Object {
    let stays = |name: &str, value: &Value| {
        STAYING.contains(&name) || has_seal(value) || (has_failed && OF_A_FAILURE.contains(&name))
    };
    let both = then.iter().chain(present.iter());
    let names = both.filter(|(name, value)| stays(name, value));
    let mut next = then.clone();
    for (name, _) in names {
        match present.get(name) {
            Some(value) => next.set(name, value.clone()),
            None => drop(next.remove(name)),
        }
    }
    next
}

/// Takes the gates that have passed by now, except those whose workstream has to be finished again and that had not passed
/// then either. Where these are the gates of then, what followed from them fits as it is.
fn bring_gates(change: &mut Change<'_>, then: &Object, present: &Object) {
    let (earlier, current) = (Pipeline::new(then.view()), Pipeline::new(present.view()));
    let mut lost = lost_gates(change, current);
    lost.retain(|entry| !earlier.has_passed(entry));
    let passed = |pipeline: Pipeline<View<'_>>| -> HashSet<String> {
        pipeline.gates_passed().into_iter().collect()
    };
    let mut kept = passed(current);
    kept.retain(|entry| !lost.contains(entry));
    if kept == passed(earlier) && earlier.spec_hash() == current.spec_hash() {
        return;
    }
    for list in [GATES_PASSED, GATES_PENDING] {
        match present.get(list) {
            Some(value) => change.root.set(list, value.clone()),
            None => drop(change.root.remove(list)),
        }
    }
    set_pending(change, &lost);
    if let Some(spec) = change.spec {
        follow_gates(change, spec);
    }
    for list in [GATES_PASSED, GATES_PENDING] {
        order_as(&mut change.root, then, list);
    }
    change.count_phases();
}

/// The gates that have passed by now, and whose workstream has to be finished again.
fn lost_gates(change: &Change<'_>, current: Pipeline<View<'_>>) -> Vec<String> {
    let set_back = set_back(change.pipeline(), current);
    let mut passed = current.gates_passed();
    passed.retain(|entry| is_lost(entry, change.spec, &set_back));
    passed
}

fn set_pending(change: &mut Change<'_>, gates: &[String]) {
    for entry in gates {
        take(&mut change.root, GATES_PASSED, entry);
        if !change.pipeline().has(GATES_PENDING, entry) {
            add(&mut change.root, GATES_PENDING, entry.as_str().into());
        }
    }
}

/// Brings the entries of a list that an earlier state has into its order, others after them. A gate that has passed for one
/// workstream is pending under another name.
fn order_as(root: &mut Object, then: &Object, list: &str) {
    let earlier = then.get(list).and_then(Value::as_array).unwrap_or_default();
    let earlier = earlier.iter().map(|entry| entry_name(entry.view()));
    let earlier: Vec<Cow<'_, str>> = earlier.map(Option::unwrap_or_default).collect();
    let Some(Value::Array(entries)) = root.get_mut(list) else {
        return;
    };
    entries.sort_by_cached_key(|entry| {
        let name = entry_name(entry.view()).unwrap_or_default();
        let gate = split_gate(&name).0;
        let same = earlier.iter().position(|known| *known == name);
        let alike = || earlier.iter().position(|known| split_gate(known).0 == gate);
        same.or_else(alike).unwrap_or(earlier.len())
    });
}

/// The workstreams that are further from their end than they are now.
fn set_back(next: Pipeline<View<'_>>, current: Pipeline<View<'_>>) -> HashSet<String> {
    let way = |bucket: Option<Bucket>| match bucket {
        Some(Bucket::Completed) => 2,
        Some(Bucket::InProgress) => 1,
        Some(Bucket::Pending | Bucket::Dormant) | None => 0,
    };
    let begun = current.buckets();
    let begun = begun.completed.into_iter().chain(begun.in_progress);
    begun
        .filter(|name| way(next.bucket_of(name)) < way(current.bucket_of(name)))
        .collect()
}

/// Whether a gate that passed has to pass again. One that names no workstream is about all that have it.
fn is_lost(entry: &str, spec: Option<&Spec>, set_back: &HashSet<String>) -> bool {
    let (gate, of) = split_gate(entry);
    if let Some(of) = of {
        return of.split(", ").any(|name| set_back.contains(name));
    }
    let having = spec.map(requirements).unwrap_or_default();
    let mut having = having.iter().filter(|one| one.gate == gate).peekable();
    let is_about_all = having.peek().is_none();
    let is_one_back = having.any(|one| {
        let mut names = one.workstreams.iter();
        one.workstreams.is_empty() || names.any(|name| set_back.contains(name))
    });
    !set_back.is_empty() && (is_about_all || is_one_back)
}

#[cfg(test)]
mod tests;
