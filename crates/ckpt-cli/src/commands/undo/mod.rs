//! `ckpt undo`

pub(crate) mod session;

use ckpt::history::Line;
use ckpt::key::Key;
use ckpt::workspace::Depth;
use clap::Args;

use super::plan::report;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::story::story;
use crate::session::Session;
use crate::ui::Ui;

/// Take the last change of a checkpoint back.
///
/// This is a new revision: undoing it brings the change back. Without a key, takes back the newest change of all
/// checkpoints. In a plan, whatever the change recorded is taken back: ticks, tasks, decisions, blockers, notes and claims, but
/// a claim does not come back where another worktree may have taken the task.
/// Approvals, reviews and the results of gates are never taken back; those of a session are named. With --session, takes back all that one session changed,
/// except in checkpoints where somebody else changed the same again since.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt undo implement/auth\n  ckpt undo --session 7f3a1c22")]
pub(crate) struct Undo {
    /// The checkpoint; omit for the one that was changed last
    #[arg(add = Ids::Keys)]
    key: Option<String>,
    /// Take back all changes of this session; the beginning of its id is enough
    #[arg(long, value_name = "ID", add = Ids::Sessions)]
    session: Option<String>,
}

impl Undo {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        if let Some(typed) = &self.session {
            return session::undo(ui, session, self.key.as_deref(), typed);
        }
        let workspace = &session.workspace;
        let key = match &self.key {
            Some(typed) => workspace.find_key(typed)?,
            None => last_changed(session)?,
        };
        let last = workspace.last_change(&key)?;
        let (is_changed, done) = match &key {
            Key::Plan(id) => {
                let outcome = workspace.plan(id).undo()?;
                let is_changed = outcome.revision.is_some();
                (is_changed, report::quietly(ui, session, &outcome)?)
            }
            _ => {
                let outcome = workspace.undo(&key)?;
                session.report(ui, &outcome)?;
                (outcome.revision.is_some(), Exit::Done)
            }
        };
        let undone = match is_changed {
            true => workspace.undone_change(&key)?,
            false => last,
        };
        let what = undone.as_ref().map(story).unwrap_or_default();
        if !is_changed {
            let message = format!(
                "the last change of {} cannot be taken back: {what}",
                key.short()
            );
            return Err(Failure::new(Exit::Invalid, message)
                .with_hint("Approvals, reviews and the results of gates stay"));
        }
        if !session.json {
            ui.text(&format!("undone in {}: {what}\n", key.short()))?;
        }
        Ok(done)
    }
}

/// The checkpoint with the newest change.
fn last_changed(session: &Session) -> Result<Key, Failure> {
    let (summaries, _) = session.workspace.list(Depth::WithoutGit)?;
    let mut newest: Option<(String, Key)> = None;
    for summary in summaries {
        let last = session.workspace.last_change(&summary.key)?;
        let time = last.as_ref().and_then(Line::time).unwrap_or_default();
        if newest
            .as_ref()
            .is_none_or(|(newest, _)| newest.as_str() < time.as_ref())
        {
            newest = Some((time.into_owned(), summary.key));
        }
    }
    let key = newest.map(|(_, key)| key);
    key.ok_or_else(|| Failure::new(Exit::NotFound, "there is nothing to undo"))
}
