//! The append-only record of every change of a document.
//!
//! One JSON object a line. A change is one or more lines with the same `rev`; its first line holds
//! `files`: for each file of the document the content hashes before and after, and the edit between
//! them. It is the first, so that a change of which only some lines were written is still known.
//! The lines are written and synced before the files are touched, so they are at once the
//! log for people, the journal that settles a crashed change, and the way back to any revision.
//!
//! Lines that cannot be read (torn by a crash, damaged) are skipped: history can be lost without
//! harming the state.

mod change;
mod event;
mod line;
mod read;
mod replay;
mod revision;
mod trail;

#[cfg(test)]
mod tests;

pub use change::{FileChange, Transition};
pub use event::{Event, EventName};
pub use line::Line;
pub use read::{Backward, Forward};
pub(crate) use replay::last_content;
pub use replay::{replay, rewind};
pub use revision::{Epoch, Revision, RevisionError};
pub use trail::Trail;

pub use crate::hash::ContentHash;

pub(crate) use line::{Entry, MAX_RECORDED, write_line};
pub(crate) use read::{MEMORY_REACH, Tail, is_last, mentions, tail};

use crate::disk::DiskFile;
use crate::voice::path_name;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// The history of one document, opened for reading.
pub struct History(Box<dyn DiskFile>);

impl fmt::Debug for History {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("History")
    }
}

impl History {
    pub(crate) fn new(file: Box<dyn DiskFile>) -> Self {
        Self(file)
    }

    /// Its lines, the oldest first. Lines that cannot be read are skipped and counted.
    pub fn oldest_first(&self) -> io::Result<Forward<'_>> {
        Forward::new(&*self.0)
    }

    /// Its lines, the newest first. Lines that cannot be read are skipped and counted.
    pub fn newest_first(&self) -> io::Result<Backward<'_>> {
        Backward::new(&*self.0)
    }

    pub(crate) fn file(&self) -> &dyn DiskFile {
        &*self.0
    }
}

/// A history cannot give what was asked of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// The file system said no.
    #[error("cannot read the history {}", path_name(path))]
    Io {
        /// The history file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A revision is not in it, or what leads to it is damaged.
    #[error("revision {revision} is not in the history {}", path_name(path))]
    Unknown {
        /// The revision.
        revision: String,
        /// The history file.
        path: PathBuf,
    },
}
