//! `ckpt man`

use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::cli::{Cli, Global};
use crate::failure::{Exit, Failure};
use crate::ui::Ui;

/// All commands. How this program was built does not belong into the manual.
fn described() -> clap::Command {
    Cli::command().long_version(None)
}

/// Print the manual page, or write all manual pages to a directory.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt man --output ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Directory to write the pages of all commands to
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, ui: &mut Ui, global: &Global) -> Result<Exit, Failure> {
        match self.output {
            Some(directory) => {
                let directory = global.resolve(&directory);
                let failed =
                    |error| Failure::io(format!("cannot write to {}", directory.display()), &error);
                std::fs::create_dir_all(&directory).map_err(failed)?;
                clap_mangen::generate_to(described(), &directory).map_err(failed)?;
            }
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(described())
                    .render(&mut page)
                    .map_err(|error| Failure::io("cannot render the manual page", &error))?;
                ui.print_page(global, &page)?;
            }
        }
        Ok(Exit::Done)
    }
}
