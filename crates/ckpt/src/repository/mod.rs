//! The git side of a work tree: its root, HEAD, sibling worktrees, and what moved since a commit.
//!
//! Everything an agent's hook needs ([`Repository::discover`], [`Repository::head`], [`Repository::worktrees`]) is read
//! from git's own files with a handful of system calls. Git is spawned only where its files cannot be read by hand
//! (reftable), and for the two questions that only git can answer: [`Repository::drift`] and
//! [`Repository::content_digest`]. Neither of them changes the index, the objects or the refs.
//!
//! Nothing here reads the process environment: the surface hands over what it says as an [`Environment`].

mod commit;
mod config;
mod digest;
mod discover;
mod drift;
mod error;
mod evidence;
mod files;
mod git;
mod head;
mod index;
mod scratch;
mod tree;
mod worktrees;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use self::commit::CommitId;
pub use self::digest::ContentDigest;
pub use self::drift::Drift;
pub use self::error::RepositoryError;
pub use self::evidence::Evidence;
pub use self::head::Head;
pub use self::worktrees::Worktree;

/// What the process environment says about git; read by the surface, never by the library.
///
/// Relative paths are taken from the directory that discovery starts in. Empty paths count as unset.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `GIT_ROOT`: the root to use, whatever git says.
    pub git_root: Option<PathBuf>,
    /// `GIT_DIR`: the git directory to use instead of looking for one.
    pub git_dir: Option<PathBuf>,
    /// `GIT_WORK_TREE`: the work tree to use instead of the git directory's own.
    pub git_work_tree: Option<PathBuf>,
    /// `GIT_CEILING_DIRECTORIES`: directories the search does not climb into. As in git, entries after an empty one are
    /// compared as they are spelled, without resolving symbolic links.
    pub ceiling_directories: Vec<PathBuf>,
}

/// A directory that holds workflow state, and the git work tree around it if there is one.
#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
    state: State,
}

/// How the root relates to git.
#[derive(Debug, Clone)]
enum State {
    /// No work tree of git holds the root.
    Outside,
    /// The root has a `.git` that leads nowhere, for example a worktree whose main repository was moved.
    Broken {
        path: PathBuf,
    },
    Inside(Location),
}

/// Where git keeps what belongs to one work tree.
#[derive(Debug, Clone)]
struct Location {
    /// This work tree's own git directory: HEAD and index lie here.
    git_dir: PathBuf,
    /// What all worktrees of the repository share: refs, objects, config.
    common_dir: PathBuf,
    /// The top of the work tree, symbolic links resolved.
    work_tree: PathBuf,
    /// The root below the top; empty unless `GIT_ROOT` names a directory inside the work tree.
    prefix: PathBuf,
    /// How many bytes an object id has: 20, or 32 with `extensions.objectFormat = sha256`.
    id_bytes: usize,
}

impl Repository {
    /// Finds the root that `start` belongs to.
    ///
    /// In this order: `GIT_ROOT` is the root, and git is looked for from there upward; `GIT_DIR` and `GIT_WORK_TREE`
    /// mean what they mean to git; else the nearest directory at or above `start` with a `.git`, up to the ceilings;
    /// else `start` itself, outside git. A bare repository has no work tree, so it counts as outside.
    ///
    /// A `.git` that leads nowhere still marks the root, because the state that lies there must stay reachable:
    /// see [`Repository::broken_git`].
    ///
    /// # Errors
    ///
    /// When `start` does not exist, or `GIT_DIR` or `GIT_WORK_TREE` name something that cannot be used.
    pub fn discover(start: &Path, environment: &Environment) -> Result<Self, RepositoryError> {
        discover::discover(start, environment)
    }

    /// The root, as an absolute path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the root lies in a git work tree that can be read.
    pub fn is_git(&self) -> bool {
        matches!(self.state, State::Inside(_))
    }

    /// The work tree's own git directory.
    pub fn git_dir(&self) -> Option<&Path> {
        self.location().map(|location| location.git_dir.as_path())
    }

    /// The git directory that all worktrees of this repository share.
    pub fn common_dir(&self) -> Option<&Path> {
        self.location()
            .map(|location| location.common_dir.as_path())
    }

    /// The `.git` of the root when it leads nowhere, so that a diagnosis can name it. HEAD is unknown then.
    pub fn broken_git(&self) -> Option<&Path> {
        match &self.state {
            State::Broken { path } => Some(path),
            State::Outside | State::Inside(_) => None,
        }
    }

    /// The commit and branch that are checked out.
    ///
    /// A branch without commits has no commit; a detached HEAD has no branch; outside git, or where `.git` leads
    /// nowhere, there is neither.
    ///
    /// # Errors
    ///
    /// When HEAD or the ref it names cannot be read or holds something else than git writes there.
    pub fn head(&self) -> Result<Head, RepositoryError> {
        match self.location() {
            Some(location) => head::read(location),
            None => Ok(Head::default()),
        }
    }

    /// The work trees of this repository that exist: the main one first, then the linked ones by path.
    ///
    /// Outside git the root is the only one. The roots are the tops of the work trees, also where `GIT_ROOT` names a
    /// directory below the top.
    ///
    /// # Errors
    ///
    /// When git's list of worktrees cannot be read.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, RepositoryError> {
        match self.location() {
            Some(location) => worktrees::list(location),
            None => Ok(vec![Worktree {
                root: self.root.clone(),
                current: true,
            }]),
        }
    }

    /// What moved between `since` and the work tree: commits, and which of `files` differ. Spawns git.
    ///
    /// `files` are relative to the root, or absolute; those outside the root are ignored. A directory counts as
    /// changed when anything below it is.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise when git is missing or fails.
    pub fn drift(&self, since: &CommitId, files: &[String]) -> Result<Drift, RepositoryError> {
        drift::measure(self, since, files)
    }

    /// The id of the tree that committing everything would record, without the `excluded` paths. Spawns git.
    ///
    /// It covers tracked files as they are on disk and untracked files that are not ignored, so committing exactly
    /// the present content keeps it, and any other change of content, name or mode changes it. `excluded` are files or
    /// directories relative to the root. What git is told not to look at (`assume-unchanged`, `skip-worktree`) counts
    /// as it is in the index, because that is what a commit would record.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise when git is missing or refuses, for example because a file
    /// cannot be read.
    pub fn content_digest(&self, excluded: &[&str]) -> Result<ContentDigest, RepositoryError> {
        digest::compute(self, excluded)
    }

    /// What git's index looks like from outside: its size and when it was written. `None` where there
    /// is none.
    #[must_use]
    pub fn index_stat(&self) -> Option<String> {
        let path = self.location()?.git_dir.join("index");
        let (length, written) = files::stat(&path)?;
        Some(format!("{length}-{written}"))
    }

    fn location(&self) -> Option<&Location> {
        match &self.state {
            State::Inside(location) => Some(location),
            State::Outside | State::Broken { .. } => None,
        }
    }

    /// The location, for operations that have no answer without git.
    fn require_git(&self) -> Result<&Location, RepositoryError> {
        match &self.state {
            State::Inside(location) => git::ensure_trusted(location).map(|()| location),
            State::Broken { path } => Err(RepositoryError::BrokenGit { path: path.clone() }),
            State::Outside => Err(RepositoryError::NotGit {
                root: self.root.clone(),
            }),
        }
    }
}

impl Location {
    /// Whether this is a linked worktree.
    fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }
}
