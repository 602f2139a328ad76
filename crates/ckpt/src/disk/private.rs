//! Files that only the user may read: beside the key, and in the user's own directories.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use super::os::{create_directory, make_usable, not_regular};
use super::{Mode, unnamed};

/// Creates a directory that only the user may enter, with its parents.
///
/// # Errors
///
/// If it cannot be created, or is a symbolic link.
pub fn make_private_directory(path: &Path) -> io::Result<()> {
    let missing = path.ancestors().take_while(|parent| !parent.exists());
    let missing: Vec<&Path> = missing.collect();
    for directory in missing.into_iter().rev() {
        match create_directory(directory, Mode::Private) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    match fs::symlink_metadata(path)?.is_dir() {
        true => Ok(()),
        false => Err(io::Error::other("it is not a directory")),
    }
}

/// Whether a path is not a symbolic link; it may be missing. The content of a git directory may have come with an
/// archive.
#[must_use]
pub fn is_no_link(path: &Path) -> bool {
    !fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// Opens a file with owner-only permissions. Does not follow links, does not block on a pipe, and opens only regular
/// files.
///
/// # Errors
///
/// If it cannot be opened, or is not a regular file.
pub fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(not_regular());
    }
    make_usable(&file, path)?;
    Ok(file)
}

/// Creates a file with owner-only permissions, which gets its name only once its content is durable.
///
/// # Errors
///
/// `AlreadyExists` if there is such a file; `Unsupported` if the file system cannot do this.
pub(crate) fn create_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = unnamed::unnamed(path.parent().unwrap_or(path), Mode::Private)?;
    make_usable(&file, path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    unnamed::name(&file, path)
}

/// Reads at most the first `most` bytes of a file, opened as by [`open_private`].
///
/// # Errors
///
/// If it cannot be read.
pub fn read_private(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_private(path, OpenOptions::new().read(true))?;
    let mut content = Vec::new();
    file.take(most).read_to_end(&mut content)?;
    Ok(content)
}
