//! `ckpt save`

use std::io::Read;

use ckpt::document::Document;
use ckpt::history::Revision;
use ckpt::key::CommandKey;
use clap::Args;

use crate::failure::{Exit, Failure};
use crate::session::Session;

/// Save a whole document from standard input.
///
/// With --base, what others changed since that revision is kept, and what cannot be brought
/// together is refused. Without it the last write wins, and the history keeps what was there.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt show implement/auth --raw | ckpt save implement/auth")]
pub(crate) struct Save {
    /// The checkpoint, such as implement/auth
    key: String,
    /// The revision that the document was loaded at, such as 7
    #[arg(long, value_name = "REV")]
    base: Option<Revision>,
}

impl Save {
    pub(crate) fn run(self, session: &Session) -> Result<Exit, Failure> {
        let key = CommandKey::parse(&self.key)?;
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::io("cannot read standard input", &error))?;
        let document = Document::from_bytes(bytes).map_err(|error| {
            Failure::new(
                Exit::Invalid,
                format!("standard input is not JSON: {error}"),
            )
        })?;
        let outcome = session
            .workspace
            .save(&key, &document.value(), self.base.as_ref())?;
        session.report(&outcome)?;
        Ok(Exit::Done)
    }
}
