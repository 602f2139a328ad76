//! Archiving finished checkpoints, deleting them, and bringing them back.

use std::path::PathBuf;

use super::error::Purpose;
use super::{Depth, Summary, Workspace, WorkspaceError};
use crate::document::Document;
use crate::history::Revision;
use crate::key::{CommandKey, Fit, Key, closest};
use crate::layout::{KeptAs, PLAN_BACKUP_FILE, Place, TRASH};
use crate::operation::Refusal;
use crate::standing::{Lifecycle, Progress};
use crate::store::{Author, Fate, Group, Label, Packed, StoreError, Wanted};
use crate::time::Timestamp;

/// What happens to a checkpoint that is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFlight {
    /// It is refused.
    Refused,
    /// It is treated like a finished one.
    Accepted,
}

/// A checkpoint in the archive.
#[derive(Debug, Clone)]
pub struct Archived {
    /// Its key.
    pub key: Key,
    /// When it was archived or deleted, as written.
    pub at: String,
    /// Whether it was in flight, complete or abandoned then.
    pub lifecycle: Lifecycle,
    /// How far along it was.
    pub progress: Progress,
    /// Its last revision.
    pub revision: Option<Revision>,
    /// Whether it was deleted.
    pub is_deleted: bool,
    /// The archive.
    pub path: PathBuf,
    kept_as: KeptAs,
}

impl Workspace {
    /// Moves a checkpoint and its history into the archive. The Markdown of a plan stays.
    ///
    /// # Errors
    ///
    /// If there is no such checkpoint, or it is in flight and that is refused.
    pub fn archive(&self, key: &Key, in_flight: InFlight) -> Result<Archived, WorkspaceError> {
        self.put_away(key, in_flight, &Fate::Archived, &[])
    }

    /// Checks that a checkpoint may be archived. Nothing is written.
    ///
    /// # Errors
    ///
    /// If there is no such checkpoint, or it is in flight and that is refused.
    pub fn check_may_archive(&self, key: &Key, in_flight: InFlight) -> Result<(), WorkspaceError> {
        self.check_may_go(key, in_flight).map(drop)
    }

    /// Deletes a checkpoint, with the Markdown of a plan. It can be brought back from the archive. If this is interrupted,
    /// doing it again finishes it.
    ///
    /// # Errors
    ///
    /// If there is no such checkpoint, it is in flight and that is refused, or its gate blocks and may not be removed.
    pub fn delete(&self, key: &Key, in_flight: InFlight) -> Result<Archived, WorkspaceError> {
        if let Some(cut_off) = self.cut_off(key)? {
            self.finish_removal(&cut_off)?;
            return Ok(cut_off);
        }
        let fate = Fate::Deleted(self.deleted_archive(key));
        self.put_away(key, in_flight, &fate, &[])
    }

    /// The archive of a checkpoint that was being deleted or renamed when its removal was cut off.
    pub fn cut_off(&self, key: &Key) -> Result<Option<Archived>, WorkspaceError> {
        let place = self.whole_place(key);
        let files = place.files.iter().map(|file| &file.path);
        if !files
            .chain([&place.history])
            .any(|path| self.store.is_there(path))
        {
            let has_note = self.is_gone_but_for_its_gate(key);
            return Ok(self.deleted_last(key).filter(|_| has_note));
        }
        let Some(last) = self.deleted_last(key) else {
            return Ok(None);
        };
        let is_cut_off = self
            .store
            .is_cut_off(&place, &last.path, &beside(&place, key));
        let is_cut_off = is_cut_off.map_err(|error| Purpose::Load.failed(error))?;
        Ok(is_cut_off.then_some(last))
    }

