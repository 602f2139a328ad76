//! `ckpt abandon`

use ckpt::key::Key;
use clap::Args;

use super::pipeline;
use super::plan::{self, report};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Abandon a checkpoint, with a reason.
///
/// Its state is kept, and plan.md stays as it is. A later change of a phase, a tick, a new task or `ckpt plan use` puts it
/// back in flight; for a pipeline, `ckpt pipeline fixed` does.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt abandon implement/auth --reason 'replaced by implement/sso'\n  ckpt abandon PRD-003 --reason 'too large'"
)]
pub(crate) struct Abandon {
    /// The checkpoint, such as implement/auth or PRD-003
    #[arg(add = Ids::Keys)]
    key: String,
    /// Why it is abandoned
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

impl Abandon {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let key = match workspace.find_key(&self.key)? {
            Key::Pipeline(id) => {
                let outcome = workspace.pipeline(&id).abort(&self.reason)?;
                pipeline::report(ui, session, outcome)?;
                return Ok(Exit::Done);
            }
            Key::Plan(id) => {
                let abandoned = workspace.plan(&id).abandon(&self.reason);
                let outcome = abandoned.map_err(|error| plan::lost(error, &id))?;
                return report::outcome(ui, session, &outcome, &[]);
            }
            _ => workspace.find_command(&self.key)?,
        };
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
