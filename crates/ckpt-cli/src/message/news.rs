//! What a line of a history means for people.

use ckpt::history::{EventName, Line};
use ckpt::key::Key;
use ckpt::voice::suggested;

use super::Message;
use crate::render::story::story;

/// What a line means for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct News {
    /// What happened, in words.
    pub(crate) story: String,
    /// How much it matters.
    pub(crate) weight: Weight,
}

/// How much a line matters to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Somebody has to act; the command that begins with it.
    NeedsYou(String),
    /// A step is done.
    Step,
    /// Nobody has to know.
    Routine,
}

impl News {
    pub(crate) fn of(message: &Message<'_>) -> Self {
        Self {
            story: story(message.line),
            weight: weight(message.line, message.key),
        }
    }

    /// Whether people want to hear of it.
    pub(crate) fn concerns_people(&self) -> bool {
        self.weight != Weight::Routine
    }

    /// Whether a step is done.
    pub(crate) fn is_step(&self) -> bool {
        self.weight == Weight::Step
    }

    /// The command that begins to settle it, if somebody has to.
    pub(crate) fn command(&self) -> Option<&str> {
        match &self.weight {
            Weight::NeedsYou(command) => Some(command),
            Weight::Step | Weight::Routine => None,
        }
    }
}

fn weight(line: &Line, key: Option<&Key>) -> Weight {
    use EventName as E;
    let Some(event) = line.event_name() else {
        return Weight::Routine;
    };
    let status = text(line, "status");
    let status = status.as_deref().unwrap_or_default();
    match event {
        E::PhaseUpdated if status == "failed" => needs_you(key, "ckpt resume"),
        E::PhaseUpdated if status == "complete" => Weight::Step,
        E::GateSet if text(line, "ship_allowed").as_deref() == Some("false") => {
            needs_you(key, "ckpt gate show")
        }
        E::GateFailed if matches!(key, Some(Key::Pipeline(_))) => {
            needs_you(key, "ckpt pipeline gate check")
        }
        E::GateFailed if matches!(key, Some(Key::Command(_))) => needs_you(key, "ckpt gate show"),
        E::HandoffRecorded if text(line, "decision").as_deref() != Some("PROCEED") => {
            needs_you(key, "ckpt resume")
        }
        E::PipelinePaused => needs_you(key, "ckpt pipeline approve"),
        E::PipelineFailed | E::WorkstreamFailed => needs_you(key, "ckpt pipeline resume"),
        E::GateFailed | E::BlockerAdded | E::SessionCrash => needs_you(key, "ckpt resume"),
        E::GateSet
        | E::GateOverridden
        | E::CheckpointCompleted
        | E::CheckpointAbandoned
        | E::PhaseCompleted
        | E::WorkstreamCompleted
        | E::PipelineCompleted
        | E::PipelineAborted => Weight::Step,
        _ => Weight::Routine,
    }
}

fn needs_you(key: Option<&Key>, command: &str) -> Weight {
    let name = key.map(|key| format!(" {}", suggested(&key.short())));
    Weight::NeedsYou(format!("{command}{}", name.unwrap_or_default()))
}

/// A detail of a line, as text.
fn text(line: &Line, name: &str) -> Option<String> {
    let facts = line.facts();
    let (_, value) = facts.iter().find(|(known, _)| known == name)?;
    let text = value.as_str().map(Into::into);
    Some(text.unwrap_or_else(|| value.raw().to_owned()))
}
