//! Maps events to actions, without any I/O.

use std::path::PathBuf;

use crate::event::{Event, Happening, Subagent, Tool};
use crate::shipping::{Shipment, ships};

/// The user's settings for hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// What a blocked gate does.
    pub enforcement: Enforcement,
    /// What happens to an agent that stops before its plan is done.
    pub unfinished: Unfinished,
}

/// What a blocked gate does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// It is reported.
    #[default]
    Told,
    /// Commands recognised as shipping something are denied.
    Denied,
}

/// What happens to an agent that stops before its plan is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unfinished {
    /// Nothing.
    #[default]
    MayStop,
    /// It is sent back to the next task, once per task.
    GoesOn,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Record that the session begins, and close others that ended without notice.
    BeginSession,
    /// Sync the active plan, whoever changed it.
    HealActivePlan,
    /// Brief the agent on the state of the work.
    Brief,
    /// The same, if a compaction has taken the brief and nothing else brings it back.
    BriefIfLost,
    /// Sync the plans that these files belong to.
    FollowPlansOf(Vec<PathBuf>),
    /// Record checkpoints edited by hand, and validate them.
    Absorb(Vec<PathBuf>),
    /// Sync every plan that changed.
    FollowPlans,
    /// Check whether HEAD moved.
    LookAtHead,
    /// Count a prompt, and back up the state from time to time.
    CountPrompt,
    /// Report whether the gates allow shipping.
    TellGates,
    /// Show where a pipeline resumes: the named one, or the only one in flight.
    ResumePipeline(Option<String>),
    /// Deny a command while a gate blocks what it ships.
    DenyWhileBlocked(Shipment),
    /// Record that a sub-agent is alive.
    SeeSubagent(Subagent),
    /// Remember the task of a sub-agent that is about to start.
    RememberSpawn {
        /// Its type.
        kind: String,
        /// Its task.
        prompt: String,
    },
    /// Remember the report of a sub-agent that has not ended yet.
    RememberReport {
        /// The sub-agent.
        subagent: Subagent,
        /// Its report.
        report: String,
    },
    /// Record that a sub-agent begins.
    StartSubagent {
        /// The sub-agent.
        subagent: Subagent,
        /// Its task, if the agent reports it.
        task: String,
    },
    /// Record that a sub-agent ended, or send it back if its handoff cannot be recorded.
    StopSubagent {
        /// The sub-agent.
        subagent: Subagent,
        /// Its task, if the agent reports it.
        task: String,
        /// Its report.
        report: String,
        /// Whether it may be sent back.
        may_send_back: bool,
    },
    /// Name the next task, if the plan is not done.
    Nudge,
    /// Note the state of the session, and back up the active plan.
    NoteCompaction,
    /// The same, and record that the session and its sub-agents ended.
    EndSession,
}

/// The actions for an event, in order.
#[must_use]
pub fn decide(event: &Event, policy: Policy) -> Vec<Action> {
    match &event.happening {
        Happening::SessionStart => {
            vec![Action::BeginSession, Action::HealActivePlan, Action::Brief]
        }
        Happening::Prompt { text } => {
            let mut actions = vec![Action::CountPrompt];
            if is_shipping(text) {
                actions.push(Action::TellGates);
            }
            actions.extend(resumed(text).map(Action::ResumePipeline));
            actions
        }
        Happening::BeforeTool(Tool::Shell { command }) => {
            let shipment = match policy.enforcement {
                Enforcement::Denied => ships(command),
                Enforcement::Told => None,
            };
            shipment.map(Action::DenyWhileBlocked).into_iter().collect()
        }
        Happening::BeforeTool(Tool::Spawn { kind, prompt }) => vec![Action::RememberSpawn {
            kind: kind.clone(),
            prompt: prompt.clone(),
        }],
        Happening::AfterTool(Tool::Edit { files }) => {
            let plans = with_extension(files, "md").map(Action::FollowPlansOf);
            let checkpoints = with_extension(files, "json").map(Action::Absorb);
            let mut actions: Vec<Action> = plans.into_iter().chain(checkpoints).collect();
            actions.extend(of_subagent(event, Action::SeeSubagent));
            actions
        }
        // A command may have changed any plan.
        Happening::AfterTool(Tool::Shell { .. }) => {
            let mut actions = vec![Action::FollowPlans, Action::LookAtHead];
            actions.extend(of_subagent(event, Action::SeeSubagent));
            actions
        }
        Happening::BeforeTool(Tool::Report { text })
        | Happening::AfterTool(Tool::Report { text }) => {
            of_subagent(event, |subagent| Action::RememberReport {
                subagent,
                report: text.clone(),
            })
        }
        Happening::SubagentStart { task } => of_subagent(event, |subagent| Action::StartSubagent {
            subagent,
            task: task.clone(),
        }),
        Happening::SubagentStop {
            task,
            report,
            was_sent_back,
        } => of_subagent(event, |subagent| Action::StopSubagent {
            subagent,
            task: task.clone(),
            report: report.clone(),
            may_send_back: !was_sent_back,
        }),
        Happening::Stop { is_pause: false } if policy.unfinished == Unfinished::GoesOn => {
            vec![Action::Nudge]
        }
        Happening::BeforeCompaction => vec![Action::FollowPlans, Action::NoteCompaction],
        Happening::SessionEnd => vec![Action::FollowPlans, Action::EndSession],
        Happening::BeforeTool(_)
        | Happening::AfterTool(Tool::Spawn { .. } | Tool::Other)
        | Happening::Stop { .. }
        | Happening::Other => Vec::new(),
    }
}

/// The files with this extension, if any. Most edits touch neither plans nor checkpoints, and cost nothing.
fn with_extension(files: &[PathBuf], extension: &str) -> Option<Vec<PathBuf>> {
    let wanted = files.iter().filter(|file| {
        file.extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(extension))
    });
    let wanted: Vec<PathBuf> = wanted.cloned().collect();
    (!wanted.is_empty()).then_some(wanted)
}

/// An action for the sub-agent of an event. Sub-agents that an agent uses internally have no type, and are ignored.
fn of_subagent(event: &Event, action: impl Fn(Subagent) -> Action) -> Vec<Action> {
    let known = event.subagent.as_ref();
    let known = known.filter(|subagent| !subagent.kind.is_empty());
    known.cloned().map(action).into_iter().collect()
}

fn is_shipping(prompt: &str) -> bool {
    let command = prompt.split_whitespace().next().unwrap_or_default();
    matches!(command, "/ship" | "/ckpt:ship")
}

/// Whether a prompt is `/build ID --resume`, and which pipeline it names, if any.
fn resumed(prompt: &str) -> Option<Option<String>> {
    let mut words = prompt.split_whitespace();
    let command = words.next()?;
    let words: Vec<&str> = words.collect();
    let is_resumed = matches!(command, "/build" | "/ckpt:build") && words.contains(&"--resume");
    let mut ids = words.into_iter().filter(|word| !word.starts_with('-'));
    is_resumed.then(|| ids.next().map(str::to_owned))
}

#[cfg(test)]
mod tests;
