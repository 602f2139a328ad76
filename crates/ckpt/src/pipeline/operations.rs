//! The operations on a pipeline, as functions from the current tree to the next.

use std::collections::HashSet;

use super::change::{Change, split_gate};
use super::following::follow_gates;
use super::gates::{Due, Unmet, take_due};
use super::graph::{Readiness, schedule};
use super::lists::{add, add_all, append};
use super::model::{
    ABORTED_AT, Bucket, COMPLETED, DORMANT, GATES_PENDING, IN_PROGRESS, PENDING, Pipeline, Status,
};
use super::refusal::{Action, Refusal};
use super::spec::Spec;
use crate::document::{Object, Value, View};
use crate::history::{Event, EventName};
use crate::key::PipelineId;
use crate::operation::{Changed, Stamp, Unfinished, reason_given};

/// Starts workstreams. With [`Order::AsSpecified`], only those that are ready.
pub fn start(
    present: Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    workstreams: &[String],
    terms: StartTerms,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, spec, stamp)?.allowing(Action::Start)?;
    let id = change.id.to_string();
    match change.pipeline().review() {
        None if terms.review == Requires::Review => return Err(Refusal::ReviewNeeded(id)),
        None => {}
        Some(review) => {
            if let Some(objection) = review.objection() {
                return Err(Refusal::ReviewBlocks { id, objection });
            }
        }
    }
    if spec.is_none() && terms.order == Order::AsSpecified {
        return Err(Refusal::SpecUnknown(id));
    }
    let mut events = Vec::new();
    for workstream in workstreams {
        change.require(workstream, &[Bucket::Pending, Bucket::Dormant])?;
        if spec.is_some_and(|spec| spec.workstream(workstream).is_none()) {
            return Err(Refusal::NotSpecified {
                id,
                workstream: workstream.clone(),
            });
        }
        if let (Some(spec), Order::AsSpecified) = (spec, terms.order) {
            let ready = schedule(spec, &change.pipeline().buckets()).into_iter();
            let own = ready.into_iter().find(|(name, _)| name == workstream);
            if let Some((_, Readiness::WaitsFor(waits))) = own {
                return Err(Refusal::Waits {
                    id,
                    workstream: workstream.clone(),
                    waits,
                });
            }
        }
        let entry = change.take(workstream);
        add(&mut change.root, IN_PROGRESS, entry);
        let event = Event::new(EventName::WorkstreamStarted);
        let mut event = event.with("workstream", workstream.as_str());
        let known = spec.and_then(|spec| spec.workstream(workstream));
        if let Some(title) = known.and_then(|known| known.name.as_deref()) {
            event = event.with("title", title);
        }
        events.push(event);
    }
    let rest = change.pipeline().interrupted();
    let rest: Vec<String> = rest
        .into_iter()
        .filter(|name| !workstreams.contains(name))
        .collect();
    change.set_interrupted(&rest);
    if let Some(spec) = spec {
        follow_gates(&mut change, spec);
    }
    change.set_status(Status::InProgress);
    Ok(change.finish(events))
}

/// What has to be there before workstreams start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartTerms {
    /// Whether the order of the specification is kept.
    pub order: Order,
    /// Whether the adversarial review has to be recorded.
    pub review: Requires,
}

/// Whether the adversarial review has to be recorded before anything starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requires {
    /// It has to.
    Review,
    /// It need not be.
    Nothing,
}

/// Whether workstreams must start in the order of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Only workstreams that can start now.
    AsSpecified,
    /// Any workstream.
    Anyway,
}

/// Completes a workstream, with the files it produced. This also works for a workstream interrupted by another one's
/// failure: finished work is never refused.
pub fn done(
    present: Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    workstream: &str,
    artifacts: &[String],
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, spec, stamp)?.allowing(Action::Done)?;
    let mut interrupted = change.pipeline().interrupted();
    if !interrupted.iter().any(|name| name == workstream) {
        change.require(workstream, &[Bucket::InProgress])?;
    }
    let is_removed = change.place(workstream)? == Bucket::Dormant
        && spec.is_some_and(|spec| spec.workstream(workstream).is_none());
    // A workstream no longer in the specification stays dormant.
    if !is_removed {
        let entry = change.take(workstream);
        add(&mut change.root, COMPLETED, entry);
    }
    interrupted.retain(|name| name != workstream);
    change.set_interrupted(&interrupted);
    if !artifacts.is_empty() {
        keep_artifacts(&mut change.root, workstream, artifacts);
    }
    let mut events =
        vec![Event::new(EventName::WorkstreamCompleted).with("workstream", workstream)];
    if change.status == Status::InProgress {
        match take_due(&mut change) {
            Due::Nothing => {}
            Due::Pause => {
                change.set_status(Status::Paused);
                events.push(Event::new(EventName::PipelinePaused));
            }
            Due::Failure(error) => {
                set_failed(&mut change, error);
                events.push(Event::new(EventName::PipelineFailed));
            }
        }
    }
    Ok(change.finish(events))
}

