//! Plans: Markdown that people and agents tick, and the state that follows from it.
//!
//! `plan.md` is the truth. [`scan()`] reads its markers and checkboxes in one pass over the bytes;
//! what else there is to know of a plan lives in its state.

mod line;
mod mark;
mod operations;
mod outline;
mod progress;
mod scan;
mod state;

#[cfg(test)]
mod state_tests;
#[cfg(test)]
mod tests;

pub use mark::{mark, slug};
pub use operations::{Refusal, Tick, tick, titled};
pub use outline::{Clash, Entry, Outline, Phase, Source, UNNAMED_PHASE, Untracked, phase_number};
pub use progress::percentage;
pub use scan::{
    Checkbox, Heading, Item, ItemKind, Note, NoteKind, PhaseMarker, Repeated, Scan, Span, TooLong,
    scan,
};
pub use state::{Context, Reconciled, VERSION, checksum, is_same_but_for_time, reconcile};
