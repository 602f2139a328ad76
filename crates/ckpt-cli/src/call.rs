//! Running commands within another program.

use std::ffi::OsString;
use std::path::Path;

use ckpt::workspace::Workspace;
use clap::{CommandFactory, FromArgMatches};

use crate::cli::{Cli, Global};
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::surroundings::{Variables, within_call};
use crate::{misused_for_json, run};

/// What a call came to.
#[derive(Debug)]
pub struct Called {
    /// The exit code that the command would have had.
    pub exit: u8,
    /// What it would have printed.
    pub output: Vec<u8>,
    /// What it would have said on standard error, line by line.
    pub notes: Vec<String>,
}

/// Runs a command as if its arguments had been typed, with `--json`. It reads nothing but `input`, sees no variables but
/// these, prints nothing, asks nobody, and leaves the signals of the process alone.
#[must_use]
pub fn call(arguments: &[String], variables: Variables, input: Vec<u8>) -> Called {
    let typed = ["ckpt", "--json"].into_iter().map(OsString::from);
    let typed = typed.chain(arguments.iter().map(OsString::from));
    let (exit, said) = within_call(variables, input, || {
        let matches = match Cli::command().try_get_matches_from(typed) {
            Ok(matches) => matches,
            Err(error) => return misused_for_json(&error),
        };
        if let Some(name) = matches.subcommand_name().filter(needs_a_process) {
            let message = format!("{name} needs a process of its own");
            return Failure::new(Exit::Usage, message)
                .with_hint(format!("Run it at a terminal: ckpt {name}"))
                .report(true);
        }
        match Cli::from_arg_matches(&matches) {
            Ok(cli) => run(cli),
            Err(error) => misused_for_json(&error),
        }
    });
    Called {
        exit: exit.code(),
        output: said.output,
        notes: said.notes,
    }
}

/// Opens the workspace of a directory as every command does: with the settings that hold there. Why not is told in a
/// sentence.
pub fn open(directory: &Path, variables: Variables) -> Result<Workspace, String> {
    let (session, _) = within_call(variables, Vec::new(), || {
        Session::open(&Global {
            directory: Some(directory.to_owned()),
            json: true,
            by: None,
        })
    });
    let session = session.map_err(|failure| failure.message().to_owned())?;
    Ok(session.workspace)
}

/// Whether a command is about the program itself: it is called by other programs, calls it, or tells them where it lies.
pub(crate) fn needs_a_process(name: &&str) -> bool {
    matches!(*name, "hook" | "statusline" | "demo" | "doctor" | "init")
}
