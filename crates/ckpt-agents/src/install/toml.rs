//! The settings of Codex, which are TOML.

use ckpt::pipeline::Position;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, TomlError, value};

use super::edit::{NotEditable, lower_first};
use super::parts::{Part, SERVER, SERVER_ARGUMENT, Standing};
use super::places::Place;
use super::program::Program;

/// The table that lists the servers.
const SERVERS: &str = "mcp_servers";

/// Whether a settings file is TOML.
pub(super) fn is_toml(place: &Place) -> bool {
    place.path.ends_with(".toml")
}

/// What the settings say about the MCP server.
pub(super) fn standing(text: &str) -> Standing {
    let Ok(document) = parsed(text) else {
        return Standing::Missing;
    };
    server(&document).map_or(Standing::Missing, standing_of)
}

/// The settings with the MCP server. One that somebody has set to something else stays.
pub(super) fn with_server(text: &str, program: &Program) -> Result<String, NotEditable> {
    let mut document = parsed(text)?;
    match server(&document).map(standing_of) {
        Some(Standing::Theirs) => return Ok(text.to_owned()),
        Some(Standing::Ours(words)) if words.first() == Some(&program.path) => {
            return Ok(text.to_owned());
        }
        Some(_) => {
            document[SERVERS][SERVER]["command"] = value(program.path.as_str());
            return Ok(document.to_string());
        }
        None => {}
    }
    let servers = document.get(SERVERS);
    if let Some(other) = servers.filter(|servers| servers.as_table_like().is_none()) {
        return Err(NotEditable::ServersIsNoObject {
            member: SERVERS,
            found: kind(other),
            at: position(text, text.find(SERVERS).unwrap_or(0)),
        });
    }
    let is_inline = |servers: &Item| servers.as_inline_table().is_some();
    if document.get(SERVERS).is_some_and(is_inline) {
        let mut server = toml_edit::InlineTable::new();
        server.insert("command", program.path.as_str().into());
        server.insert("args", Array::from_iter([SERVER_ARGUMENT]).into());
        document[SERVERS][SERVER] = value(server);
        return Ok(document.to_string());
    }
    // At the end a table is valid whatever comes before it, and nothing else moves.
    let mut server = Table::new();
    server["command"] = value(program.path.as_str());
    server["args"] = value(Array::from_iter([SERVER_ARGUMENT]));
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    Ok(format!("{text}{gap}[{SERVERS}.{SERVER}]\n{server}"))
}

/// The settings without the MCP server, if it is ours.
pub(super) fn without_server(text: &str) -> Result<String, NotEditable> {
    let mut document = parsed(text)?;
    if !matches!(server(&document).map(standing_of), Some(Standing::Ours(_))) {
        return Ok(text.to_owned());
    }
    let is_empty = document[SERVERS]
        .as_table_like_mut()
        .is_some_and(|servers| {
            servers.remove(SERVER);
            servers.is_empty()
        });
    if is_empty {
        document.remove(SERVERS);
    }
    Ok(document.to_string())
}

fn parsed(text: &str) -> Result<DocumentMut, NotEditable> {
    text.parse()
        .map_err(|error: TomlError| NotEditable::NotToml {
            reason: lower_first(error.message()),
            at: position(text, error.span().map_or(0, |span| span.start)),
        })
}

fn kind(item: &Item) -> &'static str {
    match item {
        Item::Value(value) if value.is_str() => "a string",
        Item::Value(value) if value.is_integer() || value.is_float() => "a number",
        Item::Value(value) if value.is_bool() => "a boolean",
        Item::Value(value) if value.is_array() => "an array",
        _ => "something else",
    }
}

fn position(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

fn server(document: &DocumentMut) -> Option<&dyn TableLike> {
    let servers = document.get(SERVERS)?.as_table_like()?;
    servers.get(SERVER)?.as_table_like()
}

fn standing_of(server: &dyn TableLike) -> Standing {
    let command = server.get("command").and_then(Item::as_str);
    let arguments = server.get("args").and_then(Item::as_array);
    let words = command.zip(arguments).and_then(|(command, arguments)| {
        let arguments = arguments
            .iter()
            .map(|word| word.as_str().map(str::to_owned));
        std::iter::once(Some(command.to_owned()))
            .chain(arguments)
            .collect()
    });
    Part::McpServer.judged(words)
}
