//! What agents require of the user before they call hooks or load a project's settings: the trust of a folder, or of each
//! hook. Only they write it; this reads it.

use std::path::Path;

use ckpt::document::{Object as JsonObject, Value as Json};
use ckpt::history::ContentHash;
use jsonc_parser::ast::Value;
use toml_edit::{DocumentMut, Item, TableLike};

use super::edit::parse;
use super::entry;
use super::program::is_ours;
use super::settings::handlers;
use super::source::{Source, member};
use crate::agent::Agent;

/// Whether Gemini CLI trusts a folder, given its list of trusted folders. The longest rule that covers the folder decides.
#[must_use]
pub fn gemini_trusts(trusted_folders: &str, folder: &Path) -> bool {
    let Ok(source) = parse(trusted_folders) else {
        return false;
    };
    let rules = source.object().map_or(&[][..], |rules| &rules.properties);
    let rules = rules.iter().filter_map(|rule| {
        let path = Path::new(rule.name.as_str());
        let says = &rule.value.as_string_lit()?.value;
        let covered = match says.as_ref() {
            "TRUST_PARENT" => path.parent()?,
            _ => path,
        };
        let covers = folder.starts_with(covered);
        covers.then(|| (path.as_os_str().len(), says != "DO_NOT_TRUST"))
    });
    rules.max().is_some_and(|(_, trusts)| trusts)
}

/// Whether Gemini CLI asks for trust at all, given the user's settings.
#[must_use]
pub fn gemini_asks_for_trust(settings: &str) -> bool {
    let is_off = |source: &Source<'_>| {
        let security = member(source.object()?, "security")?.value.as_object()?;
        let trust = member(security, "folderTrust")?.value.as_object()?;
        Some(!member(trust, "enabled")?.value.as_boolean_lit()?.value)
    };
    let source = parse(settings).ok();
    !source.as_ref().and_then(is_off).unwrap_or(false)
}

/// Whether Copilot CLI trusts a folder, given its configuration.
#[must_use]
pub fn copilot_trusts(config: &str, folder: &Path) -> bool {
    let Ok(source) = parse(config) else {
        return false;
    };
    let Some(root) = source.object() else {
        return false;
    };
    ["trustedFolders", "trusted_folders"].iter().any(|name| {
        let listed = member(root, name).and_then(|listed| listed.value.as_array());
        let listed = listed.map_or(&[][..], |listed| &listed.elements);
        let mut paths = listed.iter().filter_map(|path| path.as_string_lit());
        paths.any(|path| folder.starts_with(path.value.as_ref()))
    })
}

/// Whether Codex loads the settings of a project, given the user's configuration.
#[must_use]
pub fn codex_trusts(config: &str, project: &Path) -> bool {
    let level = |document: &DocumentMut| {
        let projects = document.get("projects")?.as_table_like()?;
        let project = projects.get(project.to_str()?)?.as_table_like()?;
        Some(project.get("trust_level")?.as_str()? == "trusted")
    };
    let document = config.parse::<DocumentMut>().ok();
    document.as_ref().and_then(level).unwrap_or(false)
}

/// Hooks of ours that Codex does not call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uncalled {
    /// Those that the user has never trusted.
    pub untrusted: usize,
    /// Those that have changed since the user trusted them.
    pub changed: usize,
    /// Those that the user has switched off.
    pub disabled: usize,
}

/// The hooks of ours that Codex does not call, given the user's configuration, the file of the hooks and its content.
#[must_use]
pub fn uncalled_by_codex(config: &str, file: &Path, hooks: &str) -> Uncalled {
    let document = config.parse::<DocumentMut>().unwrap_or_default();
    let states = document
        .get("hooks")
        .and_then(|hooks| hooks.as_table_like()?.get("state")?.as_table_like());
    let mut uncalled = Uncalled::default();
    for (key, hash) in hooks_of_codex(file, hooks) {
        let state = states.and_then(|states| states.get(&key)?.as_table_like());
        let text = |state: &dyn TableLike| Some(state.get("trusted_hash")?.as_str()?.to_owned());
        let is_off =
            |state: &dyn TableLike| state.get("enabled").and_then(Item::as_bool) == Some(false);
        match state.map(|state| (is_off(state), text(state))) {
            Some((true, _)) => uncalled.disabled += 1,
            Some((_, Some(trusted))) if trusted.starts_with(&hash) => {}
            Some((_, Some(_))) => uncalled.changed += 1,
            Some((_, None)) | None => uncalled.untrusted += 1,
        }
    }
    uncalled
}

/// The name that Codex gives to each hook of ours, and the beginning of its hash.
fn hooks_of_codex(file: &Path, hooks: &str) -> Vec<(String, String)> {
    let Ok(source) = parse(hooks) else {
        return Vec::new();
    };
    let events = source
        .object()
        .and_then(|root| member(root, "hooks")?.value.as_object());
    let mut found = Vec::new();
    for event in events.map_or(&[][..], |events| &events.properties) {
        let name = snake_case(event.name.as_str());
        let groups = event.value.as_array();
        let groups = groups.map_or(&[][..], |groups| &groups.elements);
        for (group_number, group) in groups.iter().enumerate() {
            let Some(group) = group.as_object() else {
                continue;
            };
            let listed = handlers(group).map_or(&[][..], |(_, listed)| &listed.elements);
            for (number, handler) in listed.iter().enumerate() {
                let Some(handler) = handler.as_object() else {
                    continue;
                };
                let words = entry::words(Agent::Codex, handler);
                if !words.is_some_and(|words| is_ours(&words, Agent::Codex)) {
                    continue;
                }
                let text =
                    |name| Some(member(handler, name)?.value.as_string_lit()?.value.as_ref());
                let timeout = member(handler, "timeout").and_then(|timeout| match &timeout.value {
                    Value::NumberLit(number) => number.value.parse::<u64>().ok(),
                    _ => None,
                });
                let mut canonical = JsonObject::new();
                canonical.set("async", false);
                canonical.set("command", text("command").unwrap_or_default());
                canonical.set("timeout", timeout.unwrap_or(600));
                canonical.set("type", "command");
                let mut whole = JsonObject::new();
                whole.set("event_name", name.as_str());
                whole.set("hooks", vec![canonical]);
                let matcher =
                    member(group, "matcher").and_then(|matcher| matcher.value.as_string_lit());
                if let Some(matcher) = matcher {
                    whole.set("matcher", matcher.value.as_ref());
                }
                let hash = ContentHash::of(Json::Object(whole).to_compact().as_bytes());
                let key = format!("{}:{name}:{group_number}:{number}", file.display());
                found.push((key, format!("sha256:{hash}")));
            }
        }
    }
    found
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests;
