//! Going back in a plan: restoring a revision, and taking changes back.

use std::collections::HashMap;

use super::run::Credit;
use super::{PlanCheckpoint, PlanOutcome};
use crate::document::{Document, Object};
use crate::history::{Event, EventName, FileChange, Line, Revision};
use crate::key::Key;
use crate::operation;
use crate::plan::{self, Outline, PastChange};
use crate::store::{FOUND_BY, StoreError};
use crate::workspace::WorkspaceError;
use crate::workspace::error::Purpose;
use crate::workspace::travel::event_about;

impl PlanCheckpoint<'_> {
    /// Ticks the boxes as they were at a revision, with the session notes and recorded decisions of that time. Boxes that are
    /// new since, and all texts, stay as they are.
    pub fn restore(&self, revision: &Revision) -> Result<PlanOutcome, WorkspaceError> {
        self.ensure_not_lost()?;
        let then = self.state_at(revision)?;
        let event = Event::new(EventName::Restored)
            .with(EventName::Restored.as_str(), revision.to_string());
        self.change("restore", Credit::Nobody, &|present| {
            plan::restore(present, &then, event.clone())
        })
    }

    /// Brings the plan back if it is missing: its history tells what to change.
    fn ensure_not_lost(&self) -> Result<(), WorkspaceError> {
        let place = self.place();
        match self.workspace.store.is_there(&place.document().path) {
            true => Ok(()),
            false => self.workspace.ensure_not_lost(&place),
        }
    }

    /// Takes the last recorded change back, whatever it recorded, on top of what others did since. If nothing of it is left,
    /// an edit that was not recorded until now is the last change.
    pub fn undo(&self) -> Result<PlanOutcome, WorkspaceError> {
        self.ensure_not_lost()?;
        self.workspace.settle_interrupted(&self.id.into())?;
        match self.without_last() {
            Ok(outcome) if outcome.revision.is_some() && !has_taken_back(&outcome) => {
                self.without_last()
            }
            Err(WorkspaceError::Refused(operation::Refusal::NothingBefore(key))) => {
                let view = self.recorded()?;
                let is_edited = view.moved && view.rebuilt.is_none() && view.unparsable.is_none();
                if !is_edited || self.heal()?.revision.is_none() {
                    return Err(operation::Refusal::NothingBefore(key).into());
                }
                self.without_last()
            }
            // A file that is lost looks like one that went with the change.
            Err(error @ WorkspaceError::Plan(plan::Refusal::CameOrWent(_))) => {
                match self.recorded()?.unparsable {
                    Some(why) => Err(plan::Refusal::Unparsable(why).into()),
                    None => Err(error),
                }
            }
            outcome => outcome,
        }
    }

    fn without_last(&self) -> Result<PlanOutcome, WorkspaceError> {
        let key = Key::from(self.id);
        let nothing = || WorkspaceError::from(operation::Refusal::NothingBefore(key.clone()));
        let last = self.workspace.last_effect(&key)?.ok_or_else(nothing)?;
        let revision = last.revision().ok_or_else(nothing)?;
        let event = event_about(&revision);
        let past = self.past_change(&last)?;
        let follows = past.after.texts.is_empty() && self.only_follows(&last)?;
        let mut changes = vec![past];
        if follows && let Some(edit) = self.edit_before(&revision)? {
            // It only recorded what somebody had written into the Markdown.
            changes.push(self.past_change(&edit)?);
        }
        self.take_back(&changes, &event)
    }

    /// Whether a change did more than to restore a damaged state.
    pub(in crate::workspace) fn has_effect(&self, line: &Line) -> Result<bool, WorkspaceError> {
        // What cannot be compared may have changed anything.
        let Ok(past) = self.past_change(line) else {
            return Ok(true);
        };
        if !past.has_effect() {
            return Ok(false);
        }
        let lines = self.workspace.lines_of(&self.id.into(), line)?;
        let is_repair_alone = |line: &Line| {
            let name = line.event_name();
            name.is_some_and(|name| is_repair(name) || name == EventName::StateSynced)
        };
        let names_repair = lines.iter().filter_map(Line::event_name).any(is_repair);
        Ok(!names_repair || !lines.iter().all(is_repair_alone))
    }

    /// Whether a change recorded nothing but what the Markdown said.
    fn only_follows(&self, first: &Line) -> Result<bool, WorkspaceError> {
        let lines = self.workspace.lines_of(&self.id.into(), first)?;
        let mut names = lines.iter().map(Line::event_name);
        Ok(names.all(|name| name.is_some_and(follows_from_text)))
    }

    /// Takes changes back, newest first.
    pub(in crate::workspace) fn take_back(
        &self,
        changes: &[PastChange],
        event: &Event,
    ) -> Result<PlanOutcome, WorkspaceError> {
        self.change("undo", Credit::Nobody, &|present| {
            plan::take_back(present, changes, event.clone())
        })
    }

    /// The line about an outside edit that was recorded just before a revision.
    fn edit_before(&self, revision: &Revision) -> Result<Option<Line>, WorkspaceError> {
        let Some(history) = self.workspace.history(&self.id.into())? else {
            return Ok(None);
        };
        let path = self.place().history;
        let failed = |source| Purpose::Load.failed(StoreError::history(&path, source));
        let mut has_come = false;
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            let found = line.revision();
            has_come |= found.as_ref() == Some(revision);
            if !has_come || line.files().is_none() || found.as_ref() == Some(revision) {
                continue;
            }
            let is_same_epoch = found.is_some_and(|found| found.epoch == revision.epoch);
            let is_found = line.by().as_deref() == Some(FOUND_BY)
                || line.event_name() == Some(EventName::PlanEdited);
            return Ok(Some(line).filter(|_| is_same_epoch && is_found));
        }
        Ok(None)
    }

    /// The last state before a revision that can be read. A change of a state that cannot be read begins with that.
    fn readable_before(&self, revision: &Revision) -> Result<Option<Object>, WorkspaceError> {
        let Some(history) = self.workspace.history(&self.id.into())? else {
            return Ok(None);
        };
        let place = self.place();
        let file = place.document();
        let failed = |source| Purpose::Load.failed(StoreError::history(&place.history, source));
        let load = |error: StoreError| Purpose::Load.failed(error);
        let mut has_come = false;
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            let found = line.revision();
            has_come |= found.as_ref() == Some(revision);
            let (Some(found), true) = (found, has_come) else {
                continue;
            };
            let changes = line.files().unwrap_or_default();
            let is_about = |change: &FileChange| change.name == file.name && change.to.is_some();
            if found == *revision || !changes.iter().any(is_about) {
                continue;
            }
            let content = self.workspace.file_at(&place, file, &found).map_err(load)?;
            if let Some(state) = state_in(content) {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    /// What a line of the history says that a change did.
    pub(in crate::workspace) fn past_change(
        &self,
        line: &Line,
    ) -> Result<PastChange, WorkspaceError> {
        let place = self.place();
        let key = Key::from(self.id);
        let state_at = place.files.len() - 1;
        let mut past = PastChange::default();
        let files: HashMap<String, FileChange> = line
            .files()
            .unwrap_or_default()
            .into_iter()
            .filter(FileChange::is_change)
            .map(|file| (file.name.clone(), file))
            .collect();
        for (position, file) in place.files.iter().enumerate() {
            let Some(change) = files.get(&file.name) else {
                continue;
            };
            let (before, after) = self
                .workspace
                .sides_of((&key, &place), file, line, change)?;
            if position == state_at {
                past.after.state = state_in(after);
                past.before.state = match (state_in(before), line.revision()) {
                    (None, Some(revision)) => self.readable_before(&revision)?,
                    (state, _) => state,
                };
                continue;
            }
            match (before, after) {
                (Some(before), Some(after)) => {
                    past.before.texts.insert(position, before);
                    past.after.texts.insert(position, after);
                }
                (None, _) if position == 0 => {
                    return Err(operation::Refusal::NothingBefore(self.id.into()).into());
                }
                _ => return Err(plan::Refusal::CameOrWent(file.name.clone()).into()),
            }
        }
        let known = |name: &str| place.files.iter().any(|file| file.name == name);
        match files.keys().find(|name| !known(name)) {
            Some(name) => Err(plan::Refusal::CameOrWent(name.clone()).into()),
            None => Ok(past),
        }
    }

    /// The state at a revision. Where there was none yet, the boxes of plan.md say what was done.
    fn state_at(&self, revision: &Revision) -> Result<Object, WorkspaceError> {
        let missing = match self.workspace.at_revision(&self.id.into(), revision) {
            Ok(document) => {
                let state = document.value().into_object();
                return state.ok_or_else(|| operation::Refusal::NotAnObject.into());
            }
            Err(error) => error,
        };
        let place = self.place();
        let load = |error: StoreError| Purpose::Load.failed(error);
        let found = self.workspace.file_at(&place, &place.files[0], revision);
        let Some(text) = found.map_err(load)? else {
            return Err(missing);
        };
        let source = plan::Source {
            name: &place.files[0].name,
            text: &text,
        };
        let outline = Outline::read(&[source]).map_err(|_| missing)?;
        Ok(outline.to_state())
    }
}

fn state_in(content: Option<Vec<u8>>) -> Option<Object> {
    let document = Document::from_bytes(content?).ok()?;
    document.value().into_object()
}

fn has_taken_back(outcome: &PlanOutcome) -> bool {
    let mut events = outcome.events.iter();
    events.any(|event| event.name == EventName::Undone)
}

/// Whether an event is recorded for what is found in the Markdown.
fn follows_from_text(name: EventName) -> bool {
    use EventName as E;
    matches!(
        name,
        E::TaskCompleted
            | E::TaskReopened
            | E::TaskRemoved
            | E::TaskVanished
            | E::AcceptanceMet
            | E::AcceptanceLost
            | E::PhaseCompleted
            | E::DecisionNoticed
            | E::BlockerAdded
            | E::BlockerRemoved
            | E::ChecksumMismatch
            | E::ParseError
            | E::StateSynced
    ) || is_repair(name)
}

/// Whether an event records that a state was found damaged and restored.
fn is_repair(name: EventName) -> bool {
    matches!(name, EventName::StateCorrupted | EventName::FullRecovery)
}
