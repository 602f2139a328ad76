//! Command checkpoints.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::agent::{RecordedHandoff, SubAgent};
use super::gate::{Gate, Receipt};
use super::{One, Time};
use crate::command::PhaseStatus;

/// The progress of a command, phase by phase.
#[derive(Debug, JsonSchema)]
pub struct UnifiedCheckpoint {
    /// The command.
    pub command: Option<CommandName>,
    /// The feature it works on.
    pub feature: Option<String>,
    /// The issue that it is about, such as `BAS-6`.
    pub issue: Option<String>,
    /// The version of the format.
    pub version: One,
    /// HEAD at the last change.
    pub head_commit: Option<String>,
    /// When it was started.
    #[schemars(default)]
    pub started_at: Option<Time>,
    /// When it was last changed.
    #[schemars(default)]
    pub updated_at: Option<Time>,
    /// When it was completed.
    pub completed_at: Option<Time>,
    /// When it was abandoned.
    pub abandoned_at: Option<Time>,
    /// Why it was abandoned.
    pub abandon_reason: Option<String>,
    /// The current state.
    pub state: CommandState,
    /// The record of each phase, by name.
    pub phases: BTreeMap<String, CommandPhase>,
    /// Whether it may ship.
    pub gate: Option<Gate>,
    /// The receipts of gates that were run, by name.
    pub receipts: Option<BTreeMap<String, Receipt>>,
    /// Sub-agents, by id.
    pub agents: Option<BTreeMap<String, SubAgent>>,
}

/// One of the seven commands, or any other.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum CommandName {
    /// One of the seven.
    Known(KnownCommand),
    /// Any other.
    Other(String),
}

/// The seven commands.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum KnownCommand {
    /// Creates the branch and the issue.
    Start,
    /// Researches and plans, then writes the specification.
    Design,
    /// Compares the plan with the implementation.
    Reconcile,
    /// Gathers information, then draws conclusions.
    Research,
    /// Writes code, then tests it.
    Implement,
    /// Commits and pushes, if the gate allows it.
    Ship,
    /// Reviews the existing code.
    Review,
}

/// The current state of a command.
#[derive(Debug, JsonSchema)]
pub struct CommandState {
    /// The current phase.
    pub current_phase: Option<String>,
    /// Completed phases, in order of completion.
    #[schemars(default)]
    pub completed_phases: Vec<String>,
    /// Phases not started yet.
    #[schemars(default)]
    pub pending_phases: Vec<String>,
    /// A task id such as `T002`.
    pub current_task: Option<String>,
    /// A summary of at most 500 tokens, or the setting `summary_limit`.
    pub context_summary: Option<String>,
}

/// The record of a phase.
#[derive(Debug, JsonSchema)]
pub struct CommandPhase {
    /// Its status.
    pub status: PhaseStatus,
    /// When it was started.
    pub started_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// What the next phase must know, in at most 500 tokens, or the setting `summary_limit`.
    pub context_summary: Option<String>,
    /// The files it created.
    #[schemars(default)]
    pub files_created: Vec<String>,
    /// The files it modified.
    #[schemars(default)]
    pub files_modified: Vec<String>,
    /// What went wrong.
    pub error: Option<String>,
    /// The responses of sub-agents, by task.
    pub handoffs: Option<BTreeMap<String, RecordedHandoff>>,
}
