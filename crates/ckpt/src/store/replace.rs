//! Replacing a file so that readers, even after a power failure, see either the old content or the new, never a mix.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::directories::Directories;
use super::error::{Action, StoreError};
use crate::disk::{Disk, FileKind, Mode, OsDisk};

/// The suffix of temporary files.
pub(crate) const TEMPORARY_ENDING: &str = ".ckpt-tmp";

/// The temporary name for a target. It is fixed because the writer holds the lock: the next change overwrites what a
/// crash left, instead of adding another file.
pub(super) fn temporary_path(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(TEMPORARY_ENDING);
    target.with_file_name(name)
}

/// Durably replaces the content of `target`: temporary file, sync, rename, sync of the directory. If it fails before
/// the rename, the old content stays and no temporary file is left. A new file needs no temporary one, where the file
/// system permits that.
pub(crate) fn replace(
    disk: &dyn Disk,
    target: &Path,
    bytes: &[u8],
    mode: Mode,
) -> Result<(), StoreError> {
    let is_known = matches!(mode, Mode::Like(_));
    if !is_known && matches!(disk.inspect(target), Ok(None)) && create(disk, target, bytes, mode)? {
        return Ok(());
    }
    replace_through(disk, &temporary_path(target), target, bytes, mode)
}

/// Durably creates a file that does not exist, without a temporary one that a crash could leave behind. `false` if that
/// cannot be done here, or if there is such a file by now.
pub(super) fn create(
    disk: &dyn Disk,
    target: &Path,
    bytes: &[u8],
    mode: Mode,
) -> Result<bool, StoreError> {
    match disk.create_whole(target, bytes, mode) {
        Ok(()) => sync_parent(disk, target).map(|()| true),
        Err(error) => match error.kind() {
            io::ErrorKind::Unsupported | io::ErrorKind::AlreadyExists => Ok(false),
            _ => Err(StoreError::io(Action::Write, target, error)),
        },
    }
}

/// [`replace`] through a temporary file with another name.
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

/// Durably replaces a file that belongs to no store, such as a settings file. Keeps its permissions; its directory must
/// exist.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let disk = OsDisk::default();
    let mode = mode_of(&disk, path)?;
    replace(&disk, path, bytes, mode)
}

/// Durably replaces a file below a root, creating the directories it needs. Follows no links and replaces only regular
/// files.
pub fn replace_below(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let disk = OsDisk::below(root);
    let path = Directories::below(root).prepare_file(&disk, path)?;
    let mode = mode_of(&disk, &path)?;
    replace(&disk, &path, bytes, mode)
}

/// The file's permissions are kept. Anything but a regular file is refused.
pub(super) fn mode_of(disk: &OsDisk, path: &Path) -> Result<Mode, StoreError> {
    match disk.inspect(path) {
        Ok(Some(FileKind::File(standing))) => Ok(Mode::Like(standing)),
        Ok(None) => Ok(Mode::Umask),
        Ok(Some(_)) | Err(_) => {
            let source = io::Error::other("it is not a regular file");
            Err(StoreError::io(Action::Replace, path, source))
        }
    }
}

/// Writes and syncs a new file. A failed sync is reported and never retried: the kernel may already have dropped the
/// dirty pages.
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

/// Makes a file's directory entry durable.
pub(super) fn sync_parent(disk: &dyn Disk, path: &Path) -> Result<(), StoreError> {
    let parent = path.parent().unwrap_or(path);
    disk.sync_directory(parent)
        .map_err(|source| StoreError::io(Action::Sync, parent, source))
}
