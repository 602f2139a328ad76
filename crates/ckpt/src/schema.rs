//! The file formats as types, from which the schemas are generated.
//!
//! Documents are read and changed as trees, so that unknown members survive; no code reads them through these types.
//! A test checks every fixture against both the schemas and the rules, so that they agree.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::command::PhaseStatus;
use crate::handoff::{Decision, ExpectedOutput, Mode, Phase, Status};

/// An ISO 8601 time, such as `2026-01-29T10:30:00.000Z`.
pub type Time = String;

/// Any value.
pub type Any = serde_json::Value;

macro_rules! constant {
    ($(#[$about:meta])* $name:ident = $value:literal) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $name;

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "const": $value })
            }
        }
    };
}

constant! {
    /// The number 1.
    One = 1
}
constant! {
    /// The number 2.
    Two = 2
}

/// Types that are written as text.
macro_rules! written_as_text {
    ($($name:ty,)+) => {
        $(impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                String::json_schema(generator)
            }
        })+
    };
}

written_as_text! {
    crate::document::Pointer,
    crate::history::Revision,
    crate::key::Key,
    crate::time::Timestamp,
}

/// The progress of a command, phase by phase.
#[derive(Debug, JsonSchema)]
pub struct UnifiedCheckpoint {
    /// The command.
    pub command: Option<CommandName>,
    /// The feature it works on.
    pub feature: Option<String>,
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
    /// A summary of at most 500 tokens.
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
    /// What the next phase must know, in at most 500 tokens.
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

/// The response of a sub-agent.
#[derive(Debug, JsonSchema)]
pub struct RecordedHandoff {
    /// The kind of step.
    pub phase: String,
    /// How far the task got.
    pub status: Status,
    /// What to do now.
    pub decision: Decision,
    /// The summary.
    pub context_summary: String,
    /// What went wrong.
    pub issues: Vec<String>,
    /// How many tokens it used.
    pub tokens_used: Option<u64>,
    /// When it was recorded.
    pub at: Time,
    /// Who recorded it.
    pub by: String,
    /// When somebody answered a response that said not to proceed.
    #[schemars(rename = "answeredAt")]
    pub answered_at: Option<Time>,
    /// The answer.
    pub answer: Option<String>,
}

/// Whether it may ship. Used by `ship`.
#[derive(Debug, JsonSchema)]
pub struct Gate {
    /// Exactly `true` if it may ship.
    pub ship_allowed: bool,
    /// What blocks it.
    pub blockers: Vec<String>,
    /// The commit that was approved.
    pub head_commit: Option<String>,
    /// The digest of the content that was approved.
    pub content: Option<String>,
    /// The files in it that git did not track.
    pub untracked: Option<Vec<String>>,
    /// When it was set.
    pub set_at: Option<Time>,
    /// Who approved: `person`, `agent:NAME` or `script`.
    pub approved_by: Option<String>,
    /// The seal that tells it from one written by hand.
    pub seal: Option<Any>,
    /// An override of the gate.
    #[schemars(rename = "override")]
    pub pass: Option<GateOverride>,
}

/// A decision to override a gate.
#[derive(Debug, JsonSchema)]
pub struct GateOverride {
    /// The reason.
    pub reason: String,
    /// Who made it.
    pub by: String,
    /// When it was made.
    pub at: Option<Time>,
    /// HEAD at that time.
    pub head_commit: Option<String>,
    /// The digest of the content at that time.
    pub content: Option<String>,
    /// Who approved: `person`, `agent:NAME` or `script`.
    pub approved_by: Option<String>,
    /// The seal that tells it from one written by hand.
    pub seal: Option<Any>,
}

/// How a gate passed or failed.
#[derive(Debug, JsonSchema)]
pub struct Receipt {
    /// A run or a claim.
    pub kind: ReceiptKind,
    /// The result.
    pub result: ReceiptResult,
    /// The command that was run.
    pub command: Option<String>,
    /// When the run started.
    pub started_at: Option<Time>,
    /// When the claim was made.
    pub at: Option<Time>,
    /// How long the run took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The exit code.
    pub exit_code: Option<u64>,
    /// How the run ended, in words.
    pub ending: Option<String>,
    /// HEAD at that time.
    pub head_commit: Option<String>,
    /// The digest of the content it was run on.
    pub content: Option<String>,
    /// The digest of the content afterwards, if it differs.
    pub content_after: Option<String>,
    /// The state of git's index.
    pub index: Option<String>,
    /// The length of the output, in bytes.
    pub output_bytes: Option<u64>,
    /// The digest of the output.
    pub output_digest: Option<String>,
    /// The end of the output.
    pub output_tail: Option<String>,
    /// Who ran or claimed it.
    pub by: String,
    /// The process that runs it.
    pub runner: Option<Any>,
    /// Whether the pipeline pauses once nothing is running any more.
    pub pause_due: Option<bool>,
    /// The seal that tells it from one written by hand.
    pub seal: Option<Any>,
}

/// A run or a claim.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ReceiptKind {
    /// A command was run.
    Run,
    /// Someone claims the result.
    Claim,
}

