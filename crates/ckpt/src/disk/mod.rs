//! The seam between the store and the file system.
//!
//! Everything the store does to files goes through [`Disk`], one call for each thing that can
//! fail or be interrupted on its own. [`OsDisk`] is the real one. The crash suite puts a
//! simulated disk in its place and looks at what is left after every single call.

mod budget;
pub(crate) mod lock;
mod os;
mod private;
#[cfg(test)]
pub(crate) mod simulated;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) use budget::Budget;
pub(crate) use os::OsDisk;
pub use os::{lexical, read_below, read_in, read_own};
pub use private::{is_no_link, make_private_directory, open_private, read_private};

use lock::{Lock, LockError};

/// Who may read a new file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The owner alone: 0600 for files, 0700 for directories.
    Private,
    /// Whoever the process's umask allows.
    Umask,
    /// These permission bits, as the file being replaced has them.
    Exactly(u32),
}

/// What lies at a path, symbolic links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A regular file with these permission bits.
    File(u32),
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
    /// The whole content of a file that no symbolic link leads to. `None` where one does, and where that cannot be seen
    /// in one step: then each step of the path has to be looked at.
    fn read_without_links(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        let _ = path;
        Ok(None)
    }
    /// Opens a directory for reading the files in it.
    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>>;
    /// The names of the directories in a directory, in no order.
    fn directories(&self, path: &Path) -> io::Result<Vec<OsString>>;
    /// Opens a file for reading.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file for reading and for writing at its end; it must exist.
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Creates a file, or empties the one that is there.
    fn create(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn DiskFile>>;
    /// Creates a directory; its parent must exist.
    fn create_directory(&self, path: &Path, mode: Mode) -> io::Result<()>;
    /// Gives a file another name, in place of whatever had that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives two files each other's names, in one step. `Unsupported` where that cannot be done.
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Takes the permissions of others on a file away, where there is one.
    fn make_private(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        Ok(())
    }
    /// Makes the names in a directory durable.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;
    /// What lies at a path; `None` when nothing does.
    fn inspect(&self, path: &Path) -> io::Result<Option<FileKind>>;
    /// The path with all symbolic links resolved.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;
    /// Waits for the lock that a file stands for.
    fn lock(&self, path: &Path, wait: Duration, holder: &str) -> Result<Lock, LockError>;
}

/// An open directory.
pub(crate) trait DiskDirectory {
    /// The names of the regular files and symbolic links in it, in no order.
    fn names(&self) -> io::Result<Vec<OsString>>;
    /// Reads a file into the front of a buffer, which grows as needed, and says how many bytes it
    /// has: for reading many files in a row without clearing memory for each. A symbolic link is
    /// an error.
    fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>) -> io::Result<usize>;
}

/// An open file.
pub trait DiskFile {
    /// Writes bytes: at the end for a file opened so, else after the last ones written.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Makes what was written durable.
    fn sync(&mut self) -> io::Result<()>;
    /// How long the file is.
    fn length(&self) -> io::Result<u64>;
    /// Fills `buffer` from `offset` on.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}
