//! What surrounds a checkpoint: its sessions, its history and git.

use super::Hazard;
use super::tell::some;
use super::work::{HeldUp, Report, Work};
use crate::time::Timestamp;
use crate::voice::{name, suggested};

/// By this name, the commits of others can be acknowledged.
pub const COMMITS: &str = "commits";

/// By this name, a stash can be acknowledged.
pub const STASH: &str = "stash";

/// What surrounds a checkpoint: its sessions, its history and git.
#[derive(Debug, Default)]
pub struct Around<'a> {
    /// The current time.
    pub now: Option<Timestamp>,
    /// Sessions that died while they worked on it, the latest first.
    pub deaths: Vec<PastSession>,
    /// The session that worked on it last, if it ended as it should.
    pub last: Option<PastSession>,
    /// Sub-agents that died while they worked on it.
    pub lost: Vec<LostAgent>,
    /// Files that are not committed; `None` if git was not asked.
    pub uncommitted: Option<Uncommitted>,
    /// Files that are as they were before an earlier commit, and its subject.
    pub put_back: Vec<(String, String)>,
    /// Files that it lists and that git ignores.
    pub ignored: Vec<String>,
    /// What sub-agents reported before their session was compacted, and what nobody has answered.
    pub forgotten: Vec<Report>,
    /// Items whose warnings somebody has acknowledged.
    pub answered: Vec<String>,
    /// Commits by others since it was saved, the newest first.
    pub commits: Vec<Commit>,
    /// Names that its texts use and that are gone.
    pub gone: Vec<Gone>,
    /// What git was in the middle of.
    pub interrupted: Option<Interrupted>,
    /// The branch on which somebody last worked on it, if its commits are not here.
    pub other_branch: Option<String>,
    /// What was stashed since somebody last worked on it.
    pub stashed: Option<Stashed>,
    /// Why git could not be asked.
    pub not_checked: Option<&'a str>,
}

/// An operation of git that stopped before its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interrupted {
    /// Its name.
    pub operation: &'static str,
    /// The branch it is about.
    pub of: Option<String>,
    /// The files with conflicts.
    pub unmerged: Vec<String>,
    /// The command that goes on with it.
    pub go_on: String,
    /// Whether it has to be finished before other work.
    pub comes_first: bool,
}

impl Interrupted {
    pub(super) fn name(&self) -> String {
        match &self.of {
            Some(of) => format!("{} of {}", self.operation, name(of)),
            None => self.operation.to_owned(),
        }
    }
}

/// Something that was stashed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stashed {
    /// Its name, such as `stash@{0}`.
    pub name: String,
    /// When, as written.
    pub at: String,
    /// What git says about it.
    pub message: String,
}

impl Around<'_> {
    /// The session that the user last asked something.
    pub(super) fn last_asked(&self) -> Option<&PastSession> {
        let mut sessions = self.deaths.iter().chain(&self.last);
        sessions.find(|session| session.asked.is_some())
    }

    /// What has to be done in git before anything else.
    pub(super) fn held_up(&self, work: &Work) -> Option<HeldUp> {
        let interrupted = self.interrupted.as_ref();
        if let Some(interrupted) = interrupted.filter(|one| one.comes_first) {
            let conflicts = match interrupted.unmerged.as_slice() {
                [] => String::new(),
                files => format!(
                    ": resolve the conflicts in {}, and add them with git add",
                    some(files)
                ),
            };
            let within = work
                .held_up
                .as_ref()
                .map(|held| format!("{}.", held.action));
            return Some(HeldUp {
                action: format!("Finish the {} first{conflicts}", interrupted.name()),
                details: within.into_iter().collect(),
                record: Some(interrupted.go_on.clone()),
                reason: format!("the {} is not finished", interrupted.name()),
                lets_running_go_on: false,
            });
        }
        let mut troubles = work.troubles.iter();
        if let Some(stashed) = &self.stashed
            && self.other_branch.is_none()
            && troubles.any(|one| one.hazard == Hazard::Reopened)
        {
            return Some(HeldUp {
                action: "Bring back what was stashed, if it is this work".to_owned(),
                details: Vec::new(),
                record: Some(format!("git stash pop '{}'", stashed.name)),
                reason: "its work may be in the stash".to_owned(),
                lets_running_go_on: false,
            });
        }
        let branch = self.other_branch.as_ref()?;
        Some(HeldUp {
            action: format!(
                "Switch to branch {}: {} was last worked on there, and what is here may be older",
                name(branch),
                name(&work.key.short())
            ),
            details: match &self.stashed {
                Some(stashed) => vec![format!(
                    "Then bring back what was stashed there, if it is this work: git stash pop '{}'",
                    stashed.name
                )],
                None => Vec::new(),
            },
            record: Some(format!("git switch {}", suggested(branch))),
            reason: format!("it was last worked on in branch {}", name(branch)),
            lets_running_go_on: false,
        })
    }
}

/// A session that is over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastSession {
    /// Its id.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// When it was last heard from, as written.
    pub seen_at: Option<String>,
    /// What it was working on, by its claims and its last changes.
    pub ids: Vec<String>,
    /// The last thing it said.
    pub words: Option<String>,
    /// What the user last asked it.
    pub asked: Option<String>,
}

/// A sub-agent that ended without a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostAgent {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// What it was asked.
    pub asked: Option<String>,
    /// What it was working on.
    pub ids: Vec<String>,
    /// The files it wrote.
    pub files: Vec<String>,
    /// The last thing it said.
    pub words: Option<String>,
    /// When its end was noticed, as written.
    pub ended_at: Option<String>,
    /// Its session.
    pub session: Option<String>,
}

/// Files that are not committed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Uncommitted {
    /// Their names.
    pub files: Vec<String>,
    /// Live sessions of others that may be writing them, with what they claim.
    pub others: Vec<String>,
}

/// A commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commit {
    /// Its subject.
    pub subject: String,
    /// Its author.
    pub author: String,
    /// What its message says besides the subject.
    pub body: String,
    /// The files that it touches and that the checkpoint names.
    pub named: Vec<String>,
    /// The subject of a commit of this work that it takes back.
    pub takes_back: Option<String>,
}

/// A name that was in a file when the checkpoint was saved, and no longer is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gone {
    /// The name.
    pub name: String,
    /// The file.
    pub file: String,
    /// The item whose summary uses it; `None` for a note or decision.
    pub used_by: Option<String>,
}
