//! Which directories a clone controls.
//!
//! A clone can set variables through an agent's settings. A path named by such a variable is the user's own only if it
//! leads to no part of the clone, including its other work trees and, for a submodule, the clone that contains it.

use std::path::{Component, Path, PathBuf};

use super::{Location, ownership, worktrees};

/// The directories whose content a clone controls.
#[derive(Debug, Clone)]
pub struct Extent {
    trees: Vec<PathBuf>,
}

impl Extent {
    /// The extent of a repository with this root, given without symbolic links. A home directory that is itself a
    /// repository still belongs to the user.
    pub(super) fn of(root: &Path, location: Option<&Location>, home: Option<&Path>) -> Self {
        if home == Some(root) {
            return Self { trees: Vec::new() };
        }
        let mut trees = vec![root.to_owned()];
        if let Some(location) = location {
            let listed = worktrees::list(location).unwrap_or_default();
            trees.extend(listed.into_iter().map(|tree| tree.root));
            trees.push(location.work_tree.clone());
            trees.push(location.common_dir.clone());
        }
        let git_dir = location.map(|location| location.git_dir.as_path());
        trees.extend(outermost(root, git_dir, home).map(Path::to_owned));
        Self { trees }
    }

    /// Whether a path that should be the user's own may be part of the clone, as written or with links resolved.
    /// Relative paths and paths with `..` count as part of it, because where they lead depends on the current directory
    /// or on what they pass through.
    #[must_use]
    pub fn holds(&self, path: &Path) -> bool {
        let goes_up = path.components().any(|part| part == Component::ParentDir);
        let is_inside = |path: &Path| self.trees.iter().any(|tree| path.starts_with(tree));
        !self.trees.is_empty()
            && (path.is_relative() || goes_up || is_inside(path) || is_inside(&resolved(path)))
    }

    /// The user's own path with links resolved; `None` if it may be part of the clone. The result means the same from
    /// any directory.
    pub(super) fn own(&self, path: &Path) -> Option<PathBuf> {
        (!self.holds(path)).then(|| resolved(path))
    }
}

/// The user's home directory. The variable is used only if the system does not know it, because a clone can set it.
pub(super) fn home(variable: Option<&Path>) -> Option<PathBuf> {
    let is_plain = |path: &&Path| {
        let goes_up = path.components().any(|part| part == Component::ParentDir);
        path.is_absolute() && !goes_up && !path.starts_with("/proc") && !path.starts_with("/dev")
    };
    let known = ownership::home_of_the_system();
    known
        .or_else(|| variable.filter(is_plain).map(Path::to_owned))
        .map(|home| resolved(&home))
}

/// The outermost work tree around a root: a submodule is part of the clone that contains it. A work tree that contains
/// the home directory is not a clone, unless it holds the submodule's git directory.
fn outermost<'r>(root: &'r Path, git_dir: Option<&Path>, home: Option<&Path>) -> Option<&'r Path> {
    let holds_home = |above: &Path| home.is_some_and(|home| home.starts_with(above));
    let holds_store = |dot_git: &Path| git_dir.is_some_and(|git_dir| git_dir.starts_with(dot_git));
    let around = root.ancestors().skip(1);
    let around = around.take_while(|above| Some(*above) != home);
    let trees = around.filter(|above| {
        let dot_git = above.join(".git");
        std::fs::symlink_metadata(&dot_git).is_ok() && (!holds_home(above) || holds_store(&dot_git))
    });
    trees.last()
}

/// The real path, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let exists = |above: &Path| Some((above.canonicalize().ok()?, above.to_owned()));
    match path.ancestors().find_map(exists) {
        Some((real, above)) => match path.strip_prefix(above) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        },
        None => path,
    }
}

#[cfg(test)]
mod tests;
