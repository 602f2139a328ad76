//! `ckpt mcp`

use clap::Args;

use crate::cli::Global;
use crate::failure::{Exit, Failure};

/// Serve a client of the Model Context Protocol on standard input and output.
///
/// For clients without hooks, or beside them. Works where the client works; with -C, in that directory. A client starts it by
/// itself, if its configuration names the command `ckpt` with the argument `mcp`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt mcp -C ~/site")]
pub(crate) struct Mcp {}

impl Mcp {
    pub(crate) fn run(self, global: &Global) -> Result<Exit, Failure> {
        crate::mcp::serve(global.directory.clone())
    }
}
