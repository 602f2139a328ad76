//! JSON pointers (RFC 6901).

use std::borrow::Cow;
use std::fmt;

/// A place in a document: the names and positions on the path from the root.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Pointer(Vec<String>);

/// The text is not a pointer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a JSON pointer is empty or starts with '/', and '~' in it is followed by 0 or 1: {0:?}")]
pub struct PointerError(String);

impl Pointer {
    /// The whole document.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// A pointer from its unescaped segments.
    pub fn of<S: Into<String>>(segments: impl IntoIterator<Item = S>) -> Self {
        Self(segments.into_iter().map(Into::into).collect())
    }

    /// Parses the text form, such as `/phases/research/status`.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        if text.is_empty() {
            return Ok(Self::root());
        }
        let segments = text
            .strip_prefix('/')
            .ok_or_else(|| PointerError(text.to_owned()))?;
        segments
            .split('/')
            .map(|segment| unescape(segment).ok_or_else(|| PointerError(text.to_owned())))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The segments, unescaped.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Appends a segment.
    pub fn push(&mut self, segment: &str) {
        self.0.push(segment.to_owned());
    }

    /// This pointer with one more segment.
    #[must_use]
    pub fn join(&self, segment: &str) -> Self {
        let mut deeper = self.clone();
        deeper.push(segment);
        deeper
    }

    /// The parent and the last segment; `None` at the root.
    #[must_use]
    pub fn split_last(&self) -> Option<(Self, &str)> {
        let (last, parent) = self.0.split_last()?;
        Some((Self(parent.to_vec()), last))
    }

    /// Parses an array position: digits without a leading zero.
    #[must_use]
    pub fn array_index(segment: &str) -> Option<usize> {
        let canonical = segment == "0" || !segment.starts_with(['0', '+', '-']);
        canonical.then(|| segment.parse().ok()).flatten()
    }
}

fn unescape(segment: &str) -> Option<String> {
    let mut out = String::with_capacity(segment.len());
    let mut characters = segment.chars();
    while let Some(character) = characters.next() {
        out.push(match character {
            '~' => match characters.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return None,
            },
            other => other,
        });
    }
    Some(out)
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.0 {
            let escaped = if segment.contains(['~', '/']) {
                Cow::Owned(segment.replace('~', "~0").replace('/', "~1"))
            } else {
                Cow::Borrowed(segment.as_str())
            };
            write!(formatter, "/{escaped}")?;
        }
        Ok(())
    }
}

impl serde::Serialize for Pointer {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
