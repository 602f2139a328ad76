//! Plans: reading them, and every operation on them.

mod active;
mod change;
mod elsewhere;
mod judge;
mod known;
mod memory;
mod past;
mod reading;
mod run;
mod sub_agents;
mod texts;
mod travel;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use memchr::memmem;

pub use active::ActivePlan;
pub use elsewhere::LocalOnly;
pub use known::{Rebuilt, Source as RebuiltFrom};
pub use past::PlanVersion;
pub(super) use reading::PlanReading;

pub(super) use self::run::Credit;
use self::run::Run;
use super::error::Purpose;
use super::{Absorbed, Depth, Workspace, WorkspaceError};
use crate::document::{Document, Edit, Node, Object, Value};
use crate::gate::{GateName, GateProof};
use crate::history::{Event, EventName, Revision};
use crate::key::{Key, PlanId};
use crate::layout::{PLAN_FILE, PLAN_STATE_DIRECTORY, PLAN_STATE_FILE, Place, phase_number};
use crate::operation::Unfinished;
use crate::plan::{
    self, Change, Claim, Claimed, Closing, Concern, Decision, Elsewhere, ItemKind, NewTask,
    NoteChange, Outline, Present, Reason, Recording, Standing, Tick, Unparsable, claims,
};
use crate::standing::Newer;
use crate::store::Write;
use crate::time::Timestamp;

/// The maximum number of phase files in a plan; any more are ignored.
pub(crate) const MOST_PHASE_FILES: usize = 200;

/// The records of a plan that has no state yet.
static NO_STATE: Object = Object::new();

/// A plan and its state, in sync.
#[derive(Debug, Clone)]
pub struct PlanView {
    /// Its id.
    pub id: PlanId,
    /// The names of its Markdown files: `plan.md`, then its phase files.
    pub files: Vec<String>,
    /// The outline of its Markdown, or of its state if the Markdown cannot be parsed.
    pub outline: Outline,
    /// Its state, either as stored or as the next change will write it.
    pub state: Value,
    /// When the state was last written.
    pub last_checkpoint: Option<String>,
    /// Whether the Markdown changed since then.
    pub moved: bool,
    /// What the next change will record about that.
    pub unrecorded: Vec<Event>,
    /// Why the Markdown cannot be parsed.
    pub unparsable: Option<Unparsable>,
    /// The branch that has the plan, if it is not on the one that is checked out.
    pub dormant_on: Option<String>,
    /// Whether a commit removed the plan from this branch.
    pub is_removed: bool,
    /// The version of the state, if a newer `ckpt` wrote it. Then the plan cannot be changed.
    pub newer: Option<Newer>,
    /// How the state was restored, if its file could not be read.
    pub rebuilt: Option<Rebuilt>,
    /// Sessions that hold claims in it but are gone.
    pub gone_sessions: Vec<String>,
    /// What was imported from a progress file that predates checkpoints.
    pub imported: Option<Imported>,
}

/// The result of importing an old progress file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imported {
    /// This many tasks were ticked.
    Tasks(usize),
    /// The file is ambiguous, so it was ignored.
    Unclear,
}

impl PlanView {
    /// Whether every task is done. A plan without tasks counts as not started.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        let mut tasks = self.outline.tasks().peekable();
        tasks.peek().is_some() && tasks.all(|(_, task)| task.done)
    }

    /// How it was closed, if it was.
    #[must_use]
    pub fn closing(&self) -> Option<Closing> {
        self.state.as_object().and_then(Closing::of)
    }

    /// Why its Markdown is of no use. That of a plan on another branch is not here, and nothing is wrong with it.
    #[must_use]
    pub fn unusable(&self) -> Option<&Unparsable> {
        let why = self.unparsable.as_ref();
        why.filter(|_| self.dormant_on.is_none())
    }

    /// The refusal of what needs the Markdown of a plan that is on another branch.
    #[must_use]
    pub fn dormant(&self) -> Option<plan::Refusal> {
        let branch = self.dormant_on.clone()?;
        let id = self.id.clone();
        Some(plan::Refusal::Dormant { id, branch })
    }

    /// Whether there is neither a state nor Markdown that can be parsed.
    #[must_use]
    pub fn is_no_plan_yet(&self) -> bool {
        let has_state = self.last_checkpoint.is_some() || self.rebuilt.is_some();
        !has_state && self.outline.is_empty() && self.outline.untracked.is_empty()
    }

    /// Who is working on which task, including claims that have lapsed.
    #[must_use]
    pub fn claims(&self, now: Timestamp) -> HashMap<String, Claim> {
        self.state
            .as_object()
            .map(|state| claims(state, now, &self.gone_sessions))
            .unwrap_or_default()
    }
}

