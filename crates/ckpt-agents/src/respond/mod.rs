//! Doing what an event asks for.

mod files;
mod sessions;
mod subagents;

use ckpt::Timestamp;
use ckpt::plan::Ending;
use ckpt::process::ProcessMark;
use ckpt::voice::{flat, name, quote, quotes, suggested};
use ckpt::workspace::{
    Beginning, BlockedGate, Closing, PlanView, SessionRecord, Shipped, Survey, Workspace,
    WorkspaceError,
};

use crate::agent::Agent;
use crate::answer::Answer;
use crate::decide::{Action, Policy};
use crate::event::Event;
use crate::shipping::Shipment;

/// Who an event comes from, and how much may be said.
pub struct Host {
    /// The agent.
    pub agent: Agent,
    /// Finds its process. Only sessions that begin are looked up.
    pub process: Box<dyn Fn(Agent) -> Option<ProcessMark>>,
    /// When the event was told first, where another process goes on with it.
    pub told_at: Option<Timestamp>,
    /// How many tokens the resume brief may have.
    pub budget: usize,
    /// What the user wants of hooks.
    pub policy: Policy,
}

/// What came of an event.
#[derive(Debug, Default)]
pub struct Response {
    /// What the agent should know.
    pub answer: Answer,
    /// What went wrong. The rest was done all the same.
    pub errors: Vec<WorkspaceError>,
}

/// Carries out what was [decided](crate::decide()) for an event, and says what the agent should know. Where nothing was
/// ever kept ([`Workspace::is_in_use`]), this is not called: nothing is to be written there.
///
/// All of it may happen twice, or at the same time in many processes: what must happen once is remembered.
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
    for action in actions {
        if let Err(error) = actor.act(action) {
            response.errors.push(error);
        }
    }
    response
}

struct Actor<'a> {
    workspace: &'a Workspace,
    /// What is in flight, where an action has looked at it.
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
            Action::Brief => {
                let told = self.brief();
                if let Err(error) = &told {
                    let error = quote(&error.to_string());
                    self.say(&format!("Where the work stands cannot be told: {error}."));
                }
                told
            }
            Action::FollowPlansOf(files) => {
                for id in self.plans_of(&files) {
                    self.follow(&id)?;
                }
                Ok(())
            }
            Action::Absorb(files) => self.absorb(&files),
            Action::FollowPlans => {
                // One that cannot be followed does not keep the others from it.
                let plans = self.workspace.changed_plans()?;
                let followed = plans.iter().map(|id| self.follow(id));
                let failed = followed.filter_map(Result::err).collect::<Vec<_>>();
                failed.into_iter().next().map_or(Ok(()), Err)
            }
            Action::LookAtHead => self.look_at_head(),
            Action::CountPrompt => self.count_prompt(),
            // Nobody hears the answer to what comes late.
            Action::TellGates | Action::DenyWhileBlocked(_) if self.host.told_at.is_some() => {
                Ok(())
            }
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
                    // What cannot be judged may block.
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

    /// Adds a line to what the model should know.
    fn say(&mut self, line: &str) {
        self.say_lines(&flat(line));
    }

    /// Adds lines to what the model should know, in which all that others wrote stands in quotes already.
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

    /// Changes what is remembered of the session; `None` where it is not noted.
    fn remember<T>(
        &self,
        change: impl FnOnce(&mut SessionRecord) -> T,
    ) -> Result<Option<T>, WorkspaceError> {
        match &self.event.session {
            Some(session) => self.workspace.sessions().change(session, change),
            None => Ok(None),
        }
    }

    /// Notes a session that goes on and was not noted when it began, because hooks came later or its last end could not
    /// be told yet.
    fn note_if_new(&self) -> Done {
        let Some(session) = self.event.session.as_deref() else {
            return Ok(());
        };
        if let Some(known) = self.workspace.sessions().get(session) {
            // What comes late says nothing about now.
            if !known.is_over() || self.host.told_at.is_some() {
                return Ok(());
            }
            // Its new life must not hide its end.
            self.workspace
                .sessions()
                .close(session, Closing::Found, |over| {
                    self.over(&over.id, Ending::Quiet)
                })?;
        }
        self.note(session)
    }

    /// Notes a session that was never noted. One that has ended stays so, because what is told of it may come late.
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
            told_at: None,
        })
    }

    /// The plan that is worked on, where its Markdown can be followed.
    fn active_view(&self) -> Result<Option<PlanView>, WorkspaceError> {
        let Some(active) = self.workspace.active_plan()? else {
            return Ok(None);
        };
        let view = self.workspace.plan(&active.id).view()?;
        Ok(Some(view).filter(|view| view.unparsable.is_none()))
    }
}

/// What is said where they cannot be asked.
fn unjudged(error: &WorkspaceError) -> String {
    let error = quote(&error.to_string());
    format!(
        "Whether a gate blocks shipping cannot be told: {error}. Ask again with: ckpt gate check KEY"
    )
}

/// What the gates of all that is in flight say.
fn verdict(blocked: &[BlockedGate]) -> String {
    if blocked.is_empty() {
        return "No gate of what is in flight blocks shipping.".to_owned();
    }
    let lines = blocked.iter().map(|gate| {
        let (key, reasons) = (name(&gate.name), quotes(&gate.reasons));
        let word = suggested(&gate.name);
        format!("The gate of {key} blocks shipping: {reasons}. Details: ckpt gate check {word}\n")
    });
    lines.collect()
}
