//! Handoff requests and responses.

use schemars::JsonSchema;

use super::Any;
use crate::handoff::{Decision, ExpectedOutput, Mode, Phase, Status};

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
    /// The summary of the previous step, in at most 500 tokens, or the setting `summary_limit`.
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
    /// What the next phase must know, in at most 500 tokens, or the setting `summary_limit`.
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
