//! `ckpt`: durable, resumable workflow state for AI coding agents.
//!
//! This crate turns command lines into calls of the library, and results into text or JSON; it decides nothing about
//! checkpoints itself. [`main`] is the command; [`call()`] runs the same commands inside another program.

mod call;
mod cli;
mod commands;
mod completion;
mod description;
mod environment;
mod failure;
mod render;
mod schema;
mod session;
mod settings;
mod ui;

pub use call::{Called, call, open};
pub use description::{Argument, Described, Taking, describe};
pub use environment::Variables;
pub use session::kept_aside;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use completion::Asking;
use failure::{Exit, Failure};
use ui::Ui;

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let mut ui = Ui::of_process();
    // Agents wait for these two, so they skip the command line parser.
    let mut arguments = std::env::args_os().skip(1);
    let verb = arguments.next().unwrap_or_default();
    if verb == "hook" || verb == "statusline" {
        let rest: Vec<_> = arguments.by_ref().collect();
        let asks_for_help = rest.iter().any(|word| word == "--help" || word == "-h");
        if !asks_for_help {
            let exit = match verb == "hook" {
                true => commands::hook::run(&mut ui, &rest),
                false => commands::statusline::run(&mut ui),
            };
            return exit.into();
        }
    }
    if verb.is_empty() && commands::hook::is_called_without_words(&mut ui) {
        return Exit::Done.into();
    }
    // Shells ask with `ckpt -- WORDS`.
    if verb == "--"
        && let Some(shell) = Asking::of(ui.variables())
    {
        return completion::answer(&mut ui, shell, arguments.collect()).into();
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(&mut ui, &error).into(),
    };
    run(&mut ui, cli).into()
}

fn run(ui: &mut Ui, cli: cli::Cli) -> Exit {
    let json = cli.global.json;
    match commands::run(ui, cli) {
        Ok(exit) => exit,
        Err(failure) => failure.report(ui, json),
    }
}

/// Prints help, the version or a usage error. With `--json`, errors are reported as JSON.
fn misused(ui: &mut Ui, error: &clap::Error) -> Exit {
    let json = std::env::args_os().any(|argument| argument == "--json");
    let asked = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    if asked || !json {
        let _ = error.print();
        return if asked { Exit::Done } else { Exit::Usage };
    }
    misused_for_json(ui, error)
}

fn misused_for_json(ui: &mut Ui, error: &clap::Error) -> Exit {
    let message = error.to_string();
    // The message can span several lines and ends at the first empty one.
    let wrong = message.lines().map(str::trim);
    let wrong: Vec<_> = wrong.take_while(|line| !line.is_empty()).collect();
    let wrong = wrong.join(" ");
    Failure::new(Exit::Usage, wrong.trim_start_matches("error: "))
        .with_hint("See: ckpt --help")
        .report(ui, true)
}
