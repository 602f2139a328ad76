//! The boundary between the store and the file system.
//!
//! Everything the store does to files goes through [`Disk`], with one call for each step that can fail or be
//! interrupted. [`OsDisk`] is the real one; the crash tests use a simulated disk and check what is left after every
//! single call.

mod budget;
pub(crate) mod lock;
mod os;
mod private;
#[cfg(test)]
pub(crate) mod simulated;
mod unnamed;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub(crate) use budget::Budget;
pub(crate) use ckpt_lease::Writers;
pub(crate) use os::OsDisk;
pub use os::{lexical, read_below, read_in, read_own};
pub(crate) use private::create_private;
pub use private::{is_no_link, make_private_directory, open_private, read_private};

use lock::{Lock, LockError, Subject};

/// Who may read a new file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The owner alone: 0600 for files, 0700 for directories.
    Private,
    /// As the process's umask allows.
    Umask,
    /// As that of the file being replaced.
    Like(Standing),
}

/// The permissions of a file, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The permission bits.
    pub bits: u32,
    /// The user and the group, where files have them.
    pub owner: Option<(u32, u32)>,
}

/// A version of a file: which file it is, how long, and when it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    pub(crate) identity: (u64, u64),
    pub(crate) length: u64,
    pub(crate) written: Option<SystemTime>,
}

/// What is at a path, without following symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A regular file.
    File(Standing),
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A device, a socket, a pipe.
    Other,
}

/// File operations, each of which can be the last one before a crash.
pub(crate) trait Disk: fmt::Debug + Send + Sync {
    /// The whole content of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// The whole content of a file whose path has no symbolic link. `None` if it has one, or if one call cannot tell:
    /// then the caller must check each component.
    fn read_without_links(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        let _ = path;
        Ok(None)
    }
    /// Opens a directory for reading the files in it.
    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>>;
    /// The names of the subdirectories, in no particular order.
    fn directories(&self, path: &Path) -> io::Result<Vec<OsString>>;
    /// Opens a file for reading.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens an existing file for reading and appending.
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Creates a file, or truncates an existing one.
    fn create(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn DiskFile>>;
    /// Creates a file that gets its name only once its whole content is durable, so that a crash leaves nothing.
    /// `AlreadyExists` if the name is in use; `Unsupported` if the file system cannot.
    fn create_whole(&self, path: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
        let _ = (path, bytes, mode);
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Creates a directory; its parent must exist.
    fn create_directory(&self, path: &Path, mode: Mode) -> io::Result<()>;
    /// Renames a file, replacing any file of that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames a file to a name that is not in use; `AlreadyExists` if it is.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Atomically exchanges two files. `Unsupported` if the file system cannot.
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes a directory; it must be empty.
    fn remove_directory(&self, path: &Path) -> io::Result<()>;
    /// Removes everyone else's permissions on a file, if it exists.
    fn make_private(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        Ok(())
    }
    /// Makes a file durable that another program wrote.
    fn sync_file(&self, path: &Path) -> io::Result<()>;
    /// The whole content of a file, unless another program has it open for writing.
    fn read_unless_written(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        self.read(path).map(Some)
    }
    /// Whether another program has a file open for writing; `None` if nobody can tell.
    fn writers(&self, path: &Path) -> io::Result<Option<Writers>> {
        let _ = path;
        Ok(None)
    }
    /// How long ago a file was written; `None` if nobody can tell.
    fn age(&self, path: &Path) -> io::Result<Option<Duration>> {
        let _ = path;
        Ok(None)
    }
    /// What tells one version of a file from another without reading it; `None` if nobody can tell.
    fn stamp(&self, path: &Path) -> io::Result<Option<FileStamp>> {
        let _ = path;
        Ok(None)
    }
    /// Lets time pass for other programs.
    fn pause(&self, time: Duration) {
        let _ = time;
    }
    /// Makes the entries of a directory durable.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;
    /// What is at a path; `None` if nothing is.
    fn inspect(&self, path: &Path) -> io::Result<Option<FileKind>>;
    /// The path with all symbolic links resolved.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;
    /// Whether somebody holds the lock on a file.
    fn is_locked(&self, path: &Path) -> io::Result<bool> {
        let _ = path;
        Ok(false)
    }
    /// Waits for a lock.
    fn lock(&self, subject: Subject<'_>, wait: Duration, holder: &str) -> Result<Lock, LockError>;
}

/// An open directory.
pub(crate) trait DiskDirectory {
    /// The names of its regular files and symbolic links, in no particular order.
    fn names(&self) -> io::Result<Vec<OsString>>;
    /// Reads a file into the front of a buffer, which grows as needed, and returns the file's length. The buffer is
    /// reused, so reading many files does not clear memory for each. A symbolic link is an error.
    fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>) -> io::Result<usize>;
}

/// An open file.
pub trait DiskFile {
    /// Writes bytes: at the end if opened for appending, otherwise after the last write.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Makes what was written durable.
    fn sync(&mut self) -> io::Result<()>;
    /// The file's length.
    fn length(&self) -> io::Result<u64>;
    /// Fills `buffer`, starting at `offset`.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}
