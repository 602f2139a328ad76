//! The last change of a checkpoint, and taking it back.

use super::{Ending, Workspace, WorkspaceError, is_same_but_bookkeeping};
use crate::document::Document;
use crate::history::{EXACT, Event, EventName, Line, Revision};
use crate::key::Key;
use crate::layout::Place;
use crate::operation::Refusal;
use crate::pipeline;
use crate::store::{Proposal, Snapshot};
use crate::workspace::change::Outcome;
use crate::workspace::error::Purpose;

/// The event of taking a revision back.
pub(in crate::workspace) fn event_about(revision: &Revision) -> Event {
    Event::new(EventName::Undone)
        .with(EventName::Undone.as_str(), revision.number)
        .with(EXACT, revision.to_string())
}

impl Workspace {
    /// The last change of a document: the line that began it. `None` without a history.
    pub fn last_change(&self, key: &Key) -> Result<Option<Line>, WorkspaceError> {
        self.newest_change(key, &|_| true)
    }

    /// The last change that changed more than bookkeeping.
    pub fn last_effect(&self, key: &Key) -> Result<Option<Line>, WorkspaceError> {
        if let Key::Plan(id) = key {
            let plan = self.plan(id);
            return self.newest_change(key, &|line| plan.has_effect(line).unwrap_or(true));
        }
        let place = self.layout.place(key);
        self.newest_change(key, &|line| {
            match self.documents_around(key, &place, line) {
                Ok(Some((before, after))) => !is_same_but_bookkeeping(&before, &after),
                Ok(None) => false,
                // What cannot be compared may have changed anything.
                Err(_) => true,
            }
        })
    }

    /// The newest line that begins a change and is meant. One without our seal counts only if there is no other.
    fn newest_change(
        &self,
        key: &Key,
        is_meant: &dyn Fn(&Line) -> bool,
    ) -> Result<Option<Line>, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(None);
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let failed = |source| self.unreadable(key, source);
        let mut unsealed = None;
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            if line.revision().is_none() || line.files().is_none() || !is_meant(&line) {
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
        let failed = |source| self.unreadable(key, source);
        let mut undone = None;
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            let begins = line.files().is_some();
            match undone {
                // What was edited by hand before is told first in the same revision.
                None => undone = line.undone(),
                Some(_) if begins && line.revision() == undone => return Ok(Some(line)),
                Some(_) => {}
            }
            if undone.is_none() && begins {
                break;
            }
        }
        Ok(None)
    }

    /// All lines about a change, in the order in which they were written. `first` is the one that began it.
    pub fn lines_of(&self, key: &Key, first: &Line) -> Result<Vec<Line>, WorkspaceError> {
        let mut lines = Vec::new();
        let Some(history) = self.history(key)? else {
            return Ok(lines);
        };
        let failed = |source| self.unreadable(key, source);
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            if line.revision() != first.revision() {
                continue;
            }
            let begins = line.raw() == first.raw();
            lines.push(line);
            if begins {
                break;
            }
        }
        lines.reverse();
        Ok(lines)
    }

    /// The proposal that takes back the last change that had an effect.
    pub(super) fn without_last(
        &self,
        key: &Key,
        place: &Place,
        snapshot: &Snapshot,
        (current, present): (&Revision, &Document),
    ) -> Result<(Option<Proposal>, Outcome), WorkspaceError> {
        // An edit by another program is a change of its own, and is counted already.
        let mut last = current.clone();
        let mut after = present.value();
        loop {
            let revision = match last.number {
                0 | 1 if last.epoch == current.epoch => self.before_epoch(key, current)?,
                number => Some(Revision {
                    number: number.saturating_sub(1),
                    epoch: last.epoch.clone(),
                }),
            };
            let nothing = || Refusal::NothingBefore(key.clone());
            let revision = revision.ok_or_else(nothing)?;
            let then = self.document_then(place, &revision)?.ok_or_else(nothing)?;
            let before = then.value();
            if !is_same_but_bookkeeping(&before, &after) {
                // What begins an epoch was found, not done.
                if revision.epoch != last.epoch {
                    return Err(nothing().into());
                }
                let event = event_about(&last);
                let ending = match self.is_undo(key, &last)? {
                    true => Ending::TakenUp,
                    false => Ending::Refused,
                };
                let (proposal, outcome) =
                    self.returning(key, snapshot, (&then, present), event, ending)?;
                if let (None, Key::Pipeline(id)) = (&proposal, key) {
                    pipeline::check_account(id, &before, &present.value())?;
                }
                return Ok((proposal, outcome));
            }
            last = revision;
            after = before;
        }
    }

    /// Whether a revision took something back. A line without our seal says so only where there is no key.
    fn is_undo(&self, key: &Key, revision: &Revision) -> Result<bool, WorkspaceError> {
        let found = self.newest_change(key, &|line| line.revision().as_ref() == Some(revision))?;
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let counts = |line: &Line| line.is_vouched(sealer) || !sealer.has_key();
        let is_one = |line: Line| counts(&line) && line.event_name() == Some(EventName::Undone);
        Ok(found.is_some_and(is_one))
    }

    pub(super) fn document_then(
        &self,
        place: &Place,
        revision: &Revision,
    ) -> Result<Option<Document>, WorkspaceError> {
        let found = self.find_revision(place, revision);
        let found = found.map_err(|error| Purpose::Load.failed(error))?;
        Ok(found.and_then(|bytes| Document::from_bytes(bytes).ok()))
    }

    /// The last revision of the epoch before the present one. Lines without our seal count only where there is no key.
    fn before_epoch(
        &self,
        key: &Key,
        current: &Revision,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(None);
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let failed = |source| self.unreadable(key, source);
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            let counts = line.files().is_some() && (line.is_vouched(sealer) || !sealer.has_key());
            let found = line.revision().filter(|_| counts);
            if let Some(found) = found.filter(|found| found.epoch != current.epoch) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
