//! Describes all callable commands, for bindings in other languages.

use clap::{Arg, ArgAction, CommandFactory};
use serde::Serialize;

use crate::call::needs_a_process;
use crate::cli::Cli;

/// A command.
#[derive(Debug, Serialize)]
pub struct Described {
    /// Its name, from the outermost command down.
    pub path: Vec<String>,
    /// A one-line description.
    pub about: String,
    /// Its positional arguments, in order.
    pub positionals: Vec<Argument>,
    /// Its options.
    pub options: Vec<Argument>,
}

/// An argument of a command.
#[derive(Debug, Serialize)]
pub struct Argument {
    /// Its name, without leading dashes.
    pub name: String,
    /// A one-line description.
    pub about: String,
    /// How many values it takes.
    pub taking: Taking,
    /// Whether it may be omitted.
    pub optional: bool,
    /// Its allowed values; empty if any value is allowed.
    pub values: Vec<String>,
}

/// How many values an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Taking {
    /// None: it is a flag.
    Nothing,
    /// One value.
    One,
    /// Any number of values.
    Many,
    /// Any number of values, after `--`.
    Rest,
}

/// Every callable command, without the global options.
#[must_use]
pub fn describe() -> Vec<Described> {
    let mut command = Cli::command();
    command.build();
    let mut described = Vec::new();
    let callable = |command: &&clap::Command| !needs_a_process(&command.get_name());
    for subcommand in command.get_subcommands().filter(callable) {
        collect(subcommand, &[], &mut described);
    }
    described
}

fn collect(command: &clap::Command, above: &[String], described: &mut Vec<Described>) {
    let path = [above, &[command.get_name().to_owned()]].concat();
    if command.get_name() == "help" {
        return;
    }
    if command.has_subcommands() {
        for subcommand in command.get_subcommands() {
            collect(subcommand, &path, described);
        }
        return;
    }
    let own = |argument: &&Arg| {
        let global = ["directory", "json", "by", "help", "version"];
        let others = command.get_arg_conflicts_with(argument);
        let is_text = others.iter().any(|other| other.get_id() == "json");
        !is_text && !global.contains(&argument.get_id().as_str())
    };
    let positionals = command.get_positionals().filter(own).map(argument);
    let options = command.get_arguments().filter(|one| !one.is_positional());
    described.push(Described {
        about: sentence(command.get_about()),
        positionals: positionals.collect(),
        options: options.filter(own).map(argument).collect(),
        path,
    });
}

fn argument(argument: &Arg) -> Argument {
    let name = argument.get_long().unwrap_or(argument.get_id().as_str());
    let values = argument.get_possible_values();
    Argument {
        name: name.to_owned(),
        about: sentence(argument.get_help()),
        taking: match argument.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse => Taking::Nothing,
            ArgAction::Append if argument.is_last_set() => Taking::Rest,
            ArgAction::Append => Taking::Many,
            _ => Taking::One,
        },
        optional: !argument.is_required_set(),
        values: match argument.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse => Vec::new(),
            _ => values
                .iter()
                .map(|value| value.get_name().to_owned())
                .collect(),
        },
    }
}

fn sentence(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}
