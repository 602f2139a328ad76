//! The lock that serializes changes.
//!
//! It has two parts, both advisory. Changes queue for a lock file, in which the holder says who it is. We never delete
//! that file, but somebody else may, and then two processes hold "the" lock on two different files. So the holder also
//! locks the directory that holds what it changes, which nobody can remove without removing the state itself. The system
//! releases both when the holder dies, however it dies. Readers take no lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::os::{make_usable, not_regular};
use crate::voice::path_name;

/// The holder's note about itself is padded to this length, so that a shorter note overwrites a longer one without
/// another system call.
const NOTE_LENGTH: usize = 96;

/// A held lock; released when dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    // Released in this order, so that whoever is next in the queue does not have to wait for the directory.
    _directory: Option<File>,
    _file: Option<File>,
}

/// What a lock is on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'l> {
    /// The file that changes queue for.
    pub(crate) file: &'l Path,
    /// The directory of what is changed.
    pub(crate) directory: &'l Path,
}

/// The lock could not be taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process held it the whole time.
    #[error("{} is locked by {holder}; gave up after {} ms", path_name(path), waited.as_millis())]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// The holder's note about itself.
        holder: String,
        /// How long we waited.
        waited: Duration,
    },
    /// Somebody removed or replaced the lock file while we waited for it, again and again.
    #[error("{} keeps being removed", path_name(path))]
    Replaced {
        /// The lock file.
        path: PathBuf,
    },
    /// A file operation failed.
    #[error("cannot lock {}", path_name(path))]
    Io {
        /// The lock file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl LockError {
    /// Whether the lock file or its directory is not what it was a moment ago, so that another attempt may succeed.
    pub(crate) fn is_gone(&self) -> bool {
        match self {
            Self::Replaced { .. } => true,
            Self::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            Self::Busy { .. } => false,
        }
    }
}

impl Lock {
    /// A lock for a disk that no other process shares.
    #[cfg(test)]
    pub(crate) fn unshared() -> Self {
        Self {
            _directory: None,
            _file: None,
        }
    }
}

pub(crate) fn acquire(
    subject: Subject<'_>,
    wait: Duration,
    holder: &str,
) -> Result<Lock, LockError> {
    let attempt = Attempt {
        path: subject.file,
        deadline: Instant::now() + wait,
        wait,
    };
    let mut file = attempt.take(subject.file, open)?;
    // The note only serves an error message, so failing to write it does no harm.
    let note = format!("process {} ({holder})", std::process::id());
    let _ = file.write_all(format!("{note:NOTE_LENGTH$}\n").as_bytes());
    let directory = match attempt.take(subject.directory, open_directory) {
        Ok(directory) => Some(directory),
        // Some network file systems lock files but not directories.
        Err(LockError::Io { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(Lock {
        _directory: directory,
        _file: Some(file),
    })
}

/// Locks a directory alone, for changes of its files that belong to no store. Some network file systems lock no
/// directories; there nothing is locked.
pub(crate) fn acquire_directory(path: &Path, wait: Duration) -> Result<Lock, LockError> {
    let attempt = Attempt {
        path,
        deadline: Instant::now() + wait,
        wait,
    };
    match attempt.take(path, open_directory) {
        Ok(directory) => Ok(Lock {
            _directory: Some(directory),
            _file: None,
        }),
        Err(LockError::Io { .. }) => Ok(Lock {
            _directory: None,
            _file: None,
        }),
        Err(error) => Err(error),
    }
}

/// Whether somebody holds the lock on a file. Any number of processes may ask at once; whoever wants the lock just then has to try
/// again.
pub(crate) fn is_held(path: &Path) -> io::Result<bool> {
    let file = match open_present(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// One attempt to take a lock.
struct Attempt<'l> {
    /// The lock file.
    path: &'l Path,
    deadline: Instant,
    wait: Duration,
}

impl Attempt<'_> {
    /// Locks what is at a path. If that was removed or replaced while we waited, others lock something else by now.
    fn take(&self, path: &Path, open: fn(&Path) -> io::Result<File>) -> Result<File, LockError> {
        let file = self.lock(open(path).map_err(|source| self.failed(source))?)?;
        match is_at(&file, path).map_err(|source| self.failed(source))? {
            true => Ok(file),
            false => Err(LockError::Replaced {
                path: path.to_owned(),
            }),
        }
    }

    fn lock(&self, file: File) -> Result<File, LockError> {
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) if self.wait.is_zero() => Err(self.busy()),
            Err(TryLockError::WouldBlock) => {
                let left = self.deadline.saturating_duration_since(Instant::now());
                block(file, left).map_err(|refusal| match refusal {
                    Some(source) => self.failed(source),
                    None => self.busy(),
                })
            }
            Err(TryLockError::Error(source)) => Err(self.failed(source)),
        }
    }

    fn failed(&self, source: io::Error) -> LockError {
        LockError::Io {
            path: self.path.to_owned(),
            source,
        }
    }

    fn busy(&self) -> LockError {
        LockError::Busy {
            path: self.path.to_owned(),
            holder: read_note(self.path),
            waited: self.wait,
        }
    }
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let opened = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (opened.dev(), opened.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Open files cannot be removed here.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(unix)]
fn open_directory(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::DIRECTORY;
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

#[cfg(not(unix))]
fn open_directory(_path: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

fn open(path: &Path) -> io::Result<File> {
    open_with(path, true)
}

/// Opens an existing lock file. Anything but a regular file is refused.
pub(crate) fn open_present(path: &Path) -> io::Result<File> {
    open_with(path, false)
}

fn open_with(path: &Path, create: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .create(create)
        .truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(not_regular());
    }
    if create {
        make_usable(&file, path)?;
    }
    Ok(file)
}

/// Waits in the kernel's queue, on a thread, because polling can starve the process that has waited longest. If the
/// lock is granted after the deadline, nobody receives it and it is dropped, which releases it. `Err(None)` means the
/// deadline has passed.
fn block(file: File, wait: Duration) -> Result<File, Option<io::Error>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::Builder::new()
        .stack_size(64 * 1024)
        .spawn(move || {
            let granted = file.lock().map(|()| file);
            let _ = sender.send(granted);
        })
        .map_err(Some)?;
    match receiver.recv_timeout(wait) {
        Ok(granted) => granted.map_err(Some),
        Err(_) => Err(None),
    }
}

pub(crate) fn read_note(path: &Path) -> String {
    let mut note = Vec::new();
    if let Ok(file) = open_present(path) {
        let _ = file.take(NOTE_LENGTH as u64).read_to_end(&mut note);
    }
    let note = String::from_utf8_lossy(&note);
    match note.trim() {
        "" => "another process".to_owned(),
        note => note.chars().filter(|c| !c.is_control()).collect(),
    }
}

#[cfg(test)]
mod tests;
