//! Checkpoints that are missing while the mirror has them, and bringing them back.

mod archives;
mod deleted;
mod left;
mod unusable;

use std::fmt;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use archives::LostArchive;
pub use deleted::DeletedCopy;
pub use left::LeftHistory;
pub use unusable::UnusableCopy;

use super::command::key_of;
use super::error::Purpose;
use super::{PlanOutcome, Workspace, WorkspaceError};
use crate::command::Checkpoint;
use crate::disk::DiskFile;
use crate::document::Document;
use crate::history::{self, Backward, Damage, EventName, Line, Revision};
use crate::key::{Key, closest};
use crate::layout::{KeptAs, Place, PlaceFile};
use crate::operation::Refusal;
use crate::pipeline::Pipeline;
use crate::plan::{self, Freed, Outline};
use crate::seal::{Domain, Sealer};
use crate::standing::{Lifecycle, Progress};
use crate::store::{
    Action, Agreement, Author, Coverage, Label, Mirror, Revived, StoreError, WorktreeId,
    damaged_lines,
};

/// A checkpoint that is missing here, or whose history is, while the mirror has it.
#[derive(Debug, Clone)]
pub struct Lost {
    /// Its key.
    pub key: Key,
    /// The last revision that the mirror has.
    pub revision: Revision,
    /// When that was made, as written.
    pub at: Option<String>,
    /// Whether it was in flight, complete or abandoned.
    pub lifecycle: Lifecycle,
    /// How far along it was.
    pub progress: Progress,
    /// The worktree that it was in, if that is gone.
    pub worktree: Option<PathBuf>,
    /// What of it is missing.
    pub part: LostPart,
    id: WorktreeId,
    kept_as: KeptAs,
}

/// What of a checkpoint is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostPart {
    /// All of it.
    Whole,
    /// The state of a plan whose Markdown is still there.
    State,
    /// Its history; the document is still there.
    History,
    /// Lines of its history, which cannot be read or are gone.
    Lines,
}

/// How closely a history is compared with its copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closeness {
    /// Their lengths, and the end of the copy: what every command can afford.
    Ends,
    /// All of both.
    Throughout,
}

impl LostPart {
    /// Whether only the history has lost anything.
    #[must_use]
    pub fn is_history(self) -> bool {
        matches!(self, Self::History | Self::Lines)
    }
}

/// Called when a change has brought back what was missing of its checkpoint, before it is made.
#[derive(Clone)]
pub struct Returning(Arc<TellReturned>);

type TellReturned = dyn Fn(&BroughtBack) + Send + Sync;

impl Returning {
    /// Reports to this function.
    pub fn new(tell: impl Fn(&BroughtBack) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }
}

impl fmt::Debug for Returning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Returning")
    }
}

/// A checkpoint that was brought back.
#[derive(Debug, Clone)]
pub struct BroughtBack {
    /// Its key.
    pub key: Key,
    /// The revision that it has again.
    pub revision: Revision,
    /// When that was made, as written.
    pub at: Option<String>,
    /// How far along it is.
    pub progress: Progress,
    /// The files that were missing.
    pub files: Vec<String>,
    /// Whether its history was missing too.
    pub history: bool,
    /// The damaged lines of the copy that it was brought back from.
    pub damage: Damage,
    /// The tasks of a plan whose claims do not come back with it.
    pub freed: Vec<Freed>,
}

/// How well the mirror covers the histories of this worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MirrorHealth {
    /// The histories that are copied whole.
    pub whole: usize,
    /// The checkpoints whose copies lack something.
    pub behind: Vec<Key>,
    /// The checkpoints whose copies are damaged, while their histories have all that can be read of them.
    pub damaged: Vec<Key>,
    /// The checkpoints of which the history and its copy each have something that the other has not.
    pub apart: Vec<Key>,
    /// What is in the way of copies, such as a symbolic link. It is not followed.
    pub obstacles: Vec<PathBuf>,
}

/// What a copy tells about its document.
struct Copied {
    key: Key,
    place: Place,
    revision: Revision,
    at: Option<String>,
    document: Option<Document>,
}

