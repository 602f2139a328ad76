//! Running git, always for one explicit work tree and without what the environment would redirect.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::{CommitId, Location, RepositoryError, filters, leads_into};

/// How git is run for a repository.
#[derive(Debug, Clone)]
pub struct GitUse {
    /// A git command that takes longer than this is ended.
    pub limit: Duration,
    /// All git commands are ended at this time, where there is one.
    pub until: Option<Instant>,
    /// Told once a git command takes long: its name, and after how long it is ended.
    pub slow: Option<fn(&str, Duration)>,
    /// Whether filters run that only the repository's own settings name.
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

/// How long a git command may take where nothing else is said.
pub const GIT_LIMIT: Duration = Duration::from_secs(120);

/// A git command takes long after this time.
const LONG: Duration = Duration::from_secs(2);

/// Variables that would make git look at other settings, another index, object store or set of paths than the ones meant, or
/// write or run something beside.
const UNWANTED: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
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
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_TRACE_CURL",
    "GIT_TRACE_FSMONITOR",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_PACKFILE",
    "GIT_TRACE_PACK_ACCESS",
    "GIT_TRACE_PERFORMANCE",
    "GIT_TRACE_REFS",
    "GIT_TRACE_SETUP",
    "GIT_TRACE_SHALLOW",
];

/// Variables that name a file, or a directory with files, that git takes settings or programs from. A clone can have them set through the
/// settings of an agent, so they do not count where they lead into the work tree.
const NAMING_SETTINGS: &[&str] = &[
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "HOME",
    "XDG_CONFIG_HOME",
];

