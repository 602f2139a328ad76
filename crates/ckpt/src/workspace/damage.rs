//! What is damaged in histories and archives, and what of it can still be read.

use std::path::PathBuf;

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::history::{Damage, Line, MEMORY_REACH};
use crate::key::Key;
use crate::layout::KeptAs;
use crate::store::{ArchiveFlaw, Salvage, StoreError, altered_lines};

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
        match self.store.is_archived(&place) {
            true => place.archive,
            false => place.history,
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
        }))
    }

    /// The archives of checkpoints that are damaged. Those of what was deleted are in nobody's way.
    #[must_use]
    pub fn damaged_archives(&self) -> Vec<DamagedArchive> {
        let paths = self.store.damaged_archives().into_iter();
        let damaged = paths.filter_map(|path| self.damage_of_archive(path));
        damaged.collect()
    }

    fn damage_of_archive(&self, path: PathBuf) -> Option<DamagedArchive> {
        let below = path.strip_prefix(self.layout.archive_directory()).ok()?;
        let (kept_as, is_deleted) = KeptAs::of_archive_below(below)?;
        if is_deleted {
            return None;
        }
        let place = self.layout.place_of(&kept_as, &[]).ok()?;
        let (flaw, salvage) = self.store.salvage(&place).ok()??;
        let label = self.store.label_of(&path);
        let named = label.and_then(|label| Key::parse(&label.key).ok());
        let named = named.filter(|key| KeptAs::of(key) == kept_as);
        let named = named.or_else(|| kept_as.likely_key());
        Some(DamagedArchive {
            name: named.map_or_else(|| kept_as.stem().to_owned(), |key| key.short()),
            path,
            flaw,
            salvage,
        })
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
