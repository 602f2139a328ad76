//! The formats as types, for the schemas that are made of them.
//!
//! Documents are read and changed as trees, so that what nobody knows survives; no code reads them through these types.
//! That they say what the rules say is tested: every fixture is judged both ways.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::command::PhaseStatus;
use crate::handoff::{Decision, ExpectedOutput, Mode, Phase, Status};

/// An ISO 8601 time, such as `2026-01-29T10:30:00.000Z`.
pub type Time = String;

/// Anything.
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

/// Where a command stands, phase by phase.
#[derive(Debug, JsonSchema)]
pub struct UnifiedCheckpoint {
    /// What is run.
    pub command: Option<CommandName>,
    /// What it works on.
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
    /// When it was given up.
    pub abandoned_at: Option<Time>,
    /// Why it was given up.
    pub abandon_reason: Option<String>,
    /// Where it stands.
    pub state: CommandState,
    /// What is known of each phase, by name.
    pub phases: BTreeMap<String, CommandPhase>,
    /// Whether it may ship.
    pub gate: Option<Gate>,
    /// What came of the gates that were run, by name.
    pub receipts: Option<BTreeMap<String, Receipt>>,
}

/// The seven commands, or any other.
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
    /// Makes the branch and the issue.
    Start,
    /// Finds out, plans, then writes the specification.
    Design,
    /// Compares the plan with what was made.
    Reconcile,
    /// Collects, then draws conclusions.
    Research,
    /// Writes code, then tests it.
    Implement,
    /// Commits and pushes, if the gate lets it.
    Ship,
    /// Looks at what is there.
    Review,
}

/// Where a command stands.
#[derive(Debug, JsonSchema)]
pub struct CommandState {
    /// The phase being worked on.
    pub current_phase: Option<String>,
    /// In the order of completion.
    #[schemars(default)]
    pub completed_phases: Vec<String>,
    /// Not yet started.
    #[schemars(default)]
    pub pending_phases: Vec<String>,
    /// A task id such as `T002`.
    pub current_task: Option<String>,
    /// At most 500 tokens.
    pub context_summary: Option<String>,
}

/// What is known of a phase.
#[derive(Debug, JsonSchema)]
pub struct CommandPhase {
    /// How far it is.
    pub status: PhaseStatus,
    /// When it was started.
    pub started_at: Option<Time>,
    /// When it was last changed.
    pub updated_at: Option<Time>,
    /// What the next phase must know, in at most 500 tokens.
    pub context_summary: Option<String>,
    /// Files that it created.
    #[schemars(default)]
    pub files_created: Vec<String>,
    /// Files that it modified.
    #[schemars(default)]
    pub files_modified: Vec<String>,
    /// What went wrong.
    pub error: Option<String>,
    /// What sub-agents answered, by task.
    pub handoffs: Option<BTreeMap<String, RecordedHandoff>>,
}

/// What a sub-agent answered.
#[derive(Debug, JsonSchema)]
pub struct RecordedHandoff {
    /// The kind of step.
    pub phase: String,
    /// How far it came.
    pub status: Status,
    /// What is to be done now.
    pub decision: Decision,
    /// What it said.
    pub context_summary: String,
    /// What went wrong.
    pub issues: Vec<String>,
    /// What it cost.
    pub tokens_used: Option<u64>,
    /// When it was recorded.
    pub at: Time,
    /// By whom.
    pub by: String,
}

/// Whether it may ship. Used by `ship`.
#[derive(Debug, JsonSchema)]
pub struct Gate {
    /// Exactly `true` where it may.
    pub ship_allowed: bool,
    /// What stands in the way.
    pub blockers: Vec<String>,
    /// The commit that was approved.
    pub head_commit: Option<String>,
    /// The digest of the content that was approved.
    pub content: Option<String>,
    /// When it was set.
    pub set_at: Option<Time>,
    /// Somebody's decision to let it pass nevertheless.
    #[schemars(rename = "override")]
    pub pass: Option<GateOverride>,
}

