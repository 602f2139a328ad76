//! `ckpt hook`
//!
//! Agents call this, often many times a minute, so `main` skips the command line parser for it. Whatever goes wrong, the
//! agent goes on: the exit code is 0, and `hooks.jsonl` says what happened.

mod late;
mod log;
mod place;
mod told;

use std::ffi::OsString;
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
use crate::failure::{Exit, Failure};
use crate::ui::Ui;

/// Act on an event of an agent, which is read from standard input.
///
/// Agents call this; `ckpt` answers in the form that each of them reads. Whatever goes wrong, the exit
/// code is 0 and nothing is printed: the agent must not be disturbed. What went wrong is in
/// .claude/state/hooks.jsonl.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt hook claude < event.json")]
pub(crate) struct Hook {
    /// claude, codex, gemini, cursor or copilot
    agent: String,
}

/// How long to wait for the event.
const PATIENCE: Duration = Duration::from_secs(3);

/// The longest event, in bytes. A tool may answer with megabytes.
const LONGEST_EVENT: u64 = 64 * 1024 * 1024;

impl Hook {
    pub(crate) fn run(self, ui: &mut Ui) -> Result<Exit, Failure> {
        Ok(run(ui, &[OsString::from(self.agent)]))
    }
}

/// How a hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// By an agent that waits.
    Waited,
    /// By a hook that ran out of time.
    Late,
}

/// Acts on the event on standard input, or, when called late, on the events that other hooks left.
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

/// Acts on the events that hooks have left, one after the other, unless another process does.
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
        // An event may have come in just before the lock was released.
        if queue.is_empty() {
            return;
        }
    }
}

/// One call of a hook.
#[derive(Debug, Clone, Copy)]
struct Call {
    agent: Agent,
    turn: Turn,
    /// When the event was told, where it waited.
    told_at: Option<Timestamp>,
    /// The process of the agent, where the event waited.
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
        let mut entry = Entry::new(self.agent, begin);
        entry.late = self.turn == Turn::Late;
        let log = Log::of(&workspace);
        match event {
            Ok(event) => {
                entry.event.clone_from(&event.name);
                let told = Told {
                    call: *self,
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

/// Whether a program calls `ckpt` without arguments and gives it input. An agent that reads the settings of another agent
/// does that before each of its tools, and takes exit code 2 as a denial.
pub(crate) fn is_called_without_words(ui: &mut Ui) -> bool {
    if ui.is_attended() {
        return false;
    }
    let input = ui.input_within(Duration::from_millis(50), LONGEST_EVENT);
    input.is_ok_and(|input| !input.is_empty())
}
