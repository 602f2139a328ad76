//! Small state files that are not part of a document: the current plan, session records, logs.

use std::io;
use std::path::Path;

use super::error::{Action, StoreError};
use super::files::{FileStore, read_if_there};
use super::replace::{fill, replace, temporary_path};
use crate::disk::Mode;
use crate::disk::lock::Lock;

impl FileStore {
    /// Durably writes a small state file. The last writer wins.
    pub(crate) fn put(&self, file: &Path, content: &[u8]) -> Result<(), StoreError> {
        self.update(file, |_| ((), Some(content.to_vec())))
    }

    /// Appends a line to a log in the state directory, if that exists. A log longer than `longest` is rotated first.
    pub(crate) fn add_to_log(
        &self,
        name: &str,
        line: &[u8],
        longest: u64,
    ) -> Result<(), StoreError> {
        let disk = self.disk();
        let Some(directory) = self
            .directories()
            .resolve(disk, self.directories().state())?
        else {
            return Ok(());
        };
        let path = directory.join(name);
        let failed = |source| StoreError::io(Action::Write, &path, source);
        let open = |path: &Path| match disk.open_append(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                disk.create(path, Mode::Private)
            }
            opened => opened,
        };
        let mut file = open(&path).map_err(failed)?;
        if file.length().map_err(failed)? > longest {
            let before = path.with_extension("jsonl.1");
            disk.rename(&path, &before).map_err(failed)?;
            file = open(&path).map_err(failed)?;
        }
        file.write(line).map_err(failed)
    }

    /// Writes and syncs a file in the state directory, then removes it.
    pub(crate) fn probe(&self, bytes: usize) -> Result<(), StoreError> {
        let disk = self.disk();
        let file = self.directories().state().join("probe");
        let path = temporary_path(&self.directories().prepare_file(disk, &file)?);
        let filled = fill(disk, &path, &vec![b' '; bytes], Mode::Private);
        let _ = disk.remove(&path);
        filled
    }

    /// Durably changes a small state file under its lock. If `change` returns no content, the file stays unchanged.
    pub(crate) fn update<T>(
        &self,
        file: &Path,
        change: impl FnOnce(Option<Vec<u8>>) -> (T, Option<Vec<u8>>),
    ) -> Result<T, StoreError> {
        let disk = self.disk();
        let _lock = self.lock_state_file(file)?;
        let path = self.directories().prepare_state_file(disk, file)?;
        let (result, content) = change(read_if_there(disk, &path)?);
        if let Some(content) = content {
            replace(disk, &path, &content, Mode::Private)?;
        }
        Ok(result)
    }

    /// Removes a small state file under its lock, if `is_done_with` accepts its content.
    pub(crate) fn remove_if(
        &self,
        file: &Path,
        is_done_with: impl FnOnce(Vec<u8>) -> bool,
    ) -> Result<(), StoreError> {
        let _lock = self.lock_state_file(file)?;
        if self.read(file)?.is_some_and(is_done_with) {
            let removed = self.disk().remove(file);
            removed.map_err(|source| StoreError::io(Action::Replace, file, source))?;
        }
        Ok(())
    }

    fn lock_state_file(&self, file: &Path) -> Result<Lock, StoreError> {
        let (disk, directories) = (self.disk(), self.directories());
        self.locked("write", || {
            let lock = directories.prepare_state_file(disk, &directories.lock_of(file))?;
            let file = directories.prepare_file(disk, file)?;
            Ok((lock, file.parent().unwrap_or(&file).to_owned()))
        })
    }
}
