//! Errors of workspace operations.

use std::fmt;

use crate::command;
use crate::key::{Key, KeyError};
use crate::operation;
use crate::pipeline;
use crate::plan;
use crate::repository::RepositoryError;
use crate::store::StoreError;

/// An operation on a workspace failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The repository cannot be read.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// The store failed.
    #[error("Failed to {purpose}")]
    Store {
        /// What was being done.
        purpose: Purpose,
        /// The cause.
        source: StoreError,
    },
    /// The file exists but is not JSON.
    #[error(transparent)]
    Corrupt(StoreError),
    /// A rule shared by all kinds refused the operation.
    #[error(transparent)]
    Refused(#[from] operation::Refusal),
    /// The command checkpoint does not allow the operation.
    #[error(transparent)]
    Command(command::Refusal),
    /// The pipeline does not allow the operation.
    #[error(transparent)]
    Pipeline(pipeline::Refusal),
    /// The plan does not allow the operation.
    #[error(transparent)]
    Plan(plan::Refusal),
    /// The key is invalid or ambiguous.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl WorkspaceError {
    /// Whether the lock is held by another process, so that a retry may succeed.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let Self::Store { source, .. } = self else {
            return false;
        };
        source.is_busy()
    }

    /// Whether only a reading limit was reached: there is more than was read.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        let Self::Store { source, .. } = self else {
            return false;
        };
        matches!(source, StoreError::TooMany { .. })
    }
}

/// What was being done when the store failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Reading.
    Load,
    /// Any change except updating a phase.
    Save,
    /// Updating a phase.
    UpdatePhase,
    /// Moving a checkpoint into the archive, or back.
    Move,
    /// Keeping followers.
    Follow,
}

impl fmt::Display for Purpose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Load => "load checkpoint",
            Self::Save => "save checkpoint",
            Self::UpdatePhase => "update phase",
            Self::Move => "move checkpoint",
            Self::Follow => "keep followers",
        })
    }
}

impl Purpose {
    pub(super) fn failed(self, source: impl Into<StoreError>) -> WorkspaceError {
        match source.into() {
            corrupt @ StoreError::Corrupt { .. } => WorkspaceError::Corrupt(corrupt),
            source => WorkspaceError::Store {
                purpose: self,
                source,
            },
        }
    }
}

impl WorkspaceError {
    /// There is no such checkpoint.
    #[must_use]
    pub fn not_found(key: Key) -> Self {
        Self::Refused(operation::Refusal::Missing(key))
    }

    /// Whether the plan's Markdown cannot be parsed at the moment.
    #[must_use]
    pub fn is_unparsable(&self) -> bool {
        matches!(
            self,
            Self::Plan(plan::Refusal::Unparsable(_) | plan::Refusal::Dormant { .. })
        )
    }

    /// Whether another program saved a file at the same time.
    pub(super) fn is_contested(&self) -> bool {
        let Self::Store { source, .. } = self else {
            return false;
        };
        matches!(source, StoreError::Contested { .. })
    }

    /// Whether there is no such checkpoint.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused(operation::Refusal::Missing(_)))
    }
}

impl From<command::Refusal> for WorkspaceError {
    fn from(refusal: command::Refusal) -> Self {
        match refusal {
            command::Refusal::Shared(refusal) => Self::Refused(refusal),
            own => Self::Command(own),
        }
    }
}

impl From<pipeline::Refusal> for WorkspaceError {
    fn from(refusal: pipeline::Refusal) -> Self {
        match refusal {
            pipeline::Refusal::Shared(refusal) => Self::Refused(refusal),
            own => Self::Pipeline(own),
        }
    }
}

impl From<plan::Refusal> for WorkspaceError {
    fn from(refusal: plan::Refusal) -> Self {
        match refusal {
            plan::Refusal::Shared(refusal) => Self::Refused(refusal),
            own => Self::Plan(own),
        }
    }
}
