//! How far a clone reaches.
//!
//! A clone can have variables set through the settings of an agent. What such a variable names is the user's own only where
//! it leads to no part of the clone: not to another of its work trees, nor to the clone that a submodule came with.

use std::path::{Component, Path, PathBuf};

use super::{Location, ownership, worktrees};

/// The directories whose content a clone decides about.
#[derive(Debug, Clone)]
pub struct Extent {
    trees: Vec<PathBuf>,
}

impl Extent {
    /// The extent of a repository with this root, which is without symbolic links. A home directory that is a repository is
    /// the user's all the same.
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

    /// Whether a path that should be the user's own may be a part of the clone: as it is spelled, or as it leads. A relative
    /// one depends on where it is read, and one that goes up on what it goes through.
    #[must_use]
    pub fn holds(&self, path: &Path) -> bool {
        let goes_up = path.components().any(|part| part == Component::ParentDir);
        let is_inside = |path: &Path| self.trees.iter().any(|tree| path.starts_with(tree));
        !self.trees.is_empty()
            && (path.is_relative() || goes_up || is_inside(path) || is_inside(&resolved(path)))
    }

    /// Where a path of the user's own leads; `None` where it may be a part of the clone. Whoever reads it there finds the
    /// same, wherever it is started.
    pub(super) fn own(&self, path: &Path) -> Option<PathBuf> {
        (!self.holds(path)).then(|| resolved(path))
    }
}

/// The user's home directory. The variable says where that is only where the system does not: a clone can have it set.
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

/// The outermost work tree around a root: a submodule is part of the clone that it came with. One that the home directory lies
/// in is no clone, unless git says that it holds the submodule.
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

/// The path as the file system knows it, as far as it exists.
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