/// The result of a gate.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ReceiptResult {
    /// It is running.
    Running,
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It was interrupted.
    Interrupted,
}

/// The progress of a build pipeline. Some members have other names in older files (`prd_id`, `id`, `updated_at`);
/// those are read too.
#[derive(Debug, JsonSchema)]
pub struct PipelineCheckpoint {
    /// Its id, such as `PRD-003`.
    pub prd: Option<String>,
    /// Its title.
    pub prd_title: Option<String>,
    /// The number of the last completed phase: 0 before the first.
    pub current_phase: Option<u64>,
    /// Its status.
    pub status: PipelineStatus,
    /// Completed workstreams.
    pub completed_workstreams: Option<Bucket>,
    /// Running workstreams.
    pub in_progress_workstreams: Option<Bucket>,
    /// Workstreams not started yet.
    pub pending_workstreams: Option<Bucket>,
    /// Deferred workstreams.
    pub dormant_workstreams: Option<Bucket>,
    /// Deferred workstreams, as other tools call them.
    pub deferred_workstreams: Option<Bucket>,
    /// Deferred workstreams, as other tools call them.
    pub skipped_workstreams: Option<Bucket>,
    /// Workstreams that failed, as other tools list them; they have to be done again.
    pub failed_workstreams: Option<Bucket>,
    /// The files that each workstream produced.
    pub artifacts: Option<Any>,
    /// Gates that passed, as `name (WS1)` or `name`.
    pub gates_passed: Option<Bucket>,
    /// Gates that have not passed yet, as `name` or `name (WS1)`. The name alone means every workstream that has it.
    pub gates_pending: Option<Bucket>,
    /// What went wrong; only while the status is failed.
    pub error: Option<PipelineFailure>,
    /// When it was last changed.
    pub timestamp: Option<Time>,
    /// The specification it follows.
    pub execution_spec: Option<ExecutionSpec>,
    /// The receipts of gates that were run or claimed, by `name (WS1)` or `name`.
    pub receipts: Option<BTreeMap<String, Receipt>>,
    /// The responses of sub-agents, by workstream.
    pub handoffs: Option<BTreeMap<String, RecordedHandoff>>,
    /// The result of the adversarial review.
    pub adversarial_review: Option<AdversarialReview>,
    /// Fixes for linter findings.
    pub eslint_fixes: Option<Vec<Fix>>,
    /// Important fixes.
    pub key_fixes: Option<Vec<Fix>>,
    /// What was cleaned up.
    pub cleanup_done: Option<Vec<String>>,
    /// Sub-agents, by id.
    pub agents: Option<BTreeMap<String, SubAgent>>,
}

/// A fix that was made along the way.
#[derive(Debug, JsonSchema)]
pub struct Fix {
    /// The file.
    pub file: String,
    /// What was changed in it.
    pub change: String,
}

/// The status of a pipeline.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum PipelineStatus {
    /// Nothing has been started.
    Initialized,
    /// Workstreams are running.
    InProgress,
    /// It waits for someone to review it.
    Paused,
    /// Something went wrong.
    Failed,
    /// Everything is done.
    Complete,
    /// Read as `in_progress`.
    Executing,
    /// Read as `in_progress`.
    #[schemars(rename = "in-progress")]
    InProgressDashed,
    /// Read as `paused`.
    Approved,
    /// Read as `paused`.
    AwaitingApproval,
    /// Read as `paused`.
    ReadyForApproval,
    /// Read as `complete`.
    Completed,
    /// Read as `complete`.
    #[schemars(rename = "COMPLETE")]
    CompleteLoud,
    /// Read as `complete`.
    #[schemars(rename = "COMPLETED")]
    CompletedLoud,
}

/// A list, or a map from names as written by other tools.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Bucket {
    /// In order.
    List(Vec<ListEntry>),
    /// By name.
    Map(BTreeMap<String, Any>),
}

/// A name, or an object that contains one.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum ListEntry {
    /// A name.
    Name(String),
    /// An object with a name and more.
    Entry(NamedEntry),
}

/// A list entry with more than its name.
#[derive(Debug, JsonSchema)]
pub struct NamedEntry {
    /// The name.
    pub id: Option<String>,
    /// Why it is deferred.
    pub reason: Option<String>,
}

/// What went wrong in a pipeline.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum PipelineFailure {
    /// A message alone.
    Message(String),
    /// The details.
    Known(PipelineError),
}

