//! What can go wrong in the store.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::lock::LockError;
use crate::document::ParseError;
use crate::history::HistoryError;
use crate::voice::path_name;

/// What was being done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Reading it.
    Read,
    /// Writing it.
    Write,
    /// Putting new content in its place.
    Replace,
    /// Making it durable.
    Sync,
    /// Making it.
    Create,
    /// Looking at what it is.
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
            Self::Inspect => "look at",
        })
    }
}

/// A store operation failed; the state is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system said no.
    #[error("cannot {action} {}", path_name(path))]
    Io {
        /// What was being done.
        action: Action,
        /// To which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The lock was not had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file is there but is not JSON.
    #[error("Checkpoint file exists but is corrupt: {}", path_name(path))]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where it is broken.
        source: ParseError,
    },
    /// No key leads to the file, so nothing could be done with it.
    #[error("{} has a name that no key leads to", path_name(path))]
    Unnameable {
        /// The file.
        path: PathBuf,
    },
    /// Somebody writes a shared file again and again.
    #[error("{} is being written by somebody else all the time", path_name(path))]
    Contested {
        /// The file.
        path: PathBuf,
    },
    /// There are more files than are looked at.
    #[error(
        "{} holds {count} files, and {most} of them are looked at here",
        path_name(path)
    )]
    TooMany {
        /// The directory.
        path: PathBuf,
        /// How many there are.
        count: usize,
        /// How many are looked at.
        most: usize,
    },
    /// A symbolic link stands in the way.
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
    /// The history cannot give what was asked of it.
    #[error(transparent)]
    History(#[from] HistoryError),
}

impl StoreError {
    /// Whether somebody else holds the lock, so that it may work later.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Lock(LockError::Busy { .. }))
    }

    /// A document that cannot be read: it is not JSON, or has more in it than is read.
    pub(crate) fn unreadable(path: PathBuf, source: ParseError) -> Self {
        match source.is_too_much() {
            true => {
                let source = io::Error::new(io::ErrorKind::FileTooLarge, source.reason);
                Self::io(Action::Read, &path, source)
            }
            false => Self::Corrupt { path, source },
        }
    }

    pub(crate) fn io(action: Action, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}
