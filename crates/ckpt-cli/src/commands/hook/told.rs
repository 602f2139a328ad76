//! Handles one event, within the time that an agent waits.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ckpt::process::ProcessMark;
use ckpt::repository::GitUse;
use ckpt::voice::quote;
use ckpt::workspace::{Options, Workspace, WorkspaceError};
use ckpt_agents::{
    Action, Agent, Answer, Enforcement, Event, Happening, Host, Policy, Unfinished, decide, respond,
};

use super::super::plan::named_by_environment;
use super::log::{Entry, Log};
use super::place::limited;
use super::{Call, Turn, late};
use crate::environment::{CK_ACTIVE_PLAN, CLAUDE_PID, Variables};
use crate::failure::Failure;
use crate::settings::{Reading, Settings};
use crate::ui::Ui;

/// How long a hook waits for the lock.
const LOCK_WAIT: Duration = Duration::from_millis(300);

/// How long the late process waits for the lock.
const LATE_LOCK_WAIT: Duration = Duration::from_secs(30);

/// How long the late process may run git for one event.
const LATE_GIT_TIME: Duration = Duration::from_secs(2);

/// A hook call with its event.
pub(super) struct Told<'e> {
    pub(super) call: Call,
    pub(super) event: &'e Event,
    pub(super) input: Arc<Vec<u8>>,
}

impl Told<'_> {
    pub(super) fn carry_out(&self, ui: &mut Ui, workspace: Workspace, log: &Log, mut entry: Entry) {
        // Invalid settings must not keep the event from being recorded.
        let Reading {
            settings, broken, ..
        } = Reading::of(ui.variables(), workspace.repository());
        let message = |failure: Failure| failure.message().to_owned();
        let mut errors: Vec<String> = broken.into_iter().map(message).collect();
        let doubt = errors.first().map(|reason| quote(reason));
        let host = self.host(ui.variables(), &settings);
        let actions = decide(self.event, host.policy);
        let watch = match self.call.turn {
            Turn::Waited if !actions.is_empty() => {
                // The deadline counts from the start of the process.
                let spent = entry.begin.elapsed();
                let deadline = settings.hook_deadline().saturating_sub(spent);
                Some(self.watch(
                    &workspace,
                    deadline,
                    self.without_verdict(&actions),
                    log,
                    &entry,
                ))
            }
            Turn::Waited | Turn::Late => None,
        };
        let options = self.options(ui.variables(), &workspace, &settings, entry.begin);
        let workspace = workspace.with_options(options);
        let mut response = respond(&workspace, &host, self.event, actions);
        if let (Some(denial), Some(doubt)) = (&mut response.answer.denial, doubt) {
            let denial_in_doubt = format!(
                "{}\nGates are enforced because the settings are invalid: {doubt}",
                denial.trim_end(),
            );
            *denial = denial_in_doubt;
        }
        if let Some(watch) = watch {
            watch.finish();
        }
        let mut answer = response.answer.written(self.call.agent, self.event);
        if !answer.is_empty() && self.call.turn == Turn::Waited {
            answer.push('\n');
            // If the agent has stopped listening, there is nothing to do.
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

    /// The answer if time runs out before a gate is checked: what the gate might block is denied.
    fn without_verdict(&self, actions: &[Action]) -> String {
        let is_denied = |action: &Action| matches!(action, Action::DenyWhileBlocked(_));
        if !actions.iter().any(is_denied) {
            return String::new();
        }
        let denial = "Could not check in time whether a gate blocks shipping. Check again with: ckpt gate check KEY";
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
        // The gate's verdict, or that there is none, must reach the agent in time.
        let git_time = match self.call.turn {
            Turn::Waited => settings.hook_deadline() * 7 / 8,
            Turn::Late => LATE_GIT_TIME,
        };
        let is_about_one = matches!(
            self.event.happening,
            Happening::SubagentStart { .. } | Happening::SubagentStop { .. }
        );
        // The main session can have a type too, but only an event in a sub-agent has an id.
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
            summary_limit: settings.summary_limit().weighed(),
            follow_symlinks: settings.follow_symlinks(),
            review: settings.review(),
            approvals: settings.approvals(),
            approved_by: format!("agent:{}", self.call.agent),
            user_state: variables.user_state(workspace.repository()),
            imports_progress: false,
            left_behind: ckpt_agents::left_behind,
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

    /// Finds the agent's process. It is looked up only when a session begins.
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

    /// Ends this process when time is up, so that the agent does not wait forever. That is as safe as a kill: nothing
    /// is lost, and the late process handles the event again.
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
        // If the thread cannot be started, the agent's own limit applies. It is never joined: it ends with the process.
        let _ = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                std::thread::sleep(deadline);
                if is_over.swap(true, Ordering::AcqRel) {
                    return;
                }
                // A hook always runs in its own process.
                let mut ui = Ui::of_process();
                if unjudged.is_empty() {
                    let process = process_of(ui.variables(), agent);
                    entry.handed_on =
                        late::hand_on(ui.variables(), &workspace, agent, process.as_ref(), &input);
                } else {
                    let _ = ui.raw(unjudged.as_bytes());
                }
                entry.error = Some("timed out".to_owned());
                log.add(&entry);
                ckpt::repository::end_running_git();
                std::process::exit(0);
            });
        watch
    }
}

/// The stack size of the watching thread, in bytes.
const STACK: usize = 256 * 1024;

/// Enforces the deadline of a hook.
#[derive(Default)]
struct Watch {
    /// Set when the work is done or the time is up, whichever comes first.
    is_over: Arc<AtomicBool>,
}

impl Watch {
    /// Call when the work is done. Does not return if time ran out just before: the process is about to end.
    fn finish(self) {
        if self.is_over.swap(true, Ordering::AcqRel) {
            loop {
                std::thread::park();
            }
        }
    }
}

/// The agent's process: the one it names, or else the caller.
fn process_of(variables: &Variables, agent: Agent) -> Option<ProcessMark> {
    let named = variables
        .text(CLAUDE_PID)
        .filter(|_| agent == Agent::Claude);
    let named = named.and_then(|id| id.parse().ok()).map(ProcessMark::of);
    // A process in another namespace is not visible from here and cannot be watched.
    let named = named.filter(ProcessMark::is_alive);
    named.or_else(ProcessMark::of_caller)
}
