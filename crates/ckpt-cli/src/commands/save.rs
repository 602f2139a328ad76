//! `ckpt save`

use ckpt::document::Document;
use ckpt::history::Revision;
use ckpt::key::CommandKey;
use ckpt::workspace::Base;
use clap::Args;

use super::{gone, input};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Save a whole checkpoint from standard input.
///
/// With --base, changes that others made since that revision are merged, and conflicts are refused. Without it, the
/// last write wins, and the history keeps the previous content. A gate and the results of gates stay as they are, if there
/// are any.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt show implement/auth --raw | ckpt save implement/auth")]
pub(crate) struct Save {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::CommandKeys)]
    key: String,
    /// The revision the document is based on, such as 7
    #[arg(long, value_name = "REV")]
    base: Option<Revision>,
    /// Create it even if its name is much like that of another
    #[arg(long)]
    new: bool,
}

impl Save {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let key = CommandKey::parse(&self.key)?;
        let document = Document::from_bytes(input::standard(ui)?).map_err(|error| {
            let message = format!("standard input is not JSON: {error}");
            Failure::new(Exit::Invalid, message).with_hint("Fix it; nothing was saved")
        })?;
        let base = self.base.as_ref().map_or(Base::Unknown, Base::Revision);
        let outcome = gone::changing(session, &key, self.new, |checkpoint| {
            checkpoint.save_content(&document.value(), base)
        })?;
        session.report(ui, &outcome)?;
        Ok(Exit::Done)
    }
}
