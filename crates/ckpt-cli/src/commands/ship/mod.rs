//! `ckpt ship`

pub(crate) mod preview;

use clap::{Args, Subcommand};

use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Check what shipping needs, wait for the preview, and write the text of a pull request.
///
/// What it may contact is in .claude/config/integrations.json, and only once you have allowed it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt ship preview ship/login && ckpt ship check ship/login")]
pub(crate) struct Ship {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Wait for the preview of the commit that is checked out, and keep a receipt
    ///
    /// Asks Vercel, or GitHub about the deployments of Vercel. Only a deployment of exactly this commit counts. Exits with
    /// 6 if it fails or does not appear in time and "require_preview_success" is true; otherwise that is a warning.
    #[command(after_help = "Example:\n  ckpt ship preview ship/login --timeout 600")]
    Preview {
        /// The checkpoint that keeps the receipt, such as ship
        #[arg(add = Ids::CommandKeys)]
        key: String,
        /// Wait this many seconds instead of "preview_timeout_ms"
        #[arg(long, value_name = "SECONDS")]
        timeout: Option<u64>,
        /// Wait for the preview of this commit
        #[arg(long, value_name = "REVISION")]
        commit: Option<String>,
    },
}

impl Ship {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        match self.action {
            Action::Preview {
                key,
                timeout,
                commit,
            } => preview::run(ui, session, &key, timeout, commit.as_deref()),
        }
    }
}
