//! The git side of a work tree: its root, HEAD, other worktrees, and what has changed since a commit.
//!
//! What an agent's hook needs ([`Repository::discover`], [`Repository::head`], [`Repository::worktrees`]) is read from
//! git's files with a handful of system calls. Git is spawned only if its files cannot be read directly (reftable) and
//! for questions that only git can answer, such as [`Repository::drift`] and [`Repository::content_digest`]. Neither of
//! those changes the index, the objects or the refs; only [`Repository::start_branch`] does.
//!
//! Callers pass the environment in as an [`Environment`]. Only the code that starts git reads it directly, because
//! git's processes inherit it.

mod belonging;
mod branches;
mod changes;
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
mod objects;
mod ownership;
mod scratch;
mod tree;
mod unfinished;
mod worktrees;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use self::digest::Detail;
use self::git::Git;
use self::objects::Objects;
use crate::disk::is_no_link;
use crate::hash::ContentHash;
use crate::seal::Vault;

pub use self::branches::Pushed;
pub use self::changes::{CommitNote, ForeignCommits, WorkTree};
pub use self::commit::CommitId;
pub use self::digest::{ContentDigest, ContentListing};
pub use self::drift::Drift;
pub use self::error::RepositoryError;
pub use self::exclusion::Exclusion;
pub use self::extent::Extent;
pub use self::git::{GIT_LIMIT, GitUse, SlowGit};
pub use self::head::Head;
pub use self::launch::{end_running_git, without_settings};
pub use self::unfinished::{Operation, Stash, Unfinished};
pub use self::worktrees::Worktree;

/// Our directory inside the git directory.
const VAULT: &str = "ckpt";

/// The process environment's settings for git, read by the caller, never by the library.
///
/// Relative paths start at the directory where discovery starts. Empty paths count as unset.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `GIT_ROOT`: the root to use, overriding git.
    pub git_root: Option<PathBuf>,
    /// `GIT_DIR`: the git directory to use instead of searching for one.
    pub git_dir: Option<PathBuf>,
    /// `GIT_WORK_TREE`: the work tree to use instead of the git directory's own.
    pub git_work_tree: Option<PathBuf>,
    /// `GIT_CEILING_DIRECTORIES`: directories that the search does not climb into. As in git, entries after an empty
    /// one are compared as written, without resolving symbolic links.
    pub ceiling_directories: Vec<PathBuf>,
    /// The current directory as the system reports it, without symbolic links.
    pub current_directory: Option<PathBuf>,
    /// `HOME`: the home directory.
    pub home: Option<PathBuf>,
    /// `SUDO_UID`: the user who called `sudo`. As in git, that user's files count as root's.
    pub sudo_uid: Option<u32>,
}

/// A directory that holds workflow state, and the git work tree around it if there is one.
#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
    /// The root's real path, as far as it exists.
    real_root: PathBuf,
    state: State,
}

/// Our directory inside a git directory; `None` if it is a symbolic link.
fn place_in(git_dir: &Path) -> Option<PathBuf> {
    Some(git_dir.join(VAULT)).filter(|place| is_no_link(place))
}

/// How the root relates to git.
#[derive(Debug, Clone)]
enum State {
    /// The root is not in a git work tree.
    Outside,
    /// The root has a `.git` that leads nowhere, for example a worktree whose main repository was moved.
    Broken {
        path: PathBuf,
    },
    Inside(Box<Location>),
}

/// Where git stores what belongs to one work tree.
#[derive(Debug, Clone)]
struct Location {
    /// This work tree's own git directory, with HEAD and the index.
    git_dir: PathBuf,
    /// What all worktrees of the repository share: refs, objects, config.
    common_dir: PathBuf,
    /// The top of the work tree, with symbolic links resolved.
    work_tree: PathBuf,
    /// The root relative to the top; empty unless `GIT_ROOT` names a directory inside the work tree.
    prefix: PathBuf,
    /// The length of an object id: 20, or 32 with `extensions.objectFormat = sha256`.
    id_bytes: usize,
    /// The directory where the search found it.
    found_in: Option<PathBuf>,
    /// Whether git must be told where its directory is, because it would not find it from the work tree.
    is_told: bool,
    git_use: GitUse,
    /// The settings that keep git from running the repository's filters, once determined.
    filters: OnceLock<Vec<filters::Setting>>,
    /// The process that reads git's objects.
    objects: Objects,
}

