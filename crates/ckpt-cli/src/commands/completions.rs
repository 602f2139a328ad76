//! `ckpt completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Cli, Global};
use crate::completion::Asking;
use crate::failure::{Exit, Failure};
use crate::ui::Ui;

/// Print a completion script for a shell.
///
/// In bash, zsh and fish, ids are completed as well: keys, phases, tasks, workstreams, gates and plans.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt completions bash >> ~/.bashrc")]
pub(crate) struct Completions {
    /// The shell to complete for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, ui: &mut Ui, global: &Global) -> Result<Exit, Failure> {
        let asking = match self.shell {
            Shell::Bash => Some(Asking::Bash),
            Shell::Zsh => Some(Asking::Zsh),
            Shell::Fish => Some(Asking::Fish),
            _ => None,
        };
        let script = match asking {
            Some(shell) => shell
                .registration()
                .map_err(|error| Failure::io("cannot write the script", &error))?,
            None => {
                let mut script = Vec::new();
                clap_complete::generate(self.shell, &mut Cli::command(), "ckpt", &mut script);
                script
            }
        };
        ui.print_page(global, &script)?;
        Ok(Exit::Done)
    }
}
