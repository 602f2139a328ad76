//! `ckpt hook`
//!
//! Called by agents, often many times a minute, so `main` comes here past the command line parser. Whatever goes wrong,
//! the agent goes on: the exit code is 0, and what happened is in `hooks.jsonl`.

pub(crate) mod input;
mod log;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ckpt::process::ProcessMark;
use ckpt::time::Timestamp;
use ckpt::workspace::{Options, Workspace, WorkspaceError};
use ckpt_agents::{
    Action, Agent, Answer, Enforcement, Event, Happening, Host, Policy, Tool, Unfinished, decide,
    respond,
};
use clap::Args;

use self::log::Entry;
pub(crate) use self::log::{Fired, Log};
use super::plan::named_by_environment;
use crate::environment;
use crate::failure::{Exit, Failure};
use crate::output;
use crate::settings::{Partial, Settings};

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

/// An agent that does not say what happened within this time has nothing to say.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long that process waits.
const LATE_LOCK_WAIT: Duration = Duration::from_secs(30);

/// What that process is called with.
const LATE: &str = "--late";

/// The most that an event may have. A tool may answer with megabytes.
const LONGEST_EVENT: u64 = 64 * 1024 * 1024;

impl Hook {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        Ok(run(&[OsString::from(self.agent)]))
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

/// Acts on the event on standard input.
pub(crate) fn run(arguments: &[OsString]) -> Exit {
    let begin = Instant::now();
    let agent = arguments.first().and_then(|name| name.to_str());
    let Some(agent) = agent.and_then(Agent::read) else {
        return Exit::Done;
    };
    let turn = match arguments.iter().any(|argument| argument == LATE) {
        true => Turn::Late,
        false => Turn::Waited,
    };
    let read = input::within(PATIENCE, LONGEST_EVENT);
    let (event, input) = match read {
        Ok(input) => (
            Event::read(&input).map_err(|error| error.to_string()),
            input,
        ),
        Err(error) => (Err(error.to_string()), Vec::new()),
    };
    let Some(workspace) = workspace_of(event.as_ref().ok()) else {
        return Exit::Done;
    };
    let mut entry = Entry::new(agent, begin);
    entry.late = turn == Turn::Late;
    let log = Log::of(&workspace);
    match event {
        Ok(event) => {
            entry.event.clone_from(&event.name);
            let call = Call {
                agent,
                turn,
                event: &event,
                input: Arc::new(input),
            };
            call.carry_out(workspace, &log, entry);
        }
        Err(error) => {
            entry.error = Some(error);
            log.add(&entry);
        }
    }
    Exit::Done
}

/// The workspace that an event is about, where anything is kept at all: that of the file that was edited, else that of
/// the directory that the agent works in. A session stays where it began, wherever its agent has gone since.
fn workspace_of(event: Option<&Event>) -> Option<Workspace> {
    let open = |directory: &Path| {
        let directory = Some(directory).filter(|directory| directory.is_dir())?;
        let workspace = Workspace::open(directory, &environment::git(), Options::default());
        workspace.ok().filter(Workspace::is_in_use)
    };
    let here = event.and_then(|event| event.directory.clone());
    let here = here.filter(|directory| directory.is_dir());
    let here = here.or_else(|| std::env::current_dir().ok())?;
    if let Some(Happening::AfterTool(Tool::Edit { files })) = event.map(|event| &event.happening)
        && let Some(parent) = files.first().and_then(|file| file.parent())
        && let Some(workspace) = open(&here.join(parent))
    {
        return Some(workspace);
    }
    let workspace = open(&here);
    let session = event
        .filter(|event| event.happening != Happening::SessionStart)
        .and_then(|event| event.session.as_deref());
    let knows =
        |workspace: &Workspace| session.is_some_and(|session| workspace.session(session).is_some());
    if workspace.as_ref().is_some_and(knows) {
        return workspace;
    }
    let mut began = environment::PROJECTS
        .iter()
        .filter_map(|name| environment::path(name));
    let began = session.and_then(|_| began.find_map(|directory| open(&directory)));
    began.filter(knows).or(workspace)
}

/// One call of a hook.
struct Call<'e> {
    agent: Agent,
    turn: Turn,
    event: &'e Event,
    input: Arc<Vec<u8>>,
}

