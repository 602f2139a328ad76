//! What an event makes `ckpt` do.

use std::path::{Component, Path, PathBuf};

use ckpt::key::PlanId;
use ckpt::plan::Reason;
use ckpt::process::ProcessMark;
use ckpt::resume::render;
use ckpt::workspace::{BlockedGate, OtherSessions, Workspace, WorkspaceError};

use crate::agent::Agent;
use crate::answer::Answer;
use crate::event::{Event, Happening, Tool};
use crate::shipping::ships;

/// Who an event comes from, and how much may be said.
#[derive(Debug, Clone)]
pub struct Host {
    /// The agent.
    pub agent: Agent,
    /// Its process, where it is known.
    pub process: Option<ProcessMark>,
    /// How many tokens the resume brief may have.
    pub budget: usize,
    /// What a gate that blocks does.
    pub enforcement: Enforcement,
}

/// After so many things that the user said a copy is made.
const PROMPTS: u64 = 5;

/// What a gate that blocks does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// It is told.
    #[default]
    Told,
    /// Commands that ship something are denied, as far as they are recognised.
    Denied,
}

/// Acts on an event, and says what the agent should know. Where nothing was ever kept
/// ([`Workspace::is_in_use`]), this is not called: nothing is to be written there.
///
/// All of it may happen twice, or at the same time in many processes: a plan whose state agrees with it is left alone,
/// without a lock.
pub fn respond(
    workspace: &Workspace,
    host: &Host,
    event: &Event,
) -> Result<Answer, WorkspaceError> {
    match &event.happening {
        Happening::SessionStart { .. } => begin(workspace, host, event),
        Happening::AfterTool(Tool::Edit { files }) => {
            for id in plans_of(workspace, event, files) {
                follow(workspace, &id)?;
            }
            Ok(Answer::default())
        }
        // A command can have changed any plan; the one that is worked on is looked at.
        Happening::AfterTool(Tool::Shell { .. }) | Happening::SubagentStop { .. } => {
            if let Some(active) = workspace.active_plan()? {
                follow(workspace, &active.id)?;
            }
            Ok(Answer::default())
        }
        Happening::BeforeCompaction => {
            back_up(workspace, Reason::Compaction)?;
            Ok(Answer::default())
        }
        Happening::SessionEnd { .. } => {
            // Whatever becomes of the copy, the session has said goodbye.
            if let Some(session) = &event.session {
                workspace.end_session(host.agent.as_str(), session);
            }
            back_up(workspace, Reason::SessionEnd)?;
            Ok(Answer::default())
        }
        Happening::Prompt { text } => {
            if let Some(session) = &event.session {
                let count =
                    workspace.count_prompt(host.agent.as_str(), session, event.id.as_deref())?;
                if count > 0 && count.is_multiple_of(PROMPTS) {
                    back_up(workspace, Reason::Prompts)?;
                }
            }
            let is_shipping = text.trim_start().starts_with("/ship");
            Ok(Answer {
                context: match is_shipping {
                    true => Some(verdict(&workspace.blocked_gates()?)),
                    false => None,
                },
                ..Answer::default()
            })
        }
        Happening::BeforeTool(Tool::Shell { command })
            if host.enforcement == Enforcement::Denied && ships(command) =>
        {
            let blocked = workspace.blocked_gates()?;
            Ok(Answer {
                denial: (!blocked.is_empty()).then(|| verdict(&blocked)),
                ..Answer::default()
            })
        }
        Happening::BeforeTool(_)
        | Happening::AfterTool(Tool::Report { .. } | Tool::Other)
        | Happening::SubagentStart
        | Happening::Stop { .. }
        | Happening::Other => Ok(Answer::default()),
    }
}

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

/// Where the work stands, and what became of other sessions.
fn begin(workspace: &Workspace, host: &Host, event: &Event) -> Result<Answer, WorkspaceError> {
    let others = match &event.session {
        Some(session) => {
            workspace.begin_session(host.agent.as_str(), session, host.process.clone())?
        }
        None => OtherSessions::default(),
    };
    let (keys, _) = workspace.in_flight()?;
    // What vanished since it was listed does not hide the rest.
    let briefs: Vec<_> = keys
        .iter()
        .filter_map(|key| workspace.brief_of(key).ok())
        .collect();
    let mut text = String::new();
    for crashed in &others.crashed {
        text += &format!(
            "A session of {} that began at {} ended without a word; what it recorded is all here.\n",
            crashed.agent, crashed.begun_at
        );
    }
    text += &render(&briefs, host.budget).text;
    for live in &others.live {
        text += &format!(
            "Another session of {} has been live since {}.\n",
            live.agent, live.begun_at
        );
    }
    let context = Some(text).filter(|text| !text.is_empty());
    Ok(Answer {
        context,
        ..Answer::default()
    })
}

/// Makes a copy of the state of the active plan.
fn back_up(workspace: &Workspace, reason: Reason) -> Result<(), WorkspaceError> {
    if let Some(active) = workspace.active_plan()?
        && workspace.plan(&active.id)?.unparsable.is_none()
    {
        workspace.back_up_plan(&active.id, reason)?;
    }
    Ok(())
}

/// Brings the state of a plan into agreement with its Markdown, if it is not.
fn follow(workspace: &Workspace, id: &PlanId) -> Result<(), WorkspaceError> {
    let view = workspace.plan(id)?;
    let agrees = !view.moved && view.last_checkpoint.is_some() && view.rebuilt.is_none();
    if !agrees && view.unparsable.is_none() {
        workspace.sync_plan(id)?;
    }
    Ok(())
}

/// The plans that files belong to, each once.
fn plans_of(workspace: &Workspace, event: &Event, files: &[PathBuf]) -> Vec<PlanId> {
    let plans = resolved(&workspace.plans_directory());
    let directory = event.directory.as_deref().unwrap_or(Path::new("."));
    let mut ids: Vec<PlanId> = Vec::new();
    for file in files {
        let file = resolved(&directory.join(file));
        let Ok(below) = file.strip_prefix(&plans) else {
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

/// The path without links, where it is there.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
