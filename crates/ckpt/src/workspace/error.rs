//! What can go wrong in a workspace.

use crate::command::Refusal;
use crate::history::HistoryError;
use crate::key::{Key, KeyError};
use crate::repository::RepositoryError;
use crate::store::{ChangeError, StoreError};

/// An operation on a workspace failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The repository cannot be read.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The rules refused.
    #[error(transparent)]
    Refused(Refusal),
    /// A key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// There is no such checkpoint.
    #[error("no checkpoint {0}")]
    NotFound(Key),
}

impl From<Refusal> for WorkspaceError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Missing(key) => Self::NotFound(key),
            refusal => Self::Refused(refusal),
        }
    }
}

impl From<HistoryError> for WorkspaceError {
    fn from(error: HistoryError) -> Self {
        Self::Store(error.into())
    }
}

impl From<ChangeError<WorkspaceError>> for WorkspaceError {
    fn from(error: ChangeError<WorkspaceError>) -> Self {
        match error {
            ChangeError::Store(error) => Self::Store(error),
            ChangeError::Refused(error) => error,
        }
    }
}