/// The event detail that marks content restored from unsealed history lines.
const UNSEALED: &str = "unsealed";

/// The event detail that names the files whose texts were restored.
const TEXTS: &str = "texts";

/// The result of changing a plan.
#[derive(Debug, Clone)]
pub struct PlanOutcome {
    /// The new revision; `None` if there was nothing to change.
    pub revision: Option<Revision>,
    /// The events that were recorded.
    pub events: Vec<Event>,
    /// The plan after the change.
    pub view: PlanView,
    /// What other worktrees said about the plan when tasks were claimed.
    pub elsewhere: Elsewhere,
    /// Why the tasks are claimed in this worktree alone, if they are.
    pub local_only: Option<LocalOnly>,
}

impl PlanOutcome {
    /// Whether its Markdown was restored from history lines without this repository's seal.
    #[must_use]
    pub fn is_restored_unsealed(&self) -> bool {
        let restored = self.restoration();
        restored.is_some_and(|event| event.fields.get(UNSEALED).is_some())
    }

    /// The Markdown files that were restored.
    #[must_use]
    pub fn restored_texts(&self) -> Vec<&str> {
        let texts = self.restoration().and_then(|event| event.fields.get(TEXTS));
        let names = texts.and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).collect()
    }

    fn restoration(&self) -> Option<&Event> {
        let mut events = self.events.iter();
        events.find(|event| event.name == EventName::PlanRestored)
    }
}

/// One plan of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct PlanCheckpoint<'w> {
    workspace: &'w Workspace,
    id: &'w PlanId,
}

impl Workspace {
    /// A handle to a plan, whether or not it exists.
    #[must_use]
    pub fn plan<'w>(&'w self, id: &'w PlanId) -> PlanCheckpoint<'w> {
        PlanCheckpoint {
            workspace: self,
            id,
        }
    }

    /// The ids of all plans, sorted: directories that contain a plan or the state of one, unless it is archived.
    pub fn plans(&self) -> Result<Vec<PlanId>, WorkspaceError> {
        let directories = self.store.directories_in(&self.layout.plans_directory());
        let mut names = directories.map_err(|error| Purpose::Load.failed(error))?;
        names.sort_unstable();
        let ids = names.iter().rev().filter(|name| self.is_plan(name));
        let ids = ids.take(self.options.most_plans.unwrap_or(usize::MAX));
        let mut ids: Vec<PlanId> = ids
            .filter_map(|name| PlanId::new(name.to_str()?).ok())
            .collect();
        ids.reverse();
        Ok(ids)
    }

    /// Whether a directory contains a plan or the state of one.
    fn is_plan(&self, name: &OsStr) -> bool {
        let plan = self.layout.plans_directory().join(name);
        let state = plan.join(PLAN_STATE_DIRECTORY).join(PLAN_STATE_FILE);
        if self.store.is_there(&state) {
            return true;
        }
        let id = name.to_str().and_then(|name| PlanId::new(name).ok());
        let is_archived = id.is_some_and(|id| self.is_archived(&Key::Plan(id)));
        self.store.is_there(&plan.join(PLAN_FILE)) && !is_archived
    }

    /// The plans that a command may have changed: those whose Markdown is newer than their state, and the active
    /// plan. Compares only file times.
    pub fn changed_plans(&self) -> Result<Vec<PlanId>, WorkspaceError> {
        let active = self.active_plan()?.map(|active| active.id);
        let mut plans = self.plans()?;
        plans.retain(|id| Some(id) == active.as_ref() || self.plan(id).is_edited_since());
        Ok(plans)
    }

    /// The directory of plans.
    #[must_use]
    pub fn plans_directory(&self) -> PathBuf {
        self.layout.plans_directory()
    }
}

