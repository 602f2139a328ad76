//! Operations on command checkpoints.

mod reading;

use std::borrow::Cow;

pub(super) use reading::{CommandReading, key_of};

use super::change::{Decision, Present};
use super::error::Purpose;
use super::names::Creation;
use super::{Outcome, Workspace, WorkspaceError};
use crate::command::{
    self, Checkpoint, GateSetting, PhaseUpdate, Refusal, ResumePoint, Signature, Unfinished,
};
use crate::document::Value;
use crate::history::Revision;
use crate::issue::IssueId;
use crate::key::CommandKey;
use crate::operation::Refusal as Shared;
use crate::repository::ContentDigest;
use crate::standing::Lifecycle;

/// Options for starting a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartRequest {
    /// Its phases; `None` for the command's default phases.
    pub phases: Option<Vec<String>>,
    /// What to do if the checkpoint is already finished.
    pub finished: Finished,
    /// The issue that it is about.
    pub issue: Option<IssueId>,
}

/// What to do about a finished checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Finished {
    /// Refuse to start.
    #[default]
    Refuse,
    /// Start over; the history keeps the old content.
    StartOver,
}

/// The version that a document to be saved was derived from.
#[derive(Debug, Clone, Copy)]
pub enum Base<'b> {
    /// Unknown: the last write wins, and the history keeps the old content.
    Unknown,
    /// A revision.
    Revision(&'b Revision),
    /// Content that was read earlier. If the document no longer exists, it is saved as a new one.
    Content(&'b Value),
}

/// Whose gate and receipts count when a whole document is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Power {
    /// Those of the document.
    Given,
    /// Those that are there, if there are any.
    Present,
}

/// A document with the gate and the receipts of the present one.
fn with_power_of(present: &Value, document: &Value) -> Value {
    let mut next = document.clone();
    if let (Some(present), Some(root)) = (present.as_object(), next.as_object_mut()) {
        for name in ["gate", "receipts"] {
            if let Some(own) = present.get(name) {
                root.set(name, own.clone());
            }
        }
    }
    next
}

/// The result of starting a checkpoint.
#[derive(Debug, Clone)]
pub struct Started {
    /// The change; nothing was written if the checkpoint was already in progress.
    pub outcome: Outcome,
    /// Whether a new checkpoint was started.
    pub created: bool,
    /// Where to resume.
    pub resume_point: ResumePoint,
}

/// The state to set a gate to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateRequest {
    /// Approve the current content.
    Allow,
    /// Block, for these reasons.
    Block(Vec<String>),
}

/// One command checkpoint of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct CommandCheckpoint<'w> {
    workspace: &'w Workspace,
    key: &'w CommandKey,
    /// Which names a change may create it under; any without it.
    creation: Option<Creation>,
}

impl Workspace {
    /// A handle to a command checkpoint, whether or not it exists.
    #[must_use]
    pub fn command<'w>(&'w self, key: &'w CommandKey) -> CommandCheckpoint<'w> {
        CommandCheckpoint {
            workspace: self,
            key,
            creation: None,
        }
    }

    /// Signs approvals.
    fn signature(&self) -> Signature<'_> {
        Signature {
            vault: self.store.vault(),
            approved_by: &self.options.approved_by,
        }
    }
}

