//! The part of a command line before the word to complete.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use clap::{ArgMatches, CommandFactory};

use super::LIMIT;
use crate::cli::{Cli, Global};
use crate::environment::Variables;
use crate::session::Session;
use crate::ui::Ui;

/// What was typed before the word to complete, as far as it can be parsed.
#[derive(Debug)]
pub(super) struct Line {
    /// The arguments of the innermost subcommand, and the global options.
    arguments: Option<ArgMatches>,
    variables: Variables,
}

impl Line {
    pub(super) fn read(words: &[OsString], variables: Variables) -> Self {
        let command = Cli::command().ignore_errors(true);
        let mut arguments = command.try_get_matches_from(words).ok();
        while let Some((_, inner)) = arguments.as_mut().and_then(ArgMatches::remove_subcommand) {
            arguments = Some(inner);
        }
        Self {
            arguments,
            variables,
        }
    }

    /// The values of an argument, as typed.
    pub(super) fn values(&self, argument: &str) -> Vec<String> {
        let values = self
            .arguments
            .as_ref()
            .and_then(|arguments| arguments.try_get_raw(argument).ok().flatten());
        values
            .into_iter()
            .flatten()
            .filter_map(|value| value.to_str().map(str::to_owned))
            .collect()
    }

    pub(super) fn value(&self, argument: &str) -> Option<String> {
        self.values(argument).into_iter().next()
    }

    /// The directory that the command would work in.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        let current = std::env::current_dir().ok();
        match self.value("directory") {
            Some(typed) => current.map(|current| current.join(typed)),
            None => current,
        }
    }

    /// The repository that the command would work in. Notes are dropped, and a slow git is stopped.
    pub(super) fn session(&self) -> Option<(Ui, Session)> {
        let ui = Ui::of_call(self.variables.clone(), Vec::new());
        let global = Global {
            directory: self.value("directory").map(PathBuf::from),
            json: false,
            by: None,
        };
        let mut session = Session::open_for_repair(&ui, &global).ok()?;
        let mut options = session.workspace.options().clone();
        options.git.until = Some(Instant::now() + LIMIT / 2);
        session.workspace = session.workspace.with_options(options);
        Some((ui, session))
    }
}
