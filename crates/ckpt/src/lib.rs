//! The engine of `ckpt`: durable, resumable workflow state for AI coding agents.

pub mod document;
pub mod finding;
pub mod key;
pub mod time;
pub mod tokens;
