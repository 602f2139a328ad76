//! What is damaged in histories and archives, and what of it can still be read.

use std::path::{Path, PathBuf};

use super::archive::{fit_of, may_be_called, name_of_deleted};
use super::error::Purpose;
use super::{Archived, Workspace, WorkspaceError};
use crate::history::{Damage, Line, MEMORY_REACH};
use crate::key::Key;
use crate::layout::KeptAs;
use crate::store::{ArchiveFlaw, Group, Salvage, StoreError, Wanted, altered_lines};
use crate::time::Timestamp;

/// An archive that is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedArchive {
    /// The name of its checkpoint, as it can be typed.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// What is wrong with it.
    pub flaw: ArchiveFlaw,
    /// What is read instead.
    pub salvage: Salvage,
    /// Whether its checkpoint was deleted.
    pub is_deleted: bool,
}

impl DamagedArchive {
    /// Whether its copy is whole, and restores it.
    #[must_use]
    pub fn has_copy(&self) -> bool {
        self.salvage == Salvage::Copy
    }
}

/// What is wrong with a history that nothing restores. The state is not affected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryFlaw {
    /// Lines that cannot be read, in its copy either.
    Unreadable(Damage),
    /// Lines that were changed after they were sealed, in its copy too.
    Altered(Damage),
    /// It and its copy each have lines that the other has not.
    Apart,
    /// Its lines are out of order.
    OutOfOrder,
}

impl Workspace {
    /// What is wrong with a history once everything that its copy can restore is restored.
    pub fn history_flaws(&self, key: &Key) -> Result<Vec<HistoryFlaw>, WorkspaceError> {
        let damage = self.damage(key)?.filter(|damage| !damage.is_none());
        let altered = self.altered(key)?.filter(|damage| !damage.is_none());
        let health = self.mirror_health(std::slice::from_ref(key));
        let is_apart = health.is_some_and(|health| !health.apart.is_empty());
        let is_out_of_order = self.is_out_of_order(key)?;
        let flaws = [
            damage.map(HistoryFlaw::Unreadable),
            altered.map(HistoryFlaw::Altered),
            is_apart.then_some(HistoryFlaw::Apart),
            is_out_of_order.then_some(HistoryFlaw::OutOfOrder),
        ];
        Ok(flaws.into_iter().flatten().collect())
    }

    /// The file that holds the history of a document: its archive, if it is archived.
    #[must_use]
    pub fn history_path(&self, key: &Key) -> PathBuf {
        let place = self.layout.place(key);
        match &self.unpacked {
            Some(archive) => archive.clone(),
            None if self.store.is_archived(&place) => place.archive,
            None => place.history,
        }
    }

