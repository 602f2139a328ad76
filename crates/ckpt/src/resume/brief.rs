//! Where one checkpoint stands.

use std::borrow::Cow;

use crate::command::{Checkpoint, Lifecycle, PhaseStatus, Progress, ResumePoint};
use crate::document::Node;
use crate::gate;
use crate::key::Key;
use crate::repository::{Drift, Head};
use crate::workspace::Staleness;

/// A phase and what is said of it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PhaseNote {
    /// Its name.
    pub phase: String,
    /// What is said of it.
    pub note: Option<String>,
}

/// Where one checkpoint stands.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Brief {
    /// Its key.
    pub key: Key,
    /// Whether it is under way.
    pub lifecycle: Lifecycle,
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
    /// Phases reported as done, in order.
    pub done: Vec<String>,
    /// Phases not yet started, in order.
    pub pending: Vec<String>,
    /// Phases that failed, with their errors.
    pub failed: Vec<PhaseNote>,
    /// Why the gate blocks, where one is set and blocks.
    pub blockers: Vec<String>,
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
        checkpoint: Checkpoint<'_>,
        head: &Head,
        stale: Option<Staleness>,
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
        let current = checkpoint
            .current_phase()
            .and_then(|name| checkpoint.phase(&name));
        Self {
            lifecycle: checkpoint.lifecycle(),
            progress: checkpoint.progress(),
            task: checkpoint.current_task().map(Cow::into_owned),
            current_summary: current.and_then(|phase| Some(phase.summary()?.into_owned())),
            next: next_action(&key, checkpoint, &resume_point, &pending, &failed),
            done: owned(checkpoint.completed_phases()),
            blockers: blockers(checkpoint.gate()),
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
    /// The brief with what git knows of the time since.
    #[must_use]
    pub fn with_drift(mut self, drift: Option<Drift>) -> Self {
        self.drift = drift.map(DriftNote::from);
        self
    }
}

/// What the document itself says against shipping. Whether an approval still fits the content is
/// for `gate check`, which asks git.
fn blockers(gate: Option<Node<'_>>) -> Vec<String> {
    gate.map(gate::stated_blockers).unwrap_or_default()
}

fn next_action(
    key: &Key,
    checkpoint: Checkpoint<'_>,
    resume_point: &ResumePoint,
    pending: &[String],
    failed: &[PhaseNote],
) -> String {
    match checkpoint.lifecycle() {
        Lifecycle::Complete => return "nothing: it is complete".to_owned(),
        Lifecycle::Abandoned => {
            let reason = checkpoint.abandon_reason();
            let reason = reason.as_deref().unwrap_or("no reason given");
            return format!("nothing: it was abandoned ({reason})");
        }
        Lifecycle::InFlight => {}
    }
    match (&resume_point.phase, failed.first(), pending.first()) {
        (Some(phase), _, _) => format!("continue phase {phase}"),
        (None, Some(failure), _) => format!("mend and retry phase {}", failure.phase),
        (None, None, Some(phase)) => format!("start phase {phase}"),
        (None, None, None) => format!(
            "all phases are done; finish with: ckpt complete {}",
            key.short()
        ),
    }
}
