//! Reading a command checkpoint.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::VERSION;
use super::ownership::unsupported;
use super::refusal::{Refusal, in_words};
use crate::document::{Kind, Tree};
use crate::issue::IssueId;
use crate::standing::{Lifecycle, Newer, Progress};

/// The seven commands and the default phases of a new checkpoint.
const COMMANDS: [(&str, &[&str]); 7] = [
    ("start", &["branch", "issue-creation"]),
    ("design", &["research", "planning", "specs"]),
    ("reconcile", &["analysis", "reconciliation"]),
    ("research", &["discovery", "synthesis"]),
    ("implement", &["implementation", "validation"]),
    ("ship", &["pre-flight", "commit", "push"]),
    ("review", &["analysis", "feedback"]),
];

/// The member that names the issue.
pub(crate) const ISSUE: &str = "issue";

/// The commands that have default phases.
pub fn known_commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _)| *name)
}

/// The default phases of a command; empty for any other command.
#[must_use]
pub fn default_phases(command: &str) -> &'static [&'static str] {
    let known = COMMANDS.iter().find(|(name, _)| *name == command);
    known.map_or(&[], |(_, phases)| phases)
}

/// The status of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PhaseStatus {
    /// Not started yet.
    Pending,
    /// In progress.
    InProgress,
    /// Finished.
    Complete,
    /// Ended with an error.
    Failed,
    /// Skipped on purpose.
    Skipped,
}

impl PhaseStatus {
    /// All statuses, in the order of the schema.
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::InProgress,
        Self::Complete,
        Self::Failed,
        Self::Skipped,
    ];

    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// Parses the written form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// Where to resume, as returned by `getResumePoint`.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResumePoint {
    /// The phase that was in progress.
    pub phase: Option<String>,
    /// The summary of the last completed phase.
    pub summary: Option<String>,
}

/// The status of each recorded phase.
#[derive(Debug)]
pub(crate) struct Statuses<'d>(Vec<(Cow<'d, str>, Option<PhaseStatus>)>);

impl Statuses<'_> {
    /// The names of the phases with this status.
    pub(crate) fn with(&self, status: PhaseStatus) -> Vec<String> {
        let matching = self.0.iter().filter(|(_, known)| *known == Some(status));
        matching.map(|(name, _)| name.to_string()).collect()
    }
}

/// A command checkpoint, read from a document or a plain tree. Members that are missing or of another type read as
/// absent.
#[derive(Debug, Clone, Copy)]
pub struct Checkpoint<T> {
    root: T,
    /// Looked up once, because it is used often.
    state: Option<T>,
    phases: Option<T>,
}

impl<'t, T: Tree<'t>> Checkpoint<T> {
    /// Treats a tree as a command checkpoint.
    #[must_use]
    pub fn new(root: T) -> Self {
        Self {
            root,
            state: root.get("state"),
            phases: root.get("phases"),
        }
    }

    /// Whether a document has the shape of a command checkpoint. Other tools keep their own JSON in the same
    /// directory, and we do not list it.
    #[must_use]
    pub fn is_one(root: T) -> bool {
        let is_object = |name| {
            root.get(name)
                .is_some_and(|node| node.kind() == Kind::Object)
        };
        let named = root
            .get("command")
            .is_some_and(|node| node.kind() == Kind::String);
        match (is_object("state"), is_object("phases")) {
            (true, true) => true,
            (state, phases) => named && (state || phases),
        }
    }

    /// Its version, if a newer `ckpt` wrote it.
    #[must_use]
    pub fn newer(self) -> Option<Newer> {
        let version = self.root.get("version")?;
        Newer::than(VERSION, &version.to_value().to_compact())
    }

    /// Why a document cannot be read as a checkpoint: it has another version. A document without a version is
    /// accepted.
    #[must_use]
    pub fn unsupported_version(self) -> Option<Refusal> {
        let version = self.root.get("version")?;
        let is_other = version.to_value() != VERSION.into();
        is_other.then(|| unsupported(in_words(Some(&version.to_value()))))
    }

