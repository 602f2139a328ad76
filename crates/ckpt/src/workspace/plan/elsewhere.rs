//! The same plan in other worktrees, and the lock under which tasks are assigned in all of them.
//!
//! The lock lies beside the key, which all worktrees share. It is taken before the lock of the plan, never after it.
//! Whoever holds it reads the plan in every other worktree, so no two agents can be given the same task. In a repository
//! with one worktree there is no such lock.

use std::io;
use std::path::PathBuf;

use super::super::WorkspaceError;
use super::super::error::Purpose;
use super::PlanCheckpoint;
use super::known::Known;
use crate::disk::lock::Lock;
use crate::document::Object;
use crate::history::Event;
use crate::layout::CLAIMS_LOCK;
use crate::plan::{self, Elsewhere, Outline, Refusal, Scope, There};
use crate::repository::Worktree;
use crate::voice::path_name;

/// Why a claim holds in this worktree alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocalOnly {
    /// The git directory cannot be written.
    #[error("{} cannot be written", path_name(.0))]
    Unwritable(PathBuf),
    /// The git directory has no lock that works.
    #[error("{} cannot be locked: {reason}", path_name(path))]
    Unlockable {
        /// The git directory.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Another worktree, or its plan, cannot be read.
    #[error("the plan in {} cannot be read", path_name(.0))]
    Unreadable(PathBuf),
    /// The other worktrees cannot be found.
    #[error("the other worktrees cannot be found")]
    Unlisted,
}

/// The right to assign tasks of a plan, until it is dropped, and what other worktrees say about them.
#[derive(Debug, Default)]
pub(super) struct Assigning {
    pub(super) elsewhere: Elsewhere,
    pub(super) local_only: Option<LocalOnly>,
    _lock: Option<Lock>,
}

impl PlanCheckpoint<'_> {
    /// Waits until nobody else in the repository assigns tasks.
    pub(super) fn assigning(&self, doing: &str) -> Result<Assigning, WorkspaceError> {
        if self.is_only_one() {
            return Ok(Assigning::default());
        }
        let locked = self.workspace.store.lock_in_vault(CLAIMS_LOCK, doing);
        let locked = locked.map_err(|error| Purpose::Save.failed(error))?;
        // One may have been added while we waited.
        let (there, unread) = self.read_elsewhere();
        let (lock, unlocked) = match locked {
            Ok(lock) => (Some(lock), None),
            Err(error) => (None, Some(self.unlocked(&error))),
        };
        let local_only = unlocked.or(unread);
        let scope = match local_only {
            None => Scope::Repository,
            Some(_) => Scope::Local,
        };
        Ok(Assigning {
            elsewhere: Elsewhere::new(there, scope),
            local_only,
            _lock: lock,
        })
    }

    /// What the other worktrees say about this plan. Takes no lock; a worktree that cannot be read is left out.
    #[must_use]
    pub fn elsewhere(&self) -> Elsewhere {
        Elsewhere::new(self.read_elsewhere().0, Scope::default())
    }

    /// The refusal to release a claim, with whoever has claimed the task in another worktree.
    pub(super) fn naming_holder_elsewhere(&self, error: WorkspaceError) -> WorkspaceError {
        let WorkspaceError::Plan(Refusal::NotClaimed {
            task,
            by,
            holder: None,
        }) = &error
        else {
            return error;
        };
        match self.elsewhere().claim_on(task) {
            None => error,
            Some(claim) => WorkspaceError::Plan(Refusal::ClaimedElsewhere {
                task: task.clone(),
                by: by.clone(),
                holder: claim.holder(),
            }),
        }
    }

    /// The claims that hold again after a change, where somebody in another worktree may have taken them over meanwhile: each
    /// task, and the name of its agent in the state.
    pub(super) fn returned(
        &self,
        known: &Known,
        state: &Object,
        outline: &Outline,
        events: &[Event],
    ) -> Vec<(String, String)> {
        let now = self.workspace.now();
        let returned =
            |gone: &[String]| plan::returned(known.holding(), (state, outline), now, gone, events);
        match returned(&[]).is_empty() || self.is_only_one() {
            true => Vec::new(),
            false => returned(&self.gone_sessions(state)),
        }
    }

    /// Whether the repository has one worktree.
    fn is_only_one(&self) -> bool {
        let others = self.workspace.other_worktrees();
        let is_alone = others.is_ok_and(|others| others.is_empty());
        is_alone && self.workspace.repository().knows_all_worktrees()
    }

    fn read_elsewhere(&self) -> (Vec<There>, Option<LocalOnly>) {
        let Ok(others) = self.workspace.other_worktrees() else {
            return (Vec::new(), Some(LocalOnly::Unlisted));
        };
        let mut found = Vec::new();
        let knows_all = self.workspace.repository().knows_all_worktrees();
        let mut unread = (!knows_all).then_some(LocalOnly::Unlisted);
        for worktree in &others {
            match self.read_in(worktree) {
                Ok(there) => found.extend(there),
                Err(error) => unread = Some(error),
            }
        }
        (found, unread)
    }

    /// This plan in another worktree; `None` if it has no such plan.
    fn read_in(&self, worktree: &Worktree) -> Result<Option<There>, LocalOnly> {
        let unreadable = |name: &str| LocalOnly::Unreadable(PathBuf::from(name));
        let neighbour = self.workspace.neighbour(worktree);
        let neighbour = neighbour.map_err(|_| unreadable(&self.workspace.name_of(worktree)))?;
        let view = match neighbour.workspace.plan(self.id).recorded() {
            Ok(view) => view,
            Err(error) if error.is_not_found() => return Ok(None),
            Err(_) => return Err(unreadable(&neighbour.name)),
        };
        let empty = Object::new();
        // Where the state was archived or lost, the plan holds no claims.
        let workspace = &neighbour.workspace;
        let has_state = workspace.store.is_there(&workspace.path(&self.id.into()));
        let state = view.state.as_object().filter(|_| has_state);
        let state = state.unwrap_or(&empty);
        Ok(Some(There::read(
            (
                &neighbour.name,
                neighbour.workspace.head().branch.as_deref(),
            ),
            (&view.outline, state),
            self.workspace.now(),
            &view.gone_sessions,
        )))
    }

    fn unlocked(&self, error: &io::Error) -> LocalOnly {
        let repository = self.workspace.repository();
        let path = repository.common_dir().unwrap_or(repository.root());
        let path = path.strip_prefix(repository.root()).unwrap_or(path);
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                LocalOnly::Unwritable(path)
            }
            _ => LocalOnly::Unlockable {
                path,
                reason: error.to_string(),
            },
        }
    }
}
