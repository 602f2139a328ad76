//! The engine as a Node addon.
//!
//! Only text crosses the border: JavaScript converts values to JSON and back by its own rules, and numbers that it
//! cannot represent keep their spelling. No checkpoint makes a function throw, and no panic reaches Node: every
//! function returns a value, a note, or both.

// Tests run without Node, so nothing is registered there.
#![cfg_attr(test, allow(dead_code))]

mod border;
mod checkpoints;
mod commands;
mod memory;
mod numbers;
#[cfg(feature = "panicking")]
mod panicking;