    /// The checkpoints whose removal was cut off.
    ///
    /// # Errors
    ///
    /// If an archive cannot be read.
    pub fn half_deleted(&self) -> Result<Vec<Key>, WorkspaceError> {
        let deleted = self.labelled(Group::Deleted, &|_| true);
        let mut keys: Vec<Key> = deleted.into_iter().map(|one| one.key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut found = Vec::new();
        for key in keys {
            if self.cut_off(&key)?.is_some() {
                found.push(key);
            }
        }
        Ok(found)
    }

    /// The archives of the checkpoints that were deleted under this key.
    pub(super) fn deleted_under(&self, key: &Key) -> Vec<Archived> {
        let of_key = KeptAs::of(key);
        let mut deleted = self.labelled(Group::Deleted, &|kept_as| *kept_as == of_key);
        deleted.retain(|archived| archived.key == *key);
        deleted
    }

    /// The archive of the checkpoint that was deleted last under this key.
    fn deleted_last(&self, key: &Key) -> Option<Archived> {
        let deleted = self.deleted_under(key);
        deleted.into_iter().max_by(|one, two| one.at.cmp(&two.at))
    }

    /// Whether there is no such command, and its gate is still noted.
    fn is_gone_but_for_its_gate(&self, key: &Key) -> bool {
        match key {
            Key::Command(command) => self.gated().contains(command) && !self.has(key),
            Key::Pipeline(_) | Key::Plan(_) => false,
        }
    }

    /// Removes what is left of a checkpoint whose removal was cut off. Returns whether anything was.
    pub(super) fn finish_removal(&self, cut_off: &Archived) -> Result<bool, WorkspaceError> {
        let (key, place) = (&cut_off.key, self.whole_place(&cut_off.key));
        let author = self.author("delete", &self.head());
        let beside = beside(&place, key);
        // Somebody may begin another one of its name at any time.
        let alone = self.holding(&place, &author)?;
        let removed = alone
            .store
            .finish_removal(&place, &author, &cut_off.path, &beside);
        let removed = removed.map_err(|error| Purpose::Move.failed(error))?;
        if let Key::Command(command) = key
            && alone.is_gone_but_for_its_gate(key)
            && !self.forget_gate(command)
            && !removed
        {
            return Err(Refusal::GateStays(command.into()).into());
        }
        Ok(removed)
    }

    /// The archive of a checkpoint that is deleted now.
    pub(super) fn deleted_archive(&self, key: &Key) -> PathBuf {
        let time = self.now().for_file_name();
        let path = self.layout.archive_directory().join(TRASH);
        path.join(KeptAs::of(key).deleted(&time))
    }

    /// Moves a checkpoint into an archive. What people write too must be as it is expected to be, where that is known.
    pub(super) fn put_away(
        &self,
        key: &Key,
        in_flight: InFlight,
        fate: &Fate,
        expected: &[(String, Vec<u8>)],
    ) -> Result<Archived, WorkspaceError> {
        self.finish_renamings();
        let place = self.whole_place(key);
        if !self.has(key) && self.lost_archive_of(&place).is_none() {
            return Err(Refusal::Missing(key.clone()).into());
        }
        let doing = match fate {
            Fate::Archived => "archive",
            Fate::Deleted(_) => "delete",
            Fate::Renamed(..) => "rename",
        };
        let author = self.author(doing, &self.head());
        let alone = self.holding(&place, &author)?;
        // A refusal writes nothing, and what is archived stays so.
        match alone.archived_at(&place) {
            // Another process was faster.
            Some(archived) if !fate.takes_all() => return Ok(archived),
            Some(archived) => {
                check_ended(key, archived.lifecycle, in_flight)?;
                if let Key::Command(command) = key {
                    alone.check_gate_may_go(command)?;
                }
                alone.ensure_unarchived(&place)?;
            }
            None => {
                alone.ensure_unarchived(&place)?;
                alone.ensure_not_lost(&place)?;
            }
        }
        alone.put_away_alone(key, in_flight, fate, &author, expected)
    }

    /// Refuses to move a checkpoint into an archive that is not there, or is in flight and should not be.
    fn check_may_go(&self, key: &Key, in_flight: InFlight) -> Result<Summary, WorkspaceError> {
        let summary = self.summary_of_any(key)?;
        check_ended(key, summary.lifecycle, in_flight)?;
        Ok(summary)
    }

    fn put_away_alone(
        &self,
        key: &Key,
        in_flight: InFlight,
        fate: &Fate,
        author: &Author,
        expected: &[(String, Vec<u8>)],
    ) -> Result<Archived, WorkspaceError> {
        let summary = self.check_may_go(key, in_flight)?;
        let gated = match key {
            Key::Command(command) if fate.takes_all() => Some(command),
            _ => None,
        };
        if let Some(command) = gated {
            self.check_gate_may_go(command)?;
        }
        let place = self.whole_place(key);
        let saved = |error| Purpose::Move.failed(error);
        let transaction = self.store.begin(&place, author).map_err(saved)?;
        let files = place.files.iter().zip(&transaction.snapshot().contents);
        for (file, content) in files {
            let expected = expected.iter().find(|(name, _)| *name == file.name);
            if expected.is_some_and(|(_, expected)| content.as_ref() != Some(expected)) {
                let path = file.path.clone();
                return Err(saved(StoreError::Contested { path }));
            }
        }
        let at = self.now();
        let label = Label {
            key: key.to_string(),
            at: at.to_string(),
            lifecycle: summary.lifecycle.word().to_owned(),
            progress: (summary.progress.done as u64, summary.progress.total as u64),
            revision: None,
        };
        let beside = beside(&place, key);
        let path = fate.archive(&place).to_owned();
        if !transaction.archive(label, &beside, fate).map_err(saved)? {
            return Err(Refusal::Missing(key.clone()).into());
        }
        if let Some(command) = gated {
            let _ = self.drop_note(command);
        }
        (self.options.wake)(self);
        let deleted_at = KeptAs::deleted_at(&path).filter(|_| fate.takes_all());
        Ok(Archived {
            key: key.clone(),
            at: deleted_at.unwrap_or_else(|| at.to_string()),
            lifecycle: summary.lifecycle,
            progress: summary.progress,
            revision: None,
            is_deleted: fate.takes_all(),
            path,
            kept_as: place.kept_as,
        })
    }

    fn summary_of_any(&self, key: &Key) -> Result<Summary, WorkspaceError> {
        let (summaries, problems) = self.list(Depth::WithoutGit)?;
        let found = summaries.into_iter().find(|summary| summary.key == *key);
        let stem = KeptAs::of(key);
        let problem = || {
            problems
                .into_iter()
                .find(|problem| problem.stem == stem.stem())
        };
        match found {
            Some(summary) => Ok(summary),
            None => Err(problem().map_or_else(
                || Refusal::Missing(key.clone()).into(),
                |problem| problem.error,
            )),
        }
    }

    /// Refuses to let go of the gate of a command if whoever asks may not do that. The gate stays for now.
    pub(super) fn check_gate_may_go(&self, command: &CommandKey) -> Result<(), WorkspaceError> {
        let is_noted = self.gated().contains(command);
        match is_noted && !self.may_forget_gate(command) {
            true => Err(Refusal::GateStays(command.into()).into()),
            false => Ok(()),
        }
    }

    /// The place of a document, with all the files that it has now.
    pub(super) fn whole_place(&self, key: &Key) -> Place {
        match key {
            Key::Plan(id) => self.plan(id).place(),
            _ => self.layout.place(key),
        }
    }

    /// The checkpoints in the archive, those that were deleted last.
    #[must_use]
    pub fn archived(&self) -> Vec<Archived> {
        self.archived_of(&|_| true)
    }

    fn archived_of(&self, wanted: Wanted<'_>) -> Vec<Archived> {
        let mut found = self.labelled(Group::Archived, wanted);
        found.extend(self.labelled(Group::Deleted, wanted));
        found
    }

    fn labelled(&self, group: Group, wanted: Wanted<'_>) -> Vec<Archived> {
        let is_deleted = group == Group::Deleted;
        let labels = self.store.labels(group, wanted).into_iter();
        labels
            .filter_map(|(path, label)| self.labelled_as(path, label, is_deleted))
            // What is in its place is not archived, whatever was left by a crash.
            .filter(|one| is_deleted || self.store.is_archived(&self.layout.place(&one.key)))
            .collect()
    }

    /// What an archive says about itself.
    pub(super) fn labelled_as(
        &self,
        path: PathBuf,
        label: Label,
        is_deleted: bool,
    ) -> Option<Archived> {
        let key = Key::parse(&label.key).ok()?;
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        // An archive that made way for another one was deleted then.
        let moved_at = KeptAs::deleted_at(&path).filter(|_| is_deleted);
        Some(Archived {
            kept_as: KeptAs::of(&key),
            key,
            at: moved_at.unwrap_or(label.at),
            lifecycle: Lifecycle::of_word(&label.lifecycle)?,
            progress: Progress {
                done: number(label.progress.0),
                total: number(label.progress.1),
            },
            revision: label.revision,
            is_deleted,
            path,
        })
    }

    /// Finds what a user typed in the archive. Of several that were deleted under the same name, the last one.
    #[must_use]
    pub fn find_archived(&self, typed: &str) -> Option<Archived> {
        let mut all = self.archived_of(&|kept_as| may_be_called(kept_as, typed));
        all.sort_by(|one, two| (one.is_deleted, &two.at).cmp(&(two.is_deleted, &one.at)));
        closest(all, |archived| archived.fit(typed))
    }

    /// Whether the checkpoint of a key is archived, and not deleted.
    #[must_use]
    pub fn is_archived(&self, key: &Key) -> bool {
        self.store.is_archived(&self.layout.place(key))
    }

    /// Brings a checkpoint back from the archive.
    ///
    /// # Errors
    ///
    /// If its archive cannot be used, or there is a checkpoint of that name by now.
    pub fn unarchive(&self, archived: &Archived) -> Result<Option<Revision>, WorkspaceError> {
        let author = self.author("unarchive", &self.head());
        // Somebody may begin another one of its name at any time.
        let alone = self.holding(&self.layout.place(&archived.key), &author)?;
        let back = alone.unarchive_alone(archived, &author)?;
        (self.options.wake)(self);
        Ok(back)
    }

    fn unarchive_alone(
        &self,
        archived: &Archived,
        author: &Author,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let key = &archived.key;
        let load = |error| Purpose::Load.failed(error);
        let in_the_way = || Err(Refusal::InTheWay(key.clone()).into());
        let place = self.layout.place(key);
        let packed = self
            .store
            .read_packed(&place, &archived.path)
            .map_err(load)?;
        let packed = packed.ok_or_else(|| Refusal::Missing(key.clone()))?;
        let is_there = self.store.is_there(&place.document().path);
        let place = self.place_of_packed(&archived.kept_as, &packed)?;
        if is_there && !self.store.is_back(&place, &packed).map_err(load)? {
            let whole = self.whole_place(key);
            let beside = beside(&whole, key);
            let cut_off = self.store.is_cut_off(&whole, &archived.path, &beside);
            if !cut_off.map_err(load)? {
                return in_the_way();
            }
        }
        if !self.store.has_no_other(&place, &packed).map_err(load)? {
            return in_the_way();
        }
        let document = packed.file(&place.document().name).cloned();
        if let Some(document) = document.and_then(|text| Document::from_bytes(text).ok()) {
            // Before it is back, so that no crash leaves it without. If it is over, its note is as it was.
            self.note_gate(key, true, document.root());
        }
        let beside = beside(&place, key);
        let back = self
            .store
            .unarchive(&place, author, &archived.path, &beside);
        back.map_err(|error| Purpose::Move.failed(error))
    }

    pub(super) fn place_of_packed(
        &self,
        kept_as: &KeptAs,
        packed: &Packed,
    ) -> Result<Place, WorkspaceError> {
        let names = packed.files.iter().map(|(name, _)| name);
        let names: Vec<String> = names.chain(&packed.damaged).cloned().collect();
        Ok(self.layout.place_of(kept_as, &names)?)
    }

    /// What the archive of a checkpoint says about itself; `None` if it is not archived, or cannot be read.
    #[must_use]
    pub fn archived_as(&self, key: &Key) -> Option<Archived> {
        self.archived_at(&self.layout.place(key))
    }

    fn archived_at(&self, place: &Place) -> Option<Archived> {
        if !self.store.is_archived(place) {
            return None;
        }
        let label = self.store.label_of(&place.archive)?;
        self.labelled_as(place.archive.clone(), label, false)
    }

    /// Brings a document back if it is archived and about to be changed.
    pub(super) fn ensure_unarchived(&self, place: &Place) -> Result<(), WorkspaceError> {
        if !self.store.is_there(&place.archive) {
            return Ok(());
        }
        if !self.store.is_archived(place) {
            self.bring_history_back(place);
            return self.settle_archive(place);
        }
        let author = self.author("unarchive", &self.head());
        let alone = self.holding(place, &author)?;
        let archived = match alone.archived_at(place) {
            Some(archived) => Some(archived),
            // If it cannot be read, it says why: nothing new may take its place. If only its header cannot, its copy has one.
            None => {
                let read = alone.store.read_archive(place);
                let read = read.map_err(|error| Purpose::Load.failed(error))?;
                read.and_then(|packed| self.labelled_as(place.archive.clone(), packed.label, false))
            }
        };
        // Without one, somebody has brought it back while we waited.
        if let Some(archived) = archived {
            alone.unarchive_alone(&archived, &author)?;
            (self.options.wake)(self);
        }
        Ok(())
    }

    /// Brings the history back of an archived document that somebody has put in its place again, as a checkout does.
    fn bring_history_back(&self, place: &Place) {
        let is_alone = |workspace: &Self| {
            let store = &workspace.store;
            !store.is_there(&place.history) && store.is_there(&place.document().path)
        };
        if !is_alone(self) {
            return;
        }
        let author = self.author("unarchive", &self.head());
        let Ok(alone) = self.holding(place, &author) else {
            return;
        };
        if is_alone(&alone) {
            // An archive that cannot be used is not ours, or damaged. It stays where it is.
            let _ = alone.store.unarchive(place, &author, &place.archive, &[]);
        }
    }

    /// Settles the archive of a document that is in its place: it was left when archiving it, or bringing it back, was cut off.
    /// Once the document is gone, it would come back as it was then.
    fn settle_archive(&self, place: &Place) -> Result<(), WorkspaceError> {
        if !self.store.is_there(&place.archive) {
            return Ok(());
        }
        let author = self.author("archive", &self.head());
        let alone = self.holding(place, &author)?;
        let settled = alone.store.settle_archive(place);
        settled.map_err(|error| Purpose::Move.failed(error))
    }

    /// The document of an archived checkpoint.
    pub(super) fn archived_document(&self, place: &Place) -> Result<Option<Document>, StoreError> {
        let name = &place.document().name;
        let has_document = |packed: &Packed| packed.files.iter().any(|(known, _)| known == name);
        let Some(packed) = self.store.read_what_is_left(place, has_document)? else {
            return Ok(None);
        };
        let content = packed.files.into_iter().find(|(known, _)| known == name);
        Ok(content.and_then(|(_, content)| Document::from_bytes(content).ok()))
    }

    /// Removes an archive for good.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    pub fn forget_archive(&self, archived: &Archived) -> Result<(), WorkspaceError> {
        if let Some((_, id)) = self.own_mirror() {
            self.drop_outlived(&id, &archived.key, archived.revision.as_ref())?;
        }
        let forgotten = self.store.forget_archive(&archived.path);
        forgotten.map_err(|error| Purpose::Move.failed(error))
    }
}