impl Workspace {
    /// The checkpoints that are missing in this worktree, while the mirror has them.
    #[must_use]
    pub fn lost(&self) -> Vec<Lost> {
        self.lost_as_seen(Closeness::Ends)
    }

    /// The same, with those whose histories differ from their copies anywhere because they are damaged. This reads all of
    /// both.
    #[must_use]
    pub fn lost_or_damaged(&self) -> Vec<Lost> {
        self.lost_as_seen(Closeness::Throughout)
    }

    /// What of one checkpoint is missing or damaged in this worktree, while the mirror has it.
    #[must_use]
    pub fn loss_of(&self, key: &Key) -> Option<Lost> {
        self.lost_of(&self.layout.place(key)).ok().flatten()
    }

    fn lost_as_seen(&self, closeness: Closeness) -> Vec<Lost> {
        let found = self.own_mirror().map(|(mirror, id)| {
            let copies = mirror.copies(self.store.disk(), &id).into_iter();
            let lost = copies.filter_map(|kept_as| {
                self.lost_as((mirror, &id), kept_as, closeness, None).ok()?
            });
            let lost = lost.filter(|lost| !self.is_of_other_branch(lost));
            self.without_deleted(lost.collect(), &id)
        });
        found.unwrap_or_default()
    }

    /// Without those that were deleted: the copy of a history may outlast its document, as where the git directory could not
    /// be written then.
    fn without_deleted(&self, mut lost: Vec<Lost>, id: &WorktreeId) -> Vec<Lost> {
        if !lost.is_empty() {
            let tombstones = self.store.tombstones(Some(id));
            lost.retain(|lost| {
                let key = lost.key.to_string();
                let is_it = |label: &Label| {
                    label.key == key && label.revision.as_ref() == Some(&lost.revision)
                };
                !tombstones.iter().any(is_it)
            });
        }
        lost
    }

    /// Whether the mirror has anything of this worktree.
    pub(super) fn was_in_use(&self) -> bool {
        self.own_mirror().is_some()
    }

    pub(super) fn own_mirror(&self) -> Option<(&Mirror, WorktreeId)> {
        let mirror = self.store.mirror()?;
        Some((mirror, mirror.id(self.store.disk())?))
    }

    /// What is missing of a document while the mirror of this worktree has it, or damaged. This may read all of its
    /// history.
    ///
    /// # Errors
    ///
    /// If this cannot be told now. A change would otherwise begin anew what can be brought back later.
    pub(super) fn lost_of(&self, place: &Place) -> Result<Option<Lost>, WorkspaceError> {
        let Some(mirror) = self.store.mirror() else {
            return Ok(None);
        };
        let failed = |source| {
            let error = StoreError::io(Action::Read, mirror.directory(), source);
            Purpose::Load.failed(error)
        };
        let Some(id) = mirror.known_id(self.store.disk()).map_err(failed)? else {
            return Ok(None);
        };
        let kept_as = place.kept_as.clone();
        let lost = self.lost_as((mirror, &id), kept_as, Closeness::Throughout, None);
        let lost = lost.map_err(failed)?.into_iter();
        let lost = lost.filter(|lost| !self.is_of_other_branch(lost));
        Ok(self.without_deleted(lost.collect(), &id).pop())
    }

    /// Brings back what is missing of a document that is about to be changed. Returns whether it did: what cannot be brought
    /// back stays in the mirror, and the change starts anew.
    pub(super) fn return_lost(
        &self,
        place: &Place,
        author: &Author,
    ) -> Result<bool, WorkspaceError> {
        let alone = self.holding(place, author)?;
        let Some(lost) = alone.lost_of(place)? else {
            return Ok(false);
        };
        let back = match alone.bring_back_lost(&lost) {
            Err(error) if error.is_not_found() => return Ok(false),
            back => back?,
        };
        if let (Some(Returning(tell)), Some(back)) = (&self.options.returning, &back) {
            tell(back);
        }
        Ok(back.is_some())
    }

    /// Brings back what is missing of a document that is about to be moved or copied.
    pub(super) fn ensure_not_lost(&self, place: &Place) -> Result<(), WorkspaceError> {
        if self.lost_of(place)?.is_some() {
            self.return_lost(place, &self.author("recover", &self.head()))?;
        }
        Ok(())
    }

