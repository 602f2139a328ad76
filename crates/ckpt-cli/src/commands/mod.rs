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
use crate::ui::Ui;

/// Runs what was typed.
pub(crate) fn run(ui: &mut Ui, cli: Cli) -> Result<Exit, Failure> {
    // These work anywhere, even if the repository or the settings are broken.
    match cli.command {
        Command::Completions(command) => return command.run(ui, &cli.global),
        Command::Man(command) => return command.run(ui, &cli.global),
        Command::Demo(command) => return command.run(ui, &cli.global),
        Command::Schema(command) => return command.run(ui, &cli.global),
        Command::Hook(command) => return command.run(ui),
        Command::Statusline(command) => return Ok(command.run(ui)),
        _ => {}
    }
    let session = match &cli.command {
        Command::Config(command) if command.changes() => Session::open_to_mend(ui, &cli.global)?,
        // It reports wrong settings itself.
        Command::Doctor(_) => Session::open_to_mend(ui, &cli.global)?,
        Command::Gate(command) if command.is_called_by_git() => {
            Session::open_for_git(ui, &cli.global)?
        }
        _ => Session::open(ui, &cli.global)?,
    };
    match cli.command {
        Command::Init(command) => command.run(ui, &session),
        Command::Doctor(command) => command.run(ui, &session),
        Command::Start(command) => command.run(ui, &session),
        Command::Phase(command) => command.run(ui, &session),
        Command::Complete(command) => command.run(ui, &session),
        Command::Plan(command) => command.run(ui, &session),
        Command::Pipeline(command) => command.run(ui, &session),
        Command::Abandon(command) => command.run(ui, &session),
        Command::Save(command) => command.run(ui, &session),
        Command::Gate(command) => command.run(ui, &session),
        Command::Resume(command) => command.run(ui, &session),
        Command::Status(command) => command.run(ui, &session),
        Command::List(command) => command.run(ui, &session),
        Command::Show(command) => command.run(ui, &session),
        Command::Validate(command) => command.run(ui, &session),
        Command::Log(command) => command.run(ui, &session),
        Command::Handoff(command) => command.run(ui, &session),
        Command::Tokens(command) => command.run(ui, &session),
        Command::Config(command) => command.run(ui, &session),
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
