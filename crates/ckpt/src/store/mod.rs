//! Keeping documents: no acknowledged change is lost, no reader sees half of one.
//!
//! A change runs under the directory's lock, in this order: the lines of history that describe it
//! are appended and synced; then each file is replaced by temporary file, sync, rename and sync of
//! the directory. Wherever that is cut off, the next change can tell from the hashes what happened
//! and either finishes it or records that it never took effect.

mod append;
mod directories;
mod error;
mod files;
mod replace;
mod settle;
mod shared;
mod snapshot;
mod state_files;
mod transaction;

#[cfg(test)]
mod tests;

pub(crate) use error::Action;
pub use error::StoreError;
pub use files::LOCK_WAIT;
pub(crate) use files::{Author, FileStore};
pub(crate) use replace::TEMPORARY_ENDING;
pub use replace::{remove_below, replace_below, replace_file};
pub(crate) use settle::{FOUND_BY, Foreign};
pub(crate) use snapshot::Snapshot;
pub(crate) use transaction::{Commit, Committed, Proposal, Write};
