//! Plans: Markdown that people and agents tick, and the state that follows from it.
//!
//! `plan.md` is the truth. [`scan`] reads its markers and checkboxes in one pass over the bytes;
//! what else there is to know of a plan lives in its state.

mod line;
mod scan;

#[cfg(test)]
mod tests;

pub use scan::{
    Checkbox, Heading, Item, ItemKind, Note, NoteKind, PhaseMarker, Repeated, Scan, Span, TooLong,
    scan,
};
