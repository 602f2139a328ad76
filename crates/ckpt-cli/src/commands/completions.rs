//! `ckpt completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Cli, Global};
use crate::failure::{Exit, Failure};
use crate::ui::Ui;

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt completions bash > ~/.local/share/bash-completion/completions/ckpt"
)]
pub(crate) struct Completions {
    /// The shell to complete for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, ui: &mut Ui, global: &Global) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "ckpt", &mut script);
        ui.print_page(global, &script)?;
        Ok(Exit::Done)
    }
}
