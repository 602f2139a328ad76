//! Running git, always for one explicit work tree and protected from redirection by the environment.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io};

use super::launch::{self, Conversation, LONGEST_ANSWER};
use super::{CommitId, Location, RepositoryError, filters};

/// How git is run for a repository.
#[derive(Debug, Clone)]
pub struct GitUse {
    /// A git command that takes longer than this is killed.
    pub limit: Duration,
    /// All git commands are killed at this time, if set.
    pub until: Option<Instant>,
    /// Called when a git command is slow.
    pub slow: Option<SlowGit>,
    /// Whether to run filters that only the repository's settings define.
    pub runs_repository_filters: bool,
}

impl Default for GitUse {
    fn default() -> Self {
        Self {
            limit: GIT_LIMIT,
            until: None,
            slow: None,
            runs_repository_filters: false,
        }
    }
}

/// Called when a git command is slow, with the command's name and its time limit.
#[derive(Clone)]
pub struct SlowGit(Arc<Tell>);

type Tell = dyn Fn(&str, Duration) + Send + Sync;

impl SlowGit {
    /// Reports slow commands to this function.
    pub fn new(tell: impl Fn(&str, Duration) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }
}

impl fmt::Debug for SlowGit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SlowGit")
    }
}

/// The default time limit of a git command.
pub const GIT_LIMIT: Duration = Duration::from_secs(120);

/// Lets git itself decide whether to trust a repository whose directory it would not find by itself: passing the
/// directory explicitly would skip git's own check.
pub(super) fn ensure_trusted(location: &Location) -> Result<(), RepositoryError> {
    for path in read_by_git(location) {
        // Git would wait for a pipe forever.
        let is_special = |found: std::fs::Metadata| !found.is_file() && !found.is_dir();
        if std::fs::metadata(&path).is_ok_and(is_special) {
            let source = io::Error::other("it is not a regular file");
            return Err(RepositoryError::io("read", &path)(source));
        }
    }
    ensure_found(location)?;
    filters::look(location)
}

fn ensure_found(location: &Location) -> Result<(), RepositoryError> {
    let Some(found_in) = location.found_in.as_ref().filter(|_| location.is_told) else {
        return Ok(());
    };
    if *found_in == location.work_tree {
        // The user's environment names it.
        return Ok(());
    }
    let mut git = Git::with(location, found_in, (PROTECTION, &[]), "rev-parse");
    git.command
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE");
    git.args(["--git-dir"]).answer().map(drop)
}

/// Files that git reads for nearly every command.
fn read_by_git(location: &Location) -> Vec<PathBuf> {
    let own = [
        "HEAD",
        "index",
        "config.worktree",
        "sharedindex",
        "info/sparse-checkout",
    ];
    let shared = [
        "config",
        "packed-refs",
        "shallow",
        "info/exclude",
        "info/attributes",
        "info/grafts",
        "objects/info/alternates",
    ];
    let tree = [".gitignore", ".gitattributes", ".gitmodules"];
    let own = own.iter().map(|name| location.git_dir.join(name));
    let shared = shared.iter().map(|name| location.common_dir.join(name));
    let tree = tree.iter().map(|name| location.work_tree.join(name));
    own.chain(shared).chain(tree).collect()
}

/// Settings for every command. A clone cannot bring the ones they override, but a copied or unpacked directory can:
/// nothing that a repository names is run, and nobody is prompted.
const PROTECTION: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.askPass=",
    "credential.helper=",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// A git command being built.
pub(super) struct Git<'a> {
    command: Command,
    location: &'a Location,
    verb: &'static str,
    pub(super) input: Option<Vec<u8>>,
    /// A limit of its own, if it is not worth waiting longer for.
    patience: Option<Duration>,
}

impl<'a> Git<'a> {
    /// Prepares `git -c <settings…> <verb>`.
    ///
    /// Git is not told where its directory is unless the user's environment says so; that way git decides itself
    /// whether to trust it.
    pub(super) fn new(location: &'a Location, settings: &[&str], verb: &'static str) -> Self {
        let settings: Vec<&str> = PROTECTION.iter().chain(settings).copied().collect();
        let filters = location.filters.get().map_or(&[][..], Vec::as_slice);
        Self::with(location, &location.work_tree, (&settings, filters), verb)
    }

