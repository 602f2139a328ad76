//! Followers: whoever wants to hear of everything that happens, in order and at least once.
//!
//! A history is append-only, ordered and durable before its document changes, so nothing needs a queue: a follower is a
//! name, a filter, and a cursor for each document.
//!
//! * The cursor is written after the lines were handed over. A crash in between hands them over again.
//! * Only lines with our seal are handed over, and none that never took effect.
//! * What is followed lies beside the key, where no clone can bring it.

mod cursor;
mod filter;
mod report;

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub(crate) use cursor::Cursor;
pub use filter::Filter;
pub use report::{NextTry, Report};

/// The longest name, in bytes.
const LONGEST_NAME: usize = 40;

/// The name of a follower: lower-case letters, digits and dashes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FollowerName(String);

/// The text is not the name of a follower.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the name of a follower has up to {LONGEST_NAME} lower-case letters, digits and dashes")]
pub struct FollowerNameError;

impl FollowerName {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// If it has other characters, or is too long.
    pub fn new(text: &str) -> Result<Self, FollowerNameError> {
        let is_usable =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_name = !text.is_empty()
            && text.len() <= LONGEST_NAME
            && !text.starts_with('-')
            && text.bytes().all(is_usable);
        match is_name {
            true => Ok(Self(text.to_owned())),
            false => Err(FollowerNameError),
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FollowerName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for FollowerName {
    type Error = FollowerNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(&text)
    }
}

impl From<FollowerName> for String {
    fn from(name: FollowerName) -> Self {
        name.0
    }
}

/// A follower, as the user has set it up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follower {
    /// Its name.
    pub name: FollowerName,
    /// The file that it appends to; none if it is only served in the foreground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Whether it is the service of this name, which the user has allowed.
    #[serde(default, skip_serializing_if = "is_not")]
    pub is_service: bool,
    /// What it wants to hear of.
    #[serde(default)]
    pub filter: Filter,
    /// When it was set up, as written.
    pub added_at: String,
}

impl Follower {
    /// Whether it is served in the background.
    #[must_use]
    pub fn is_served_alone(&self) -> bool {
        self.file.is_some() || self.is_service
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_not(is_so: &bool) -> bool {
    !is_so
}
