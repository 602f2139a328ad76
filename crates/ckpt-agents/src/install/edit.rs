//! Adds hooks to the text of a settings file, removes them, and finds them.
//!
//! Everything else is preserved: comments, order, indentation, line endings and the hooks of others.

use ckpt::pipeline::Position;
use jsonc_parser::ast::Value;

use super::hooks::{Registration, registrations};
use super::places::Place;
use super::program::Program;
use super::settings::Settings;
use super::source::{Source, member, split_mark};
use super::steps::{STEPS, without_ours};
use crate::agent::Agent;

/// Why settings cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotEditable {
    /// The text is not JSON, even with comments allowed.
    #[error("{at}: not JSON: {reason}")]
    NotJson {
        /// What is wrong.
        reason: String,
        /// Where.
        at: Position,
    },
    /// The text is JSON, but not an object.
    #[error("{at}: settings must be an object, but this is {found}")]
    RootIsNoObject {
        /// What it is.
        found: &'static str,
        /// Where.
        at: Position,
    },
    /// `hooks` exists, but is not an object.
    #[error("{at}: `hooks` must be an object, but this is {found}")]
    HooksIsNoObject {
        /// What it is.
        found: &'static str,
        /// Where.
        at: Position,
    },
    /// The text is not TOML.
    #[error("{at}: not TOML: {reason}")]
    NotToml {
        /// What is wrong.
        reason: String,
        /// Where.
        at: Position,
    },
    /// The list of MCP servers exists, but is not an object.
    #[error("{at}: `{member}` must be an object, but this is {found}")]
    ServersIsNoObject {
        /// Its name.
        member: &'static str,
        /// What it is.
        found: &'static str,
        /// Where.
        at: Position,
    },
    /// The event exists, but is not an array.
    #[error("{at}: `{event}` must be an array of hooks, but this is {found}")]
    EventIsNoArray {
        /// The event.
        event: &'static str,
        /// What it is.
        found: &'static str,
        /// Where.
        at: Position,
    },
}

impl NotEditable {
    /// How to make the settings editable.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotJson { .. } => "Fix the JSON",
            Self::NotToml { .. } => "Fix the TOML",
            Self::ServersIsNoObject { .. } => "Make it an object, such as {}, or remove it",
            Self::RootIsNoObject { .. } => "Make it an object, such as {}",
            Self::HooksIsNoObject { .. } => "Make it an object, such as {}, or remove `hooks`",
            Self::EventIsNoArray { .. } => "Make it an array, such as [], or remove the event",
        }
    }
}

/// A hook that calls `ckpt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The event.
    pub event: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Whether [`added`] would leave it unchanged, given the program that it calls.
    pub is_current: bool,
}

/// The settings with the hooks added. Existing hooks that call `ckpt` are updated in place. An empty text counts as
/// `{}`.
pub fn added(text: &str, place: &Place, program: &Program) -> Result<String, NotEditable> {
    let mut text = or_empty_object(text);
    for step in STEPS {
        let source = parse(&text)?;
        let settings = checked(&source, place.agent)?;
        let changes = step(&settings, place, program);
        text = source.changed(changes);
    }
    Ok(text)
}

/// The settings without the hooks, and without anything that this leaves empty.
pub fn removed(text: &str, agent: Agent) -> Result<String, NotEditable> {
    let source = parse(text)?;
    let settings = Settings::of(&source, agent);
    let changes = settings.map_or(Vec::new(), |settings| without_ours(&settings));
    Ok(source.changed(changes))
}

/// The hooks that call `ckpt` for an agent, in their order; none if the text is not JSON.
#[must_use]
pub fn found(text: &str, agent: Agent) -> Vec<Found> {
    let Ok(source) = parse(text) else {
        return Vec::new();
    };
    let Some(settings) = Settings::of(&source, agent) else {
        return Vec::new();
    };
    let found = settings.ours.iter().map(|hook| Found {
        event: hook.event.to_owned(),
        words: hook.words.clone(),
        is_current: settings.is_current(hook),
    });
    found.collect()
}

pub(super) fn parse(text: &str) -> Result<Source<'_>, NotEditable> {
    Source::parse(text).map_err(|error| {
        let reason = error.kind().to_string();
        NotEditable::NotJson {
            reason: lower_first(&reason),
            at: Position {
                line: error.line_display(),
                column: error.column_display(),
            },
        }
    })
}

/// The error for settings that are not an object.
pub(super) fn no_object(source: &Source<'_>) -> NotEditable {
    // A text that consists of comments has no root.
    let (found, at) = source
        .root()
        .map_or(("nothing", source.last_line()), |root| {
            (kind(root), source.position(root))
        });
    NotEditable::RootIsNoObject { found, at }
}

/// The text, or an empty object if there is none.
pub(super) fn or_empty_object(text: &str) -> String {
    let (mark, content) = split_mark(text);
    match content.trim().is_empty() {
        true => format!("{mark}{{}}\n"),
        false => text.to_owned(),
    }
}

pub(super) fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

/// Settings that hooks can be put into.
fn checked<'s, 't>(source: &'s Source<'t>, agent: Agent) -> Result<Settings<'s, 't>, NotEditable> {
    let settings = Settings::of(source, agent).ok_or_else(|| no_object(source))?;
    let Some(hooks_member) = member(settings.root, "hooks") else {
        return Ok(settings);
    };
    let Some(hooks) = hooks_member.value.as_object() else {
        return Err(NotEditable::HooksIsNoObject {
            found: kind(&hooks_member.value),
            at: source.position(&hooks_member.value),
        });
    };
    for Registration { event, .. } in registrations(agent) {
        if let Some(member) = member(hooks, event)
            && member.value.as_array().is_none()
        {
            return Err(NotEditable::EventIsNoArray {
                event,
                found: kind(&member.value),
                at: source.position(&member.value),
            });
        }
    }
    Ok(settings)
}

pub(super) fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "null",
    }
}

#[cfg(test)]
mod tests;
