//! `ckpt undo`

pub(crate) mod session;

use ckpt::Lifecycle;
use ckpt::history::{EventName, Line};
use ckpt::key::Key;
use ckpt::plan::Freed;
use ckpt::workspace::{Depth, Workspace};
use clap::Args;

use super::plan::{self, report};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::story::{stories_by_hand, stories_undone, story_undone};
use crate::session::Session;
use crate::ui::Ui;

/// Take the last change of a checkpoint back.
///
/// This is a new revision: undoing it brings the change back. Without a key, takes back the newest change of all
/// checkpoints. In a plan, whatever the change recorded is taken back: ticks, tasks, decisions, blockers, notes and claims, but
/// a claim does not come back where another worktree may have taken the task.
/// Approvals, reviews and the results of gates are never taken back; those of a session are named. With --session, takes back all that one session changed,
/// except in checkpoints where somebody else changed the same again since, or builds on it. What was deleted or renamed since is named and left
/// alone; the exit code is 3 only if nothing else was taken back.
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
        let before = workspace.lifecycle(&key);
        let mut frees = false;
        let done = match &key {
            Key::Plan(id) => {
                let undone = workspace.plan(id).undo();
                let outcome = undone.map_err(|error| plan::lost(error, id))?;
                if outcome.revision.is_none() {
                    return Err(stays(&key, workspace.last_effect(&key)?.as_ref()));
                }
                frees = !Freed::by_events(&outcome.events).is_empty();
                report::quietly(ui, session, &outcome)?
            }
            _ => {
                let outcome = workspace.undo(&key)?;
                if outcome.revision.is_none() {
                    return Err(stays(&key, workspace.last_effect(&key)?.as_ref()));
                }
                session.report(ui, &outcome)?;
                Exit::Done
            }
        };
        if !session.json {
            tell_what_stays(ui, workspace, &key)?;
            let what = match workspace.undone_change(&key)? {
                Some(undone) => {
                    let lines = workspace.lines_of(&key, &undone)?;
                    let mut names = lines.iter().map(Line::event_name);
                    let is_undo = names.any(|name| name == Some(EventName::Undone));
                    let now = workspace.lifecycle(&key).filter(|now| Some(*now) != before);
                    let mut told = stories_undone(&lines);
                    if frees && is_undo {
                        told += ", but for claims";
                    }
                    match now.filter(|_| is_undo) {
                        Some(now) => format!("{told}; it is {} again", in_words(now)),
                        None => told,
                    }
                }
                None => String::new(),
            };
            ui.text(&format!("undone in {}: {what}\n", key.short()))?;
        }
        Ok(done)
    }
}

/// Says what was found in the Markdown of a plan and recorded with the undo, on top of which it was made.
fn tell_what_stays(ui: &Ui, workspace: &Workspace, key: &Key) -> Result<(), Failure> {
    if let Some(last) = workspace.last_change(key)?
        && let Some(stories) = stories_by_hand(&workspace.lines_of(key, &last)?)
    {
        ui.note(&format!(
            "note: edited by hand before, and stays: {stories}"
        ));
    }
    Ok(())
}

fn in_words(lifecycle: Lifecycle) -> &'static str {
    match lifecycle {
        Lifecycle::InFlight => "in flight",
        Lifecycle::Complete => "complete",
        Lifecycle::Abandoned => "abandoned",
    }
}

/// The refusal to take back what decides about shipping.
fn stays(key: &Key, last: Option<&Line>) -> Failure {
    let what = last.map(story_undone).unwrap_or_default();
    let message = format!(
        "the last change of {} cannot be taken back: {what}",
        key.short()
    );
    Failure::new(Exit::Invalid, message)
        .with_hint("Approvals, reviews and the results of gates stay")
}

/// The checkpoint with the newest change, also of those that are archived.
fn last_changed(session: &Session) -> Result<Key, Failure> {
    let workspace = &session.workspace;
    let (summaries, _) = workspace.list(Depth::WithoutGit)?;
    let mut newest = Newest::default();
    for summary in summaries {
        newest.look_at(workspace, summary.key)?;
    }
    for archived in workspace.archived() {
        // Reading an archive takes time, and a damaged one stands in the way only if it may hold the newest change.
        if !archived.is_deleted && archived.at > newest.time {
            newest.look_at(workspace, archived.key)?;
        }
    }
    let nothing = || Failure::new(Exit::NotFound, "there is nothing to undo");
    newest.key.ok_or_else(nothing)
}

/// The newest change that was found so far.
#[derive(Default)]
struct Newest {
    time: String,
    key: Option<Key>,
}

impl Newest {
    fn look_at(&mut self, workspace: &Workspace, key: Key) -> Result<(), Failure> {
        let last = workspace.last_change(&key)?;
        let time = last.as_ref().and_then(Line::time).unwrap_or_default();
        if self.key.is_none() || self.time.as_str() < time.as_ref() {
            self.time = time.into_owned();
            self.key = Some(key);
        }
        Ok(())
    }
}