impl Repository {
    /// Finds the root that `start` belongs to.
    ///
    /// In this order: `GIT_ROOT` is the root, and git is searched for from there upward; `GIT_DIR` and `GIT_WORK_TREE`
    /// work as in git; then the nearest directory at or above `start` with a `.git`, up to the ceilings; finally
    /// `start` itself, outside git. Bare repositories are not searched for: they have no work tree, and a clone can
    /// contain files that look like one.
    ///
    /// A `.git` that leads nowhere still marks the root, because the state there must stay reachable: see
    /// [`Repository::broken_git`].
    ///
    /// # Errors
    ///
    /// If `start` does not exist, if `GIT_DIR` or `GIT_WORK_TREE` name something unusable, or if the repository belongs
    /// to another user or another work tree.
    pub fn discover(start: &Path, environment: &Environment) -> Result<Self, RepositoryError> {
        discover::discover(start, environment)
    }

    /// Sets how git is run.
    #[must_use]
    pub fn using(mut self, git_use: GitUse) -> Self {
        if let State::Inside(location) = &mut self.state {
            location.git_use = git_use;
            location.filters = OnceLock::new();
        }
        self
    }

    /// The git filters that do not run because only the repository's settings define them. Spawns git if there may be
    /// any.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise if git is missing or fails.
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

    /// Whether the root is in a readable git work tree.
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

    /// The root's `.git` if it leads nowhere, so that a diagnosis can name it. HEAD is then unknown.
    pub fn broken_git(&self) -> Option<&Path> {
        match &self.state {
            State::Broken { path } => Some(path),
            State::Outside | State::Inside(_) => None,
        }
    }

    /// The commit and branch that are checked out.
    ///
    /// A branch without commits has no commit, and a detached HEAD has no branch. Outside git, or if `.git` leads
    /// nowhere, there is neither.
    ///
    /// # Errors
    ///
    /// If HEAD or the ref it names cannot be read, or holds something that git does not write there.
    pub fn head(&self) -> Result<Head, RepositoryError> {
        match self.location() {
            Some(location) => head::read(location),
            None => Ok(Head::default()),
        }
    }

