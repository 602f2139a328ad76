//! The status of a piece of work, whatever its kind.

/// Whether there is work left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// In progress.
    InFlight,
    /// Finished.
    Complete,
    /// Abandoned.
    Abandoned,
}

/// Parts done and parts in total: the phases of a command, the tasks of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Progress {
    /// Done or deliberately skipped.
    pub done: usize,
    /// All known parts.
    pub total: usize,
}
