//! Command checkpoints: the progress of a command such as `/implement`, phase by phase.
//!
//! Everything here is a pure function of a document, the time and the HEAD commit. Reading is lenient; checking is a
//! separate step.

mod merge;
mod model;
mod operations;
mod ownership;
mod refusal;
mod replies;
mod rules;
mod staleness;
mod summaries;

#[cfg(test)]
mod tests;

pub use crate::operation::Unfinished;
pub use merge::{Conflict, merge};
pub(crate) use model::ISSUE;
pub use model::{Checkpoint, Phase, PhaseStatus, ResumePoint, default_phases, known_commands};
pub use operations::{
    Content, GateSetting, Naming, PhaseUpdate, Signature, abandon, complete, override_gate,
    record_issue, save, set_gate, set_receipt, start, update_phase,
};
pub use ownership::{check_ownership, named};
pub use refusal::Refusal;
pub use replies::{ReplyTarget, record_reply};
pub use rules::judge;
pub use staleness::Staleness;

/// The only version of the format.
pub const VERSION: u64 = 1;
