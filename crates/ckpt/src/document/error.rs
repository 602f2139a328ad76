//! What can be wrong with a JSON text, or with the type of a value in it.

use super::{Kind, Pointer};

/// Why a text is not read to its end, although it may be JSON.
pub(super) const TOO_MANY_VALUES: &str = "it has more names and values than are read here";

/// The text is not JSON, or exceeds a limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct ParseError {
    /// Byte offset of the trouble.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl ParseError {
    /// Whether the text may be JSON, and only has more in it than is read.
    #[must_use]
    pub fn is_too_much(&self) -> bool {
        self.reason == TOO_MANY_VALUES
    }

    pub(super) fn at(bytes: &[u8], offset: usize, reason: &'static str) -> Self {
        let offset = offset.min(bytes.len());
        let before = &bytes[..offset];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        Self {
            offset,
            line: memchr::memchr_iter(b'\n', before).count() + 1,
            column: offset - line_start + 1,
            reason,
        }
    }
}

/// A value exists but has another type than was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: expected {expected}, found {}", found.map_or("nothing", Kind::noun))]
pub struct TypeError {
    /// Where.
    pub pointer: Pointer,
    /// What was wanted, as a noun.
    pub expected: &'static str,
    /// What is there; `None` when nothing is.
    pub found: Option<Kind>,
}