    /// Whether a document or its history is missing. A document alone may be on another branch, because git ignores its
    /// history. If that ends with a recovery, the recovery was interrupted.
    fn is_missing(&self, kept_as: &KeptAs, closeness: Closeness) -> io::Result<bool> {
        let Ok(place) = self.layout.place_of(kept_as, &[]) else {
            return Ok(false);
        };
        // It is written last.
        let is_gone = |path: &Path| Ok::<_, io::Error>(self.store.disk().inspect(path)?.is_none());
        if !is_gone(&place.document().path)? {
            return match is_gone(&place.history)? {
                true => is_gone(&place.archive),
                false => self.is_damaged(&place, closeness).map_err(io::Error::other),
            };
        }
        // It may have come back from its archive by now.
        let document = &place.document().path;
        let in_place = || Ok((!is_gone(document).unwrap_or(true)).then_some(()));
        let in_archive = || Ok(self.store.is_archived(&place).then_some(()));
        let found = self
            .store
            .in_place_or_archive(document, &in_place, &in_archive);
        if matches!(found, Ok(Some(()))) {
            return Ok(false);
        }
        let is_ignored = matches!(kept_as.key(), Ok(None));
        Ok(is_ignored || self.is_half_back(&place)?)
    }

    /// Whether the copy of a history has lines that the history has lost, and all that can be read of it.
    fn is_damaged(&self, place: &Place, closeness: Closeness) -> Result<bool, StoreError> {
        let may_be = closeness == Closeness::Throughout
            || self.store.coverage(place)? == Some(Coverage::Other);
        Ok(may_be && self.store.agreement(place)? == Some(Agreement::HistoryDamaged))
    }

    /// What is in the way of the copies of these histories.
    fn obstacles(&self, histories: &[&KeptAs]) -> Vec<PathBuf> {
        let mirror = self.store.mirror();
        mirror.map_or_else(Vec::new, |mirror| {
            mirror.obstacles(self.store.disk(), histories)
        })
    }

    fn is_half_back(&self, place: &Place) -> io::Result<bool> {
        let history = self.store.history(place).map_err(io::Error::other)?;
        let Some(history) = history else {
            return Ok(true);
        };
        let last = Backward::new(&*history)?.next().transpose()?;
        Ok(last.is_some_and(|last| last.event_name() == Some(EventName::Recovered)))
    }

    /// What is missing of the document with this copy; `None` if nothing is, or the copy does not say.
    fn lost_as(
        &self,
        (mirror, id): (&Mirror, &WorktreeId),
        kept_as: KeptAs,
        closeness: Closeness,
        worktree: Option<&PathBuf>,
    ) -> io::Result<Option<Lost>> {
        match self.is_missing(&kept_as, closeness)? {
            true => self.described((mirror, id), kept_as, worktree),
            false => Ok(None),
        }
    }

    /// What the copy of a history tells about its document, which is missing.
    fn described(
        &self,
        (mirror, id): (&Mirror, &WorktreeId),
        kept_as: KeptAs,
        worktree: Option<&PathBuf>,
    ) -> io::Result<Option<Lost>> {
        let copy = mirror.open(self.store.disk(), id, &kept_as)?;
        let copied = match &copy {
            Some(copy) => self.copied(&kept_as, &**copy)?,
            None => None,
        };
        let standing = copied
            .as_ref()
            .and_then(|copied| standing(&copied.key, copied.document.as_ref()?));
        let (Some(copied), Some((lifecycle, progress))) = (copied, standing) else {
            return Ok(None);
        };
        let part = self.lost_part(&copied);
        Ok(Some(Lost {
            key: copied.key,
            revision: copied.revision,
            at: copied.at,
            lifecycle,
            progress,
            worktree: worktree.cloned(),
            part,
            id: id.clone(),
            kept_as,
        }))
    }

    /// Whether it is a plan that is not here because another branch has it.
    fn is_of_other_branch(&self, lost: &Lost) -> bool {
        match (&lost.key, lost.part) {
            (Key::Plan(plan), LostPart::Whole) => self.plan(plan).other_branch().is_some(),
            _ => false,
        }
    }

