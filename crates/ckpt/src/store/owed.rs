//! What is owed to the mirror: histories whose copies are behind, because the git directory could not be written.
//!
//! An empty file in the state directory stands for each. The next process that can write a copy writes all of them.

use std::path::PathBuf;
use std::time::Duration;

use super::files::{Author, FileStore};
use super::mirror::Followed;
use crate::disk::Mode;
use crate::layout::{KeptAs, OWED, Place};

impl FileStore {
    fn owed(&self) -> PathBuf {
        self.directories().state().join(OWED)
    }

    fn is_anything_owed(&self) -> bool {
        matches!(self.disk().inspect(&self.owed()), Ok(Some(_)))
    }

    /// Notes that the copy of a history is behind. Without the note, its own next change still completes it.
    pub(super) fn owe(&self, kept_as: &KeptAs) {
        let file = self.owed().join(kept_as.owed());
        if !self.is_there(&file)
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

    /// Completes the copy of a history that is behind. One that is being changed is left to that change.
    pub(crate) fn settle_debt(&self, place: &Place, author: &Author) {
        let now = self.clone().with_lock_wait(Duration::ZERO);
        let (Some(mirror), Ok(_lock)) = (self.mirror(), now.lock(place, author)) else {
            return;
        };
        let completed = match self.history(place) {
            Ok(Some(history)) => {
                mirror.complete(self.disk(), &place.kept_as, &*history, self.now())
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
