//! What can go wrong in a workspace.

use std::fmt;

use crate::command::Refusal;
use crate::disk::lock::LockError;
use crate::key::{Key, KeyError};
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
        /// At what.
        purpose: Purpose,
        /// Why.
        source: StoreError,
    },
    /// The file is there but is not JSON.
    #[error(transparent)]
    Corrupt(StoreError),
    /// The rules refused.
    #[error(transparent)]
    Refused(Refusal),
    /// The pipeline does not allow it.
    #[error(transparent)]
    Pipeline(#[from] pipeline::Refusal),
    /// The plan does not allow it.
    #[error(transparent)]
    Plan(#[from] plan::Refusal),
    /// A key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// There is no such checkpoint.
    #[error("no checkpoint {0}")]
    NotFound(Key),
}

impl WorkspaceError {
    /// Whether somebody else holds what is needed, so that it may work later.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let Self::Store { source, .. } = self else {
            return false;
        };
        matches!(source, StoreError::Lock(LockError::Busy { .. }))
    }

    /// Whether there is only more than was looked at.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        let Self::Store { source, .. } = self else {
            return false;
        };
        matches!(source, StoreError::TooMany { .. })
    }
}

/// What was being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Reading.
    Load,
    /// Any change but that of a phase.
    Save,
    /// A change of a phase.
    UpdatePhase,
}

impl fmt::Display for Purpose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Load => "load checkpoint",
            Self::Save => "save checkpoint",
            Self::UpdatePhase => "update phase",
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

impl From<Refusal> for WorkspaceError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Missing(key) => Self::NotFound(key),
            refusal => Self::Refused(refusal),
        }
    }
}
