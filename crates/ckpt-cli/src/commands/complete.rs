//! `ckpt complete`

use ckpt::command::{Refusal, Unfinished};
use ckpt::gate::Verdict;
use ckpt::key::{CommandKey, Key};
use ckpt::voice::suggested;
use ckpt::workspace::WorkspaceError;
use clap::Args;

use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Mark a checkpoint as complete.
///
/// Refused while phases are open or failed, or while its gate blocks. Nothing happens if it is already complete.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt complete implement/auth")]
pub(crate) struct Complete {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::CommandKeys)]
    key: String,
    /// Complete it even if phases are open or failed, or its gate blocks
    #[arg(long)]
    force: bool,
}

impl Complete {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let key = workspace.find_command(&self.key)?;
        let unfinished = match self.force {
            true => Unfinished::Ignore,
            false => {
                check_gate(session, &key)?;
                Unfinished::Refuse
            }
        };
        let completed = workspace.command(&key).complete(unfinished);
        let outcome = completed.map_err(|error| match error {
            // The message is that of the Node functions, which does not say what was looked for.
            WorkspaceError::Command(Refusal::NothingToComplete) => {
                Failure::new(Exit::NotFound, error.to_string()).with_hint(format!(
                    "Nothing is called {}; list all checkpoints with: ckpt list",
                    key.short()
                ))
            }
            error => error.into(),
        })?;
        session.report(ui, &outcome)?;
        Ok(Exit::Done)
    }
}

/// Refuses to complete a checkpoint whose gate blocks.
fn check_gate(session: &Session, key: &CommandKey) -> Result<(), Failure> {
    let workspace = &session.workspace;
    let key = Key::from(key);
    let loaded = workspace.load(&key).ok().flatten();
    let root = loaded.as_ref().map(|loaded| loaded.document.root());
    let is_done = root.is_some_and(|root| root.get("completed_at").is_some());
    if is_done || root.is_none_or(|root| root.get("gate").is_none()) {
        return Ok(());
    }
    let verdict = workspace.check_gate(&key)?.verdict;
    match verdict {
        Verdict::Blocked { reasons } => {
            let message = format!("the gate of {} blocks: {}", key.short(), reasons.join(", "));
            let name = suggested(&key.short());
            Err(Failure::new(Exit::Blocked, message).with_hint(format!(
                "See it with: ckpt gate show {name}; settle it, or complete it anyway with --force"
            )))
        }
        _ => Ok(()),
    }
}
