//! Histories.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::{Any, Time};

/// One line of a history. Members not listed here belong to the event.
#[derive(Debug, JsonSchema)]
pub struct HistoryLine {
    /// When it happened.
    pub ts: Time,
    /// What happened.
    pub event: String,
    /// The revision, shared by all lines of one change. Lines of other tools have none.
    pub rev: Option<u64>,
    /// The epoch of this history, named when it began.
    pub epoch: Option<String>,
    /// Who did it.
    pub by: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// The commit that was checked out; only on the first line of a change.
    pub head: Option<String>,
    /// What changed in which file; only on the first line of a change.
    pub files: Option<BTreeMap<String, FileRecord>>,
}

/// The change of a file.
#[derive(Debug, JsonSchema)]
pub struct FileRecord {
    /// The hash of its content before; null if there was no file.
    pub from: Option<String>,
    /// The hash of its content after.
    pub to: Option<String>,
    /// The replacements, each with its offset, old text and new text.
    pub edit: Option<Vec<Any>>,
    /// The whole new content; beside `edit` from time to time.
    pub content: Option<Any>,
}
