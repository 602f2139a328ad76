//! `ckpt recover`

use ckpt::key::Key;
use ckpt::voice::{name, path_name, suggested};
use ckpt::workspace::{BroughtBack, Depth, Lost, WorkspaceError};
use clap::Args;

use super::plan::report;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Bring back a checkpoint that is missing or damaged.
///
/// Without a key, everything that is missing in this worktree. A missing checkpoint comes back from the copy of its history
/// in the git directory, which `git clean -fdx`, `rm -rf .claude` and the removal of a worktree do not reach; name one to
/// bring back a checkpoint of a worktree that is gone. A damaged file is restored from its history, and kept beside it. A plan
/// also gets back a plan.md that is missing or empty. Nothing that can be read is replaced.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt recover\n  ckpt recover PRD-003")]
pub(crate) struct Recover {
    /// The checkpoint, such as implement/auth or PRD-003; omit for all that are missing
    #[arg(add = Ids::Lost)]
    key: Option<String>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Recovered"))]
pub(crate) struct Report {
    /// The checkpoints that were brought back.
    brought_back: Vec<Returned>,
}

/// A checkpoint that was brought back.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Returned {
    key: Key,
    /// The revision that it has again: the last one that the copy has.
    revision: String,
    /// When that was made.
    at: Option<String>,
    /// The files that were missing.
    files: Vec<String>,
    /// Whether the history was missing too.
    history: bool,
    /// The worktree that it was in, if that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<String>,
}

impl Recover {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let Some(typed) = &self.key else {
            return everything(ui, session);
        };
        if let Some(lost) = workspace.find_lost(typed) {
            return bring_back(ui, session, &[lost]);
        }
        let key = workspace.find_key(typed)?;
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

/// Brings back all that is missing in this worktree, and says what else could be brought back.
fn everything(ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
    let workspace = &session.workspace;
    let lost = workspace.lost();
    let archives = workspace.recover_archives()?;
    let done = bring_back(ui, session, &lost)?;
    if archives > 0 {
        ui.note(&format!(
            "{archives} archives are back; list them with: ckpt archive"
        ));
    } else if lost.is_empty() && !session.json {
        ui.note("nothing is missing in this worktree");
    }
    for other in workspace.lost_with_worktrees() {
        let shown = other.key.short();
        let root = other.worktree.as_deref().map(path_name);
        ui.note(&format!(
            "{} of the worktree {}, which is gone: bring it back here with: ckpt recover {}",
            name(&shown),
            root.unwrap_or_default(),
            suggested(&shown)
        ));
    }
    let (_, problems) = workspace.list(Depth::WithoutGit)?;
    for problem in problems {
        ui.note(&format!(
            "{} cannot be read; restore it with: ckpt recover {}",
            name(&problem.stem),
            suggested(&problem.stem)
        ));
    }
    Ok(done)
}

fn bring_back(ui: &mut Ui, session: &Session, lost: &[Lost]) -> Result<Exit, Failure> {
    let mut returned = Vec::new();
    for one in lost {
        let back = session.workspace.bring_back_lost(one)?;
        if !session.json {
            ui.text(&line(&back, one))?;
        }
        report::tell_freed(ui, &back.freed);
        returned.push(Returned {
            key: back.key,
            revision: back.revision.to_string(),
            at: back.at,
            files: back.files,
            history: back.history,
            worktree: one.worktree.as_deref().map(path_name),
        });
    }
    if session.json {
        ui.json(&Report {
            brought_back: returned,
        })?;
    }
    Ok(Exit::Done)
}

/// What came back, and up to which change.
fn line(back: &BroughtBack, lost: &Lost) -> String {
    let at = match &back.at {
        Some(at) => format!(", made {}", name(at)),
        None => String::new(),
    };
    let from = match lost.worktree.as_deref() {
        Some(root) => format!(" from the worktree {}", path_name(root)),
        None => String::new(),
    };
    format!(
        "{} is back{from}, at revision {}{at}: {} of {} done\n",
        name(&back.key.short()),
        back.revision.number,
        lost.progress.done,
        lost.progress.total
    )
}