    /// Prepares `git <verb>` for commands that run nothing and must see the unmodified settings.
    pub(super) fn without_protection(location: &'a Location, verb: &'static str) -> Self {
        Self::with(location, &location.work_tree, (&[], &[]), verb)
    }

    fn with(
        location: &'a Location,
        directory: &Path,
        (settings, filters): (&[&str], &[filters::Setting]),
        verb: &'static str,
    ) -> Self {
        let mut command = launch::prepared(&location.work_tree, Some(location));
        if location.is_told {
            command
                .env("GIT_DIR", &location.git_dir)
                .env("GIT_WORK_TREE", &location.work_tree);
        }
        // With a directory of its own, a static program would fork, which takes longer.
        command
            .arg("-C")
            .arg(directory)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            // The repository's settings could re-enable a protocol.
            .env("GIT_ALLOW_PROTOCOL", "")
            // A replacement commit would be used in place of the one that is meant.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "")
            .env("LC_ALL", "C");
        #[cfg(test)]
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null");
        for setting in settings {
            command.args(["-c", setting]);
        }
        for (number, setting) in filters.iter().enumerate() {
            setting.apply_to(&mut command, number);
        }
        command.arg(verb);
        Self {
            command,
            location,
            verb,
            input: None,
            patience: None,
        }
    }

    /// Gives up earlier than the user's limit says.
    pub(super) fn within(&mut self, patience: Duration) -> &mut Self {
        self.patience = Some(patience);
        self
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

    /// Runs it with `input` on stdin and returns stdout. Any exit code but 0 is an error.
    pub(super) fn answer_to(&mut self, input: &[u8]) -> Result<Vec<u8>, RepositoryError> {
        self.input = Some(input.to_vec());
        self.answer()
    }

    /// Runs it and returns stdout. Any exit code but 0 is an error.
    pub(super) fn answer(&mut self) -> Result<Vec<u8>, RepositoryError> {
        let output = self.output()?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(self.refusal(&output))
        }
    }

    /// Runs it and returns stdout, or `None` if git answers "no" (exit code 1).
    pub(super) fn answer_or_no(&mut self) -> Result<Option<Vec<u8>>, RepositoryError> {
        let output = self.output()?;
        match output.status.code() {
            Some(0) => Ok(Some(output.stdout)),
            Some(1) => Ok(None),
            _ => Err(self.refusal(&output)),
        }
    }

    /// Runs it and returns whether it succeeded.
    pub(super) fn succeeds(&mut self) -> Result<bool, RepositoryError> {
        Ok(self.output()?.status.success())
    }

    /// Starts it, to ask it several questions.
    pub(super) fn converse(&mut self) -> Result<Conversation, RepositoryError> {
        let limit = self.limit();
        Conversation::begin(&mut self.command, limit).map_err(|error| self.not_run(error))
    }

    /// Parses an id that this command printed.
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
        let limit = self.limit();
        let (verb, slow) = (self.verb, &self.location.git_use.slow);
        let input = self.input.take();
        let output = launch::run(&mut self.command, input, limit, || {
            if let Some(SlowGit(tell)) = slow {
                tell(verb, limit);
            }
        });
        let output = output.map_err(|error| self.not_run(error))?;
        let output = output.ok_or_else(|| RepositoryError::GitTooSlow {
            verb: self.verb,
            work_tree: self.location.work_tree.clone(),
            limit,
        })?;
        if output.stdout.len() as u64 >= LONGEST_ANSWER {
            return Err(RepositoryError::GitTooLong {
                verb: self.verb,
                work_tree: self.location.work_tree.clone(),
                limit: LONGEST_ANSWER,
            });
        }
        Ok(output)
    }

    fn not_run(&self, error: io::Error) -> RepositoryError {
        // A missing working directory gives the same error as a missing program.
        if error.kind() == io::ErrorKind::NotFound && self.location.work_tree.is_dir() {
            RepositoryError::GitMissing
        } else {
            RepositoryError::io("run git in", &self.location.work_tree)(error)
        }
    }

    /// The remaining time limit.
    fn limit(&self) -> Duration {
        let GitUse { limit, until, .. } = self.location.git_use;
        let limit = self.patience.map_or(limit, |patience| patience.min(limit));
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(limit, |left| left.min(limit))
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