    fn lost_part(&self, copied: &Copied) -> LostPart {
        let is_there = |file: &PlaceFile| !self.store.is_missing(&file.path);
        if is_there(copied.place.document()) {
            return match self.store.is_missing(&copied.place.history) {
                true => LostPart::History,
                false => LostPart::Lines,
            };
        }
        match (&copied.key, is_there(&copied.place.files[0])) {
            (Key::Plan(_), true) => LostPart::State,
            _ => LostPart::Whole,
        }
    }

    /// The checkpoints that have a history in its place, whether or not their documents are there and can be read.
    #[must_use]
    pub fn recorded(&self) -> Vec<Key> {
        let histories = self.histories().into_iter();
        let mut keys: Vec<Key> = histories
            .filter_map(|one| self.key_recorded(&one))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn key_recorded(&self, kept_as: &KeptAs) -> Option<Key> {
        if let Some(key) = kept_as.key().ok()? {
            return Some(key);
        }
        let place = self.layout.place_of(kept_as, &[]).ok()?;
        let content = self.store.read(&place.document().path).ok().flatten();
        let document = content.and_then(|content| Document::from_bytes(content).ok());
        key_in(kept_as, document.as_ref()).or_else(|| {
            let history = self.store.history(&place).ok()??;
            self.key_in_history(kept_as, &*history)
        })
    }

    /// The key of the document that a history leads to.
    pub(super) fn key_in_history(&self, kept_as: &KeptAs, history: &dyn DiskFile) -> Option<Key> {
        Some(self.copied(kept_as, history).ok()??.key)
    }

    /// What the copy of a history tells. Only lines that we have sealed count, if there are any.
    fn copied(&self, kept_as: &KeptAs, copy: &dyn DiskFile) -> io::Result<Option<Copied>> {
        let about = kept_as.sealed_name();
        let seals = self.store.seals_in_copy(&about, copy)?;
        let sealer = Sealer::new(seals, Domain::History, &about);
        let Some(tail) = history::tail(copy, sealer)? else {
            return Ok(None);
        };
        let names: Vec<String> = tail.files.iter().map(|file| file.name.clone()).collect();
        let Ok(place) = self.layout.place_of(kept_as, &names) else {
            return Ok(None);
        };
        let revision = Revision {
            number: tail.number,
            epoch: Some(tail.epoch),
        };
        let counts = |line: &Line| line.counts(sealer);
        let name = place.document().name.as_str();
        let rebuilt = history::rebuild(copy, &[name], &revision, &counts)?;
        let content = rebuilt.and_then(|mut rebuilt| rebuilt.contents.remove(name));
        let document = content.and_then(|content| Document::from_bytes(content).ok());
        let Some(key) = key_in(kept_as, document.as_ref()) else {
            return Ok(None);
        };
        let last = Backward::new(copy)?.next().transpose()?;
        let at = last.and_then(|line| Some(line.time()?.into_owned()));
        Ok(Some(Copied {
            key,
            place,
            revision,
            at,
            document,
        }))
    }

    /// Finds a checkpoint that is missing, here or with a worktree that is gone, by what a user typed.
    #[must_use]
    pub fn find_lost(&self, typed: &str) -> Option<Lost> {
        let gone = || {
            let mut gone = self.left_by_gone_worktrees();
            gone.sort_by(|one, other| other.at.cmp(&one.at));
            gone
        };
        let all = [self.lost()].into_iter().chain(iter::once_with(gone));
        closest(all.flatten(), |lost| lost.key.fit(typed))
    }

    /// The pipelines and plans that are not here while their histories are. They may be those of another branch, so that they
    /// are brought back by name only.
    #[must_use]
    pub fn absent(&self) -> Vec<Lost> {
        let found = self.own_mirror().map(|(mirror, id)| {
            let copies = mirror.copies(self.store.disk(), &id).into_iter();
            let absent = copies.filter(|kept_as| self.is_absent(kept_as));
            let absent =
                absent.filter_map(|kept_as| self.described((mirror, &id), kept_as, None).ok()?);
            let absent = absent.filter(|lost| !self.is_of_other_branch(lost));
            self.without_deleted(absent.collect(), &id)
        });
        found.unwrap_or_default()
    }

    fn is_absent(&self, kept_as: &KeptAs) -> bool {
        let Ok(place) = self.layout.place_of(kept_as, &[]) else {
            return false;
        };
        matches!(kept_as.key(), Ok(Some(_)))
            && self.store.is_missing(&place.document().path)
            && self.store.is_there(&place.history)
            && !self.store.is_archived(&place)
    }

    /// Finds one of those that are not here while their histories are, by what a user typed.
    #[must_use]
    pub fn find_absent(&self, typed: &str) -> Option<Lost> {
        closest(self.absent(), |absent| absent.key.fit(typed))
    }

    /// Brings back a checkpoint that is missing, from the mirror. `None` if nothing of it is missing any more.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn bring_back_lost(&self, lost: &Lost) -> Result<Option<BroughtBack>, WorkspaceError> {
        let missing = || WorkspaceError::from(Refusal::Missing(lost.key.clone()));
        let mirror = self.store.mirror().ok_or_else(missing)?;
        let load = |source| {
            Purpose::Load.failed(StoreError::history(
                &mirror.copy(&lost.id, &lost.kept_as),
                source,
            ))
        };
        let copy = mirror.open(self.store.disk(), &lost.id, &lost.kept_as);
        let copy = copy.map_err(load)?.ok_or_else(missing)?;
        let copied = self.copied(&lost.kept_as, &*copy).map_err(load)?;
        let copied = copied.ok_or_else(missing)?;
        let about = lost.kept_as.sealed_name();
        let seals = self.store.seals_in_copy(&about, &*copy).map_err(load)?;
        let sealer = Sealer::new(seals, Domain::History, &about);
        let damage = damaged_lines(&*copy, sealer).map_err(load)?;
        let revived = self
            .revive(&copied.place, Some(&*copy))?
            .ok_or_else(missing)?;
        if revived.files.is_empty() && !revived.history {
            return Ok(None);
        }
        let document = revived
            .document
            .and_then(|content| Document::from_bytes(content).ok());
        let standing = document.and_then(|document| standing(&lost.key, &document));
        let (_, progress) = standing.unwrap_or((lost.lifecycle, lost.progress));
        Ok(Some(BroughtBack {
            key: lost.key.clone(),
            revision: revived.revision,
            at: revived.at,
            progress,
            files: revived.files,
            history: revived.history,
            damage,
            freed: self.freed_in(&lost.key),
        }))
    }

