//! Running a gate's commands: their output is passed on, and nothing they start outlives the run.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::family;

/// How much of the end of the output is kept.
pub const TAIL_BYTES: usize = 4 * 1024;

/// How often a command without output is polled.
const LOOK: Duration = Duration::from_millis(20);

/// Output is passed on in pieces of at most this size.
const PIECE: usize = 16 * 1024;

/// How long to wait for the end of the output.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a gate's commands ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// They exited with this code.
    Exited(i32),
    /// They were killed by this signal.
    Signalled(i32),
    /// They took too long and were killed.
    TimedOut,
    /// They were stopped on request.
    Interrupted,
    /// A command could not be started.
    NotStarted(String),
}

impl Ending {
    /// Whether the gate passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        *self == Self::Exited(0)
    }

    /// The ending in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Exited(code) => format!("exit code {code}"),
            Self::Signalled(signal) => format!("ended by signal {signal}"),
            Self::TimedOut => "it took too long".to_owned(),
            Self::Interrupted => "interrupted".to_owned(),
            Self::NotStarted(reason) => format!("not started: {reason}"),
        }
    }
}

/// The result of running a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunResult {
    /// How the last command that ran ended.
    pub ending: Ending,
    /// How long the whole run took.
    pub duration: Duration,
    /// The end of the output, as text.
    pub output_tail: String,
    /// The length of the output.
    pub output_bytes: u64,
    /// The SHA-256 of the whole output, as its first 32 hexadecimal digits.
    pub output_digest: String,
}

/// What to run, and how.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'r> {
    /// The shell commands, run in order until one fails.
    pub commands: &'r [String],
    /// The name by which every process they start is found.
    pub name: &'r str,
    /// Where they run.
    pub directory: &'r Path,
    /// How long all of them together may take.
    pub time_limit: Option<Duration>,
    /// Set to stop them.
    pub stop: &'r AtomicBool,
}

/// Runs commands. Their output, from both streams, goes to `print` as it arrives.
pub fn run(request: &RunRequest<'_>, print: &mut dyn FnMut(&[u8])) -> RunResult {
    let start = Instant::now();
    let mut output = Output::default();
    let mut ending = Ending::Exited(0);
    for command in request.commands {
        ending = run_one(command, request, start, &mut |piece| {
            output.take(piece);
            print(piece);
        })
        .unwrap_or_else(|error| Ending::NotStarted(error.to_string()));
        if !ending.passed() {
            break;
        }
    }
    output.finish(ending, start.elapsed())
}

fn run_one(
    command: &str,
    request: &RunRequest<'_>,
    start: Instant,
    print: &mut dyn FnMut(&[u8]),
) -> io::Result<Ending> {
    let (mut reader, writer) = io::pipe()?;
    let mut shell = shell(command);
    shell
        .current_dir(request.directory)
        .env(family::RUN_VARIABLE, request.name)
        .stdin(std::process::Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    group::lead(&mut shell);
    let mut child = shell.spawn()?;
    // Our ends of the pipe close with the command; otherwise we would never see the end of its output.
    drop(shell);
    // The channel is bounded, so a command that prints faster than we pass on has to wait.
    let (sender, receiver) = sync_channel::<Vec<u8>>(4);
    thread::spawn(move || {
        let mut piece = vec![0; PIECE];
        while let Ok(count @ 1..) = reader.read(&mut piece) {
            if sender.send(piece[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    let ending = attend(&mut child, request, start, &receiver, print);
    // Kill what the command left behind, so that the pipe closes.
    group::end(&child);
    family::end(request.name);
    // A process that escaped even that must not keep the gate waiting.
    let last = Instant::now() + PATIENCE;
    while let Ok(piece) = receiver.recv_timeout(last.saturating_duration_since(Instant::now())) {
        print(&piece);
    }
    ending
}

/// Passes output on until the command has ended or must be killed.
fn attend(
    child: &mut Child,
    request: &RunRequest<'_>,
    start: Instant,
    receiver: &Receiver<Vec<u8>>,
    print: &mut dyn FnMut(&[u8]),
) -> io::Result<Ending> {
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(piece) => print(&piece),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                if let Some(status) = child.try_wait()? {
                    return Ok(ended(status));
                }
                thread::sleep(LOOK / 4);
            }
        }
        let stopped = request.stop.load(Ordering::Relaxed);
        let late = request
            .time_limit
            .is_some_and(|limit| start.elapsed() > limit);
        if stopped || late {
            group::end(child);
            child.wait()?;
            return Ok(match stopped {
                true => Ending::Interrupted,
                false => Ending::TimedOut,
            });
        }
    }
}

fn ended(status: ExitStatus) -> Ending {
    match (status.code(), group::signal_of(status)) {
        (Some(code), _) => Ending::Exited(code),
        (None, signal) => Ending::Signalled(signal.unwrap_or_default()),
    }
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.args(["/C", command]);
    shell
}

/// What is kept of the output.
#[derive(Default)]
struct Output {
    tail: VecDeque<u8>,
    bytes: u64,
    digest: Sha256,
}

impl Output {
    fn take(&mut self, piece: &[u8]) {
        self.bytes += piece.len() as u64;
        self.digest.update(piece);
        let kept = &piece[piece.len().saturating_sub(TAIL_BYTES)..];
        self.tail.extend(kept);
        let surplus = self.tail.len().saturating_sub(TAIL_BYTES);
        self.tail.drain(..surplus);
    }

    fn finish(self, ending: Ending, duration: Duration) -> RunResult {
        let tail: Vec<u8> = self.tail.into();
        let digest = self.digest.finalize();
        let digest = digest.iter().take(16).map(|byte| format!("{byte:02x}"));
        RunResult {
            ending,
            duration,
            output_tail: String::from_utf8_lossy(&tail).into_owned(),
            output_bytes: self.bytes,
            output_digest: digest.collect(),
        }
    }
}

/// A command and its children form a process group, which is killed as a whole.
#[cfg(unix)]
mod group {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus};

    use rustix::process::{Pid, Signal, kill_process_group};

    pub(super) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn end(child: &Child) {
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // The group may already be empty.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    pub(super) fn signal_of(status: ExitStatus) -> Option<i32> {
        status.signal()
    }
}

#[cfg(not(unix))]
mod group {
    use std::process::{Child, Command, ExitStatus};

    pub(super) fn lead(_: &mut Command) {}

    pub(super) fn end(_: &Child) {}

    pub(super) fn signal_of(_: ExitStatus) -> Option<i32> {
        None
    }
}

#[cfg(test)]
mod tests;
