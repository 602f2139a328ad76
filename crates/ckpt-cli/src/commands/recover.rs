//! `ckpt recover`

use ckpt::key::Key;
use ckpt::voice::path_name;
use ckpt::workspace::WorkspaceError;
use clap::Args;

use super::plan::report;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Bring back a checkpoint whose file is damaged.
///
/// The last recorded content is restored from the history, and the damaged file is kept beside it. A plan also gets back
/// a plan.md that is missing or empty. Nothing that can be read is replaced.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt recover PRD-003")]
pub(crate) struct Recover {
    /// The checkpoint, such as implement/auth or PRD-003
    #[arg(add = Ids::Keys)]
    key: String,
}

impl Recover {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let key = workspace.find_key(&self.key)?;
        if let Key::Plan(id) = &key {
            let outcome = workspace.plan(id).recover()?;
            return report::outcome(ui, session, &outcome, &[]);
        }
        let outcome = workspace.recover(&key).map_err(|error| match error {
            WorkspaceError::Corrupt(_) => {
                let message = format!(
                    "{} is damaged, and its history has nothing to restore",
                    key.short()
                );
                let path = path_name(&workspace.path(&key));
                Failure::new(Exit::NotFound, message)
                    .with_hint(format!("Fix {path}, or move it away and start again"))
            }
            error => error.into(),
        })?;
        session.report(ui, &outcome)?;
        if outcome.moved_aside.is_none() && !session.json {
            ui.note(&format!(
                "{} is not damaged; nothing was changed",
                key.short()
            ));
        }
        Ok(Exit::Done)
    }
}
