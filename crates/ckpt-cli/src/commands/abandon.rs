//! `ckpt abandon`

use clap::Args;

use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Abandon a checkpoint, with a reason.
///
/// Its state is kept; updating one of its phases later puts it back in flight.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt abandon implement/auth --reason 'replaced by implement/sso'"
)]
pub(crate) struct Abandon {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::CommandKeys)]
    key: String,
    /// Why it is abandoned
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

impl Abandon {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let key = workspace.find_command(&self.key)?;
        match workspace.command(&key).abandon(&self.reason) {
            Ok(outcome) => session.report(ui, &outcome)?,
            // The checkpoint is gone or finished, but its gate still blocks.
            Err(_) if workspace.is_over(&key) && workspace.forget_gate(&key) => {
                ui.note(&format!("the gate of {} no longer blocks", key.short()));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Exit::Done)
    }
}
