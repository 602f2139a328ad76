//! Checks that a `.git` leads to a git directory of its own.
//!
//! An unpacked archive can contain a `.git` that leads into another repository of the user; our state, key and hooks
//! would then go there. So the git directory must agree, as far as git makes it record anything.

use std::fs;
use std::path::Path;

use super::config::Settings;
use super::discover::climb;
use super::files::{self, physical};
use super::{Environment, Location, RepositoryError, State, extent};

/// Refuses a `.git` in `directory` that leads to the git directory of another work tree. A work tree elsewhere, named
/// by its settings, is accepted only if the user `asked` for one.
pub(super) fn check(
    location: &Location,
    directory: &Path,
    asked: Option<&Path>,
) -> Result<(), RepositoryError> {
    let dot_git = directory.join(".git");
    let is_directory = fs::symlink_metadata(&dot_git).is_ok_and(|found| found.is_dir());
    let (agrees, leads_to) = match (location.is_linked(), is_directory) {
        (true, true) => (false, &location.common_dir),
        (true, false) => (is_worktree_of(location, &dot_git)?, &location.git_dir),
        // Its settings may name a work tree elsewhere.
        (false, true) => {
            let tree = &location.work_tree;
            (asked.is_some() || tree == directory, tree)
        }
        (false, false) => (is_store_of(location, directory)?, &location.git_dir),
    };
    match agrees {
        true => Ok(()),
        false => Err(RepositoryError::AnotherWorkTree {
            dot_git,
            leads_to: physical(leads_to)?,
        }),
    }
}

/// Refuses a git directory named by a variable if it is content of another repository or of the directory `start`: a
/// clone or an archive can bring one, and set the variable through an agent's settings. The content of a home directory
/// is the user's own.
pub(super) fn check_named(
    git_dir: &Path,
    start: &Path,
    environment: &Environment,
) -> Result<(), RepositoryError> {
    let is_home = extent::home(environment.home.as_deref()).as_deref() == Some(start);
    if git_dir.starts_with(start) && git_dir != start.join(".git") && !is_home {
        return Err(RepositoryError::GitDirectoryIsContent {
            path: git_dir.to_owned(),
            root: start.to_owned(),
        });
    }
    let around = match git_dir.parent() {
        Some(parent) => climb(parent, None, &Environment::default())?,
        None => State::Outside,
    };
    match around {
        State::Inside(around)
            if git_dir.starts_with(&around.work_tree)
                && !git_dir.starts_with(physical(&around.git_dir)?) =>
        {
            Err(RepositoryError::GitDirectoryIsContent {
                path: git_dir.to_owned(),
                root: around.work_tree,
            })
        }
        State::Inside(_) | State::Broken { .. } | State::Outside => Ok(()),
    }
}

/// Whether this is the git directory of a linked worktree that names this `.git`. A worktree moved by hand must be
/// repaired first, because any other directory could claim to be one.
fn is_worktree_of(location: &Location, dot_git: &Path) -> Result<bool, RepositoryError> {
    let git_dir = physical(&location.git_dir)?;
    if git_dir.parent() != Some(&location.common_dir.join("worktrees")) {
        return Ok(false);
    }
    let named = files::read_if_present(&git_dir.join("gitdir"))?;
    let named = named.map(|named| files::path_in(&named, &git_dir));
    Ok(named.is_some_and(|named| physical(&named).ok() == physical(dot_git).ok()))
}

/// Whether a git directory elsewhere is meant for this work tree: a separate git directory, or a submodule's.
fn is_store_of(location: &Location, directory: &Path) -> Result<bool, RepositoryError> {
    let git_dir = physical(&location.git_dir)?;
    let settings = Settings::read(&git_dir, &git_dir);
    match settings.work_tree {
        Some(named) => Ok(physical(&git_dir.join(named)).is_ok_and(|named| named == directory)),
        None => Ok(git_dir.file_name() != Some(".git".as_ref())),
    }
}
