//! What the operations of all kinds share: their stamp, their result and their common refusals.

use crate::document::{ParseError, Value};
use crate::finding::Finding;
use crate::follower::FollowerName;
use crate::history::Event;
use crate::key::Key;
use crate::repository::CommitId;
use crate::time::Timestamp;

/// The time and commit of a change.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// The current time.
    pub now: Timestamp,
    /// HEAD, if there is one.
    pub head: Option<CommitId>,
}

/// The result of an operation.
#[derive(Debug, Clone)]
pub struct Changed {
    /// The next tree.
    pub value: Value,
    /// The events.
    pub events: Vec<Event>,
}

/// What to do about what is not done when a checkpoint is completed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unfinished {
    /// Leave it as it is.
    #[default]
    Ignore,
    /// Refuse to complete it.
    Refuse,
}

/// Why a checkpoint of any kind refuses a change. Each kind adds its own reasons.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no such checkpoint.
    #[error("no {}", described(.0))]
    Missing(Key),
    /// It is already complete.
    #[error("{} already complete", .0.short())]
    AlreadyComplete(Key),
    /// The document belongs to another key.
    #[error("{file} belongs to {stored}, not to {asked}: both names give the same file name")]
    Taken {
        /// The name of the file.
        file: String,
        /// The owner according to the document.
        stored: String,
        /// The key that was asked for.
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
    #[error("a checkpoint must be a JSON object")]
    NotAnObject,
    /// A required reason is missing.
    #[error("a reason is needed")]
    ReasonNeeded,
    /// No sub-agent waits for this answer.
    #[error("no sub-agent of {} waits for an answer about {task}", .key.short())]
    NothingToAnswer {
        /// The checkpoint.
        key: Key,
        /// The task.
        task: String,
    },
    /// Nothing is to be acknowledged about this.
    #[error("no hazard is about {id}")]
    NothingToAcknowledge {
        /// What was named.
        id: String,
        /// What could be named.
        others: Vec<String>,
    },
    /// A hazard that is still so.
    #[error("this cannot be acknowledged: {hazard} It ends with {ends}")]
    NotAcknowledgeable {
        /// The hazard.
        hazard: String,
        /// What ends it.
        ends: &'static str,
    },
    /// There is no history to record something in.
    #[error("{} has no history to record it in", .0.short())]
    NoHistory(Key),
    /// The earlier state is complete or abandoned, and the present one is not.
    #[error("{} was complete or abandoned then, and is in flight now", .0.short())]
    EndsAgain(Key),
    /// The changes to take back include the one that created it.
    #[error("{} was created by these changes", .0.short())]
    CreatedThen(Key),
    /// It is in flight.
    #[error("{} is still in flight", .0.short())]
    InFlight(Key),
    /// Its gate blocks, and whoever asks may not remove it.
    #[error("the gate of {} blocks, and only a person may remove it", .0.short())]
    GateStays(Key),
    /// Something blocks in it, and a block does not go along to another name.
    #[error("something blocks in {}, and would not under another name", .0.short())]
    BlockStays(Key),
    /// There is a checkpoint where another one was to be brought back.
    #[error("{} is already there", .0.short())]
    InTheWay(Key),
    /// There is a follower of that name.
    #[error("there is a follower {0} already")]
    FollowerTaken(FollowerName),
    /// A gate has a name that stands for something else.
    #[error("{0} is the gate of the preview, which no command can pass")]
    GateReserved(String),
    /// There is no directory that a clone cannot bring.
    #[error("nothing can be followed here: there is no git directory")]
    NothingToKeepIn,
    /// There is a checkpoint of that name, so another one cannot get it.
    #[error("{} already exists", .0.short())]
    NameTaken(Key),
    /// A plan was saved under its old name and its new one while it was renamed.
    #[error("{} was saved while it was renamed, and so was {}; both are kept", .key.short(), .new.short())]
    SavedTwice {
        /// The old name.
        key: Key,
        /// The new name.
        new: Key,
    },
    /// A checkpoint of one kind cannot get a name of another.
    #[error("{key} cannot become {new}, which is of another kind")]
    OtherKind {
        /// The checkpoint.
        key: Key,
        /// The name.
        new: Key,
    },
    /// There is nothing before the last change.
    #[error("nothing comes before the last change of {}", .0.short())]
    NothingBefore(Key),
    /// The result would break rules that were kept before.
    #[error("{}", .0.first().map_or_else(|| "the document breaks the rules".to_owned(), |first| format!("the document breaks the rule {}: {}", first.rule, first.message)))]
    Invalid(Vec<Finding>),
    /// The result could not be read back.
    #[error("the result could not be read back: {0}")]
    Unwritable(ParseError),
}

fn described(key: &Key) -> String {
    match key {
        Key::Plan(id) => format!("plan {id}"),
        Key::Pipeline(id) => format!("pipeline {id}"),
        Key::Command(key) => format!("checkpoint {}", key.short()),
    }
}

/// The given reason, trimmed; refused if empty.
pub(crate) fn reason_given(reason: &str) -> Result<&str, Refusal> {
    match reason.trim() {
        "" => Err(Refusal::ReasonNeeded),
        reason => Ok(reason),
    }
}
