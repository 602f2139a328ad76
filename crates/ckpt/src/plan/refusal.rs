//! Why a change of a plan is refused.

use super::scan::ItemKind;
use crate::key::PlanId;
use crate::layout::PLAN_FILE;
use crate::operation;
use crate::time::Timestamp;
use crate::voice::{flat, name, quote, suggested};

/// A plan does not allow a change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A refusal shared by all kinds.
    #[error(transparent)]
    Shared(#[from] operation::Refusal),
    /// Its Markdown is larger than the limit.
    #[error("plan {0} is larger than the limit")]
    TooLarge(PlanId),
    /// There is already a plan with this id.
    #[error("plan {0} already exists")]
    Exists(PlanId),
    /// What a change did was changed again since.
    #[error("{what} was changed since: {}", quote(text))]
    ChangedSince {
        /// The file or the part of the state.
        what: String,
        /// What it said.
        text: String,
    },
    /// A file came or went with a change.
    #[error("{0} was created or removed by that change, which cannot be taken back")]
    CameOrWent(String),
    /// There is no such task or criterion.
    #[error("no {} {id:?} in the plan", match kind { ItemKind::Task => "task", ItemKind::Acceptance => "criterion" })]
    Unknown {
        /// The kind.
        kind: ItemKind,
        /// The id.
        id: String,
    },
    /// There is no such phase.
    #[error("no phase {0:?} in the plan")]
    UnknownPhase(String),
    /// No blocker has this text.
    #[error("no blocker {text:?} in the plan")]
    UnknownBlocker {
        /// The text.
        text: String,
        /// The existing blockers.
        present: Vec<String>,
    },
    /// Several blockers contain this text.
    #[error("{text:?} matches several blockers")]
    AmbiguousBlocker {
        /// The text.
        text: String,
        /// The matching blockers.
        matching: Vec<String>,
    },
    /// Someone else has claimed the task.
    #[error("{task:?} is claimed by {holder} until {until}, or longer while they are active")]
    Claimed {
        /// The task.
        task: String,
        /// The owner of the claim.
        holder: String,
        /// When the claim lapses.
        until: Timestamp,
    },
    /// Someone else has claimed the task and is at work on it.
    #[error("{task:?} is claimed by {holder}, who is at work on it")]
    ClaimedByOther {
        /// The task.
        task: String,
        /// The owner of the claim.
        holder: String,
    },
    /// The task is done, so it cannot be claimed.
    #[error("{0:?} is already done")]
    AlreadyDone(String),
    /// There is no such claim to release.
    #[error("{task:?} is not claimed by {by}")]
    NotClaimed {
        /// The task.
        task: String,
        /// Who wants to release it.
        by: String,
        /// The owner of the claim, if any.
        holder: Option<String>,
    },
    /// There is no such claim to release here, but somebody has claimed the task in another worktree.
    #[error("{task:?} is not claimed by {by} here, but by {holder}")]
    ClaimedElsewhere {
        /// The task.
        task: String,
        /// Who wants to release it.
        by: String,
        /// The owner of the claim, and the worktree.
        holder: String,
    },
    /// The text does not fit on one line of a marker.
    #[error("{0} must be one line of text without \"-->\", and not empty")]
    NotOneLine(&'static str),
    /// A note without text.
    #[error("a note needs text")]
    EmptyNote,
    /// A marker would not be recognised at the place where it belongs.
    #[error("{name} has no place for a marker: it ends in an open code block or comment")]
    NoPlace {
        /// The file.
        name: String,
    },
    /// Something in the plan is open.
    #[error("plan {id} is not done: {}", open_ones(.left))]
    Unfinished {
        /// The plan.
        id: PlanId,
        /// What is open, each with its kind.
        left: Vec<String>,
    },
    /// A file of the plan is too long.
    #[error("{name} is too long: a plan has at most 4 GiB")]
    TooLong {
        /// The file.
        name: String,
    },
    /// The Markdown cannot be parsed, and the state has tasks.
    #[error("{0}; the state of the plan is unchanged")]
    Unparsable(Unparsable),
    /// The plan is on another branch.
    #[error("plan {id} is on branch {branch}, not on the one that is checked out")]
    Dormant {
        /// The plan.
        id: PlanId,
        /// A branch that has it.
        branch: String,
    },
    /// Git left a merge conflict in the Markdown.
    #[error("{name} has a merge conflict on lines {first} to {last}")]
    Conflict {
        /// The file.
        name: String,
        /// The first line of the conflict.
        first: u32,
        /// Its last line.
        last: u32,
    },
    /// There is nothing to restore a state from.
    #[error("there is nothing to recover the plan from: {0}")]
    NoSource(&'static str),
}

impl Refusal {
    /// The message, with the plan that it is about.
    #[must_use]
    pub fn in_plan(&self, id: &PlanId) -> String {
        let message = self.to_string();
        match self {
            Self::Unknown { .. } | Self::UnknownPhase(_) | Self::UnknownBlocker { .. } => {
                let place = "in the plan";
                let named = message
                    .strip_suffix(place)
                    .map(|start| format!("{start}in plan {id}"));
                named.unwrap_or(message)
            }
            Self::AmbiguousBlocker { .. }
            | Self::Claimed { .. }
            | Self::ClaimedByOther { .. }
            | Self::AlreadyDone(_)
            | Self::NotClaimed { .. }
            | Self::ClaimedElsewhere { .. }
            | Self::NoPlace { .. }
            | Self::Conflict { .. } => format!("{message} (plan {id})"),
            _ => message,
        }
    }
}

/// The first few things that are open, and how many more there are.
fn open_ones(left: &[String]) -> String {
    const MOST: usize = 5;
    let first: Vec<String> = left
        .iter()
        .take(MOST)
        .map(|one| flat(one).into_owned())
        .collect();
    let (verb, more) = match left.len().saturating_sub(MOST) {
        0 if left.len() == 1 => ("is", String::new()),
        0 => ("are", String::new()),
        more => ("are", format!(" and {more} more")),
    };
    format!("{}{more} {verb} open", first.join(", "))
}

/// Why the Markdown of a plan with a state cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unparsable {
    /// The file does not exist.
    #[error("plan.md is missing")]
    Missing,
    /// The file is empty.
    #[error("plan.md is empty")]
    Empty,
    /// The file cannot be read.
    #[error("plan.md cannot be read")]
    Unreadable,
    /// Nothing in it has an id any more.
    #[error("plan.md no longer has any markers")]
    NoMarkers,
    /// A phase file that plan.md links to does not exist, and its text is known.
    #[error("{} is missing", name(.0))]
    PhaseMissing(String),
    /// The same, of one that is empty.
    #[error("{} is empty", name(.0))]
    PhaseEmpty(String),
}

impl Unparsable {
    /// Whether a text is lost, rather than written over.
    #[must_use]
    pub fn is_loss(&self) -> bool {
        !matches!(self, Self::Unreadable | Self::NoMarkers)
    }

    /// Whether a file is empty, as while an editor saves it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Empty | Self::PhaseEmpty(_))
    }

    /// The file that is concerned.
    #[must_use]
    pub fn file(&self) -> &str {
        match self {
            Self::PhaseMissing(name) | Self::PhaseEmpty(name) => name,
            Self::Missing | Self::Empty | Self::Unreadable | Self::NoMarkers => PLAN_FILE,
        }
    }

    /// How to fix it.
    #[must_use]
    pub fn remedy(&self, id: &PlanId) -> String {
        let word = suggested(id.as_str());
        let directory = suggested(&format!("plans/{id}"));
        match self {
            Self::Missing | Self::Empty => {
                format!("Restore it yourself, or with: ckpt recover {word}")
            }
            Self::PhaseMissing(_) | Self::PhaseEmpty(_) => {
                format!(
                    "Restore it yourself, or with: ckpt recover {word}; or remove the link to it from plan.md"
                )
            }
            Self::Unreadable => format!("Make {directory}/plan.md readable"),
            Self::NoMarkers => {
                format!(
                    "Put the markers back; or move {directory}/plan.md away, and restore it with: ckpt recover {word}"
                )
            }
        }
    }
}
