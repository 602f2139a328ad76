//! The folder for all measurements. It is on the same disk as the builds, because on a memory file system every sync
//! would be free.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Doing, Result};
use crate::repository::Repository;

/// A folder that is empty at first and removed afterwards.
pub(crate) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    pub(crate) fn new(root: PathBuf) -> Result<Self> {
        if root.exists() {
            fs::remove_dir_all(&root).doing("remove", &root)?;
        }
        fs::create_dir_all(&root).doing("create", &root)?;
        Ok(Self { root })
    }

    /// Also the `HOME` of every measured program: it contains no settings.
    pub(crate) fn path(&self) -> &Path {
        &self.root
    }

    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.root.join(name);
        fs::create_dir(&folder).doing("create", &folder)?;
        Ok(folder)
    }

    /// A git repository with one commit.
    pub(crate) fn repository(&self, name: &str) -> Result<Repository<'_>> {
        Repository::init(self.folder(name)?, &self.root)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Errors do not matter: the next run removes what is left.
        let _ = fs::remove_dir_all(&self.root);
    }
}
