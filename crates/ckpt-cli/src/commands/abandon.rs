//! `ckpt abandon`

use ckpt::key::CommandKey;
use clap::Args;

use crate::failure::{Exit, Failure};
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
        let outcome = session
            .workspace
            .abandon(&CommandKey::parse(&self.key)?, &self.reason)?;
        session.report(&outcome)?;
        Ok(Exit::Done)
    }
}
