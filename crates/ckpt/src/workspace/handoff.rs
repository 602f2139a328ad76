//! Handoffs from and to checkpoints.

use super::change::Present;
use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::command::{self, Checkpoint};
use crate::handoff::Reply;
use crate::history::Revision;
use crate::key::{CommandKey, Key, PipelineId, PlanId};
use crate::pipeline;
use crate::plan::{self, Concern, NoteChange};
use crate::resume;
use crate::tokens::fit;

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
        let brief = match key {
            Key::Command(_) => {
                let loaded = self.require(key)?;
                let checkpoint = Checkpoint::new(loaded.document.root());
                let completed = checkpoint.completed_phases();
                let phase = completed.last().and_then(|name| checkpoint.phase(name));
                let Some(phase) = phase else {
                    return Ok(Carried::default());
                };
                let files = phase
                    .files_created()
                    .into_iter()
                    .chain(phase.files_modified());
                return Ok(Carried {
                    summary: phase.summary().map(std::borrow::Cow::into_owned),
                    files: files.map(std::borrow::Cow::into_owned).collect(),
                });
            }
            Key::Plan(id) => self.plan(id).brief(&self.plan(id).view()?),
            Key::Pipeline(id) => self.pipeline(id).brief(&self.pipeline(id).view()?),
        };
        let limit = self.options.summary_limit;
        let text = resume::render(&[brief], 0, limit.most).text;
        Ok(Carried {
            summary: Some(fit(text.trim_end(), limit).text),
            files: Vec::new(),
        })
    }

    /// Records a response on a checkpoint.
    pub fn record_reply(
        &self,
        key: &Key,
        reply: &Reply,
        place: &ReplyPlace,
    ) -> Result<Recorded, WorkspaceError> {
        let revision = match key {
            Key::Command(command) => self.reply_to_command(command, reply, place)?,
            Key::Plan(id) => self.reply_to_plan(id, reply)?,
            Key::Pipeline(id) => self.reply_to_pipeline(id, reply)?,
        };
        Ok(Recorded {
            revision,
            blockers: reply.blockers(),
        })
    }

    fn reply_to_command(
        &self,
        key: &CommandKey,
        reply: &Reply,
        place: &ReplyPlace,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let limit = self.options.summary_limit;
        let outcome = self.change(
            &key.into(),
            Purpose::UpdatePhase,
            "handoff reply",
            |present| {
                let Present { value, stamp, .. } = present;
                let value = value.ok_or_else(|| WorkspaceError::NotFound(key.into()))?;
                let place = command::ReplyTarget {
                    phase: place.phase.as_deref(),
                    completes: place.ending == PhaseEnding::Completes,
                    by: &self.options.by,
                };
                let changed = command::record_reply(value, key, reply, &place, &stamp, limit)?;
                Ok(Some(changed))
            },
        )?;
        Ok(outcome.revision)
    }

    /// The summary becomes a note, what stands in the way a blocker. What is new is written before what is over goes,
    /// so that there is no moment without either.
    fn reply_to_plan(
        &self,
        id: &PlanId,
        reply: &Reply,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let blockers = reply.blockers();
        for blocker in &blockers {
            self.plan(id).block(blocker, &Concern::Current)?;
        }
        let known = self.plan(id).view()?.outline.blockers;
        let over = known
            .iter()
            .filter(|known| reply.is_own_blocker(known) && !blockers.contains(known));
        for blocker in over {
            match self.plan(id).unblock(blocker) {
                // Somebody else was quicker.
                Err(WorkspaceError::Plan(plan::Refusal::UnknownBlocker { .. })) => {}
                done => {
                    done?;
                }
            }
        }
        let mut note = format!("{} ({}): {}", reply.task, reply.decision, reply.summary);
        let files = [reply.created.as_slice(), &reply.modified].concat();
        if !files.is_empty() {
            note += &format!(" Files: {}.", files.join(", "));
        }
        let outcome = self.plan(id).note(&NoteChange::Add(note))?;
        Ok(outcome.revision)
    }

    fn reply_to_pipeline(
        &self,
        id: &PipelineId,
        reply: &Reply,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let by = &self.options.by;
        let outcome = self
            .pipeline(id)
            .change("handoff reply", |value, spec, stamp| {
                pipeline::record_reply(value, id.as_str(), spec, reply, by, stamp)
            })?;
        Ok(outcome.revision)
    }
}