impl<'w> PlanCheckpoint<'w> {
    /// The total length of a plan's Markdown, in bytes.
    pub(super) fn markdown_length(&self) -> u64 {
        let place = self.place();
        let markdown = place.files[..place.files.len() - 1].iter();
        let lengths = markdown.filter_map(|file| std::fs::symlink_metadata(&file.path).ok());
        lengths.map(|metadata| metadata.len()).sum()
    }

    /// Syncs the state of a plan with its Markdown.
    pub fn sync(&self) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan sync", Credit::Author, &|_| Ok(Change::default()))
    }

    /// The same, after the author was seen editing the Markdown.
    pub fn sync_own_edit(&self) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan sync", Credit::Editor, &|_| Ok(Change::default()))
    }

    /// Whether the Markdown is newer than the state. Compares only file times, so it misses an edit made in the same
    /// instant as the state was written.
    #[must_use]
    pub fn is_edited_since(&self) -> bool {
        let Some(state) = changed_at(&self.workspace.path(&self.id.into())) else {
            return false;
        };
        let is_newer = |path: &Path| changed_at(path).is_some_and(|changed| changed > state);
        // The plan itself first: its phase files have to be looked for.
        let plan = self.workspace.layout.plan_directory(self.id);
        is_newer(&plan.join(PLAN_FILE)) || {
            let place = self.place();
            let mut markdown = place.files[..place.files.len() - 1].iter();
            markdown.any(|file| is_newer(&file.path))
        }
    }

    /// Whether a plan has neither a state nor Markdown that can be parsed.
    #[must_use]
    pub fn is_no_plan_yet(&self) -> bool {
        let state = self.workspace.path(&self.id.into());
        !self.workspace.store.is_there(&state)
            && self.view().is_ok_and(|view| view.is_no_plan_yet())
    }

    /// Records a hand edit of a plan's state in the history and checks the result.
    pub fn absorb_state(&self) -> Result<Absorbed, WorkspaceError> {
        let path = self.workspace.path(&self.id.into());
        let content = self.workspace.store.read(&path);
        let content = content.map_err(|error| Purpose::Load.failed(error))?;
        let (broken, mut findings) = match Document::from_bytes(content.unwrap_or_default()) {
            Ok(document) => (None, self.workspace.judge(&document)),
            Err(error) => (Some(error.to_string()), Vec::new()),
        };
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        self.heal()?;
        Ok(Absorbed {
            name: format!("state.json of {}", self.id),
            broken,
            findings,
        })
    }

    /// Whether the state was made from the current Markdown. Compares only checksums and takes no lock.
    pub fn is_followed(&self) -> Result<bool, WorkspaceError> {
        let place = self.place();
        let load = |error| Purpose::Load.failed(error);
        let Some(state) = self
            .workspace
            .store
            .read(&place.document().path)
            .map_err(load)?
        else {
            return Ok(false);
        };
        let mut checksums = Vec::new();
        for file in &place.files[..place.files.len() - 1] {
            let content = self.workspace.store.read(&file.path).map_err(load)?;
            let checksum = content.map(|content| plan::checksum(&content));
            // After an edit the state does not contain the new checksum at all, so it need not be parsed.
            match checksum.filter(|sum| memmem::find(&state, sum.as_bytes()).is_some()) {
                Some(checksum) => checksums.push((&file.name, checksum)),
                None => return Ok(false),
            }
        }
        let Ok(state) = Document::from_bytes(state) else {
            return Ok(false);
        };
        let recorded = state.root().get("phaseFiles");
        let known = recorded.map_or(0, |recorded| recorded.members().len());
        let is_recorded = |(at, (name, checksum)): (usize, &(&String, String))| {
            let recorded = match at {
                0 => state.root().get("checksum"),
                _ => recorded.and_then(|recorded| recorded.get(name)),
            };
            recorded.and_then(Node::as_str).as_deref() == Some(checksum)
        };
        Ok(known + 1 == checksums.len() && checksums.iter().enumerate().all(is_recorded))
    }

    /// Syncs the state with Markdown that was edited by someone unknown.
    pub fn heal(&self) -> Result<PlanOutcome, WorkspaceError> {
        self.change("session start", Credit::Nobody, &|_| Ok(Change::default()))
    }

    /// Syncs the state of a plan and backs it up.
    pub fn back_up(&self, reason: Reason) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan backup", Credit::Author, &|_| {
            Ok(Change {
                events: vec![Event::new(EventName::BackupCreated).with("reason", reason.as_str())],
                backup: Some(reason),
                recording: Recording::Always,
                ..Change::default()
            })
        })
    }

    /// Ticks or unticks tasks or criteria.
    pub fn tick(
        &self,
        kind: ItemKind,
        items: &[String],
        to: Tick,
    ) -> Result<PlanOutcome, WorkspaceError> {
        let doing = match to {
            Tick::Done => "plan done",
            Tick::Open => "plan undo",
        };
        self.change(doing, Credit::Nobody, &|present| {
            plan::tick(present, kind, items, to, Claimed::Ignore)
        })
    }

    /// Ticks tasks, unless somebody else is at work on one of them, here or in another worktree.
    pub fn done(&self, tasks: &[String]) -> Result<PlanOutcome, WorkspaceError> {
        let elsewhere = self.elsewhere();
        let claimed = Claimed::Refuse(&elsewhere);
        self.change("plan done", Credit::Nobody, &|present| {
            plan::tick(present, ItemKind::Task, tasks, Tick::Done, claimed)
        })
    }

    /// Closes a plan as complete. Nothing changes if it is complete.
    pub fn complete(&self, unfinished: Unfinished) -> Result<PlanOutcome, WorkspaceError> {
        self.change("complete", Credit::Nobody, &|present| {
            plan::complete(present, self.id, unfinished)
        })
    }

    /// Abandons a plan. A later tick or task takes it up again, and so does choosing it.
    pub fn abandon(&self, reason: &str) -> Result<PlanOutcome, WorkspaceError> {
        self.change("abandon", Credit::Nobody, &|present| {
            plan::abandon(present, self.id, reason)
        })
    }

    /// Takes a closed plan up again. Nothing changes if it is open.
    pub fn reopen(&self) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan use", Credit::Nobody, &|present| {
            Ok(plan::reopen(present))
        })
    }

    /// Adds a task.
    pub fn add(&self, task: &NewTask) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan add", Credit::Nobody, &|present| {
            plan::add_task(present, task)
        })
    }

    /// Changes the text of a task or criterion.
    pub fn edit(&self, id: &str, text: &str) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan edit", Credit::Nobody, &|present| {
            plan::edit_task(present, id, text)
        })
    }

    /// Records a decision.
    pub fn decide(&self, decision: &Decision) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan decide", Credit::Nobody, &|present| {
            plan::decide(present, decision)
        })
    }

    /// Records a blocker.
    pub fn block(&self, text: &str, concern: &Concern) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan block", Credit::Nobody, &|present| {
            plan::block(present, text, concern)
        })
    }

    /// Removes a blocker.
    pub fn unblock(&self, text: &str) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan unblock", Credit::Nobody, &|present| {
            plan::unblock(present, text)
        })
    }

    /// Changes the session notes.
    pub fn note(&self, change: &NoteChange) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan note", Credit::Nobody, &|present| {
            plan::note(present, change)
        })
    }

    /// Claims tasks for the author of this workspace, in all worktrees of the repository.
    pub fn claim(&self, tasks: &[String]) -> Result<PlanOutcome, WorkspaceError> {
        let assigning = self.assigning("plan claim")?;
        let outcome = self.change("plan claim", Credit::Nobody, &|present| {
            plan::claim(present, tasks, &assigning.elsewhere)
        })?;
        Ok(PlanOutcome {
            elsewhere: assigning.elsewhere,
            local_only: assigning.local_only,
            ..outcome
        })
    }

    /// Releases claims.
    pub fn release(&self, tasks: &[String]) -> Result<PlanOutcome, WorkspaceError> {
        let released = self.change("plan release", Credit::Nobody, &|present| {
            plan::release(present, tasks)
        });
        released.map_err(|error| self.naming_holder_elsewhere(error))
    }

    /// Stores the receipt of a gate that is running or has finished.
    pub(super) fn record_gate(
        &self,
        gate: &GateName,
        receipt: &Object,
    ) -> Result<PlanOutcome, WorkspaceError> {
        self.change("gate run", Credit::Nobody, &|present| {
            Ok(plan::set_receipt(present, gate, receipt.clone()))
        })
    }

    /// Adds ids to checkboxes and phase headings that have none.
    pub fn mark(&self) -> Result<PlanOutcome, WorkspaceError> {
        self.change("plan mark", Credit::Nobody, &marks)
    }

    /// What marking would change, by file.
    pub fn preview_marks(&self) -> Result<Vec<Preview>, WorkspaceError> {
        let place = self.place();
        let snapshot = self.snapshot(&place)?;
        let planned = Run::new(*self, &place, &snapshot).plan(&marks)?;
        let state_at = place.files.len() - 1;
        let preview = |write: Write| {
            let before = snapshot.contents[write.file].clone().unwrap_or_default();
            (write.file != state_at && before != write.content).then(|| Preview {
                file: place.files[write.file].name.clone(),
                before,
                after: write.content,
            })
        };
        let writes = planned.proposal.writes.into_iter();
        Ok(writes.filter_map(preview).collect())
    }

    /// Whether there is such a plan, or the state of one.
    pub(super) fn exists(&self) -> bool {
        let place = self.workspace.layout.plan_place(self.id, &[]);
        let mut files = place.files.iter();
        files.any(|file| {
            self.workspace
                .store
                .read_beginning(&file.path, 0)
                .is_ok_and(|found| found.is_some())
        })
    }

    /// What the receipts of a plan prove.
    #[must_use]
    pub fn proofs(&self, view: &PlanView, depth: Depth) -> Vec<GateProof> {
        let key = Key::from(&view.id);
        self.workspace
            .proofs_in(view.state.view(), Some(&key), depth)
    }

    /// The current state of a plan, in full.
    #[must_use]
    pub fn standing<'v>(
        self,
        view: &'v PlanView,
        claims: &'v HashMap<String, Claim>,
    ) -> Standing<'v>
    where
        'w: 'v,
    {
        Standing {
            id: &view.id,
            outline: &view.outline,
            state: view.state.as_object().unwrap_or(&NO_STATE),
            last_checkpoint: view.last_checkpoint.as_deref(),
            unparsable: view.unparsable.as_ref(),
            is_removed: view.is_removed,
            newer: view.newer.as_ref(),
            state_lost: view.rebuilt.is_some(),
            claims,
            by: &self.workspace.options.by,
            session: self.workspace.options.session.as_deref(),
        }
    }

    pub(in crate::workspace) fn place(&self) -> Place {
        self.place_with(std::iter::empty())
    }

    /// The place of the plan, with these phase files whether or not they are there.
    fn place_with(&self, others: impl Iterator<Item = String>) -> Place {
        let layout = &self.workspace.layout;
        let file = layout.plan_directory(self.id).join(PLAN_FILE);
        let beside = self.workspace.store.beside(&file, OsStr::new("phase-"));
        let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
        let mut phases: Vec<String> = beside.iter().filter_map(|path| name(path)).collect();
        phases.retain(|name| phase_number(name).is_some());
        phases.truncate(MOST_PHASE_FILES);
        for other in others {
            if let Err(position) = phases.binary_search(&other) {
                phases.insert(position, other);
            }
        }
        layout.plan_place(self.id, &phases)
    }
}

