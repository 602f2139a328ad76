//! `ckpt`: durable, resumable workflow state for AI coding agents.
//!
//! This crate turns command lines into calls of the library, and results into text or JSON; it decides nothing about
//! checkpoints itself. [`main`] is the command; [`call()`] runs the same commands inside another program.

mod call;
mod cli;
mod commands;
mod completion;
mod deliveries;
mod description;
mod environment;
mod failure;
mod journal;
#[cfg(feature = "mcp")]
mod mcp;
mod message;
mod messenger;
mod render;
mod schema;
mod services;
mod session;
mod settings;
mod ui;
mod worker;

pub use call::{Called, call, open};
pub use description::{Argument, Described, Taking, describe};
pub use environment::Variables;
pub use session::kept_aside;

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

use completion::Asking;
use failure::{Exit, Failure};
use ui::Ui;

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let mut ui = Ui::of_process();
    worker::allow();
    report_full_files();
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
    match parse() {
        Ok(cli) => run(&mut ui, cli).into(),
        Err(error) => misused(&mut ui, &error).into(),
    }
}

/// Lets a write that exceeds the limit of the shell (`ulimit -f`) fail with an error, instead of ending the process
/// without a word.
fn report_full_files() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

fn parse() -> Result<cli::Cli, clap::Error> {
    let words: Vec<OsString> = std::env::args_os().skip(1).take(2).collect();
    // A parser of one command says nothing useful about errors, and it has no help.
    let parsed = cli::Cli::parser_of(&words).and_then(|parser| parse_with(parser).ok());
    parsed.map_or_else(|| parse_with(cli::Cli::command()), Ok)
}

fn parse_with(parser: clap::Command) -> Result<cli::Cli, clap::Error> {
    // Taking the parser apart would cost as much as a small change.
    let mut parser = ManuallyDrop::new(parser);
    let mut matches = parser.try_get_matches_from_mut(std::env::args_os())?;
    let parsed = cli::Cli::from_arg_matches_mut(&mut matches);
    parsed.map_err(|error| error.format(&mut parser))
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