/// The details of what went wrong in a pipeline.
#[derive(Debug, JsonSchema)]
pub struct PipelineError {
    /// The workstream; missing if it concerns the pipeline as a whole.
    pub workstream: Option<String>,
    /// The message.
    #[schemars(length(min = 1))]
    pub message: String,
    /// The file.
    pub file: Option<String>,
    /// The line in the file.
    pub line: Option<u64>,
}

/// The specification that a pipeline follows.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum ExecutionSpec {
    /// Its path.
    Path(String),
    /// Its path and more.
    Known(KnownSpec),
}

/// What is recorded about a specification.
#[derive(Debug, JsonSchema)]
pub struct KnownSpec {
    /// Its path, relative to the root.
    pub path: Option<String>,
    /// Its hash when it was last accepted.
    pub hash: Option<String>,
    /// The workstreams that were running when something went wrong.
    pub interrupted: Option<Vec<String>>,
    /// The seal of whoever accepted it here.
    pub seal: Option<Any>,
}

/// The result of an adversarial review.
#[derive(Debug, JsonSchema)]
pub struct AdversarialReview {
    /// The verdict.
    pub verdict: ReviewVerdict,
    /// The number of P0 findings.
    pub p0_count: u64,
    /// The number of P1 findings.
    pub p1_count: u64,
    /// The number of the review: 1 or 2.
    #[schemars(range(min = 1, max = 2))]
    pub attempt: u64,
    /// The path of the findings.
    pub findings_path: Option<String>,
    /// Why it is overridden; required if it is.
    pub override_reason: Option<String>,
}

/// The verdict of a review.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ReviewVerdict {
    /// Ship.
    Ship,
    /// Ship if the gates pass.
    ShipWithGates,
    /// Do not ship.
    DoNotShip,
    /// The review said not to ship, and someone overrode it.
    Overridden,
}

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

/// Someone who works on a checkpoint.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct SubAgent {
    /// The type of a sub-agent, else `team` or `main`.
    #[schemars(rename = "type", default)]
    pub kind: String,
    /// The tasks it was given or has claimed.
    #[schemars(default)]
    pub assigned_tasks: Vec<String>,
    /// The tasks it has completed.
    #[schemars(default)]
    pub completed_tasks: Vec<String>,
    /// When it was last active.
    pub last_active: Option<Time>,
    /// The session it works in.
    pub session: Option<String>,
    /// When a sub-agent started.
    pub started_at: Option<Time>,
    /// When it ended. Its claims have lapsed since.
    pub ended_at: Option<Time>,
    /// Tasks it claims to have done but that are not ticked in the plan.
    pub claimed_tasks: Option<Vec<String>>,
    /// What it was asked to do.
    pub asked: Option<String>,
    /// Whether it was at work when its session ended.
    pub died: Option<bool>,
    /// The files it wrote, if it died.
    pub files: Option<Vec<String>>,
    /// What it handed over.
    pub handoff: Option<Any>,
    /// The last thing it said, if it handed nothing over.
    pub last_words: Option<String>,
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

/// One line of a history. Members not listed here belong to the event.
#[derive(Debug, JsonSchema)]
pub struct HistoryLine {
    /// When it happened.
    pub ts: Time,
    /// What happened.
    pub event: String,
    /// The revision, shared by all lines of one change. Lines of other tools have none.
    pub rev: Option<u64>,
    /// The epoch of this history, named when it began.
    pub epoch: Option<String>,
    /// Who did it.
    pub by: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// The commit that was checked out; only on the first line of a change.
    pub head: Option<String>,
    /// What changed in which file; only on the first line of a change.
    pub files: Option<BTreeMap<String, FileRecord>>,
}

/// The change of a file.
#[derive(Debug, JsonSchema)]
pub struct FileRecord {
    /// The hash of its content before; null if there was no file.
    pub from: Option<String>,
    /// The hash of its content after.
    pub to: Option<String>,
    /// The replacements, each with its offset, old text and new text.
    pub edit: Option<Vec<Any>>,
    /// The whole new content.
    pub content: Option<Any>,
}

/// A task for a sub-agent.
#[derive(Debug, JsonSchema)]
pub struct HandoffRequest {
    /// Identifies the task.
    #[schemars(length(min = 1))]
    pub task_id: String,
    /// The kind of step.
    pub phase: Phase,
    /// The specialization of the sub-agent.
    pub mode: Mode,
    /// What the sub-agent must know.
    pub context: HandoffContext,
    /// What to do.
    #[schemars(length(min = 1))]
    pub instructions: String,
    /// The form of the findings.
    pub expected_output: ExpectedOutput,
}