    /// The lines at the end of a history that cannot be read. `None` without a history.
    pub fn damage(&self, key: &Key) -> Result<Option<Damage>, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(None);
        };
        let failed =
            |source| Purpose::Load.failed(StoreError::history(&self.history_path(key), source));
        history
            .damage_within(MEMORY_REACH)
            .map(Some)
            .map_err(failed)
    }

    /// The lines of a history that were changed after they were sealed. `None` without a history.
    pub fn altered(&self, key: &Key) -> Result<Option<Damage>, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(None);
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let failed =
            |source| Purpose::Load.failed(StoreError::history(&self.history_path(key), source));
        altered_lines(history.file(), sealer)
            .map(Some)
            .map_err(failed)
    }

    /// Whether a line of the history of a document may have been written by anybody. Without a
    /// key, as in a new clone, that is every line.
    #[must_use]
    pub fn is_unsealed(&self, key: &Key, line: &Line) -> bool {
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        !line.is_vouched(sealer)
    }

    /// The damage of a document's archive; `None` if it is not archived, or its archive is whole.
    pub fn damaged_archive(&self, key: &Key) -> Result<Option<DamagedArchive>, WorkspaceError> {
        let place = self.layout.place(key);
        let found = self.store.salvage(&place);
        let found = found.map_err(|error| Purpose::Load.failed(error))?;
        Ok(found.map(|(flaw, salvage)| DamagedArchive {
            name: key.short(),
            path: place.archive,
            flaw,
            salvage,
            is_deleted: false,
        }))
    }

    /// The damage of the archive of a deleted checkpoint; `None` if it is whole.
    pub fn damage_of_deleted(
        &self,
        archived: &Archived,
    ) -> Result<Option<DamagedArchive>, WorkspaceError> {
        let place = self.layout.place(&archived.key);
        let found = self.store.salvage_of(&place, &archived.path);
        let found = found.map_err(|error| Purpose::Load.failed(error))?;
        Ok(found.map(|(flaw, salvage)| DamagedArchive {
            name: archived.name(),
            path: archived.path.clone(),
            flaw,
            salvage,
            is_deleted: true,
        }))
    }

    /// The archives that are damaged, those of deleted checkpoints last.
    #[must_use]
    pub fn damaged_archives(&self) -> Vec<DamagedArchive> {
        let paths = self.store.damaged_archives().into_iter();
        let damaged = paths.filter_map(|path| self.damage_of_archive(path));
        let mut damaged: Vec<DamagedArchive> = damaged.collect();
        damaged.sort_by_key(|one| one.is_deleted);
        damaged
    }

    /// The archives of checkpoints that are damaged so that they do not even say what they hold. Nothing is unpacked.
    #[must_use]
    pub fn headless_archives(&self) -> Vec<DamagedArchive> {
        let paths = self.store.headless_archives().into_iter();
        paths
            .filter_map(|path| self.damage_of_archive(path))
            .collect()
    }

    fn damage_of_archive(&self, path: PathBuf) -> Option<DamagedArchive> {
        let below = path.strip_prefix(self.layout.archive_directory()).ok()?;
        let (kept_as, is_deleted) = KeptAs::of_archive_below(below)?;
        let place = self.layout.place_of(&kept_as, &[]).ok()?;
        let found = match is_deleted {
            true => self.store.salvage_of(&place, &path),
            false => self.store.salvage(&place),
        };
        let (flaw, salvage) = found.ok()??;
        let label = self.store.label_of(&path);
        let named = label.and_then(|label| Key::parse(&label.key).ok());
        let named = named.filter(|key| KeptAs::of(key) == kept_as);
        let named = named.or_else(|| kept_as.likely_key());
        let name = named.map_or_else(|| kept_as.stem().to_owned(), |key| key.short());
        let deleted_at = KeptAs::deleted_at(&path).filter(|_| is_deleted);
        Some(DamagedArchive {
            name: match deleted_at {
                Some(at) => name_of_deleted(&name, &at),
                None => name,
            },
            path,
            flaw,
            salvage,
            is_deleted,
        })
    }

    /// Refuses to read a deleted checkpoint that is called like this if its archive does not even say what it is any more.
    /// `known` is the one that was deleted last of those that do.
    pub fn check_says_what_it_is(
        &self,
        typed: &str,
        known: Option<&Archived>,
    ) -> Result<(), WorkspaceError> {
        let is_meant = |(key, at, _): &(Key, String, PathBuf)| {
            fit_of(key, Some(at), typed).is_some() && known.is_none_or(|known| *at > known.at)
        };
        let wanted = |kept_as: &KeptAs| may_be_called(kept_as, typed);
        let mut unnamed = self.unnamed(&wanted).into_iter().filter(is_meant);
        let Some((key, _, path)) = unnamed.next() else {
            return Ok(());
        };
        let read = self.store.read_packed(&self.layout.place(&key), &path);
        read.map(drop).map_err(|error| Purpose::Load.failed(error))
    }

    /// The archives of deleted checkpoints that do not say what they are, with what their names say.
    fn unnamed(&self, wanted: Wanted<'_>) -> Vec<(Key, String, PathBuf)> {
        let archives = self.store.archives_of(Group::Deleted, wanted).into_iter();
        let unnamed = archives.filter(|path| self.store.label_of(path).is_none());
        let named = unnamed.filter_map(|path| {
            let below = path.strip_prefix(self.layout.archive_directory()).ok()?;
            let (kept_as, _) = KeptAs::of_archive_below(below)?;
            Some((kept_as.likely_key()?, KeptAs::deleted_at(&path)?, path))
        });
        named.collect()
    }

    /// The archives that were deleted before a time, and do not say what they are because they are damaged.
    #[must_use]
    pub fn unnamed_before(&self, time: Timestamp) -> Vec<PathBuf> {
        let damaged = self.store.damaged_archives();
        let unnamed = self.unnamed(&|_| true).into_iter();
        let old = unnamed.filter(|(_, at, path)| {
            damaged.contains(path) && Timestamp::parse(at).is_some_and(|at| at < time)
        });
        old.map(|(.., path)| path).collect()
    }

    /// Removes such an archive for good.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    pub fn forget_unnamed(&self, path: &Path) -> Result<(), WorkspaceError> {
        let forgotten = self.store.forget_archive(path);
        forgotten.map_err(|error| Purpose::Save.failed(error))
    }

    /// The archives of which the copy in the git directory is damaged, and they are not.
    #[must_use]
    pub fn damaged_copies_of_archives(&self) -> Vec<PathBuf> {
        let directory = self.layout.archive_directory();
        let copies = self.store.damaged_copies().into_iter();
        copies.map(|below| directory.join(below)).collect()
    }

    /// Restores the damaged copies of archives from them. Returns how many.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn mend_copies_of_archives(&self) -> Result<usize, WorkspaceError> {
        let author = self.author("recover", &self.head());
        let mut count = 0;
        for below in self.store.damaged_copies() {
            let kept_as = KeptAs::of_archive_below(&below).map(|(kept_as, _)| kept_as);
            let place = kept_as.and_then(|kept_as| self.layout.place_of(&kept_as, &[]).ok());
            if let Some(place) = place {
                let mended = self.store.mend_copy_of_archive(&place, &author, &below);
                count += usize::from(mended.map_err(|error| Purpose::Save.failed(error))?);
            }
        }
        Ok(count)
    }

    /// Moves an archive that cannot be used, as its copy cannot, among those that were deleted, as it is: its name is free
    /// then. Returns where it is. `None` if there is no such archive.
    ///
    /// # Errors
    ///
    /// If it cannot be moved, or its gate blocks and may not be removed.
    pub fn set_unusable_archive_aside(&self, key: &Key) -> Result<Option<PathBuf>, WorkspaceError> {
        let place = self.layout.place(key);
        let saved = |error| Purpose::Save.failed(error);
        let author = self.author("delete", &self.head());
        if !self.store.is_unusable(&place).map_err(saved)? {
            return Ok(None);
        }
        if let Key::Command(command) = key {
            self.check_gate_may_go(command)?;
        }
        let aside = self.store.set_unusable_aside(&place, &author);
        let aside = aside.map_err(saved)?;
        if let (Key::Command(command), Some(_)) = (key, &aside) {
            let _ = self.drop_note(command);
        }
        Ok(aside)
    }
}

#[cfg(test)]
mod tests;
