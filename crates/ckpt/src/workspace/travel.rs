//! Going back: documents at earlier revisions, and bringing them back.
//!
//! What decides whether something may ship is never brought back: approvals, receipts, and whatever else carries a seal. An
//! approval that somebody took away, or a gate that failed since, would otherwise be undone with the rest. Sub-agents that
//! are at work stay too.

use super::change::Outcome;
use super::error::Purpose;
use super::gate::is_over;
use super::{Workspace, WorkspaceError};
use crate::comparison::compare;
use crate::document::{Document, Edit, Value};
use crate::history::{Event, EventName, HistoryError, Line, Revision, revision_at};
use crate::key::Key;
use crate::layout::Place;
use crate::operation::Refusal;
use crate::seal::SEAL;
use crate::store::{Proposal, Snapshot, StoreError, Write};
use crate::time::Timestamp;

/// What to bring back.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Goal {
    /// The content at this revision.
    Revision(Revision),
    /// The content before the last change.
    BeforeLast,
}

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

    /// The last change of a document: the line that began it. `None` without a history.
    pub fn last_change(&self, key: &Key) -> Result<Option<Line>, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(None);
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let failed = |source| Purpose::Load.failed(StoreError::history(&place.history, source));
        let mut unsealed = None;
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            if line.revision().is_none() || line.files().is_none() {
                continue;
            }
            if line.is_vouched(sealer) || !sealer.has_key() {
                return Ok(Some(line));
            }
            unsealed.get_or_insert(line);
        }
        Ok(unsealed)
    }

    /// The change that the last one took back: the line that began it.
    pub fn undone_change(&self, key: &Key) -> Result<Option<Line>, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(None);
        };
        let path = self.layout.place(key).history;
        let failed = |source| Purpose::Load.failed(StoreError::history(&path, source));
        let mut number = None;
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            if line.files().is_none() {
                continue;
            }
            match number {
                None => number = line.undone(),
                Some(_) if line.number() == number => return Ok(Some(line)),
                Some(_) => {}
            }
        }
        Ok(None)
    }

    /// Brings a command back to a revision, as a new revision.
    pub fn restore(&self, key: &Key, revision: &Revision) -> Result<Outcome, WorkspaceError> {
        self.bring_back(key, "restore", &Goal::Revision(revision.clone()))
    }

    /// Takes the last change of a command back, as a new revision. Undoing that brings the change back.
    pub fn undo(&self, key: &Key) -> Result<Outcome, WorkspaceError> {
        self.bring_back(key, "undo", &Goal::BeforeLast)
    }

    fn bring_back(&self, key: &Key, doing: &str, goal: &Goal) -> Result<Outcome, WorkspaceError> {
        self.write(key, Purpose::Save, doing, &|place, snapshot, _| {
            let (proposal, outcome) = self.brought_back(key, place, snapshot, goal)?;
            let present = snapshot.contents[0].clone();
            let present = present.and_then(|bytes| Document::from_bytes(bytes).ok());
            let was_over = present.is_some_and(|present| is_over(present.root()));
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
        if matches!(key, Key::Pipeline(_)) {
            return Err(Refusal::NotBroughtBack(key.clone()).into());
        }
        // What must stay as it is cannot be read from a file that is gone or damaged.
        let present = snapshot.contents[0].clone();
        let present = present.ok_or_else(|| Refusal::Missing(key.clone()))?;
        let present = Document::from_bytes(present).map_err(|source| {
            let path = place.document().path.clone();
            WorkspaceError::Corrupt(StoreError::Corrupt { path, source })
        })?;
        let (target, event) = match goal {
            Goal::Revision(revision) => {
                let event = Event::new(EventName::Restored);
                (
                    revision.clone(),
                    event.with(EventName::Restored.as_str(), revision.to_string()),
                )
            }
            Goal::BeforeLast => {
                // An edit by another program is a change of its own, and is counted already.
                let last = current.number;
                let event = Event::new(EventName::Undone).with(EventName::Undone.as_str(), last);
                let before = Revision {
                    number: last.saturating_sub(1),
                    epoch: current.epoch.clone(),
                };
                (before, event)
            }
        };
        let load = |error: StoreError| Purpose::Load.failed(error);
        let then = self.find_revision(place, &target).map_err(load)?;
        let then = then.and_then(|bytes| Document::from_bytes(bytes).ok());
        let then = then.ok_or_else(|| match goal {
            Goal::BeforeLast => WorkspaceError::from(Refusal::NothingBefore(key.clone())),
            Goal::Revision(revision) => load(StoreError::History(HistoryError::Unknown {
                revision: revision.to_string(),
                path: place.history.clone(),
            })),
        })?;
        let next = with_present_power(&then, &present);
        if is_over(next.root()) && !is_over(present.root()) {
            return Err(Refusal::EndsAgain(key.clone()).into());
        }
        let is_same = compare(&present.value(), &next.value()).is_empty();
        let outcome = Outcome {
            key: key.clone(),
            revision: None,
            created: false,
            moved_aside: None,
            restored: !is_same,
            absorbed_foreign_edit: false,
            reopened: false,
            findings: self.judge_as(key, &next),
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
}

/// Members that stay as they are, sealed or not.
const STAYING: [&str; 3] = ["gate", "receipts", "agents"];

/// An earlier document, with everything that must not be brought back as it is now.
fn with_present_power(then: &Document, present: &Document) -> Document {
    let Value::Object(mut next) = then.value() else {
        return then.clone();
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
    let edit = then.rewrite(&Value::Object(next));
    let text = edit.apply(then.text().as_bytes());
    let text = text.expect("a rewrite fits its own document");
    Document::from_bytes(text).unwrap_or_else(|_| then.clone())
}

/// Whether a value, or anything in it, carries a seal.
pub(super) fn has_seal(value: &Value) -> bool {
    match value {
        Value::Object(object) => object
            .iter()
            .any(|(name, value)| name == SEAL || has_seal(value)),
        Value::Array(items) => items.iter().any(has_seal),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
