//! Doing what an event asks for.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use ckpt::gate::Proof;
use ckpt::key::PlanId;
use ckpt::plan::{
    Ending, Helper, Loss, NoteChange, Reason, Refusal, Said, claimed_tasks, named_tasks,
};
use ckpt::process::ProcessMark;
use ckpt::repository::CommitId;
use ckpt::resume::{most_shown, render};
use ckpt::standing::Lifecycle;
use ckpt::workspace::{
    Absorbed, Beginning, BlockedGate, OtherSessions, PlanOutcome, PlanView, SessionRecord,
    Workspace, WorkspaceError, session_name,
};

use crate::agent::Agent;
use crate::answer::Answer;
use crate::decide::{Action, Policy, decide};
use crate::event::{Event, Happening, Subagent};
use crate::reports::{Handed, handed_over, partial};
use crate::transcript::{self, Transcript};

/// Who an event comes from, and how much may be said.
#[derive(Debug, Clone)]
pub struct Host {
    /// The agent.
    pub agent: Agent,
    /// Its process, where it is known.
    pub process: Option<ProcessMark>,
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

/// After so many things that the user said a copy is made.
const PROMPTS: u64 = 5;

/// So many findings of a checkpoint written by hand are told.
const MOST_FINDINGS: usize = 10;

/// Acts on an event, and says what the agent should know. Where nothing was ever kept
/// ([`Workspace::is_in_use`]), this is not called: nothing is to be written there.
///
/// All of it may happen twice, or at the same time in many processes: a plan whose state agrees with it is left alone,
/// without a lock, and what must happen once is remembered.
pub fn respond(workspace: &Workspace, host: &Host, event: &Event) -> Response {
    let mut response = Response::default();
    let mut actor = Actor {
        workspace,
        host,
        event,
        answer: &mut response.answer,
    };
    for action in decide(event, host.policy) {
        if let Err(error) = actor.act(action) {
            response.errors.push(error);
        }
    }
    response
}

struct Actor<'a> {
    workspace: &'a Workspace,
    host: &'a Host,
    event: &'a Event,
    answer: &'a mut Answer,
}

type Done = Result<(), WorkspaceError>;

