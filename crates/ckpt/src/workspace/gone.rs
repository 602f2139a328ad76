//! Checkpoints that were deleted or have another name by now, read as they were.

use super::error::Purpose;
use super::{Archived, Origin, Workspace, WorkspaceError};
use crate::key::{Fit, Key};
use crate::operation::Refusal;
use crate::store::{ArchiveFlaw, Packed, StoreError};

/// How many names of a checkpoint are followed, one after the other.
const MOST_NAMES: usize = 100;

impl Workspace {
    /// The deleted checkpoint that a user means by a name. `otherwise` is the checkpoint that is here and that the name may mean.
    /// It wins if this is its whole name, in another case only if that of the deleted one is so too; if this is only the
    /// beginning of its name, the deleted one wins.
    pub fn find_gone(
        &self,
        typed: &str,
        otherwise: Option<&Key>,
    ) -> Result<Option<Archived>, WorkspaceError> {
        let here = otherwise.and_then(|key| key.fit(typed));
        if here == Some(Fit::Exact) {
            return Ok(None);
        }
        let found = self.find_archived(typed);
        if otherwise.is_none() && found.as_ref().is_none_or(|found| found.is_deleted) {
            self.check_says_what_it_is(typed, found.as_ref())?;
        }
        let found = found.filter(|found| {
            found.is_deleted && (here.is_none() || found.fit(typed) == Some(Fit::Exact))
        });
        let Some(archived) = found.filter(|found| otherwise.is_none() || self.was_made_here(found))
        else {
            return Ok(None);
        };
        // A pipeline has the names that its file declares.
        let is_declared = match otherwise {
            Some(Key::Pipeline(_)) => {
                let mut names = self.pipeline_names()?.into_iter();
                names.any(|(name, _)| name == typed)
            }
            _ => false,
        };
        Ok((!is_declared).then_some(archived))
    }

    /// The archive of a checkpoint that was renamed, unless there is another one of its name by now.
    #[must_use]
    pub fn find_renamed(&self, key: &Key) -> Option<Archived> {
        let found = self.find_archived(&key.to_string());
        let found = found.filter(|found| found.is_deleted && !self.has(&found.key));
        found.filter(|found| self.renamed_to(found).is_some())
    }

    /// Whether an archive was made here. What comes with a clone leads no name away from a checkpoint that is there.
    fn was_made_here(&self, archived: &Archived) -> bool {
        let place = self.layout.place(&archived.key);
        let flaw = match self.store.read_packed(&place, &archived.path) {
            Err(StoreError::Archive { flaw, .. }) => Some(flaw),
            _ => None,
        };
        flaw != Some(ArchiveFlaw::Unsealed)
    }

    /// This workspace, with a deleted checkpoint as it was, or what can be read of it. Nothing can be changed in it.
    ///
    /// # Errors
    ///
    /// If nothing of its archive can be read.
    pub fn with_deleted(&self, archived: &Archived) -> Result<Self, WorkspaceError> {
        let key = &archived.key;
        let place = self.layout.place(key);
        let is_any = |packed: &Packed| !packed.files.is_empty() || !packed.history.is_empty();
        let packed = self
            .store
            .read_what_is_left_of(&place, &archived.path, is_any);
        let packed = packed.map_err(|error| Purpose::Load.failed(error))?;
        let packed = packed.ok_or_else(|| Refusal::Missing(key.clone()))?;
        let then = self.place_of_packed(&place.kept_as, &packed)?;
        Ok(Self {
            store: self.store.laid_out(&self.whole_place(key), &then, packed),
            unpacked: Some(archived.path.clone()),
            ..self.clone()
        })
    }

    /// The archive of a checkpoint as it was before it was renamed to this key.
    #[must_use]
    pub fn before_renaming(&self, key: &Key, origin: &Origin) -> Option<Archived> {
        let mut deleted = self.deleted_under(&origin.key);
        deleted.sort_by(|one, other| other.at.cmp(&one.at));
        let mut deleted = deleted.into_iter();
        deleted.find(|one| self.renamed_to(one).as_ref() == Some(key))
    }

    /// Whether an archive has the earlier history of a checkpoint that is there under another name, readable or not.
    #[must_use]
    pub fn lives_on(&self, archived: &Archived) -> bool {
        let mut last = archived.clone();
        for _ in 0..MOST_NAMES {
            let Some(name) = self.renamed_to(&last) else {
                return false;
            };
            // If that cannot be told now, it may be there.
            if self.has(&name) || self.lost_of(&self.layout.place(&name)).is_err() {
                return true;
            }
            let deleted = self.deleted_under(&name).into_iter();
            let later = deleted.filter(|one| one.at >= last.at);
            match later.min_by(|one, other| one.at.cmp(&other.at)) {
                Some(next) => last = next,
                None => return false,
            }
        }
        true
    }

    /// Whether a checkpoint of this key is in its place, in the archive or in the mirror, readable or not.
    #[must_use]
    pub fn has(&self, key: &Key) -> bool {
        match key {
            Key::Plan(id) => self.plan(id).exists() || self.is_kept(key),
            _ => self.is_there(key),
        }
    }

    /// The names of what was deleted under the key of a name with a time, such as `implement/auth@2026-01-29`, the last first.
    #[must_use]
    pub fn names_with_times(&self, typed: &str) -> Vec<String> {
        let Some((key, _)) = typed.rsplit_once('@') else {
            return Vec::new();
        };
        let mut deleted = self.archived();
        deleted.retain(|one| one.is_deleted && one.key.is_called(key));
        deleted.sort_by(|one, other| other.at.cmp(&one.at));
        deleted.iter().map(Archived::name).collect()
    }

    /// How many checkpoints were deleted under the name of this one, itself included.
    #[must_use]
    pub fn deleted_like(&self, archived: &Archived) -> usize {
        self.deleted_under(&archived.key).len()
    }
}

#[cfg(test)]
mod tests;
