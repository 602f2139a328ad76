//! A checkpoint while it is being changed.

use std::collections::HashSet;

use super::gates::Unmet;
use super::lists::{add_first, take, take_all};
use super::model::{ABORTED_AT, Bucket, COMPLETED, ID, IN_PROGRESS, PENDING, Pipeline, Status};
use super::refusal::{Action, Refusal};
use super::spec::{Spec, SpecPhase};
use crate::document::{Object, Value, View};
use crate::history::Event;
use crate::key::{Key, PipelineId};
use crate::operation::{Changed, Refusal as Shared, Stamp};

/// A checkpoint being changed.
pub(super) struct Change<'s> {
    pub(super) id: PipelineId,
    pub(super) root: Object,
    pub(super) status: Status,
    pub(super) spec: Option<&'s Spec>,
    pub(super) stamp: &'s Stamp,
}

impl<'s> Change<'s> {
    pub(super) fn of(
        present: Value,
        id: &PipelineId,
        spec: Option<&'s Spec>,
        stamp: &'s Stamp,
    ) -> Result<Self, Refusal> {
        let Value::Object(root) = present else {
            return Err(Shared::NotAnObject.into());
        };
        check_owner(&root, id)?;
        Ok(Self {
            id: id.clone(),
            status: Pipeline::new(root.view()).status(),
            root,
            spec,
            stamp,
        })
    }

    /// The checkpoint with the changes so far.
    pub(super) fn pipeline(&self) -> Pipeline<View<'_>> {
        Pipeline::new(self.root.view())
    }

    pub(super) fn allowing(self, action: Action) -> Result<Self, Refusal> {
        if action.is_allowed(&self.status) {
            return Ok(self);
        }
        Err(match self.status {
            Status::Complete if action != Action::Reopen => {
                Shared::AlreadyComplete(Key::Pipeline(self.id)).into()
            }
            Status::Failed if self.root.get(ABORTED_AT).is_some() => {
                Refusal::Aborted(self.id.to_string())
            }
            status => Refusal::NotAllowed {
                id: self.id.to_string(),
                status,
                action,
            },
        })
    }

    pub(super) fn set_status(&mut self, status: Status) {
        if self.status != status || self.root.get("status").is_none() {
            self.root.set("status", status.as_str());
            self.status = status;
        }
    }

    /// The workstreams in all lists.
    pub(super) fn listed(&self) -> impl Iterator<Item = String> {
        let lists = Bucket::LISTS.into_iter();
        lists.flat_map(|(list, _)| self.pipeline().names(list))
    }

    /// The bucket of a workstream.
    pub(super) fn place(&self, workstream: &str) -> Result<Bucket, Refusal> {
        let bucket = self.pipeline().bucket_of(workstream);
        bucket.ok_or_else(|| Refusal::UnknownWorkstream {
            id: self.id.to_string(),
            workstream: workstream.to_owned(),
        })
    }

    /// Refuses a workstream that is in none of these buckets. The first one is named in the message.
    pub(super) fn require(&self, workstream: &str, buckets: &[Bucket]) -> Result<(), Refusal> {
        let found = self.place(workstream)?;
        match buckets.contains(&found) {
            true => Ok(()),
            false => Err(Refusal::Elsewhere {
                workstream: workstream.to_owned(),
                found,
                needed: buckets[0],
            }),
        }
    }

    /// Moves these running workstreams back to the front of the pending list, and records them as interrupted.
    pub(super) fn interrupt(&mut self, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
        let running = take_all(&mut self.root, IN_PROGRESS, is_meant);
        let (interrupted, running): (Vec<String>, Vec<Value>) = running.into_iter().unzip();
        add_first(&mut self.root, PENDING, running);
        let again: HashSet<&String> = interrupted.iter().collect();
        let mut all = self.pipeline().interrupted();
        all.retain(|name| !again.contains(name));
        all.extend(interrupted.iter().cloned());
        self.set_interrupted(&all);
        interrupted
    }

    pub(super) fn set_interrupted(&mut self, workstreams: &[String]) {
        if workstreams.is_empty() && self.pipeline().interrupted().is_empty() {
            return;
        }
        let source = self.source_mut();
        if workstreams.is_empty() {
            source.remove("interrupted");
        } else {
            let list: Vec<&str> = workstreams.iter().map(String::as_str).collect();
            source.set("interrupted", list);
        }
    }

    /// The record of the specification. Other tools write its path alone.
    pub(super) fn source_mut(&mut self) -> &mut Object {
        if let Some(path) = self.root.get("execution_spec").and_then(Value::as_str) {
            let mut source = Object::new();
            source.set("path", path);
            self.root.set("execution_spec", source);
        }
        self.root.object_mut("execution_spec")
    }

    /// Removes a workstream from every list, and returns its entry.
    pub(super) fn take(&mut self, workstream: &str) -> Value {
        let lists = Bucket::LISTS.into_iter().map(|(list, _)| list);
        let found = lists
            .filter(|list| *list != COMPLETED)
            .map(|list| take(&mut self.root, list, workstream));
        // Collected, because it may be in several lists.
        let found: Vec<Value> = found.flatten().collect();
        let found = found.into_iter().next();
        match found.unwrap_or_else(|| workstream.into()) {
            Value::Object(mut entry) => {
                // The reason for deferring it no longer applies; other members are kept.
                entry.remove("reason");
                match entry.len() {
                    ..=1 => workstream.into(),
                    _ => Value::Object(entry),
                }
            }
            entry => entry,
        }
    }

    /// Updates the number of the last phase whose workstreams and gates are all done, counting phases in order.
    pub(super) fn count_phases(&mut self) {
        let Some(spec) = self.spec.filter(|spec| !spec.phases.is_empty()) else {
            return;
        };
        let buckets = self.pipeline().buckets();
        let over: HashSet<&String> = buckets.completed.iter().chain(&buckets.dormant).collect();
        let unmet = Unmet::of(spec, self.pipeline());
        let unproven = unmet.all().flat_map(|gate| &gate.workstreams);
        let unproven: HashSet<&String> = unproven.collect();
        let of_all = unmet.all().filter(|gate| gate.workstreams.is_empty());
        let of_all: HashSet<&String> = of_all.map(|gate| &gate.gate).collect();
        let is_done = |phase: &&SpecPhase| {
            let mut names = phase.workstreams.iter().map(|reference| &reference.name);
            let mut gates = phase.gates.iter();
            names.all(|name| over.contains(name) && !unproven.contains(name))
                && gates.all(|gate| !of_all.contains(&gate.name))
        };
        let done = spec.phases.iter().take_while(is_done).count() as u64;
        if self.root.get("current_phase") != Some(&done.into()) {
            self.root.set("current_phase", done);
        }
    }

    pub(super) fn finish(mut self, events: Vec<Event>) -> Changed {
        self.count_phases();
        let now = self.stamp.now;
        self.root.set("timestamp", now);
        for name in ["updated_at", "last_updated"] {
            if self.root.get(name).is_some() {
                self.root.set(name, now);
            }
        }
        Changed {
            value: Value::Object(self.root),
            events,
        }
    }
}

