//! Gates and their receipts.

use schemars::JsonSchema;

use super::{Any, Time};

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
    /// What it is the receipt of.
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
    /// How the wait for a preview ended: `ready`, `failed`, `rejected`, `canceled`, `superseded`, `not_found` or
    /// `timed_out`.
    pub state: Option<String>,
    /// Who was asked about a preview: `vercel` or `github`.
    pub provider: Option<String>,
    /// The commit of a preview.
    pub commit: Option<String>,
    /// Where a preview is.
    pub url: Option<String>,
    /// The page that tells more about a preview.
    pub page: Option<String>,
    /// Whether a preview has to succeed.
    pub required: Option<bool>,
    /// Who ran or claimed it, or waited for it.
    pub by: String,
    /// The process that runs it.
    pub runner: Option<Any>,
    /// Whether the pipeline pauses once nothing is running any more.
    pub pause_due: Option<bool>,
    /// The error that the pipeline fails with once nothing is running any more.
    pub failure_due: Option<Any>,
    /// The seal that tells it from one written by hand.
    pub seal: Option<Any>,
}

/// What a receipt is of.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum ReceiptKind {
    /// A command was run.
    Run,
    /// Someone claims the result.
    Claim,
    /// Somebody waited for a preview.
    Preview,
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
    /// It failed, but need not pass.
    Tolerated,
    /// It was interrupted.
    Interrupted,
}
