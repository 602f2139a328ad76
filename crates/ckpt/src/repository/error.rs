//! Errors of finding and reading a git repository.

use crate::voice::{path_name, quote};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why something about the repository could not be determined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepositoryError {
    /// A file or directory could not be used.
    #[error("cannot {action} {}", path_name(path))]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// `GIT_DIR` names something that is not a git directory.
    #[error(
        "GIT_DIR names {}, which is not a git directory: correct or unset it",
        path_name(path)
    )]
    NotGitDirectory {
        /// The path in `GIT_DIR`.
        path: PathBuf,
    },
    /// `GIT_DIR` names something that came with a repository.
    #[error(
        "GIT_DIR names {}, which is part of the content of the repository at {}: correct or unset it",
        path_name(path),
        path_name(root)
    )]
    GitDirectoryIsContent {
        /// The path in `GIT_DIR`.
        path: PathBuf,
        /// The repository that contains it.
        root: PathBuf,
    },
    /// The repository, or something in it that would be used, belongs to another user.
    #[error("detected dubious ownership in repository at '{}': {} belongs to another user", root.display(), path.display())]
    DubiousOwnership {
        /// The root.
        root: PathBuf,
        /// The path that belongs to another user.
        path: PathBuf,
    },
    /// The `.git` leads to a git directory meant for another work tree.
    #[error(
        "{} points to {}, which does not belong to it",
        path_name(dot_git),
        path_name(leads_to)
    )]
    AnotherWorkTree {
        /// The `.git` file or directory.
        dot_git: PathBuf,
        /// Where it leads.
        leads_to: PathBuf,
    },
    /// Git printed more than is read.
    #[error("git {verb} in {} printed more than {} MiB", path_name(work_tree), limit >> 20)]
    GitTooLong {
        /// The git command.
        verb: &'static str,
        /// Where it ran.
        work_tree: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// Git took too long.
    #[error("git {verb} in {} did not finish within {}", path_name(work_tree), in_words(*limit))]
    GitTooSlow {
        /// The git command.
        verb: &'static str,
        /// Where it ran.
        work_tree: PathBuf,
        /// The time limit.
        limit: Duration,
    },
    /// The operation needs git, but the root is not in a git work tree.
    #[error(
        "{} is not in a git work tree: run `git init` there, or work in a clone",
        path_name(root)
    )]
    NotGit {
        /// The root.
        root: PathBuf,
    },
    /// The operation needs git, but the root's `.git` leads nowhere.
    #[error(
        "{} does not point to a git repository: run `git worktree repair` in the main work tree, or clone again",
        path_name(path)
    )]
    BrokenGit {
        /// The `.git` that leads nowhere.
        path: PathBuf,
    },
    /// The index has an unknown format.
    #[error(
        "{} is not a valid git index: rebuild it with `git read-tree HEAD`",
        path_name(path)
    )]
    UnknownIndex {
        /// The index.
        path: PathBuf,
    },
    /// HEAD or a ref holds something other than an object id or `ref: …`.
    #[error(
        "{} holds neither a commit id nor a ref: check it with `git fsck`",
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
    /// Symbolic refs form a loop or a chain that is too long.
    #[error(
        "{} passes through too many symbolic refs: set it with `git symbolic-ref`",
        path_name(path)
    )]
    RefLoop {
        /// The HEAD file.
        path: PathBuf,
    },
    /// The text is not a full commit id.
    #[error("`{text}` is not a commit id: it must be 40 or 64 lower-case hexadecimal digits")]
    InvalidCommitId {
        /// The text.
        text: String,
    },
    /// `git` cannot be found.
    #[error("git is not installed or not on the PATH: install git to use this")]
    GitMissing,
    /// Git failed.
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
        /// Its exit status.
        status: std::process::ExitStatus,
        /// Its standard error.
        message: String,
    },
    /// Git succeeded but printed something unexpected.
    #[error("git {verb} printed unexpected output, `{answer}`: check the git version")]
    UnexpectedAnswer {
        /// The git command.
        verb: &'static str,
        /// What it printed.
        answer: String,
    },
}

impl RepositoryError {
    /// For `map_err`: wraps an I/O error with the operation and its path.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}

fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds => format!("{seconds} s"),
    }
}
