//! What settings can hold of ours besides hooks: the MCP server, and the status line of Claude Code.

use ckpt::document::{Object as JsonObject, Value as Json};
use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Ranged;

use super::edit::{NotEditable, found, kind, no_object, or_empty_object, parse, removed};
use super::places::{Content, Place};
use super::program::{Program, STATUS_LINE, calls, words};
use super::source::{Change, List, Source, member, span};
use super::toml;
use crate::agent::Agent;

/// A part of an agent's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The MCP server `ckpt mcp`.
    McpServer,
    /// The status line `ckpt statusline`.
    StatusLine,
}

/// What settings say about a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Missing,
    /// It calls `ckpt` with these words.
    Ours(Vec<String>),
    /// Somebody has set it to something else.
    Theirs,
}

/// The name of the server.
pub(super) const SERVER: &str = "ckpt";

/// Its argument.
pub(super) const SERVER_ARGUMENT: &str = "mcp";

/// The member that lists the servers.
const SERVERS: &str = "mcpServers";

impl Part {
    /// The parts that this file can hold.
    fn all_in(place: &Place) -> &'static [Self] {
        match (place.agent, place.content) {
            (_, Content::Servers) | (Agent::Gemini, Content::Settings) => &[Self::McpServer],
            (Agent::Claude, Content::Settings) => &[Self::StatusLine],
            _ => &[],
        }
    }

    /// The member that lists it, if it is not a member of the settings themselves, and its own name.
    fn path(self) -> (Option<&'static str>, &'static str) {
        match self {
            Self::McpServer => (Some(SERVERS), SERVER),
            Self::StatusLine => (None, "statusLine"),
        }
    }

    fn value(self, program: &Program) -> JsonObject {
        let mut value = JsonObject::new();
        match self {
            Self::McpServer => {
                value.set("command", program.path.as_str());
                value.set("args", vec![SERVER_ARGUMENT]);
            }
            Self::StatusLine => {
                value.set("type", "command");
                value.set("command", program.status_line());
            }
        }
        value
    }

    /// The words that it calls a program with.
    fn words(self, value: &Object<'_>) -> Option<Vec<String>> {
        let command = &member(value, "command")?.value.as_string_lit()?.value;
        match self {
            Self::StatusLine => words(command),
            Self::McpServer => {
                let arguments = member(value, "args")?.value.as_array()?.elements.iter();
                let arguments = arguments.map(|word| Some(word.as_string_lit()?.value.to_string()));
                std::iter::once(Some(command.to_string()))
                    .chain(arguments)
                    .collect()
            }
        }
    }

    pub(super) fn judged(self, words: Option<Vec<String>>) -> Standing {
        let argument = match self {
            Self::McpServer => SERVER_ARGUMENT,
            Self::StatusLine => STATUS_LINE,
        };
        match words {
            Some(words) if calls(&words, &[argument]) => Standing::Ours(words),
            _ => Standing::Theirs,
        }
    }
}

/// What a settings file says about a part; nothing if it cannot be read.
#[must_use]
pub fn standing(text: &str, place: &Place, part: Part) -> Standing {
    if toml::is_toml(place) {
        return toml::standing(text);
    }
    let source = parse(text);
    let source = source.as_ref().ok();
    source.map_or(Standing::Missing, |source| {
        Slot::of(source, part).standing()
    })
}

/// The settings with the part. A part that somebody has set to something else stays.
pub fn with_part(
    text: &str,
    place: &Place,
    part: Part,
    program: &Program,
) -> Result<String, NotEditable> {
    if toml::is_toml(place) {
        return toml::with_server(text, program);
    }
    let text = or_empty_object(text);
    let source = parse(&text)?;
    let slot = Slot::of(&source, part);
    let changes = slot.set(&source, part, program)?;
    Ok(source.changed(changes))
}

/// Whether a settings file has anything of ours.
#[must_use]
pub fn holds_ours(text: &str, place: &Place) -> bool {
    let is_ours = |part: &Part| matches!(standing(text, place, *part), Standing::Ours(_));
    Part::all_in(place).iter().any(is_ours)
        || place.content != Content::Servers && !found(text, place.agent).is_empty()
}

