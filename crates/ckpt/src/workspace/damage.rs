//! What is damaged in histories and archives, and what of it can still be read.

use std::path::PathBuf;

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::history::{Damage, Line, MEMORY_REACH};
use crate::key::Key;
use crate::store::{ArchiveFlaw, Salvage, StoreError};

/// An archive that is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedArchive {
    /// Its path.
    pub path: PathBuf,
    /// What is wrong with it.
    pub flaw: ArchiveFlaw,
    /// What is read instead.
    pub salvage: Salvage,
}

impl Workspace {
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
            path: place.archive,
            flaw,
            salvage,
        }))
    }
}

#[cfg(test)]
mod tests;
