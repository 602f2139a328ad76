//! Bringing back the files of a document that are missing.
//!
//! A history leads to every content that it names. So if files are missing, they get the content of the last revision
//! again, and if the history itself is missing, it is taken from its copy. What is there stays as it is.

use std::io;

use super::append::Repeated;
use super::error::{Action, StoreError};
use super::files::{Author, FileStore, read_if_there};
use super::mirror::{Agreement, Coverage, Followed, carry};
use super::replace::{replace, sync_parent, temporary_path};
use super::shared::{Shared, Swap};
use crate::disk::{DiskFile, Mode};
use crate::history::{self, Backward, Event, EventName, Line, Revision};
use crate::layout::{Place, Role};
use crate::seal::{Domain, Sealer, Seals};

/// What was brought back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Revived {
    /// The revision that the document has.
    pub revision: Revision,
    /// When that was made, as written.
    pub at: Option<String>,
    /// The document, if it was missing.
    pub document: Option<Vec<u8>>,
    /// The names of the files that were missing.
    pub files: Vec<String>,
    /// Whether the history was missing too.
    pub history: bool,
}

impl FileStore {
    /// The seals that count in the copy of a history. One whose lines carry none was written before there was a key. It is
    /// in the git directory, where no clone can bring it.
    pub(crate) fn seals_in_copy(&self, about: &str, copy: &dyn DiskFile) -> io::Result<&Seals> {
        const NO_SEALS: &Seals = &Seals::none();
        let seals = self.vault().seals_of_any_time();
        let sealer = Sealer::new(seals, Domain::History, about);
        if !seals.has_key() || history::tail(copy, sealer)?.is_some() {
            return Ok(seals);
        }
        for line in Backward::new(copy)? {
            let line = line?;
            if line.claims_to_be_ours() {
                return Ok(match line.is_without_seal() {
                    true => NO_SEALS,
                    false => seals,
                });
            }
        }
        Ok(seals)
    }

    /// Brings back the missing files of a document, with the content of the last revision that can be rebuilt. A history
    /// that is missing, or lacks its end, is completed from its copy first. `None` if no line that we have sealed says what
    /// to bring back.
    ///
    /// If this is interrupted, doing it again finishes it.
    pub(crate) fn revive(
        &self,
        place: &Place,
        author: &Author,
        copy: Option<&dyn DiskFile>,
    ) -> Result<Option<Revived>, StoreError> {
        // A change in between would come before the line that says what was brought back.
        let alone = self.holding(place, author)?;
        let prepared = self.directories().prepare(self.disk(), place)?;
        if let Some(reason) = self.vault().failure() {
            return Err(StoreError::Unchecked(reason.clone()));
        }
        let seals = match copy {
            Some(copy) => self.seals_in_copy(&prepared.about, copy),
            None => Ok(self.vault().seals_of_any_time()),
        };
        let seals = seals.map_err(|source| StoreError::history(&prepared.history, source))?;
        let is_completed = self.complete_history(&prepared, author, (copy, seals))?;
        let read = |source| StoreError::history(&prepared.history, source);
        let Some(history) = self.open_history(&prepared.history)? else {
            return Ok(None);
        };
        let sealer = prepared.sealer(seals);
        let Some(tail) = history::tail(&*history, sealer).map_err(read)? else {
            return Ok(None);
        };
        let revision = Revision {
            number: tail.number,
            epoch: Some(tail.epoch),
        };
        let counts = |line: &Line| line.counts(sealer);
        let mut missing = Vec::new();
        for file in &prepared.files {
            let known = tail.files.iter().find(|known| known.name == file.name);
            let was_there = known.is_some_and(|known| known.to.is_some());
            if was_there && read_if_there(self.disk(), &file.path)?.is_none() {
                missing.push(file);
            }
        }
        let names: Vec<&str> = missing.iter().map(|file| file.name.as_str()).collect();
        let rebuilt = history::rebuild(&*history, &names, &revision, &counts);
        let Some(mut rebuilt) = rebuilt.map_err(read)? else {
            return Ok(None);
        };
        let revision = rebuilt.revision;
        let mut document = None;
        let mut files = Vec::new();
        for file in missing {
            let Some(content) = rebuilt.contents.remove(&file.name) else {
                continue;
            };
            match file.role {
                Role::Own => {
                    replace(self.disk(), &file.path, &content, prepared.mode)?;
                    document = Some(content);
                }
                Role::Shared => {
                    let shared = Shared::new(self.disk(), self.lock_wait());
                    if !matches!(
                        shared.create(&file.path, &content, Mode::Umask)?,
                        Swap::Done
                    ) {
                        // Somebody has written it just now.
                        continue;
                    }
                }
            }
            files.push(file.name.clone());
        }
        let at = made_at(&*history, &revision).map_err(read)?;
        if !is_completed && !files.is_empty() {
            let event = Event::new(EventName::Recovered);
            alone.remark(place, author, &event, Repeated::EachTime)?;
        }
        let _ = alone.catch_up(place, author);
        Ok(Some(Revived {
            revision,
            at,
            document,
            files,
            history: is_completed,
        }))
    }

