//! `ckpt abandon`

use ckpt::key::CommandKey;
use clap::Args;

use crate::failure::{Exit, Failure};
use crate::output;
use crate::session::Session;

/// Give a checkpoint up, with a reason.
///
/// Its state stays as it was; a later change of a phase takes it up again.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt abandon implement/auth --reason 'replaced by implement/sso'"
)]
pub(crate) struct Abandon {
    /// The checkpoint, such as implement/auth
    key: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

impl Abandon {
    pub(crate) fn run(self, session: &Session) -> Result<Exit, Failure> {
        let key = CommandKey::parse(&self.key)?;
        let workspace = &session.workspace;
        match workspace.abandon(&key, &self.reason) {
            Ok(outcome) => session.report(&outcome)?,
            // Its file is gone, or says that it is over, and its gate still blocks.
            Err(_) if workspace.is_over(&key) && workspace.forget_gate(&key) => {
                output::note(&format!(
                    "the gate of {} does not block any more",
                    key.short()
                ));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Exit::Done)
    }
}
