//! Replacing a file so that whoever looks, and whenever the power goes, sees the old or the new
//! content whole.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::directories::Directories;
use super::error::{Action, StoreError};
use crate::disk::{Disk, FileKind, Mode, OsDisk};

/// What the names of temporary files end in.
pub(crate) const TEMPORARY_ENDING: &str = ".ckpt-tmp";

/// The one temporary name for a target. It is fixed because the writer holds the lock: a leftover
/// of a crash is overwritten by the next change instead of piling up.
pub(super) fn temporary_path(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(TEMPORARY_ENDING);
    target.with_file_name(name)
}

/// Durably puts `bytes` in the place of `target`: temporary file, sync, rename, sync of the
/// directory. When it fails before the rename, the old content stands and nothing is left behind.
pub(super) fn replace(
    disk: &dyn Disk,
    target: &Path,
    bytes: &[u8],
    mode: Mode,
) -> Result<(), StoreError> {
    replace_through(disk, &temporary_path(target), target, bytes, mode)
}

/// [`replace`] through a temporary file with another name than the target's own.
pub(super) fn replace_through(
    disk: &dyn Disk,
    temporary: &Path,
    target: &Path,
    bytes: &[u8],
    mode: Mode,
) -> Result<(), StoreError> {
    if let Err(error) = fill(disk, temporary, bytes, mode) {
        let _ = disk.remove(temporary);
        return Err(error);
    }
    if let Err(source) = disk.rename(temporary, target) {
        let _ = disk.remove(temporary);
        return Err(StoreError::io(Action::Replace, target, source));
    }
    sync_parent(disk, target)
}

/// Durably replaces a file that belongs to no store, such as a settings file. Its permissions stay; its directory must
/// exist.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let disk = OsDisk::default();
    let mode = mode_of(&disk, path)?;
    replace(&disk, path, bytes, mode)
}

/// Durably replaces a file below a root, with the directories that it needs. No link is followed on the way, and nothing but
/// a regular file is replaced.
pub fn replace_below(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let disk = OsDisk::below(root);
    let path = Directories::below(root).prepare_file(&disk, path)?;
    let mode = mode_of(&disk, &path)?;
    replace(&disk, &path, bytes, mode)
}

/// Who may read a file once it is replaced: as before. A device or a directory is not replaced.
fn mode_of(disk: &OsDisk, path: &Path) -> Result<Mode, StoreError> {
    match disk.inspect(path) {
        Ok(Some(FileKind::File(bits))) => Ok(Mode::Exactly(bits)),
        Ok(None) => Ok(Mode::Umask),
        Ok(Some(_)) | Err(_) => {
            let source = io::Error::other("it is not a regular file");
            Err(StoreError::io(Action::Replace, path, source))
        }
    }
}

/// Removes a file below a root that no link leads to. One that is not there is gone already.
pub fn remove_below(root: &Path, path: &Path) -> Result<(), StoreError> {
    let disk = OsDisk::below(root);
    let Some(path) = Directories::below(root).resolve(&disk, path)? else {
        return Ok(());
    };
    disk.remove(&path)
        .map_err(|source| StoreError::io(Action::Replace, &path, source))?;
    sync_parent(&disk, &path)
}

/// A file whose sync failed may have lost its pages, so it is never synced again: the caller
/// reports the failure.
pub(super) fn fill(
    disk: &dyn Disk,
    path: &Path,
    bytes: &[u8],
    mode: Mode,
) -> Result<(), StoreError> {
    let failed = |source| StoreError::io(Action::Write, path, source);
    let mut file = disk.create(path, mode).map_err(failed)?;
    file.write(bytes).map_err(failed)?;
    file.sync().map_err(failed)
}

/// Makes the name of a file durable.
pub(super) fn sync_parent(disk: &dyn Disk, path: &Path) -> Result<(), StoreError> {
    let parent = path.parent().unwrap_or(path);
    disk.sync_directory(parent)
        .map_err(|source| StoreError::io(Action::Sync, parent, source))
}
