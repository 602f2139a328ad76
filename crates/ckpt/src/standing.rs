//! The status of a piece of work, whatever its kind.

use std::fmt;

/// Whether there is work left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// In progress.
    InFlight,
    /// Finished.
    Complete,
    /// Abandoned.
    Abandoned,
}

impl Lifecycle {
    const ALL: [Self; 3] = [Self::InFlight, Self::Complete, Self::Abandoned];

    /// The word for it, as reports and archives have it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Complete => "complete",
            Self::Abandoned => "abandoned",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }
}

/// Parts done and parts in total: the phases of a command, the tasks of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Progress {
    /// Done or deliberately skipped.
    pub done: usize,
    /// All known parts.
    pub total: usize,
}

/// The version of a document that a newer `ckpt` wrote. It is shown, and never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newer(String);

impl Newer {
    /// `None` unless this is a number greater than the version that we write.
    pub(crate) fn than(expected: u64, found: &str) -> Option<Self> {
        let number: f64 = found.parse().ok()?;
        (number > expected as f64).then(|| Self(found.to_owned()))
    }

    /// The version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.0
    }
}

/// Who wrote it, and what to do.
impl fmt::Display for Newer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (version, own) = (self.version(), env!("CARGO_PKG_VERSION"));
        write!(
            formatter,
            "written by a newer ckpt (version {version}); upgrade ckpt, which is {own} here, to change it"
        )
    }
}
