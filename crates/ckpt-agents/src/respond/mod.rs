//! Carries out the actions for an event.

mod files;
mod sessions;
mod subagents;

use ckpt::Timestamp;
use ckpt::key::{Key, KeyError, PipelineId};
use ckpt::pipeline::Status;
use ckpt::plan::Ending;
use ckpt::process::ProcessMark;
use ckpt::voice::{first_names, flat, name, quote, quotes, suggested};
use ckpt::workspace::{
    Beginning, BlockedGate, Closing, PlanView, SessionRecord, Shipped, Survey, Wording, Workspace,
    WorkspaceError,
};

use self::files::Editor;
use crate::agent::Agent;
use crate::answer::Answer;
use crate::decide::{Action, Policy};
use crate::event::{Event, Happening};
use crate::shipping::Shipment;

/// Where an event comes from, and the terms of the answer.
pub struct Host {
    /// The agent.
    pub agent: Agent,
    /// Finds its process. Called only when a session begins.
    pub process: Box<dyn Fn(Agent) -> Option<ProcessMark>>,
    /// When the event was first reported, if another process handed it over to this one.
    pub told_at: Option<Timestamp>,
    /// The token limit of the resume brief.
    pub budget: usize,
    /// The user's settings for hooks.
    pub policy: Policy,
}

/// The result of an event.
#[derive(Debug, Default)]
pub struct Response {
    /// The answer to the agent.
    pub answer: Answer,
    /// The actions that failed. The others were still carried out.
    pub errors: Vec<WorkspaceError>,
}

/// Carries out the actions that [`decide()`](crate::decide()) chose for an event, and answers the agent. Must not be
/// called for a workspace that is not [in use](Workspace::is_in_use), because hooks write nothing there.
///
/// An event may be reported twice, or to many processes at once. The session's record ensures that actions which must
/// happen once do.
pub fn respond(
    workspace: &Workspace,
    host: &Host,
    event: &Event,
    actions: Vec<Action>,
) -> Response {
    let mut response = Response::default();
    let mut actor = Actor {
        workspace,
        survey: None,
        host,
        event,
        answer: &mut response.answer,
    };
    // Copilot tells nothing after a compaction, and listens after each tool.
    let is_listening =
        matches!(event.happening, Happening::AfterTool(_)) && event.subagent.is_none();
    let lost = (is_listening && host.agent == Agent::Copilot).then_some(Action::BriefIfLost);
    for action in actions.into_iter().chain(lost) {
        if let Err(error) = actor.act(action) {
            response.errors.push(error);
        }
    }
    response
}

struct Actor<'a> {
    workspace: &'a Workspace,
    /// The work in flight, once an action has read it.
    survey: Option<Survey<'a>>,
    host: &'a Host,
    event: &'a Event,
    answer: &'a mut Answer,
}

type Done = Result<(), WorkspaceError>;

