//! The lock that serializes changes.
//!
//! It is an advisory lock on a separate file that is never deleted: after a deletion, two processes could hold "the"
//! lock on two different files. The system releases it when the holder dies, however it dies. Readers take no lock.

use crate::voice::path_name;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// The holder's note about itself is padded to this length, so that a shorter note overwrites a longer one without
/// another system call.
const NOTE_LENGTH: usize = 96;

/// A held lock; released when dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: Option<File>,
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
    /// A file operation failed.
    #[error("cannot lock {}", path_name(path))]
    Io {
        /// The lock file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl Lock {
    /// A lock for a disk that no other process shares.
    #[cfg(test)]
    pub(crate) fn unshared() -> Self {
        Self { _file: None }
    }
}

pub(crate) fn acquire(path: &Path, wait: Duration, holder: &str) -> Result<Lock, LockError> {
    let failed = |source| LockError::Io {
        path: path.to_owned(),
        source,
    };
    let file = open(path).map_err(failed)?;
    let mut file = match file.try_lock() {
        Ok(()) => file,
        Err(TryLockError::WouldBlock) => block(file, wait).map_err(|refusal| match refusal {
            Some(source) => failed(source),
            None => LockError::Busy {
                path: path.to_owned(),
                holder: read_note(path),
                waited: wait,
            },
        })?,
        Err(TryLockError::Error(source)) => return Err(failed(source)),
    };
    // The note only serves an error message, so failing to write it does no harm.
    let note = format!("process {} ({holder})", std::process::id());
    let _ = file.write_all(format!("{note:NOTE_LENGTH$}\n").as_bytes());
    Ok(Lock { _file: Some(file) })
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
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
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
