//! The other worktrees of the same repository.

use std::path::{Path, PathBuf};

use super::{Workspace, WorkspaceError};
use crate::repository::{Environment, RepositoryError, Worktree};

/// Another worktree.
pub(super) struct Neighbour {
    /// Its directory, relative to this worktree where possible.
    pub(super) name: String,
    pub(super) workspace: Workspace,
}

impl Workspace {
    /// The other worktrees of this repository. Those whose directory is gone are not among them.
    pub(super) fn other_worktrees(&self) -> Result<Vec<Worktree>, RepositoryError> {
        let mut worktrees = self.repository.worktrees()?;
        worktrees.retain(|worktree| !worktree.current);
        Ok(worktrees)
    }

    /// The root of another worktree that has a checkpoint of this name, or had one that was deleted, and its name there.
    #[must_use]
    pub fn find_elsewhere(&self, typed: &str) -> Option<(PathBuf, String)> {
        let others = self.other_worktrees().unwrap_or_default();
        others.into_iter().find_map(|worktree| {
            let there = self.neighbour(&worktree).ok()?.workspace;
            let key = there.find_key(typed).ok();
            let key = key.filter(|key| key.is_called(typed) && there.has(key));
            let name = match key {
                Some(key) => key.short(),
                None => there.find_archived(typed)?.name(),
            };
            Some((worktree.root, name))
        })
    }

    /// Another worktree, opened as this one was.
    pub(super) fn neighbour(&self, worktree: &Worktree) -> Result<Neighbour, WorkspaceError> {
        let options = self.options.clone();
        let workspace = Workspace::open(&worktree.root, &Environment::default(), options)?;
        Ok(Neighbour {
            name: self.name_of(worktree),
            workspace,
        })
    }

    /// Another worktree, as people here would name it.
    pub(super) fn name_of(&self, worktree: &Worktree) -> String {
        beside(self.repository.root(), &worktree.root)
    }
}

/// A directory as seen from another one, if they are neighbours.
fn beside(here: &Path, there: &Path) -> String {
    match (here.parent(), there.parent(), there.file_name()) {
        (Some(one), Some(two), Some(own)) if one == two => {
            format!("../{}", own.to_string_lossy())
        }
        _ => there.display().to_string(),
    }
}
