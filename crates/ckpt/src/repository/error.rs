//! What can go wrong between a directory and its git repository.

use crate::voice::{path_name, quote};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why something about the repository could not be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepositoryError {
    /// A file or directory could not be used.
    #[error("cannot {action} {}", path_name(path))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// What it was tried on.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// `GIT_DIR` names something that is not a git directory.
    #[error(
        "GIT_DIR names {}, which is not a git directory: correct or unset it",
        path_name(path)
    )]
    NotGitDirectory {
        /// What `GIT_DIR` names.
        path: PathBuf,
    },
    /// `GIT_DIR` names something that came with a repository.
    #[error(
        "GIT_DIR names {}, which is content of the repository at {}: correct or unset it",
        path_name(path),
        path_name(root)
    )]
    GitDirectoryIsContent {
        /// What `GIT_DIR` names.
        path: PathBuf,
        /// The repository that it is in.
        root: PathBuf,
    },
    /// The repository, or something in it that would be used, belongs to another user.
    #[error("detected dubious ownership in repository at '{}': {} belongs to another user", root.display(), path.display())]
    DubiousOwnership {
        /// The root.
        root: PathBuf,
        /// What belongs to another user.
        path: PathBuf,
    },
    /// The `.git` that was found leads to what is meant for another work tree.
    #[error(
        "{} leads to {}, which does not belong to it",
        path_name(dot_git),
        path_name(leads_to)
    )]
    AnotherWorkTree {
        /// The `.git` that was found.
        dot_git: PathBuf,
        /// Where it leads.
        leads_to: PathBuf,
    },
    /// Git said more than is read.
    #[error("git {verb} in {} said more than {} MiB", path_name(work_tree), limit >> 20)]
    GitTooLong {
        /// The git command.
        verb: &'static str,
        /// Where it ran.
        work_tree: PathBuf,
        /// How many bytes are read.
        limit: u64,
    },
    /// Git took too long.
    #[error("git {verb} in {} did not end within {}", path_name(work_tree), in_words(*limit))]
    GitTooSlow {
        /// The git command.
        verb: &'static str,
        /// Where it ran.
        work_tree: PathBuf,
        /// How long it had.
        limit: Duration,
    },
    /// The question needs git, and the root lies in no git work tree.
    #[error(
        "{} is not in a git work tree: run `git init` there, or work in a clone",
        path_name(root)
    )]
    NotGit {
        /// The root.
        root: PathBuf,
    },
    /// The question needs git, and the root's `.git` leads nowhere.
    #[error(
        "{} leads to no git repository: run `git worktree repair` in the main work tree, or clone again",
        path_name(path)
    )]
    BrokenGit {
        /// The `.git` that leads nowhere.
        path: PathBuf,
    },
    /// The index is of a kind that is not understood.
    #[error(
        "{} is not an index as git writes it: make it anew with `git read-tree HEAD`",
        path_name(path)
    )]
    UnknownIndex {
        /// The index.
        path: PathBuf,
    },
    /// HEAD or a ref holds something else than an object id or `ref: …`.
    #[error(
        "{} holds neither a commit id nor a ref: look at it with `git fsck`",
        path_name(path)
    )]
    MalformedRef {
        /// The file.
        path: PathBuf,
    },
    /// A symbolic ref names something that is not below `refs/`.
    #[error(
        "{} points to `{name}`, which is not a valid ref name: set it with `git symbolic-ref`",
        path_name(path)
    )]
    UnsafeRef {
        /// The file that holds the name.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// Symbolic refs lead from one to the next without end.
    #[error(
        "{} passes through too many symbolic refs: set it with `git symbolic-ref`",
        path_name(path)
    )]
    RefLoop {
        /// The HEAD file.
        path: PathBuf,
    },
    /// A text is not a full commit id.
    #[error("`{text}` is not a commit id: 40 or 64 lower-case hexadecimal digits are needed")]
    InvalidCommitId {
        /// The text.
        text: String,
    },
    /// There is no `git` to run.
    #[error("git is not installed or not on the PATH: install git to use this")]
    GitMissing,
    /// Git ran and refused.
    #[error(
        "git {verb} failed in {} ({status}): {}",
        path_name(work_tree),
        quote(message)
    )]
    GitFailed {
        /// The git command, such as `write-tree`.
        verb: &'static str,
        /// Where it ran.
        work_tree: PathBuf,
        /// How it ended.
        status: std::process::ExitStatus,
        /// What it said on stderr.
        message: String,
    },
    /// Git succeeded and printed something that it should not.
    #[error("git {verb} answered with `{answer}`, which was not expected: check the git version")]
    UnexpectedAnswer {
        /// The git command.
        verb: &'static str,
        /// What it printed.
        answer: String,
    },
}

impl RepositoryError {
    /// For `map_err`: an I/O error together with what was tried on which path.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}

/// A time that something had.
fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds => format!("{seconds} s"),
    }
}
