//! `ckpt undo --session`

use std::collections::BTreeSet;

use ckpt::facts::short_id;
use ckpt::history::{Epoch, Line, Revision};
use ckpt::key::Key;
use ckpt::voice::{first_names, name};
use ckpt::workspace::{Archived, Depth, TakingBack, Workspace};

use crate::commands::gone;
use crate::commands::plan::report::tell_freed;
use crate::failure::{Exit, Failure};
use crate::render::story::{stories_undone, story};
use crate::session::Session;
use crate::ui::Ui;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SessionUndone"))]
pub(crate) struct Report {
    /// The session, in full.
    session: String,
    /// The checkpoints in which its changes were taken back.
    undone: Vec<Undone>,
    /// The checkpoints in which nothing was changed, although it changed something there.
    refused: Vec<Refused>,
    /// Its approvals, reviews and results of gates, which are never taken back.
    staying: Vec<Staying>,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "SessionUndoneIn")
)]
struct Undone {
    key: Key,
    /// The new revision.
    revision: String,
    /// What was taken back, newest first.
    changes: Vec<Told>,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "SessionUndoRefusedIn")
)]
struct Refused {
    key: Key,
    /// Why.
    reason: String,
    /// What can be done instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The change that cannot be taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<Told>,
    /// The later change that depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    later: Option<Told>,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "SessionStaysIn")
)]
struct Staying {
    key: Key,
    /// What stays, newest first.
    changes: Vec<Told>,
}

/// A change in words.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ToldChange"))]
struct Told {
    /// The number of its revision.
    revision: Option<u64>,
    /// The exact name of its revision.
    exact: Option<Revision>,
    what: String,
    by: String,
}

impl Told {
    fn of(line: &Line) -> Self {
        Self {
            revision: line.number(),
            exact: line.revision(),
            what: story(line),
            by: line.by().unwrap_or_default().into_owned(),
        }
    }

    /// A change that was taken back.
    fn of_undone(workspace: &Workspace, key: &Key, line: &Line) -> Result<Self, Failure> {
        Ok(Self {
            what: stories_undone(&workspace.lines_of(key, line)?),
            ..Self::of(line)
        })
    }

    /// `revision 7 (phase build: complete, by main)`; of another epoch, under its exact name.
    fn in_words(&self, epoch: Option<&Epoch>) -> String {
        let named = match &self.exact {
            Some(exact) if exact.epoch.as_ref() != epoch => exact.to_string(),
            _ => self.revision.unwrap_or_default().to_string(),
        };
        format!("revision {named} ({}, by {})", self.what, name(&self.by))
    }
}

/// Takes all changes of a session back, in one checkpoint or in all of this worktree.
pub(super) fn undo(
    ui: &mut Ui,
    session: &Session,
    key: Option<&str>,
    typed: &str,
) -> Result<Exit, Failure> {
    let workspace = &session.workspace;
    let touched = match key {
        Some(typed) => vec![Touched::of(session, workspace.find_key(typed)?)?],
        None => touched(ui, session)?,
    };
    let meant = meant(&touched, typed)?;
    let mut report = Report {
        session: meant.clone(),
        undone: Vec::new(),
        refused: Vec::new(),
        staying: Vec::new(),
    };
    let (mut exit, mut of_deleted) = (Exit::Done, Exit::Done);
    for one in touched {
        if !one.sessions.contains(&meant) {
            continue;
        }
        let key = one.key;
        let undone = match &one.deleted {
            Some(archived) => Err(gone::refused(workspace, archived)),
            None => workspace.undo_session(&key, &meant).map_err(Failure::from),
        };
        let mut epoch = None;
        let undone = undone.map(|undone| {
            epoch = undone.epoch;
            if !undone.staying.is_empty() {
                report.staying.push(Staying {
                    key: key.clone(),
                    changes: undone.staying.iter().map(Told::of).collect(),
                });
            }
            undone.others
        });
        match undone {
            Ok(TakingBack::Nothing) => {}
            Ok(TakingBack::TakenBack {
                revision,
                changes,
                freed,
            }) => {
                tell_freed(ui, session, &key, &freed);
                let changes = changes.iter();
                let told = changes.map(|line| Told::of_undone(workspace, &key, line));
                report.undone.push(Undone {
                    changes: told.collect::<Result<_, Failure>>()?,
                    revision: revision.to_string(),
                    key,
                });
            }
            Ok(TakingBack::DependedOn { change, later }) => {
                exit = Exit::Conflict;
                report
                    .refused
                    .push(depended_on(key, epoch.as_ref(), &change, later.as_deref()));
            }
            Err(failure) => {
                let first = match one.deleted {
                    Some(_) => &mut of_deleted,
                    None => &mut exit,
                };
                if *first == Exit::Done {
                    *first = failure.exit();
                }
                report.refused.push(Refused {
                    key,
                    reason: failure.message().to_owned(),
                    hint: failure.hint().map(str::to_owned),
                    change: None,
                    later: None,
                });
            }
        }
    }
    tell(ui, session, &report)?;
    // What is not here stands in nobody's way.
    Ok(match exit {
        Exit::Done if report.undone.is_empty() => of_deleted,
        exit => exit,
    })
}

