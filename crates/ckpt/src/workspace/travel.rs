//! Going back: documents at earlier revisions, and bringing them back.
//!
//! What decides whether something may ship is never brought back: approvals, reviews, receipts, and whatever else carries a
//! seal. An approval that somebody took away, or a gate that failed since, would otherwise be undone with the rest.
//! Sub-agents that are at work stay too.

mod last;
mod session;

pub(in crate::workspace) use last::event_about;
pub use session::{SessionUndo, TakingBack};

use super::change::Outcome;
use super::error::Purpose;
use super::gate::is_over;
use super::{Workspace, WorkspaceError};
use crate::command::{Checkpoint, check_ownership};
use crate::comparison::compare;
use crate::document::{Document, Edit, Value};
use crate::finding::Finding;
use crate::history::{
    ContentHash, Event, EventName, FileChange, HistoryError, Line, Revision, Transition,
    revision_at, unless_alone,
};
use crate::key::Key;
use crate::layout::{Place, PlaceFile};
use crate::operation::{Refusal, Stamp};
use crate::pipeline::{Pipeline, Repair};
use crate::seal::has_seal;
use crate::standing::Lifecycle;
use crate::store::{Proposal, Snapshot, StoreError, Write};
use crate::time::Timestamp;

/// What to bring back.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Goal {
    /// The content at this revision.
    Revision(Revision),
    /// The content before the last change that had an effect.
    BeforeLast,
}

/// Whether going back may complete or abandon a checkpoint that is in flight, or repair one that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// It may not: what has happened since might forbid it.
    Refused,
    /// It may: nothing has happened since but that its end was taken back, or this repair.
    TakenUp(Repair),
}

/// The content of a file before and after a change; `None` where there was none.
type Sides = (Option<Vec<u8>>, Option<Vec<u8>>);

impl Workspace {
    /// The last revision of a document that was made at or before a time; `None` if there is none.
    pub fn revision_at(
        &self,
        key: &Key,
        time: Timestamp,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(None);
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let is_ours = |line: &Line| line.is_vouched(sealer);
        let failed = |source| Purpose::Load.failed(StoreError::history(&place.history, source));
        match revision_at(history.file(), time, &is_ours).map_err(failed)? {
            None => revision_at(history.file(), time, &|_| true).map_err(failed),
            found => Ok(found),
        }
    }

