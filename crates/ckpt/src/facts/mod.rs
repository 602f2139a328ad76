//! What is true about the work in a repository, as a list of facts.
//!
//! Each kind describes its checkpoint as a [`Work`]: its items, what was decided and noted about them, and its gates.
//! [`facts_of`] turns that, with what sessions, the history and git say, into [`Fact`]s. Every surface shows these
//! facts, and none decides anything by itself.

mod agents;
mod around;
mod choose;
mod command;
mod hazards;
mod pipeline;
mod plan;
mod tell;
mod words;
mod work;

use crate::key::Key;
use crate::standing::{Lifecycle, Progress};

pub use agents::lost_in;
pub use around::{
    Around, COMMITS, Commit, Gone, Interrupted, LostAgent, PastSession, STASH, Stashed, Uncommitted,
};
pub use command::work_of_command;
pub use pipeline::{PipelineInput, work_of_pipeline};
pub use plan::{PlanInput, blocked_tasks, work_of_plan};
pub use tell::facts_of;
pub use words::{LAST_WORDS, gist, identifiers, last_words, names, sentence, short_id};
pub use work::{
    Blocker, Elsewhere, Evidence, GateFact, HeldUp, Item, Owner, Remark, Report, STEADY, State,
    Trouble, Unit, Work,
};

/// One thing worth knowing about the work.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    /// What it is.
    #[serde(flatten)]
    pub kind: FactKind,
    /// The checkpoint it is about; `None` if it is about the work tree.
    pub key: Option<Key>,
    /// The tasks, phases, workstreams, gates or sessions it is about.
    pub ids: Vec<String>,
    /// Where it was found.
    pub source: Source,
    /// When it happened, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The fact in a sentence or two.
    pub text: String,
    /// The same in fewer words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// What belongs to it, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// The command that records the step, or shows more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Fact {
    /// The kind of hazard, if it is one.
    #[must_use]
    pub fn hazard(&self) -> Option<Hazard> {
        match self.kind {
            FactKind::Hazard { hazard, .. } => Some(hazard),
            _ => None,
        }
    }

    /// What ends it, if it is a hazard.
    #[must_use]
    pub fn ends(&self) -> Option<&'static str> {
        self.hazard().map(Hazard::ends)
    }
}

/// What a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FactKind {
    /// Something to check before going on.
    Hazard {
        /// Which kind of hazard.
        hazard: Hazard,
        /// What ends it.
        ends: &'static str,
    },
    /// The step to take now.
    Next,
    /// Something that looks next and is not.
    NotNow,
    /// Something done.
    Done,
    /// A decision.
    Decided,
    /// A note.
    Noted,
    /// Something to do later.
    Open,
    /// A checkpoint that was here, and can be brought back.
    Missing,
    /// Something outside the checkpoint in focus.
    Elsewhere,
}

/// The kinds of hazard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Hazard {
    /// Git is in the middle of something.
    GitUnfinished,
    /// The work was last done on another branch.
    OtherBranch,
    /// The Markdown of a plan cannot be used: missing, empty, torn or in conflict.
    PlanUnusable,
    /// A newer `ckpt` wrote the checkpoint, so this one does not change it.
    NewerFormat,
    /// A session ended without a goodbye.
    SessionDied,
    /// A sub-agent ended without a report.
    SubAgentDied,
    /// A sub-agent said STOP, BLOCKED or CLARIFY.
    Stopped,
    /// The user said to wait with something.
    UserSaid,
    /// Somebody warned of something, and nobody has answered.
    Warned,
    /// A blocker stands.
    Blocked,
    /// A phase, a workstream or the pipeline failed.
    Failed,
    /// Files are not committed.
    Uncommitted,
    /// A file that is not committed is as it was before an earlier commit.
    OldContent,
    /// Git ignores a file that the checkpoint lists.
    NotInGit,
    /// Something was stashed.
    Stashed,
    /// Others have committed since.
    ForeignCommits,
    /// A name that a summary or note uses is gone from the sources.
    NameGone,
    /// A done task is open again.
    Reopened,
    /// A task or phase is gone.
    Vanished,
    /// A task is done in another worktree, and not merged here.
    DoneElsewhere,
    /// Someone reports a task as done that is not ticked.
    Unticked,
    /// A checkbox has no id.
    NoId,
    /// A checkbox has the id of another.
    RepeatedId,
    /// An approval no longer fits the content.
    GateVoid,
    /// An approval was not compared with the content.
    GateUnchecked,
    /// A gate blocks.
    GateBlocked,
    /// A gate failed.
    GateFailed,
    /// A gate ran on older content.
    GateOlder,
    /// A gate failed and then passed on the same content.
    GateUnsteady,
    /// A gate was never run, although its work is done.
    GateMissing,
    /// A gate is only claimed to have passed.
    GateClaimed,
    /// A gate was overridden.
    GateOverridden,
    /// A gate is running.
    GateRunning,
    /// A pipeline waits for approval.
    Paused,
    /// The specification of a pipeline changed.
    SpecChanged,
    /// A workstream that is in progress has another name by now.
    Renamed,
    /// A deferred workstream holds up others.
    Deferred,
}

