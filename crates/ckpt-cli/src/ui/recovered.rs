//! What changes have brought back before they were made, for the JSON output of a run.

use std::sync::{Arc, Mutex};

use ckpt::key::Key;
use ckpt::workspace::BroughtBack;
use serde::Serialize;

use super::locked;

/// A checkpoint that a change has brought back from its copy before it was made.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "RecoveredFirst")
)]
pub(crate) struct Recovered {
    key: Key,
    /// The revision that it has again: the last one that the copy has.
    revision: String,
    /// When that was made.
    at: Option<String>,
    /// The files that were missing.
    files: Vec<String>,
    /// Whether its history was missing or damaged.
    history: bool,
}

/// All that was brought back during a run. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recoveries(Arc<Mutex<Vec<Recovered>>>);

impl Recoveries {
    pub(crate) fn add(&self, back: &BroughtBack) {
        locked(&self.0).push(Recovered {
            key: back.key.clone(),
            revision: back.revision.to_string(),
            at: back.at.clone(),
            files: back.files.clone(),
            history: back.history,
        });
    }

    pub(super) fn all(&self) -> Vec<Recovered> {
        locked(&self.0).clone()
    }
}
