//! `ckpt`: durable, resumable workflow state for AI coding agents.
//!
//! This crate translates: what was typed becomes calls of the library, what comes back becomes
//! text or JSON. It decides nothing about checkpoints. [`main`] is the command; [`call()`] runs the same
//! commands within another program.

mod call;
mod cli;
mod commands;
mod description;
mod environment;
mod failure;
mod output;
mod render;
mod repositories;
mod schema;
mod session;
mod settings;
mod surroundings;

pub use call::{Called, call, open};
pub use description::{Argument, Described, Taking, describe};
pub use session::kept_aside;
pub use surroundings::Variables;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use failure::{Exit, Failure};

/// Runs what was typed.
#[must_use]
pub fn main() -> ExitCode {
    // Agents wait for these, so they do not wait for the command line to be set up.
    let mut arguments = std::env::args_os().skip(1);
    let verb = arguments.next().unwrap_or_default();
    if verb == "hook" || verb == "statusline" {
        let rest: Vec<_> = arguments.collect();
        let asks_for_help = rest.iter().any(|word| word == "--help" || word == "-h");
        if !asks_for_help {
            let exit = match verb == "hook" {
                true => commands::hook::run(&rest),
                false => commands::statusline::run(),
            };
            return exit.into();
        }
    }
    if verb.is_empty() && commands::hook::is_called_without_words() {
        return Exit::Done.into();
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(&error).into(),
    };
    run(cli).into()
}

fn run(cli: cli::Cli) -> Exit {
    let json = cli.global.json;
    match commands::run(cli) {
        Ok(exit) => exit,
        Err(failure) => failure.report(json),
    }
}

/// Help and version are no mistakes; what is one is told in JSON to whoever asked for JSON.
fn misused(error: &clap::Error) -> Exit {
    let json = std::env::args_os().any(|argument| argument == "--json");
    let asked = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    if asked || !json {
        let _ = error.print();
        return if asked { Exit::Done } else { Exit::Usage };
    }
    misused_for_json(error)
}

fn misused_for_json(error: &clap::Error) -> Exit {
    let message = error.to_string();
    // What is missing stands in lines of its own; an empty one ends what is wrong.
    let wrong = message.lines().map(str::trim);
    let wrong: Vec<_> = wrong.take_while(|line| !line.is_empty()).collect();
    let wrong = wrong.join(" ");
    Failure::new(Exit::Usage, wrong.trim_start_matches("error: "))
        .with_hint("See: ckpt --help")
        .report(true)
}
