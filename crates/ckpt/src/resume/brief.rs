//! The brief of one checkpoint.

use std::borrow::Cow;

use crate::command::{Checkpoint, PhaseStatus, ResumePoint, Staleness};
use crate::document::Node;
use crate::gate::{self, GateProof, Override, Trust};
use crate::key::Key;
use crate::repository::{Drift, Head};
use crate::standing::{Lifecycle, Progress};
use crate::voice::{name, quote, suggested};

/// A note about a phase.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PhaseNote {
    /// The name of the phase.
    pub phase: String,
    /// The note.
    pub note: Option<String>,
}

/// What the progress of a checkpoint counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// The phases of a command.
    Phases,
    /// The tasks of a plan.
    Tasks,
    /// The workstreams of a pipeline.
    Workstreams,
}

/// The current state of a checkpoint, in brief.
#[derive(Debug, Clone, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Brief {
    /// Its key.
    pub key: Key,
    /// What its progress counts.
    pub unit: Unit,
    /// Whether it is in flight, complete or abandoned.
    pub lifecycle: Lifecycle,
    /// A problem with the checkpoint that may make the rest out of date.
    pub trouble: Option<String>,
    /// How far along it is.
    pub progress: Progress,
    /// The phase to continue and the summary to continue from, as returned by `getResumePoint`.
    #[serde(flatten)]
    pub resume_point: ResumePoint,
    /// The current task.
    pub task: Option<String>,
    /// The summary of the current phase so far.
    pub current_summary: Option<String>,
    /// What to do next, in a sentence.
    pub next: String,
    /// Phases reported as done, in order; for a plan also completed tasks of unfinished phases.
    pub done: Vec<String>,
    /// Phases not started yet, in order; for a plan the open tasks of the current phase first.
    pub pending: Vec<String>,
    /// Other phases in progress.
    pub also_in_progress: Vec<String>,
    /// Claimed tasks and their owners.
    pub claimed: Vec<String>,
    /// Tasks that sub-agents claim to have done but that are not ticked in the plan, with the claimant.
    pub unproven: Vec<String>,
    /// Sub-agents that died while working, with what they left.
    pub died: Vec<String>,
    /// Phases that failed, with their errors.
    pub failed: Vec<PhaseNote>,
    /// Why the gate blocks, if it does; for a plan, its blockers.
    pub blockers: Vec<String>,
    /// Decisions, latest first.
    pub decisions: Vec<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Who overrode the gate, and why. `gate check` tells whether the override still applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate_override: Option<String>,
    /// What the receipts and claims of its gates prove, judged without reading the work tree.
    pub gates: Vec<GateProof>,
    /// When it was last saved, as written.
    pub updated_at: Option<String>,
    /// Set if it was saved at another commit.
    pub stale: Option<Staleness>,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// What git says has changed since; only on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftNote>,
    /// The files that its phases name.
    pub files: Vec<String>,
}

/// What has changed since a checkpoint was saved.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriftNote {
    /// The number of commits since; `None` if git no longer knows the saved commit.
    pub commits: Option<u64>,
    /// The number of commits no longer in HEAD, after a rewrite or a switch of branches.
    pub left_behind: u64,
    /// Files named by the checkpoint that have changed.
    pub changed_files: Vec<String>,
}

impl From<Drift> for DriftNote {
    fn from(drift: Drift) -> Self {
        Self {
            commits: drift.commits,
            left_behind: drift.left_behind,
            changed_files: drift.changed_files,
        }
    }
}

