//! The work trees of one repository, read from its `worktrees` directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::config::Settings;
use super::discover::{Found, follow};
use super::files::{self, physical};
use super::{Location, RepositoryError};

/// One work tree of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its top directory.
    pub root: PathBuf,
    /// Whether the repository was found in this one.
    pub current: bool,
}

pub(super) fn list(location: &Location) -> Result<Vec<Worktree>, RepositoryError> {
    let mut linked = linked_roots(&location.common_dir.join("worktrees"))?;
    linked.sort();
    let mut roots: Vec<PathBuf> = main_root(location).into_iter().chain(linked).collect();
    // `GIT_WORK_TREE` may name a directory that is in no list.
    if !roots.contains(&location.work_tree) {
        roots.insert(0, location.work_tree.clone());
    }
    let mark = |root: PathBuf| Worktree {
        current: root == location.work_tree,
        root,
    };
    Ok(roots.into_iter().map(mark).collect())
}

/// Whether [`list`] finds every work tree. With a separate git directory, a linked one cannot tell where the main one is.
pub(super) fn is_complete(location: &Location) -> bool {
    let common_dir = &location.common_dir;
    main_root(location).is_some() || Settings::read(common_dir, common_dir).bare
}

/// The main work tree; `None` if the repository is bare, or if a linked worktree cannot determine it.
fn main_root(location: &Location) -> Option<PathBuf> {
    if !location.is_linked() {
        return Some(location.work_tree.clone());
    }
    let common_dir = &location.common_dir;
    let settings = Settings::read(common_dir, common_dir);
    if let Some(configured) = settings.work_tree {
        return physical(&common_dir.join(configured)).ok();
    }
    let is_beside_files = !settings.bare && common_dir.file_name() == Some(".git".as_ref());
    if is_beside_files {
        common_dir.parent().map(Path::to_path_buf)
    } else {
        None
    }
}

fn linked_roots(directory: &Path) -> Result<Vec<PathBuf>, RepositoryError> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RepositoryError::io("list", directory)(error)),
    };
    let mut roots = Vec::new();
    for entry in entries {
        let entry = entry
            .map_err(RepositoryError::io("list", directory))?
            .path();
        if let Some(bytes) = files::read_if_present(&entry.join("gitdir"))? {
            roots.extend(existing_root(&files::path_in(&bytes, &entry), &entry));
        }
    }
    Ok(roots)
}

/// Whether the directory of a linked worktree was removed, and git may forget it. One on a disk that comes and goes is
/// locked.
pub(super) fn is_prunable(git_dir: &Path) -> bool {
    let is_gone = |path: &Path| {
        let found = fs::symlink_metadata(path);
        found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let Ok(Some(bytes)) = files::read_if_present(&git_dir.join("gitdir")) else {
        return false;
    };
    is_gone(&git_dir.join("locked")) && is_gone(&files::path_in(&bytes, git_dir))
}

/// The directory of a `.git` that exists and leads back. A worktree deleted or moved by hand is only prunable, and one
/// of another repository does not count.
fn existing_root(dot_git: &Path, git_dir: &Path) -> Option<PathBuf> {
    match follow(dot_git) {
        Ok(Found::GitDirectory(found)) if physical(git_dir).is_ok_and(|own| own == found) => {
            physical(dot_git.parent()?).ok()
        }
        Ok(_) | Err(_) => None,
    }
}
