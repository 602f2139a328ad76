//! Pipeline checkpoints.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use super::agent::{RecordedHandoff, SubAgent};
use super::gate::Receipt;
use super::{Any, Time};

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
    /// When it was aborted.
    pub aborted_at: Option<Time>,
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