/// A variable that git's processes inherit.
#[expect(
    clippy::disallowed_methods,
    reason = "git's processes inherit the environment, so it has to be known what they would take from it"
)]
pub(super) fn inherited(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Takes the variables away that would have git take settings or programs from a repository.
pub(super) fn without_its_settings(command: &mut Command, root: &Path) {
    let path = |name: &str| inherited(name).map(PathBuf::from);
    let home = path("HOME");
    for name in NAMING_SETTINGS {
        // Git reads a relative path from where it runs.
        let named = path(name).map(|path| root.join(path));
        if named.is_some_and(|named| leads_into(&named, root, home.as_deref())) {
            command.env_remove(name);
        }
    }
}

/// Lets git decide about a repository whose directory it would not find by itself: telling it where that is would skip its
/// own check.
pub(super) fn ensure_trusted(location: &Location) -> Result<(), RepositoryError> {
    for path in read_by_git(location) {
        // Git would wait for a pipe for ever.
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
        // The environment of the user names it.
        return Ok(());
    }
    let mut git = Git::new(location, &[], "rev-parse");
    git.command
        .current_dir(found_in)
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

/// What every command is started with. A clone cannot bring any of these, but a directory that was copied or unpacked
/// can: nothing that a repository names is run, and nobody is asked anything.
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

/// No more than this of an answer is read.
const LONGEST_ANSWER: u64 = 256 * 1024 * 1024;

/// A git command that wants more memory than this fails, in bytes: a few objects can stand for millions of files.
const MOST_MEMORY: u64 = 512 * 1024 * 1024;

/// One git command in the making.
pub(super) struct Git<'a> {
    command: Command,
    location: &'a Location,
    verb: &'static str,
    pub(super) input: Option<Vec<u8>>,
}

impl<'a> Git<'a> {
    /// Prepares `git -c <settings…> <verb>`.
    ///
    /// Git is not told where its directory is unless the user's environment said so: then it decides itself whether it
    /// wants to work there.
    pub(super) fn new(location: &'a Location, settings: &[&str], verb: &'static str) -> Self {
        let settings: Vec<&str> = PROTECTION.iter().chain(settings).copied().collect();
        let filters = location.filters.get().map_or(&[][..], Vec::as_slice);
        Self::with(location, &settings, filters, verb)
    }

    /// Prepares `git <verb>`, for what runs nothing and has to see the settings as they are.
    pub(super) fn without_protection(location: &'a Location, verb: &'static str) -> Self {
        Self::with(location, &[], &[], verb)
    }

    fn with(
        location: &'a Location,
        settings: &[&str],
        filters: &[filters::Setting],
        verb: &'static str,
    ) -> Self {
        let mut command = Command::new("git");
        for name in UNWANTED {
            command.env_remove(name);
        }
        without_its_settings(&mut command, &location.work_tree);
        match location.is_told {
            true => command
                .env("GIT_DIR", &location.git_dir)
                .env("GIT_WORK_TREE", &location.work_tree),
            false => command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE"),
        };
        command
            .current_dir(&location.work_tree)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            // The settings of a repository could allow a protocol again.
            .env("GIT_ALLOW_PROTOCOL", "")
            // A replaced commit would be judged in place of the one that is meant.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
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

    /// Runs it with something on its standard input and gives stdout; anything but success is an error.
    pub(super) fn answer_to(&mut self, input: &[u8]) -> Result<Vec<u8>, RepositoryError> {
        self.input = Some(input.to_vec());
        self.answer()
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
        if self.input.is_some() {
            self.command.stdin(Stdio::piped());
        }
        let limit = self.limit();
        let output = self.spawned(limit).map_err(|error| {
            // A missing working directory is reported just like a missing program.
            if error.kind() == io::ErrorKind::NotFound && self.location.work_tree.is_dir() {
                RepositoryError::GitMissing
            } else {
                RepositoryError::io("run git in", &self.location.work_tree)(error)
            }
        })?;
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

    /// How long it may take.
    fn limit(&self) -> Duration {
        let GitUse { limit, until, .. } = self.location.git_use;
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(limit, |left| left.min(limit))
    }

    /// Runs it to its end, or until it has said too much; `None` where it takes too long.
    fn spawned(&mut self, limit: Duration) -> io::Result<Option<Output>> {
        if limit.is_zero() {
            return Ok(None);
        }
        let mut child = self.command.spawn()?;
        let _running = Running::note(&child);
        limit_memory(&child);
        let stdin = child.stdin.take().zip(self.input.take());
        let writer = stdin.map(|(mut stdin, input)| {
            // Git that ends before it has read all has said why.
            std::thread::spawn(move || drop(stdin.write_all(&input)))
        });
        let reader = |stream: Option<Box<dyn Read + Send>>| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                if let Some(stream) = stream {
                    let _ = stream.take(LONGEST_ANSWER).read_to_end(&mut bytes);
                }
                bytes
            })
        };
        let boxed = |stream| Box::new(stream) as Box<dyn Read + Send>;
        let stderr = reader(child.stderr.take().map(boxed));
        let begin = Instant::now();
        let mut answer = wait::Answer::of(child.stdout.take());
        let mut said = answer.read_until(begin + limit.min(LONG));
        if said.is_err() && limit > LONG {
            if let Some(slow) = self.location.git_use.slow {
                slow(self.verb, limit);
            }
            said = answer.read_until(begin + limit);
        }
        let stdout = answer.bytes;
        if said.is_err() || stdout.len() as u64 >= LONGEST_ANSWER {
            let _ = child.kill();
        }
        let status = child.wait()?;
        if said.is_err() {
            return Ok(None);
        }
        if let Some(writer) = writer {
            let _ = writer.join();
        }
        Ok(Some(Output {
            status,
            stdout,
            stderr: stderr.join().unwrap_or_default(),
        }))
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

/// Limits the memory of a process that was just started.
#[cfg(target_os = "linux")]
fn limit_memory(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let limit = Rlimit {
        current: Some(MOST_MEMORY),
        maximum: Some(MOST_MEMORY),
    };
    // Without an id it would be this process.
    if let Some(id) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = prlimit(Some(id), Resource::Data, limit);
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: &Child) {
    let _ = MOST_MEMORY;
}

/// Reading what a process says, for a limited time.
mod wait {
    use std::io::{self, Read};
    use std::process::ChildStdout;
    use std::time::Instant;

    use super::LONGEST_ANSWER;

    /// What a process has said so far.
    pub(super) struct Answer {
        stream: Option<ChildStdout>,
        pub(super) bytes: Vec<u8>,
    }

    impl Answer {
        pub(super) fn of(stream: Option<ChildStdout>) -> Self {
            Self {
                stream,
                bytes: Vec::new(),
            }
        }

        /// Reads to the end, or up to the limit; an error when the time is up.
        #[cfg(unix)]
        pub(super) fn read_until(&mut self, end: Instant) -> io::Result<()> {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};

            let Some(stream) = &mut self.stream else {
                return Ok(());
            };
            let mut piece = vec![0; 64 * 1024];
            while (self.bytes.len() as u64) < LONGEST_ANSWER {
                let left = end.saturating_duration_since(Instant::now());
                let left = Timespec::try_from(left).ok();
                let mut waiting = [PollFd::new(&*stream, PollFlags::IN)];
                match poll(&mut waiting, left.as_ref()) {
                    Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                    Ok(_) => {}
                    Err(rustix::io::Errno::INTR) => continue,
                    Err(error) => return Err(error.into()),
                }
                match stream.read(&mut piece)? {
                    0 => return Ok(()),
                    length => self.bytes.extend_from_slice(&piece[..length]),
                }
            }
            Ok(())
        }

        #[cfg(not(unix))]
        pub(super) fn read_until(&mut self, _: Instant) -> io::Result<()> {
            match self.stream.take() {
                Some(stream) => {
                    let mut stream = stream.take(LONGEST_ANSWER);
                    stream.read_to_end(&mut self.bytes).map(drop)
                }
                None => Ok(()),
            }
        }
    }
}

/// The git processes of this process, so that they end with it.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Takes a process off the list when it has ended.
struct Running(u32);

impl Running {
    fn note(child: &Child) -> Self {
        if let Ok(mut running) = RUNNING.lock() {
            running.push(child.id());
        }
        Self(child.id())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(mut running) = RUNNING.lock() {
            running.retain(|id| *id != self.0);
        }
    }
}

/// Ends the git processes that this process has started and waits for. For a process that is about to end itself.
pub fn end_running_git() {
    #[cfg(unix)]
    if let Ok(running) = RUNNING.lock() {
        for id in running.iter() {
            let id = i32::try_from(*id).ok();
            if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
            }
        }
    }
}
