//! The resume brief: what the next process must know, in as few words as possible.
//!
//! One renderer serves the command line and the hooks. The most important facts come first, because the budget may
//! cut the rest; further checkpoints are shortened to one line each, never dropped silently.

mod brief;
mod fit;
mod page;
mod pipeline;
mod plan;

pub use brief::{Brief, DriftNote, PhaseNote, Unit};
pub use fit::{COUNTER, Text, drift_line, most_shown, render};
pub use page::brief;
pub use pipeline::PipelineStanding;
pub use plan::PlanStanding;

/// The default maximum length of a brief, in tokens.
pub const BUDGET: usize = 1_000;