    /// Brings back the Markdown of the plans that have lost it, but for those of other branches and those that are half deleted.
    ///
    /// # Errors
    ///
    /// If the plans cannot be listed.
    pub fn recover_texts(&self) -> Result<Vec<PlanOutcome>, WorkspaceError> {
        let mut plans = self.plans()?;
        plans.retain(|id| {
            self.plan(id).is_text_lost() && matches!(self.cut_off(&id.into()), Ok(None))
        });
        // One whose history does not have it says so when it is named.
        let back = plans.iter().filter_map(|id| self.plan(id).recover().ok());
        Ok(back.collect())
    }

    /// The tasks of a plan that the next change frees.
    #[must_use]
    pub fn freed_in(&self, key: &Key) -> Vec<Freed> {
        let Key::Plan(id) = key else {
            return Vec::new();
        };
        let view = self.plan(id).view();
        view.map_or_else(|_| Vec::new(), |view| Freed::by_events(&view.unrecorded))
    }

    fn revive(
        &self,
        place: &Place,
        copy: Option<&dyn DiskFile>,
    ) -> Result<Option<Revived>, WorkspaceError> {
        let author = self.author("recover", &self.head());
        let revived = self.store.revive(place, &author, copy);
        let revived = revived.map_err(|error| Purpose::Save.failed(error))?;
        (self.options.wake)(self);
        Ok(revived)
    }

