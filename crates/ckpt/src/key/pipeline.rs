//! The names of pipelines.

use std::fmt;

use super::KeyError;
use super::name::{sanitise, stem};

/// The id of a pipeline: `PRD-003`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PipelineId(String);

impl PipelineId {
    /// Accepts an id with at least one character that is usable in a file name. Its file must not be hidden.
    pub fn new(id: &str) -> Result<Self, KeyError> {
        match sanitise(id) {
            Some(name) if name.starts_with('.') => Err(KeyError::Hidden("pipeline", id.to_owned())),
            Some(_) => Ok(Self(id.to_owned())),
            None => Err(KeyError::Pipeline(id.to_owned())),
        }
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a number after `PRD-`, as in `PRD-003`.
    #[must_use]
    pub fn is_numbered(&self) -> bool {
        let digits = self.0.strip_prefix("PRD-").unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The document's file name, without its suffix.
    #[must_use]
    pub fn stem(&self) -> String {
        let name = sanitise(&self.0).expect("ids are checked when a key is made");
        stem(name.into_owned())
    }
}

impl fmt::Display for PipelineId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
