//! The commands, one module each.

pub(crate) mod abandon;
pub(crate) mod ack;
pub(crate) mod archive;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod followers;
pub(crate) mod fork;
pub(crate) mod gate;
pub(crate) mod gc;
pub(crate) mod gone;
pub(crate) mod handoff;
pub(crate) mod hook;
mod in_archive;
pub(crate) mod init;
mod input;
mod issue;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod man;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
pub(crate) mod notify;
pub(crate) mod phase;
pub(crate) mod pipeline;
pub(crate) mod plan;
mod point;
pub(crate) mod recover;
pub(crate) mod rename;
pub(crate) mod restore;
pub(crate) mod resume;
pub(crate) mod running;
pub(crate) mod save;
pub(crate) mod schema;
mod screen;
pub(crate) mod ship;
pub(crate) mod show;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod statusline;
pub(crate) mod target;
pub(crate) mod tokens;
pub(crate) mod undo;
pub(crate) mod validate;

use ckpt::key::Key;

use crate::cli::{Cli, Command};
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Runs a parsed command line. A checkpoint that is not there because it was deleted is said to be deleted.
pub(crate) fn run(ui: &mut Ui, cli: Cli) -> Result<Exit, Failure> {
    let global = cli.global.clone();
    dispatch(ui, cli).map_err(|failure| match failure.missing() {
        Some(key) => match Session::open_for_repair(ui, &global) {
            Ok(session) => {
                // What nothing here is called has the key of a command.
                let typed = match &key {
                    Key::Command(command) => command.short(),
                    key => key.to_string(),
                };
                target::told_of_archive(&session, &typed, failure)
            }
            Err(_) => failure,
        },
        None => failure,
    })
}

fn dispatch(ui: &mut Ui, cli: Cli) -> Result<Exit, Failure> {
    let global = &cli.global;
    match cli.command {
        // These work anywhere, even with a broken repository or invalid settings.
        Command::Completions(command) => command.run(ui, global),
        Command::Man(command) => command.run(ui, global),
        #[cfg(feature = "mcp")]
        Command::Mcp(command) => command.run(global),
        Command::Demo(command) => command.run(ui, global),
        Command::Schema(command) => command.run(ui, global),
        Command::Hook(command) => command.run(ui),
        Command::Statusline(command) => Ok(command.run(ui)),
        // These report invalid settings themselves, or fix them.
        Command::Doctor(command) => command.run(ui, &Session::open_for_repair(ui, global)?),
        Command::Config(command) if command.changes() => {
            command.run(ui, &Session::open_for_repair(ui, global)?)
        }
        Command::Gate(command) if command.is_called_by_git() => {
            command.run(ui, &Session::open_for_git(ui, global)?)
        }
        Command::Init(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Start(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Phase(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Complete(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Plan(command) => command.run(ui, global),
        Command::Pipeline(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Abandon(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Save(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Gate(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Ship(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Recover(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Archive(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Unarchive(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Delete(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Notify(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Followers(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Fork(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Rename(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Gc(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Resume(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Ack(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Status(command) => command.run(ui, &Session::open(ui, global)?),
        Command::List(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Show(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Validate(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Log(command) => command.run(ui, global),
        Command::Diff(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Restore(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Undo(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Handoff(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Tokens(command) => command.run(ui, &Session::open(ui, global)?),
        Command::Config(command) => command.run(ui, &Session::open(ui, global)?),
    }
}
