//! What there is.

use std::borrow::Cow;

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::command::{Checkpoint, Lifecycle, PhaseStatus, Progress, Staleness};
use crate::key::{CommandKey, Key};
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
    /// The phases that failed.
    pub failed_phases: Vec<String>,
    /// When it was last saved, as written.
    pub updated_at: Option<String>,
    /// Whether it was saved at another commit.
    pub stale: Option<Staleness>,
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
        let visited = self.store.visit(&directory, |stem, document| {
            let mut problem = |error| {
                problems.push(Problem {
                    stem: stem.to_owned(),
                    error,
                });
            };
            match document {
                Ok(document) if Checkpoint::is_one(document.root()) => {
                    let checkpoint = Checkpoint::new(document.root());
                    match summarise(stem, checkpoint, &head) {
                        Some(summary) => summaries.push(summary),
                        None => problem(StoreError::Unnameable {
                            path: directory.join(stem),
                        }),
                    }
                }
                Ok(_) => {}
                Err(error) => problem(error),
            }
        });
        visited.map_err(|error| Purpose::Load.failed(error))?;
        Ok((summaries, problems))
    }
}

fn summarise(stem: &str, checkpoint: Checkpoint<'_>, head: &Head) -> Option<Summary> {
    let (command, feature) = (checkpoint.command(), checkpoint.feature());
    Some(Summary {
        key: CommandKey::of_file(stem, command.as_deref(), feature.as_deref())?.into(),
        lifecycle: checkpoint.lifecycle(),
        progress: checkpoint.progress(),
        current_phase: checkpoint.current_phase().map(Cow::into_owned),
        current_task: checkpoint.current_task().map(Cow::into_owned),
        failed_phases: checkpoint.phases_with(PhaseStatus::Failed),
        updated_at: checkpoint.updated_at().map(Cow::into_owned),
        stale: checkpoint.staleness(head),
    })
}
