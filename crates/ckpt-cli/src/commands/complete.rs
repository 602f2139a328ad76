//! `ckpt complete`

use ckpt::command::{Refusal, Unfinished};
use ckpt::gate::Verdict;
use ckpt::key::{CommandKey, Key, PipelineId};
use ckpt::voice::suggested;
use ckpt::workspace::WorkspaceError;
use clap::Args;

use super::pipeline;
use super::plan::{self, report};
use super::target::told_of_archive;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Mark a checkpoint as complete.
///
/// Refused while phases, tasks, criteria or workstreams are open, or while a gate blocks. Nothing happens to a command or
/// a plan that is complete already.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt complete implement/auth\n  ckpt complete 260220-1149-login --force"
)]
pub(crate) struct Complete {
    /// The checkpoint, such as implement/auth or PRD-003
    #[arg(add = Ids::Keys)]
    key: String,
    /// Complete it even if something is open, or the gate of a command blocks; a pipeline's workstreams are then deferred,
    /// and its gates are never passed over
    #[arg(long)]
    force: bool,
}

impl Complete {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let unfinished = match self.force {
            true => Unfinished::Ignore,
            false => Unfinished::Refuse,
        };
        match workspace.find_key(&self.key)? {
            Key::Pipeline(id) => of_pipeline(ui, session, &id, unfinished),
            Key::Plan(id) => {
                let completed = workspace.plan(&id).complete(unfinished);
                let outcome = completed.map_err(|error| plan::lost(error, &id))?;
                report::outcome(ui, session, &outcome, &[])
            }
            // As for every change, a command is not named by its beginning alone.
            _ => command(ui, session, &workspace.find_command(&self.key)?, unfinished),
        }
    }
}

fn of_pipeline(
    ui: &mut Ui,
    session: &Session,
    id: &PipelineId,
    unfinished: Unfinished,
) -> Result<Exit, Failure> {
    let outcome = pipeline::complete(ui, session, id, unfinished)?;
    pipeline::report(ui, session, outcome)?;
    Ok(Exit::Done)
}

fn command(
    ui: &mut Ui,
    session: &Session,
    key: &CommandKey,
    unfinished: Unfinished,
) -> Result<Exit, Failure> {
    if unfinished == Unfinished::Refuse {
        check_gate(session, key)?;
    }
    let completed = session.workspace.command(key).complete(unfinished);
    let outcome = completed.map_err(|error| match error {
        // The message is that of the Node functions, which does not say what was looked for.
        WorkspaceError::Command(Refusal::NothingToComplete) => {
            let failure = Failure::new(Exit::NotFound, error.to_string()).with_hint(format!(
                "Nothing is called {}; list all checkpoints with: ckpt list",
                key.short()
            ));
            told_of_archive(session, &key.short(), failure)
        }
        error => error.into(),
    })?;
    session.report(ui, &outcome)?;
    Ok(Exit::Done)
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
