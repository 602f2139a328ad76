//! Versions of a plan: its Markdown and its state, now or at an earlier revision.

use super::{PlanCheckpoint, PlanView};
use crate::comparison::Difference;
use crate::document::{Document, Value};
use crate::history::{HistoryError, Revision};
use crate::key::Key;
use crate::layout::{PLAN_FILE, Role, phase_number};
use crate::plan::{self, Outline, Source, TooLong, Written};
use crate::store::StoreError;
use crate::workspace::WorkspaceError;
use crate::workspace::error::Purpose;

/// A version of a plan.
#[derive(Debug, Clone, Default)]
pub struct PlanVersion {
    /// Its Markdown files, each with its name: `plan.md`, then its phase files.
    pub texts: Vec<(String, Vec<u8>)>,
    /// Its state; `None` if it had none yet.
    pub state: Option<Document>,
}

impl PlanVersion {
    /// What differs in another version, in words.
    pub fn differences(&self, after: &Self) -> Result<Vec<Difference>, WorkspaceError> {
        let (old, new) = (self.state_value(), after.state_value());
        let differences = plan::differences(
            Written {
                sources: &self.sources(),
                state: old.as_ref().and_then(Value::as_object),
            },
            Written {
                sources: &after.sources(),
                state: new.as_ref().and_then(Value::as_object),
            },
        );
        differences.map_err(too_long)
    }

    fn sources(&self) -> Vec<Source<'_>> {
        let texts = self.texts.iter();
        texts.map(|(name, text)| Source { name, text }).collect()
    }

    fn state_value(&self) -> Option<Value> {
        self.state.as_ref().map(Document::value)
    }
}

fn too_long(_: TooLong) -> WorkspaceError {
    let name = PLAN_FILE.to_owned();
    plan::Refusal::TooLong { name }.into()
}

impl PlanCheckpoint<'_> {
    /// The plan as it is now.
    pub fn version(&self) -> Result<PlanVersion, WorkspaceError> {
        let loaded = self.workspace.load(&self.id.into())?;
        Ok(PlanVersion {
            texts: self.texts()?,
            state: loaded.map(|loaded| loaded.document),
        })
    }

    /// The plan at an earlier revision.
    ///
    /// # Errors
    ///
    /// If the revision is not in its history.
    pub fn version_at(&self, revision: &Revision) -> Result<PlanVersion, WorkspaceError> {
        let key = Key::from(self.id);
        let place = self.workspace.layout.place(&key);
        let load = |error: StoreError| Purpose::Load.failed(error);
        let exact = self.workspace.store.in_its_epoch(&place, revision);
        let exact = exact.map_err(load)?;
        let texts = self.texts_at(&exact)?;
        let state = self.workspace.at_revision(&key, &exact);
        match state {
            Ok(state) => Ok(PlanVersion {
                texts,
                state: Some(state),
            }),
            Err(WorkspaceError::Store {
                source: StoreError::History(HistoryError::Unknown { .. }),
                ..
            }) if !texts.is_empty() => Ok(PlanVersion { texts, state: None }),
            Err(error) => Err(error),
        }
    }

    /// Its Markdown files as they are now, each with its name.
    pub(in crate::workspace) fn texts(&self) -> Result<Vec<(String, Vec<u8>)>, WorkspaceError> {
        let mut texts = Vec::new();
        let files = self.place().files.into_iter();
        for file in files.filter(|file| file.role == Role::Shared) {
            let content = self.workspace.store.read(&file.path);
            let content = content.map_err(|error| Purpose::Load.failed(error))?;
            texts.extend(content.map(|content| (file.name, content)));
        }
        Ok(texts)
    }

    /// The Markdown files that it had at a revision.
    pub(in crate::workspace) fn texts_at(
        &self,
        revision: &Revision,
    ) -> Result<Vec<(String, Vec<u8>)>, WorkspaceError> {
        let load = |error: StoreError| Purpose::Load.failed(error);
        let layout = &self.workspace.layout;
        let place = layout.place(&self.id.into());
        let names = self.workspace.names_at(&place, revision).map_err(load)?;
        let is_phase = |name: &String| phase_number(name).is_some();
        let phases: Vec<String> = names.into_iter().filter(is_phase).collect();
        let place = layout.plan_place(self.id, &phases);
        let mut texts = Vec::new();
        for file in place.files.iter().filter(|file| file.role == Role::Shared) {
            let content = self.workspace.file_at(&place, file, revision);
            texts.extend(content.map_err(load)?.map(|text| (file.name.clone(), text)));
        }
        Ok(texts)
    }

    /// A version as the plan would be shown then. Where there was no Markdown, the state alone.
    pub fn view_of(&self, version: &PlanVersion) -> Result<PlanView, WorkspaceError> {
        let outline = Outline::read(&version.sources()).map_err(too_long)?;
        let (outline, state) = match version.state_value().and_then(Value::into_object) {
            None => (outline.clone(), outline.to_state()),
            Some(state) if version.texts.is_empty() => (Outline::of_state(&state), state),
            Some(state) => (outline, state),
        };
        let saved = state.get("lastCheckpoint").and_then(Value::as_str);
        Ok(PlanView {
            id: self.id.clone(),
            files: version.texts.iter().map(|(name, _)| name.clone()).collect(),
            outline,
            last_checkpoint: saved.map(str::to_owned),
            state: Value::Object(state),
            moved: false,
            unrecorded: Vec::new(),
            unparsable: None,
            dormant_on: None,
            is_removed: false,
            newer: None,
            rebuilt: None,
            gone_sessions: Vec::new(),
            imported: None,
        })
    }
}