/// Somebody's decision to let a gate pass.
#[derive(Debug, JsonSchema)]
pub struct GateOverride {
    /// Why.
    pub reason: String,
    /// Who.
    pub by: String,
    /// When.
    pub at: Option<Time>,
    /// HEAD then.
    pub head_commit: Option<String>,
    /// The digest of the content then.
    pub content: Option<String>,
}

/// How a gate came to pass or fail.
#[derive(Debug, JsonSchema)]
pub struct Receipt {
    /// A run, or somebody's word.
    pub kind: ReceiptKind,
    /// What came of it.
    pub result: ReceiptResult,
    /// What was run.
    pub command: Option<String>,
    /// When it was run.
    pub started_at: Option<Time>,
    /// When it was said.
    pub at: Option<Time>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// With which code it ended.
    pub exit_code: Option<u64>,
    /// How it ended, in words.
    pub ending: Option<String>,
    /// HEAD then.
    pub head_commit: Option<String>,
    /// The digest of the content that it was run on.
    pub content: Option<String>,
    /// The digest of the content that it left, where that is another.
    pub content_after: Option<String>,
    /// What git's index looked like.
    pub index: Option<String>,
    /// How much it printed.
    pub output_bytes: Option<u64>,
    /// The digest of what it printed.
    pub output_digest: Option<String>,
    /// The end of what it printed.
    pub output_tail: Option<String>,
    /// Who ran or said it.
    pub by: String,
    /// The process that runs it.
    pub runner: Option<Any>,
}

/// A run, or somebody's word.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ReceiptKind {
    /// A command was run.
    Run,
    /// Somebody says so.
    Claim,
}

/// What came of a gate.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ReceiptResult {
    /// It runs.
    Running,
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It was interrupted.
    Interrupted,
}

/// Where a build pipeline stands. Older files have other names for some of it (`prd_id`, `id`, `updated_at`), which are read
/// as well.
#[derive(Debug, JsonSchema)]
pub struct PipelineCheckpoint {
    /// Its id, such as `PRD-003`.
    pub prd: Option<String>,
    /// What it is called.
    pub prd_title: Option<String>,
    /// The number of the last phase that is done.
    pub current_phase: Option<Any>,
    /// Where it is.
    pub status: PipelineStatus,
    /// Workstreams that are complete.
    pub completed_workstreams: Option<Bucket>,
    /// Workstreams that run.
    pub in_progress_workstreams: Option<Bucket>,
    /// Workstreams that are not yet started.
    pub pending_workstreams: Option<Bucket>,
    /// Workstreams that are put off.
    pub dormant_workstreams: Option<Bucket>,
    /// The files that each workstream made.
    pub artifacts: Option<Any>,
    /// Gates that passed, as `name (WS1)` or `name`.
    pub gates_passed: Option<Bucket>,
    /// Gates that did not pass yet.
    pub gates_pending: Option<Bucket>,
    /// What went wrong; only while it has failed.
    pub error: Option<PipelineFailure>,
    /// When it was last changed.
    pub timestamp: Option<Time>,
    /// The specification that it follows.
    pub execution_spec: Option<ExecutionSpec>,
    /// What came of the gates that were run or claimed, by `name (WS1)` or `name`.
    pub receipts: Option<BTreeMap<String, Receipt>>,
    /// What sub-agents answered, by workstream.
    pub handoffs: Option<BTreeMap<String, RecordedHandoff>>,
    /// What the adversarial review says.
    pub adversarial_review: Option<AdversarialReview>,
    /// Fixes that the linter asked for, as `{file, change}`.
    pub eslint_fixes: Option<Any>,
    /// Fixes that mattered, as `{file, change}`.
    pub key_fixes: Option<Any>,
    /// What was tidied up.
    pub cleanup_done: Option<Any>,
}

/// Where a pipeline is.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum PipelineStatus {
    /// Nothing has been started.
    Initialized,
    /// Workstreams are running.
    InProgress,
    /// Somebody is to look at it.
    Paused,
    /// Something went wrong.
    Failed,
    /// All is done.
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

