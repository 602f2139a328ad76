//! The resume brief: all that the next process must know, in as few words as it takes.
//!
//! One renderer serves the command line and the hooks. The most important comes first, because a
//! budget may cut the rest; many checkpoints become one line each, never silence.

mod brief;
mod fit;
mod pipeline;
mod plan;

pub use brief::{Brief, DriftNote, PhaseNote, Unit};
pub use fit::{COUNTER, Text, most_shown, render};
pub use pipeline::PipelineStanding;
pub use plan::PlanStanding;

/// The brief has at most this many tokens unless asked otherwise.
pub const BUDGET: usize = 500;
