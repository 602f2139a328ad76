//! The store of documents: no acknowledged change is lost, and no reader sees half of one.
//!
//! A change holds the document's lock. It first appends the history lines that describe it and syncs them, then
//! replaces each file: temporary file, sync, rename, sync of the directory. If that is interrupted, the next change can
//! tell from the hashes how far it got, and either finishes it or records that it never took effect.

mod append;
mod archive;
mod directories;
mod error;
mod files;
mod laid_out;
mod mirror;
mod outside;
mod owed;
mod packed;
mod replace;
mod revive;
mod settle;
mod shared;
mod snapshot;
mod state_files;
mod transaction;

#[cfg(test)]
mod tests;

pub(crate) use append::Repeated;
pub use archive::Salvage;
pub(crate) use archive::{Fate, Group, Wanted};
pub use error::{Action, StoreError};
pub use files::LOCK_WAIT;
pub(crate) use files::{Author, Edits, FileStore};
pub(crate) use mirror::{
    Agreement, Coverage, MakeMirror, Mirror, Mirrored, WorktreeId, altered_lines, damaged_lines,
    make_directories, read_id,
};
pub use outside::{DirectoryLock, OutsideFile, Replaced};
pub use packed::ArchiveFlaw;
pub(crate) use packed::{Label, Packed, Unpacked};
pub(crate) use replace::{TEMPORARY_ENDING, replace};
pub use replace::{replace_below, replace_file};
pub(crate) use revive::Revived;
pub(crate) use settle::{FOUND_BY, Foreign};
pub(crate) use snapshot::Snapshot;
pub(crate) use transaction::{Commit, Committed, Proposal, Transaction, Write};