/// A list, or a map from names, which others keep.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Bucket {
    /// In order.
    List(Vec<ListEntry>),
    /// By name.
    Map(BTreeMap<String, Any>),
}

/// A name, or an object that has one.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum ListEntry {
    /// A name.
    Name(String),
    /// More than a name.
    Entry(NamedEntry),
}

/// An entry of a list with more than its name.
#[derive(Debug, JsonSchema)]
pub struct NamedEntry {
    /// The name.
    pub id: Option<String>,
    /// Why it is put off.
    pub reason: Option<String>,
}

/// What went wrong in a pipeline.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum PipelineFailure {
    /// In words.
    Message(String),
    /// In full.
    Known(PipelineError),
}

/// What went wrong in a pipeline, in full.
#[derive(Debug, JsonSchema)]
pub struct PipelineError {
    /// The workstream.
    pub workstream: Option<String>,
    /// In words.
    pub message: String,
    /// The file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u64>,
}

/// The specification that a pipeline follows.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum ExecutionSpec {
    /// Where it is.
    Path(String),
    /// What is known of it.
    Known(KnownSpec),
}

/// What is known of a specification.
#[derive(Debug, JsonSchema)]
pub struct KnownSpec {
    /// Where it is, seen from the root.
    pub path: Option<String>,
    /// Its hash when it was last taken over.
    pub hash: Option<String>,
    /// The workstreams that were running when something went wrong.
    pub interrupted: Option<Vec<String>>,
}

/// What an adversarial review says.
#[derive(Debug, JsonSchema)]
pub struct AdversarialReview {
    /// The verdict.
    pub verdict: ReviewVerdict,
    /// Findings of the worst kind.
    pub p0_count: u64,
    /// Findings of the next kind.
    pub p1_count: u64,
    /// The first or the second.
    pub attempt: u64,
    /// Where the findings are.
    pub findings_path: Option<String>,
    /// Why it is overridden.
    pub override_reason: Option<String>,
}

/// The verdict of a review.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ReviewVerdict {
    /// Good.
    Ship,
    /// Good, if the gates pass.
    ShipWithGates,
    /// Not good.
    DoNotShip,
    /// Not good, and somebody takes it upon themselves.
    Overridden,
}

/// Where a plan stands: `state.json`.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanState {
    /// The version of the format.
    pub version: Two,
    /// Its id.
    #[schemars(default)]
    pub plan_id: String,
    /// Where it is.
    #[schemars(default)]
    pub plan_path: String,
    /// When the state was last written.
    #[schemars(default)]
    pub last_checkpoint: Time,
    /// The hash of plan.md when the state was last written.
    #[schemars(default)]
    pub checksum: String,
    /// How far it is.
    pub progress: Option<PlanProgress>,
    /// Its phases, by id.
    pub phases: Option<BTreeMap<String, PlanPhase>>,
    /// The phase under way.
    pub current_phase: Option<String>,
    /// The task under way.
    pub current_task: Option<String>,
    /// What stands in the way.
    pub blockers: Option<Vec<Any>>,
    /// What was decided.
    pub decisions: Option<Vec<PlanDecision>>,
    /// What was noted.
    pub session_notes: Option<String>,
    /// Who works on it, by name.
    pub agents: Option<BTreeMap<String, PlanAgent>>,
    /// What came of the gates that were run, by name.
    pub receipts: Option<BTreeMap<String, Receipt>>,
}

/// How far a plan is.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanProgress {
    /// How many tasks there are.
    pub total_tasks: Option<u64>,
    /// How many are done.
    pub completed_tasks: Option<u64>,
    /// The share of them in per cent.
    pub percentage: Option<Any>,
}

/// A phase of a plan.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanPhase {
    /// How far it is.
    pub status: PlanPhaseStatus,
    /// Its tasks, by id.
    pub tasks: Option<BTreeMap<String, PlanTask>>,
    /// When it was completed.
    pub completed_at: Option<Time>,
}