impl Archived {
    /// The name that means this one alone: its key, and for one that was deleted the time too, as in
    /// `implement/auth@2026-01-29T10:30:00.000Z`.
    #[must_use]
    pub fn name(&self) -> String {
        match self.is_deleted {
            true => name_of_deleted(&self.key.short(), &self.at),
            false => self.key.short(),
        }
    }

    /// How well one of its names fits what was typed. Of the time, the seconds are enough.
    pub(super) fn fit(&self, typed: &str) -> Option<Fit> {
        let deleted_at = self.is_deleted.then_some(self.at.as_str());
        fit_of(&self.key, deleted_at, typed)
    }

    /// Whether it was archived or deleted before a time.
    #[must_use]
    pub fn is_older_than(&self, time: Timestamp) -> bool {
        Timestamp::parse(&self.at).is_some_and(|at| at < time)
    }
}

/// The name that means one deleted checkpoint alone.
pub(super) fn name_of_deleted(name: &str, at: &str) -> String {
    format!("{name}@{at}")
}

/// Whether an archive may be of a checkpoint that is called like this, with the time of its deletion or without.
pub(super) fn may_be_called(kept_as: &KeptAs, typed: &str) -> bool {
    let exact = typed.rsplit_once('@');
    kept_as.may_be_called(typed) || exact.is_some_and(|(key, _)| kept_as.may_be_called(key))
}

