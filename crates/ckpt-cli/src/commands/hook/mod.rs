//! `ckpt hook`
//!
//! Called by agents, often many times a minute, so `main` comes here past the command line parser. Whatever goes wrong,
//! the agent goes on: the exit code is 0, and what happened is in `hooks.jsonl`.

mod late;
mod log;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ckpt::process::ProcessMark;
use ckpt::repository::{Environment, GitUse, Repository, RepositoryError};
use ckpt::time::Timestamp;
use ckpt::voice::quote;
use ckpt::workspace::{Options, Workspace, WorkspaceError};
use ckpt_agents::{
    Action, Agent, Answer, Enforcement, Event, Happening, Host, Policy, Tool, Unfinished, decide,
    respond,
};
use clap::Args;

use self::late::Queue;
use self::log::Entry;
pub(crate) use self::log::{Fired, Log};
use super::plan::named_by_environment;
use crate::environment::{CK_ACTIVE_PLAN, CLAUDE_PID, PROJECTS, Variables};
use crate::failure::{Exit, Failure};
use crate::settings::{Partial, Settings};
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

/// How long a hook waits for another process that changes the same.
const LOCK_WAIT: Duration = Duration::from_millis(300);

/// An agent that does not say what happened within this time has nothing to say.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long that process waits.
const LATE_LOCK_WAIT: Duration = Duration::from_secs(30);

/// How long that process has git at work, for one event.
const LATE_GIT_TIME: Duration = Duration::from_secs(2);

/// A hook looks at so many plans, the newest first.
const MOST_PLANS: usize = 200;

/// A hook follows plans up to this size, in bytes: the plans that people write have a twentieth of it.
const LONGEST_PLAN: u64 = 512 * 1024;

/// A hook looks at so many checkpoints of commands, and of pipelines.
const MOST_CHECKPOINTS: usize = 2_000;

/// A hook looks at so many names and values of each directory of checkpoints.
const MOST_VALUES: usize = 250_000;

/// A hook looks at so much Markdown to list plans, in bytes.
const MOST_PLAN_TEXT: u64 = 1024 * 1024;

/// The most that a hook reads of what lies in a repository, in bytes: what is larger costs more time than an agent has.
const READ_BUDGET: u64 = 24 * 1024 * 1024;

/// The most that an event may have. A tool may answer with megabytes.
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
        // What came in just before the lock was given up has nobody else.
        if queue.is_empty() {
            return;
        }
    }
}

/// What is asked of a workspace by those that an agent waits for: a clone can bring more than there is time for.
pub(crate) fn limited() -> Options {
    Options {
        read_budget: Some(READ_BUDGET),
        most_plans: Some(MOST_PLANS),
        longest_plan: Some(LONGEST_PLAN),
        most_checkpoints: Some(MOST_CHECKPOINTS),
        most_values: Some(MOST_VALUES),
        most_plan_text: Some(MOST_PLAN_TEXT),
        ..Options::default()
    }
}

