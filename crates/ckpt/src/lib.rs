//! The engine of `ckpt`: durable, resumable workflow state for AI coding agents.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests play the other programs")
)]

pub mod command;
pub mod disk;
pub mod document;
pub mod finding;
pub mod gate;
pub mod handoff;
pub mod hash;
pub mod history;
pub mod key;
pub mod layout;
pub mod operation;
pub mod pipeline;
pub mod plan;
pub mod process;
pub mod repository;
pub mod resume;
#[cfg(feature = "schema")]
pub mod schema;
pub mod seal;
pub mod standing;
pub mod store;
pub mod time;
pub mod tokens;
pub mod voice;
pub mod workspace;