impl Actor<'_> {
    fn act(&mut self, action: Action) -> Done {
        match action {
            Action::BeginSession => self.begin(),
            Action::HealActivePlan => match self.workspace.active_plan()? {
                Some(active) => self.unless_followed(&active.id, Workspace::heal_plan),
                None => Ok(()),
            },
            Action::Brief => self.brief(),
            Action::FollowPlansOf(files) => {
                for id in self.plans_of(&files) {
                    self.follow(&id)?;
                }
                Ok(())
            }
            Action::Absorb(files) => self.absorb(&files),
            Action::FollowActivePlan => match self.workspace.active_plan()? {
                Some(active) => self.follow(&active.id),
                None => Ok(()),
            },
            Action::LookAtHead => self.look_at_head(),
            Action::CountPrompt => self.count_prompt(),
            Action::TellGates => {
                let verdict = verdict(&self.workspace.blocked_gates()?);
                self.say(&verdict);
                Ok(())
            }
            Action::DenyWhileBlocked => {
                let blocked = self.workspace.blocked_gates()?;
                self.answer.denial = (!blocked.is_empty()).then(|| verdict(&blocked));
                Ok(())
            }
            Action::RememberSpawn { kind, prompt } => self.remember_spawn(&kind, &prompt),
            Action::RememberReport { subagent, report } => {
                self.remember(|record| record.remember_report(&subagent.id, &report))?;
                Ok(())
            }
            Action::StartSubagent { subagent, task } => self.start(&subagent, &task),
            Action::StopSubagent {
                subagent,
                report,
                may_send_back,
            } => self.stop(&subagent, &report, may_send_back),
            Action::Nudge => self.nudge(),
            Action::NoteSession(reason) => self.note_session(reason),
            Action::BackUp(reason) => self.back_up(reason),
            Action::EndSession => self.end(),
        }
    }

    /// Adds a paragraph to what the model should know.
    fn say(&mut self, text: &str) {
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
            Some(session) => {
                self.workspace
                    .change_session(self.host.agent.as_str(), session, change)
            }
            None => Ok(None),
        }
    }

    /// The plan that is worked on, where its Markdown can be followed.
    fn active_view(&self) -> Result<Option<PlanView>, WorkspaceError> {
        let Some(active) = self.workspace.active_plan()? else {
            return Ok(None);
        };
        let view = self.workspace.plan(&active.id)?;
        Ok(Some(view).filter(|view| view.unparsable.is_none()))
    }

    /// Notes that the session begins, and tells what became of others.
    fn begin(&mut self) -> Done {
        let Some(session) = &self.event.session else {
            return Ok(());
        };
        let beginning = Beginning {
            agent: self.host.agent.as_str(),
            id: session,
            process: self.host.process.as_ref(),
            transcript: self.event.transcript.as_deref().and_then(Path::to_str),
        };
        let others = self.workspace.begin_session(&beginning, |crashed| {
            self.over(&crashed.name(), Ending::Crash)
        })?;
        let OtherSessions { live, crashed } = others;
        for crashed in crashed {
            self.say(&format!(
                "A session of {} that began at {} ended without a word; what it recorded is all here.",
                crashed.agent, crashed.begun_at
            ));
        }
        for live in live {
            self.say(&format!(
                "Another session of {} has been live since {}.",
                live.agent, live.begun_at
            ));
        }
        Ok(())
    }

    /// Notes in every plan that a session is over: what its sub-agents left, and that its claims have lapsed.
    fn over(&self, session: &str, ending: Ending) -> Done {
        let active = self.workspace.active_plan()?.map(|active| active.id);
        let mut plans = self.workspace.helpers_at_work(session)?;
        if let (Ending::Crash, Some(active)) = (ending, &active)
            && !plans.iter().any(|(id, _)| id == active)
        {
            plans.push((active.clone(), Vec::new()));
        }
        for (id, helpers) in plans {
            let losses: Vec<Loss> = helpers.iter().map(|helper| self.loss(helper)).collect();
            // A crash is told in the plan that is worked on; what is lost, wherever it was.
            let ending = match Some(&id) == active.as_ref() {
                true => ending,
                false => Ending::Quiet,
            };
            let is_followed = self.workspace.plan(&id)?.unparsable.is_none();
            if is_followed {
                self.workspace
                    .end_session_in_plan(&id, session, &losses, ending)?;
            }
        }
        Ok(())
    }

    fn loss(&self, helper: &Helper) -> Loss {
        let transcript = helper.transcript.as_deref().map(Path::new);
        let transcript = transcript.map(Transcript::load).unwrap_or_default();
        let limit = self.workspace.options().summary_limit;
        Loss {
            id: helper.id.clone(),
            handoff: partial(helper, &transcript, limit),
        }
    }

    /// Says where the work stands: before what was said so far comes what matters most.
    fn brief(&mut self) -> Done {
        let (keys, _) = self.workspace.in_flight()?;
        // What vanished since it was listed does not hide the rest.
        let shown = keys.len().min(most_shown(self.host.budget));
        let briefs: Vec<_> = keys[..shown]
            .iter()
            .filter_map(|key| self.workspace.brief_of(key).ok())
            .collect();
        let before = self.answer.context.take();
        self.say(&render(&briefs, keys.len() - shown, self.host.budget).text);
        self.say(&before.unwrap_or_default());
        Ok(())
    }

    /// Brings the state of a plan into agreement with its Markdown, if it is not.
    fn follow(&self, id: &PlanId) -> Done {
        self.unless_followed(id, Workspace::sync_plan)
    }

    fn unless_followed(
        &self,
        id: &PlanId,
        change: impl Fn(&Workspace, &PlanId) -> Result<PlanOutcome, WorkspaceError>,
    ) -> Done {
        if self.workspace.is_followed(id)? {
            return Ok(());
        }
        match change(self.workspace, id) {
            // Its state stands for it until it can be read again, and its history says so.
            Ok(_) | Err(WorkspaceError::Plan(Refusal::Unparsable(_) | Refusal::Missing(_))) => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// The part of a path below a directory. Mostly it can be seen; else both are looked at without links.
    fn below(&self, file: &Path, directory: &Path) -> Option<PathBuf> {
        let here = self.event.directory.as_deref().unwrap_or(Path::new("."));
        let file = here.join(file);
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if let Ok(below) = file.strip_prefix(directory)
            && below.components().all(is_plain)
        {
            return Some(below.to_owned());
        }
        let file = resolved(&file);
        file.strip_prefix(resolved(directory))
            .ok()
            .map(Path::to_owned)
    }

    /// The plans that files belong to, each once.
    fn plans_of(&self, files: &[PathBuf]) -> Vec<PlanId> {
        let plans = self.workspace.plans_directory();
        let mut ids: Vec<PlanId> = Vec::new();
        for file in files {
            let Some(below) = self.below(file, &plans) else {
                continue;
            };
            let mut parts = below.components().map(Component::as_os_str);
            let id = parts.next().and_then(|id| PlanId::new(id.to_str()?).ok());
            let is_markdown = below.extension().is_some_and(|extension| extension == "md");
            if let (Some(id), Some(_), None, true) = (id, parts.next(), parts.next(), is_markdown)
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        ids
    }

    /// Takes over what was written by hand, and says what is wrong with it.
    fn absorb(&mut self, files: &[PathBuf]) -> Done {
        for directory in [
            self.workspace.state_directory(),
            self.workspace.pipelines_directory(),
        ] {
            for file in files {
                let Some(name) = self.below(file, &directory) else {
                    continue;
                };
                if let Some(absorbed) = self.workspace.absorb(&directory.join(name))? {
                    self.say(&told(&absorbed));
                }
            }
        }
        Ok(())
    }

    /// Says what another commit makes stale.
    fn look_at_head(&mut self) -> Done {
        let Some(session) = &self.event.session else {
            return Ok(());
        };
        let agent = self.host.agent.as_str();
        let Some(record) = self.workspace.session(agent, session) else {
            return Ok(());
        };
        let head = self.workspace.head().commit;
        let head = head.as_ref().map(CommitId::as_str);
        if head.is_none() || record.head.as_deref() == head {
            return Ok(());
        }
        let before = self.remember(|record| record.look_at(head))?.flatten();
        if let (Some(before), Some(head)) = (before, head) {
            self.tell_stale(&before, head)?;
        }
        Ok(())
    }

    fn tell_stale(&mut self, before: &str, head: &str) -> Done {
        let (summaries, _) = self.workspace.list()?;
        let mut stale = Vec::new();
        for summary in summaries {
            if summary.lifecycle != Lifecycle::InFlight {
                continue;
            }
            let gates = summary.gates.iter();
            let moved: Vec<&str> = gates
                .filter(|gate| matches!(gate.proof, Proof::Stale | Proof::Unchecked))
                .map(|gate| gate.gate.as_str())
                .collect();
            let key = summary.key.short();
            match (summary.stale.is_some(), moved.is_empty()) {
                (_, false) => stale.push(format!("{key} (gates {})", moved.join(", "))),
                (true, true) => stale.push(key),
                (false, true) => {}
            }
        }
        if !stale.is_empty() {
            let short = |commit: &str| commit.chars().take(8).collect::<String>();
            self.say(&format!(
                "HEAD moved from {} to {}. Saved or proven before that: {}.",
                short(before),
                short(head),
                stale.join(", ")
            ));
        }
        Ok(())
    }

    fn count_prompt(&self) -> Done {
        let id = self.event.id.as_deref();
        let count = self.remember(|record| record.count_prompt(id))?.flatten();
        match count {
            Some(count) if count.is_multiple_of(PROMPTS) => self.back_up(Reason::Prompts),
            _ => Ok(()),
        }
    }

    /// The open tasks that a text names.
    fn named_in(&self, text: &str) -> Result<Vec<String>, WorkspaceError> {
        let view = self.active_view()?;
        let tasks: HashSet<&str> = view
            .iter()
            .flat_map(|view| view.outline.tasks())
            .filter(|(_, task)| !task.done)
            .map(|(_, task)| task.id.as_str())
            .collect();
        Ok(named_tasks(text, &tasks))
    }

    fn remember_spawn(&self, kind: &str, prompt: &str) -> Done {
        let tasks = self.named_in(prompt)?;
        self.remember(|record| record.remember_spawn(kind, &tasks))?;
        Ok(())
    }

    fn start(&self, subagent: &Subagent, task: &str) -> Done {
        let Some(view) = self.active_view()? else {
            return Ok(());
        };
        let mut tasks = self.remember(|record| record.take_spawn(&subagent.kind))?;
        if tasks.as_ref().is_none_or(Vec::is_empty) {
            tasks = Some(self.named_in(task)?);
        }
        let transcript = self.event.transcript.as_deref();
        let transcript = transcript.and_then(|path| transcript::of_subagent(path, &subagent.id));
        let helper = Helper {
            id: subagent.id.clone(),
            kind: subagent.kind.clone(),
            tasks: tasks.unwrap_or_default(),
            transcript: transcript.map(|path| path.display().to_string()),
        };
        self.workspace.start_helper(&view.id, &helper)
    }

    fn stop(&mut self, subagent: &Subagent, report: &str, may_send_back: bool) -> Done {
        let reported = self.remember(|record| record.take_report(&subagent.id))?;
        let reported = reported.flatten();
        let report = reported.as_deref().unwrap_or(report);
        let options = self.workspace.options();
        let limit = options.summary_limit;
        let handed = handed_over(report, limit, &options.by, self.workspace.now());
        if let (Handed::Unusable(reason), true) = (&handed, may_send_back)
            && self.sends_back(subagent)?
        {
            self.answer.objection = Some(format!(
                "This handoff response cannot be recorded: {reason}. It can once that is put right. This is said once."
            ));
            // It is not done yet; what it has ticked so far counts.
            return self.act(Action::FollowActivePlan);
        }
        let Some(view) = self.active_view()? else {
            return Ok(());
        };
        let tasks = view.outline.tasks().map(|(_, task)| task.id.as_str());
        let said = Said {
            claimed: claimed_tasks(report, &tasks.collect()),
            handoff: match handed {
                Handed::Response(record) => Some(record),
                Handed::Nothing | Handed::Unusable(_) => None,
            },
        };
        let helper = Helper {
            id: subagent.id.clone(),
            kind: subagent.kind.clone(),
            ..Helper::default()
        };
        self.workspace.stop_helper(&view.id, &helper, &said)
    }

    /// Whether a sub-agent may be sent back: once. Of a session that is not noted nothing is remembered; there the agent
    /// says itself whether it was sent back.
    fn sends_back(&self, subagent: &Subagent) -> Result<bool, WorkspaceError> {
        let may = self.remember(|record| record.may_send_back(&subagent.id))?;
        Ok(may.unwrap_or(true))
    }

    fn nudge(&mut self) -> Done {
        let Some(view) = self.active_view()? else {
            return Ok(());
        };
        let claims = view.claims(self.workspace.now());
        let standing = self.workspace.plan_standing(&view, &claims);
        let next = standing.open_tasks().next().map(|(_, task)| task);
        // Whoever is blocked may stop.
        let (Some(next), true) = (next, view.outline.blockers.is_empty()) else {
            return Ok(());
        };
        if self.remember(|record| record.may_nudge(&next.id))? == Some(true) {
            let progress = standing.progress();
            self.answer.objection = Some(format!(
                "{} of {} tasks of plan {} are done. Next: task {}: {}. This is said once for each task, and what stands in the way can be recorded with: ckpt plan block TEXT",
                progress.done, progress.total, view.id, next.id, next.text
            ));
        }
        Ok(())
    }

    /// Writes down where the session stands, with the last that the agent said.
    fn note_session(&self, reason: Reason) -> Done {
        let Some(view) = self.active_view()? else {
            return Ok(());
        };
        let what = match reason {
            Reason::Compaction => "compacted",
            _ => "ended",
        };
        let transcript = self.event.transcript.as_deref();
        let words = transcript.and_then(|path| Transcript::load(path).last_words);
        let mut note = format!("{}, {what} at {}", self.host.agent, self.workspace.now());
        if let Some(words) = words {
            let words: Vec<&str> = words.split_whitespace().collect();
            let words = words.join(" ");
            let end = words.floor_char_boundary(LONGEST_WORDS);
            let cut = if end < words.len() { " …" } else { "" };
            note += &format!(": {}{cut}", &words[..end]);
        }
        self.workspace.note(&view.id, &NoteChange::Session(note))?;
        Ok(())
    }

    /// Makes a copy of the state of the plan that is worked on.
    fn back_up(&self, reason: Reason) -> Done {
        if let Some(view) = self.active_view()? {
            self.workspace.back_up_plan(&view.id, reason)?;
        }
        Ok(())
    }

    fn end(&self) -> Done {
        let Some(session) = &self.event.session else {
            return Ok(());
        };
        let agent = self.host.agent.as_str();
        self.workspace.end_session(agent, session);
        self.over(&session_name(agent, session), Ending::Quiet)
    }
}

/// No more of the last words is noted than this, in bytes.
const LONGEST_WORDS: usize = 400;

/// What the gates of all that is in flight say.
fn verdict(blocked: &[BlockedGate]) -> String {
    if blocked.is_empty() {
        return "No gate of what is in flight blocks shipping. Whether an approval holds for the present content: ckpt gate check KEY"
            .to_owned();
    }
    let lines = blocked.iter().map(|gate| {
        let (key, reasons) = (gate.key.short(), gate.reasons.join("; "));
        format!("The gate of {key} blocks shipping: {reasons}. Details: ckpt gate check {key}\n")
    });
    lines.collect()
}

/// What is wrong with a checkpoint that was written by hand, if anything is.
fn told(absorbed: &Absorbed) -> String {
    let name = &absorbed.name;
    if let Some(broken) = &absorbed.broken {
        return format!("{name} is no JSON now: {broken}. The state before is in its history.");
    }
    let lines: Vec<String> = absorbed.findings.iter().map(ToString::to_string).collect();
    if lines.is_empty() {
        return String::new();
    }
    let more = match lines.len().saturating_sub(MOST_FINDINGS) {
        0 => String::new(),
        more => format!("\nand {more} more: ckpt validate {name}"),
    };
    let shown = &lines[..lines.len().min(MOST_FINDINGS)];
    format!(
        "{name} as it was written by hand:\n{}{more}",
        shown.join("\n")
    )
}

/// The path without links, where it is there.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The session that an event happens in, as it is called where agents of all kinds meet.
#[must_use]
pub fn session_of(agent: Agent, event: &Event) -> Option<String> {
    let id = event.session.as_deref()?;
    Some(session_name(agent.as_str(), id))
}

/// Whether an event needs to know the process of its agent.
#[must_use]
pub fn needs_process(event: &Event) -> bool {
    matches!(event.happening, Happening::SessionStart { .. })
}
