//! Timestamps in the file formats.

use std::fmt;

/// A point in time. Written as `2026-01-29T10:30:00.000Z`; any RFC 3339 form is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(jiff::Timestamp);

/// Where the library gets the time from.
pub type Clock = fn() -> Timestamp;

impl Timestamp {
    /// The current time of the system clock.
    #[must_use]
    pub fn now() -> Self {
        Self(jiff::Timestamp::now())
    }

    /// Parses an RFC 3339 time.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    /// Parses a time as people type it: one that does not say where is in UTC.
    #[must_use]
    pub fn typed(text: &str) -> Option<Self> {
        Self::parse(text).or_else(|| Self::parse(&format!("{text}Z")))
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn as_millisecond(self) -> i64 {
        self.0.as_millisecond()
    }

    /// The time this many milliseconds after 1970.
    #[must_use]
    pub fn from_millisecond(milliseconds: i64) -> Option<Self> {
        jiff::Timestamp::from_millisecond(milliseconds)
            .ok()
            .map(Self)
    }

    /// The form for file names, without colons: `20260129T103000.000Z`.
    #[must_use]
    pub fn for_file_name(self) -> String {
        self.to_string().replace([':', '-'], "")
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.3}", self.0)
    }
}

impl From<Timestamp> for crate::document::Value {
    fn from(time: Timestamp) -> Self {
        Self::String(compact_str::ToCompactString::to_compact_string(&time))
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests;
