//! What is known about a plan besides its Markdown, even if its state cannot be read.

use std::path::{Path, PathBuf};

use super::super::WorkspaceError;
use super::super::error::Purpose;
use super::PlanCheckpoint;
use crate::document::{Document, Object, Value};
use crate::history::{Event, EventName};
use crate::layout::{PLAN_BACKUP_FILE, Place};
use crate::operation;
use crate::plan::{Backup, VERSION, done_tasks};
use crate::standing::Newer;
use crate::store::Snapshot;

/// What a state was restored from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The backup, and the history since then.
    Backup,
    /// The Markdown, and the history.
    Markdown,
}

/// How an unreadable state was restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// The source.
    pub from: Source,
    /// Whether the history had anything to add.
    pub with_history: bool,
    /// How many completed tasks were restored with their times and authors.
    pub tasks: usize,
    /// Copies made of the unreadable files.
    pub kept: Vec<PathBuf>,
}

impl Rebuilt {
    /// The history event that records it.
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

/// Whether a plan was in its place all the time. Other worktrees see no claims in a plan that is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// It was.
    Throughout,
    /// It was gone since its last change and is back, or its history is lost.
    Interrupted,
}

/// The state that a change starts from.
pub(super) struct Known {
    /// Its content; `None` if the plan has no state yet.
    pub(super) state: Option<Object>,
    /// Its file, if it can be read.
    pub(super) document: Option<Document>,
    /// Its version, if a newer `ckpt` wrote it. Then it can be read, but not changed.
    pub(super) newer: Option<Newer>,
    /// How it was restored, if its file cannot be read.
    pub(super) rebuilt: Option<Rebuilt>,
    /// Copies to make of the unreadable files.
    pub(super) aside: Vec<(PathBuf, Vec<u8>)>,
    /// Whether it was there all the time.
    pub(super) presence: Presence,
}

impl Known {
    /// The state whose claims held until now.
    pub(super) fn holding(&self) -> Option<&Object> {
        let state = self.state.as_ref();
        state.filter(|_| self.presence == Presence::Throughout)
    }
}

impl PlanCheckpoint<'_> {
    /// The state of a plan. One with another schema version is refused, unless it is newer and only to be read.
    pub(super) fn known(
        &self,
        place: &Place,
        snapshot: &Snapshot,
        purpose: Purpose,
    ) -> Result<Known, WorkspaceError> {
        let archived = match (snapshot.contents.last(), purpose) {
            // Reading leaves an archive where it is; the next change brings it back first.
            (Some(None), Purpose::Load) => self.workspace.load(&self.id.into())?,
            _ => None,
        };
        let archived = archived
            .as_ref()
            .map(|loaded| loaded.document.text().as_bytes());
        let content = snapshot.contents.last().and_then(Option::as_deref);
        let content = content.or(archived);
        let newer = content.and_then(newer_state);
        let newer = newer.filter(|_| purpose == Purpose::Load);
        let (state, newer) = match newer {
            Some((document, state, newer)) => (Some((document, state)), Some(newer)),
            None => (content.map(read_state).transpose()?.flatten(), None),
        };
        let presence = match snapshot.is_brought_back {
            true => Presence::Interrupted,
            false => Presence::Throughout,
        };
        if let Some((document, state)) = state {
            return Ok(Known {
                presence,
                newer,
                state: Some(state),
                document: Some(document),
                rebuilt: None,
                aside: Vec::new(),
            });
        }
        let fresh = Known {
            state: None,
            document: None,
            newer: None,
            rebuilt: None,
            aside: Vec::new(),
            presence,
        };
        let backup_path = backup_path(place);
        let load = |error| Purpose::Load.failed(error);
        let backup_content = self.workspace.store.read(&backup_path).map_err(load)?;
        let newer = backup_content.as_deref().and_then(Backup::newer);
        if let Some(newer) = newer.filter(|_| purpose != Purpose::Load) {
            let found = newer.version().to_owned();
            let expected = VERSION;
            return Err(operation::Refusal::UnsupportedVersion { found, expected }.into());
        }
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
        if !with_history {
            known.presence = Presence::Interrupted;
        }
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
        // With only the Markdown to go by, its content is treated as the initial state.
        known.state = state;
        Ok(known)
    }

    /// Whether a plan has a backup of its state.
    pub(in crate::workspace) fn has_backup(&self) -> bool {
        let path = backup_path(&self.place());
        let beginning = self.workspace.store.read_beginning(&path, 1);
        beginning.is_ok_and(|beginning| beginning.is_some())
    }
}

/// The path of the backup.
pub(super) fn backup_path(place: &Place) -> PathBuf {
    place.document().path.with_file_name(PLAN_BACKUP_FILE)
}

/// Parses a state that a newer `ckpt` wrote.
fn newer_state(content: &[u8]) -> Option<(Document, Object, Newer)> {
    let document = Document::from_bytes(content.to_vec()).ok()?;
    let state = document.value().into_object()?;
    let newer = Newer::than(VERSION, &state.get("version")?.to_compact())?;
    Some((document, state, newer))
}

/// Parses a state; `None` if the content is not a state, an error if it has another schema version.
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