/// How far a phase of a plan is.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum PlanPhaseStatus {
    /// Nothing is done.
    Pending,
    /// Something is done.
    InProgress,
    /// All is done.
    Completed,
}

/// A task of a plan.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanTask {
    /// Whether it is done.
    pub done: Option<bool>,
    /// What it is about.
    pub description: Option<String>,
    /// When it was done.
    pub completed_at: Option<Time>,
    /// By whom.
    pub completed_by: Option<String>,
}

/// Something that was decided.
#[derive(Debug, JsonSchema)]
pub struct PlanDecision {
    /// When.
    pub time: Option<Time>,
    /// What.
    pub decision: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// Somebody who works on a plan.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PlanAgent {
    /// The type of a sub-agent, else `team` or `main`.
    #[schemars(rename = "type", default)]
    pub kind: String,
    /// What it took over.
    #[schemars(default)]
    pub assigned_tasks: Vec<Any>,
    /// What it did.
    #[schemars(default)]
    pub completed_tasks: Vec<Any>,
    /// When it last changed something.
    pub last_active: Option<Time>,
    /// The session that it works in.
    pub session: Option<String>,
    /// When a sub-agent began.
    pub started_at: Option<Time>,
    /// When it ended. Its claims have lapsed since.
    pub ended_at: Option<Time>,
    /// What it says it has done and the plan does not show.
    pub claimed_tasks: Option<Vec<Any>>,
    /// Whether it was at work when its session ended.
    pub died: Option<bool>,
    /// What it handed over.
    pub handoff: Option<Any>,
}

/// A copy of a plan's state: `recovery.json`.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Recovery {
    /// When it was made.
    pub saved_at: Option<Time>,
    /// Why it was made.
    pub reason: Option<String>,
    /// The revision that it holds.
    pub rev: Option<Any>,
    /// The state.
    pub state: PlanState,
}

/// One line of a history. The members that are not listed belong to the event.
#[derive(Debug, JsonSchema)]
pub struct HistoryLine {
    /// When.
    pub ts: Time,
    /// What happened.
    pub event: String,
    /// The revision; the lines of one change share it. Lines of other writers have none.
    pub rev: Option<u64>,
    /// The life of this history, named when it began.
    pub epoch: Option<String>,
    /// Who did it.
    pub by: Option<String>,
    /// What changed in which file; on the first line of a change.
    pub files: Option<BTreeMap<String, FileRecord>>,
}

/// What changed in a file.
#[derive(Debug, JsonSchema)]
pub struct FileRecord {
    /// The hash of its content before; null where there was no file.
    pub from: Option<String>,
    /// The hash of its content after.
    pub to: Option<String>,
    /// What was replaced: the offset, the old and the new text of each place.
    pub edit: Option<Vec<Any>>,
    /// The whole new content.
    pub content: Option<Any>,
}

/// A task for a sub-agent.
#[derive(Debug, JsonSchema)]
pub struct HandoffRequest {
    /// Names the task.
    #[schemars(length(min = 1))]
    pub task_id: String,
    /// What kind of step it is.
    pub phase: Phase,
    /// What the sub-agent is a specialist for.
    pub mode: Mode,
    /// What it has to know.
    pub context: HandoffContext,
    /// What to do.
    #[schemars(length(min = 1))]
    pub instructions: String,
    /// What form the findings take.
    pub expected_output: ExpectedOutput,
}

/// What a sub-agent has to know.
#[derive(Debug, JsonSchema)]
pub struct HandoffContext {
    /// What the work is about.
    #[schemars(length(min = 1))]
    pub feature: String,
    /// Where the specification is.
    pub spec_path: Option<String>,
    /// Files to look at first.
    pub relevant_files: Option<Vec<String>>,
    /// What must be kept to.
    pub constraints: Option<Vec<String>>,
    /// What the step before came to, in at most 500 tokens.
    pub previous_summary: Option<String>,
}

