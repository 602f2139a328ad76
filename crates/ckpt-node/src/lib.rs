//! The engine for Node, within its process.
//!
//! What crosses the border is text: JavaScript turns values into JSON and back, by its own rules, and numbers that
//! JavaScript cannot hold stay as they are written. Nothing here throws over a checkpoint or panics into Node: every
//! function answers with a value, a note, or both.

// Without Node nothing of it is registered.
#![cfg_attr(test, allow(dead_code))]

mod border;
mod checkpoints;
mod commands;
mod memory;
mod numbers;
#[cfg(feature = "panicking")]
mod panicking;
