//! What there is.

use std::path::{Path, PathBuf};

use super::error::Purpose;
use super::survey::SurveyedPlan;
use super::{Workspace, WorkspaceError};
use crate::command::Staleness;
use crate::gate::GateProof;
use crate::key::{Key, KeyError, PipelineId, PlanId};
use crate::repository::Head;
use crate::standing::{Lifecycle, Progress};

/// One checkpoint in a list.
#[derive(Debug, Clone, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// What is known of the gates that were run or claimed, seen from outside.
    pub gates: Vec<GateProof>,
    /// What is wrong with it, so that the rest may not be true any more.
    pub trouble: Option<String>,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) summaries: Vec<Summary>,
    pub(super) problems: Vec<Problem>,
    /// The plans that were read, where they are wanted.
    pub(super) surveyed: Option<Vec<SurveyedPlan>>,
}

impl Listing {
    pub(super) fn problem(&mut self, stem: &str, error: WorkspaceError) {
        self.problems.push(Problem {
            stem: stem.to_owned(),
            error,
        });
    }
}

/// Something that cannot be used.
#[derive(Debug)]
pub struct Problem {
    /// The name of its file without the ending, or the plan's id.
    pub stem: String,
    /// What is wrong with it.
    pub error: WorkspaceError,
}

impl Workspace {
    /// Every checkpoint: commands and pipelines by file name, then plans by id; and what cannot be read. JSON of
    /// other tools is told by its shape and left out.
    pub fn list(&self) -> Result<(Vec<Summary>, Vec<Problem>), WorkspaceError> {
        let listing = self.listed(&self.head(), Listing::default())?;
        Ok((listing.summaries, listing.problems))
    }

    pub(super) fn listed(
        &self,
        head: &Head,
        mut listing: Listing,
    ) -> Result<Listing, WorkspaceError> {
        let content = self.content_state_at(head);
        self.list_commands(head, &content, &mut listing)?;
        self.list_pipelines(&content, &mut listing)?;
        self.list_plans(&mut listing)?;
        Ok(listing)
    }

    /// What is in flight: the plan that was chosen first, then what the branch is about, then what was saved last; and
    /// what cannot be read.
    pub fn in_flight(&self) -> Result<(Vec<Key>, Vec<Problem>), WorkspaceError> {
        let head = self.head();
        let listing = self.listed(&head, Listing::default())?;
        let branch = head.branch.unwrap_or_default();
        Ok((self.in_order(&listing.summaries, &branch), listing.problems))
    }

    /// Where all state is that belongs to no plan and no pipeline.
    #[must_use]
    pub fn state_directory(&self) -> PathBuf {
        self.layout.state_directory()
    }

    /// Durably writes a small file into the directory of state: the last one to write wins.
    pub fn keep(&self, name: &str, content: &[u8]) -> Result<(), WorkspaceError> {
        let written = self.store.put(&self.state_directory().join(name), content);
        written.map_err(|error| Purpose::Save.failed(error))
    }

    /// Shows that something can be kept, with so many bytes. Nothing is left of it.
    pub fn probe(&self, bytes: usize) -> Result<(), WorkspaceError> {
        let probed = self.store.probe(bytes);
        probed.map_err(|error| Purpose::Save.failed(error))
    }

    /// Adds a line to a log in the directory for state, if that is there. Beyond so many bytes the log begins anew, and the
    /// one before is kept. Nothing is synced: losing it loses nothing.
    pub fn log_line(&self, name: &str, line: &[u8], longest: u64) -> Result<(), WorkspaceError> {
        let added = self.store.add_to_log(name, line, longest);
        added.map_err(|error| Purpose::Save.failed(error))
    }

    /// What a log says: the one before, and the present one.
    #[must_use]
    pub fn logged(&self, name: &str) -> [Vec<u8>; 2] {
        let directory = self.state_directory();
        let read = |path: &Path| self.store.read(path).ok().flatten().unwrap_or_default();
        let path = directory.join(name);
        [read(&path.with_extension("jsonl.1")), read(&path)]
    }

    /// What was kept in such a file.
    pub fn kept(&self, name: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let content = self.store.read(&self.state_directory().join(name));
        content.map_err(|error| Purpose::Load.failed(error))
    }

    /// Where pipelines are.
    #[must_use]
    pub fn pipelines_directory(&self) -> PathBuf {
        self.layout.pipelines_directory()
    }

    /// Whether anything was ever kept here: a state directory, a pipeline or a plan.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        let layout = &self.layout;
        let is_there = |path: &Path| matches!(self.store.disk().inspect(path), Ok(Some(_)));
        is_there(&layout.state_directory())
            || is_there(&layout.pipelines_directory())
            || self.plans().is_ok_and(|plans| !plans.is_empty())
    }

    /// The key that is meant. Its kind may be left off where only one kind has a checkpoint of that
    /// name; where none has, it is that of a command.
    pub fn find_key(&self, text: &str) -> Result<Key, WorkspaceError> {
        let key = Key::parse(text);
        let kind = text.split_once(':').map(|(kind, _)| kind);
        if kind.is_some_and(|kind| Key::KINDS.contains(&kind)) {
            return Ok(key?);
        }
        let plan = PlanId::new(text).ok().filter(|id| self.plan(id).exists());
        let pipeline = PipelineId::new(text).ok().map(Key::Pipeline);
        let pipeline = pipeline.filter(|key| self.is_there(key));
        let mut found: Vec<Key> = pipeline.into_iter().chain(plan.map(Key::Plan)).collect();
        if found.is_empty() {
            return Ok(key?);
        }
        found.extend(key.ok().filter(|key| self.is_there(key)));
        match found.as_slice() {
            [one] => Ok(one.clone()),
            several => Err(KeyError::Ambiguous {
                name: text.to_owned(),
                keys: several.iter().map(ToString::to_string).collect(),
            }
            .into()),
        }
    }

    /// Whether the document of a key is there, readable or not.
    fn is_there(&self, key: &Key) -> bool {
        let found = self.store.read_beginning(&self.path(key), 0);
        found.map_or(true, |found| found.is_some())
    }
}
