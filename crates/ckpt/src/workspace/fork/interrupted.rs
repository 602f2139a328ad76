//! Renamings that were cut off while both names were there.
//!
//! A note in the state directory says that a renaming is under way. Until it is finished, the old name is not listed, and
//! the next change of anything finishes it.

use super::super::error::Purpose;
use super::super::{Workspace, WorkspaceError};
use crate::key::Key;
use crate::layout::KeptAs;
use crate::operation::Refusal;
use crate::seal::Unsealed;

impl Workspace {
    /// Notes durably that a renaming is under way.
    pub(super) fn note_renaming(&self, key: &Key, new: &Key) -> Result<(), WorkspaceError> {
        let note = format!("{key}\n{new}\n");
        let noted = self.store.note_renaming(&KeptAs::of(key), &note);
        noted.map_err(|error| Purpose::Save.failed(error))
    }

    /// The renamings that were noted: the old name and the new one.
    fn noted_renamings(&self) -> Vec<(Key, Key)> {
        let notes = self.store.renamings().into_iter();
        let read = |note: String| {
            let (old, new) = note.split_once('\n')?;
            Some((Key::parse(old).ok()?, Key::parse(new.trim_end()).ok()?))
        };
        notes.filter_map(read).collect()
    }

    /// The checkpoints that are there under their new names already. Whoever is renaming one sees both.
    pub(in crate::workspace) fn half_renamed(&self) -> Vec<Key> {
        if self.store.is_holding() {
            return Vec::new();
        }
        let mut noted = self.noted_renamings();
        noted.retain(|(old, new)| self.has_become(old, new));
        noted.into_iter().map(|(old, _)| old).collect()
    }

    /// Whether the new name of a checkpoint is there, because of a renaming. Anybody can have written the note.
    fn has_become(&self, old: &Key, new: &Key) -> bool {
        // In a new clone, nothing was renamed yet.
        if matches!(self.vault().status(), Some(Unsealed::Missing)) {
            return false;
        }
        let origin = self.origin(new).ok().flatten();
        self.check_absent(new).is_err()
            && origin.is_some_and(|origin| origin.is_renamed && origin.key == *old)
    }

    /// Finishes the renamings that were cut off.
    pub(in crate::workspace) fn finish_renamings(&self) {
        if self.store.is_holding() {
            return;
        }
        for (old, new) in self.noted_renamings() {
            // If it cannot be finished now, a later change does, or one by somebody who may.
            let _ = self.finish_renaming(&old, &new);
        }
    }

    fn finish_renaming(&self, old: &Key, new: &Key) -> Result<(), WorkspaceError> {
        // One that is under way is over once we have its lock.
        let author = self.author("rename", &self.head());
        let alone = self.holding(&self.layout.place(old), &author)?;
        let finished = match alone.has_become(old, new) {
            true => alone.rename(old, new).map(drop),
            false => Ok(()),
        };
        match finished {
            // Where the old one was changed by hand since, there are two.
            Err(WorkspaceError::Refused(Refusal::Missing(_) | Refusal::NameTaken(_))) | Ok(()) => {
                self.store.forget_renaming(&KeptAs::of(old));
                Ok(())
            }
            kept => kept,
        }
    }
}
