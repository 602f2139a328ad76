//! Why a plan does not allow a change.

use super::scan::ItemKind;
use crate::key::PlanId;
use crate::operation;
use crate::time::Timestamp;
use crate::voice::suggested;

/// A plan does not allow a change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// What any kind refuses.
    #[error(transparent)]
    Shared(#[from] operation::Refusal),
    /// Its Markdown is larger than what is followed here.
    #[error("plan {0} is larger than a plan that is followed here")]
    TooLarge(PlanId),
    /// There is such a plan already.
    #[error("plan {0} exists already")]
    Exists(PlanId),
    /// There is no such task or criterion.
    #[error("no {} {id:?} in the plan", match kind { ItemKind::Task => "task", ItemKind::Acceptance => "criterion" })]
    Unknown {
        /// What was looked for.
        kind: ItemKind,
        /// Its id.
        id: String,
    },
    /// There is no such phase.
    #[error("no phase {0:?} in the plan")]
    UnknownPhase(String),
    /// No blocker says this.
    #[error("no blocker {text:?} in the plan")]
    UnknownBlocker {
        /// What was looked for.
        text: String,
        /// Those that there are.
        present: Vec<String>,
    },
    /// Several blockers say this.
    #[error("{text:?} is in several blockers")]
    AmbiguousBlocker {
        /// What was looked for.
        text: String,
        /// Those that have it.
        matching: Vec<String>,
    },
    /// Somebody else is at work on a task.
    #[error("{task:?} is claimed by {holder} until {until}, and longer if they are heard of")]
    Claimed {
        /// The task.
        task: String,
        /// Who is.
        holder: String,
        /// When the claim lapses.
        until: Timestamp,
    },
    /// A task is done, so nobody can take it over.
    #[error("{0:?} is done already")]
    AlreadyDone(String),
    /// A claim that is not there cannot be given up.
    #[error("{task:?} is not claimed by {by}")]
    NotClaimed {
        /// The task.
        task: String,
        /// Who wants to give it up.
        by: String,
        /// Who has it.
        holder: Option<String>,
    },
    /// Text that would not stay one line of a marker.
    #[error("{0} is one line of text without \"-->\", and not empty")]
    NotOneLine(&'static str),
    /// A note without text.
    #[error("a note without text says nothing")]
    EmptyNote,
    /// A marker would not be seen where it could be written.
    #[error("{name} has no place for a marker: an open code block or comment swallows it")]
    NoPlace {
        /// The file.
        name: String,
    },
    /// A file of the plan is too long.
    #[error("{name} is too long: a plan has at most 4 GiB")]
    TooLong {
        /// The file.
        name: String,
    },
    /// The Markdown cannot be followed, and the state has tasks.
    #[error("{0}; the state of the plan stands as it was")]
    Unparsable(Unparsable),
    /// There is nothing to bring a state back from.
    #[error("there is nothing to recover the plan from: {0}")]
    NoSource(&'static str),
}

/// Why the Markdown of a plan that has a state cannot be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unparsable {
    /// It is not there.
    #[error("plan.md is gone")]
    Missing,
    /// Nothing is in it.
    #[error("plan.md is empty")]
    Empty,
    /// It cannot be read.
    #[error("plan.md cannot be read")]
    Unreadable,
    /// Nothing in it has an id any more.
    #[error("plan.md has no marker left")]
    NoMarkers,
}

impl Unparsable {
    /// What to do about it.
    #[must_use]
    pub fn remedy(self, id: &PlanId) -> String {
        let word = suggested(id.as_str());
        let directory = suggested(&format!("plans/{id}"));
        match self {
            Self::Missing | Self::Empty => {
                format!("Bring it back yourself, or with: ckpt plan recover --plan {word}")
            }
            Self::Unreadable => format!("Make {directory}/plan.md a file that can be read"),
            Self::NoMarkers => {
                format!("Put the markers back, or begin anew by removing {directory}/.checkpoint")
            }
        }
    }
}
