//! The plugin for Claude Code: the hooks and the skills in one folder, and the catalogue that offers it.

use ckpt::document::{Object, Value, to_pretty};

use super::entry;
use super::hooks::registrations;
use super::program::Program;
use super::skills;
use crate::agent::Agent;

const NAME: &str = "ckpt";
const DESCRIPTION: &str = "Durable, resumable workflow state: a session that ends, crashes or is compacted goes on \
                           where the work stood.";
const KEYWORDS: [&str; 5] = ["checkpoint", "resume", "workflow", "plan", "handoff"];

/// A file that is generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFile {
    /// Its path, with `/` between its parts.
    pub path: String,
    /// What is in it.
    pub content: String,
}

/// The files of the plugin; paths are from its folder.
#[must_use]
pub fn files() -> Vec<PluginFile> {
    let mut files = vec![
        json(".claude-plugin/plugin.json", manifest()),
        json("hooks/hooks.json", hooks()),
    ];
    files.extend(skills::all().map(|skill| PluginFile {
        path: format!("skills/{}/SKILL.md", skill.name),
        content: skill.written(),
    }));
    files
}

/// The catalogue that offers the plugin from the folder `plugin`; its path is from the folder that holds both.
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

/// The same hooks as in settings. The program is looked up when it is called, because a plugin is the same for everybody.
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
        "Tells ckpt what happens, and Claude where the work stands.",
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
