//! Where one checkpoint stands.

use std::borrow::Cow;

use crate::command::{Checkpoint, PhaseStatus, ResumePoint, Staleness};
use crate::document::Node;
use crate::gate::{self, GateProof, Override, Trust};
use crate::key::Key;
use crate::repository::{Drift, Head};
use crate::standing::{Lifecycle, Progress};
use crate::voice::{name, quote, suggested};

/// A phase and what is said of it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PhaseNote {
    /// Its name.
    pub phase: String,
    /// What is said of it.
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

/// Where one checkpoint stands.
#[derive(Debug, Clone, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Brief {
    /// Its key.
    pub key: Key,
    /// What its progress counts.
    pub unit: Unit,
    /// Whether it is under way.
    pub lifecycle: Lifecycle,
    /// What is wrong with it, so that the rest may not be true any more.
    pub trouble: Option<String>,
    /// How far it is.
    pub progress: Progress,
    /// The phase to go on with and the summary to go on from, as `getResumePoint` gives them.
    #[serde(flatten)]
    pub resume_point: ResumePoint,
    /// The task being worked on.
    pub task: Option<String>,
    /// What the current phase says of itself so far.
    pub current_summary: Option<String>,
    /// What to do next, in a sentence.
    pub next: String,
    /// Phases reported as done, in order; of a plan also the done tasks of other phases.
    pub done: Vec<String>,
    /// Phases not yet started, in order; of a plan the open tasks of the current phase first.
    pub pending: Vec<String>,
    /// Phases under way beside the current one.
    pub also_in_progress: Vec<String>,
    /// Tasks that somebody works on, with who it is.
    pub claimed: Vec<String>,
    /// What sub-agents say they have done and the plan does not show, with who says it.
    pub unproven: Vec<String>,
    /// Sub-agents that died at work, with what they left.
    pub died: Vec<String>,
    /// Phases that failed, with their errors.
    pub failed: Vec<PhaseNote>,
    /// Why the gate blocks, where one is set and blocks; of a plan what stands in its way.
    pub blockers: Vec<String>,
    /// What was decided, the last first.
    pub decisions: Vec<String>,
    /// What was noted.
    pub notes: Option<String>,
    /// Who let the gate pass nevertheless, and why. Whether that still applies is for `gate check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate_override: Option<String>,
    /// What is known of the gates that were run or claimed, seen from outside.
    pub gates: Vec<GateProof>,
    /// When it was last saved, as written.
    pub updated_at: Option<String>,
    /// Whether it was saved at another commit.
    pub stale: Option<Staleness>,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// What git knows of the time since; only where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftNote>,
    /// Files that its phases name.
    pub files: Vec<String>,
}

/// What moved since a checkpoint was saved.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriftNote {
    /// Commits since; `None` when git does not know the saved commit any more.
    pub commits: Option<u64>,
    /// Commits that were left behind by a rewrite or another branch.
    pub left_behind: u64,
    /// Files that the checkpoint names and that differ from what they were.
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
    /// Reads where a checkpoint stands.
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
        // What the document itself says: whether an approval or an override still fits the content
        // is for `gate check`, which asks git.
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
    /// The brief with what is known of gates.
    #[must_use]
    pub(crate) fn with_gates(mut self, gates: Vec<GateProof>) -> Self {
        self.gates = gates;
        self
    }

    /// The brief with what git knows of the time since.
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
            return format!("nothing: it was abandoned, {}", quote(reason));
        }
        Lifecycle::InFlight => {}
    }
    let recorded = |status| checkpoint.phases_with(status).into_iter().next();
    let current = checkpoint.current_phase().map(Cow::into_owned);
    if let Some(phase) = current.or_else(|| recorded(PhaseStatus::InProgress)) {
        return format!("continue phase {}", name(&phase));
    }
    if let Some(failure) = failed.first() {
        return format!("mend and retry phase {}", name(&failure.phase));
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
