//! Listing checkpoints.

use std::path::{Path, PathBuf};

use super::error::Purpose;
use super::gate::is_open;
use super::survey::SurveyedPlan;
use super::{Depth, Workspace, WorkspaceError};
use crate::command::Staleness;
use crate::gate::{ContentState, GateProof, Verdict};
use crate::key::Key;
use crate::repository::Head;
use crate::standing::{Lifecycle, Progress};

/// One checkpoint in a list.
#[derive(Debug, Clone, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Its key.
    pub key: Key,
    /// Whether it is in flight, complete or abandoned.
    pub lifecycle: Lifecycle,
    /// How far along it is.
    pub progress: Progress,
    /// The current phase.
    pub current_phase: Option<String>,
    /// The current task.
    pub current_task: Option<String>,
    /// The phases that failed.
    pub failed_phases: Vec<String>,
    /// When it was last saved, as written in the file.
    pub updated_at: Option<String>,
    /// Set if it was saved at another commit.
    pub stale: Option<Staleness>,
    /// What is known about its named gates.
    pub gates: Vec<GateProof>,
    /// Whether it may ship, as `gate check` says; none if nobody has approved, blocked or overridden it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ship: Option<Verdict>,
    /// For a plan, the branch that has it, if it is not on the one that is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dormant_on: Option<String>,
    /// A problem with the checkpoint that may make the rest of this summary out of date.
    pub trouble: Option<String>,
}

impl Summary {
    /// Whether a gate was not judged, because the content was not compared.
    fn depends_on_content(&self) -> bool {
        is_open(&self.gates, self.ship.as_ref())
    }
}

/// What has been found so far.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) summaries: Vec<Summary>,
    pub(super) problems: Vec<Problem>,
    /// The plans that were read, if the caller wants them.
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

/// A checkpoint that cannot be used.
#[derive(Debug)]
pub struct Problem {
    /// Its file name without the extension, or the plan's id.
    pub stem: String,
    /// What is wrong with it.
    pub error: WorkspaceError,
}

impl Workspace {
    /// Every checkpoint, commands and pipelines by file name, then plans by id; and those that cannot be read. JSON
    /// files of other tools are recognised by their shape and skipped.
    pub fn list(&self, depth: Depth) -> Result<(Vec<Summary>, Vec<Problem>), WorkspaceError> {
        let head = self.head();
        let mut listing = self.listed(&head, &self.content_state_at(&head), Listing::default())?;
        // Few work trees have gates that passed, and comparing the content takes time.
        if depth == Depth::Full && listing.summaries.iter().any(Summary::depends_on_content) {
            listing = self.listed(&head, &self.content_within(depth), Listing::default())?;
        }
        Ok((listing.summaries, listing.problems))
    }

    /// Every plan by id, and those that cannot be read.
    pub fn list_plans_only(
        &self,
        depth: Depth,
    ) -> Result<(Vec<Summary>, Vec<Problem>), WorkspaceError> {
        let mut listing = Listing::default();
        self.list_plans(&self.content_within(depth), &mut listing)?;
        Ok((listing.summaries, listing.problems))
    }

    pub(super) fn listed(
        &self,
        head: &Head,
        content: &ContentState,
        mut listing: Listing,
    ) -> Result<Listing, WorkspaceError> {
        self.list_commands(head, content, &mut listing)?;
        self.list_pipelines(content, &mut listing)?;
        self.list_plans(content, &mut listing)?;
        for key in self.half_renamed() {
            listing.summaries.retain(|summary| summary.key != key);
        }
        Ok(listing)
    }

    /// The checkpoints in flight, and those that cannot be read. The chosen plan comes first, then checkpoints that
    /// match the branch, then the most recently saved.
    pub fn in_flight(&self) -> Result<(Vec<Key>, Vec<Problem>), WorkspaceError> {
        let head = self.head();
        let content = self.content_state_at(&head);
        let listing = self.listed(&head, &content, Listing::default())?;
        let branch = head.branch.unwrap_or_default();
        Ok((self.in_order(&listing.summaries, &branch), listing.problems))
    }

    /// The directory of all state that belongs to no plan or pipeline.
    #[must_use]
    pub fn state_directory(&self) -> PathBuf {
        self.layout.state_directory()
    }

    /// Durably writes a small file in the state directory. The last write wins.
    pub fn keep(&self, name: &str, content: &[u8]) -> Result<(), WorkspaceError> {
        let written = self.store.put(&self.state_directory().join(name), content);
        written.map_err(|error| Purpose::Save.failed(error))
    }

    /// Tests that the store can be written, using a file of this size that is removed again.
    pub fn probe(&self, bytes: usize) -> Result<(), WorkspaceError> {
        let probed = self.store.probe(bytes);
        probed.map_err(|error| Purpose::Save.failed(error))
    }

    /// Appends a line to a log in the state directory, if the directory exists. A log longer than `longest` bytes is
    /// rotated, and one old log is kept. Nothing is synced: losing a log line does no harm.
    pub fn log_line(&self, name: &str, line: &[u8], longest: u64) -> Result<(), WorkspaceError> {
        let added = self.store.add_to_log(name, line, longest);
        added.map_err(|error| Purpose::Save.failed(error))
    }

    /// The contents of a log: the rotated one, then the current one.
    #[must_use]
    pub fn logged(&self, name: &str) -> [Vec<u8>; 2] {
        let directory = self.state_directory();
        let read = |path: &Path| self.store.read(path).ok().flatten().unwrap_or_default();
        let path = directory.join(name);
        [read(&path.with_extension("jsonl.1")), read(&path)]
    }

    /// The content of a file written with [`keep`](Self::keep).
    pub fn kept(&self, name: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let content = self.store.read(&self.state_directory().join(name));
        content.map_err(|error| Purpose::Load.failed(error))
    }

    /// The directory of pipelines.
    #[must_use]
    pub fn pipelines_directory(&self) -> PathBuf {
        self.layout.pipelines_directory()
    }

    /// Whether `ckpt` is in use here: there is a state directory, a pipeline or a plan, or there was one.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        let layout = &self.layout;
        let is_there = |path: &Path| matches!(self.store.disk().inspect(path), Ok(Some(_)));
        is_there(&layout.state_directory())
            || is_there(&layout.pipelines_directory())
            || self.plans().is_ok_and(|plans| !plans.is_empty())
            || self.was_in_use()
    }
}
