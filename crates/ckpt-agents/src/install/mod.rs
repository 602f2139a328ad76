//! Installs hooks that call `ckpt` in the settings of agents.
//!
//! Nothing here opens a file. [`places`] knows where an agent keeps its settings and how to detect that it is in use;
//! [`hooks`] lists the events to register for; [`edit`] adds hooks to the text of a settings file, removes them and
//! finds them; [`plugin`] provides the same as a plugin for Claude Code, with skills.

pub mod edit;
mod entry;
mod flaws;
pub mod hooks;
mod matcher;
pub mod places;
pub mod plugin;
mod program;
mod settings;
mod skills;
mod source;
mod steps;
mod switches;

pub use edit::{Found, NotEditable, added, found, removed};
pub use flaws::{Flaw, flaws};
pub use hooks::{Registration, registrations};
pub use places::{
    Base, Content, Home, Place, Readers, Scope, Traces, managed_directory, settings_file, traces,
};
pub use program::Program;
pub use skills::{Prompt, prompt, prompts};
pub use switches::{Author, Layer, Off, switched_off};
