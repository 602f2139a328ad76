//! Copies in the mirror of what was deleted on purpose.
//!
//! They go with their archives. What is found here has outlived them: the archives were lost, or their worktree is gone.

use std::path::PathBuf;

use super::super::error::Purpose;
use super::super::{Workspace, WorkspaceError};
use crate::follower::FollowerName;
use crate::history::{Backward, EventName, Revision};
use crate::key::Key;
use crate::layout::{KeptAs, TRASH};
use crate::store::{Mirror, Packed, Unpacked, WorktreeId};
use crate::time::Timestamp;

/// The copy of a checkpoint that was deleted.
#[derive(Debug, Clone)]
pub struct DeletedCopy {
    /// Its key.
    pub key: Key,
    /// When it was deleted, as written.
    pub at: String,
    /// The worktree that it was in, if that is gone.
    pub worktree: Option<PathBuf>,
    /// A follower who has not been told of it yet.
    pub awaited: Option<FollowerName>,
    revision: Option<Revision>,
    id: WorktreeId,
    below: PathBuf,
}

impl Workspace {
    /// The copies of what was deleted before a time, and of which the archive is not here any more.
    #[must_use]
    pub fn copies_of_deleted(&self, before: Timestamp) -> Vec<DeletedCopy> {
        let Some(mirror) = self.store.mirror() else {
            return Vec::new();
        };
        let disk = self.store.disk();
        let gone = self.gone_worktrees(mirror).into_iter();
        let gone = gone.map(|id| (mirror.root_of(disk, &id), id));
        let own = mirror.id(disk).map(|id| (None, id));
        let mut found = Vec::new();
        for (root, id) in gone.chain(own) {
            let names = mirror.archive_names(disk, &id).into_iter();
            let deleted = names.filter(|below| below.starts_with(TRASH));
            let is_here = |below: &PathBuf| {
                self.store
                    .is_there(&self.layout.archive_directory().join(below))
            };
            let copies = deleted.filter(|below| root.is_some() || !is_here(below));
            let copies = copies.filter_map(|below| self.deleted_copy(mirror, &id, below, before));
            found.extend(copies.map(|copy| DeletedCopy {
                worktree: root.clone(),
                ..copy
            }));
        }
        found
    }

    fn deleted_copy(
        &self,
        mirror: &Mirror,
        id: &WorktreeId,
        below: PathBuf,
        before: Timestamp,
    ) -> Option<DeletedCopy> {
        let at = KeptAs::deleted_at(&below)?;
        if Timestamp::parse(&at).is_none_or(|time| time >= before) {
            return None;
        }
        let bytes = mirror.read_archive(self.store.disk(), id, &below)?;
        let (kept_as, _) = KeptAs::of_archive_below(&below)?;
        let place = self.layout.place_of(&kept_as, &[]).ok()?;
        let Packed { label, history, .. } = self.store.unpacked(&place, &bytes).ok()?;
        let history = Unpacked::new(history);
        let last = Backward::new(&history).ok()?.next()?.ok()?;
        // What was renamed, or made way for another archive, was not deleted.
        if last.event_name() != Some(EventName::Deleted) {
            return None;
        }
        let key = Key::parse(&label.key).ok()?;
        let awaited = self.followers().awaiting_copy(id, &key, &below, &bytes);
        Some(DeletedCopy {
            // If that cannot be told now, it is kept.
            awaited: awaited.ok()?,
            key,
            at,
            worktree: None,
            revision: label.revision,
            id: id.clone(),
            below,
        })
    }

    /// Removes the copy of a checkpoint that was deleted, for good.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    pub fn forget_copy(&self, copy: &DeletedCopy) -> Result<(), WorkspaceError> {
        self.drop_outlived(&copy.id, &copy.key, copy.revision.as_ref())?;
        let forgotten = self.store.forget_copy(&copy.id, &copy.below);
        forgotten.map_err(|error| Purpose::Save.failed(error))
    }

    /// Drops the copy of a history that has outlived its document, which was deleted at this revision. Without its archive
    /// nothing would tell that from one that was lost. What was deleted here may have been brought back from another copy, which
    /// goes too.
    pub(in crate::workspace) fn drop_outlived(
        &self,
        id: &WorktreeId,
        key: &Key,
        revision: Option<&Revision>,
    ) -> Result<(), WorkspaceError> {
        let kept_as = KeptAs::of(key);
        let Some(mirror) = self.store.mirror() else {
            return Ok(());
        };
        let disk = self.store.disk();
        let is_own = mirror.id(disk).as_ref() == Some(id);
        if is_own {
            self.drop_beginnings(key, revision);
        }
        let has_outlived = || {
            let copy = mirror.open(disk, id, &kept_as).ok().flatten();
            let copied = copy.and_then(|copy| self.copied(&kept_as, &*copy).ok()?);
            copied.is_some_and(|copied| Some(&copied.revision) == revision)
        };
        if !has_outlived() {
            return Ok(());
        }
        let place = self.layout.place(key);
        // Here, somebody may begin another one of its name or bring it back at any time.
        let author = self.author("gc", &self.head());
        let alone = is_own.then(|| self.holding(&place, &author)).transpose()?;
        let is_live = alone.is_some() && !self.store.is_missing(&place.history);
        if !is_live && has_outlived() {
            let _ = mirror.drop_copy(disk, id, &kept_as);
        }
        Ok(())
    }
}
