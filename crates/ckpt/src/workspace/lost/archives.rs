//! Archives that are missing while the mirror has them, and bringing them back.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::iter;
use std::path::{Path, PathBuf};

use super::super::error::Purpose;
use super::super::{Archived, Workspace, WorkspaceError};
use super::{BroughtBack, Returning};
use crate::history::Damage;
use crate::key::{Key, closest};
use crate::layout::{KeptAs, Place};
use crate::store::{Mirror, StoreError, WorktreeId};

/// An archive that is missing here, while the mirror has it.
#[derive(Debug, Clone)]
pub struct LostArchive {
    /// What is in it.
    pub archived: Archived,
    /// The worktree that it was in, if that is gone.
    pub worktree: Option<PathBuf>,
    id: WorktreeId,
    below: PathBuf,
}

impl Workspace {
    /// The archives of checkpoints that are missing in this worktree, while the mirror has them. Those of what was deleted
    /// are not missed.
    #[must_use]
    pub fn lost_archives(&self) -> Vec<LostArchive> {
        let mut found = self.missing_archives();
        found.retain(|lost| !lost.archived.is_deleted);
        found
    }

    /// The checkpoints that are missing in this worktree, archived ones too.
    #[must_use]
    pub fn missing_keys(&self) -> Vec<Key> {
        let lost = self.lost().into_iter();
        let lost = lost.filter(|lost| !lost.part.is_history());
        let lost = lost.map(|lost| lost.key);
        let archives = self.lost_archives().into_iter();
        lost.chain(archives.map(|lost| lost.archived.key)).collect()
    }

    /// The archives of worktrees that are gone, unless there is something with the same name here.
    #[must_use]
    pub fn archives_of_gone_worktrees(&self) -> Vec<LostArchive> {
        let mut found = self.archives_gone();
        found.retain(|lost| !lost.archived.is_deleted);
        found
    }

    fn missing_archives(&self) -> Vec<LostArchive> {
        let own = self.own_mirror();
        own.map(|(mirror, id)| self.archives_missing(mirror, &id, None))
            .unwrap_or_default()
    }

    fn archives_gone(&self) -> Vec<LostArchive> {
        let Some(mirror) = self.store.mirror() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for id in self.gone_worktrees(mirror) {
            let root = mirror.root_of(self.store.disk(), &id).unwrap_or_default();
            found.extend(self.archives_missing(mirror, &id, Some(&root)));
        }
        found
    }

    fn archives_missing(
        &self,
        mirror: &Mirror,
        id: &WorktreeId,
        worktree: Option<&Path>,
    ) -> Vec<LostArchive> {
        let names = mirror.archive_names(self.store.disk(), id);
        self.archives_missing_of(names, id, worktree)
    }

    /// Those of some archives that are missing.
    fn archives_missing_of(
        &self,
        names: Vec<PathBuf>,
        id: &WorktreeId,
        worktree: Option<&Path>,
    ) -> Vec<LostArchive> {
        let below = names.into_iter();
        let missing = below.filter(|below| self.is_archive_missing(below));
        let missing = missing.filter_map(|below| {
            let label = self.store.label_in_mirror(id, &below)?;
            let path = self.layout.archive_directory().join(&below);
            let (_, is_deleted) = KeptAs::of_archive_below(&below)?;
            let archived = self.labelled_as(path, label, is_deleted)?;
            Some(LostArchive {
                archived,
                worktree: worktree.map(Path::to_owned),
                id: id.clone(),
                below,
            })
        });
        let missing: Vec<LostArchive> = missing.collect();
        match missing.is_empty() {
            true => missing,
            false => self.without_outlived(missing, id),
        }
    }

    /// Whether neither an archive is here, nor a checkpoint in its place.
    fn is_archive_missing(&self, below: &Path) -> bool {
        let Some((kept_as, is_deleted)) = KeptAs::of_archive_below(below) else {
            return false;
        };
        let is_missing = |path: &Path| self.store.is_missing(path);
        let is_free = || {
            let place = self.layout.place_of(&kept_as, &[]);
            place.map_or(true, |place| is_missing(&place.document().path))
        };
        // In this order: one that leaves its archive meanwhile is in its place by then.
        is_missing(&self.layout.archive_directory().join(below)) && (is_deleted || is_free())
    }

