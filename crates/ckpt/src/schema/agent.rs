//! What checkpoints record about sub-agents.

use schemars::JsonSchema;

use super::{Any, Time};
use crate::handoff::{Decision, Status};

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
