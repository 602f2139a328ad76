//! What an event asks for. Nothing is looked at and nothing is done here.

use std::path::PathBuf;

use crate::event::{Event, Happening, Subagent, Tool};
use crate::shipping::{Shipment, ships};

/// What the user wants of hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// What a gate that blocks does.
    pub enforcement: Enforcement,
    /// What happens to an agent that stops before its plan is done.
    pub unfinished: Unfinished,
}

/// What a gate that blocks does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// It is told.
    #[default]
    Told,
    /// Commands that ship something are denied, as far as they are recognised.
    Denied,
}

/// What happens to an agent that stops before its plan is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unfinished {
    /// Nothing.
    #[default]
    MayStop,
    /// It is told what is next, once for each task.
    GoesOn,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Note that the session begins, and look after others that ended without a word.
    BeginSession,
    /// Follow the plan that is worked on, whoever has changed it since.
    HealActivePlan,
    /// Say where the work stands.
    Brief,
    /// Follow the plans that these files belong to.
    FollowPlansOf(Vec<PathBuf>),
    /// Take over the checkpoints that these files are, and judge them.
    Absorb(Vec<PathBuf>),
    /// Follow every plan that was changed.
    FollowPlans,
    /// Look whether another commit is checked out.
    LookAtHead,
    /// Count something that the user said, and make a copy of the state now and then.
    CountPrompt,
    /// Say whether anything may be shipped.
    TellGates,
    /// Deny this while a gate blocks what it ships.
    DenyWhileBlocked(Shipment),
    /// Note that a sub-agent is alive.
    SeeSubagent(Subagent),
    /// Remember what a sub-agent is about to be asked.
    RememberSpawn {
        /// Its type.
        kind: String,
        /// What it is asked.
        prompt: String,
    },
    /// Remember what a sub-agent reports before it ends.
    RememberReport {
        /// The sub-agent.
        subagent: Subagent,
        /// What it reports.
        report: String,
    },
    /// Note that a sub-agent begins.
    StartSubagent {
        /// The sub-agent.
        subagent: Subagent,
        /// What it was asked, where that is told.
        task: String,
    },
    /// Note that a sub-agent has ended, or send it back if what it hands over cannot be taken.
    StopSubagent {
        /// The sub-agent.
        subagent: Subagent,
        /// What it was asked, where that is told.
        task: String,
        /// What it reports.
        report: String,
        /// Whether it may be sent back.
        may_send_back: bool,
    },
    /// Say what is next, if the plan is not done.
    Nudge,
    /// Write down where the session stands, and make a copy of the state of the plan that is worked on.
    NoteCompaction,
    /// The same, and note that the session and all who work in it have ended.
    EndSession,
}

/// What an event asks for, in this order.
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
        // A command can have changed any plan.
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
        Happening::Stop {
            was_sent_back: false,
            is_pause: false,
        } if policy.unfinished == Unfinished::GoesOn => vec![Action::Nudge],
        Happening::BeforeCompaction => vec![Action::FollowPlans, Action::NoteCompaction],
        Happening::SessionEnd => vec![Action::FollowPlans, Action::EndSession],
        Happening::BeforeTool(_)
        | Happening::AfterTool(Tool::Spawn { .. } | Tool::Other)
        | Happening::Stop { .. }
        | Happening::Other => Vec::new(),
    }
}

/// The files with this extension, if there are any. Most edits are of neither plans nor checkpoints, and cost nothing.
fn with_extension(files: &[PathBuf], extension: &str) -> Option<Vec<PathBuf>> {
    let wanted = files.iter().filter(|file| {
        file.extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(extension))
    });
    let wanted: Vec<PathBuf> = wanted.cloned().collect();
    (!wanted.is_empty()).then_some(wanted)
}

/// What is done for a sub-agent. Those that an agent uses for itself have no type, and are no concern.
fn of_subagent(event: &Event, action: impl Fn(Subagent) -> Action) -> Vec<Action> {
    let known = event.subagent.as_ref();
    let known = known.filter(|subagent| !subagent.kind.is_empty());
    known.cloned().map(action).into_iter().collect()
}

fn is_shipping(prompt: &str) -> bool {
    let command = prompt.split_whitespace().next().unwrap_or_default();
    matches!(command, "/ship" | "/ckpt:ship")
}

#[cfg(test)]
mod tests;
