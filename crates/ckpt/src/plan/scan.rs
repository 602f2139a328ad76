//! Reading a plan in one pass over its bytes.
//!
//! There are no regular expressions and no Markdown tree: the time is linear in the length, whatever the text, and
//! only a few numbers are stored per marker.

mod pass;
mod repeated;

#[cfg(test)]
mod tests;

use std::ops::Range;

use pass::Pass;

/// A range of the text. Plans are at most 4 GiB long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the scan refuses texts whose offsets do not fit"
    )]
    fn new(range: Range<usize>) -> Self {
        Self {
            start: range.start as u32,
            end: range.end as u32,
        }
    }

    /// Its range.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Its bytes.
    #[must_use]
    pub fn of(self, text: &[u8]) -> &[u8] {
        &text[self.range()]
    }
}

/// What a checkbox is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// Something to do.
    Task,
    /// Something that must hold.
    Acceptance,
}

impl ItemKind {
    /// The word of its marker.
    #[must_use]
    pub fn marker(self) -> &'static str {
        match self {
            Self::Task => "TASK",
            Self::Acceptance => "ACCEPT",
        }
    }
}

/// A checkbox with an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Task or acceptance criterion.
    pub kind: ItemKind,
    /// Whether it is ticked with `x` or `X`. Any other mark counts as not done.
    pub done: bool,
    /// Its id.
    pub id: Span,
    /// Its text, without the marker.
    pub text: Span,
    /// The offset of the mark between the brackets.
    pub mark: u32,
    /// Its line, from 1.
    pub line: u32,
    /// The position of its phase; `None` before the first phase marker.
    pub phase: Option<u32>,
}

/// A `CHECKPOINT` marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseMarker {
    /// Its id.
    pub id: Span,
    /// Its line, from 1.
    pub line: u32,
}

/// The kind of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// A decision.
    Decision,
    /// A blocker.
    Blocker,
}

/// A `DECISION` or `BLOCKER` marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Decision or blocker.
    pub kind: NoteKind,
    /// Its text.
    pub text: Span,
    /// The whole comment.
    pub comment: Span,
    /// Its line, from 1.
    pub line: u32,
    /// The position of its phase.
    pub phase: Option<u32>,
}

/// A checkbox that is not tracked: it has no id, or it does not begin its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkbox {
    /// Whether it is ticked.
    pub done: bool,
    /// Its text.
    pub text: Span,
    /// Its line, from 1.
    pub line: u32,
    /// The position of its phase.
    pub phase: Option<u32>,
    /// Whether it has a marker. It is in a quotation, or in the middle of a line.
    pub is_marked: bool,
}

/// A heading, which can name a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Its text.
    pub text: Span,
    /// Its line, from 1.
    pub line: u32,
    /// The end of its line, before the line ending.
    pub end: u32,
}

/// A repeated id. The first one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    /// The id.
    pub id: Span,
    /// The line that counts.
    pub first: u32,
    /// The line that is ignored.
    pub again: u32,
    /// The text of the checkbox that is ignored, if it is not ticked.
    pub open: Option<Span>,
}

/// A marker that marks nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stray {
    /// Why it marks nothing.
    pub why: StrayReason,
    /// Its id, or the text in place of one.
    pub id: Span,
    /// Its line, from 1.
    pub line: u32,
}

/// Why a marker marks nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrayReason {
    /// There is no checkbox on its line, or the checkbox belongs to another marker.
    NoCheckbox(ItemKind),
    /// Its id is invalid.
    BadId,
}

/// The content of a plan.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// The phase markers, in order.
    pub phases: Vec<PhaseMarker>,
    /// The checkboxes with an id, in order.
    pub items: Vec<Item>,
    /// Decisions and blockers, in order.
    pub notes: Vec<Note>,
    /// Checkboxes that are not tracked, in order.
    pub untracked: Vec<Checkbox>,
    /// Headings, in order.
    pub headings: Vec<Heading>,
    /// Repeated ids.
    pub repeated: Vec<Repeated>,
    /// Markers that mark nothing.
    pub strays: Vec<Stray>,
}

/// A plan is too long to be scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a plan has at most 4 GiB")]
pub struct TooLong;

/// Reads a plan.
pub fn scan(text: &[u8]) -> Result<Scan, TooLong> {
    if u32::try_from(text.len()).is_err() {
        return Err(TooLong);
    }
    Ok(Pass::over(text))
}
