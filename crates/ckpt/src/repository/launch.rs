//! Starting git for a limited time. Of everything that variables can make git read, write or run, only the user's own
//! settings remain.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::{Extent, Location, extent};

/// After this time a git command counts as slow.
const LONG: Duration = Duration::from_secs(2);

/// After this time without a question, the next one has a time limit of its own.
const QUIET: Duration = Duration::from_secs(1);

/// The longest output that is read.
pub(super) const LONGEST_ANSWER: u64 = 256 * 1024 * 1024;

/// The memory limit of a git command, in bytes: a few objects can stand for millions of files.
const MOST_MEMORY: u64 = 512 * 1024 * 1024;

/// The git variables that are kept: how far git searches for a repository, and whether it reads the system settings.
const COUNTING: &[&str] = &[
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// Variables that name where git takes settings or programs from. They are kept if that place is the user's own.
const NAMING: &[&str] = &[
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    HOME,
    XDG_CONFIG_HOME,
];

const HOME: &str = "HOME";
const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";

/// The files that git reads below `XDG_CONFIG_HOME`.
const READ_BELOW: &[&str] = &["git/config", "git/attributes", "git/ignore"];

/// Removes the variables that influence git, except those in `COUNTING`.
fn forget_variables(command: &mut Command) {
    let names = std::env::vars_os().map(|(name, _)| name);
    let counts = |name: &OsString| COUNTING.iter().any(|counting| name == counting);
    for name in names.filter(|name| name.as_encoded_bytes().starts_with(b"GIT_") && !counts(name)) {
        command.env_remove(name);
    }
}

/// Makes git read no user or system settings, whether the command is git or starts it. For work outside the user's
/// repositories.
pub fn without_settings(command: &mut Command) {
    forget_variables(command);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove(XDG_CONFIG_HOME);
}

/// `git` for the work tree with this root, with only the user's own settings.
pub(super) fn prepared(root: &Path, location: Option<&Location>) -> Command {
    let mut command = Command::new("git");
    forget_variables(&mut command);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let home = extent::home(inherited(HOME).as_deref());
    let extent = Extent::of(root, location, home.as_deref());
    for name in NAMING {
        let own = inherited(name).and_then(|path| extent.own(&path));
        let own = own.filter(|path| {
            let mut read = READ_BELOW.iter().map(|below| path.join(below));
            *name != XDG_CONFIG_HOME || !read.any(|path| extent.holds(&path))
        });
        // Set to the resolved path, because git may be started in another directory.
        match own {
            Some(path) => command.env(name, path),
            None => command.env_remove(name),
        };
    }
    command
}

#[expect(
    clippy::disallowed_methods,
    reason = "git inherits the environment, so we must know what it would take from it"
)]
fn inherited(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

/// Runs a command until it exits or its output is too long; `None` if it runs out of time. Calls `slow` once it counts
/// as slow.
pub(super) fn run(
    command: &mut Command,
    input: Option<Vec<u8>>,
    limit: Duration,
    slow: impl FnOnce(),
) -> io::Result<Option<Output>> {
    if limit.is_zero() {
        return Ok(None);
    }
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn()?;
    let _running = Running::note(&child);
    limit_memory(&child);
    let stdin = child.stdin.take().zip(input);
    let writer = stdin.map(|(mut stdin, input)| {
        // If git exits before it has read everything, its status says why.
        std::thread::spawn(move || drop(stdin.write_all(&input)))
    });
    let begin = Instant::now();
    let mut answer = wait::Answer::of(child.stdout.take(), child.stderr.take());
    let mut said = answer.read_until(begin + limit.min(LONG));
    if said.is_err() && limit > LONG {
        slow();
        said = answer.read_until(begin + limit);
    }
    let (stdout, stderr) = (answer.bytes, answer.errors);
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
        stderr,
    }))
}

/// A process that answers questions. All that follow each other closely share one time limit.
pub(super) struct Conversation {
    child: Child,
    answer: wait::Answer,
    /// How much of the answer was used.
    used: usize,
    limit: Duration,
    asked_at: Instant,
    end: Instant,
    _running: Running,
}