/// What a sub-agent must know.
#[derive(Debug, JsonSchema)]
pub struct HandoffContext {
    /// What the work is about.
    #[schemars(length(min = 1))]
    pub feature: String,
    /// The path of the specification.
    pub spec_path: Option<String>,
    /// Files to look at first.
    pub relevant_files: Option<Vec<String>>,
    /// Rules to follow.
    pub constraints: Option<Vec<String>>,
    /// The summary of the previous step, in at most 500 tokens.
    pub previous_summary: Option<String>,
}

/// The response of a sub-agent.
#[derive(Debug, JsonSchema)]
pub struct HandoffResponse {
    /// The task of the request.
    #[schemars(length(min = 1))]
    pub task_id: String,
    /// The phase of the request.
    pub phase: Phase,
    /// How far the task got.
    pub status: Status,
    /// What to do now.
    pub decision: Decision,
    /// The findings; their members depend on the phase.
    pub findings: HandoffFindings,
    /// What the next phase must know, in at most 500 tokens.
    #[schemars(length(min = 1))]
    pub context_summary: String,
    /// How many tokens it used.
    pub tokens_used: Option<u64>,
    /// What went wrong or is unclear.
    pub issues: Option<Vec<Any>>,
}

/// The findings of a sub-agent.
#[derive(Debug, JsonSchema)]
pub struct HandoffFindings {
    /// Research: existing implementations.
    pub existing_implementations: Option<Vec<ExistingImplementation>>,
    /// Research: conflicts.
    pub conflicts: Option<Vec<FoundConflict>>,
    /// Research: patterns found.
    pub patterns_found: Option<Vec<FoundPattern>>,
    /// Research: recommendations.
    pub recommendations: Option<Vec<Any>>,
    /// Write: files created.
    pub files_created: Option<Vec<CreatedFile>>,
    /// Write: files modified.
    pub files_modified: Option<Vec<ModifiedFile>>,
    /// Write: tests written.
    pub tests_written: Option<Vec<WrittenTest>>,
    /// Write: notes on the implementation.
    pub implementation_notes: Option<Vec<Any>>,
    /// Validate: the checks.
    pub checks: Option<Checks>,
    /// Validate, parallel: whether everything passed.
    pub overall_passed: Option<bool>,
    /// Validate: blocking issues.
    pub blocking_issues: Option<Vec<Any>>,
    /// Validate: warnings.
    pub warnings: Option<Vec<Any>>,
    /// Parallel: the result of each step.
    pub results: Option<Vec<Any>>,
    /// Parallel: the combined result.
    pub aggregation: Option<Aggregation>,
}

/// An existing implementation.
#[derive(Debug, JsonSchema)]
pub struct ExistingImplementation {
    /// The file.
    pub file: String,
    /// What it is.
    pub description: String,
    /// Why it is relevant.
    pub relevance: Any,
}

/// A conflict.
#[derive(Debug, JsonSchema)]
pub struct FoundConflict {
    /// The kind of conflict.
    #[schemars(rename = "type")]
    pub kind: String,
    /// What it is.
    pub description: String,
    /// How severe it is.
    pub severity: Any,
}

/// A pattern used elsewhere.
#[derive(Debug, JsonSchema)]
pub struct FoundPattern {
    /// The file.
    pub file: String,
    /// The pattern.
    pub pattern: String,
    /// What to do with it.
    pub recommendation: String,
}

/// A file that was created.
#[derive(Debug, JsonSchema)]
pub struct CreatedFile {
    /// Its path.
    pub path: String,
    /// Its purpose.
    pub purpose: String,
}

/// A file that was modified.
#[derive(Debug, JsonSchema)]
pub struct ModifiedFile {
    /// Its path.
    pub path: String,
    /// What changed.
    pub changes: Any,
}

/// A test file that was written.
#[derive(Debug, JsonSchema)]
pub struct WrittenTest {
    /// Its path.
    pub path: String,
    /// The number of tests in it.
    pub test_count: Option<u64>,
    /// What they cover.
    pub coverage_areas: Option<Vec<String>>,
}

/// The checks of a validation.
#[derive(Debug, JsonSchema)]
pub struct Checks {
    /// Types.
    pub types: Option<Any>,
    /// Linting.
    pub lint: Option<Any>,
    /// Tests.
    pub tests: Option<Any>,
    /// Security.
    pub security: Option<Any>,
}

/// The combined result of several steps.
#[derive(Debug, JsonSchema)]
pub struct Aggregation {
    /// How many there were.
    pub total: Option<u64>,
    /// How many passed.
    pub passed: Option<u64>,
    /// How many failed.
    pub failed: Option<u64>,
    /// How the overall result follows from them.
    pub rule: Option<String>,
    /// Whether everything passed.
    pub overall_passed: Option<bool>,
}
