//! `ckpt demo`

use clap::Args;

use crate::failure::{Exit, Failure};

/// Watch a checkpoint survive a kill, in a throw-away repository.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt demo")]
pub(crate) struct Demo {}

impl Demo {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        Ok(Exit::Done)
    }
}
