//! What operations on documents of all kinds have in common.

use crate::document::Value;
use crate::history::Event;
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