/// The workspace that an event is about, where anything is kept at all: that of the file that was edited, else that of
/// the directory that the agent works in. A session stays where it began, wherever its agent has gone since.
fn workspace_of(variables: &Variables, event: Option<&Event>) -> Option<Workspace> {
    let open = |directory: &Path| {
        let directory = Some(directory).filter(|directory| directory.is_dir())?;
        let repository = repository_of(variables, directory).ok()?;
        let options = Options {
            user_state: variables.user_state(&repository),
            ..limited()
        };
        let workspace = Workspace::of(repository, options);
        Some(workspace).filter(Workspace::is_in_use)
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
    let mut began = PROJECTS.iter().filter_map(|name| variables.path(name));
    let began = session.and_then(|_| began.find_map(|directory| open(&directory)));
    began.filter(knows).or(workspace)
}

/// The repository that an agent works in. A clone can set variables for hooks through the settings of an agent, and they do
/// not lead elsewhere: a git directory that is named counts only where none is found.
fn repository_of(variables: &Variables, directory: &Path) -> Result<Repository, RepositoryError> {
    let named = variables.git();
    let holds_it = |root: &PathBuf| is_above(root, directory);
    let found = Environment {
        git_root: named.git_root.filter(holds_it),
        git_work_tree: named.git_work_tree.filter(holds_it),
        git_dir: None,
        ..named
    };
    let repository = Repository::discover(directory, &found)?;
    let extent = variables.extent(&repository);
    match named.git_dir.filter(|path| !extent.holds(path)) {
        Some(git_dir) if !repository.is_git() => {
            let git_dir = Some(git_dir);
            Repository::discover(directory, &Environment { git_dir, ..found })
        }
        _ => Ok(repository),
    }
}

/// Whether a directory is another one, or lies above it.
fn is_above(above: &Path, directory: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let above = real(above);
    real(directory)
        .zip(above)
        .is_some_and(|(directory, above)| directory.starts_with(above))
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

/// A call with its event.
struct Told<'e> {
    call: Call,
    event: &'e Event,
    input: Arc<Vec<u8>>,
}

impl Told<'_> {
    fn carry_out(&self, ui: &mut Ui, workspace: Workspace, log: &Log, mut entry: Entry) {
        // Settings that cannot be read do not keep state from being kept.
        let Partial {
            settings,
            unread,
            doubt,
            ..
        } = Partial::load(ui.variables(), workspace.repository());
        let message = |failure: Failure| failure.message().to_owned();
        let mut errors: Vec<String> = unread.into_iter().map(message).collect();
        let host = self.host(ui.variables(), &settings);
        let is_idle = decide(self.event, host.policy).is_empty();
        let watch = match self.call.turn {
            Turn::Waited if !is_idle => {
                // The time began when the process did.
                let spent = entry.begin.elapsed();
                let deadline = settings.hook_deadline().saturating_sub(spent);
                Some(self.watch(
                    &workspace,
                    deadline,
                    self.without_verdict(&host),
                    log,
                    &entry,
                ))
            }
            Turn::Waited | Turn::Late => None,
        };
        let options = self.options(ui.variables(), &workspace, &settings, entry.begin);
        let workspace = workspace.with_options(options);
        let mut response = respond(&workspace, &host, self.event);
        if let (Some(denial), Some(doubt)) = (&mut response.answer.denial, doubt) {
            let denial_in_doubt = format!(
                "{}\nWhat guards shipping is on, because settings cannot be read: {}",
                denial.trim_end(),
                quote(&doubt)
            );
            *denial = denial_in_doubt;
        }
        if let Some(watch) = watch {
            watch.finish();
        }
        let mut answer = response.answer.written(self.call.agent, self.event);
        if !answer.is_empty() && self.call.turn == Turn::Waited {
            answer.push('\n');
            // If the agent no longer listens, there is nobody to tell.
            let _ = ui.raw(answer.as_bytes());
        }
        let busy = response.errors.iter().any(WorkspaceError::is_busy);
        if busy && self.call.turn == Turn::Waited {
            let (variables, agent) = (ui.variables(), self.call.agent);
            let process = process_of(variables, agent);
            entry.handed_on =
                late::hand_on(variables, &workspace, agent, process.as_ref(), &self.input);
        }
        let failures = response.errors.into_iter().map(Failure::from);
        errors.extend(failures.map(message));
        entry.error = (!errors.is_empty()).then(|| errors.join("; "));
        log.add(&entry);
    }

    fn host(&self, variables: &Variables, settings: &Settings) -> Host {
        Host {
            agent: self.call.agent,
            process: self.process(variables),
            told_at: self.call.told_at,
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
        let actions = decide(self.event, host.policy);
        let is_denied = |action: &Action| matches!(action, Action::DenyWhileBlocked(_));
        if !actions.iter().any(is_denied) {
            return String::new();
        }
        let denial = "Whether a gate blocks shipping cannot be told in time. Ask again with: ckpt gate check KEY";
        let answer = Answer {
            denial: Some(denial.to_owned()),
            ..Answer::default()
        };
        format!("{}\n", answer.written(self.call.agent, self.event))
    }

    fn options(
        &self,
        variables: &Variables,
        workspace: &Workspace,
        settings: &Settings,
        begin: Instant,
    ) -> Options {
        // What a gate says, or that it cannot be told, has to reach the agent.
        let git_time = match self.call.turn {
            Turn::Waited => settings.hook_deadline() * 7 / 8,
            Turn::Late => LATE_GIT_TIME,
        };
        let is_about_one = matches!(
            self.event.happening,
            Happening::SubagentStart { .. } | Happening::SubagentStop { .. }
        );
        // A session can have a type as well; what happens in a sub-agent has its id.
        let subagent = self.event.subagent.as_ref().filter(|subagent| {
            !subagent.kind.is_empty() && (is_about_one || !subagent.id.is_empty())
        });
        let here = self.event.directory.as_deref().unwrap_or(Path::new("."));
        let active = variables.text(CK_ACTIVE_PLAN);
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
            approvals: settings.approvals(),
            approved_by: format!("agent:{}", self.call.agent),
            user_state: variables.user_state(workspace.repository()),
            imports_progress: false,
            git: GitUse {
                until: Some(begin + git_time),
                ..settings.git_use()
            },
            lock_wait: match self.call.turn {
                Turn::Waited => LOCK_WAIT,
                Turn::Late => LATE_LOCK_WAIT,
            },
            ..limited()
        }
    }

    /// Finds the process of the agent. Only sessions that begin are looked up.
    fn process(&self, variables: &Variables) -> Box<dyn Fn(Agent) -> Option<ProcessMark>> {
        match self.call.turn {
            Turn::Waited => {
                let variables = variables.clone();
                Box::new(move |agent| process_of(&variables, agent))
            }
            Turn::Late => {
                let known = self.call.process.map(ProcessMark::of);
                Box::new(move |_| known.clone().filter(ProcessMark::is_alive))
            }
        }
    }

    /// Sees to it that the agent does not wait for ever. What is under way when the time is up is left as if the process
    /// had been killed, which loses nothing, and done again by another process.
    fn watch(
        &self,
        workspace: &Workspace,
        deadline: Duration,
        unjudged: String,
        log: &Log,
        entry: &Entry,
    ) -> Watch {
        let (agent, input) = (self.call.agent, Arc::clone(&self.input));
        let (workspace, log, mut entry) = (workspace.clone(), log.clone(), entry.clone());
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
                // A hook always runs in a process of its own.
                let mut ui = Ui::of_process();
                if unjudged.is_empty() {
                    let process = process_of(ui.variables(), agent);
                    entry.handed_on =
                        late::hand_on(ui.variables(), &workspace, agent, process.as_ref(), &input);
                } else {
                    let _ = ui.raw(unjudged.as_bytes());
                }
                entry.error = Some("it took too long".to_owned());
                log.add(&entry);
                ckpt::repository::end_running_git();
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

/// The process of the agent: the one that it names, else the one that called.
fn process_of(variables: &Variables, agent: Agent) -> Option<ProcessMark> {
    let named = variables
        .text(CLAUDE_PID)
        .filter(|_| agent == Agent::Claude);
    let named = named.and_then(|id| id.parse().ok()).map(ProcessMark::of);
    // One that cannot be seen from here tells nothing.
    let named = named.filter(ProcessMark::is_alive);
    named.or_else(ProcessMark::of_caller)
}

/// Whether a program calls `ckpt` without a word and has something to tell it: an agent that reads the settings of another
/// one does that before each of its tools, and takes an exit code of 2 for a no.
pub(crate) fn is_called_without_words(ui: &mut Ui) -> bool {
    if ui.is_attended() {
        return false;
    }
    let input = ui.input_within(Duration::from_millis(50), LONGEST_EVENT);
    input.is_ok_and(|input| !input.is_empty())
}