    /// The revision that is meant by a number alone, by its exact name if several epochs have that number.
    pub fn exact_revision(
        &self,
        key: &Key,
        revision: &Revision,
    ) -> Result<Revision, WorkspaceError> {
        let Some(history) = self.history(key)?.filter(|_| revision.epoch.is_none()) else {
            return Ok(revision.clone());
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let failed = |source| Purpose::Load.failed(StoreError::history(&place.history, source));
        let is_ours = |line: &Line| line.counts(sealer);
        let exact = unless_alone(history.file(), revision, &is_ours).map_err(failed)?;
        Ok(exact.unwrap_or_else(|| revision.clone()))
    }

    /// Whether a document was created after a time, as far as its history tells: it begins later, and not with a document
    /// that was there already.
    pub fn is_before_creation(&self, key: &Key, time: Timestamp) -> Result<bool, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(false);
        };
        let path = self.layout.place(key).history;
        let failed = |source| Purpose::Load.failed(StoreError::history(&path, source));
        for line in history.oldest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            if let Some(made) = line.time().and_then(|made| Timestamp::parse(&made))
                && line.revision().is_some()
            {
                return Ok(time < made && line.event_name() != Some(EventName::Adopted));
            }
        }
        Ok(false)
    }

    /// The content of a file before and after a change that a line of the history records; `None` where there was none.
    pub(super) fn sides_of(
        &self,
        (key, place): (&Key, &Place),
        file: &PlaceFile,
        line: &Line,
        change: &FileChange,
    ) -> Result<Sides, WorkspaceError> {
        let load = |error: StoreError| Purpose::Load.failed(error);
        let unknown = |revision: &Revision| {
            load(StoreError::History(HistoryError::Unknown {
                name: key.short(),
                revision: revision.to_string(),
                path: place.history.clone(),
            }))
        };
        let is =
            |content: &Vec<u8>, hash: Option<ContentHash>| Some(ContentHash::of(content)) == hash;
        let Some(revision) = line.revision() else {
            return Ok((None, None));
        };
        let found = |revision: &Revision, hash: Option<ContentHash>| match hash {
            None => Ok(None),
            Some(_) => {
                let content = self.file_at(place, file, revision).map_err(load)?;
                let content = content.filter(|content| is(content, hash));
                content.map(Some).ok_or_else(|| unknown(revision))
            }
        };
        let after = found(&revision, change.to)?;
        if let (Transition::Edit(edit), Some(after)) = (&change.transition, &after) {
            let before = edit.undo(after).ok();
            if let Some(before) = before.filter(|before| is(before, change.from)) {
                return Ok((Some(before), Some(after.clone())));
            }
        }
        let earlier = Revision {
            number: revision.number.saturating_sub(1),
            epoch: revision.epoch,
        };
        Ok((found(&earlier, change.from)?, after))
    }

    /// Brings a command or a pipeline back to a revision, as a new revision.
    pub fn restore(&self, key: &Key, revision: &Revision) -> Result<Outcome, WorkspaceError> {
        self.bring_back(key, "restore", &Goal::Revision(revision.clone()))
    }

    /// Takes the last change of a command or a pipeline back that had an effect, as a new revision. Undoing that brings the
    /// change back.
    pub fn undo(&self, key: &Key) -> Result<Outcome, WorkspaceError> {
        self.bring_back(key, "undo", &Goal::BeforeLast)
    }

    fn bring_back(&self, key: &Key, doing: &str, goal: &Goal) -> Result<Outcome, WorkspaceError> {
        self.write(key, Purpose::Save, doing, &|place, snapshot, _| {
            let (proposal, outcome) = self.brought_back(key, place, snapshot, goal)?;
            let present = present_in(key, place, snapshot)?;
            let was_over = is_over(present.root());
            Ok((proposal, (was_over, outcome)))
        })
    }

    fn brought_back(
        &self,
        key: &Key,
        place: &Place,
        snapshot: &Snapshot,
        goal: &Goal,
    ) -> Result<(Option<Proposal>, Outcome), WorkspaceError> {
        let Some(current) = &snapshot.revision else {
            return Err(Refusal::Missing(key.clone()).into());
        };
        let present = present_in(key, place, snapshot)?;
        let Goal::Revision(target) = goal else {
            return self.without_last(key, place, snapshot, (current, &present));
        };
        let event = Event::new(EventName::Restored);
        let event = event.with(EventName::Restored.as_str(), target.to_string());
        let then = self.at_revision(key, target)?;
        self.returning(key, snapshot, (&then, &present), event, Ending::Refused)
    }

    /// The proposal that leads from the present document to an earlier one, with everything that must not come back as it
    /// is now.
    fn returning(
        &self,
        key: &Key,
        snapshot: &Snapshot,
        (then, present): (&Document, &Document),
        event: Event,
        ending: Ending,
    ) -> Result<(Option<Proposal>, Outcome), WorkspaceError> {
        let (next, findings) =
            self.with_present_power(key, snapshot.now, (then, present), ending)?;
        let ends = has_ended(key, &next) && !has_ended(key, present);
        if ends && ending == Ending::Refused {
            return Err(Refusal::EndsAgain(key.clone()).into());
        }
        let is_same = is_same_but_bookkeeping(&present.value(), &next.value());
        let outcome = Outcome {
            key: key.clone(),
            revision: None,
            created: false,
            moved_aside: None,
            restored: !is_same,
            absorbed_foreign_edit: false,
            reopened: false,
            findings,
            document: next.clone(),
        };
        let proposal = (!is_same).then(|| Proposal {
            events: vec![event],
            writes: vec![Write {
                file: 0,
                edit: Some(Edit::between(
                    present.text().as_bytes(),
                    next.text().as_bytes(),
                )),
                content: next.text().as_bytes().to_vec(),
            }],
            beside: Vec::new(),
        });
        Ok((proposal, outcome))
    }

    /// An earlier document, with everything that must not be brought back as it is now, and the findings about it.
    fn with_present_power(
        &self,
        key: &Key,
        now: Timestamp,
        (then, present): (&Document, &Document),
        ending: Ending,
    ) -> Result<(Document, Vec<Finding>), WorkspaceError> {
        if let Key::Pipeline(id) = key {
            let repair = match ending {
                Ending::Refused => Repair::Missing,
                Ending::TakenUp(repair) => repair,
            };
            let head = self.head().commit;
            let stamp = Stamp { now, head };
            let pipeline = self.pipeline(id);
            return pipeline.brought_back(then, present, &stamp, repair);
        }
        let next = rewritten(then, &with_present_gate(then, present))?;
        let findings = self.judge_as(key, &next);
        Ok((next, findings))
    }
}

