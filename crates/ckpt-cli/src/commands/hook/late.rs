//! The late process: handles events in the background that hooks had no time for.
//!
//! Each work tree has at most one. Its queue is stored next to the key, where a clone cannot put anything.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use ckpt::Timestamp;
use ckpt::files::{is_no_link, make_private_directory, open_private, read_private};
use ckpt::process::ProcessMark;
use ckpt::workspace::Workspace;
use ckpt_agents::Agent;

use crate::environment::Variables;
use crate::worker::detach;

/// The argument that starts the late process.
pub(super) const LATE: &str = "--late";

/// Maximum number of queued events.
const MOST_WAITING: usize = 64;

/// Maximum size of the queue, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The queue's directory, in the private directory of a work tree.
const DIRECTORY: &str = "late";

/// The lock file of the late process.
const LOCK: &str = "lock";

/// The first line of a queued event's file.
struct Header {
    agent: String,
    told_at: String,
    process: Option<u32>,
}

impl Header {
    fn written(&self) -> String {
        let process = self.process.map(|id| id.to_string());
        format!(
            "{} {} {}\n",
            self.agent,
            self.told_at,
            process.unwrap_or_default()
        )
    }

    fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        Some(Self {
            agent: words.next()?.to_owned(),
            told_at: words.next()?.to_owned(),
            process: words.next().and_then(|id| id.trim().parse().ok()),
        })
    }
}

/// The queued events of one work tree.
pub(super) struct Queue(PathBuf);

/// A queued event.
pub(super) struct Waiting {
    pub(super) agent: Agent,
    pub(super) told_at: Option<Timestamp>,
    pub(super) process: Option<u32>,
    pub(super) input: Vec<u8>,
}

impl Queue {
    /// The queue of a work tree; `None` if there is nowhere to store it.
    pub(super) fn of(variables: &Variables, workspace: &Workspace) -> Option<Self> {
        let user_state = variables.user_state(workspace.repository());
        let private = workspace
            .repository()
            .private_directory(user_state.as_deref());
        Some(private?.join(DIRECTORY))
            .filter(|directory| is_no_link(directory))
            .map(Self)
    }

    /// Queues an event. Returns whether that worked.
    fn put(&self, header: &Header, input: &[u8]) -> bool {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (count, bytes) = self.waiting();
        if count >= MOST_WAITING || bytes.saturating_add(input.len() as u64) > MOST_BYTES {
            return false;
        }
        let now = Timestamp::now().as_millisecond();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{now:015}-{}-{number}", std::process::id());
        let temporary = self.0.join(format!(".{name}"));
        let written = make_private_directory(&self.0).and_then(|()| {
            let mut options = OpenOptions::new();
            let mut file = open_private(&temporary, options.write(true).create_new(true))?;
            file.write_all(header.written().as_bytes())?;
            file.write_all(input)?;
            fs::rename(&temporary, self.0.join(name))
        });
        written.is_ok()
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().as_encoded_bytes();
                name.first().is_some_and(u8::is_ascii_digit)
            })
            .collect();
        files.sort();
        files
    }

    /// Whether no events are queued.
    pub(super) fn is_empty(&self) -> bool {
        self.files().is_empty()
    }

    fn waiting(&self) -> (usize, u64) {
        let files = self.files();
        let bytes = files
            .iter()
            .filter_map(|file| Some(fs::symlink_metadata(file).ok()?.len()));
        (files.len(), bytes.sum())
    }

    /// Takes the lock of the late process; `None` if another process holds it.
    pub(super) fn lock(&self) -> Option<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = open_private(&self.0.join(LOCK), &mut options).ok()?;
        file.try_lock().ok().map(|()| file)
    }

    /// Removes the next event from the queue.
    pub(super) fn take(&self) -> Option<Waiting> {
        for path in self.files() {
            let content = read_private(&path, MOST_BYTES);
            // Each event is tried only once, even if it fails.
            let _ = fs::remove_file(&path);
            let waiting = content.ok().and_then(|content| parse(&content));
            if waiting.is_some() {
                return waiting;
            }
        }
        None
    }
}

fn parse(content: &[u8]) -> Option<Waiting> {
    let end = content.iter().position(|byte| *byte == b'\n')?;
    let header = Header::read(std::str::from_utf8(&content[..end]).ok()?)?;
    Some(Waiting {
        agent: Agent::read(&header.agent)?,
        told_at: Timestamp::parse(&header.told_at),
        process: header.process,
        input: content[end + 1..].to_vec(),
    })
}

/// Queues an event for the late process, and starts it if it is not running. Returns whether the event will be handled.
pub(super) fn hand_on(
    variables: &Variables,
    workspace: &Workspace,
    agent: Agent,
    process: Option<&ProcessMark>,
    input: &[u8],
) -> bool {
    let header = Header {
        agent: agent.as_str().to_owned(),
        told_at: Timestamp::now().to_string(),
        process: process.map(|mark| mark.id),
    };
    let queue = Queue::of(variables, workspace);
    let Some(queue) = queue.filter(|queue| queue.put(&header, input)) else {
        return false;
    };
    // The process that holds the lock checks the queue once more before it ends.
    if queue.lock().is_none() {
        return true;
    }
    start(workspace, agent)
}

fn start(workspace: &Workspace, agent: Agent) -> bool {
    let Ok(program) = std::env::current_exe() else {
        return false;
    };
    let mut command = Command::new(program);
    command
        .args(["hook", agent.as_str(), LATE])
        .current_dir(workspace.repository().root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    detach(&mut command);
    command.spawn().is_ok()
}