impl Hazard {
    /// Whether `ckpt ack` ends it. The others tell about something that is still so, and end when it is not.
    #[must_use]
    pub fn can_be_acknowledged(self) -> bool {
        matches!(
            self,
            Self::SessionDied
                | Self::SubAgentDied
                | Self::Stashed
                | Self::ForeignCommits
                | Self::NameGone
                | Self::Reopened
                | Self::Vanished
                | Self::Unticked
                | Self::Warned
                | Self::NotInGit
                | Self::GateUnsteady
                | Self::Renamed
                | Self::OldContent
                | Self::DoneElsewhere
        )
    }

    /// What ends it.
    #[must_use]
    pub fn ends(self) -> &'static str {
        match self {
            Self::GitUnfinished => "finishing it, or giving it up",
            Self::OtherBranch => "switching to that branch, or a change to the checkpoint here",
            Self::Stashed => "git stash pop or drop, or ckpt ack stash",
            Self::PlanUnusable => "files that can be read",
            Self::NewerFormat => "a ckpt that supports its version",
            Self::SessionDied => "a change to what it was working on, or ckpt ack SESSION",
            Self::SubAgentDied => "a change to its tasks, or ckpt ack ID",
            Self::Stopped => "a later reply, a decision or an unblock that names the task",
            Self::UserSaid => "a change to the checkpoint by a later session",
            Self::Warned => "a change to what it is about by a later session, or ckpt ack ID",
            Self::Blocked => "removing the blocker",
            Self::Failed => "recording it as fixed or complete",
            Self::Uncommitted => "a commit",
            Self::OldContent => {
                "git restore, another change to the file, a commit, or ckpt ack FILE"
            }
            Self::NotInGit => "git add, or ckpt ack FILE",
            Self::ForeignCommits => {
                "the next change to the checkpoint, or ckpt ack commits KEY: those until now count as known, and are not told again"
            }
            Self::NameGone => "the next change to the checkpoint, or ckpt ack NAME",
            Self::Reopened => "a change to the task, or ckpt ack TASK",
            Self::Vanished => "restoring it, a decision that names it, or ckpt ack TASK",
            Self::DoneElsewhere => "merging it, or ckpt ack TASK",
            Self::Unticked => "ticking the task, or ckpt ack TASK",
            Self::NoId => "ckpt plan mark",
            Self::RepeatedId => "giving it an id of its own",
            Self::GateVoid => "a new approval",
            Self::GateUnchecked => "comparing the content",
            Self::GateBlocked => "an approval",
            Self::GateFailed | Self::GateOlder | Self::GateMissing | Self::GateClaimed => {
                "running the gate until it passes"
            }
            Self::GateUnsteady => "three passes in a row, a run on other content, or ckpt ack GATE",
            Self::GateOverridden => "an approval",
            Self::GateRunning => "its end",
            Self::Paused => "an approval",
            Self::SpecChanged => "ckpt pipeline sync",
            Self::Renamed => "recording the workstream as done, or ckpt ack WORKSTREAM",
            Self::Deferred => "starting it, or dropping it from the specification",
        }
    }
}

/// Where a fact was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// In the checkpoint or its Markdown.
    Checkpoint,
    /// In its history.
    History,
    /// In the record or transcript of a session.
    Session,
    /// In git.
    Git,
}

/// A checkpoint among the facts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Headline {
    /// Its key.
    pub key: Key,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What its progress counts.
    pub unit: Unit,
    /// Whether it is in flight, complete or abandoned.
    pub lifecycle: Lifecycle,
    /// How far along it is.
    pub progress: Progress,
}

/// Everything worth knowing about a work tree, with one checkpoint in focus.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facts {
    /// The checkpoint in focus.
    pub focus: Option<Headline>,
    /// The facts, hazards first.
    pub facts: Vec<Fact>,
}

impl Facts {
    /// The facts about one checkpoint.
    #[must_use]
    pub fn about(work: &Work, around: &Around<'_>) -> Self {
        Self {
            focus: Some(Headline {
                key: work.key.clone(),
                title: work.title.clone(),
                unit: work.unit,
                lifecycle: work.lifecycle,
                progress: work.progress,
            }),
            facts: facts_of(work, around),
        }
    }

    /// The facts of one kind.
    pub fn of(&self, is_meant: impl Fn(&FactKind) -> bool) -> impl Iterator<Item = &Fact> {
        self.facts.iter().filter(move |fact| is_meant(&fact.kind))
    }

    /// Whether there is something in flight, here or on another branch, or something to bring back.
    #[must_use]
    pub fn is_worth_telling(&self) -> bool {
        let mut elsewhere = self.of(|kind| *kind == FactKind::Elsewhere);
        self.focus.is_some()
            || elsewhere.any(|fact| fact.command.is_some())
            || self.missing().next().is_some()
    }

    /// The checkpoints that were here, and can be brought back.
    pub fn missing(&self) -> impl Iterator<Item = &Fact> {
        self.of(|kind| *kind == FactKind::Missing)
    }

    /// The step to take now.
    #[must_use]
    pub fn next(&self) -> Option<&Fact> {
        self.of(|kind| *kind == FactKind::Next).next()
    }

    /// The hazards.
    pub fn hazards(&self) -> impl Iterator<Item = &Fact> {
        self.of(|kind| matches!(kind, FactKind::Hazard { .. }))
    }
}
