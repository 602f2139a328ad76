//! The append-only record of every change of a document.
//!
//! Each line is one JSON object. A change is one or more lines with the same `rev`; its first line holds `files`: for
//! each file the content hashes before and after, and the edit between them. Because that line comes first, a change is
//! known even if only some of its lines were written. The lines are synced before the files are touched, so they serve
//! as the log for people, as the journal for crash recovery, and as the way back to any revision.
//!
//! Lines that cannot be read (torn by a crash, damaged) are skipped: losing history never harms the state.

mod aborted;
mod change;
mod damage;
mod event;
mod happened;
mod line;
mod read;
mod replay;
mod revision;
mod seek;
mod trail;
mod words;

#[cfg(test)]
mod tests;

pub use aborted::Aborted;
pub use change::{FileChange, Transition};
pub use damage::Damage;
pub use event::{Event, EventName};
pub(crate) use happened::{Decided, Fate, Happened};
pub use line::Line;
pub use read::{Backward, Forward};
pub(crate) use replay::{content_at, last_content, names_at, rebuild};
pub use replay::{replay, rewind};
pub use revision::{Epoch, Revision, RevisionError};
pub(crate) use seek::{Counts, is_named, revision_at, unless_alone, whole_is_due};
pub use trail::Trail;

pub use crate::hash::ContentHash;

pub(crate) use line::{EXACT, Entry, FROM_COPY, MAX_RECORDED, REBASES, Whereabouts, write_line};
pub(crate) use read::{MEMORY_REACH, Tail, is_last, is_overtaken, mentions, tail};

use crate::disk::DiskFile;
use crate::document::ParseError;
use crate::voice::{self, path_name};
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

    /// The lines, oldest first. Unreadable lines are skipped.
    pub fn oldest_first(&self) -> io::Result<Forward<'_>> {
        Forward::new(&*self.0)
    }

    /// The lines, newest first. Unreadable lines are skipped, and noted.
    pub fn newest_first(&self) -> io::Result<Backward<'_>> {
        Backward::new(&*self.0)
    }

    /// The lines that cannot be read, among the last `most` bytes.
    pub fn damage_within(&self, most: u64) -> io::Result<Damage> {
        let mut lines = Backward::within(&*self.0, most)?;
        for line in lines.by_ref() {
            line?;
        }
        lines.damage()
    }

    pub(crate) fn file(&self) -> &dyn DiskFile {
        &*self.0
    }
}

/// The history does not have what was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// The history file cannot be read.
    #[error("cannot read the history {}", path_name(path))]
    Io {
        /// The history file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The revision is not in the history, or the lines leading to it are damaged.
    #[error("revision {revision} is not in the history of {}", voice::name(.name))]
    Unknown {
        /// The checkpoint, as a user names it.
        name: String,
        /// The revision.
        revision: String,
        /// The history, or the archive that it is in.
        path: PathBuf,
    },
    /// The document was damaged at that revision.
    #[error("{} was damaged at revision {revision}", voice::name(.name))]
    Damaged {
        /// The checkpoint, as a user names it.
        name: String,
        /// The revision.
        revision: String,
        /// What was wrong with it.
        source: ParseError,
    },
}