    /// Adds to the mirror what it lacks of these checkpoints, and restores damaged copies of their histories. Returns those
    /// whose copies are restored. What cannot be copied stays as it is.
    pub fn catch_up(&self, keys: &[Key]) -> Vec<Key> {
        let author = self.author("mirror", &self.head());
        let is_mended = |key: &&Key| {
            let place = self.layout.place(key);
            let mended = self.store.mend_copy(&place, &author);
            let _ = self.store.catch_up(&place, &author);
            mended.unwrap_or(false)
        };
        keys.iter().filter(is_mended).cloned().collect()
    }

    /// Adds to the mirror what it lacks of all checkpoints of this worktree, as after changes in a sandbox that cannot write
    /// to the git directory. What cannot be copied stays as it is.
    pub fn catch_up_all(&self) {
        if self.store.mirror().is_none() {
            return;
        }
        let author = self.author("mirror", &self.head());
        for kept_as in self.histories() {
            if let Ok(place) = self.layout.place_of(&kept_as, &[]) {
                let _ = self.store.catch_up(&place, &author);
            }
        }
    }

    /// After a change, adds to the mirror what it lacks of other checkpoints, if the git directory could not be written then.
    pub(super) fn settle_debts(&self, changed: &Place, author: &Author) {
        for kept_as in self.store.debts_after(&changed.kept_as) {
            if let Ok(place) = self.layout.place_of(&kept_as, &[]) {
                self.store.settle_debt(&place, author);
            }
        }
    }

    /// Whether a checkpoint is in flight, by its document; `None` if that is not here or cannot be read.
    #[must_use]
    pub fn lifecycle(&self, key: &Key) -> Option<Lifecycle> {
        let loaded = self.load(key).ok()??;
        standing(key, &loaded.document).map(|(lifecycle, _)| lifecycle)
    }

    /// How well the mirror covers these checkpoints; `None` where there is no mirror. This reads all histories and copies.
    #[must_use]
    pub fn mirror_health(&self, keys: &[Key]) -> Option<MirrorHealth> {
        self.store.mirror()?;
        let kept: Vec<KeptAs> = keys.iter().map(KeptAs::of).collect();
        let mut health = MirrorHealth {
            obstacles: self.obstacles(&kept.iter().collect::<Vec<_>>()),
            ..MirrorHealth::default()
        };
        for key in keys {
            let place = self.layout.place(key);
            let found = self.store.agreement(&place).unwrap_or_default();
            match (found, self.store.coverage(&place)) {
                // It is missing something, which is said elsewhere.
                (Some(Agreement::HistoryDamaged), _) => {}
                _ if !self.obstacles(&[&place.kept_as]).is_empty() => {}
                (Some(Agreement::CopyDamaged), _) => health.damaged.push(key.clone()),
                (_, Ok(Some(Coverage::Behind(_) | Coverage::Other))) => {
                    health.behind.push(key.clone());
                }
                (Some(Agreement::Apart), _) => health.apart.push(key.clone()),
                (_, Ok(Some(Coverage::Whole) | None) | Err(_)) => health.whole += 1,
            }
        }
        Some(health)
    }
}

/// The key of a document. That of a command is in it.
fn key_in(kept_as: &KeptAs, document: Option<&Document>) -> Option<Key> {
    match kept_as.key().ok()? {
        Some(key) => Some(key),
        None => {
            let checkpoint = Checkpoint::new(document?.root());
            Some(Key::Command(key_of(kept_as.stem(), checkpoint)?))
        }
    }
}

/// Whether a document is in flight, and how far along it is.
fn standing(key: &Key, document: &Document) -> Option<(Lifecycle, Progress)> {
    let root = document.root();
    Some(match key {
        Key::Command(_) => {
            let checkpoint = Checkpoint::new(root);
            (checkpoint.lifecycle(), checkpoint.progress())
        }
        Key::Pipeline(_) => {
            let pipeline = Pipeline::new(root);
            (pipeline.lifecycle(), pipeline.progress())
        }
        Key::Plan(_) => {
            let state = root.value().into_object()?;
            let outline = Outline::of_state(&state);
            let total = outline.tasks().count();
            let done = outline.tasks().filter(|(_, task)| task.done).count();
            (plan::lifecycle(&outline, &state), Progress { done, total })
        }
    })
}

#[cfg(test)]
mod tests;
