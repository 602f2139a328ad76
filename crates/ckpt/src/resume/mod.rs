//! The resume brief: what the next process must know, in as few words as possible.
//!
//! One renderer serves the command line and the hooks. Hazards and the next step are always shown; the rest shares the
//! budget by value.

mod drift;
mod page;

pub use drift::{DriftNote, drift_line};
pub use page::{COUNTER, Text, brief, whole};

/// The default maximum length of a brief, in tokens.
pub const BUDGET: usize = 1_000;
