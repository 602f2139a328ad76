//! The git side of a work tree: its root, HEAD, sibling worktrees, and what moved since a commit.
//!
//! Everything an agent's hook needs ([`Repository::discover`], [`Repository::head`], [`Repository::worktrees`]) is read
//! from git's own files with a handful of system calls. Git is spawned only where its files cannot be read by hand
//! (reftable), and for the two questions that only git can answer: [`Repository::drift`] and
//! [`Repository::content_digest`]. Neither of them changes the index, the objects or the refs.
//!
//! The surface hands over what the environment says as an [`Environment`]. Only what starts git, whose processes inherit it, looks at it.

mod belonging;
mod commit;
mod config;
mod digest;
mod discover;
mod drift;
mod error;
mod exclusion;
mod extent;
mod files;
mod filters;
mod git;
mod head;
mod index;
mod launch;
mod ownership;
mod scratch;
mod tree;
mod worktrees;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use self::digest::Untracked;
use self::git::Git;
use crate::disk::is_no_link;
use crate::hash::ContentHash;
use crate::seal::Vault;

pub use self::commit::CommitId;
pub use self::digest::ContentDigest;
pub use self::drift::Drift;
pub use self::error::RepositoryError;
pub use self::exclusion::Exclusion;
pub use self::extent::Extent;
pub use self::git::{GIT_LIMIT, GitUse, SlowGit};
pub use self::head::Head;
pub use self::launch::{end_running_git, without_settings};
pub use self::worktrees::Worktree;

/// Our directory in the git directory.
const VAULT: &str = "ckpt";

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
    /// The current directory as the system spells it: without symbolic links.
    pub current_directory: Option<PathBuf>,
    /// `HOME`: the home directory.
    pub home: Option<PathBuf>,
    /// `SUDO_UID`: who called `sudo`. What is theirs is root's, as in git.
    pub sudo_uid: Option<u32>,
}

/// A directory that holds workflow state, and the git work tree around it if there is one.
#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
    /// Where the root really lies, as far as it exists.
    real_root: PathBuf,
    state: State,
}

/// Where a git directory keeps what is ours; `None` where that is a link to somewhere else.
fn place_in(git_dir: &Path) -> Option<PathBuf> {
    Some(git_dir.join(VAULT)).filter(|place| is_no_link(place))
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
    /// Where the search came upon it.
    found_in: Option<PathBuf>,
    /// Whether git has to be told where its directory is, because it would not find it from the work tree.
    is_told: bool,
    git_use: GitUse,
    /// What keeps git from running the filters of the repository, once they were looked for.
    filters: OnceLock<Vec<filters::Setting>>,
}

impl Repository {
    /// Finds the root that `start` belongs to.
    ///
    /// In this order: `GIT_ROOT` is the root, and git is looked for from there upward; `GIT_DIR` and `GIT_WORK_TREE`
    /// mean what they mean to git; else the nearest directory at or above `start` with a `.git`, up to the ceilings;
    /// else `start` itself, outside git. A bare repository has no work tree, so it is not looked for: a clone can hold files
    /// that look like one.
    ///
    /// A `.git` that leads nowhere still marks the root, because the state that lies there must stay reachable:
    /// see [`Repository::broken_git`].
    ///
    /// # Errors
    ///
    /// When `start` does not exist, or `GIT_DIR` or `GIT_WORK_TREE` name something that cannot be used, or the repository
    /// belongs to another user or another work tree.
    pub fn discover(start: &Path, environment: &Environment) -> Result<Self, RepositoryError> {
        discover::discover(start, environment)
    }

    /// The same repository, with git run like this.
    #[must_use]
    pub fn using(mut self, git_use: GitUse) -> Self {
        if let State::Inside(location) = &mut self.state {
            location.git_use = git_use;
            location.filters = OnceLock::new();
        }
        self
    }

    /// The filters of git that do not run because only the repository's own settings name them. Spawns git where there may
    /// be some.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise when git is missing or fails.
    pub fn filters_left_out(&self) -> Result<Vec<String>, RepositoryError> {
        let location = self.require_git()?;
        let settings = location.filters.get().into_iter().flatten();
        let mut names: Vec<String> = settings.filter_map(filters::Setting::left_out).collect();
        names.dedup();
        Ok(names)
    }

