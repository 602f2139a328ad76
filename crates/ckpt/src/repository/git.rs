//! Running git, always for one explicit work tree and without what the environment would redirect.

use std::ffi::OsStr;
use std::io;
use std::process::{Command, Output, Stdio};

use super::{CommitId, Location, RepositoryError};

/// Variables that would make git look at another index, object store or set of paths than the ones meant.
///
/// `GIT_ALTERNATE_OBJECT_DIRECTORIES` and the configuration variables stay: they only add what the user wants added.
const UNWANTED: &[&str] = &[
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
];

/// Lets git decide about a repository of another user before anything is run in it: such a repository can name
/// programs to run in its configuration. Naming the git directory, as every other command here does, would skip that
/// check of git's.
pub(super) fn ensure_trusted(location: &Location) -> Result<(), RepositoryError> {
    if owned_by_this_user(location) {
        return Ok(());
    }
    let mut git = Git::new(location, &[], "rev-parse");
    git.command
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE");
    git.args(["--git-dir"]).answer().map(drop)
}

#[cfg(unix)]
fn owned_by_this_user(location: &Location) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    let is_ours = |path| std::fs::metadata(path).is_ok_and(|metadata| metadata.uid() == user);
    is_ours(&location.git_dir) && is_ours(&location.work_tree)
}

#[cfg(not(unix))]
fn owned_by_this_user(_location: &Location) -> bool {
    false
}

/// One git command in the making.
pub(super) struct Git<'a> {
    command: Command,
    location: &'a Location,
    verb: &'static str,
}

impl<'a> Git<'a> {
    /// Prepares `git -c <settings…> <verb>`.
    pub(super) fn new(location: &'a Location, settings: &[&str], verb: &'static str) -> Self {
        let mut command = Command::new("git");
        for name in UNWANTED {
            command.env_remove(name);
        }
        command
            .current_dir(&location.work_tree)
            .env("GIT_DIR", &location.git_dir)
            .env("GIT_WORK_TREE", &location.work_tree)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        #[cfg(test)]
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null");
        for setting in settings {
            command.args(["-c", setting]);
        }
        command.arg(verb);
        Self {
            command,
            location,
            verb,
        }
    }

    pub(super) fn args<I, S>(&mut self, args: I) -> &mut Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.command.args(args);
        self
    }

    pub(super) fn env(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    /// Runs it and gives stdout; anything but success is an error.
    pub(super) fn answer(&mut self) -> Result<Vec<u8>, RepositoryError> {
        let output = self.output()?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(self.refusal(&output))
        }
    }

    /// Runs it and gives stdout, or `None` when git answers "no" (exit code 1).
    pub(super) fn answer_or_no(&mut self) -> Result<Option<Vec<u8>>, RepositoryError> {
        let output = self.output()?;
        match output.status.code() {
            Some(0) => Ok(Some(output.stdout)),
            Some(1) => Ok(None),
            _ => Err(self.refusal(&output)),
        }
    }

    /// Runs it and tells whether it succeeded.
    pub(super) fn succeeds(&mut self) -> Result<bool, RepositoryError> {
        Ok(self.output()?.status.success())
    }

    /// An id that this command printed.
    pub(super) fn commit_id(&self, answer: &[u8]) -> Result<CommitId, RepositoryError> {
        CommitId::from_ref(answer.trim_ascii_end()).ok_or_else(|| self.unexpected(answer))
    }

    pub(super) fn unexpected(&self, answer: &[u8]) -> RepositoryError {
        RepositoryError::UnexpectedAnswer {
            verb: self.verb,
            answer: String::from_utf8_lossy(answer.trim_ascii()).into_owned(),
        }
    }

    fn output(&mut self) -> Result<Output, RepositoryError> {
        self.command.output().map_err(|error| {
            // A missing working directory is reported just like a missing program.
            if error.kind() == io::ErrorKind::NotFound && self.location.work_tree.is_dir() {
                RepositoryError::GitMissing
            } else {
                RepositoryError::io("run git in", &self.location.work_tree)(error)
            }
        })
    }

    fn refusal(&self, output: &Output) -> RepositoryError {
        RepositoryError::GitFailed {
            verb: self.verb,
            work_tree: self.location.work_tree.clone(),
            status: output.status,
            message: String::from_utf8_lossy(output.stderr.trim_ascii()).into_owned(),
        }
    }
}
