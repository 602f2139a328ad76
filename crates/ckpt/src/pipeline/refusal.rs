//! Why a change of a pipeline is refused.

use super::model::{Bucket, Objection, Status};
use super::spec::SpecError;
use crate::operation;

/// An operation on a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Start workstreams.
    Start,
    /// Complete a workstream.
    Done,
    /// Mark a workstream as failed.
    Fail,
    /// Resume after a failure.
    Fixed,
    /// Defer a workstream.
    Defer,
    /// Record that a gate passed or failed.
    Gate,
    /// Approve continuing after a gate.
    Approve,
    /// Complete the pipeline.
    Complete,
    /// Reopen a finished pipeline.
    Reopen,
    /// Abort the pipeline.
    Abort,
    /// Reset interrupted workstreams.
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

    /// The word typed on the command line.
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

    /// Whether a pipeline with this status allows the operation. An unknown status allows the same as `in_progress`.
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

    /// The operations allowed by a status, as typed on the command line.
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
    /// A refusal shared by all kinds.
    #[error(transparent)]
    Shared(#[from] operation::Refusal),
    /// The status does not allow the operation.
    #[error("{id} is {status}, which does not allow \"{}\"", action.as_str())]
    NotAllowed {
        /// The pipeline.
        id: String,
        /// Its status.
        status: Status,
        /// The operation.
        action: Action,
    },
    /// The workstream is in no list.
    #[error("no workstream {workstream} in {id}")]
    UnknownWorkstream {
        /// The pipeline.
        id: String,
        /// The workstream.
        workstream: String,
    },
    /// The workstream is in the wrong bucket.
    #[error("{workstream} is {found}, not {needed}")]
    Elsewhere {
        /// The workstream.
        workstream: String,
        /// The bucket it is in.
        found: Bucket,
        /// The bucket it has to be in.
        needed: Bucket,
    },
    /// The workstream waits for others.
    #[error("{workstream} waits for {}", waits.join(", "))]
    Waits {
        /// The pipeline.
        id: String,
        /// The workstream.
        workstream: String,
        /// What it waits for.
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
    /// The gate is for a workstream that was not started.
    #[error("gate {gate} is for {workstream}, which was not started")]
    NotStarted {
        /// The gate.
        gate: String,
        /// The workstream.
        workstream: String,
    },
    /// The workstream does not have this gate.
    #[error("{workstream} has no gate {gate}; {} {}", having.join(", "), if having.len() == 1 { "has" } else { "have" })]
    GateOfOthers {
        /// The gate.
        gate: String,
        /// The workstream that was named.
        workstream: String,
        /// Those that have it.
        having: Vec<String>,
    },
    /// The pipeline was aborted.
    #[error("{0} was aborted")]
    Aborted(String),
    /// It has failed, and an earlier state would hide that.
    #[error("{0} has failed, and going back does not repair it")]
    StillFailed(String),
    /// The gate has no command.
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
    /// Gates are pending, which nobody can pass over.
    #[error("gates of {id} are pending, and no pipeline is completed over its gates: {}", gates.join(", "))]
    GatesPending {
        /// The pipeline.
        id: String,
        /// The gates.
        gates: Vec<String>,
    },
    /// The adversarial review forbids it.
    #[error("the adversarial review of {id} says {objection}")]
    ReviewBlocks {
        /// The pipeline.
        id: String,
        /// What it says.
        objection: Objection,
    },
    /// The adversarial review has to be recorded first.
    #[error("{0} has no adversarial review, and the setting require_review is on")]
    ReviewNeeded(String),
    /// There have already been two reviews.
    #[error("{0} has already been reviewed twice")]
    NoMoreReviews(String),
    /// The workstream is no longer in the specification.
    #[error("{workstream} is no longer in the specification")]
    NotSpecified {
        /// The pipeline.
        id: String,
        /// The workstream.
        workstream: String,
    },
    /// A failure without a message.
    #[error("a failure needs a message")]
    MessageNeeded,
    /// A member that we write has another type.
    #[error("\"{0}\" is not an object, so nothing can be stored in it")]
    InTheWay(&'static str),
    /// The specification has no id, and none can be derived from its file name.
    #[error("{0} has no pipeline id: \"prd\" is missing, and the file name is not a valid id")]
    Nameless(String),
    /// There is no such specification.
    #[error("no specification {0}")]
    NoSpec(String),
    /// The specification cannot be read.
    #[error("{path}: {error}")]
    Spec {
        /// The file.
        path: String,
        /// The error.
        error: SpecError,
    },
    /// The dependency graph of the specification has errors.
    #[error("{path}: {message}")]
    Graph {
        /// The file and the line.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// The specification was found but cannot be used.
    #[error("the specification of {id} cannot be used: {reason}")]
    SpecUnusable {
        /// The pipeline.
        id: String,
        /// The reason.
        reason: String,
    },
    /// The checkpoint names a specification outside the repository, and may have come with a clone.
    #[error("the specification {0} is outside this repository")]
    SpecOutside(String),
    /// The specification is larger than any that people write.
    #[error("the specification {0} is larger than 2 MiB")]
    SpecTooLarge(String),
    /// The reading limit was used up by earlier specifications.
    #[error("{0} was not read: the specifications before it used up the limit")]
    TooManySpecs(String),
    /// The commands of the specification must not run before someone has reviewed them.
    #[error("the gates of {id} are not run: {}", not_accepted(*moved))]
    SpecNotAccepted {
        /// The pipeline.
        id: String,
        /// Whether it was accepted here and has changed since.
        moved: bool,
    },
    /// The checkpoint does not name its specification, and none was found.
    #[error("{0} does not name its specification, and none with this id is in docs or .claude")]
    SpecUnknown(String),
    /// The checkpoint does not name its specification, and several were found.
    #[error("{id} does not name its specification, and several have this id: {}", paths.join(", "))]
    SeveralSpecs {
        /// The pipeline.
        id: String,
        /// The files.
        paths: Vec<String>,
    },
    /// The specification is about another pipeline.
    #[error("{path} is the specification of {other}, not of {id}")]
    OtherSpec {
        /// The file.
        path: String,
        /// The pipeline it is about.
        other: String,
        /// The pipeline it was named for.
        id: String,
    },
}

fn not_accepted(moved: bool) -> &'static str {
    match moved {
        true => "its specification has changed since it was accepted",
        false => "its specification was not accepted here; it may have come with a clone",
    }
}
