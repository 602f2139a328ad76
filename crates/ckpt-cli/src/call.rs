//! Runs commands inside another program.

use std::ffi::OsString;
use std::path::Path;

use ckpt::workspace::Workspace;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use crate::cli::{Cli, Global};
use crate::environment::Variables;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::{Attendant, Ui};
use crate::{misused_for_json, run};

/// The result of a call.
#[derive(Debug)]
pub struct Called {
    /// The exit code of the command.
    pub exit: u8,
    /// What the command would have printed.
    pub output: Vec<u8>,
    /// The lines it would have printed to standard error.
    pub notes: Vec<String>,
}

/// Runs a command line with `--json`. It reads only `input`, sees only these variables, prints nothing, asks no
/// questions, and does not touch the signal handlers of the process.
#[must_use]
pub fn call(arguments: &[String], variables: Variables, input: Vec<u8>) -> Called {
    let arguments = arguments.iter().map(OsString::from).collect();
    call_attended(arguments, variables, input, Attendant::default())
}

/// Like [`call()`], for a program that listens while the command runs and may stop it.
pub(crate) fn call_attended(
    arguments: Vec<OsString>,
    variables: Variables,
    input: Vec<u8>,
    attendant: Attendant,
) -> Called {
    let mut ui = Ui::of_attended_call(variables, input, attendant);
    let exit = run_typed(&mut ui, arguments);
    let (output, notes) = ui.into_said();
    Called {
        exit: exit.code(),
        output,
        notes,
    }
}

fn run_typed(ui: &mut Ui, arguments: Vec<OsString>) -> Exit {
    let typed = ["ckpt", "--json"].into_iter().map(OsString::from);
    let typed: Vec<OsString> = typed.chain(arguments).collect();
    let matches = match matched(&typed) {
        Ok(matches) => matches,
        Err(error) => return misused_for_json(ui, &error),
    };
    if let Some(name) = matches.subcommand_name().filter(needs_a_process) {
        let message = format!("{name} must run in its own process");
        return Failure::new(Exit::Usage, message)
            .with_hint(format!("Run it in a terminal: ckpt {name}"))
            .report(ui, true);
    }
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => run(ui, cli),
        Err(error) => misused_for_json(ui, &error),
    }
}

/// What was typed. A parser of one command is built sooner, and only the whole one says useful things about errors.
fn matched(typed: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let one = Cli::parser_of(&typed[2..]);
    let matches = one.and_then(|parser| parser.try_get_matches_from(typed).ok());
    matches.map_or_else(|| Cli::command().try_get_matches_from(typed), Ok)
}

/// Opens the workspace of a directory like every command does, with the settings that apply there. An error is a
/// message for the user.
pub fn open(directory: &Path, variables: Variables) -> Result<Workspace, String> {
    let ui = Ui::of_call(variables, Vec::new());
    let global = Global {
        directory: Some(directory.to_owned()),
        json: true,
        by: None,
    };
    match Session::open(&ui, &global) {
        // The functions of the specification count words, however long those are.
        Ok(session) => {
            let limit = session.settings.summary_limit();
            Ok(session.workspace.with_summary_limit(limit))
        }
        Err(failure) => Err(failure.message().to_owned()),
    }
}

/// Whether a command needs the real `ckpt` process: agents call it, it runs the program again or for as long as it likes,
/// or it writes the program's path into settings.
pub(crate) fn needs_a_process(name: &&str) -> bool {
    matches!(
        *name,
        "hook" | "statusline" | "demo" | "doctor" | "followers" | "init" | "mcp" | "notify"
    )
}
