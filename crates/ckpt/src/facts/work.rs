//! A checkpoint of any kind, described in the same words.

use std::collections::HashSet;

use super::Hazard;
use crate::gate::Proof;
use crate::key::Key;
use crate::standing::{Lifecycle, Newer, Progress};
use crate::voice::name;

/// A gate that failed counts as steady once it has passed this often in a row on the same content.
pub const STEADY: usize = 3;

/// How many items that are done, and how many that are to be done, are listed.
pub(super) const MOST_LISTED: usize = 2_000;

/// What the progress of a checkpoint counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// The phases of a command.
    Phases,
    /// The tasks of a plan.
    Tasks,
    /// The workstreams of a pipeline.
    Workstreams,
}

impl Unit {
    /// One of them, in a word.
    #[must_use]
    pub fn one(self) -> &'static str {
        match self {
            Self::Phases => "phase",
            Self::Tasks => "task",
            Self::Workstreams => "workstream",
        }
    }
}

/// What a kind says about a checkpoint.
#[derive(Debug, Clone)]
pub struct Work {
    /// Its key.
    pub key: Key,
    /// Its title.
    pub title: Option<String>,
    /// What its progress counts.
    pub unit: Unit,
    /// Whether it is in flight, complete or abandoned.
    pub lifecycle: Lifecycle,
    /// How far along it is.
    pub progress: Progress,
    /// Its phases, tasks or workstreams, in order.
    pub items: Vec<Item>,
    /// How many more items there are, done or open.
    pub unlisted: usize,
    /// What was decided, oldest first.
    pub decided: Vec<Remark>,
    /// What was noted, oldest first.
    pub noted: Vec<Remark>,
    /// What stands in the way.
    pub blockers: Vec<Blocker>,
    /// What sub-agents said at their end, the newest last.
    pub reports: Vec<Report>,
    /// Its gates.
    pub gates: Vec<GateFact>,
    /// What is wrong with it, besides its items and gates.
    pub troubles: Vec<Trouble>,
    /// The files it names.
    pub files: Vec<String>,
    /// The command that closes it, once everything is done.
    pub closing: Option<String>,
    /// Why it was abandoned.
    pub abandoned: Option<String>,
    /// What must happen before anything can start, and the command for it.
    pub held_up: Option<HeldUp>,
}

impl Work {
    /// The item with this id.
    #[must_use]
    pub fn item(&self, id: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.id == id)
    }

    /// The items that are not done, skipped or deferred.
    pub fn open(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.state.is_open())
    }

    /// The items that open ones wait for.
    pub(super) fn waited_for(&self) -> HashSet<&str> {
        let needs = self.open().flat_map(|item| &item.needs);
        needs.map(String::as_str).collect()
    }
}

/// A hazard that only this kind has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Which hazard.
    pub hazard: super::Hazard,
    /// What it is about.
    pub ids: Vec<String>,
    /// In a sentence.
    pub text: String,
    /// The command that shows more or ends it.
    pub command: Option<String>,
}

/// What holds up the whole checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldUp {
    /// What to do about it, in a sentence without its full stop.
    pub action: String,
    /// What to know for it, a line each.
    pub details: Vec<String>,
    /// The command that records it; `None` if it is not for the reader to run.
    pub record: Option<String>,
    /// Why other things cannot be done now.
    pub reason: String,
    /// Whether things that are in progress can go on meanwhile.
    pub lets_running_go_on: bool,
}

impl HeldUp {
    /// Nothing can be recorded in a checkpoint that a newer `ckpt` wrote.
    pub(super) fn until_upgrade(key: &Key) -> Self {
        Self {
            action: format!("Upgrade ckpt: a newer one wrote {}", name(&key.short())),
            details: Vec::new(),
            record: None,
            reason: "nothing can be recorded before ckpt is upgraded".to_owned(),
            lets_running_go_on: false,
        }
    }
}

impl Trouble {
    /// A newer `ckpt` wrote the checkpoint.
    pub(super) fn of_newer(newer: &Newer) -> Self {
        Self {
            hazard: Hazard::NewerFormat,
            ids: Vec::new(),
            text: format!("It was {newer}."),
            command: None,
        }
    }
}

/// A phase, task, criterion or workstream.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its id.
    pub id: String,
    /// What it is, in a word.
    pub what: &'static str,
    /// Its title.
    pub title: Option<String>,
    /// The phase it belongs to.
    pub group: Option<String>,
    /// How it stands.
    pub state: State,
    /// Its current task.
    pub task: Option<String>,
    /// Its summary, whatever its state.
    pub summary: Option<String>,
    /// What went wrong.
    pub error: Option<String>,
    /// Why it was skipped or deferred.
    pub reason: Option<String>,
    /// What shows that it is done.
    pub evidence: Evidence,
    /// Who claims it.
    pub owner: Option<Owner>,
    /// The other worktree in which it is done.
    pub done_in: Option<Elsewhere>,
    /// The items that must be done first.
    pub needs: Vec<String>,
    /// The command that starts it, if it must be started.
    pub start: Option<String>,
    /// The command that records it as done.
    pub record: String,
    /// The files it names.
    pub files: Vec<String>,
}

