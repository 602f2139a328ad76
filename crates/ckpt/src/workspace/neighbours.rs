//! The other worktrees of the same repository.

use std::path::{Path, PathBuf};

use super::{Workspace, WorkspaceError};
use crate::key::closest;
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
        let others = self.other_worktrees().unwrap_or_default().into_iter();
        let found = others.filter_map(|worktree| {
            let there = self.neighbour(&worktree).ok()?.workspace;
            let key = there.find_key(typed).ok().filter(|key| there.has(key));
            let in_place = key.and_then(|key| Some((key.fit(typed)?, key.short())));
            let archived = there.find_archived(typed);
            let in_archive = archived.and_then(|one| Some((one.fit(typed)?, one.name())));
            let both = in_place.into_iter().chain(in_archive);
            let (fit, name) = closest(both, |(fit, _)| Some(*fit))?;
            Some((fit, (worktree.root, name)))
        });
        closest(found, |(fit, _)| Some(*fit)).map(|(_, there)| there)
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