/// When a file was last changed or moved into place. A copied file may keep an older modification time.
fn changed_at(path: &Path) -> Option<(i64, i64)> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.ctime(), metadata.ctime_nsec()))
    }
    #[cfg(not(unix))]
    {
        let modified = metadata.modified().ok()?;
        let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some((
            since.as_secs().cast_signed(),
            i64::from(since.subsec_nanos()),
        ))
    }
}

/// A file before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Its name.
    pub file: String,
    /// Its current content.
    pub before: Vec<u8>,
    /// Its content after the change.
    pub after: Vec<u8>,
}

pub(super) fn marks(present: &Present<'_>) -> Result<Change, plan::Refusal> {
    let outline = present.outline;
    let phases = outline.phases.iter().map(|phase| phase.id.clone());
    let tasks = outline.tasks().map(|(_, task)| task.id.clone());
    let mut taken: HashSet<String> = phases.chain(tasks).collect();
    let mut edits: Vec<(usize, Edit)> = Vec::new();
    for (position, source) in present.sources.iter().enumerate() {
        let edit = plan::mark(source.text, &mut taken);
        let edit = edit.map_err(|_| plan::Refusal::TooLong {
            name: source.name.to_owned(),
        })?;
        if !edit.is_empty() {
            edits.push((position, edit));
        }
    }
    Ok(Change {
        edits,
        ..Change::default()
    })
}