impl CommandCheckpoint<'_> {
    /// This handle, for changes that create the checkpoint only if [`Workspace::check_new`] permits it. That is decided
    /// under the lock: while a change waits, its checkpoint may get another name.
    #[must_use]
    pub fn creating(self, creation: Creation) -> Self {
        let creation = Some(creation);
        Self { creation, ..self }
    }

    pub(in crate::workspace) fn change(
        &self,
        purpose: Purpose,
        doing: &str,
        operation: impl Fn(Present<'_>) -> Decision,
    ) -> Result<Outcome, WorkspaceError> {
        let checked = |present: Present<'_>| {
            if let (None, Some(creation)) = (&present.value, self.creation) {
                self.workspace.check_new(self.key, creation)?;
            }
            operation(present)
        };
        self.workspace
            .change(&self.key.into(), purpose, doing, &checked)
    }

    /// Starts a checkpoint. A checkpoint in progress is left unchanged, except that its issue is recorded; a finished one is started over only on
    /// request, and the history keeps its content.
    pub fn start(&self, request: &StartRequest) -> Result<Started, WorkspaceError> {
        let outcome = self.change(Purpose::Save, "start", |present| {
            if let Some(value) = &present.value {
                let root = command::check_ownership(value, self.key)?;
                match Checkpoint::new(root.view()).lifecycle() {
                    Lifecycle::InFlight => return Ok(None),
                    Lifecycle::Complete if request.finished == Finished::Refuse => {
                        return Err(Shared::AlreadyComplete(self.key.into()).into());
                    }
                    Lifecycle::Complete | Lifecycle::Abandoned => {}
                }
            }
            Ok(Some(command::start(
                self.key,
                request.phases.as_deref(),
                request.issue.as_ref(),
                &present.stamp,
            )))
        })?;
        let created = outcome.revision.is_some() && !outcome.restored;
        let outcome = match &request.issue {
            Some(issue) if !created => self.record_issue(issue)?,
            _ => outcome,
        };
        let checkpoint = Checkpoint::new(outcome.document.root());
        Ok(Started {
            created,
            resume_point: checkpoint.resume_point(),
            outcome,
        })
    }

    /// Records the issue that a checkpoint is about. Another one that is recorded stays, and this one is refused.
    pub fn record_issue(&self, issue: &IssueId) -> Result<Outcome, WorkspaceError> {
        self.change(
            Purpose::Save,
            "start",
            |Present { value, stamp, .. }| {
                Ok(command::record_issue(value, self.key, issue, &stamp)?)
            },
        )
    }

    /// Updates a phase. Creates the checkpoint if there is none.
    pub fn update_phase(
        &self,
        name: &str,
        update: &PhaseUpdate,
    ) -> Result<Outcome, WorkspaceError> {
        let limit = self.workspace.options.summary_limit;
        self.change(
            Purpose::UpdatePhase,
            "phase",
            |Present { value, stamp, .. }| {
                Ok(Some(command::update_phase(
                    value, self.key, name, update, &stamp, limit,
                )?))
            },
        )
    }

    /// Marks a checkpoint as complete. Nothing changes if it already is.
    pub fn complete(&self, unfinished: Unfinished) -> Result<Outcome, WorkspaceError> {
        let limit = self.workspace.options.summary_limit;
        self.change(
            Purpose::Save,
            "complete",
            |Present { value, stamp, .. }| {
                let completed = command::complete(value, self.key, unfinished, &stamp, limit);
                Ok(completed?)
            },
        )
    }

    /// Marks a checkpoint as abandoned.
    pub fn abandon(&self, reason: &str) -> Result<Outcome, WorkspaceError> {
        self.change(
            Purpose::Save,
            "abandon",
            |Present { value, stamp, .. }| {
                Ok(Some(command::abandon(value, self.key, reason, &stamp)?))
            },
        )
    }

    /// Saves a whole document, with the approvals and receipts in it. Changes made by others since its base are merged in;
    /// conflicts are refused.
    pub fn save(&self, document: &Value, base: Base<'_>) -> Result<Outcome, WorkspaceError> {
        self.save_with(document, base, Power::Given)
    }

    /// The same, but the gate and the receipts stay as they are, if there are any: with an earlier document, an approval
    /// would come back that somebody took away since.
    pub fn save_content(
        &self,
        document: &Value,
        base: Base<'_>,
    ) -> Result<Outcome, WorkspaceError> {
        self.save_with(document, base, Power::Present)
    }

    fn save_with(
        &self,
        document: &Value,
        base: Base<'_>,
        power: Power,
    ) -> Result<Outcome, WorkspaceError> {
        let limit = self.workspace.options.summary_limit;
        let known = match base {
            Base::Revision(base) => Some(self.in_its_epoch(base)?),
            Base::Unknown | Base::Content(_) => None,
        };
        self.change(
            Purpose::Save,
            "save",
            |Present {
                 value,
                 stamp,
                 revision,
             }| {
                let base = match base {
                    Base::Unknown => None,
                    Base::Revision(base) => {
                        let base = known.as_ref().unwrap_or(base);
                        self.moved_base(base, revision)?.map(Cow::Owned)
                    }
                    Base::Content(base) => value.is_some().then_some(Cow::Borrowed(base)),
                };
                let document = match (power, &value) {
                    (Power::Present, Some(present)) => with_power_of(present, document),
                    _ => document.clone(),
                };
                let saved =
                    command::save(value, self.key, document, base.as_deref(), &stamp, limit)?;
                Ok(Some(saved))
            },
        )
    }

    /// The revision that was typed, whatever epoch begins meanwhile.
    fn in_its_epoch(&self, base: &Revision) -> Result<Revision, WorkspaceError> {
        let place = self.workspace.layout.place(&self.key.into());
        let exact = self.workspace.store.in_its_epoch(&place, base);
        exact.map_err(|error| Purpose::Load.failed(error))
    }

    /// The tree at the base revision; `None` if nothing changed since, so no merge is needed.
    fn moved_base(
        &self,
        base: &Revision,
        present: Option<&Revision>,
    ) -> Result<Option<Value>, WorkspaceError> {
        let Some(present) = present else {
            return Err(Refusal::Conflict(Vec::new()).into());
        };
        let epoch = present.epoch.as_ref();
        if epoch.is_some_and(|epoch| base.names(present.number, epoch)) {
            return Ok(None);
        }
        Ok(Some(
            self.workspace.at_revision(&self.key.into(), base)?.value(),
        ))
    }

    /// Sets the gate of a checkpoint.
    pub fn set_gate(&self, request: &GateRequest) -> Result<Outcome, WorkspaceError> {
        let setting = match request {
            GateRequest::Allow => GateSetting::Allow(self.workspace.content()?),
            GateRequest::Block(blockers) => GateSetting::Block(blockers.clone()),
        };
        self.change(
            Purpose::Save,
            "gate set",
            |Present { value, stamp, .. }| {
                let signature = self.workspace.signature();
                Ok(Some(command::set_gate(
                    value, self.key, &setting, signature, &stamp,
                )?))
            },
        )
    }

    /// Overrides a blocked gate for exactly the current content.
    pub fn override_gate(&self, reason: &str) -> Result<Outcome, WorkspaceError> {
        self.override_gate_for(reason, &self.workspace.content_digest()?)
    }

    pub(in crate::workspace) fn override_gate_for(
        &self,
        reason: &str,
        content: &ContentDigest,
    ) -> Result<Outcome, WorkspaceError> {
        let by = &self.workspace.options.by;
        self.change(
            Purpose::Save,
            "gate override",
            |Present { value, stamp, .. }| {
                let signature = self.workspace.signature();
                Ok(Some(command::override_gate(
                    value, self.key, reason, by, content, signature, &stamp,
                )?))
            },
        )
    }
}
