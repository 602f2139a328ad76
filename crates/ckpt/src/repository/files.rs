//! Reading git's small files. A missing file is not an error, and paths are bytes.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::RepositoryError;

/// The content of a file; `None` if it does not exist.
///
/// A directory at the path, or a file in place of a parent directory, also means that it does not exist: refs named `a`
/// and `a/b` can replace each other.
pub(super) fn read_if_present(path: &Path) -> Result<Option<Vec<u8>>, RepositoryError> {
    match read_small(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::IsADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(RepositoryError::io("read", path)(error)),
    }
}

/// The largest small file that is read, packed refs included.
const MOST: u64 = 64 * 1024 * 1024;

/// The largest index that is read.
pub(super) const MOST_OF_AN_INDEX: u64 = 1024 * 1024 * 1024;

/// The content of an index; `None` if it does not exist.
pub(super) fn read_index(path: &Path) -> Result<Option<Vec<u8>>, RepositoryError> {
    match read_regular(path, MOST_OF_AN_INDEX) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RepositoryError::io("read", path)(error)),
    }
}

fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    read_regular(path, MOST)
}

/// Reads a file that is usually shorter than a page. Only regular files are read; anything else could block us.
pub(super) fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open_regular(path)?;
    let mut first = [0; 4096];
    let filled = file.read(&mut first)?;
    let mut bytes = first[..filled].to_vec();
    // Less than asked for need not be the end: an error may follow.
    let left = most.saturating_sub(filled as u64);
    if filled > 0 && file.take(left + 1).read_to_end(&mut bytes)? as u64 > left {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Opens a regular file for reading; anything else is refused.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    match () {
        () if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        () if !metadata.is_file() => Err(io::Error::other("it is not a regular file")),
        () => Ok(file),
    }
}

/// Whether the path is a directory, and not a link to one.
pub(super) fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// The path that a file such as `commondir` holds, relative to `base`.
pub(super) fn path_in(bytes: &[u8], base: &Path) -> PathBuf {
    let line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let end = bytes
        .iter()
        .rposition(|byte| !line_end(byte))
        .map_or(0, |last| last + 1);
    base.join(path_from_bytes(&bytes[..end]))
}

/// A path as git stores it: bytes on Unix, UTF-8 elsewhere.
pub(super) fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    {
        PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// A path below the work tree as git writes it: with `/` on every platform.
pub(super) fn bytes_from_path(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for component in path.components() {
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(component.as_os_str().as_encoded_bytes());
    }
    bytes
}

/// The real path: absolute, without symbolic links.
///
/// Not resolved on Windows, because git does not accept the resolved form (`\\?\…`).
pub(super) fn physical(path: &Path) -> Result<PathBuf, RepositoryError> {
    let resolved = if cfg!(windows) {
        fs::metadata(path).and_then(|_| std::path::absolute(path))
    } else {
        fs::canonicalize(path)
    };
    resolved.map_err(RepositoryError::io("find", path))
}

/// The end of a file; `None` if it is not a plain file or cannot be read.
pub(super) fn end_of(path: &Path, most: u64) -> Option<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = open_regular(path).ok()?;
    let length = file.metadata().ok()?.len();
    let before = length.saturating_sub(most);
    if before > 0 {
        file.seek(SeekFrom::Start(before)).ok()?;
    }
    // Otherwise it would be read in small pieces.
    let mut content = Vec::with_capacity(usize::try_from(length - before).ok()? + 1);
    file.take(most).read_to_end(&mut content).ok()?;
    Some(content)
}
