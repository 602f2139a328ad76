//! Why a change of a command checkpoint is refused.

use super::Conflict;
use crate::document::{Pointer, Value};
use crate::operation;
use crate::tokens;

/// The rules do not allow a change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// What any kind refuses.
    #[error(transparent)]
    Shared(#[from] operation::Refusal),
    /// Only [`complete`](super::complete) says it in these words.
    #[error("Cannot complete checkpoint: no checkpoint found")]
    NothingToComplete,
    /// The document to save has another version.
    #[error("Cannot save checkpoint with unsupported schema version: {0} (expected 1)")]
    CannotSaveVersion(String),
    /// A summary is too long.
    #[error("{}{error}", phase.as_ref().map(|name| format!("Phase \"{name}\" ")).unwrap_or_default())]
    SummaryTooLong {
        /// The phase it belongs to; `None` for the one of the whole state.
        phase: Option<String>,
        /// By how much.
        error: tokens::TooLong,
    },
    /// It moved since it was loaded and the two do not go together.
    #[error("Checkpoint changed since it was loaded")]
    Conflict(Vec<Conflict>),
    /// A member that must be an object is something else.
    #[error("{pointer} is {found}, not an object")]
    NotMergeable {
        /// Where.
        pointer: Pointer,
        /// What is there.
        found: &'static str,
    },
    /// The document to save says it belongs to another key.
    #[error("the document says it is {given}, not {asked}")]
    Misnamed {
        /// What it says.
        given: String,
        /// What it is to be saved as.
        asked: String,
    },
    /// An approval needs a commit to name.
    #[error("there is no commit yet that an approval could name")]
    NoCommit,
    /// A phase has no name.
    #[error("a phase needs a name")]
    NamelessPhase,
    /// A status that does not exist.
    #[error("unknown phase status {0}: use pending, in_progress, complete, failed or skipped")]
    UnknownStatus(String),
}

/// A value as JavaScript's `String()` would show it in a message.
pub(super) fn in_words(value: Option<&Value>) -> String {
    match value {
        None => "undefined".to_owned(),
        Some(Value::String(text)) => text.to_string(),
        Some(other) => other.to_compact(),
    }
}