/// Adds the files that a workstream produced to those already recorded.
fn keep_artifacts(root: &mut Object, workstream: &str, artifacts: &[String]) {
    let (holder, list) = match root.get("artifacts") {
        None | Some(Value::Null | Value::Object(_)) => (root.object_mut("artifacts"), workstream),
        // Another tool keeps all of them in one list.
        Some(_) => (root, "artifacts"),
    };
    for artifact in artifacts {
        let present = holder.get(list).and_then(Value::as_array);
        let artifact = Value::from(artifact.as_str());
        if !present.is_some_and(|present| present.contains(&artifact)) {
            append(holder, list, artifact);
        }
    }
}

/// A failure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failure {
    /// The message.
    pub message: String,
    /// The file.
    pub file: Option<String>,
    /// The line in the file.
    pub line: Option<u64>,
}

impl Failure {
    pub(super) fn written(&self, workstream: Option<&str>) -> Object {
        let mut error = Object::new();
        if let Some(workstream) = workstream {
            error.set("workstream", workstream);
        }
        error.set("message", self.message.as_str());
        if let Some(file) = &self.file {
            error.set("file", file.as_str());
        }
        if let Some(line) = self.line {
            error.set("line", line);
        }
        error
    }
}

/// Marks a workstream as failed. All running workstreams go back to the front of the pending list.
pub fn fail(
    present: Value,
    id: &PipelineId,
    workstream: &str,
    failure: &Failure,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    if failure.message.trim().is_empty() {
        return Err(Refusal::MessageNeeded);
    }
    let change = Change::of(present, id, None, stamp)?.allowing(Action::Fail)?;
    change.require(workstream, &[Bucket::InProgress])?;
    let event = Event::new(EventName::WorkstreamFailed).with("workstream", workstream);
    Ok(failed(change, Some(workstream), failure, event))
}

/// Fails a pipeline, in a workstream or as a whole.
pub(super) fn failed(
    mut change: Change<'_>,
    workstream: Option<&str>,
    failure: &Failure,
    event: Event,
) -> Changed {
    let interrupted = change.interrupt(|_| true);
    let interrupted: Vec<&str> = interrupted.iter().map(String::as_str).collect();
    let event = event
        .with("message", failure.message.as_str())
        .with("interrupted", interrupted);
    set_failed(&mut change, failure.written(workstream));
    change.finish(vec![event])
}

fn set_failed(change: &mut Change<'_>, error: Object) {
    change.set_status(Status::Failed);
    change.root.set_after(GATES_PENDING, "error", error);
}

/// Resumes after a failure.
pub fn fixed(present: Value, id: &PipelineId, stamp: &Stamp) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, None, stamp)?.allowing(Action::Fixed)?;
    change.root.remove("error");
    change.root.remove(ABORTED_AT);
    change.set_status(Status::Paused);
    Ok(change.finish(vec![Event::new(EventName::PipelineFixed)]))
}

/// Resets running workstreams whose owner is gone.
pub fn restart(present: Value, id: &PipelineId, stamp: &Stamp) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, None, stamp)?.allowing(Action::Restart)?;
    let interrupted = change.interrupt(|_| true);
    change.set_status(Status::Paused);
    let interrupted: Vec<&str> = interrupted.iter().map(String::as_str).collect();
    let event = Event::new(EventName::PipelineRestarted).with("interrupted", interrupted);
    Ok(change.finish(vec![event]))
}

/// Defers a workstream.
pub fn defer(
    present: Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    workstream: &str,
    reason: &str,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    reason_given(reason)?;
    let mut change = Change::of(present, id, spec, stamp)?.allowing(Action::Defer)?;
    change.require(workstream, &[Bucket::Pending, Bucket::InProgress])?;
    let entry = change.take(workstream);
    defer_entries(&mut change.root, vec![entry], reason);
    if let Some(spec) = spec {
        follow_gates(&mut change, spec);
    }
    let event = Event::new(EventName::WorkstreamDeferred)
        .with("workstream", workstream)
        .with("reason", reason);
    Ok(change.finish(vec![event]))
}

