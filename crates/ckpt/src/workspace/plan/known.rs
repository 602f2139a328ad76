//! What is known of a plan besides its Markdown, also where its state cannot be read.

use std::path::{Path, PathBuf};

use super::super::WorkspaceError;
use super::super::error::Purpose;
use super::PlanCheckpoint;
use crate::document::{Document, Object, Value};
use crate::history::{Event, EventName};
use crate::layout::{PLAN_BACKUP_FILE, Place};
use crate::operation;
use crate::plan::{Backup, VERSION, done_tasks};
use crate::store::Snapshot;

/// What a state was brought back from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The copy beside it, and what history has since.
    Backup,
    /// The Markdown, and what history has.
    Markdown,
}

/// How a state that could not be read was brought back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// From what.
    pub from: Source,
    /// Whether its history had something to add.
    pub with_history: bool,
    /// How many done tasks came back with their times and authors.
    pub tasks: usize,
    /// Copies of what could not be read, as far as they are made.
    pub kept: Vec<PathBuf>,
}

impl Rebuilt {
    /// The line of history about it.
    pub(super) fn event(&self) -> Event {
        let event = match self.from {
            Source::Backup => {
                Event::new(EventName::StateCorrupted).with("restored_from", PLAN_BACKUP_FILE)
            }
            Source::Markdown => {
                Event::new(EventName::FullRecovery).with("source", "plan.md_reparse")
            }
        };
        event
            .with("withHistory", self.with_history)
            .with("tasksRestored", self.tasks as u64)
    }
}

/// The state that a change starts from.
pub(super) struct Known {
    /// What it says; `None` before the first.
    pub(super) state: Option<Object>,
    /// Its file, where that can be read.
    pub(super) document: Option<Document>,
    /// How it was brought back, where its file cannot be read.
    pub(super) rebuilt: Option<Rebuilt>,
    /// Copies to make of what cannot be read.
    pub(super) aside: Vec<(PathBuf, Vec<u8>)>,
}

impl PlanCheckpoint<'_> {
    /// The state of a plan. One of another version is not ours to change.
    pub(super) fn known(
        &self,
        place: &Place,
        snapshot: &Snapshot,
    ) -> Result<Known, WorkspaceError> {
        let content = snapshot.contents.last().and_then(Option::as_deref);
        let state = content.map(read_state).transpose()?.flatten();
        if let Some((document, state)) = state {
            return Ok(Known {
                state: Some(state),
                document: Some(document),
                rebuilt: None,
                aside: Vec::new(),
            });
        }
        let fresh = Known {
            state: None,
            document: None,
            rebuilt: None,
            aside: Vec::new(),
        };
        let backup_path = backup_path(place);
        let load = |error| Purpose::Load.failed(error);
        let backup_content = self.workspace.store.read(&backup_path).map_err(load)?;
        if content.is_none() && snapshot.revision.is_none() && backup_content.is_none() {
            return Ok(fresh);
        }
        let backup = backup_content.as_deref().and_then(Backup::read);
        let told = self.told(place, snapshot, backup.as_ref()).map_err(load)?;
        if content.is_none() && told.is_none() && backup.is_none() {
            return Ok(fresh);
        }
        let mut known = fresh;
        let mut keep = |path: &Path, content: Option<&[u8]>| {
            if let Some(content) = content {
                let aside = self.workspace.aside_path(path, snapshot, content);
                known.aside.push((aside, content.to_vec()));
            }
        };
        keep(&place.document().path, content);
        if backup.is_none() {
            keep(&backup_path, backup_content.as_deref());
        }
        let with_history = told.is_some();
        let from = match backup {
            Some(_) => Source::Backup,
            None => Source::Markdown,
        };
        let state = told.or(backup.map(|backup| backup.state));
        known.rebuilt = Some(Rebuilt {
            from,
            with_history,
            tasks: state.as_ref().map(done_tasks).unwrap_or_default(),
            kept: known.aside.iter().map(|(path, _)| path.clone()).collect(),
        });
        // With nothing to go by but the Markdown, what it says was always so.
        known.state = state;
        Ok(known)
    }

    /// Whether there is a copy of the state of a plan.
    pub(in crate::workspace) fn has_backup(&self) -> bool {
        let path = backup_path(&self.place());
        let beginning = self.workspace.store.read_beginning(&path, 1);
        beginning.is_ok_and(|beginning| beginning.is_some())
    }
}

/// Where the copy of the state lies.
pub(super) fn backup_path(place: &Place) -> PathBuf {
    place.document().path.with_file_name(PLAN_BACKUP_FILE)
}

/// A state; `None` for what is none, an error for one of another version.
pub(super) fn read_state(content: &[u8]) -> Result<Option<(Document, Object)>, operation::Refusal> {
    let Ok(document) = Document::from_bytes(content.to_vec()) else {
        return Ok(None);
    };
    let Value::Object(state) = document.value() else {
        return Ok(None);
    };
    match state.get("version") {
        None => Ok(None),
        Some(version) if *version == VERSION.into() => Ok(Some((document, state))),
        Some(other) => Err(operation::Refusal::UnsupportedVersion {
            found: other.to_compact(),
            expected: VERSION,
        }),
    }
}
