//! `ckpt`: durable, resumable workflow state for AI coding agents.
//!
//! This binary translates: what was typed becomes calls of the library, what comes back becomes
//! text or JSON. It decides nothing about checkpoints.

mod cli;
mod commands;
mod environment;
mod failure;
mod output;
mod render;
mod session;
mod settings;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let json = cli.global.json;
    match commands::run(cli) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(json).into(),
    }
}