/// How an item stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Not started.
    Open,
    /// Someone works on it, or did.
    InProgress,
    /// It failed.
    Failed,
    /// It waits for these.
    Waiting(Vec<String>),
    /// Put off.
    Deferred,
    /// Done.
    Done,
    /// Left out on purpose.
    Skipped,
}

impl State {
    /// Whether there is something left to do.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::Done | Self::Skipped | Self::Deferred)
    }
}

/// What shows that an item is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Its box is ticked.
    Ticked,
    /// Someone recorded it.
    Reported,
}

/// Who claims an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The author.
    pub by: String,
    /// The session.
    pub session: Option<String>,
    /// Whether the claim holds, and is not the reader's own.
    pub is_live_other: bool,
    /// The worktree it is made in, if that is another one.
    pub elsewhere: Option<String>,
}

/// Another worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// Its directory.
    pub place: String,
    /// The branch that is checked out there.
    pub branch: Option<String>,
    /// Whether somebody is at work there.
    pub is_busy: bool,
}

/// Something that was decided or noted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remark {
    /// What was said.
    pub text: String,
    /// Why.
    pub reason: Option<String>,
    /// When, as written.
    pub at: Option<String>,
}

/// What a sub-agent said at its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The sub-agent.
    pub agent: String,
    /// The items it worked on.
    pub about: Vec<String>,
    /// What it said.
    pub text: String,
    /// When, as written.
    pub at: String,
    /// Its session.
    pub session: Option<String>,
}

impl Report {
    /// Whether it says that something is not as it should be.
    #[must_use]
    pub fn warns(&self) -> bool {
        super::words::warns(&self.text)
    }
}

/// Something that stands in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// Which hazard it is.
    pub hazard: super::Hazard,
    /// What it is.
    pub text: String,
    /// The items it blocks; empty for all of them.
    pub about: Vec<String>,
    /// What to do about it, if that is not clear from its text.
    pub action: Option<String>,
    /// The command that removes it.
    pub record: Option<String>,
}

impl Blocker {
    /// What it is and what it blocks, as the beginning of a line.
    #[must_use]
    pub(super) fn in_words(&self) -> String {
        let about = super::tell::some(&self.about);
        match (self.hazard, self.about.is_empty()) {
            (super::Hazard::Stopped, true) => "A sub-agent stopped".to_owned(),
            (super::Hazard::Stopped, false) => format!("A sub-agent stopped {about}"),
            (super::Hazard::GateVoid, true) => "The approval is void".to_owned(),
            (super::Hazard::GateVoid, false) => {
                format!("The approval is void, which blocks {about}")
            }
            (super::Hazard::GateBlocked, true) => "The gate blocks shipping".to_owned(),
            (super::Hazard::GateBlocked, false) => format!("The gate blocks {about}"),
            (_, true) => "Blocked".to_owned(),
            (_, false) => format!("Blocked ({about})"),
        }
    }
}

/// What is known about a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateFact {
    /// The gate.
    pub gate: String,
    /// The items it is about; empty for the whole checkpoint.
    pub about: Vec<String>,
    /// What is known.
    pub proof: Proof,
    /// When it ran or was claimed, as written.
    pub at: Option<String>,
    /// Who claimed it.
    pub by: Option<String>,
    /// The last lines of its output.
    pub last_lines: Option<String>,
    /// The command that runs it.
    pub run: Option<String>,
    /// How often it failed on the same content before it passed.
    pub failed_before: usize,
}

impl GateFact {
    /// Whether it has not been shown to pass.
    pub(super) fn is_unproven(&self) -> bool {
        matches!(
            self.proof,
            Proof::Claimed
                | Proof::ClaimedElsewhere
                | Proof::Missing
                | Proof::Failed
                | Proof::Interrupted
        )
    }

    /// Whether it passed on content on which it had failed.
    pub(super) fn is_unsteady(&self) -> bool {
        self.failed_before > 0 && !self.is_unproven()
    }

    /// What is known about it, as the end of a sentence about it.
    pub(super) fn in_words(&self) -> &'static str {
        match self.proof {
            Proof::Proven | Proof::NotChecked if self.failed_before > 0 => {
                "passed, but failed before on the same content"
            }
            Proof::Proven => "ran on this content and passed",
            Proof::NotChecked => "passed, on content that was not compared",
            Proof::Claimed => "is only claimed to have passed",
            Proof::ClaimedElsewhere => "is only claimed, in a file that was not written here",
            Proof::OlderContent => "ran on older content (stale)",
            Proof::Missing => "was never run",
            Proof::Running => "is running",
            Proof::Interrupted => "was interrupted",
            Proof::Tolerated => "failed, but is not required",
            Proof::Failed => "failed",
        }
    }

    /// The names its receipts are kept under.
    pub fn entries(&self) -> impl Iterator<Item = String> {
        let own = self.about.iter();
        let own = own.map(|about| format!("{} ({about})", self.gate));
        std::iter::once(self.gate.clone()).chain(own)
    }

    /// Its name as `lint (WS1)`, or the name alone.
    #[must_use]
    pub fn name(&self) -> String {
        match self.about.is_empty() {
            true => self.gate.clone(),
            false => format!("{} ({})", self.gate, self.about.join(", ")),
        }
    }
}