impl Brief {
    /// Reads the brief of a command checkpoint.
    #[must_use]
    pub fn new(
        key: Key,
        checkpoint: Checkpoint<Node<'_>>,
        head: &Head,
        stale: Option<Staleness>,
        trust: Trust<'_>,
    ) -> Self {
        let owned = |names: Vec<Cow<'_, str>>| names.into_iter().map(Cow::into_owned).collect();
        let pending: Vec<String> = owned(checkpoint.pending_phases());
        let resume_point = checkpoint.resume_point();
        let failed: Vec<PhaseNote> = checkpoint
            .phases()
            .into_iter()
            .filter(|(_, phase)| phase.status() == Some(PhaseStatus::Failed))
            .map(|(name, phase)| PhaseNote {
                phase: name.into_owned(),
                note: phase.error().map(Cow::into_owned),
            })
            .collect();
        // Only what the document itself says: `gate check` asks git whether an approval or override still matches the
        // content.
        let pass = checkpoint
            .gate()
            .and_then(|gate| Override::read(gate, None, trust))
            .filter(Override::is_made_here);
        let mut also_in_progress = checkpoint.phases_with(PhaseStatus::InProgress);
        also_in_progress.retain(|name| Some(name) != resume_point.phase.as_ref());
        let current = checkpoint
            .current_phase()
            .and_then(|name| checkpoint.phase(&name));
        Self {
            unit: Unit::Phases,
            lifecycle: checkpoint.lifecycle(),
            trouble: None,
            claimed: Vec::new(),
            unproven: Vec::new(),
            died: Vec::new(),
            decisions: Vec::new(),
            notes: None,
            progress: checkpoint.progress(),
            task: checkpoint.current_task().map(Cow::into_owned),
            current_summary: current.and_then(|phase| Some(phase.summary()?.into_owned())),
            next: next_action(&key, checkpoint, &failed),
            also_in_progress,
            done: owned(checkpoint.completed_phases()),
            blockers: checkpoint
                .gate()
                .map(gate::stated_blockers)
                .unwrap_or_default(),
            gate_override: pass.map(|pass| format!("{}: {}", pass.by, pass.reason)),
            gates: Vec::new(),
            updated_at: checkpoint.updated_at().map(Cow::into_owned),
            stale,
            branch: head.branch.clone(),
            drift: None,
            files: checkpoint.files(),
            key,
            resume_point,
            pending,
            failed,
        }
    }
}

impl Brief {
    /// Adds what is known about the gates.
    #[must_use]
    pub(crate) fn with_gates(mut self, gates: Vec<GateProof>) -> Self {
        self.gates = gates;
        self
    }

    /// Adds what git says has changed since.
    #[must_use]
    pub fn with_drift(mut self, drift: Option<Drift>) -> Self {
        self.drift = drift.map(DriftNote::from);
        self
    }
}

fn next_action(key: &Key, checkpoint: Checkpoint<Node<'_>>, failed: &[PhaseNote]) -> String {
    match checkpoint.lifecycle() {
        Lifecycle::Complete => return "nothing: it is complete".to_owned(),
        Lifecycle::Abandoned => {
            let reason = checkpoint.abandon_reason();
            let reason = reason.as_deref().unwrap_or("no reason given");
            return format!("nothing: it was abandoned ({})", quote(reason));
        }
        Lifecycle::InFlight => {}
    }
    let recorded = |status| checkpoint.phases_with(status).into_iter().next();
    let current = checkpoint.current_phase().map(Cow::into_owned);
    if let Some(phase) = current.or_else(|| recorded(PhaseStatus::InProgress)) {
        return format!("continue phase {}", name(&phase));
    }
    if let Some(failure) = failed.first() {
        return format!("fix and retry phase {}", name(&failure.phase));
    }
    let pending = checkpoint.pending_phases().first().map(ToString::to_string);
    if let Some(phase) = pending.or_else(|| recorded(PhaseStatus::Pending)) {
        return format!("start phase {}", name(&phase));
    }
    let Progress { done, total } = checkpoint.progress();
    let key = suggested(&key.short());
    if done == total && total > 0 {
        return format!("all phases are done; finish with: ckpt complete {key}");
    }
    format!("record a phase with: ckpt phase {key} PHASE in_progress")
}
