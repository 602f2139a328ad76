//! Hooks in the text of a settings file: put in, taken out, found.
//!
//! The text stays as people wrote it: comments, order, indentation, line ends and the hooks of others are not touched.

use ckpt::pipeline::Position;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use super::hooks::registrations;
use super::places::Place;
use super::program::Program;
use super::settings::{STEPS, Settings};
use super::source::{Source, changed, member};
use crate::agent::Agent;

/// Why settings are left as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotEditable {
    /// The text is not JSON, not even with comments.
    #[error("{at}: not JSON: {reason}")]
    NotJson {
        /// What is wrong there.
        reason: String,
        /// Where.
        at: Position,
    },
    /// The text is JSON, but no object.
    #[error("{at}: settings must be an object, and this is {found}")]
    RootIsNoObject {
        /// What it is.
        found: &'static str,
        /// Where.
        at: Position,
    },
    /// There are `hooks`, but of another form.
    #[error("{at}: `hooks` must be an object, and this is {found}")]
    HooksIsNoObject {
        /// What they are.
        found: &'static str,
        /// Where.
        at: Position,
    },
    /// There are hooks of an event, but of another form.
    #[error("{at}: `{event}` must be an array of hooks, and this is {found}")]
    EventIsNoArray {
        /// The event.
        event: &'static str,
        /// What they are.
        found: &'static str,
        /// Where.
        at: Position,
    },
}

impl NotEditable {
    /// What makes settings of a form that hooks can be put into.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotJson { .. } => "Correct what is there",
            Self::RootIsNoObject { .. } => "Make it an object, such as {}",
            Self::HooksIsNoObject { .. } => "Make it an object, such as {}, or take `hooks` out",
            Self::EventIsNoArray { .. } => "Make it an array, such as [], or take the event out",
        }
    }
}

/// A hook that calls `ckpt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The event.
    pub event: String,
    /// The command: the program and its arguments.
    pub words: Vec<String>,
    /// Whether [`added`] would leave it as it is, if the program lies where this says.
    pub is_current: bool,
}

/// The settings with the hooks in them. Those that are there already, in whatever state, are brought up to date where they
/// are. A text without content counts as `{}`.
pub fn added(text: &str, place: &Place, program: &Program) -> Result<String, NotEditable> {
    let (mark, text) = without_mark(text);
    let mut text = if text.trim().is_empty() {
        "{}\n".to_owned()
    } else {
        text.to_owned()
    };
    for step in STEPS {
        let source = parse(&text)?;
        let settings = checked(&text, &source, place.agent)?;
        let changes = step(&settings, place, program);
        text = changed(&text, changes);
    }
    Ok(format!("{mark}{text}"))
}

/// The settings without the hooks, and without what is empty then.
pub fn removed(text: &str, agent: Agent) -> Result<String, NotEditable> {
    let (mark, text) = without_mark(text);
    let source = parse(text)?;
    let Some(settings) = Settings::of(&source, agent) else {
        return Ok(format!("{mark}{text}"));
    };
    let changes = settings.without_ours();
    Ok(format!("{mark}{}", changed(text, changes)))
}

/// The hooks that call `ckpt` for an agent, in their order; none in a text that is not JSON.
#[must_use]
pub fn found(text: &str, agent: Agent) -> Vec<Found> {
    let (_, text) = without_mark(text);
    let Ok(source) = parse(text) else {
        return Vec::new();
    };
    let Some(settings) = Settings::of(&source, agent) else {
        return Vec::new();
    };
    let found = settings.ours.iter().map(|hook| Found {
        event: hook.event.name.as_str().to_owned(),
        words: hook.words.clone(),
        is_current: settings.is_current(hook),
    });
    found.collect()
}

/// Editors on Windows may begin a file with a byte order mark.
pub(super) fn without_mark(text: &str) -> (&str, &str) {
    let content = text.trim_start_matches('\u{feff}');
    text.split_at(text.len() - content.len())
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

/// Settings of a form that hooks can be put into.
fn checked<'s, 't>(
    text: &str,
    source: &'s Source<'t>,
    agent: Agent,
) -> Result<Settings<'s, 't>, NotEditable> {
    // A text of comments only says nothing, and has no place to put anything.
    let end = Position {
        line: text.lines().count().max(1),
        column: 1,
    };
    let at = source.root().map_or(end, |root| position(text, root));
    let found = source.root().map_or("nothing", kind);
    let settings = Settings::of(source, agent).ok_or(NotEditable::RootIsNoObject { found, at })?;
    let Some(member_of_root) = member(settings.root, "hooks") else {
        return Ok(settings);
    };
    let Some(hooks) = member_of_root.value.as_object() else {
        let at = position(text, &member_of_root.value);
        let found = kind(&member_of_root.value);
        return Err(NotEditable::HooksIsNoObject { found, at });
    };
    for registration in registrations(agent) {
        let event = registration.event;
        if let Some(member) = member(hooks, event)
            && member.value.as_array().is_none()
        {
            let at = position(text, &member.value);
            let found = kind(&member.value);
            return Err(NotEditable::EventIsNoArray { event, found, at });
        }
    }
    Ok(settings)
}

fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a text",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "true or false",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "null",
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

fn position(text: &str, node: &impl Ranged) -> Position {
    let before = &text[..node.start()];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}