/// The present document. What must stay as it is cannot be read from a file that is gone or damaged.
fn present_in(key: &Key, place: &Place, snapshot: &Snapshot) -> Result<Document, WorkspaceError> {
    let present = snapshot.contents[0].clone();
    let present = present.ok_or_else(|| Refusal::Missing(key.clone()))?;
    let present = Document::from_bytes(present).map_err(|source| {
        let path = place.document().path.clone();
        WorkspaceError::Corrupt(StoreError::Corrupt { path, source })
    })?;
    if let Key::Command(command) = key {
        check_ownership(&present.value(), command)?;
    }
    Ok(present)
}

/// Whether two trees differ in nothing but bookkeeping: the times and the commit of the last save.
fn is_same_but_bookkeeping(one: &Value, other: &Value) -> bool {
    let differences = compare(one, other);
    let mut pointers = differences.iter().map(|difference| &difference.pointer);
    pointers.all(|pointer| pointer.segments().eq(["head_commit"]))
}

/// Whether a checkpoint is complete or abandoned.
fn has_ended(key: &Key, document: &Document) -> bool {
    let root = document.root();
    let lifecycle = match key {
        Key::Pipeline(_) => Pipeline::new(root).lifecycle(),
        _ => Checkpoint::new(root).lifecycle(),
    };
    lifecycle != Lifecycle::InFlight
}

/// A document with the values of a tree.
pub(super) fn rewritten(document: &Document, target: &Value) -> Result<Document, WorkspaceError> {
    let edit = document.rewrite(target);
    let text = edit.apply(document.text().as_bytes());
    let text = text.expect("a rewrite fits its own document");
    Ok(Document::from_bytes(text).map_err(Refusal::Unwritable)?)
}

/// Members of a command that stay as they are, sealed or not.
const STAYING: [&str; 3] = ["gate", "receipts", "agents"];

/// The tree of an earlier command, with everything that must not be brought back as it is now.
fn with_present_gate(then: &Document, present: &Document) -> Value {
    let Value::Object(mut next) = then.value() else {
        return then.value();
    };
    let present = present.value().into_object().unwrap_or_default();
    let names: Vec<String> = next
        .iter()
        .chain(present.iter())
        .filter(|(name, value)| STAYING.contains(name) || has_seal(value))
        .map(|(name, _)| name.to_owned())
        .collect();
    for name in names {
        match present.get(&name) {
            Some(value) => next.set(&name, value.clone()),
            None => drop(next.remove(&name)),
        }
    }
    Value::Object(next)
}

#[cfg(test)]
mod tests;
