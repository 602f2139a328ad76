//! `ckpt fork`

use ckpt::key::{Key, PipelineId, PlanId};
use ckpt::voice::name;
use ckpt::workspace::Forked;
use clap::Args;

use super::gone;
use super::point::Point;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Start a new checkpoint with the content of another one.
///
/// As it is now, or as it was with --at, even if it was deleted or renamed since. The new one has a history of its own, which begins by saying where it came from. A
/// plan is forked with its Markdown. Approvals, results of gates, reviews, claims and running agents do not come along.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt fork implement/auth implement/auth-oauth\n  ckpt fork implement/auth implement/auth-retry --at 3"
)]
pub(crate) struct Fork {
    /// The checkpoint to start from, such as implement/auth
    #[arg(add = Ids::Keys)]
    key: String,
    /// The name of the new one, of the same kind
    #[arg(value_name = "NEW")]
    new_name: String,
    /// Start from an earlier state: a revision (7) or a time (@2h, 2026-01-29T10:30:00Z)
    #[arg(long, value_name = "REVISION")]
    at: Option<String>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Forked"))]
pub(crate) struct Report {
    key: Key,
    /// The checkpoint that it came from.
    from: Key,
    /// The revision that it came from.
    from_revision: Option<String>,
    /// Its own revision.
    revision: Option<String>,
}

impl Report {
    pub(super) fn of(fork: &Forked) -> Self {
        Self {
            key: fork.key.clone(),
            from: fork.from.clone(),
            from_revision: fork.at.as_ref().map(ToString::to_string),
            revision: fork.revision.as_ref().map(ToString::to_string),
        }
    }
}

impl Fork {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let fork = match &self.at {
            Some(at) => self.as_it_was(ui, session, at)?,
            None => {
                let key = session.workspace.find_key(&self.key)?;
                let new = new_name(&key, &self.new_name)?;
                session.workspace.fork(&key, &new, None)?
            }
        };
        if session.json {
            ui.json(&Report::of(&fork))?;
            return Ok(Exit::Done);
        }
        let at = match &fork.at {
            Some(revision) => format!(" at revision {}", revision.number),
            None => String::new(),
        };
        ui.text(&format!(
            "{} is forked from {}{at}\n",
            name(&fork.key.short()),
            name(&fork.from.short())
        ))?;
        Ok(Exit::Done)
    }
}

impl Fork {
    fn as_it_was(&self, ui: &Ui, session: &Session, at: &str) -> Result<Forked, Failure> {
        let at = Point::read(at, session.now())?;
        let read = |past: &Session, key: &Key| at.revision(past, key);
        let (past, key, at) = gone::reading(ui, session, (&self.key, "fork"), read)?;
        let new = new_name(&key, &self.new_name)?;
        if new == key && past.deleted.is_some() {
            let message = format!("{} cannot be forked to its own name", name(&key.short()));
            let failure = Failure::new(Exit::Conflict, message);
            return Err(failure.with_hint("Choose another name, or bring it back"));
        }
        let workspace = &session.workspace;
        Ok(match past.deleted {
            Some(_) => workspace.fork_from(&past.workspace, &key, &new, Some(&at))?,
            None => workspace.fork(&key, &new, Some(&at))?,
        })
    }
}

/// A new name for a checkpoint. Without a kind, it has that of the checkpoint, unless it is what pipelines or plans are
/// called.
pub(super) fn new_name(key: &Key, typed: &str) -> Result<Key, Failure> {
    let kind = typed.split_once(':').map(|(kind, _)| kind);
    if kind.is_some_and(|kind| Key::KINDS.contains(&kind)) {
        return Ok(Key::parse(typed)?);
    }
    Ok(match key {
        Key::Pipeline(_) => Key::Pipeline(PipelineId::new(typed)?),
        Key::Plan(_) => Key::Plan(PlanId::new(typed)?),
        _ => Key::spelled(typed)?,
    })
}