/// What a sub-agent answers.
#[derive(Debug, JsonSchema)]
pub struct HandoffResponse {
    /// The task of the request.
    #[schemars(length(min = 1))]
    pub task_id: String,
    /// The phase of the request.
    pub phase: Phase,
    /// How far it came.
    pub status: Status,
    /// What is to be done now.
    pub decision: Decision,
    /// What was found or made; what is in it depends on the phase.
    pub findings: HandoffFindings,
    /// What the next phase must know, in at most 500 tokens.
    #[schemars(length(min = 1))]
    pub context_summary: String,
    /// What it cost.
    pub tokens_used: Option<u64>,
    /// What went wrong or is unclear.
    pub issues: Option<Vec<Any>>,
}

/// What was found or made.
#[derive(Debug, JsonSchema)]
pub struct HandoffFindings {
    /// Research: what there is already.
    pub existing_implementations: Option<Vec<ExistingImplementation>>,
    /// Research: what does not go together.
    pub conflicts: Option<Vec<FoundConflict>>,
    /// Research: how it is done elsewhere.
    pub patterns_found: Option<Vec<FoundPattern>>,
    /// Research: what to do.
    pub recommendations: Option<Vec<Any>>,
    /// Write: files that were made.
    pub files_created: Option<Vec<CreatedFile>>,
    /// Write: files that were changed.
    pub files_modified: Option<Vec<ModifiedFile>>,
    /// Write: tests that were made.
    pub tests_written: Option<Vec<WrittenTest>>,
    /// Write: what is worth knowing.
    pub implementation_notes: Option<Vec<Any>>,
    /// Validate: what was checked.
    pub checks: Option<Checks>,
    /// Validate, parallel: whether all is well.
    pub overall_passed: Option<bool>,
    /// Validate: what stands in the way.
    pub blocking_issues: Option<Vec<Any>>,
    /// Validate: what is odd.
    pub warnings: Option<Vec<Any>>,
    /// Parallel: what each came to.
    pub results: Option<Vec<Any>>,
    /// Parallel: what all came to.
    pub aggregation: Option<Aggregation>,
}

/// Something that is there already.
#[derive(Debug, JsonSchema)]
pub struct ExistingImplementation {
    /// Where.
    pub file: String,
    /// What.
    pub description: String,
    /// Why it matters.
    pub relevance: Any,
}

/// Things that do not go together.
#[derive(Debug, JsonSchema)]
pub struct FoundConflict {
    /// Of which kind.
    #[schemars(rename = "type")]
    pub kind: String,
    /// What.
    pub description: String,
    /// How bad.
    pub severity: Any,
}

/// How something is done elsewhere.
#[derive(Debug, JsonSchema)]
pub struct FoundPattern {
    /// Where.
    pub file: String,
    /// How.
    pub pattern: String,
    /// What follows.
    pub recommendation: String,
}

/// A file that was made.
#[derive(Debug, JsonSchema)]
pub struct CreatedFile {
    /// Where.
    pub path: String,
    /// What for.
    pub purpose: String,
}

/// A file that was changed.
#[derive(Debug, JsonSchema)]
pub struct ModifiedFile {
    /// Where.
    pub path: String,
    /// How.
    pub changes: Any,
}

/// A test that was made.
#[derive(Debug, JsonSchema)]
pub struct WrittenTest {
    /// Where.
    pub path: String,
    /// How many there are in it.
    pub test_count: Option<u64>,
    /// What they are about.
    pub coverage_areas: Option<Vec<String>>,
}

/// What was checked.
#[derive(Debug, JsonSchema)]
pub struct Checks {
    /// Types.
    pub types: Option<Any>,
    /// Style.
    pub lint: Option<Any>,
    /// Tests.
    pub tests: Option<Any>,
    /// Security.
    pub security: Option<Any>,
}

/// What several came to.
#[derive(Debug, JsonSchema)]
pub struct Aggregation {
    /// How many there were.
    pub total: Option<u64>,
    /// How many passed.
    pub passed: Option<u64>,
    /// How many failed.
    pub failed: Option<u64>,
    /// How it is told from those whether all is well.
    pub rule: Option<String>,
    /// Whether all is well.
    pub overall_passed: Option<bool>,
}
