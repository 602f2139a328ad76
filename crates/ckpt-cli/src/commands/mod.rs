//! One file for each command.

pub(crate) mod abandon;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod gate;
pub(crate) mod handoff;
pub(crate) mod hook;
pub(crate) mod init;
mod input;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod phase;
pub(crate) mod pipeline;
pub(crate) mod plan;
pub(crate) mod resume;
pub(crate) mod running;
pub(crate) mod save;
pub(crate) mod schema;
mod screen;
pub(crate) mod show;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod statusline;
pub(crate) mod target;
pub(crate) mod tokens;
pub(crate) mod validate;

use crate::cli::{Cli, Command};
use crate::failure::{Exit, Failure};
use crate::session::Session;

/// Runs what was typed.
pub(crate) fn run(cli: Cli) -> Result<Exit, Failure> {
    // These work anywhere, whatever state the repository and the settings are in.
    match cli.command {
        Command::Completions(command) => return command.run(&cli.global),
        Command::Man(command) => return command.run(&cli.global),
        Command::Demo(command) => return command.run(&cli.global),
        Command::Schema(command) => return command.run(&cli.global),
        Command::Hook(command) => return command.run(),
        Command::Statusline(command) => return Ok(command.run()),
        _ => {}
    }
    let session = match &cli.command {
        Command::Config(command) if command.changes() => Session::open_to_mend(&cli.global)?,
        // It says itself what is wrong with the settings.
        Command::Doctor(_) => Session::open_to_mend(&cli.global)?,
        Command::Gate(command) if command.is_called_by_git() => Session::open_for_git(&cli.global)?,
        _ => Session::open(&cli.global)?,
    };
    match cli.command {
        Command::Init(command) => command.run(&session),
        Command::Doctor(command) => command.run(&session),
        Command::Start(command) => command.run(&session),
        Command::Phase(command) => command.run(&session),
        Command::Complete(command) => command.run(&session),
        Command::Plan(command) => command.run(&session),
        Command::Pipeline(command) => command.run(&session),
        Command::Abandon(command) => command.run(&session),
        Command::Save(command) => command.run(&session),
        Command::Gate(command) => command.run(&session),
        Command::Resume(command) => command.run(&session),
        Command::Status(command) => command.run(&session),
        Command::List(command) => command.run(&session),
        Command::Show(command) => command.run(&session),
        Command::Validate(command) => command.run(&session),
        Command::Log(command) => command.run(&session),
        Command::Handoff(command) => command.run(&session),
        Command::Tokens(command) => command.run(&session),
        Command::Config(command) => command.run(&session),
        Command::Completions(_)
        | Command::Man(_)
        | Command::Demo(_)
        | Command::Schema(_)
        | Command::Hook(_)
        | Command::Statusline(_) => {
            unreachable!("these have been run above")
        }
    }
}
