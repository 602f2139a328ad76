//! Errors of the store.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::packed::ArchiveFlaw;
use crate::disk::lock::LockError;
use crate::document::ParseError;
use crate::history::HistoryError;
use crate::seal::Unsealed;
use crate::voice::path_name;

/// The file operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Reading the file.
    Read,
    /// Writing the file.
    Write,
    /// Replacing the file's content.
    Replace,
    /// Syncing the file.
    Sync,
    /// Creating the file or directory.
    Create,
    /// Removing the file.
    Remove,
    /// Finding out what kind of file it is.
    Inspect,
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Replace => "replace",
            Self::Sync => "sync",
            Self::Create => "create",
            Self::Remove => "remove",
            Self::Inspect => "inspect",
        })
    }
}

/// A store operation failed; the state is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file operation failed.
    #[error("cannot {action} {}", path_name(path))]
    Io {
        /// The operation.
        action: Action,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The lock could not be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file exists but is not JSON.
    #[error("Checkpoint file exists but is corrupt: {}", path_name(path))]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The parse error.
        source: ParseError,
    },
    /// The file's name does not belong to any key, so it cannot be addressed.
    #[error("{} has a name that does not belong to any key", path_name(path))]
    Unnameable {
        /// The file.
        path: PathBuf,
    },
    /// Another program keeps writing a shared file.
    #[error("{} keeps being changed by another program", path_name(path))]
    Contested {
        /// The file.
        path: PathBuf,
    },
    /// Another program has a shared file open for writing, and does not close it.
    #[error("{} is being written by another program", path_name(path))]
    Written {
        /// The file.
        path: PathBuf,
    },
    /// Git holds the lock of its configuration, or has died with it.
    #[error("git is changing its configuration: {} exists", path_name(lock))]
    LockedByGit {
        /// Git's lock file.
        lock: PathBuf,
    },
    /// A shared file was removed while it was being changed.
    #[error("{} was removed by another program", path_name(path))]
    Vanished {
        /// The file.
        path: PathBuf,
    },
    /// The directory holds more files than are read.
    #[error(
        "{} holds {count} files; only {most} of them are read",
        path_name(path)
    )]
    TooMany {
        /// The directory.
        path: PathBuf,
        /// How many files it holds.
        count: usize,
        /// How many are read.
        most: usize,
    },
    /// A symbolic link is in the path.
    #[error("{} is a symbolic link, and links are not followed", path_name(path))]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A symbolic link leads into a git directory.
    #[error(
        "{} is a symbolic link into a git directory, {}",
        path_name(path),
        path_name(target)
    )]
    IntoGit {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// The history does not have what was asked for.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// An archive cannot be used.
    #[error("the archive {} cannot be used: {flaw}", path_name(path))]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The reason.
        flaw: ArchiveFlaw,
    },
    /// Nobody can tell which lines of the history are ours, because the key cannot be read.
    #[error("cannot tell which lines of the history are ours: {0}")]
    Unchecked(Unsealed),
    /// Nothing can be archived, because an archive needs a seal.
    #[error("nothing can be archived, deleted or renamed without a key: {0}")]
    Unsealable(Unsealed),
}

impl StoreError {
    /// Whether another process is in the way, so that a retry may succeed.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(
            self,
            Self::Lock(LockError::Busy { .. })
                | Self::Contested { .. }
                | Self::Written { .. }
                | Self::LockedByGit { .. }
                | Self::Vanished { .. }
        )
    }

    /// A document that cannot be read: it is not JSON, or it exceeds the limits.
    pub(crate) fn unreadable(path: PathBuf, source: ParseError) -> Self {
        match source.is_too_much() {
            true => {
                let source = io::Error::new(io::ErrorKind::FileTooLarge, source.reason);
                Self::io(Action::Read, &path, source)
            }
            false => Self::Corrupt { path, source },
        }
    }

    /// A history that cannot be read.
    pub(crate) fn history(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::History(HistoryError::Io { path, source })
    }

    pub(crate) fn io(action: Action, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}
