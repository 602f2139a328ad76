//! `ckpt hook`
//!
//! Agents call this many times a minute, so `main` skips the command line parser for it. An error never disturbs the
//! agent: the exit code is 0, and `hooks.jsonl` records what happened.

mod late;
mod log;
mod place;
mod told;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ckpt::Timestamp;
use ckpt_agents::{Agent, Event};
use clap::Args;

use self::late::Queue;
use self::log::Entry;
pub(crate) use self::log::{Fired, Log};
pub(crate) use self::place::limited;
use self::place::workspace_of;
use self::told::Told;
use crate::environment::{COPILOT_HOME, Variables};
use crate::failure::{Exit, Failure};
use crate::ui::Ui;

/// Handle an agent's hook event, read from standard input.
///
/// Agents call this, and ckpt answers in the format each of them expects. If anything goes wrong, it prints nothing and
/// exits with 0, so that the agent is not disturbed; errors are logged in .claude/state/hooks.jsonl.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt hook claude < event.json")]
pub(crate) struct Hook {
    /// The agent: claude, codex, gemini, cursor or copilot
    agent: String,
}

/// How long to wait for the event.
const PATIENCE: Duration = Duration::from_secs(3);

/// The largest event, in bytes. It can include megabytes of tool output.
const LONGEST_EVENT: u64 = 64 * 1024 * 1024;

impl Hook {
    pub(crate) fn run(self, ui: &mut Ui) -> Result<Exit, Failure> {
        Ok(run(ui, &[OsString::from(self.agent)]))
    }
}

/// Who runs the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// An agent, which waits for the answer.
    Waited,
    /// The late process, for events that earlier hooks had no time for.
    Late,
}

/// Handles the event on standard input or, in the late process, the queued events.
pub(crate) fn run(ui: &mut Ui, arguments: &[OsString]) -> Exit {
    let begin = Instant::now();
    let agent = arguments.first().and_then(|name| name.to_str());
    let Some(agent) = agent.and_then(Agent::read) else {
        return Exit::Done;
    };
    if arguments.iter().any(|argument| argument == late::LATE) {
        act_late(ui);
        return Exit::Done;
    }
    let call = Call {
        agent,
        turn: Turn::Waited,
        told_at: None,
        process: None,
    };
    let read = ui.input_within(PATIENCE, LONGEST_EVENT);
    call.act(ui, read, begin);
    Exit::Done
}

/// Handles the queued events one by one, unless another process is doing so.
fn act_late(ui: &mut Ui) {
    let Some(workspace) = workspace_of(ui.variables(), None) else {
        return;
    };
    let Some(queue) = Queue::of(ui.variables(), &workspace) else {
        return;
    };
    loop {
        let Some(lock) = queue.lock() else {
            return;
        };
        while let Some(waiting) = queue.take() {
            let call = Call {
                agent: waiting.agent,
                turn: Turn::Late,
                told_at: waiting.told_at,
                process: waiting.process,
            };
            call.act(ui, Ok(waiting.input), Instant::now());
        }
        drop(lock);
        // An event may have been queued just before the lock was released.
        if queue.is_empty() {
            return;
        }
    }
}

/// One hook call.
#[derive(Debug, Clone, Copy)]
struct Call {
    agent: Agent,
    turn: Turn,
    /// When the event arrived, if it was queued.
    told_at: Option<Timestamp>,
    /// The agent's process, if the event was queued.
    process: Option<u32>,
}

impl Call {
    fn act(&self, ui: &mut Ui, read: std::io::Result<Vec<u8>>, begin: Instant) {
        let (event, input) = match read {
            Ok(input) => (
                Event::read(&input).map_err(|error| error.to_string()),
                input,
            ),
            Err(error) => (Err(error.to_string()), Vec::new()),
        };
        let Some(workspace) = workspace_of(ui.variables(), event.as_ref().ok()) else {
            return;
        };
        let agent = event
            .as_ref()
            .map_or(self.agent, |event| event.agent(self.agent));
        let mut entry = Entry::new(agent, begin);
        entry.late = self.turn == Turn::Late;
        let log = Log::of(&workspace);
        match event {
            Ok(mut event) => {
                entry.event.clone_from(&event.name);
                if event.transcript.is_none() {
                    event.transcript = transcript_of(agent, &event, ui.variables());
                }
                let told = Told {
                    call: Self { agent, ..*self },
                    event: &event,
                    input: Arc::new(input),
                };
                told.carry_out(ui, workspace, &log, entry);
            }
            Err(error) => {
                entry.error = Some(error);
                log.add(&entry);
            }
        }
    }
}

/// Where Copilot keeps what is said in a session. It tells only when a turn ends, and a crash comes before that.
fn transcript_of(agent: Agent, event: &Event, variables: &Variables) -> Option<PathBuf> {
    let session = event
        .session
        .as_deref()
        .filter(|_| agent == Agent::Copilot)?;
    let is_plain = session
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-');
    let home = variables
        .path(COPILOT_HOME)
        .or_else(|| Some(variables.home()?.join(".copilot")))?;
    let file = home
        .join("session-state")
        .join(session)
        .join("events.jsonl");
    is_plain.then_some(file)
}

/// Whether a program calls `ckpt` without arguments but with input. An agent that reads another agent's settings does
/// this before each tool call, and takes exit code 2 for a denial.
pub(crate) fn is_called_without_words(ui: &mut Ui) -> bool {
    if ui.is_attended() {
        return false;
    }
    let input = ui.input_within(Duration::from_millis(50), LONGEST_EVENT);
    input.is_ok_and(|input| !input.is_empty())
}