    /// The root, as an absolute path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The root without symbolic links, as far as it exists.
    pub fn real_root(&self) -> &Path {
        &self.real_root
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

    /// The id of the tree that committing everything would record, without what is `excluded`. Spawns git.
    ///
    /// It covers tracked files as they are on disk and untracked files that are not ignored, so committing exactly
    /// the present content keeps it, and any other change of content, name or mode changes it. Files that git is told not
    /// to look at (`assume-unchanged`, `skip-worktree`) count as they are on disk, if they are there.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise when git is missing or refuses, for example because a file
    /// cannot be read.
    pub fn content_digest(&self, excluded: &[Exclusion]) -> Result<ContentDigest, RepositoryError> {
        digest::compute(self, excluded, Untracked::NotWanted).map(|(digest, _)| digest)
    }

    /// The digest, and the files in it that git does not track yet. Spawns git.
    ///
    /// # Errors
    ///
    /// As for [`Repository::content_digest`].
    pub fn content(
        &self,
        excluded: &[Exclusion],
    ) -> Result<(ContentDigest, Vec<String>), RepositoryError> {
        digest::compute(self, excluded, Untracked::Wanted)
    }

    /// The digest of what a commit holds: that of a work tree with exactly its content. Spawns git.
    ///
    /// # Errors
    ///
    /// As for [`Repository::content_digest`], and when git does not know the commit.
    pub fn commit_digest(
        &self,
        commit: &CommitId,
        excluded: &[Exclusion],
    ) -> Result<ContentDigest, RepositoryError> {
        digest::of_commit(self, commit, excluded)
    }

    /// How far the clone reaches, for a user with this `HOME`.
    #[must_use]
    pub fn extent(&self, home: Option<&Path>) -> Extent {
        let home = extent::home(home);
        Extent::of(&self.real_root, self.location(), home.as_deref())
    }

    /// Where the key of this repository is kept, with all that must not come with a clone: in the git directory that its
    /// worktrees share. Outside git it lies in `user_state`, the user's own directory for state.
    #[must_use]
    pub fn vault(&self, user_state: Option<&Path>) -> Vault {
        match (self.location(), user_state) {
            (Some(location), _) => match place_in(&location.common_dir) {
                Some(place) => Vault::at(place),
                None => Vault::nowhere(),
            },
            (None, Some(user_state)) => {
                let name = ContentHash::of(self.root.as_os_str().as_encoded_bytes());
                Vault::at(user_state.join("outside-git").join(name.to_string()))
            }
            (None, None) => Vault::nowhere(),
        }
    }

    /// A directory for what belongs to this work tree and must not come with a clone: in its own git directory. Outside git
    /// it is the vault.
    #[must_use]
    pub fn private_directory(&self, user_state: Option<&Path>) -> Option<PathBuf> {
        match self.location() {
            Some(location) => place_in(&location.git_dir),
            None => self.vault(user_state).directory().map(Path::to_owned),
        }
    }

    /// The directories of that kind of all worktrees, whether they exist or not.
    #[must_use]
    pub fn private_directories(&self) -> Vec<PathBuf> {
        let Some(location) = self.location() else {
            return Vec::new();
        };
        let linked = std::fs::read_dir(location.common_dir.join("worktrees"));
        let linked = linked.into_iter().flatten().flatten();
        let linked = linked.map(|entry| entry.path());
        let all = [location.common_dir.clone()].into_iter().chain(linked);
        all.filter_map(|git_dir| place_in(&git_dir)).collect()
    }

    /// Whether git tracks a file, relative to the root. Spawns git. Where it cannot be told, it does not.
    #[must_use]
    pub fn is_tracked(&self, name: &str) -> bool {
        let Ok(location) = self.require_git() else {
            return false;
        };
        let path = location.prefix.join(name);
        let mut listed = Git::new(location, &[], "ls-files");
        listed
            .env("GIT_LITERAL_PATHSPECS", "1")
            .args(["--error-unmatch", "--"])
            .args([path]);
        listed.succeeds().unwrap_or(false)
    }

    /// The tracked files that patterns of git match, relative to the root. Spawns git. Where it cannot be told, none.
    #[must_use]
    pub fn tracked(&self, patterns: &[&str]) -> Vec<String> {
        let Ok(location) = self.require_git() else {
            return Vec::new();
        };
        let mut listed = Git::new(location, &[], "ls-files");
        listed.args(["-z", "--"]).args(patterns);
        let listed = listed.answer().unwrap_or_default();
        let names = listed.split(|byte| *byte == 0);
        names
            .filter(|name| !name.is_empty())
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect()
    }

    /// Those of the files that a commit does not have, relative to the root. Spawns git. Where it cannot be told, none.
    #[must_use]
    pub fn lacking(&self, commit: &CommitId, files: &[String]) -> Vec<String> {
        let Ok(location) = self.require_git() else {
            return Vec::new();
        };
        if files.is_empty() {
            return Vec::new();
        }
        let mut listed = Git::new(location, &[], "ls-tree");
        listed.args(["-r", "-z", "--name-only", "--full-tree", commit.as_str()]);
        let Ok(listed) = listed.answer() else {
            return Vec::new();
        };
        let known: HashSet<&[u8]> = listed.split(|byte| *byte == 0).collect();
        let mut files = files.to_vec();
        files.retain(|file| {
            let path = files::bytes_from_path(&location.prefix.join(file));
            !known.contains(path.as_slice())
        });
        files
    }

    /// Where `core.hooksPath` leads, where it is set. Spawns git.
    #[must_use]
    pub fn configured_hooks(&self) -> Option<PathBuf> {
        let location = self.require_git().ok()?;
        let mut asked = Git::without_protection(location, "config");
        asked.args(["--type=path", "-z", "--get", "core.hooksPath"]);
        let answer = asked.answer_or_no().ok()??;
        let path = answer.strip_suffix(b"\0").unwrap_or(&answer);
        // As git has it: hooks run at the top of the work tree.
        Some(location.work_tree.join(files::path_from_bytes(path)))
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
