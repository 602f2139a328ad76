//! Lossless JSON documents.
//!
//! A [`Document`] is its source text plus an index of where every value is. Printing it gives the text itself, so
//! everything that others wrote survives: member order, unknown members, number spelling, repeated keys (the last one
//! counts), indentation, line endings.
//!
//! Rules do not edit text. They work on a [`Value`], a plain tree, and [`Document::rewrite`] then finds the smallest
//! byte [`Edit`] that makes the document equal to that tree.

mod align;
mod error;
mod lines;
mod merge;
mod node;
mod parse;
mod patch;
mod places;
mod pointer;
mod print;
mod rewrite;
mod splice;
mod tree;
mod value;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

pub(crate) use align::{Step, align};
pub use error::{ParseError, TypeError};
pub use lines::{Combine, Overlap, rebase};
pub use merge::{Clash, Conflict, Lists, Merging};
pub use node::{Kind, Node};
pub(crate) use parse::{Embedded, Trouble, embedded};
pub use patch::{Operation, Patch, PatchError, diff};
pub use pointer::{Pointer, PointerError};
pub use print::{escape_into, to_inline, to_pretty};
pub use splice::{Edit, Splice, SpliceError};
pub use tree::{Tree, View};
pub use value::{Number, Object, Value};

use parse::Entry;
use places::Places;

/// The deepest nesting of containers; deeper files are refused rather than risking a stack overflow.
pub const MAX_DEPTH: usize = 128;

/// The longest document, in bytes.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The most names and values a document may have: even a short text can have more than fit into memory.
pub const MAX_VALUES: usize = 2_000_000;

/// A JSON text with the place of every value in it.
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    entries: Vec<Entry>,
    /// Computed on the first request for a line or a pointer.
    places: OnceLock<Places>,
}

impl Document {
    /// Parses a JSON text. The text is kept unchanged.
    ///
    /// ```
    /// let document = ckpt::document::Document::parse(r#"{ "version": 1.0 }"#)?;
    /// assert_eq!(document.text(), r#"{ "version": 1.0 }"#);
    /// # Ok::<(), ckpt::document::ParseError>(())
    /// ```
    pub fn parse(text: impl Into<String>) -> Result<Self, ParseError> {
        Self::parse_up_to(text.into(), MAX_BYTES)
    }

    fn parse_up_to(text: String, limit: usize) -> Result<Self, ParseError> {
        let mut entries = Vec::with_capacity(text.len() / 24 + 4);
        parse::parse(&text, limit, MAX_VALUES, &mut entries)?;
        Ok(Self {
            text,
            entries,
            places: OnceLock::new(),
        })
    }

    /// Parses the bytes of a file, which must be UTF-8.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ParseError> {
        Self::from_bytes_up_to(bytes, MAX_BYTES)
    }

    /// Parses at most `limit` bytes: a history line may be longer than the document it describes.
    pub(crate) fn from_bytes_up_to(bytes: Vec<u8>, limit: usize) -> Result<Self, ParseError> {
        let text = String::from_utf8(bytes).map_err(|error| {
            ParseError::at(
                error.as_bytes(),
                error.utf8_error().valid_up_to(),
                "this byte is not valid UTF-8",
            )
        })?;
        Self::parse_up_to(text, limit)
    }

    /// Parses bytes with at most `most_values` names and values into this document, reusing its memory, for reading
    /// many files in a row. After an error the document is an empty object.
    pub fn reparse(&mut self, bytes: &[u8], most_values: usize) -> Result<(), ParseError> {
        self.text.clear();
        self.entries.clear();
        self.places.take();
        let result = match std::str::from_utf8(bytes) {
            Ok(text) => {
                self.text.push_str(text);
                parse::parse(
                    &self.text,
                    MAX_BYTES,
                    most_values.min(MAX_VALUES),
                    &mut self.entries,
                )
            }
            Err(error) => Err(ParseError::at(
                bytes,
                error.valid_up_to(),
                "this byte is not valid UTF-8",
            )),
        };
        if result.is_err() {
            *self = Self::empty();
        }
        result
    }

    /// The number of names and values.
    #[must_use]
    pub fn values(&self) -> usize {
        self.entries.len()
    }

    /// A new document with 2-space indentation and a final newline. A tree that is too deep or too large is refused.
    pub fn from_value(value: &Value) -> Result<Self, ParseError> {
        let mut text = to_pretty(value);
        text.push('\n');
        Self::parse(text)
    }

    /// An object without members.
    #[must_use]
    pub fn empty() -> Self {
        Self::parse("{}\n").expect("two brackets are JSON")
    }

    /// The text, byte for byte.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::of(self))
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node::new(self, 0)
    }

    /// The value that a pointer names.
    #[must_use]
    pub fn at(&self, pointer: &Pointer) -> Option<Node<'_>> {
        pointer.segments().try_fold(self.root(), Node::child)
    }

    /// The document as a plain tree.
    #[must_use]
    pub fn value(&self) -> Value {
        self.root().value()
    }

    /// The smallest edit that makes this document equal to `target`.
    #[must_use]
    pub fn rewrite(&self, target: &Value) -> Edit {
        rewrite::rewrite(self, target)
    }

    /// This document after an edit.
    pub fn apply(&self, edit: &Edit) -> Result<Self, ApplyError> {
        let bytes = edit.apply(self.text.as_bytes())?;
        Ok(Self::from_bytes(bytes)?)
    }
}

/// An edit could not be applied to a document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The edit was made for another text.
    #[error(transparent)]
    Splice(#[from] SpliceError),
    /// The result is not JSON.
    #[error(transparent)]
    Parse(#[from] ParseError),
}
