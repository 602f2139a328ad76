//! Handoffs to and from checkpoints.

use super::{Workspace, WorkspaceError};
use crate::handoff::Reply;
use crate::history::Revision;
use crate::key::Key;

/// Where to record a response in a command checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyPlace {
    /// The phase; if `None`, the current phase, else the one named in the response.
    pub phase: Option<String>,
    /// Whether the response completes the phase.
    pub ending: PhaseEnding,
}

/// Whether a response completes its phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PhaseEnding {
    /// The phase stays open: other responses may follow.
    #[default]
    GoesOn,
    /// The phase is complete.
    Completes,
}

/// The result of recording a response.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The checkpoint's new revision; `None` if there was nothing to record.
    pub revision: Option<Revision>,
    /// The checkpoint's blockers afterwards.
    pub blockers: Vec<String>,
}

/// What a checkpoint passes on in a handoff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// The summary of the last completed phase; for a plan or pipeline, its current state.
    pub summary: Option<String>,
    /// The files of that phase.
    pub files: Vec<String>,
}

impl Workspace {
    /// What a checkpoint passes on in a handoff.
    pub fn carried(&self, key: &Key) -> Result<Carried, WorkspaceError> {
        self.read(key)?.carried(self.options.summary_limit)
    }

    /// Records a response on a checkpoint.
    pub fn record_reply(
        &self,
        key: &Key,
        reply: &Reply,
        place: &ReplyPlace,
    ) -> Result<Recorded, WorkspaceError> {
        Ok(Recorded {
            revision: self.read(key)?.record_reply(reply, place)?,
            blockers: reply.blockers(),
        })
    }
}
