//! `ckpt restore`

use ckpt::key::Key;
use clap::Args;

use super::plan::{self, report};
use super::point::Point;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Bring a checkpoint back to an earlier revision.
///
/// This makes a new revision, so ckpt undo takes it back. Approvals, reviews and the results of gates stay as they are now.
///
/// In a plan, the boxes are ticked as they were then, and the session notes are those of then. No text of the plan changes:
/// tasks, decisions and blockers that were added since stay. In a pipeline, a gate has to pass again if its workstream is
/// no longer done. A pipeline that has failed has to be repaired first, with ckpt pipeline fixed.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt restore implement/auth 3\n  ckpt restore implement/auth @2h"
)]
pub(crate) struct Restore {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::Keys)]
    key: String,
    /// A revision, or a time: 7, @2h, 2026-01-29T10:30:00Z
    revision: String,
}

impl Restore {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let key = workspace.find_key(&self.key)?;
        let point = Point::read(&self.revision, session.now())?;
        let typed = point.revision(session, &key)?;
        let revision = workspace.exact_revision(&key, &typed)?;
        if revision != typed {
            ui.note(&format!(
                "note: revision {typed} is {revision}; another epoch has that number too"
            ));
        }
        if let Key::Plan(id) = &key {
            let restored = workspace.plan(id).restore(&revision);
            let outcome = restored.map_err(|error| plan::lost(error, id))?;
            if outcome.revision.is_none() && !session.json {
                ui.note("every box is as it was; nothing was changed");
            }
            return report::quietly(ui, session, &outcome);
        }
        let outcome = workspace.restore(&key, &revision)?;
        if outcome.revision.is_none() && !session.json {
            ui.note(&format!(
                "{} is as it was; nothing was changed",
                key.short()
            ));
        }
        session.report(ui, &outcome)?;
        Ok(Exit::Done)
    }
}
