//! Handoffs from and to checkpoints.

use super::{Workspace, WorkspaceError};
use crate::handoff::Reply;
use crate::history::Revision;
use crate::key::Key;

/// Where a response goes in a command checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyPlace {
    /// The phase; the current one when left off, else the one that the response names.
    pub phase: Option<String>,
    /// Whether the phase ends with it.
    pub ending: PhaseEnding,
}

/// Whether a phase ends with a response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PhaseEnding {
    /// It goes on: others may answer in it.
    #[default]
    GoesOn,
    /// It is complete.
    Completes,
}

/// What recording a response came to.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The revision that the checkpoint has now; `None` when there was nothing to record.
    pub revision: Option<Revision>,
    /// What stands in the way since.
    pub blockers: Vec<String>,
}

/// What there is to hand on from a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// What the last completed phase says of itself; of a plan or a pipeline, where it stands.
    pub summary: Option<String>,
    /// The files of that phase.
    pub files: Vec<String>,
}

impl Workspace {
    /// What there is to hand on from a checkpoint.
    pub fn carried(&self, key: &Key) -> Result<Carried, WorkspaceError> {
        Ok(self.read(key)?.carried(self.options.summary_limit))
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
