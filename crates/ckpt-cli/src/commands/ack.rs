//! `ckpt ack`

use clap::Args;

use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

/// Say that a hazard has been dealt with, so that briefs no longer mention it.
///
/// The id is one that a line under CHECK FIRST names: a task that vanished or is open again, a session or sub-agent that
/// died, a name that is gone, or `commits` for the commits since the checkpoint was saved: those until now then count as
/// known, and are not told again. The history keeps a record. Hazards that are still so, such as a gate that failed, cannot be acknowledged.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt ack drop-old --reason 'the table stays'")]
pub(crate) struct Ack {
    /// What the hazard is about
    id: String,
    /// The checkpoint; omit to search everything in flight
    #[arg(add = Ids::Keys)]
    key: Option<String>,
    /// Why it is no longer a hazard
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Ack {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let key = self.key.as_deref().map(|key| workspace.find_key(key));
        let key = key.transpose()?;
        let ended = workspace.acknowledge(&self.id, key.as_ref(), self.reason.as_deref())?;
        if session.json {
            ui.json(&ended)?;
            return Ok(Exit::Done);
        }
        for hazard in &ended.hazards {
            ui.text(&format!("acknowledged: {}\n", one_line(hazard)))?;
        }
        Ok(Exit::Done)
    }
}
