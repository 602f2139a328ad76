//! What a checkpoint of any kind can be asked. Nothing outside of a kind's own folder looks which kind it is.

use super::command::CommandReading;
use super::handoff::{Carried, ReplyPlace};
use super::pipeline::PipelineReading;
use super::plan::PlanReading;
use super::{Workspace, WorkspaceError};
use crate::document::Object;
use crate::finding::Finding;
use crate::gate::RunningGate;
use crate::handoff::Reply;
use crate::history::Revision;
use crate::key::Key;
use crate::pipeline::Passing;
use crate::process::Ending;
use crate::repository::Drift;
use crate::resume::{self, Brief};
use crate::tokens::{Limit, fit};

/// A checkpoint of some kind, as it was read.
pub trait Kind {
    /// Everything that is wrong or odd about it.
    fn findings(&self) -> Result<Vec<Finding>, WorkspaceError>;

    /// Where it stands.
    fn brief(&self) -> Brief;

    /// What git knows of the time since it was saved, where it says at which commit that was. Asks git, so never on a hot
    /// path.
    fn drift(&self) -> Result<Option<Drift>, WorkspaceError> {
        Ok(None)
    }

    /// What there is to hand on from it, in a summary of at most so many tokens.
    fn carried(&self, limit: Limit) -> Carried {
        let text = resume::render(&[self.brief()], 0, limit.most).text;
        Carried {
            summary: Some(fit(text.trim_end(), limit).text),
            files: Vec::new(),
        }
    }

    /// The gates that it says are being run.
    fn running_gates(&self) -> Vec<RunningGate>;

    /// Keeps the receipt of a gate that is run, or has ended.
    fn record_gate(
        &self,
        gate: &Passing,
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
    /// Reads a checkpoint of whatever kind.
    pub fn read(&self, key: &Key) -> Result<Box<dyn Kind + '_>, WorkspaceError> {
        Ok(match key {
            Key::Command(key) => Box::new(CommandReading::new(self, key)?),
            Key::Pipeline(id) => Box::new(PipelineReading::new(self, id)?),
            Key::Plan(id) => Box::new(PlanReading::new(self, id)?),
        })
    }
}