impl Actor<'_> {
    fn act(&mut self, action: Action) -> Done {
        match action {
            Action::BeginSession => self.begin(),
            Action::HealActivePlan => {
                let survey = self.survey.insert(self.workspace.survey()?);
                survey.heal_active_plan()
            }
            Action::BriefIfLost => {
                let session = self.event.session.as_deref();
                let record = session.and_then(|session| self.workspace.sessions().get(session));
                let is_lost = record.is_some_and(|record| record.has_lost_brief())
                    && self.remember(SessionRecord::take_lost_brief)? == Some(true);
                match is_lost {
                    true => self.act(Action::Brief),
                    false => Ok(()),
                }
            }
            Action::Brief => {
                let told = match self.is_copy()? {
                    true => {
                        self.answer.context = None;
                        return Ok(());
                    }
                    false => self.brief(),
                };
                if let Err(error) = &told {
                    let error = quote(&error.to_string());
                    self.say(&format!(
                        "The state of the work could not be read: {error}."
                    ));
                }
                told
            }
            Action::FollowPlansOf(files) => {
                for id in self.plans_of(&files) {
                    self.follow(&id, Editor::ThisAgent)?;
                }
                Ok(())
            }
            Action::Absorb(files) => self.absorb(&files),
            Action::FollowPlans => {
                let plans = self.workspace.changed_plans()?;
                if !plans.is_empty() && self.is_git_at_work() {
                    return Ok(());
                }
                let editor = match self.is_somebody_else_at_work()? {
                    true => Editor::Nobody,
                    false => Editor::Unknown,
                };
                // A plan that cannot be synced does not stop the others.
                let followed = plans.iter().map(|id| self.follow(id, editor));
                let failed = followed.filter_map(Result::err).collect::<Vec<_>>();
                failed.into_iter().next().map_or(Ok(()), Err)
            }
            Action::LookAtHead => self.look_at_head(),
            Action::CountPrompt => self.count_prompt(),
            // The agent no longer waits for the answer to an event that was handed over.
            Action::TellGates | Action::DenyWhileBlocked(_) | Action::ResumePipeline(_)
                if self.host.told_at.is_some() =>
            {
                Ok(())
            }
            Action::ResumePipeline(id) => self.resume_pipeline(id.as_deref()),
            Action::TellGates => {
                let blocked = self.workspace.blocked_gates(Shipped::WorkTree);
                let verdict = blocked
                    .as_ref()
                    .map_or_else(unjudged, |blocked| verdict(blocked));
                self.say_lines(&verdict);
                blocked.map(|_| ())
            }
            Action::DenyWhileBlocked(shipment) => {
                let what = match shipment {
                    Shipment::Commits => Shipped::Head,
                    Shipment::WorkTree => Shipped::WorkTree,
                };
                let blocked = self.workspace.blocked_gates(what);
                self.answer.denial = match &blocked {
                    Ok(blocked) => (!blocked.is_empty()).then(|| verdict(blocked)),
                    // A gate that cannot be checked may block.
                    Err(error) => Some(unjudged(error)),
                };
                blocked.map(|_| ())
            }
            Action::RememberSpawn { kind, prompt } => self.remember_spawn(&kind, &prompt),
            Action::SeeSubagent(subagent) => {
                for id in self.workspace.plans()? {
                    self.workspace.plan(&id).keep_helper(&subagent.id)?;
                }
                Ok(())
            }
            Action::RememberReport { subagent, report } => {
                self.remember(|record| record.remember_report(&subagent.id, &report))?;
                Ok(())
            }
            Action::StartSubagent { subagent, task } => self.start(&subagent, &task),
            Action::StopSubagent {
                subagent,
                task,
                report,
                may_send_back,
            } => self.stop(&subagent, &task, &report, may_send_back),
            Action::Nudge => self.nudge(),
            Action::NoteCompaction => self.compact(),
            Action::EndSession => self.end(),
        }
    }

    /// Whether a plan that changed without a tool of this agent may be the work of its sub-agents.
    fn is_somebody_else_at_work(&self) -> Result<bool, WorkspaceError> {
        let session = match &self.event.happening {
            Happening::SessionEnd | Happening::BeforeCompaction => self.event.session.as_deref(),
            _ => None,
        };
        let Some(session) = session else {
            return Ok(false);
        };
        let plans = self.workspace.sessions().helpers_at_work(session)?;
        Ok(plans.iter().any(|(_, helpers)| !helpers.is_empty()))
    }

    /// The pipeline that a prompt names, or the only one in flight. Says why if there is none.
    fn meant_pipeline(
        &mut self,
        typed: Option<&str>,
    ) -> Result<Option<PipelineId>, WorkspaceError> {
        if let Some(typed) = typed {
            return match self.workspace.find_pipeline(typed) {
                Ok(id) => Ok(Some(id)),
                // The names in such an error come from files.
                Err(WorkspaceError::Key(error)) => {
                    let typed = name(typed);
                    let line = match error {
                        KeyError::Ambiguous { keys, .. } => {
                            let keys = first_names(&keys);
                            format!(
                                "{typed} may mean several pipelines: {keys}. Ask the user which one."
                            )
                        }
                        KeyError::Near { near, .. } => format!(
                            "There is no pipeline {typed}. Ask the user whether this is meant: {}.",
                            first_names(&near)
                        ),
                        _ => format!("{typed} cannot be the id of a pipeline."),
                    };
                    self.say(&line);
                    Ok(None)
                }
                Err(error) => Err(error),
            };
        }
        let (keys, _) = self.workspace.in_flight()?;
        let mut pipelines: Vec<PipelineId> = keys
            .into_iter()
            .filter_map(|key| match key {
                Key::Pipeline(id) => Some(id),
                _ => None,
            })
            .collect();
        match pipelines.len() {
            0 => self.say("No pipeline is in flight."),
            1 => return Ok(pipelines.pop()),
            _ => {
                let names: Vec<&str> = pipelines.iter().map(PipelineId::as_str).collect();
                let names = first_names(&names);
                self.say(&format!(
                    "Several pipelines are in flight: {names}. Ask the user which one."
                ));
            }
        }
        Ok(None)
    }

    /// Shows where a pipeline resumes, and what has to be asked first.
    fn resume_pipeline(&mut self, typed: Option<&str>) -> Done {
        let Some(id) = self.meant_pipeline(typed)? else {
            return Ok(());
        };
        let view = match self.workspace.pipeline(&id).view() {
            Ok(view) => view,
            Err(error) if error.is_not_found() => {
                self.say(&format!("There is no pipeline {}.", name(id.as_str())));
                return Ok(());
            }
            Err(error) => {
                let why = quote(&error.to_string());
                self.say(&format!("{} cannot be read: {why}.", name(id.as_str())));
                return Err(error);
            }
        };
        let word = suggested(id.as_str());
        let first = match view.pipeline().status() {
            Status::Complete => {
                self.say(&format!("{} already complete", name(id.as_str())));
                return Ok(());
            }
            Status::Failed => format!(
                "It failed: {}. Ask the user whether that is fixed, then run: ckpt pipeline resume {word} --fixed",
                view.failure(Wording::Quoted)
            ),
            Status::InProgress if !view.pipeline().buckets().in_progress.is_empty() => format!(
                "It was in progress. Ask the user whether to restart or continue, then run: ckpt pipeline resume {word} --restart, or with --continue"
            ),
            _ => String::new(),
        };
        self.say_lines(&first);
        self.say_lines(&view.resume_text(Wording::Quoted));
        Ok(())
    }

    /// Adds a line to the context for the model.
    fn say(&mut self, line: &str) {
        self.say_lines(&flat(line));
    }

    /// Adds lines to the context for the model. Text that others wrote must already be in quotes.
    fn say_lines(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        match &mut self.answer.context {
            Some(context) => *context = format!("{context}\n{text}"),
            None => self.answer.context = Some(text.to_owned()),
        }
    }

    /// Changes the record of the session; `None` if it has none.
    fn remember<T>(
        &self,
        change: impl FnOnce(&mut SessionRecord) -> T,
    ) -> Result<Option<T>, WorkspaceError> {
        match &self.event.session {
            Some(session) => self.workspace.sessions().change(session, change),
            None => Ok(None),
        }
    }

    /// Records a running session that has no record, because hooks were set up later, or whose record says it ended.
    fn note_if_new(&self) -> Done {
        let Some(session) = self.event.session.as_deref() else {
            return Ok(());
        };
        if let Some(known) = self.workspace.sessions().get(session) {
            // An event that was handed over does not show that the session runs now.
            if !known.is_over() || self.host.told_at.is_some() {
                return Ok(());
            }
            // Close it first, so that its earlier end is not lost.
            self.workspace
                .sessions()
                .close(session, Closing::Found, |over| {
                    self.over(&over.id, Ending::Quiet)
                })?;
        }
        self.note(session)
    }

    /// Records a session that has no record. One that ended stays ended, because the event may be a late one.
    fn note_if_unknown(&self) -> Done {
        match self.event.session.as_deref() {
            Some(session) if self.workspace.sessions().get(session).is_none() => self.note(session),
            _ => Ok(()),
        }
    }

    fn note(&self, session: &str) -> Done {
        self.workspace.sessions().note(&Beginning {
            agent: self.host.agent.as_str(),
            id: session,
            process: (self.host.process)(self.host.agent).as_ref(),
            transcript: self
                .event
                .transcript
                .as_deref()
                .and_then(|path| path.to_str()),
            told_at: None,
        })
    }

    /// The active plan, if its Markdown can be parsed.
    fn active_view(&self) -> Result<Option<PlanView>, WorkspaceError> {
        let Some(active) = self.workspace.active_plan()? else {
            return Ok(None);
        };
        let view = self.workspace.plan(&active.id).view()?;
        Ok(Some(view).filter(|view| view.unparsable.is_none()))
    }
}

/// The message if the gates could not be checked.
fn unjudged(error: &WorkspaceError) -> String {
    let error = quote(&error.to_string());
    format!(
        "Could not check whether a gate blocks shipping: {error}. Check again with: ckpt gate check KEY"
    )
}

/// The verdict of the gates of all work in flight.
fn verdict(blocked: &[BlockedGate]) -> String {
    if blocked.is_empty() {
        return "No gate of the work in flight blocks shipping.".to_owned();
    }
    let lines = blocked.iter().map(|gate| {
        let (key, reasons) = (name(&gate.name), quotes(&gate.reasons));
        let word = suggested(&gate.name);
        format!("The gate of {key} blocks shipping: {reasons}. Details: ckpt gate check {word}\n")
    });
    lines.collect()
}
