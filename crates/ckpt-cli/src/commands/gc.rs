//! `ckpt gc`

use ckpt::StoreError;
use ckpt::follower::FollowerName;
use ckpt::key::Key;
use ckpt::voice::{name, path_name};
use ckpt::workspace::{Archived, DeletedCopy, Workspace};
use clap::Args;

use super::archive::{Entry, archive_all, finished};
use super::point::ago;
use super::recover::from_worktree;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Archive what was finished long ago, and remove what nobody needs any more.
///
/// Archives checkpoints that were finished more than archive_after_days ago. Removes for good what was deleted more than
/// keep_deleted_days ago, with its copies in the git directory, also those of worktrees that are gone. Removes temporary
/// files that crashes left, and completes the copies of histories in the git directory.
///
/// Checkpoints in flight are never touched. What was deleted is kept until every follower was told of it, except those that
/// were not served for 30 days. If archive_after_days is 0, nothing is archived; if keep_deleted_days is 0, nothing that was
/// deleted is removed. Change them with ckpt config set --user.
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
    /// The copies in the git directory that were removed: what was deleted before, and has no archive here any more.
    copies: Vec<Copy>,
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
    /// Who waits for it. Absent if that cannot be told now.
    #[serde(skip_serializing_if = "Option::is_none")]
    follower: Option<String>,
    /// Why it cannot be told whether somebody waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The copy of a deleted checkpoint.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RemovedCopy"))]
pub(crate) struct Copy {
    key: Key,
    /// When it was deleted.
    at: String,
    /// The worktree that it was in, if that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<String>,
}

impl Copy {
    fn of(copy: &DeletedCopy) -> Self {
        Self {
            key: copy.key.clone(),
            at: copy.at.clone(),
            worktree: copy.worktree.as_deref().map(path_name),
        }
    }
}

impl Awaited {
    fn by(follower: &FollowerName, key: &Key) -> Self {
        Self {
            key: key.clone(),
            follower: Some(follower.to_string()),
            error: None,
        }
    }

    fn maybe(error: StoreError, key: &Key) -> Self {
        Self {
            key: key.clone(),
            follower: None,
            error: Some(Failure::from(error).message().to_owned()),
        }
    }

    fn text(&self) -> String {
        let shown = self.key.short();
        let key = name(&shown);
        match (&self.follower, &self.error) {
            (Some(follower), _) => {
                format!("kept {key} until {follower} is told; see: ckpt followers\n")
            }
            (None, error) => {
                let error = error.as_deref().unwrap_or_default();
                format!("kept {key}, as a follower may wait for it: {error}\n")
            }
        }
    }
}

/// Takes out what a follower has not been told yet, and what may be so.
fn await_followers(workspace: &Workspace, deleted: &mut Vec<Archived>) -> Vec<Awaited> {
    let followers = workspace.followers();
    let mut awaited = Vec::new();
    if !followers.exist() {
        return awaited;
    }
    deleted.retain(|one| {
        let found = match followers.awaiting(one) {
            Ok(follower) => follower.map(|follower| Awaited::by(&follower, &one.key)),
            Err(error) => Some(Awaited::maybe(error, &one.key)),
        };
        let is_free = found.is_none();
        awaited.extend(found);
        is_free
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
        deleted.retain(|one| !workspace.lives_on(one));
        let awaited = await_followers(workspace, &mut deleted);
        let copies = forgotten.map(|time| workspace.copies_of_deleted(time));
        let (copies, kept): (Vec<_>, Vec<_>) = copies
            .unwrap_or_default()
            .into_iter()
            .partition(|copy| copy.awaited.is_none());
        let kept = kept.iter().filter_map(|copy| {
            let follower = copy.awaited.as_ref()?;
            Some(Awaited::by(follower, &copy.key))
        });
        let awaited: Vec<Awaited> = awaited.into_iter().chain(kept).collect();
        let leftovers = workspace.leftovers();
        let unnamed = forgotten.map(|time| workspace.unnamed_before(time));
        let unnamed = unnamed.unwrap_or_default();
        let mut archived = finished.clone();
        if !self.dry_run {
            let done = archive_all(ui, workspace, &finished);
            archived = done.into_iter().map(|one| one.key).collect();
            for one in &deleted {
                workspace.forget_archive(one)?;
            }
            for copy in &copies {
                workspace.forget_copy(copy)?;
            }
            for path in &unnamed {
                workspace.forget_unnamed(path)?;
            }
            if !leftovers.is_empty() {
                workspace.sweep()?;
            }
            workspace.catch_up_all();
        }
        let swept = [unnamed, leftovers].concat();
        if session.json {
            ui.json(&Report {
                dry_run: self.dry_run,
                archived,
                removed: deleted.iter().map(Entry::of).collect(),
                copies: copies.iter().map(Copy::of).collect(),
                awaited,
                swept: swept.iter().map(|path| path_name(path)).collect(),
            })?;
            return Ok(Exit::Done);
        }
        let (archive, remove, sweep) = match self.dry_run {
            true => ("would archive", "would remove", "would sweep"),
            false => ("archived", "removed", "swept"),
        };
        for key in &archived {
            ui.text(&format!("{archive} {}\n", name(&key.short())))?;
        }
        for one in &deleted {
            let shown = one.key.short();
            ui.text(&format!(
                "{remove} {}, deleted {}\n",
                name(&shown),
                name(&one.at)
            ))?;
        }
        for copy in &copies {
            ui.text(&format!(
                "{remove} the copy of {}{}, deleted {}\n",
                name(&copy.key.short()),
                from_worktree(copy.worktree.as_deref()),
                name(&copy.at)
            ))?;
        }
        for one in &awaited {
            ui.text(&one.text())?;
        }
        for path in &swept {
            ui.text(&format!("{sweep} {}\n", path_name(path)))?;
        }
        // What could not be archived was named.
        let is_idle = finished.is_empty() && deleted.is_empty() && copies.is_empty();
        if is_idle && awaited.is_empty() && swept.is_empty() {
            ui.note("nothing to do");
        }
        Ok(Exit::Done)
    }
}
