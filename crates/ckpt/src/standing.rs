//! How far a piece of work is, whatever its kind.

/// Whether there is anything left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// Under way.
    InFlight,
    /// Finished.
    Complete,
    /// Given up.
    Abandoned,
}

/// Parts done and parts in all: the phases of a command, the tasks of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Progress {
    /// Done, or left out on purpose.
    pub done: usize,
    /// All that are known.
    pub total: usize,
}