/// How well a name of an archived checkpoint fits what was typed. That of one that was deleted may end in the time; the seconds
/// are enough.
pub(super) fn fit_of(key: &Key, deleted_at: Option<&str>, typed: &str) -> Option<Fit> {
    let is_then = |time: &str| {
        let at = deleted_at.and_then(Timestamp::parse);
        let (Some(typed), Some(at)) = (Timestamp::typed(time), at) else {
            return false;
        };
        let second = |time: Timestamp| time.as_millisecond().div_euclid(1_000);
        typed == at || (!time.contains('.') && second(typed) == second(at))
    };
    let exact = typed.rsplit_once('@').filter(|(_, time)| is_then(time));
    key.fit(typed).or_else(|| key.fit(exact?.0))
}

/// Refuses a checkpoint that is in flight where it should not be.
fn check_ended(key: &Key, lifecycle: Lifecycle, in_flight: InFlight) -> Result<(), WorkspaceError> {
    match lifecycle == Lifecycle::InFlight && in_flight == InFlight::Refused {
        true => Err(Refusal::InFlight(key.clone()).into()),
        false => Ok(()),
    }
}

/// The files that are archived with a document, and are not part of its history.
pub(super) fn beside(place: &Place, key: &Key) -> Vec<PathBuf> {
    match key {
        Key::Plan(_) => vec![place.history.with_file_name(PLAN_BACKUP_FILE)],
        Key::Command(_) | Key::Pipeline(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
