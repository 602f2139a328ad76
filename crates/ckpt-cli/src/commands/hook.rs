//! `ckpt hook`
//!
//! Called by agents, often many times a minute, so `main` comes here past the command line parser. Whatever goes wrong,
//! the agent goes on: the exit code is 0, and what happened is in `hooks.jsonl`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ckpt::document::{Object, Value};
use ckpt::process::ProcessMark;
use ckpt::time::Timestamp;
use ckpt::workspace::{Options, Workspace};
use ckpt_agents::{Agent, Answer, Enforcement, Event, Happening, Host, respond};
use clap::Args;

use crate::environment;
use crate::failure::{Exit, Failure};
use crate::output;
use crate::settings::Settings;

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

/// How long a hook waits for another process that changes the same.
const LOCK_WAIT: Duration = Duration::from_millis(300);

/// The most that an event may have. A tool may answer with megabytes.
const LONGEST_EVENT: u64 = 64 * 1024 * 1024;

/// The log, in the state directory.
const LOG: &str = "hooks.jsonl";

/// The log begins anew beyond this size; the one before is kept.
const LONGEST_LOG: u64 = 256 * 1024;

impl Hook {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        Ok(run(&[OsString::from(self.agent)]))
    }
}

/// What came of an event.
struct Outcome {
    answer: String,
    /// Where the log is, where anything is kept at all.
    log: Option<PathBuf>,
    event: String,
    error: Option<String>,
}

/// Acts on the event on standard input.
pub(crate) fn run(arguments: &[OsString]) -> Exit {
    let begin = Instant::now();
    let agent = arguments.first().and_then(|name| name.to_str());
    let Some(agent) = agent.and_then(Agent::read) else {
        return Exit::Done;
    };
    let outcome = act(agent);
    if !outcome.answer.is_empty() {
        // An agent that does not listen any more is none of our business.
        let _ = output::raw(format!("{}\n", outcome.answer).as_bytes());
    }
    if let Some(log) = &outcome.log {
        record(log, agent, &outcome, begin.elapsed());
    }
    Exit::Done
}

fn act(agent: Agent) -> Outcome {
    let mut outcome = Outcome {
        answer: String::new(),
        log: None,
        event: String::new(),
        error: None,
    };
    let mut input = Vec::new();
    let read = std::io::stdin().take(LONGEST_EVENT).read_to_end(&mut input);
    let event = match read {
        Ok(_) => Event::read(&input).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let directory = event
        .as_ref()
        .ok()
        .and_then(|event| event.directory.clone());
    let directory = directory.filter(|directory| directory.is_dir());
    let directory = directory.or_else(|| std::env::current_dir().ok());
    let opened = directory
        .map(|directory| Workspace::open(&directory, &environment::git(), Options::default()));
    let workspace = match opened {
        Some(Ok(workspace)) if workspace.is_in_use() => workspace,
        _ => return outcome,
    };
    let root = workspace.repository().root().to_owned();
    outcome.log = Some(workspace.state_directory().join(LOG));
    match event {
        Ok(event) => {
            outcome.event.clone_from(&event.name);
            match answered(agent, &event, workspace, &root) {
                Ok(answer) => outcome.answer = answer.written(agent, &event),
                Err(failure) => outcome.error = Some(failure.message().to_owned()),
            }
        }
        Err(error) => outcome.error = Some(error),
    }
    outcome
}

fn answered(
    agent: Agent,
    event: &Event,
    workspace: Workspace,
    root: &Path,
) -> Result<Answer, Failure> {
    let settings = Settings::load(root)?;
    let subagent = event
        .subagent
        .as_ref()
        .filter(|subagent| !subagent.kind.is_empty());
    let options = Options {
        by: match subagent {
            Some(subagent) => format!("subagent:{}", subagent.kind),
            None => "main".to_owned(),
        },
        summary_limit: settings.summary_limit(),
        follow_symlinks: settings.follow_symlinks(),
        lock_wait: LOCK_WAIT,
        ..Options::default()
    };
    let host = Host {
        agent,
        // Only a session that begins is noted; all others are spared the look.
        process: match event.happening {
            Happening::SessionStart { .. } => process_of(agent),
            _ => None,
        },
        budget: settings.resume_budget(),
        enforcement: match settings.enforce_gates() {
            true => Enforcement::Denied,
            false => Enforcement::Told,
        },
    };
    Ok(respond(&workspace.with_options(options), &host, event)?)
}

/// The process of the agent: the one that it names, else the one that called.
fn process_of(agent: Agent) -> Option<ProcessMark> {
    let named = environment::text(environment::CLAUDE_PID).filter(|_| agent == Agent::Claude);
    let named = named.and_then(|id| id.parse().ok());
    named.map(ProcessMark::of).or_else(ProcessMark::of_caller)
}

/// Adds a line to the log. It is no state: losing it loses nothing, so it is not synced, and trouble with it is not told.
fn record(log: &Path, agent: Agent, outcome: &Outcome, elapsed: Duration) {
    let is_there = log.parent().is_some_and(Path::is_dir);
    if !is_there {
        return;
    }
    if fs::metadata(log).is_ok_and(|metadata| metadata.len() > LONGEST_LOG) {
        let _ = fs::rename(log, log.with_extension("jsonl.1"));
    }
    let mut line = Object::new();
    line.set("ts", Timestamp::now());
    line.set("agent", agent.as_str());
    line.set("event", outcome.event.as_str());
    line.set("us", u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX));
    if let Some(error) = &outcome.error {
        line.set("error", error.as_str());
    }
    let line = Value::Object(line).to_compact() + "\n";
    let file = File::options().create(true).append(true).open(log);
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}
