//! The last change of a checkpoint, and taking it back.

use super::{Ending, Workspace, WorkspaceError, is_same_but_bookkeeping};
use crate::document::Document;
use crate::history::{Aborted, EXACT, Event, EventName, Line, Revision};
use crate::key::Key;
use crate::layout::Place;
use crate::operation::Refusal;
use crate::pipeline::{self, Repair};
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

    /// The newest line that begins a change which took effect and is meant. One without our seal counts only if there is no
    /// other.
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
        let mut aborted = Vec::new();
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            let counts = line.counts(sealer);
            if let Some(revision) = line.aborted() {
                aborted.extend(counts.then_some(revision));
                continue;
            }
            let Some(revision) = line.revision().filter(|_| line.files().is_some()) else {
                continue;
            };
            if aborted.contains(&revision) || !is_meant(&line) {
                continue;
            }
            if counts {
                return Ok(Some(line));
            }
            unsealed.get_or_insert(line);
        }
        Ok(unsealed)
    }

    /// Records that the last change never took effect, if it was interrupted, so that nothing takes it back.
    pub(in crate::workspace) fn settle_interrupted(&self, key: &Key) -> Result<(), WorkspaceError> {
        let place = self.whole_place(key);
        let snapshot = self.store.snapshot(&place);
        if snapshot
            .map_err(|error| Purpose::Load.failed(error))?
            .is_interrupted
        {
            let author = self.author("undo", &self.head());
            self.transact(&place, Purpose::Save, &author, &|_| Ok((None, ())))?;
        }
        Ok(())
    }

    /// The last revision before another one that took effect, also in the epoch before the present one.
    fn revision_before(
        &self,
        key: &Key,
        last: &Revision,
        current: &Revision,
        snapshot: &Snapshot,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let mut last = last.clone();
        loop {
            let before = match last.number {
                0 | 1 if last.epoch == current.epoch => self.before_epoch(key, current)?,
                number => Some(Revision {
                    number: number.saturating_sub(1),
                    epoch: last.epoch,
                }),
            };
            match before {
                Some(before)
                    if snapshot.aborted.as_ref() == Some(&before)
                        || !self.is_readable(key, &before)? =>
                {
                    last = before;
                }
                before => return Ok(before),
            }
        }
    }

    /// The last revision of the same epoch before another one that took effect and can be read.
    pub fn readable_before(
        &self,
        key: &Key,
        revision: &Revision,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let mut before = revision.clone();
        while before.number > 1 {
            before.number -= 1;
            if self.is_readable(key, &before)? {
                return Ok(Some(before));
            }
        }
        Ok(None)
    }

    /// Whether a revision took effect, and its document was not damaged then.
    fn is_readable(&self, key: &Key, revision: &Revision) -> Result<bool, WorkspaceError> {
        if self.is_aborted(key, revision)? {
            return Ok(false);
        }
        let found = self.find_revision(&self.whole_place(key), revision);
        let found = found.map_err(|error| Purpose::Load.failed(error))?;
        // What the history does not have ends the search.
        Ok(found.is_none_or(|content| Document::from_bytes(content).is_ok()))
    }

    /// Tells which changes in the history of a document never took effect, while it is read from its end.
    #[must_use]
    pub fn aborted(&self, key: &Key) -> Aborted<'_> {
        let place = self.whole_place(key);
        // Where the document is missing, nothing tells.
        let is_there = self.store.is_there(&place.document().path);
        let snapshot = is_there.then(|| self.store.snapshot(&place).ok()).flatten();
        let last = snapshot.and_then(|snapshot| snapshot.aborted);
        Aborted::new(self.vault().seals(), &place.about, last)
    }

    /// Whether a revision was recorded and never took effect.
    fn is_aborted(&self, key: &Key, revision: &Revision) -> Result<bool, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(false);
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let failed = |source| self.unreadable(key, source);
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            let counts = line.counts(sealer);
            if counts && line.aborted().as_ref() == Some(revision) {
                return Ok(true);
            }
            // What says so comes later.
            if counts && line.revision().as_ref() == Some(revision) {
                break;
            }
        }
        Ok(false)
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
            let nothing = || Refusal::NothingBefore(key.clone());
            let revision = self.revision_before(key, &last, current, snapshot)?;
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
                    true => Ending::TakenUp(self.repair_undone(key, &last)?),
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
        let counts = |line: &Line| line.counts(sealer);
        let is_one = |line: Line| counts(&line) && line.event_name() == Some(EventName::Undone);
        Ok(found.is_some_and(is_one))
    }

    /// Whether a revision took a repair back, or what did so in turn. Only lines that count say so.
    fn repair_undone(&self, key: &Key, revision: &Revision) -> Result<Repair, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(Repair::Missing);
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let failed = |source| self.unreadable(key, source);
        let mut sought = vec![revision.clone()];
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            let is_meant = line.revision().is_some_and(|one| sought.contains(&one));
            if !is_meant || !line.counts(sealer) {
                continue;
            }
            if line.event_name() == Some(EventName::PipelineFixed) {
                return Ok(Repair::Recorded);
            }
            sought.extend(line.taken_back());
        }
        Ok(Repair::Missing)
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
            let counts = line.files().is_some() && line.counts(sealer);
            let found = line.revision().filter(|_| counts);
            if let Some(found) = found.filter(|found| found.epoch != current.epoch) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
