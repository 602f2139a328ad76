//! Archives that no longer say what they hold.

use std::path::{Path, PathBuf};

use super::super::files::FileStore;
use super::super::packed;
use super::archives_below;
use crate::layout::{KeptAs, TRASH};

impl FileStore {
    /// The archives of checkpoints whose header cannot be read, or is that of another. Those of what was deleted are in nobody's
    /// way.
    pub(crate) fn headless_archives(&self) -> Vec<PathBuf> {
        let directory = self.archives();
        let Some(resolved) = self.resolved(&directory) else {
            return Vec::new();
        };
        let found = archives_below(self.disk(), &resolved).into_iter();
        let found = found.filter(|below| !below.starts_with(TRASH));
        let headless = found.filter(|below| self.is_headless(&resolved, below));
        headless.map(|below| directory.join(below)).collect()
    }

    fn is_headless(&self, directory: &Path, below: &Path) -> bool {
        let Some((kept_as, _)) = KeptAs::of_archive_below(below) else {
            return false;
        };
        let bytes = self.disk().read(&directory.join(below));
        // What cannot be read now may be whole.
        bytes.is_ok_and(|bytes| {
            !packed::label(&bytes).is_some_and(|label| kept_as.is_of(&label.key))
        })
    }
}
