//! What there is.

use std::borrow::Cow;

use super::{Workspace, WorkspaceError};
use crate::command::{Checkpoint, Lifecycle, Progress};
use crate::key::Key;
use crate::repository::Head;
use crate::store::StoreError;

/// One checkpoint in a list.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Summary {
    /// Its key.
    pub key: Key,
    /// Whether it is under way.
    pub lifecycle: Lifecycle,
    /// How far it is.
    pub progress: Progress,
    /// The phase being worked on.
    pub current_phase: Option<String>,
    /// The task being worked on.
    pub current_task: Option<String>,
    /// When it was last saved, as written.
    pub updated_at: Option<String>,
    /// Whether it was saved at another commit.
    pub stale: Option<Staleness>,
}

/// A checkpoint was saved at one commit, and HEAD is another.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Staleness {
    /// HEAD when it was saved.
    pub saved: String,
    /// HEAD now.
    pub current: String,
}

impl Staleness {
    pub(super) fn between(saved: Option<&str>, head: &Head) -> Option<Self> {
        let current = head.commit.as_ref()?.to_string();
        let saved = saved?;
        (saved != current).then(|| Self {
            saved: saved.to_owned(),
            current,
        })
    }

    /// The exact words of the format.
    #[must_use]
    pub fn message(&self) -> String {
        let (saved, current) = self.short();
        format!("Checkpoint is stale (saved at {saved}, current HEAD is {current})")
    }

    /// Both commits in their short form.
    #[must_use]
    pub fn short(&self) -> (String, String) {
        let short = |commit: &str| commit.chars().take(7).collect();
        (short(&self.saved), short(&self.current))
    }
}

/// A file in the state directory that cannot be used.
#[derive(Debug)]
pub struct Problem {
    /// Its name without the ending.
    pub stem: String,
    /// What is wrong with it.
    pub error: StoreError,
}

impl Workspace {
    /// Every checkpoint, by file name, and the files that cannot be read. JSON of other tools is
    /// told by its shape and left out.
    pub fn list(&self) -> Result<(Vec<Summary>, Vec<Problem>), WorkspaceError> {
        let mut summaries = Vec::new();
        let mut problems = Vec::new();
        let head = self.head();
        let directory = self.store.layout().state_directory();
        self.store
            .visit(&directory, |stem, document| match document {
                Ok(document) if Checkpoint::is_one(document.root()) => {
                    let checkpoint = Checkpoint::new(document.root());
                    summaries.extend(summarise(stem, checkpoint, &head));
                }
                Ok(_) => {}
                Err(error) => problems.push(Problem {
                    stem: stem.to_owned(),
                    error,
                }),
            })?;
        Ok((summaries, problems))
    }
}

fn summarise(stem: &str, checkpoint: Checkpoint<'_>, head: &Head) -> Option<Summary> {
    let (command, feature) = (checkpoint.command(), checkpoint.feature());
    Some(Summary {
        key: Key::of_command_file(stem, command.as_deref(), feature.as_deref())?,
        lifecycle: checkpoint.lifecycle(),
        progress: checkpoint.progress(),
        current_phase: checkpoint.current_phase().map(Cow::into_owned),
        current_task: checkpoint.current_task().map(Cow::into_owned),
        updated_at: checkpoint.updated_at().map(Cow::into_owned),
        stale: Staleness::between(checkpoint.head_commit().as_deref(), head),
    })
}