/// Refuses a document that declares other ids, and not this one.
pub fn check_ownership(present: &Value, id: &PipelineId) -> Result<(), Refusal> {
    let Value::Object(root) = present else {
        return Err(Shared::NotAnObject.into());
    };
    let pipeline = Pipeline::new(root.view());
    let is_own = pipeline.ids().any(|known| known == id.as_str());
    match pipeline.id().filter(|_| !is_own) {
        None => Ok(()),
        Some(stored) => Err(taken(id, &stored)),
    }
}

/// A document that declares this id, and no other.
#[must_use]
pub fn named(mut root: Object, id: &PipelineId) -> Value {
    let declared: Vec<&str> = ID
        .into_iter()
        .filter(|name| root.get(name).is_some())
        .collect();
    for name in if declared.is_empty() {
        &ID[..1]
    } else {
        &declared
    } {
        root.set(name, id.as_str());
    }
    Value::Object(root)
}

fn taken(id: &PipelineId, stored: &str) -> Refusal {
    let taken = Shared::Taken {
        file: id.stem(),
        stored: stored.to_owned(),
        asked: id.to_string(),
    };
    taken.into()
}

/// A file may be called by one id and declare another. Only an id that is neither is refused: it gives the same file
/// name by chance.
fn check_owner(root: &Object, id: &PipelineId) -> Result<(), Refusal> {
    let pipeline = Pipeline::new(root.view());
    let is_own = id.stem() == id.as_str() || pipeline.ids().any(|known| known == id.as_str());
    match pipeline.id().filter(|_| !is_own) {
        None => Ok(()),
        Some(stored) => Err(taken(id, &stored)),
    }
}

/// Splits `name (WS1)` into its two parts.
pub(super) fn split_gate(entry: &str) -> (&str, Option<&str>) {
    match entry
        .strip_suffix(')')
        .and_then(|entry| entry.rsplit_once(" ("))
    {
        Some((name, workstream)) => (name, Some(workstream)),
        None => (entry, None),
    }
}
