//! The form of a hook in the settings of each agent.

use ckpt::document::{Object as JsonObject, Value as Json};
use jsonc_parser::ast::{Object, Value};

use super::hooks::Registration;
use super::places::{Content, Place};
use super::program::{self, Program};
use super::source::member;
use crate::agent::Agent;

/// How the hooks of an event are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// In groups that share a matcher.
    Groups,
    /// One by one, each with its own matcher.
    Flat,
}

pub(super) fn shape(agent: Agent) -> Shape {
    match agent {
        Agent::Claude | Agent::Codex | Agent::Gemini => Shape::Groups,
        Agent::Cursor | Agent::Copilot => Shape::Flat,
    }
}

/// The format version that a file has to name, if any.
pub(super) fn version(place: &Place) -> Option<u64> {
    match (place.agent, place.content) {
        (Agent::Cursor | Agent::Copilot, Content::Hooks) => Some(1),
        _ => None,
    }
}

/// The entry for an event.
pub(super) fn entry(agent: Agent, registration: &Registration, program: &Program) -> Json {
    let handler = handler(agent, registration, program);
    let mut entry = JsonObject::new();
    match shape(agent) {
        Shape::Groups => {
            if let Some(matcher) = registration.matcher {
                entry.set("matcher", matcher);
            }
            entry.set("hooks", vec![handler]);
        }
        Shape::Flat => {
            entry = handler;
            if let Some(matcher) = registration.matcher {
                entry.set("matcher", matcher);
            }
        }
    }
    entry.into()
}

/// The handler: how `ckpt` is called, without the matcher.
pub(super) fn handler(agent: Agent, registration: &Registration, program: &Program) -> JsonObject {
    let mut handler = JsonObject::new();
    match agent {
        // One command line, without `args`: other agents read these settings too, and one of them ignores `args`.
        Agent::Claude | Agent::Codex => {
            handler.set("type", "command");
            handler.set("command", program.shell_line(agent));
            handler.set("timeout", registration.timeout);
        }
        Agent::Gemini => {
            handler.set("name", "ckpt");
            handler.set("type", "command");
            handler.set("command", program.shell_line(agent));
            handler.set("timeout", registration.timeout * 1000);
        }
        Agent::Cursor => {
            handler.set("command", program.shell_line(agent));
            handler.set("timeout", registration.timeout);
        }
        Agent::Copilot => {
            handler.set("type", "command");
            handler.set("bash", program.posix_line(agent));
            handler.set("powershell", program.powershell_line(agent));
            handler.set("timeoutSec", registration.timeout);
        }
    }
    handler
}

/// The member that earlier versions kept the arguments in.
pub(super) const ARGUMENTS: &str = "args";

/// The words of the command that a handler runs.
pub(super) fn words(agent: Agent, handler: &Object<'_>) -> Option<Vec<String>> {
    let text = |name| member(handler, name)?.value.as_string_lit();
    if text("type").is_some_and(|kind| kind.value != "command") {
        return None;
    }
    let found = match agent {
        Agent::Copilot => ["bash", "command", "powershell"].as_slice(),
        _ => &["command"],
    };
    let (name, command) = found
        .iter()
        .find_map(|name| Some((*name, &text(name)?.value)))?;
    // Copilot has no `args`, and runs the command alone.
    let arguments = member(handler, ARGUMENTS).filter(|_| agent != Agent::Copilot);
    match arguments {
        None => line_words(name, command),
        Some(member) => {
            let args = member.value.as_array()?.elements.iter();
            let args = args.map(|arg| Some(arg.as_string_lit()?.value.to_string()));
            std::iter::once(Some(command.to_string()))
                .chain(args)
                .collect()
        }
    }
}

fn line_words(name: &str, line: &str) -> Option<Vec<String>> {
    match name {
        "powershell" => program::windows_words(line),
        _ => program::words(line),
    }
}

/// Whether a member has the wanted value. A command line may be quoted differently: Codex asks the user to trust every
/// change, so none is made without need.
pub(super) fn says(name: &str, found: &Value<'_>, wanted: &Json) -> bool {
    match (found, wanted) {
        (Value::StringLit(found), Json::String(_)) => {
            let Some(wanted) = wanted.as_str() else {
                return false;
            };
            let is_line = matches!(name, "command" | "bash" | "powershell");
            found.value == wanted
                || is_line
                    && line_words(name, &found.value)
                        .is_some_and(|words| Some(words) == line_words(name, wanted))
        }
        (Value::NumberLit(found), Json::Number(wanted)) => {
            found.value.parse::<f64>().ok() == wanted.raw().parse::<f64>().ok()
        }
        _ => false,
    }
}

/// Whether the matcher of an entry is that of a registration.
pub(super) fn matches(entry: &Object<'_>, registration: &Registration) -> bool {
    let found = match member(entry, "matcher").map(|member| &member.value) {
        None | Some(Value::NullKeyword(_)) => None,
        Some(Value::StringLit(found)) if matches!(found.value.as_ref(), "" | "*") => None,
        Some(Value::StringLit(found)) => Some(found.value.as_ref()),
        Some(_) => return false,
    };
    found == registration.matcher
}
