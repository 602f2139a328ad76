//! `ckpt gc`

use ckpt::key::Key;
use ckpt::voice::{name, path_name};
use ckpt::workspace::{Archived, Workspace};
use clap::Args;

use super::archive::{Entry, archive_all, finished};
use super::point::ago;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Archive what has been finished for long, and remove what nobody needs any more.
///
/// Archives checkpoints that were finished archive_after_days ago, removes what was deleted keep_deleted_days ago, and
/// sweeps temporary files that crashes left. What is in flight is never touched, and what was deleted is kept until every follower
/// was told. Set either to 0 to keep things as they are.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt gc --dry-run")]
pub(crate) struct Gc {
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Collected"))]
pub(crate) struct Report {
    dry_run: bool,
    /// The checkpoints that were archived.
    archived: Vec<Key>,
    /// What was deleted before, and is removed for good.
    removed: Vec<Entry>,
    /// What would have been removed, but for a follower who has not been told yet.
    awaited: Vec<Awaited>,
    /// The temporary files that were removed.
    swept: Vec<String>,
}

/// A deleted checkpoint that is kept for a follower.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Awaited"))]
pub(crate) struct Awaited {
    key: Key,
    follower: String,
}

/// Takes out what a follower has not been told yet.
fn await_followers(workspace: &Workspace, deleted: &mut Vec<Archived>) -> Vec<Awaited> {
    let followers = workspace.followers();
    let mut awaited = Vec::new();
    if !followers.exist() {
        return awaited;
    }
    deleted.retain(|one| match followers.awaiting(one) {
        Some(follower) => {
            awaited.push(Awaited {
                key: one.key.clone(),
                follower: follower.to_string(),
            });
            false
        }
        None => true,
    });
    awaited
}

impl Gc {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let before = |days: u64| match days {
            0 => None,
            days => ago(&format!("{days}d"), session.now()),
        };
        let finished = match before(session.settings.archive_after_days()) {
            Some(time) => finished(workspace, time)?,
            None => Vec::new(),
        };
        let forgotten = before(session.settings.keep_deleted_days());
        let mut deleted = workspace.archived();
        deleted
            .retain(|one| one.is_deleted && forgotten.is_some_and(|time| one.is_older_than(time)));
        // The archive of a checkpoint that was renamed is the earlier history of the one that has its place.
        let is_there = |key: Key| workspace.load(&key).is_ok_and(|loaded| loaded.is_some());
        deleted.retain(|one| !workspace.renamed_to(one).is_some_and(is_there));
        let awaited = await_followers(workspace, &mut deleted);
        let leftovers = workspace.leftovers();
        let mut archived = finished.clone();
        if !self.dry_run {
            let done = archive_all(ui, workspace, &finished);
            archived = done.into_iter().map(|one| one.key).collect();
            for one in &deleted {
                workspace.forget_archive(one)?;
            }
            if !leftovers.is_empty() {
                workspace.sweep()?;
            }
        }
        if session.json {
            ui.json(&Report {
                dry_run: self.dry_run,
                archived,
                removed: deleted.iter().map(Entry::of).collect(),
                awaited,
                swept: leftovers.iter().map(|path| path_name(path)).collect(),
            })?;
            return Ok(Exit::Done);
        }
        for key in &archived {
            ui.text(&format!("archived {}\n", name(&key.short())))?;
        }
        for one in &deleted {
            let shown = one.key.short();
            ui.text(&format!(
                "removed {}, deleted {}\n",
                name(&shown),
                name(&one.at)
            ))?;
        }
        for one in &awaited {
            ui.text(&format!(
                "kept {} until {} is told; see: ckpt followers\n",
                name(&one.key.short()),
                one.follower
            ))?;
        }
        for path in &leftovers {
            ui.text(&format!("swept {}\n", path_name(path)))?;
        }
        if archived.is_empty() && deleted.is_empty() && awaited.is_empty() && leftovers.is_empty() {
            ui.note("nothing to do");
        }
        Ok(Exit::Done)
    }
}