    fn text(self, name: &str) -> Option<Cow<'t, str>> {
        self.root.text(name)
    }

    fn list(self, name: &str) -> Vec<Cow<'t, str>> {
        self.state.map_or_else(Vec::new, |state| state.texts(name))
    }

    /// The command.
    #[must_use]
    pub fn command(self) -> Option<Cow<'t, str>> {
        self.text("command")
    }

    /// The feature it works on.
    #[must_use]
    pub fn feature(self) -> Option<Cow<'t, str>> {
        self.text("feature")
    }

    /// The issue that it is about.
    #[must_use]
    pub fn issue(self) -> Option<IssueId> {
        IssueId::parse(&self.text(ISSUE)?).ok()
    }

    /// HEAD at the last save.
    #[must_use]
    pub fn head_commit(self) -> Option<Cow<'t, str>> {
        self.text("head_commit")
    }

    /// When it was last saved, as written.
    #[must_use]
    pub fn updated_at(self) -> Option<Cow<'t, str>> {
        self.text("updated_at")
    }

    /// The current phase.
    #[must_use]
    pub fn current_phase(self) -> Option<Cow<'t, str>> {
        self.state?.text("current_phase")
    }

    /// The current task.
    #[must_use]
    pub fn current_task(self) -> Option<Cow<'t, str>> {
        self.state?.text("current_task")
    }

    /// Completed phases, in order of completion.
    #[must_use]
    pub fn completed_phases(self) -> Vec<Cow<'t, str>> {
        self.list("completed_phases")
    }

    /// Phases not started yet.
    #[must_use]
    pub fn pending_phases(self) -> Vec<Cow<'t, str>> {
        self.list("pending_phases")
    }

    /// The names of all phases: in the order of the start if that is recorded, otherwise completed, current, failed or
    /// skipped, pending, and then any others on record.
    #[must_use]
    pub fn phase_names(self) -> Vec<Cow<'t, str>> {
        let statuses = self.statuses();
        let recorded = statuses.0.iter().map(|(name, _)| name);
        let known: HashSet<&str> = recorded.clone().map(|name| &**name).collect();
        let completed = self.completed_phases();
        let (current, pending) = (self.current_phase(), self.pending_phases());
        let mut listed = completed.iter().chain(&current).chain(&pending);
        let mut all: Vec<Cow<'t, str>> = Vec::new();
        if !listed.all(|name| known.contains(&**name)) {
            all.extend(completed);
            all.extend(current);
            let ended = [Some(PhaseStatus::Failed), Some(PhaseStatus::Skipped)];
            let ended = statuses
                .0
                .iter()
                .filter(|(_, status)| ended.contains(status));
            all.extend(ended.map(|(name, _)| name.clone()));
            all.extend(pending);
        }
        all.extend(recorded.cloned());
        let mut seen = HashSet::new();
        all.retain(|name| seen.insert(name.to_string()));
        all
    }

    /// The phases that are open, and those that failed.
    #[must_use]
    pub fn unfinished(self) -> (Vec<String>, Vec<String>) {
        let completed = self.completed_phases();
        let completed: HashSet<&str> = completed.iter().map(|name| &**name).collect();
        let statuses = self.statuses();
        let recorded: HashMap<&str, Option<PhaseStatus>> = statuses
            .0
            .iter()
            .map(|(name, status)| (&**name, *status))
            .collect();
        let (mut open, mut failed) = (Vec::new(), Vec::new());
        for name in self.phase_names() {
            match recorded.get(&*name).copied().flatten() {
                Some(PhaseStatus::Complete | PhaseStatus::Skipped) => {}
                Some(PhaseStatus::Failed) => failed.push(name.into_owned()),
                None if completed.contains(&*name) => {}
                _ => open.push(name.into_owned()),
            }
        }
        (open, failed)
    }

    /// The record of one phase.
    #[must_use]
    pub fn phase(self, name: &str) -> Option<Phase<T>> {
        Some(Phase(self.phases?.get(name)?))
    }

    /// Every recorded phase.
    #[must_use]
    pub fn phases(self) -> Vec<(Cow<'t, str>, Phase<T>)> {
        let phases = self.phases.map(T::members).unwrap_or_default();
        phases
            .into_iter()
            .map(|(name, node)| (name, Phase(node)))
            .collect()
    }

    /// The names of the phases with this status.
    #[must_use]
    pub fn phases_with(self, status: PhaseStatus) -> Vec<String> {
        self.statuses().with(status)
    }

    /// The status of each recorded phase.
    pub(crate) fn statuses(self) -> Statuses<'t> {
        let phases = self.phases().into_iter();
        Statuses(phases.map(|(name, phase)| (name, phase.status())).collect())
    }

    /// The gate, whatever its shape.
    #[must_use]
    pub fn gate(self) -> Option<T> {
        self.root.get("gate")
    }

    /// Why it was abandoned.
    #[must_use]
    pub fn abandon_reason(self) -> Option<Cow<'t, str>> {
        self.text("abandon_reason")
    }

    /// Whether there is anything left to do.
    #[must_use]
    pub fn lifecycle(self) -> Lifecycle {
        let has = |name| self.text(name).is_some();
        match (has("completed_at"), has("abandoned_at")) {
            (true, _) => Lifecycle::Complete,
            (false, true) => Lifecycle::Abandoned,
            (false, false) => Lifecycle::InFlight,
        }
    }

    /// How many phases are done, and how many there are: those listed and those recorded.
    #[must_use]
    pub fn progress(self) -> Progress {
        self.progress_of(&self.statuses())
    }

    /// The same, if the statuses are already known.
    pub(crate) fn progress_of(self, statuses: &Statuses<'t>) -> Progress {
        let mut done = self.completed_phases();
        let mut open = self.pending_phases();
        open.extend(self.current_phase());
        for (name, status) in &statuses.0 {
            match status {
                Some(PhaseStatus::Complete | PhaseStatus::Skipped) => done.push(name.clone()),
                _ => open.push(name.clone()),
            }
        }
        done.sort_unstable();
        done.dedup();
        open.retain(|name| done.binary_search(name).is_err());
        open.sort_unstable();
        open.dedup();
        Progress {
            done: done.len(),
            total: done.len() + open.len(),
        }
    }

    /// Where to resume; empty once it is complete.
    #[must_use]
    pub fn resume_point(self) -> ResumePoint {
        if self.lifecycle() == Lifecycle::Complete {
            return ResumePoint::default();
        }
        let summary = self.completed_phases().last().and_then(|last| {
            let summary = self.phase(last)?.summary()?;
            Some(summary.into_owned())
        });
        ResumePoint {
            phase: self.current_phase().map(Cow::into_owned),
            summary,
        }
    }

    /// The files that its phases created or modified, without duplicates.
    #[must_use]
    pub fn files(self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for (_, phase) in self.phases() {
            files.extend(phase.files_created().into_iter().map(Cow::into_owned));
            files.extend(phase.files_modified().into_iter().map(Cow::into_owned));
        }
        files.sort_unstable();
        files.dedup();
        files
    }
}

/// The record of one phase.
#[derive(Debug, Clone, Copy)]
pub struct Phase<T>(T);

impl<'t, T: Tree<'t>> Phase<T> {
    fn text(self, name: &str) -> Option<Cow<'t, str>> {
        self.0.text(name)
    }

    /// Its status; `None` if it is not one of the five.
    #[must_use]
    pub fn status(self) -> Option<PhaseStatus> {
        PhaseStatus::parse(&self.text("status")?)
    }

    /// Whether it has any status at all.
    pub(super) fn has_status(self) -> bool {
        self.0.get("status").is_some()
    }

    /// What the next context should know.
    #[must_use]
    pub fn summary(self) -> Option<Cow<'t, str>> {
        self.text("context_summary")
    }

    /// Why it failed.
    #[must_use]
    pub fn error(self) -> Option<Cow<'t, str>> {
        self.text("error")
    }

    /// The files it created.
    #[must_use]
    pub fn files_created(self) -> Vec<Cow<'t, str>> {
        self.0.texts("files_created")
    }

    /// The files it modified.
    #[must_use]
    pub fn files_modified(self) -> Vec<Cow<'t, str>> {
        self.0.texts("files_modified")
    }
}