    /// Adds to the copy of a history what it lacks, however much that is.
    pub(crate) fn catch_up(&self, place: &Place, author: &Author) -> Result<(), StoreError> {
        let Some(mirror) = self.mirror() else {
            return Ok(());
        };
        if self
            .coverage(place)?
            .is_none_or(|found| found == Coverage::Whole)
        {
            return Ok(());
        }
        let _lock = self.lock(place, author)?;
        match self.history(place)? {
            Some(history) => {
                let sealer = place.sealer(self.vault().seals());
                let (disk, now) = (self.disk(), self.now());
                if mirror.complete(disk, &place.kept_as, &*history, sealer, now)? == Followed::Yes {
                    self.owe_nothing(&place.kept_as);
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// How much of a document's history its copy has; `None` without a history.
    pub(crate) fn coverage(&self, place: &Place) -> Result<Option<Coverage>, StoreError> {
        let (Some(mirror), Some(history)) = (self.mirror(), self.history(place)?) else {
            return Ok(None);
        };
        let coverage = mirror.coverage(self.disk(), &place.kept_as, &*history);
        let failed = |source| StoreError::history(&place.history, source);
        coverage.map(Some).map_err(failed)
    }

    /// What reading a document's history and its copy throughout shows; `None` unless there are both.
    pub(crate) fn agreement(&self, place: &Place) -> Result<Option<Agreement>, StoreError> {
        let (Some(mirror), Some(history)) = (self.mirror(), self.history(place)?) else {
            return Ok(None);
        };
        let Some(id) = mirror.id(self.disk()) else {
            return Ok(None);
        };
        let failed = |source| StoreError::history(&place.history, source);
        let copy = mirror.open(self.disk(), &id, &place.kept_as);
        let Some(copy) = copy.map_err(failed)? else {
            return Ok(None);
        };
        let sealer = place.sealer(self.vault().seals());
        let found = Agreement::of(&*history, &*copy, sealer);
        found.map(Some).map_err(failed)
    }

    /// Restores the copy of a history from it, if the copy is damaged. Returns whether it was.
    pub(crate) fn mend_copy(&self, place: &Place, author: &Author) -> Result<bool, StoreError> {
        let is_damaged = |found| found == Some(Agreement::CopyDamaged);
        if !is_damaged(self.agreement(place)?) {
            return Ok(false);
        }
        let _lock = self.lock(place, author)?;
        if !is_damaged(self.agreement(place)?) {
            return Ok(false);
        }
        if let (Some(mirror), Some(history)) = (self.mirror(), self.history(place)?) {
            mirror.restore(self.disk(), &place.kept_as, &*history)?;
        }
        Ok(true)
    }

    /// Takes a history from its copy if it is missing or damaged, or if the copy goes on where the history ends. Returns whether it
    /// did. It then ends with a line that says so: if that is the last line, the files may not be back yet. The copy may
    /// lack the last revisions, so the next change begins a new epoch.
    fn complete_history(
        &self,
        place: &Place,
        author: &Author,
        (copy, seals): (Option<&dyn DiskFile>, &Seals),
    ) -> Result<bool, StoreError> {
        let Some(copy) = copy else {
            return Ok(false);
        };
        let path = &place.history;
        let failed = |source| StoreError::io(Action::Write, path, source);
        let length = copy.length().map_err(failed)?;
        let copied = place.sealer(seals);
        let Some(tail) = history::tail(copy, copied).map_err(failed)? else {
            return Ok(false);
        };
        let event = Event::new(EventName::Recovered).with(history::FROM_COPY, true);
        let sealer = place.sealer(self.vault().seals_for_writing());
        let line = self.remark_after(&tail, author, &event, sealer);
        if let Some(present) = self.open_history(path)? {
            let found = Agreement::of(&*present, copy, copied).map_err(failed)?;
            if found != Agreement::HistoryDamaged {
                return Ok(false);
            }
        }
        // The document's temporary file, which the next change would reuse after a crash.
        let temporary = temporary_path(&place.document().path);
        let mut file = self
            .disk()
            .create(&temporary, Mode::Private)
            .map_err(failed)?;
        let written = carry(copy, 0..length, &mut *file)
            .and_then(|()| file.write(line.as_bytes()))
            .and_then(|()| file.sync());
        if let Err(source) = written {
            let _ = self.disk().remove(&temporary);
            return Err(failed(source));
        }
        self.disk().rename(&temporary, path).map_err(failed)?;
        sync_parent(self.disk(), path)?;
        Ok(true)
    }
}

/// When a revision of a history was made, as written.
fn made_at(history: &dyn DiskFile, revision: &Revision) -> io::Result<Option<String>> {
    for line in Backward::new(history)? {
        let line = line?;
        if line.files().is_some() && line.revision().as_ref() == Some(revision) {
            return Ok(line.time().map(std::borrow::Cow::into_owned));
        }
    }
    Ok(None)
}
