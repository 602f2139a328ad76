//! What is owed, by files in the state directory that the next change looks at.
//!
//! * An empty file stands for a history whose copy is behind, because the git directory could not be written. The next
//!   process that can write a copy writes all of them, but for those that lack very much: `ckpt gc` and
//!   `ckpt doctor --fix` take the time.
//! * A file names a document that is being renamed, and its new name. A crash leaves it.

use std::path::PathBuf;
use std::time::Duration;

use super::error::StoreError;
use super::files::{Author, FileStore};
use super::mirror::Followed;
use super::replace::replace;
use crate::disk::Mode;
use crate::layout::{KeptAs, OWED, Place, RENAMING};

impl FileStore {
    fn owed(&self) -> PathBuf {
        self.directories().state().join(OWED)
    }

    fn is_anything_owed(&self) -> bool {
        matches!(self.disk().inspect(&self.owed()), Ok(Some(_)))
    }

    /// Whether it is noted that the copy of a history is behind.
    pub(super) fn is_owed(&self, kept_as: &KeptAs) -> bool {
        self.is_there(&self.owed().join(kept_as.owed()))
    }

    /// Notes that the copy of a history is behind. Without the note, its own next change still completes it.
    pub(super) fn owe(&self, kept_as: &KeptAs) {
        let file = self.owed().join(kept_as.owed());
        if !self.is_owed(kept_as)
            && let Ok(path) = self.directories().prepare_state_file(self.disk(), &file)
        {
            let _ = self.disk().create(&path, Mode::Private);
        }
    }

    /// Notes that the copy of a history, whose lock is held, is whole.
    pub(super) fn owe_nothing(&self, kept_as: &KeptAs) {
        if self.is_anything_owed() {
            let file = self.owed().join(kept_as.owed());
            if let Some(path) = self.resolved(&file) {
                let _ = self.disk().remove(&path);
            }
        }
    }

    /// Durably notes that a document is being renamed.
    pub(crate) fn note_renaming(&self, old: &KeptAs, note: &str) -> Result<(), StoreError> {
        let file = self.owed().join(old.renaming());
        let path = self.directories().prepare_state_file(self.disk(), &file)?;
        replace(self.disk(), &path, note.as_bytes(), Mode::Private)
    }

    /// The notes of the renamings that are under way, or were cut off.
    pub(crate) fn renamings(&self) -> Vec<String> {
        let names = self.names_of_owed().into_iter();
        let notes = names.filter(|name| name.starts_with(RENAMING));
        let read = |name: String| self.read(&self.owed().join(name)).ok()?;
        let notes = notes.filter_map(read);
        notes
            .filter_map(|note| String::from_utf8(note).ok())
            .collect()
    }

    /// Removes the note of a renaming that is over.
    pub(crate) fn forget_renaming(&self, old: &KeptAs) {
        if let Some(path) = self.resolved(&self.owed().join(old.renaming())) {
            let _ = self.disk().remove(&path);
        }
    }

    fn names_of_owed(&self) -> Vec<String> {
        if !self.is_anything_owed() {
            return Vec::new();
        }
        let Some(directory) = self.resolved(&self.owed()) else {
            return Vec::new();
        };
        let opened = self.disk().open_directory(&directory);
        let names = opened.and_then(|opened| opened.names()).unwrap_or_default();
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        names.collect()
    }

    /// The histories whose copies are behind. None after a change whose own copy could not be written: neither could theirs.
    pub(crate) fn debts_after(&self, changed: &KeptAs) -> Vec<KeptAs> {
        if self.mirror().is_none() || !self.is_anything_owed() {
            return Vec::new();
        }
        let Some(directory) = self.resolved(&self.owed()) else {
            return Vec::new();
        };
        let opened = self.disk().open_directory(&directory);
        let names = opened.and_then(|opened| opened.names()).unwrap_or_default();
        let debts = names
            .iter()
            .filter_map(|name| KeptAs::of_owed(name.to_str()?));
        let debts: Vec<KeptAs> = debts.collect();
        match debts.contains(changed) {
            true => Vec::new(),
            false => debts,
        }
    }

    /// Completes the copy of a history that is behind, unless it lacks very much. One that is being changed is left to that
    /// change.
    pub(crate) fn settle_debt(&self, place: &Place, author: &Author) {
        let now = self.clone().with_lock_wait(Duration::ZERO);
        let (Some(mirror), Ok(_lock)) = (self.mirror(), now.lock(place, author)) else {
            return;
        };
        let completed = match self.history(place) {
            Ok(Some(history)) => {
                let sealer = place.sealer(self.vault().seals());
                let nothing_new = (&*history, [].as_slice());
                mirror.follow(self.disk(), &place.kept_as, nothing_new, sealer, self.now())
            }
            // It was archived or deleted, which made copies of its own.
            Ok(None) => Ok(Followed::Yes),
            Err(error) => Err(error),
        };
        if matches!(completed, Ok(Followed::Yes)) {
            self.owe_nothing(&place.kept_as);
        }
    }
}
