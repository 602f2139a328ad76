//! The state of a plan, and its backup.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::agent::SubAgent;
use super::gate::Receipt;
use super::{Any, Time, Two};

/// The state of a plan: `state.json`.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanState {
    /// The version of the format.
    pub version: Two,
    /// Its id.
    #[schemars(default)]
    pub plan_id: String,
    /// The path of plan.md.
    #[schemars(default)]
    pub plan_path: String,
    /// When the state was last written.
    #[schemars(default)]
    pub last_checkpoint: Time,
    /// The checksum of plan.md when the state was last written.
    #[schemars(default)]
    pub checksum: String,
    /// How far along it is.
    #[schemars(default)]
    pub progress: PlanProgress,
    /// Its phases, by id.
    #[schemars(default)]
    pub phases: BTreeMap<String, PlanPhase>,
    /// The current phase.
    pub current_phase: Option<String>,
    /// The current task.
    pub current_task: Option<String>,
    /// Blockers.
    #[schemars(default)]
    pub blockers: Vec<String>,
    /// Decisions.
    #[schemars(default)]
    pub decisions: Vec<PlanDecision>,
    /// Session notes.
    pub session_notes: Option<String>,
    /// Who works on it, by name.
    #[schemars(default)]
    pub agents: BTreeMap<String, SubAgent>,
    /// The checksum of each phase file, by name.
    pub phase_files: Option<BTreeMap<String, String>>,
    /// The receipts of gates that were run, by name.
    pub receipts: Option<BTreeMap<String, Receipt>>,
    /// How the plan was closed before all of it was done, if it was.
    pub closed: Option<PlanClosing>,
}

/// How a plan was closed.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanClosing {
    /// Whether it counts as complete, or was abandoned.
    pub status: PlanClosingStatus,
    /// When it was closed.
    pub at: Option<Time>,
    /// Who closed it.
    pub by: Option<String>,
    /// Why it was abandoned.
    pub reason: Option<String>,
}

/// What closing made of a plan.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum PlanClosingStatus {
    /// It counts as complete, whatever is open.
    Complete,
    /// Nobody goes on with it.
    Abandoned,
}

/// The progress of a plan.
#[derive(Debug, Default, serde::Serialize, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanProgress {
    /// The number of tasks.
    #[schemars(default)]
    pub total_tasks: u64,
    /// The number of completed tasks.
    #[schemars(default)]
    pub completed_tasks: u64,
    /// The percentage of completed tasks, from 0 to 100, with one decimal.
    #[schemars(default, range(min = 0, max = 100))]
    pub percentage: f64,
}

/// A phase of a plan.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanPhase {
    /// Its status.
    pub status: PlanPhaseStatus,
    /// When it was started.
    pub started_at: Option<Time>,
    /// When it was completed.
    pub completed_at: Option<Time>,
    /// Its tasks, by id.
    #[schemars(default)]
    pub tasks: BTreeMap<String, PlanTask>,
    /// Its acceptance criteria, by id.
    #[schemars(default)]
    pub acceptance: BTreeMap<String, AcceptanceCriterion>,
}

/// The status of a phase of a plan.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum PlanPhaseStatus {
    /// Nothing is done.
    Pending,
    /// Something is done, or it is the current phase.
    InProgress,
    /// Everything is done.
    Completed,
}

/// A task of a plan.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanTask {
    /// Whether it is done.
    #[schemars(default)]
    pub done: bool,
    /// When it was completed.
    pub completed_at: Option<Time>,
    /// Who completed it.
    pub completed_by: Option<String>,
}

/// An acceptance criterion of a phase.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct AcceptanceCriterion {
    /// Whether it is met.
    #[schemars(default)]
    pub met: bool,
    /// When that was first seen.
    pub verified_at: Option<Time>,
}

/// A decision.
#[derive(Debug, JsonSchema)]
pub struct PlanDecision {
    /// When it was made.
    pub time: Option<Time>,
    /// What was decided.
    #[schemars(default)]
    pub decision: String,
    /// Why.
    pub reason: Option<String>,
    /// Who decided it.
    pub by: Option<String>,
}

/// The backup of a plan's state: `recovery.json`.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Recovery {
    /// When it was made.
    pub saved_at: Option<Time>,
    /// Why it was made.
    pub reason: Option<String>,
    /// The revision it holds.
    pub rev: Option<Any>,
    /// The state.
    pub state: PlanState,
}