    /// Without the archives of checkpoints that were deleted later: a copy may outlast its archive, as where the git
    /// directory could not be written then.
    fn without_outlived(&self, mut lost: Vec<LostArchive>, id: &WorktreeId) -> Vec<LostArchive> {
        let tombstones = self.store.tombstones(Some(id));
        lost.retain(|lost| {
            let key = lost.archived.key.to_string();
            let is_later =
                |label: &crate::store::Label| label.key == key && label.at > lost.archived.at;
            lost.archived.is_deleted || !tombstones.iter().any(is_later)
        });
        lost
    }

    /// Whether the copy of an archive that is missing here cannot be used either.
    #[must_use]
    pub fn is_lost_for_good(&self, lost: &LostArchive) -> bool {
        let place = self.layout.place(&lost.archived.key);
        lost.worktree.is_none() && self.store.is_unusable(&place).unwrap_or(false)
    }

    /// Finds an archive that is missing, here or with a worktree that is gone, by what a user typed. Of several, the last.
    #[must_use]
    pub fn find_lost_archive(&self, typed: &str) -> Option<LostArchive> {
        let last_first = |mut found: Vec<LostArchive>| {
            found.sort_by_key(|lost| (lost.archived.is_deleted, Reverse(lost.archived.at.clone())));
            found
        };
        let here = last_first(self.missing_archives());
        let gone = iter::once_with(|| last_first(self.archives_gone()));
        let all = [here].into_iter().chain(gone).flatten();
        closest(all, |lost| lost.archived.key.fit(typed))
    }

    /// The archive of a document, if both are missing in this worktree. Where a history is, the document came back from its
    /// archive.
    pub(in crate::workspace) fn lost_archive_of(&self, place: &Place) -> Option<LostArchive> {
        let (_, id) = self.own_mirror()?;
        if !self.store.is_missing(&place.history) {
            return None;
        }
        let names = vec![place.kept_as.archive()];
        self.archives_missing_of(names, &id, None).pop()
    }

    /// Brings back the missing archive of a document that is about to be changed.
    pub(in crate::workspace) fn return_lost_archive(
        &self,
        lost: LostArchive,
    ) -> Result<(), WorkspaceError> {
        let is_back = self.bring_back_archive(&lost)?;
        if let (true, Some(Returning(tell)), Some(revision)) =
            (is_back, &self.options.returning, lost.archived.revision)
        {
            let file = lost.below.file_name().unwrap_or_default();
            tell(&BroughtBack {
                key: lost.archived.key,
                revision,
                at: None,
                progress: lost.archived.progress,
                files: vec![file.to_string_lossy().into_owned()],
                history: true,
                freed: Vec::new(),
                damage: Damage::default(),
            });
        }
        Ok(())
    }

    /// Brings a missing archive back. `false` if there is something in its place by now.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or its copy is damaged.
    pub fn bring_back_archive(&self, lost: &LostArchive) -> Result<bool, WorkspaceError> {
        let place = self.layout.place(&lost.archived.key);
        let author = self.author("recover", &self.head());
        let back = self
            .store
            .recover_archive(&place, &author, &lost.id, &lost.below);
        let back = back.map_err(|error| Purpose::Save.failed(error))?;
        (self.options.wake)(self);
        Ok(back)
    }

    /// Brings back archives that are missing or damaged here, from the mirror. Returns how many. Those whose copies are
    /// damaged too stay as they are.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn recover_archives(&self) -> Result<usize, WorkspaceError> {
        let Some((mirror, id)) = self.own_mirror() else {
            return Ok(0);
        };
        let author = self.author("recover", &self.head());
        let missing = self.archives_missing(mirror, &id, None).into_iter();
        let missing: HashSet<PathBuf> = missing.map(|lost| lost.below).collect();
        let mut count = 0;
        for below in mirror.archive_names(self.store.disk(), &id) {
            // What was deleted since does not come back.
            if self.is_archive_missing(&below) && !missing.contains(&below) {
                continue;
            }
            let kept_as = KeptAs::of_archive_below(&below).map(|(kept_as, _)| kept_as);
            let place = kept_as.and_then(|kept_as| self.layout.place_of(&kept_as, &[]).ok());
            if let Some(place) = place {
                let back = self.store.recover_archive(&place, &author, &id, &below);
                count += match back {
                    Err(StoreError::Archive { .. }) => 0,
                    back => usize::from(back.map_err(|error| Purpose::Save.failed(error))?),
                };
            }
        }
        Ok(count)
    }
}
