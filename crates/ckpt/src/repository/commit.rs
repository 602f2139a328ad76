//! Commit ids, validated when they are made, so that none can be mistaken for an option or a revision expression.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::RepositoryError;

/// A full commit id: 40 (SHA-1) or 64 (SHA-256) lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CommitId(String);

impl CommitId {
    /// Parses a full id.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::InvalidCommitId`] for anything else, including an abbreviated or upper-case id.
    pub fn parse(text: &str) -> Result<Self, RepositoryError> {
        if is_object_id(text.as_bytes()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(RepositoryError::InvalidCommitId {
                text: text.to_owned(),
            })
        }
    }

    /// The full id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first seven digits, for display.
    pub fn short(&self) -> &str {
        &self.0[..7]
    }

    /// The id in a ref file or packed-refs. Git accepts upper-case digits there, so we do too.
    pub(super) fn from_ref(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.to_ascii_lowercase();
        is_object_id(text.as_bytes()).then_some(Self(text))
    }
}

/// Whether these are the digits of a full object id.
pub(super) fn is_object_id(bytes: &[u8]) -> bool {
    matches!(bytes.len(), 40 | 64)
        && bytes
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl FromStr for CommitId {
    type Err = RepositoryError;

    fn from_str(text: &str) -> Result<Self, RepositoryError> {
        Self::parse(text)
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl AsRef<str> for CommitId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
