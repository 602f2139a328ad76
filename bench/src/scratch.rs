//! The folder that everything measured lies in. It is on the disk that builds lie on, because a memory
//! file system would make every sync free.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Doing, Result};
use crate::repository::Repository;

/// A folder that is empty at first and gone afterwards.
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

    /// Also the `HOME` of everything that is measured: it holds no settings.
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
        // Nothing depends on it: what is left is removed by the next run.
        let _ = fs::remove_dir_all(&self.root);
    }
}
