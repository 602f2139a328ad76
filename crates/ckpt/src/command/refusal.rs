//! Why a change of a command checkpoint is refused.

use super::Conflict;
use crate::document::{Pointer, Value};
use crate::issue::IssueId;
use crate::operation;
use crate::tokens;

/// The rules do not allow a change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A refusal shared by all kinds.
    #[error(transparent)]
    Shared(#[from] operation::Refusal),
    /// There is nothing to complete. Only [`complete`](super::complete) uses this wording.
    #[error("Cannot complete checkpoint: no checkpoint found")]
    NothingToComplete,
    /// The document to save has another version.
    #[error("Cannot save checkpoint with unsupported schema version: {0} (expected 1)")]
    CannotSaveVersion(String),
    /// A summary is too long.
    #[error("{}{error}", phase.as_ref().map(|name| format!("Phase \"{name}\" ")).unwrap_or_default())]
    SummaryTooLong {
        /// Its phase; `None` for the summary of the whole state.
        phase: Option<String>,
        /// By how much.
        error: tokens::TooLong,
    },
    /// The document changed since it was loaded, and the changes conflict.
    #[error("Checkpoint changed since it was loaded")]
    Conflict(Vec<Conflict>),
    /// A member that must be an object is something else.
    #[error("{pointer} is {found}, not an object")]
    NotMergeable {
        /// Where it is.
        pointer: Pointer,
        /// What it is instead.
        found: &'static str,
    },
    /// The document to save belongs to another key.
    #[error("the document belongs to {given}, not to {asked}")]
    Misnamed {
        /// The name in the document.
        given: String,
        /// The name it is to be saved as.
        asked: String,
    },
    /// It is about another issue.
    #[error("{checkpoint} is about {recorded}, not about {asked}")]
    OtherIssue {
        /// The checkpoint.
        checkpoint: String,
        /// The issue that is recorded.
        recorded: IssueId,
        /// The issue that was to be recorded.
        asked: IssueId,
    },
    /// There is no commit that an approval could name.
    #[error("cannot approve: there is no commit yet")]
    NoCommit,
    /// Some phases are not done.
    #[error("{checkpoint} is not done: {}", left(open, failed))]
    Unfinished {
        /// The checkpoint.
        checkpoint: String,
        /// The phases that are open.
        open: Vec<String>,
        /// The phases that failed.
        failed: Vec<String>,
    },
    /// There is no such phase, but some are spelled like it.
    #[error("{checkpoint} has no phase {name}")]
    NearPhase {
        /// The checkpoint.
        checkpoint: String,
        /// The name as given.
        name: String,
        /// What may be meant.
        near: Vec<String>,
    },
    /// A phase has no name.
    #[error("a phase needs a name")]
    NamelessPhase,
    /// An unknown status.
    #[error("unknown phase status {0}: use pending, in_progress, complete, failed or skipped")]
    UnknownStatus(String),
}

/// What is left to do, in words.
fn left(open: &[String], failed: &[String]) -> String {
    let listed = |what: &str, names: &[String]| match names {
        [] => None,
        [one] => Some(format!("phase {one} {what}")),
        names => Some(format!("phases {} {what}", names.join(", "))),
    };
    let is = |names: &[String]| {
        if names.len() == 1 {
            "is open"
        } else {
            "are open"
        }
    };
    let parts = [listed("failed", failed), listed(is(open), open)];
    parts
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", and ")
}

/// A value as JavaScript's `String()` would show it in a message.
pub(super) fn in_words(value: Option<&Value>) -> String {
    match value {
        None => "undefined".to_owned(),
        Some(Value::String(text)) => text.to_string(),
        Some(other) => other.to_compact(),
    }
}
