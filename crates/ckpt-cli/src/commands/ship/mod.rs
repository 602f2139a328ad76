//! `ckpt ship`

pub(crate) mod check;
pub(crate) mod preview;
pub(crate) mod text;

use ckpt::key::{CommandKey, Key};
use ckpt::voice::quote;
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
    /// Show what shipping still needs, and what settles it
    ///
    /// Looks at the gate, the receipts of gates, the preview, the work tree, blockers and what is pushed, and contacts
    /// nobody. Exits with 6 if anything is unmet.
    #[command(
        after_help = "Marks: ✓ met, ! not met, which does not stop shipping, ✗ not met\n\nExample:\n  ckpt ship check ship/login"
    )]
    Check {
        /// The checkpoint, such as ship; omit if only one is in flight
        #[arg(add = Ids::CommandKeys)]
        key: Option<String>,
    },
    /// Write the title and the body of a pull request
    ///
    /// From the summaries, decisions and gates of the checkpoint and of those for the same feature. If an issue is recorded
    /// and "linear.enabled" is true, the text closes it. Nothing else that the text quotes closes or mentions anything.
    #[command(
        after_help = "Example:\n  ckpt ship text ship/login --only body > body.md && gh pr create --title \"$(ckpt ship text ship/login --only title)\" --body-file body.md"
    )]
    Text {
        /// The checkpoint, such as ship; omit if only one is in flight
        #[arg(add = Ids::CommandKeys)]
        key: Option<String>,
        /// Print only this part
        #[arg(long, value_name = "PART", conflicts_with = "json")]
        only: Option<text::Part>,
    },
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
            Action::Check { key } => check::run(ui, session, &command(session, key.as_deref())?),
            Action::Text { key, only } => {
                text::run(ui, session, &command(session, key.as_deref())?, only)
            }
            Action::Preview {
                key,
                timeout,
                commit,
            } => preview::run(ui, session, &key, timeout, commit.as_deref()),
        }
    }
}

/// The command that is meant: only commands ship.
fn command(session: &Session, typed: Option<&str>) -> Result<CommandKey, Failure> {
    match session.key_for_reading(typed)? {
        Key::Command(key) => Ok(key),
        other => {
            let message = format!(
                "{} is no command, so it does not ship",
                quote(&other.short())
            );
            Err(Failure::new(Exit::Usage, message).with_hint(
                "Name a command, such as ship/login; start one with: ckpt start ship FEATURE",
            ))
        }
    }
}
