//! What `ckpt` promises, as tests of the program itself. The tests are grouped by subject.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and says on standard error what it measured or skipped"
)]

mod support;

mod cli;
mod command;
mod gate;
mod handoff;
mod history;
mod hook;
mod init;
mod mcp;
mod notify;
mod pipeline;
mod plan;
mod resume;
mod ship;
mod store;
mod suite;
mod trust;
