//! The plugin for Claude Code, with hooks and skills, and the marketplace file that offers it.

use ckpt::document::{Object, Value, to_pretty};

use super::entry;
use super::hooks::registrations;
use super::program::Program;
use super::skills;
use crate::agent::Agent;

const NAME: &str = "ckpt";
const DESCRIPTION: &str = "Durable, resumable workflow state: after a session ends, crashes or is compacted, work \
                           continues where it stopped.";
const KEYWORDS: [&str; 5] = ["checkpoint", "resume", "workflow", "plan", "handoff"];

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFile {
    /// Its path, with `/` between its parts.
    pub path: String,
    /// Its content.
    pub content: String,
}

/// The files of the plugin, with paths relative to its folder.
#[must_use]
pub fn files() -> Vec<PluginFile> {
    let mut files = vec![
        json(".claude-plugin/plugin.json", manifest()),
        json("hooks/hooks.json", hooks()),
    ];
    files.extend(skills::all().map(|skill| PluginFile {
        path: format!("skills/{}/SKILL.md", skill.name),
        content: skill.written(skill.name),
    }));
    files
}

/// The marketplace file that offers the plugin in the folder `plugin`. Its path is relative to the parent of that
/// folder.
#[must_use]
pub fn marketplace() -> PluginFile {
    let mut owner = Object::new();
    owner.set("name", NAME);
    let mut offer = Object::new();
    offer.set("name", NAME);
    offer.set("source", "./plugin");
    offer.set("description", DESCRIPTION);
    offer.set("category", "workflow");
    offer.set("tags", KEYWORDS.to_vec());
    let mut catalogue = Object::new();
    catalogue.set("name", NAME);
    catalogue.set("owner", owner);
    catalogue.set("plugins", vec![offer]);
    json(".claude-plugin/marketplace.json", catalogue)
}

fn manifest() -> Object {
    let mut manifest = Object::new();
    manifest.set("name", NAME);
    manifest.set("version", env!("CARGO_PKG_VERSION"));
    manifest.set("description", DESCRIPTION);
    manifest.set("license", env!("CARGO_PKG_LICENSE"));
    manifest.set("keywords", KEYWORDS.to_vec());
    manifest
}

/// The same hooks as in settings. They find the program through `PATH`, because the plugin is the same for everyone.
fn hooks() -> Object {
    let program = Program::new("ckpt");
    let mut events = Object::new();
    for registration in registrations(Agent::Claude) {
        let entry = entry::entry(Agent::Claude, registration, &program);
        events.set(registration.event, vec![entry]);
    }
    let mut hooks = Object::new();
    hooks.set(
        "description",
        "Reports events to ckpt, and the state of the work to Claude.",
    );
    hooks.set("hooks", events);
    hooks
}

fn json(path: &str, content: Object) -> PluginFile {
    PluginFile {
        path: path.to_owned(),
        content: to_pretty(&Value::Object(content)) + "\n",
    }
}