/// Records an approval to continue.
pub fn approve(present: Value, id: &PipelineId, stamp: &Stamp) -> Result<Changed, Refusal> {
    let change = Change::of(present, id, None, stamp)?.allowing(Action::Approve)?;
    Ok(change.finish(vec![Event::new(EventName::PipelineApproved)]))
}

/// Why a workstream is deferred that was not done when its pipeline was completed.
const LEFT_OUT: &str = "not done when the pipeline was completed";

/// Completes a pipeline that has nothing left to do. Workstreams that are not done can be left out, but no gate is passed
/// over: what it would have proven, nobody knows.
pub fn complete(
    present: Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    unfinished: Unfinished,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, spec, stamp)?.allowing(Action::Complete)?;
    let buckets = change.pipeline().buckets();
    let running = buckets.in_progress.iter();
    let running = running.map(|name| format!("{name} is in progress"));
    let pending = buckets
        .pending
        .iter()
        .map(|name| format!("{name} is pending"));
    let pending_gates = gates_left(change.pipeline(), spec);
    if unfinished == Unfinished::Ignore && !pending_gates.is_empty() {
        return Err(Refusal::GatesPending {
            id: change.id.to_string(),
            gates: pending_gates,
        });
    }
    let gates = pending_gates
        .iter()
        .map(|gate| format!("gate {gate} is pending"));
    let left: Vec<String> = running.chain(pending).chain(gates).collect();
    if !left.is_empty() && unfinished == Unfinished::Refuse {
        return Err(Refusal::Unfinished {
            id: change.id.to_string(),
            left,
        });
    }
    let mut events = Vec::new();
    for workstream in buckets.in_progress.iter().chain(&buckets.pending) {
        let entry = change.take(workstream);
        defer_entries(&mut change.root, vec![entry], LEFT_OUT);
        let event = Event::new(EventName::WorkstreamDeferred);
        let event = event.with("workstream", workstream.as_str());
        events.push(event.with("reason", LEFT_OUT));
    }
    change.set_interrupted(&[]);
    if let Some(spec) = spec {
        follow_gates(&mut change, spec);
    }
    change.set_status(Status::Complete);
    events.push(Event::new(EventName::PipelineCompleted));
    Ok(change.finish(events))
}

/// The gates that have to pass before the pipeline is complete. Those that concern only deferred workstreams need not.
fn gates_left(pipeline: Pipeline<View<'_>>, spec: Option<&Spec>) -> Vec<String> {
    let listed = pipeline.gates_pending();
    let Some(spec) = spec else {
        return listed;
    };
    let unmet = Unmet::of(spec, pipeline);
    let mut left: Vec<String> = unmet.named().collect();
    let named: HashSet<&str> = unmet.all().map(|gate| gate.gate.as_str()).collect();
    // The list may name a gate that the other list has as passed.
    left.extend(listed.into_iter().filter(|entry| {
        let gate = split_gate(entry).0;
        !named.contains(gate) && unmet.requires(gate)
    }));
    left
}

/// Reopens a finished pipeline.
pub fn reopen(present: Value, id: &PipelineId, stamp: &Stamp) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, None, stamp)?.allowing(Action::Reopen)?;
    change.set_status(Status::Paused);
    Ok(change.finish(vec![Event::new(EventName::PipelineReopened)]))
}

/// Aborts a pipeline.
pub fn abort(
    present: Value,
    id: &PipelineId,
    reason: &str,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    reason_given(reason)?;
    let change = Change::of(present, id, None, stamp)?.allowing(Action::Abort)?;
    let workstream = change.pipeline().names(IN_PROGRESS).into_iter().next();
    let failure = Failure {
        message: reason.to_owned(),
        ..Failure::default()
    };
    let event = Event::new(EventName::PipelineAborted);
    let mut changed = failed(change, workstream.as_deref(), &failure, event);
    if let Some(root) = changed.value.as_object_mut() {
        root.set_after("error", ABORTED_AT, stamp.now);
    }
    Ok(changed)
}

/// Adds workstreams to the dormant list.
pub(super) fn defer_entries(root: &mut Object, entries: Vec<Value>, reason: &str) {
    if entries.is_empty() {
        return;
    }
    let with_reason = |entry: Value| {
        let mut entry = match entry {
            Value::Object(entry) => entry,
            name => {
                let mut entry = Object::new();
                entry.set("id", name);
                entry
            }
        };
        entry.set("reason", reason);
        Value::Object(entry)
    };
    if root.get(DORMANT).is_none() {
        root.set_after(PENDING, DORMANT, Value::Array(Vec::new()));
    }
    let entries = entries.into_iter().map(with_reason).collect();
    add_all(root, DORMANT, entries);
}