impl Conversation {
    /// Starts a command for at most this long.
    pub(super) fn begin(command: &mut Command, limit: Duration) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let running = Running::note(&child);
        limit_memory(&child);
        Ok(Self {
            answer: wait::Answer::of(child.stdout.take(), None),
            used: 0,
            limit,
            asked_at: Instant::now(),
            end: Instant::now() + limit,
            child,
            _running: running,
        })
    }

    pub(super) fn say(&mut self, question: &[u8]) -> io::Result<()> {
        let now = Instant::now();
        if now.duration_since(self.asked_at) > QUIET {
            self.end = now + self.limit;
        }
        self.asked_at = now;
        match &mut self.child.stdin {
            Some(stdin) => stdin.write_all(question),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// The next line of the answer, without its end.
    pub(super) fn line(&mut self) -> io::Result<Vec<u8>> {
        loop {
            let left = &self.answer.bytes[self.used..];
            if let Some(length) = memchr::memchr(b'\n', left) {
                let mut line = self.bytes(length + 1)?;
                line.truncate(length);
                return Ok(line);
            }
            self.answer.read_more(self.end)?;
        }
    }

    /// This many bytes of the answer.
    pub(super) fn bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        while self.answer.bytes.len() - self.used < count {
            self.answer.read_more(self.end)?;
        }
        let bytes = self.answer.bytes[self.used..self.used + count].to_vec();
        self.used += count;
        if self.used == self.answer.bytes.len() {
            self.answer.bytes.clear();
            self.used = 0;
        }
        Ok(bytes)
    }

    /// Passes over this many bytes of the answer.
    pub(super) fn skip(&mut self, mut count: usize) -> io::Result<()> {
        while count > 0 {
            let left = self.answer.bytes.len() - self.used;
            let piece = left.min(count);
            if piece == 0 {
                self.answer.bytes.clear();
                self.used = 0;
                self.answer.read_more(self.end)?;
                continue;
            }
            self.used += piece;
            count -= piece;
        }
        Ok(())
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Limits the memory of a process just started.
#[cfg(target_os = "linux")]
fn limit_memory(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let limit = Rlimit {
        current: Some(MOST_MEMORY),
        maximum: Some(MOST_MEMORY),
    };
    // Without an id the limit would apply to this process.
    if let Some(id) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = prlimit(Some(id), Resource::Data, limit);
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: &Child) {
    let _ = MOST_MEMORY;
}

/// Reading a process's output for a limited time.
mod wait {
    use std::io::{self, Read};
    use std::process::{ChildStderr, ChildStdout};
    use std::time::Instant;

    use super::LONGEST_ANSWER;

    /// How much is read at once.
    const PIECE: usize = 8 * 1024;

    /// The output so far.
    pub(super) struct Answer {
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
        pub(super) bytes: Vec<u8>,
        pub(super) errors: Vec<u8>,
    }

    impl Answer {
        pub(super) fn of(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>) -> Self {
            Self {
                stdout,
                stderr,
                bytes: Vec::new(),
                errors: Vec::new(),
            }
        }

        /// Reads to the end or up to the length limit; an error if the time is up.
        #[cfg(unix)]
        pub(super) fn read_until(&mut self, end: Instant) -> io::Result<()> {
            while (self.bytes.len().max(self.errors.len()) as u64) < LONGEST_ANSWER {
                match self.read_more(end) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }

        /// Reads what is there next; an error at the end, and if the time is up.
        #[cfg(unix)]
        pub(super) fn read_more(&mut self, end: Instant) -> io::Result<()> {
            use std::os::fd::AsFd;

            use rustix::event::{PollFd, PollFlags, Timespec, poll};

            let streams = [
                self.stdout.as_ref().map(AsFd::as_fd),
                self.stderr.as_ref().map(AsFd::as_fd),
            ];
            let waiting = streams.iter().flatten();
            let mut waiting: Vec<PollFd<'_>> = waiting
                .map(|stream| PollFd::new(stream, PollFlags::IN))
                .collect();
            if waiting.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            loop {
                let left = end.saturating_duration_since(Instant::now());
                let left = Timespec::try_from(left).ok();
                match poll(&mut waiting, left.as_ref()) {
                    Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                    Ok(_) => break,
                    Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            let mut ready = waiting.iter().map(|one| !one.revents().is_empty());
            let [is_answer, is_error] =
                streams.map(|stream| stream.is_some() && ready.next().unwrap_or(false));
            if is_answer {
                take_piece(&mut self.stdout, &mut self.bytes)?;
            }
            if is_error {
                take_piece(&mut self.stderr, &mut self.errors)?;
            }
            Ok(())
        }

        /// The same, however long it takes.
        #[cfg(not(unix))]
        pub(super) fn read_more(&mut self, _: Instant) -> io::Result<()> {
            match self.stdout.is_some() {
                true => take_piece(&mut self.stdout, &mut self.bytes),
                false => Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }

        #[cfg(not(unix))]
        pub(super) fn read_until(&mut self, _: Instant) -> io::Result<()> {
            let stderr = self.stderr.take();
            let errors = std::thread::spawn(move || {
                let mut bytes = Vec::new();
                if let Some(stream) = stderr {
                    let _ = stream.take(LONGEST_ANSWER).read_to_end(&mut bytes);
                }
                bytes
            });
            if let Some(stream) = self.stdout.take() {
                let mut stream = stream.take(LONGEST_ANSWER);
                stream.read_to_end(&mut self.bytes)?;
            }
            self.errors = errors.join().unwrap_or_default();
            Ok(())
        }
    }

    /// Reads a piece of a stream, or notes its end.
    fn take_piece<S: Read>(stream: &mut Option<S>, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut piece = [0; PIECE];
        let length = match stream {
            Some(stream) => stream.read(&mut piece)?,
            None => 0,
        };
        match length {
            0 => *stream = None,
            length => bytes.extend_from_slice(&piece[..length]),
        }
        Ok(())
    }
}

/// The running git processes of this process, so that they can be killed with it.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Removes a process from the list when it has ended.
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

/// Kills the git processes that this process is waiting for. For a process that is about to exit.
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
