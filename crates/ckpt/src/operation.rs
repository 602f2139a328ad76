//! What operations on checkpoints of all kinds share: the stamp they get, the change they give, and why they refuse.

use crate::document::{ParseError, Value};
use crate::finding::Finding;
use crate::history::Event;
use crate::key::Key;
use crate::repository::CommitId;
use crate::time::Timestamp;

/// When and at which commit a change is made.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// Now.
    pub now: Timestamp,
    /// HEAD, where there is one.
    pub head: Option<CommitId>,
}

/// The next tree and what happened.
#[derive(Debug, Clone)]
pub struct Changed {
    /// The next tree.
    pub value: Value,
    /// What happened.
    pub events: Vec<Event>,
}

/// Why a checkpoint of any kind refuses a change. Each kind adds its own reasons.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no such checkpoint.
    #[error("no {}", described(.0))]
    Missing(Key),
    /// It is finished.
    #[error("{} already complete", .0.short())]
    AlreadyComplete(Key),
    /// The document says it belongs to another key.
    #[error("{file} belongs to {stored}, not to {asked}: both names give the same file name")]
    Taken {
        /// The file's name.
        file: String,
        /// Whose it is.
        stored: String,
        /// Who asked for it.
        asked: String,
    },
    /// The document has a version that we do not write.
    #[error("Unsupported checkpoint schema version: {found} (expected {expected})")]
    UnsupportedVersion {
        /// Its version, in words.
        found: String,
        /// The version we write.
        expected: u64,
    },
    /// The document is not an object.
    #[error("a checkpoint is a JSON object")]
    NotAnObject,
    /// Something that needs a reason has none.
    #[error("a reason is needed")]
    ReasonNeeded,
    /// The result would break rules that were kept before.
    #[error("{}", .0.first().map_or_else(|| "the document breaks the rules".to_owned(), |first| format!("the document breaks the rule {}: {}", first.rule, first.message)))]
    Invalid(Vec<Finding>),
    /// The result could not be read again.
    #[error("the document would be unreadable: {0}")]
    Unwritable(ParseError),
}

fn described(key: &Key) -> String {
    match key {
        Key::Plan(id) => format!("plan {id}"),
        Key::Command(_) | Key::Pipeline(_) => format!("checkpoint {key}"),
    }
}

/// The reason that was given, without the blanks around it.
pub(crate) fn reason_given(reason: &str) -> Result<&str, Refusal> {
    match reason.trim() {
        "" => Err(Refusal::ReasonNeeded),
        reason => Ok(reason),
    }
}
