//! Errors in a JSON text, or in the type of a value in it.

use super::{Kind, Pointer};

/// Why parsing stops early, although the text may be JSON.
pub(super) const TOO_MANY_VALUES: &str = "it has too many names and values";

/// The text is not JSON, or exceeds a limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct ParseError {
    /// Byte offset of the error.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// What is wrong.
    pub reason: &'static str,
}

impl ParseError {
    /// Whether the text may be JSON and only exceeds the limit on values.
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

/// A value has another type than was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: expected {expected}, found {}", found.map_or("nothing", Kind::noun))]
pub struct TypeError {
    /// Its place.
    pub pointer: Pointer,
    /// The expected type, as a noun.
    pub expected: &'static str,
    /// The actual type; `None` if there is no value.
    pub found: Option<Kind>,
}
