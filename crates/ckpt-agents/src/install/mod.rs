//! Installs hooks that call `ckpt` in the settings of agents.
//!
//! Nothing here opens a file. [`places`] knows where an agent keeps its settings and how to detect that it is in use;
//! [`hooks`] lists the events to register for; [`edit`] adds hooks to the text of a settings file, removes them and
//! finds them; `parts` does the same for the MCP server and the status line; [`plugin`] provides the same as a plugin for Claude Code, with skills.

pub mod edit;
mod entry;
mod flaws;
pub mod hooks;
mod matcher;
mod parts;
pub mod places;
pub mod plugin;
mod program;
mod settings;
mod skills;
mod source;
mod steps;
mod switches;
mod toml;
mod trust;

pub use edit::{Found, NotEditable, added, found, removed};
pub use flaws::{Flaw, flaws};
pub use hooks::{Registration, oldest_version, registrations};
pub use parts::{Part, Standing, holds_ours, standing, stripped, with_part};
pub use places::{
    Base, Content, Home, Place, Readers, Scope, Traces, managed_directory, servers_file,
    settings_file, skills_directory, traces,
};
pub use program::Program;
pub use skills::{Prompt, SkillFile, prompt, prompts, skill_files};
pub use switches::{Author, Layer, Off, plugin_is_enabled, switched_off};
pub use trust::{
    Uncalled, codex_trusts, copilot_trusts, gemini_asks_for_trust, gemini_trusts, uncalled_by_codex,
};