/// The settings without anything of ours, and without what that leaves empty.
pub fn stripped(text: &str, place: &Place) -> Result<String, NotEditable> {
    if toml::is_toml(place) {
        return toml::without_server(text);
    }
    let mut text = text.to_owned();
    for part in Part::all_in(place) {
        let source = parse(&text)?;
        let changes = Slot::of(&source, *part).cleared(&source, *part);
        text = source.changed(changes);
    }
    match place.content {
        Content::Servers => Ok(text),
        Content::Settings | Content::Hooks => removed(&text, place.agent),
    }
}

/// Where a part is, or would be.
struct Slot<'s, 't> {
    root: Option<&'s Object<'t>>,
    /// The member that lists it, if there is one.
    list: Option<&'s ObjectProp<'t>>,
    found: Option<&'s ObjectProp<'t>>,
    words: Option<Vec<String>>,
    part: Part,
}

impl<'s, 't> Slot<'s, 't> {
    fn of(source: &'s Source<'t>, part: Part) -> Self {
        let root = source.object();
        let (list, name) = part.path();
        let list = list.and_then(|list| member(root?, list));
        let owner = match part.path().0 {
            Some(_) => list.and_then(|list| list.value.as_object()),
            None => root,
        };
        let found = owner.and_then(|owner| member(owner, name));
        let words = found.and_then(|found| part.words(found.value.as_object()?));
        Self {
            root,
            list,
            found,
            words,
            part,
        }
    }

    fn standing(self) -> Standing {
        match self.found {
            None => Standing::Missing,
            Some(_) => self.part.judged(self.words),
        }
    }

    fn set(
        self,
        source: &Source<'_>,
        part: Part,
        program: &Program,
    ) -> Result<Vec<Change>, NotEditable> {
        let root = self.root.ok_or_else(|| no_object(source))?;
        let wanted = part.value(program);
        if let Some(found) = self.found {
            let command = found
                .value
                .as_object()
                .and_then(|value| member(value, "command"));
            let program = wanted.get("command").filter(|_| {
                let Standing::Ours(words) = part.judged(self.words.clone()) else {
                    return false;
                };
                words.first() != Some(&program.path)
            });
            let change = command.zip(program);
            let change =
                change.map(|(command, wanted)| (span(&command.value), wanted.to_compact()));
            return Ok(change.into_iter().collect());
        }
        let (outer, name) = part.path();
        let mut members = JsonObject::new();
        members.set(name, wanted);
        let list = match (outer, self.list) {
            (None, _) => List::members(root, None),
            (Some(outer), None) => {
                members = JsonObject::from_iter([(outer, Json::Object(members))]);
                List::members(root, None)
            }
            (Some(outer), Some(list)) => match list.value.as_object() {
                Some(object) => List::members(object, Some(list.start())),
                None => {
                    return Err(NotEditable::ServersIsNoObject {
                        member: outer,
                        found: kind(&list.value),
                        at: source.position(&list.value),
                    });
                }
            },
        };
        Ok(source.with(&list, &members.into()))
    }

    /// Removes it if it is ours, and then the list that is left empty.
    fn cleared(self, source: &Source<'_>, part: Part) -> Vec<Change> {
        let Some(found) = self.found else {
            return Vec::new();
        };
        let Some(root) = self.root else {
            return Vec::new();
        };
        if part.judged(self.words) == Standing::Theirs {
            return Vec::new();
        }
        let mut gone = std::collections::HashSet::from([found.start()]);
        let list = self
            .list
            .and_then(|list| Some((list, list.value.as_object()?)));
        if let Some((member, object)) = list {
            let list = List::members(object, Some(member.start()));
            if !list.is_all_in(&gone) || source.has_comments(&list) {
                return source.without(&list, &gone);
            }
            gone.insert(member.start());
        }
        source.without(&List::members(root, None), &gone)
    }
}

#[cfg(test)]
mod tests;