impl Call<'_> {
    fn carry_out(&self, workspace: Workspace, log: &Log, mut entry: Entry) {
        let root = workspace.repository().root().to_owned();
        // Settings that cannot be read do not keep state from being kept.
        let Partial {
            settings,
            unread,
            doubt,
        } = Partial::load(&root);
        let message = |failure: Failure| failure.message().to_owned();
        let mut errors: Vec<String> = unread.into_iter().map(message).collect();
        let host = self.host(&settings);
        let is_idle = decide(self.event, host.policy).is_empty();
        let watch = match self.turn {
            Turn::Waited if !is_idle => {
                let deadline = settings.hook_deadline();
                Some(self.watch(
                    deadline,
                    self.without_verdict(&host),
                    log.clone(),
                    entry.clone(),
                ))
            }
            Turn::Waited | Turn::Late => None,
        };
        let options = self.options(&workspace, &settings);
        let mut response = respond(&workspace.with_options(options), &host, self.event);
        if let (Some(denial), Some(doubt)) = (&mut response.answer.denial, doubt) {
            let denial_in_doubt = format!(
                "{}\nWhether enforce_gates is on cannot be told, so it counts as on: {doubt}",
                denial.trim_end()
            );
            *denial = denial_in_doubt;
        }
        if let Some(watch) = watch {
            watch.finish();
        }
        let answer = response.answer.written(self.agent, self.event);
        if !answer.is_empty() && self.turn == Turn::Waited {
            // An agent that does not listen any more is none of our business.
            let _ = output::raw(format!("{answer}\n").as_bytes());
        }
        let busy = response.errors.iter().any(WorkspaceError::is_busy);
        if busy && self.turn == Turn::Waited {
            entry.handed_on = hand_on(self.agent, &self.input);
        }
        let failures = response.errors.into_iter().map(Failure::from);
        errors.extend(failures.map(message));
        entry.error = (!errors.is_empty()).then(|| errors.join("; "));
        log.add(&entry);
    }

    fn host(&self, settings: &Settings) -> Host {
        Host {
            agent: self.agent,
            process: process_of,
            told_at: environment::text(environment::CKPT_EVENT_AT)
                .and_then(|time| Timestamp::parse(&time)),
            budget: settings.resume_budget(),
            policy: Policy {
                enforcement: match settings.enforce_gates() {
                    true => Enforcement::Denied,
                    false => Enforcement::Told,
                },
                unfinished: match settings.continue_unfinished() {
                    true => Unfinished::GoesOn,
                    false => Unfinished::MayStop,
                },
            },
        }
    }

    /// What is answered where a gate has to be looked at and there is no time for it: what may be blocked is denied.
    fn without_verdict(&self, host: &Host) -> String {
        if !decide(self.event, host.policy).contains(&Action::DenyWhileBlocked) {
            return String::new();
        }
        let denial = "Whether a gate blocks shipping could not be told in time. It can with: ckpt gate check KEY";
        let answer = Answer {
            denial: Some(denial.to_owned()),
            ..Answer::default()
        };
        format!("{}\n", answer.written(self.agent, self.event))
    }

    fn options(&self, workspace: &Workspace, settings: &Settings) -> Options {
        let is_about_one = matches!(
            self.event.happening,
            Happening::SubagentStart { .. } | Happening::SubagentStop { .. }
        );
        // A session can have a type as well; what happens in a sub-agent has its id.
        let subagent = self.event.subagent.as_ref().filter(|subagent| {
            !subagent.kind.is_empty() && (is_about_one || !subagent.id.is_empty())
        });
        let here = self.event.directory.as_deref().unwrap_or(Path::new("."));
        let active = environment::text(environment::CK_ACTIVE_PLAN);
        let active = active.and_then(|name| named_by_environment(workspace, here, &name).ok());
        Options {
            by: match subagent {
                Some(subagent) => format!("subagent:{}", subagent.kind),
                None => "main".to_owned(),
            },
            agent: subagent
                .map(|subagent| subagent.id.clone())
                .filter(|id| !id.is_empty()),
            session: self.event.session.clone(),
            active_plan: active,
            summary_limit: settings.summary_limit(),
            follow_symlinks: settings.follow_symlinks(),
            lock_wait: match self.turn {
                Turn::Waited => LOCK_WAIT,
                Turn::Late => LATE_LOCK_WAIT,
            },
            ..Options::default()
        }
    }

    /// Sees to it that the agent does not wait for ever. What is under way when the time is up is left as if the process
    /// had been killed, which loses nothing, and done again by another process.
    fn watch(&self, deadline: Duration, unjudged: String, log: Log, mut entry: Entry) -> Watch {
        let (agent, input) = (self.agent, Arc::clone(&self.input));
        let watch = Watch::default();
        let is_over = Arc::clone(&watch.is_over);
        // Without a thread the platform's own limit has to do. Nobody waits for it: it ends with the process.
        let _ = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                std::thread::sleep(deadline);
                if is_over.swap(true, Ordering::AcqRel) {
                    return;
                }
                if unjudged.is_empty() {
                    entry.handed_on = hand_on(agent, &input);
                } else {
                    let _ = output::raw(unjudged.as_bytes());
                }
                entry.error = Some("it took too long".to_owned());
                log.add(&entry);
                std::process::exit(0);
            });
        watch
    }
}

/// What the thread that watches the time needs, in bytes.
const STACK: usize = 256 * 1024;

/// What sees to it that the agent does not wait for ever.
#[derive(Default)]
struct Watch {
    /// Whether the work was done in time or the time was up, whichever came first.
    is_over: Arc<AtomicBool>,
}

impl Watch {
    /// The work is done in time. Where the time was up just before, this does not return: the process is about to end.
    fn finish(self) {
        if self.is_over.swap(true, Ordering::AcqRel) {
            loop {
                std::thread::park();
            }
        }
    }
}

/// Starts a process that acts on the event when it can, and that nobody waits for. Whether it is there.
fn hand_on(agent: Agent, input: &[u8]) -> bool {
    let Ok(program) = std::env::current_exe() else {
        return false;
    };
    let mut command = Command::new(program);
    command
        .args(["hook", agent.as_str(), LATE])
        .env(environment::CKPT_EVENT_AT, Timestamp::now().to_string())
        .envs(process_of(agent).map(|mark| (environment::CKPT_AGENT_PID, mark.id.to_string())))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // What ends the group of the agent's hooks does not end it.
        command.process_group(0);
    }
    let child = command.spawn();
    let child = child.ok().and_then(|mut child| child.stdin.take());
    child.is_some_and(|mut stdin| stdin.write_all(input).is_ok())
}

/// The process of the agent: the one that it names, or that the hook knew that started this one; else the one that called.
fn process_of(agent: Agent) -> Option<ProcessMark> {
    let named = environment::text(environment::CLAUDE_PID).filter(|_| agent == Agent::Claude);
    let named = environment::text(environment::CKPT_AGENT_PID).or(named);
    let named = named.and_then(|id| id.parse().ok()).map(ProcessMark::of);
    // One that cannot be seen from here tells nothing.
    let named = named.filter(ProcessMark::is_alive);
    named.or_else(ProcessMark::of_caller)
}
