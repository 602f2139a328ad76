//! Detecting that HEAD has moved since a checkpoint was saved.

use super::Checkpoint;
use crate::document::Tree;
use crate::repository::Head;
use crate::voice::flat;

/// A checkpoint was saved at a commit other than HEAD.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Staleness {
    /// HEAD when it was saved.
    pub saved: String,
    /// HEAD now.
    pub current: String,
}

impl Staleness {
    fn between(saved: Option<&str>, head: &Head) -> Option<Self> {
        let current = head.commit.as_ref()?.to_string();
        let saved = saved.filter(|saved| !saved.is_empty())?;
        (saved != current).then(|| Self {
            saved: saved.to_owned(),
            current,
        })
    }

    /// The exact wording of the format.
    #[must_use]
    pub fn message(&self) -> String {
        let (saved, current) = self.short();
        format!("Checkpoint is stale (saved at {saved}, current HEAD is {current})")
    }

    /// Both commits in short form, safe to display.
    #[must_use]
    pub fn short(&self) -> (String, String) {
        let short = |commit: &str| flat(commit).chars().take(7).collect();
        (short(&self.saved), short(&self.current))
    }
}

impl<'t, T: Tree<'t>> Checkpoint<T> {
    /// Whether it was saved at a commit other than HEAD.
    #[must_use]
    pub fn staleness(self, head: &Head) -> Option<Staleness> {
        Staleness::between(self.head_commit().as_deref(), head)
    }
}