fn depended_on(key: Key, epoch: Option<&Epoch>, change: &Line, later: Option<&Line>) -> Refused {
    let change = Told::of(change);
    let later = later.map(Told::of);
    let who = match &later {
        Some(later) => later.in_words(epoch),
        None => "an edit that is not recorded yet".to_owned(),
    };
    Refused {
        key,
        reason: format!("{who} depends on {}", change.in_words(epoch)),
        hint: None,
        change: Some(change),
        later,
    }
}

fn tell(ui: &mut Ui, session: &Session, report: &Report) -> Result<(), Failure> {
    if session.json {
        return ui.json(report);
    }
    for Undone { key, changes, .. } in &report.undone {
        for change in changes {
            ui.text(&format!("undone in {}: {}\n", key.short(), change.what))?;
        }
    }
    for Refused {
        key, reason, hint, ..
    } in &report.refused
    {
        let hint = hint.as_ref().map(|hint| format!(". {hint}"));
        ui.note(&format!(
            "nothing undone in {}: {reason}{}",
            key.short(),
            hint.unwrap_or_default()
        ));
    }
    for Staying { key, changes } in &report.staying {
        for change in changes {
            ui.note(&format!("stays in {}: {}", key.short(), change.what));
        }
    }
    if report.undone.is_empty() && report.refused.is_empty() {
        ui.note("nothing of this session is left to undo");
    }
    Ok(())
}

/// A checkpoint, and who changed it.
struct Touched {
    key: Key,
    /// Where it is, if it was deleted or renamed.
    deleted: Option<Archived>,
    sessions: BTreeSet<String>,
}

impl Touched {
    fn of(session: &Session, key: Key) -> Result<Self, Failure> {
        let sessions = session.workspace.sessions_in(&key)?;
        Ok(Self {
            key,
            deleted: None,
            sessions,
        })
    }
}

/// Every checkpoint of this worktree, also those that are archived or were deleted.
fn touched(ui: &mut Ui, session: &Session) -> Result<Vec<Touched>, Failure> {
    let workspace = &session.workspace;
    let (summaries, _) = workspace.list(Depth::WithoutGit)?;
    let there = summaries
        .into_iter()
        .map(|one| Touched::of(session, one.key));
    let mut touched = there.collect::<Result<Vec<Touched>, Failure>>()?;
    for archived in workspace.archived() {
        let sessions = match workspace.sessions_in_archived(&archived) {
            Ok(sessions) => sessions,
            Err(error) => {
                let failure = Failure::from(error);
                ui.note(&format!("warning: {}", failure.message()));
                continue;
            }
        };
        touched.push(Touched {
            key: archived.key.clone(),
            deleted: archived.is_deleted.then_some(archived),
            sessions,
        });
    }
    Ok(touched)
}

/// The session that is meant by its id, or by a part of it as other commands print it.
fn meant(touched: &[Touched], typed: &str) -> Result<String, Failure> {
    let known: BTreeSet<&String> = touched.iter().flat_map(|one| &one.sessions).collect();
    if known.iter().any(|id| *id == typed) {
        return Ok(typed.to_owned());
    }
    let is_meant = |id: &&String| id.starts_with(typed) || short_id(id) == typed;
    let found: Vec<String> = known.into_iter().filter(is_meant).cloned().collect();
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::new(
            Exit::NotFound,
            format!("no session {} has changed anything here", name(typed)),
        )
        .with_hint("See who changed what with: ckpt log --json")),
        several => Err(Failure::new(
            Exit::Conflict,
            format!("several sessions begin with {}", name(typed)),
        )
        .with_hint(format!("Name one of them: {}", first_names(several)))),
    }
}
