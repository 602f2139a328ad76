//! The interface shared by checkpoints of all kinds, so that code outside a kind's own folder need not know which
//! kind it has.

use super::command::CommandReading;
use super::facts::{Ground, Trace};
use super::handoff::{Carried, ReplyPlace};
use super::pipeline::PipelineReading;
use super::plan::PlanReading;
use super::{Workspace, WorkspaceError};
use crate::document::Object;
use crate::facts::{Around, Facts, LostAgent, Work};
use crate::finding::Finding;
use crate::gate::{ContentState, GateName, RunningGate};
use crate::handoff::Reply;
use crate::history::Revision;
use crate::key::Key;
use crate::process::Ending;
use crate::repository::Drift;
use crate::resume;
use crate::sub_agents::Helper;
use crate::tokens::{Limit, fit};

/// A checkpoint of any kind that was read.
pub trait Kind {
    /// Problems found in the checkpoint.
    fn findings(&self) -> Result<Vec<Finding>, WorkspaceError>;

    /// Its work, in the words that all kinds share.
    fn work(&self, ground: &Ground<'_>) -> Result<Work, WorkspaceError>;

    /// Whether its gates can only be judged by comparing the content of the work tree.
    fn depends_on_content(&self) -> bool;

    /// The commit it was saved at, if the document says so.
    fn saved_at(&self) -> Option<String> {
        None
    }

    /// The path of the specification it follows.
    fn spec_path(&self) -> Option<String> {
        None
    }

    /// The sub-agents that are on record as having ended without a report.
    fn lost_agents(&self) -> Vec<LostAgent>;

    /// The sub-agents of a session that are on record as being at work.
    fn helpers(&self, session: &str) -> Vec<Helper>;

    /// What git says has changed since it was saved, if the checkpoint names its commit. Runs git, so never call it
    /// on a hot path.
    fn drift(&self) -> Result<Option<Drift>, WorkspaceError> {
        Ok(None)
    }

    /// What it passes on in a handoff, with a summary of at most `limit` tokens.
    fn carried(&self, limit: Limit) -> Result<Carried, WorkspaceError> {
        let work = self.work(&Ground {
            content: &ContentState::default(),
            listing: None,
            trace: &Trace::default(),
            is_active: true,
        })?;
        let facts = Facts::about(&work, &Around::default());
        let text = resume::brief(&facts, limit.most).text;
        Ok(Carried {
            summary: Some(fit(text.trim_end(), limit).text),
            files: Vec::new(),
        })
    }

    /// The gates it records as running.
    fn running_gates(&self) -> Vec<RunningGate>;

    /// Stores the receipt of a gate that is running or has finished.
    fn record_gate(
        &self,
        gate: &GateName,
        receipt: &Object,
        ending: Option<&Ending>,
    ) -> Result<(), WorkspaceError>;

    /// Records the response of a sub-agent.
    fn record_reply(
        &self,
        reply: &Reply,
        place: &ReplyPlace,
    ) -> Result<Option<Revision>, WorkspaceError>;
}

impl Workspace {
    /// Reads a checkpoint of any kind.
    pub fn read(&self, key: &Key) -> Result<Box<dyn Kind + '_>, WorkspaceError> {
        Ok(match key {
            Key::Command(key) => Box::new(CommandReading::new(self, key)?),
            Key::Pipeline(id) => Box::new(PipelineReading::new(self, id)?),
            Key::Plan(id) => Box::new(PlanReading::new(self, id)?),
        })
    }
}