    /// The existing work trees of this repository: the main one first, then the linked ones by path.
    ///
    /// Outside git the root is the only one. The roots are the tops of the work trees, even if `GIT_ROOT` names a
    /// directory below the top.
    ///
    /// # Errors
    ///
    /// If git's list of worktrees cannot be read.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, RepositoryError> {
        match self.location() {
            Some(location) => worktrees::list(location),
            None => Ok(vec![Worktree {
                root: self.root.clone(),
                current: true,
            }]),
        }
    }

    /// Whether [`Repository::worktrees`] finds all of them. A linked worktree cannot tell where the main one is if git's
    /// directory lies elsewhere.
    #[must_use]
    pub fn knows_all_worktrees(&self) -> bool {
        self.location().is_none_or(worktrees::is_complete)
    }

    /// What changed between `since` and the work tree: commits, and which of `files` differ. Spawns git.
    ///
    /// `files` are absolute or relative to the root; those outside the root are ignored. A directory counts as changed
    /// if anything below it is.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise if git is missing or fails.
    pub fn drift(&self, since: &CommitId, files: &[String]) -> Result<Drift, RepositoryError> {
        drift::measure(self, since, files)
    }

    /// The files that differ from HEAD or that git does not track, without `excluded` paths. Spawns git.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise if git is missing or fails.
    pub fn uncommitted(&self, excluded: &[Exclusion]) -> Result<WorkTree, RepositoryError> {
        changes::uncommitted(self, excluded)
    }

    /// The operation that git was in the middle of.
    #[must_use]
    pub fn unfinished(&self) -> Option<Unfinished> {
        unfinished::unfinished(self.location()?)
    }

    /// The entries of the stash, the newest first.
    #[must_use]
    pub fn stashes(&self) -> Vec<Stash> {
        self.location().map(unfinished::stashes).unwrap_or_default()
    }

    /// The commit that a local branch is at; `None` if there is no such branch.
    #[must_use]
    pub fn branch_tip(&self, name: &str) -> Option<CommitId> {
        head::tip(self.location()?, name)
    }

    /// The commits since `since` that were not made in this work tree, the newest first, at most `most`; `None` if git
    /// does not know `since`. Spawns git.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise if git is missing or fails.
    pub fn foreign_commits(
        &self,
        since: &CommitId,
        most: usize,
    ) -> Result<Option<ForeignCommits>, RepositoryError> {
        changes::foreign_commits(self, since, most)
    }

    /// Whether the last thing that moved HEAD brought commits of others. Reads only git's log of HEAD.
    #[must_use]
    pub fn brought_by_others(&self) -> bool {
        changes::brought_by_others(self)
    }

    /// A branch that has a file which HEAD does not have. Spawns git.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise if git is missing or fails.
    pub fn branch_with(&self, name: &str) -> Result<Option<String>, RepositoryError> {
        changes::branch_with(self, name)
    }

    /// The content of files at a commit, in the given order; `None` for those it does not have. Spawns git.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise if git is missing or fails.
    pub fn contents_at(
        &self,
        commit: &CommitId,
        names: &[String],
    ) -> Result<Vec<Option<Vec<u8>>>, RepositoryError> {
        changes::contents_at(self, commit, names)
    }

    /// The subject of the commit that changed a file from what it is on disk to something else; `None` if it was never
    /// like that, as far back as is looked. The name is relative to the top of the work tree. Spawns git.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise if git is missing or fails.
    pub fn undoes(&self, name: &str) -> Result<Option<String>, RepositoryError> {
        changes::undoes(self, name)
    }

    /// Whether HEAD has the directory of a file but not the file. Excluded files, and those in submodules, do not count.
    /// The name is relative to the root, which must be the top of the work tree. Spawns git.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise if git is missing or fails.
    pub fn is_left_out(&self, name: &str, excluded: &[Exclusion]) -> Result<bool, RepositoryError> {
        changes::is_left_out(self, name, excluded)
    }

    /// The id of the tree that committing everything would record, without `excluded` paths. Spawns git.
    ///
    /// It covers tracked files as they are on disk and untracked files that are not ignored. So committing exactly the
    /// present content keeps it, and any other change of content, name or mode changes it. Files whose changes git is
    /// told to ignore (`assume-unchanged`, `skip-worktree`) count as they are on disk, if they exist.
    ///
    /// # Errors
    ///
    /// [`RepositoryError::NotGit`] outside git; otherwise if git is missing or fails, for example because a file cannot
    /// be read.
    pub fn content_digest(&self, excluded: &[Exclusion]) -> Result<ContentDigest, RepositoryError> {
        digest::compute(self, excluded, Detail::Digest).map(|listing| listing.digest)
    }

    /// The digest, with all files. Spawns git.
    ///
    /// # Errors
    ///
    /// As for [`Repository::content_digest`].
    pub fn content(&self, excluded: &[Exclusion]) -> Result<ContentListing, RepositoryError> {
        digest::compute(self, excluded, Detail::Files)
    }

    /// The digest of a commit: the same as that of a work tree with exactly its content. Spawns git.
    ///
    /// # Errors
    ///
    /// As for [`Repository::content_digest`], and if git does not know the commit.
    pub fn commit_digest(
        &self,
        commit: &CommitId,
        excluded: &[Exclusion],
    ) -> Result<ContentDigest, RepositoryError> {
        digest::of_commit(self, commit, excluded)
    }

    /// The commit that a revision such as `HEAD` or a branch names; `None` if git knows none. Spawns git.
    ///
    /// # Errors
    ///
    /// Outside git, and if git cannot be run.
    pub fn resolve(&self, revision: &str) -> Result<Option<CommitId>, RepositoryError> {
        branches::resolve(self.require_git()?, revision)
    }

    /// How far the branch that is checked out has been pushed, as far as git knows here. Spawns git.
    ///
    /// # Errors
    ///
    /// Outside git, and if git fails.
    pub fn pushed(&self) -> Result<Pushed, RepositoryError> {
        match self.head()?.branch {
            Some(branch) => branches::pushed(self.require_git()?, &branch),
            None => Ok(Pushed::Detached),
        }
    }

    /// Makes a branch at HEAD and checks it out. Spawns git, without its hooks.
    ///
    /// # Errors
    ///
    /// Outside git, and if git refuses.
    pub fn start_branch(&self, branch: &str) -> Result<(), RepositoryError> {
        branches::start(self.require_git()?, branch)
    }

    /// Which directories the clone controls, for a user with this `HOME`.
    #[must_use]
    pub fn extent(&self, home: Option<&Path>) -> Extent {
        let home = extent::home(home);
        Extent::of(&self.real_root, self.location(), home.as_deref())
    }

    /// Where this repository's key is stored, with everything else that must not come with a clone: in the git
    /// directory that its worktrees share or, outside git, in `user_state`, the user's state directory.
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

    /// A directory for what belongs to this work tree and must not come with a clone: in its own git directory or,
    /// outside git, the vault.
    #[must_use]
    pub fn private_directory(&self, user_state: Option<&Path>) -> Option<PathBuf> {
        match self.location() {
            Some(location) => place_in(&location.git_dir),
            None => self.vault(user_state).directory().map(Path::to_owned),
        }
    }

    /// The private directories of all worktrees, whether or not they exist.
    ///
    /// # Errors
    ///
    /// If the worktrees cannot be listed now.
    pub fn private_directories(&self) -> io::Result<Vec<PathBuf>> {
        self.private_directories_of(|_| true)
    }

    /// The same, without worktrees whose directory was removed. Git forgets those only when they are pruned.
    ///
    /// # Errors
    ///
    /// If the worktrees cannot be listed now.
    pub fn private_directories_in_use(&self) -> io::Result<Vec<PathBuf>> {
        self.private_directories_of(|git_dir| !worktrees::is_prunable(git_dir))
    }

    fn private_directories_of(&self, counts: fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
        let Some(location) = self.location() else {
            return Ok(Vec::new());
        };
        let mut all = vec![location.common_dir.clone()];
        match std::fs::read_dir(location.common_dir.join("worktrees")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            linked => {
                for entry in linked? {
                    all.push(entry?.path());
                }
                all[1..].sort_unstable();
            }
        }
        let counted = all.iter().enumerate();
        let counted = counted.filter(|(at, git_dir)| *at == 0 || counts(git_dir));
        Ok(counted
            .filter_map(|(_, git_dir)| place_in(git_dir))
            .collect())
    }

    /// Whether git tracks a file, relative to the root. Spawns git. False if that cannot be determined.
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

    /// The tracked files that match git patterns, relative to the root. Spawns git. Empty if that cannot be determined.
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

    /// The files that a commit does not have, relative to the root. Spawns git. Empty if that cannot be determined.
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

    /// Where `core.hooksPath` leads, if it is set. Spawns git.
    #[must_use]
    pub fn configured_hooks(&self) -> Option<PathBuf> {
        let location = self.require_git().ok()?;
        let mut asked = Git::without_protection(location, "config");
        asked.args(["--type=path", "-z", "--get", "core.hooksPath"]);
        let answer = asked.answer_or_no().ok()??;
        let path = answer.strip_suffix(b"\0").unwrap_or(&answer);
        // As in git: hooks run at the top of the work tree.
        Some(location.work_tree.join(files::path_from_bytes(path)))
    }

    /// Whether git's settings define this merge driver. Spawns git.
    #[must_use]
    pub fn has_merge_driver(&self, name: &str) -> bool {
        let Ok(location) = self.require_git() else {
            return false;
        };
        let mut asked = Git::without_protection(location, "config");
        asked.args(["--get", &format!("merge.{name}.driver")]);
        matches!(asked.answer_or_no(), Ok(Some(_)))
    }

    fn location(&self) -> Option<&Location> {
        match &self.state {
            State::Inside(location) => Some(location),
            State::Outside | State::Broken { .. } => None,
        }
    }

    /// The location, for operations that need git.
    fn require_git(&self) -> Result<&Location, RepositoryError> {
        match &self.state {
            State::Inside(location) => git::ensure_trusted(location).map(|()| &**location),
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
