//! Taking hand-written checkpoints into the history.

use std::path::Path;

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::command::Checkpoint;
use crate::document::Document;
use crate::finding::Finding;
use crate::key::{CommandKey, Key, PipelineId};
use crate::pipeline::Pipeline;
use crate::store::Proposal;

/// The result of absorbing a hand-written checkpoint.
#[derive(Debug, Clone)]
pub struct Absorbed {
    /// Its key, or its file name if that is not a valid key.
    pub name: String,
    /// Why the file is not valid JSON.
    pub broken: Option<String>,
    /// Problems found in it, most severe first.
    pub findings: Vec<Finding>,
}

impl Workspace {
    /// Records a hand edit of a checkpoint file in its history and checks the result. Returns `None` if the file is
    /// not the checkpoint of a command or pipeline.
    pub fn absorb(&self, file: &Path) -> Result<Option<Absorbed>, WorkspaceError> {
        let layout = &self.layout;
        let is_in = |directory: &Path| file.parent() == Some(directory);
        let is_command = is_in(&layout.state_directory());
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        let is_json = file.extension().is_some_and(|ending| ending == "json");
        let (Some(stem), true) = (stem, is_json) else {
            return Ok(None);
        };
        if !is_command && !is_in(&layout.pipelines_directory()) {
            return Ok(None);
        }
        let content = self.store.read(file);
        let content = content.map_err(|error| Purpose::Load.failed(error))?;
        let Some(content) = content else {
            return Ok(None);
        };
        let document = match Document::from_bytes(content) {
            Ok(document) => document,
            Err(error) => {
                return Ok(Some(Absorbed {
                    name: file
                        .file_name()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned(),
                    broken: Some(error.to_string()),
                    findings: Vec::new(),
                }));
            }
        };
        let key = match is_command {
            true => command_key(stem, &document),
            false => pipeline_key(stem, &document),
        };
        let Some(key) = key else {
            return Ok(None);
        };
        self.record_foreign(&key)?;
        self.keep_gate(&key, document.root());
        let mut findings = self.judge(&document);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        Ok(Some(Absorbed {
            name: key.short(),
            broken: None,
            findings,
        }))
    }

    /// Records foreign edits of a document in its history. Takes no lock if there are none.
    fn record_foreign(&self, key: &Key) -> Result<(), WorkspaceError> {
        let place = self.layout.place(key);
        let seen = self.store.snapshot(&place);
        let seen = seen.map_err(|error| Purpose::Load.failed(error))?;
        if seen.foreign.is_empty() {
            return Ok(());
        }
        let author = self.author("absorb", &self.head());
        self.transact(&place, Purpose::Save, &author, &|snapshot| {
            let proposal = (!snapshot.foreign.is_empty()).then(Proposal::default);
            Ok((proposal, ()))
        })?;
        Ok(())
    }
}

fn command_key(stem: &str, document: &Document) -> Option<Key> {
    let checkpoint = Checkpoint::new(document.root());
    let (command, feature) = (checkpoint.command(), checkpoint.feature());
    let key = CommandKey::of_file(stem, command.as_deref(), feature.as_deref())?;
    Checkpoint::is_one(document.root()).then(|| key.into())
}

fn pipeline_key(stem: &str, document: &Document) -> Option<Key> {
    let id = Pipeline::new(document.root()).id()?;
    let id = PipelineId::new(&id).ok();
    id.filter(|id| id.stem() == stem).map(Key::Pipeline)
}
