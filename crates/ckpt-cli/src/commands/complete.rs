//! `ckpt complete`

use ckpt::key::CommandKey;
use clap::Args;

use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Mark a checkpoint as complete.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt complete implement/auth")]
pub(crate) struct Complete {
    /// The checkpoint, such as implement/auth
    key: String,
}

impl Complete {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let outcome = session
            .workspace
            .command(&CommandKey::parse(&self.key)?)
            .complete()?;
        session.report(ui, &outcome)?;
        Ok(Exit::Done)
    }
}
