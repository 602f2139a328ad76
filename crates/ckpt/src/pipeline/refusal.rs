//! Why a change of a pipeline is refused.

use super::model::{Bucket, Status};
use super::spec::SpecError;
use crate::operation;

/// What can be done to a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Start workstreams.
    Start,
    /// Complete a workstream.
    Done,
    /// Let a workstream fail.
    Fail,
    /// Take up after a failure.
    Fixed,
    /// Put a workstream off.
    Defer,
    /// Say of a gate that it passed or failed.
    Gate,
    /// Let it continue after a gate.
    Approve,
    /// Finish it.
    Complete,
    /// Take a finished one up again.
    Reopen,
    /// Give it up.
    Abort,
    /// Take interrupted workstreams back.
    Restart,
}

impl Action {
    const ALL: [Self; 11] = [
        Self::Start,
        Self::Done,
        Self::Fail,
        Self::Fixed,
        Self::Defer,
        Self::Gate,
        Self::Approve,
        Self::Complete,
        Self::Reopen,
        Self::Abort,
        Self::Restart,
    ];

    /// How it is typed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Done => "done",
            Self::Fail => "fail",
            Self::Fixed => "fixed",
            Self::Defer => "defer",
            Self::Gate => "gate",
            Self::Approve => "approve",
            Self::Complete => "complete",
            Self::Reopen => "reopen",
            Self::Abort => "abort",
            Self::Restart => "resume --restart",
        }
    }

    /// Whether a pipeline with this status allows it. One with a status that nobody knows allows
    /// what one in progress does.
    #[must_use]
    pub fn is_allowed(self, status: &Status) -> bool {
        match status {
            Status::Initialized => matches!(self, Self::Start | Self::Defer | Self::Abort),
            Status::InProgress | Status::Other(_) => matches!(
                self,
                Self::Start
                    | Self::Done
                    | Self::Fail
                    | Self::Defer
                    | Self::Gate
                    | Self::Complete
                    | Self::Abort
                    | Self::Restart
            ),
            Status::Paused => matches!(
                self,
                Self::Start
                    | Self::Done
                    | Self::Defer
                    | Self::Gate
                    | Self::Approve
                    | Self::Complete
                    | Self::Abort
            ),
            Status::Failed => matches!(self, Self::Done | Self::Fixed | Self::Abort),
            Status::Complete => self == Self::Reopen,
        }
    }

    /// What a pipeline with this status allows, as it is typed.
    #[must_use]
    pub fn allowed(status: &Status) -> Vec<&'static str> {
        let all = Self::ALL.into_iter();
        let allowed = all.filter(|action| action.is_allowed(status));
        allowed.map(Self::as_str).collect()
    }
}

/// A pipeline does not allow a change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// What any kind refuses.
    #[error(transparent)]
    Shared(#[from] operation::Refusal),
    /// Its status does not allow it.
    #[error("{id} is {status}, which does not allow \"{}\"", action.as_str())]
    NotAllowed {
        /// The pipeline.
        id: String,
        /// Its status.
        status: Status,
        /// What was asked for.
        action: Action,
    },
    /// A workstream is nowhere.
    #[error("no workstream {workstream} in {id}")]
    UnknownWorkstream {
        /// The pipeline.
        id: String,
        /// The workstream.
        workstream: String,
    },
    /// A workstream is not where it must be.
    #[error("{workstream} is {found}, not {needed}")]
    Elsewhere {
        /// The workstream.
        workstream: String,
        /// Where it is.
        found: Bucket,
        /// Where it must be.
        needed: Bucket,
    },
    /// A workstream waits for others.
    #[error("{workstream} waits for {}", waits.join(", "))]
    Waits {
        /// The workstream.
        workstream: String,
        /// For which.
        waits: Vec<String>,
    },
    /// The specification has no such gate.
    #[error("no gate {gate} in the specification of {id}")]
    UnknownGate {
        /// The pipeline.
        id: String,
        /// The gate.
        gate: String,
    },
    /// The gate has nothing to run.
    #[error("gate {0} has no command in the specification")]
    NothingToRun(String),
    /// Something is left to do.
    #[error("{id} is not done: {}", left.join(", "))]
    Unfinished {
        /// The pipeline.
        id: String,
        /// What is left.
        left: Vec<String>,
    },
    /// The adversarial review forbids it.
    #[error("the adversarial review of {id} says do_not_ship, with {p0} P0 findings")]
    ReviewBlocks {
        /// The pipeline.
        id: String,
        /// How many of the worst kind.
        p0: u64,
    },
    /// There were two reviews already.
    #[error("{0} was reviewed twice already")]
    NoMoreReviews(String),
    /// The specification does not have it any more.
    #[error("{0} is not in the specification any more")]
    NotSpecified(String),
    /// A failure without a message.
    #[error("a failure needs a message")]
    MessageNeeded,
    /// A member that is ours has another form.
    #[error("\"{0}\" is there and is no object, so nothing can be kept in it")]
    InTheWay(&'static str),
    /// The specification has no id, and its file name gives none.
    #[error("{0} names no pipeline: \"prd\" is missing, and the file's name cannot be an id")]
    Nameless(String),
    /// There is no specification.
    #[error("no specification {0}")]
    NoSpec(String),
    /// The specification cannot be read.
    #[error("{path}: {error}")]
    Spec {
        /// The file.
        path: String,
        /// Why not.
        error: SpecError,
    },
    /// The graph of the specification has errors.
    #[error("{path}: {message}")]
    Graph {
        /// The file and the line.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// The specification is known and cannot be used.
    #[error("the specification of {id} cannot be used: {reason}")]
    SpecUnusable {
        /// The pipeline.
        id: String,
        /// Why not.
        reason: String,
    },
    /// What came with a repository names a specification outside of it.
    #[error("the specification {0} does not lie in this repository")]
    SpecOutside(String),
    /// The specification is larger than any that people write.
    #[error("the specification {0} is larger than 2 MiB")]
    SpecTooLarge(String),
    /// The specifications before it were as much as is read.
    #[error("{0} is not read: with the specifications before it that would be too much")]
    TooManySpecs(String),
    /// The commands of the specification are not to be run before somebody has looked at them.
    #[error("the gates of {id} are not run: {}", not_taken_over(*moved))]
    NotTakenOver {
        /// The pipeline.
        id: String,
        /// Whether it was taken over, and changed since.
        moved: bool,
    },
    /// Nothing says where the specification is.
    #[error("{0} does not say where its specification is")]
    SpecUnknown(String),
}

fn not_taken_over(moved: bool) -> &'static str {
    match moved {
        true => "its specification has changed since it was taken over",
        false => "its specification was not taken over here, it may have come with a clone",
    }
}
