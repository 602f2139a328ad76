//! Operations on command checkpoints.

use super::change::Present;
use super::{Outcome, Workspace, WorkspaceError};
use crate::command::{self, Checkpoint, Lifecycle, PhaseUpdate, Refusal, ResumePoint};
use crate::document::Value;
use crate::gate::{UNCOUNTED_PATHS, Verdict, verdict};
use crate::history::Revision;
use crate::key::Key;
use crate::repository::{ContentDigest, Drift, RepositoryError};

/// How to start a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartRequest {
    /// Its phases; those that are usual for the command when left off.
    pub phases: Option<Vec<String>>,
    /// What to do about a finished one.
    pub finished: Finished,
}

/// What to do about a finished checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Finished {
    /// Leave it and refuse.
    #[default]
    Refuse,
    /// Start over; history keeps what was there.
    StartOver,
}

/// What starting a checkpoint came to.
#[derive(Debug, Clone)]
pub struct Started {
    /// The change; nothing was written when the checkpoint was under way already.
    pub outcome: Outcome,
    /// Whether a new checkpoint begins.
    pub created: bool,
    /// Where the work stands.
    pub resume_point: ResumePoint,
}

/// What to set a gate to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateRequest {
    /// Approve the present content.
    Allow,
    /// Block, for these reasons.
    Block(Vec<String>),
}

/// What a gate says.
#[derive(Debug, Clone)]
pub struct GateReport {
    /// The verdict.
    pub verdict: Verdict,
    /// The present content, where it can be known.
    pub content: Option<ContentDigest>,
}

impl Workspace {
    /// Starts a checkpoint. One that is under way stays as it is; a finished one is started over
    /// only when asked to, and history keeps what was there.
    pub fn start(&self, key: &Key, request: &StartRequest) -> Result<Started, WorkspaceError> {
        let outcome = self.change(key, "start", |present| {
            if let Some(value) = &present.value {
                command::check_ownership(value, key)?;
                match Lifecycle::of(value) {
                    Lifecycle::InFlight => return Ok(None),
                    Lifecycle::Complete if request.finished == Finished::Refuse => {
                        return Err(Refusal::AlreadyComplete { key: key.clone() });
                    }
                    Lifecycle::Complete | Lifecycle::Abandoned => {}
                }
            }
            Ok(Some(command::start(
                key,
                request.phases.as_deref(),
                &present.stamp,
            )))
        })?;
        let checkpoint = Checkpoint::new(outcome.document.root());
        Ok(Started {
            created: outcome.revision.is_some() && !outcome.restored,
            resume_point: checkpoint.resume_point(),
            outcome,
        })
    }

    /// Changes a phase. Makes the checkpoint if there is none.
    pub fn update_phase(
        &self,
        key: &Key,
        name: &str,
        update: &PhaseUpdate,
    ) -> Result<Outcome, WorkspaceError> {
        let limit = self.options.summary_limit;
        self.change(key, "phase", |Present { value, stamp, .. }| {
            command::update_phase(value, key, name, update, &stamp, limit).map(Some)
        })
    }

    /// Marks a checkpoint as finished.
    pub fn complete(&self, key: &Key) -> Result<Outcome, WorkspaceError> {
        let limit = self.options.summary_limit;
        self.change(key, "complete", |Present { value, stamp, .. }| {
            command::complete(value, key, &stamp, limit).map(Some)
        })
    }

    /// Marks a checkpoint as given up.
    pub fn abandon(&self, key: &Key, reason: &str) -> Result<Outcome, WorkspaceError> {
        self.change(key, "abandon", |Present { value, stamp, .. }| {
            command::abandon(value, key, reason, &stamp).map(Some)
        })
    }

    /// Saves a whole document. With a base revision, what others changed since it is kept, and
    /// what cannot be brought together is refused.
    pub fn save(
        &self,
        key: &Key,
        document: &Value,
        base: Option<&Revision>,
    ) -> Result<Outcome, WorkspaceError> {
        let base = match base {
            Some(base) => Some((base, self.at_revision(key, base)?.value())),
            None => None,
        };
        let limit = self.options.summary_limit;
        self.change(
            key,
            "save",
            |Present {
                 value,
                 stamp,
                 revision,
             }| {
                // Nothing moved since the base: there is nothing to merge.
                let moved = |base: &Revision| {
                    let present = revision.zip(revision.and_then(|r| r.epoch.as_ref()));
                    !present.is_some_and(|(now, epoch)| base.names(now.number, epoch))
                };
                let base = base
                    .as_ref()
                    .filter(|(base, _)| moved(base))
                    .map(|(_, value)| value);
                command::save(value, key, document.clone(), base, &stamp, limit).map(Some)
            },
        )
    }

    /// The digest of the content that an approval is about.
    pub fn content_digest(&self) -> Result<ContentDigest, RepositoryError> {
        self.repository.content_digest(&UNCOUNTED_PATHS)
    }

    /// Sets the gate of a checkpoint.
    pub fn set_gate(&self, key: &Key, request: &GateRequest) -> Result<Outcome, WorkspaceError> {
        let (blockers, content) = match request {
            GateRequest::Allow => (&[][..], Some(self.content_digest()?)),
            GateRequest::Block(blockers) => (blockers.as_slice(), None),
        };
        self.change(key, "gate set", |Present { value, stamp, .. }| {
            command::set_gate(value, key, blockers, content.as_ref(), &stamp).map(Some)
        })
    }

    /// Lets a blocked gate pass for exactly the present content.
    pub fn override_gate(&self, key: &Key, reason: &str) -> Result<Outcome, WorkspaceError> {
        let content = self.content_digest()?;
        let by = &self.options.by;
        self.change(key, "gate override", |Present { value, stamp, .. }| {
            command::override_gate(value, key, reason, by, &content, &stamp).map(Some)
        })
    }

    /// What the gate of a checkpoint says about the present content.
    pub fn check_gate(&self, key: &Key) -> Result<GateReport, WorkspaceError> {
        let loaded = self.require(key)?;
        let content = match self.content_digest() {
            Ok(content) => Some(content),
            Err(_) if !self.repository.is_git() => None,
            Err(error) => return Err(error.into()),
        };
        let gate = Checkpoint::new(loaded.document.root()).gate();
        Ok(GateReport {
            verdict: verdict(gate, content.as_ref()),
            content,
        })
    }

    /// What git knows of the time since a checkpoint was saved: asks git, so never on a hot path.
    pub fn drift(&self, checkpoint: Checkpoint<'_>) -> Result<Option<Drift>, WorkspaceError> {
        let saved = checkpoint.head_commit();
        let Some(saved) = saved.and_then(|saved| saved.parse().ok()) else {
            return Ok(None);
        };
        if !self.repository.is_git() {
            return Ok(None);
        }
        Ok(Some(self.repository.drift(&saved, &checkpoint.files())?))
    }
}
