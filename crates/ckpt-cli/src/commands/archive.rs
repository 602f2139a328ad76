//! `ckpt archive`, `ckpt unarchive` and `ckpt delete`

use ckpt::key::Key;
use ckpt::voice::{flat, name, path_name, suggested};
use ckpt::workspace::{Archived, DamagedArchive, Depth, InFlight, Workspace};
use ckpt::{Lifecycle, Salvage, Timestamp};
use clap::Args;

use super::plan::report::tell_freed;
use super::point::ago;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Move finished checkpoints into the archive.
///
/// A checkpoint, its history and the state of a plan become one compressed file, which is read back before the originals are
/// removed. The Markdown of a plan stays. `log`, `diff` and `show` read the archive as before, and a change brings the
/// checkpoint back. Without a key and without --completed, lists what is in the archive.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt archive implement/auth\n  ckpt archive --completed --older-than 30d"
)]
pub(crate) struct Archive {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::Keys, conflicts_with = "completed")]
    key: Option<String>,
    /// Archive everything that is complete or abandoned
    #[arg(long)]
    completed: bool,
    /// With --completed, only what was saved before: 30d, 12h
    #[arg(long, value_name = "AGE", requires = "completed")]
    older_than: Option<String>,
    /// Archive the checkpoint even if it is in flight
    #[arg(long, requires = "key")]
    force: bool,
    /// Only show what would be archived
    #[arg(long, requires = "completed")]
    dry_run: bool,
}

/// Bring a checkpoint back from the archive.
///
/// Also one that was deleted. Nothing that is in its place is replaced.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt unarchive implement/auth")]
pub(crate) struct Unarchive {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::Archived)]
    key: String,
}

/// Delete a checkpoint, with its history and the Markdown of a plan.
///
/// It goes into the archive, so `ckpt unarchive` brings it back; `ckpt gc` removes it for good after keep_deleted_days.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt delete implement/auth --force")]
pub(crate) struct Delete {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::Keys)]
    key: String,
    /// Delete it even if it is in flight
    #[arg(long)]
    force: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Archived"))]
pub(crate) struct Report {
    /// What was moved, or what is in the archive.
    archived: Vec<Entry>,
}

/// What `--dry-run` shows.
#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "ArchivePlanned")
)]
pub(crate) struct Planned {
    /// The checkpoints that would be archived.
    would_archive: Vec<Key>,
}

/// A checkpoint in the archive.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ArchiveEntry"))]
pub(crate) struct Entry {
    key: Key,
    /// When it was archived or deleted.
    at: String,
    lifecycle: Lifecycle,
    deleted: bool,
    /// The archive.
    file: String,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Unarchived"))]
pub(crate) struct Returned {
    key: Key,
    /// The revision that it has again.
    revision: Option<String>,
}

impl Entry {
    pub(crate) fn of(archived: &Archived) -> Self {
        Self {
            key: archived.key.clone(),
            at: archived.at.clone(),
            lifecycle: archived.lifecycle,
            deleted: archived.is_deleted,
            file: path_name(&archived.path),
        }
    }
}

impl Archive {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        if let Some(typed) = &self.key {
            let key = workspace.find_key(typed)?;
            if workspace.is_archived(&key) {
                ui.note(&format!("{} is archived already", name(&key.short())));
                return Ok(Exit::Done);
            }
            let archived = workspace.archive(&key, in_flight(self.force))?;
            return report(ui, session, &[archived]);
        }
        if !self.completed {
            return list(ui, session);
        }
        let before = match &self.older_than {
            Some(age) => time_before(age, session.now())?,
            None => session.now(),
        };
        let keys = finished(workspace, before)?;
        if self.dry_run && session.json {
            ui.json(&Planned {
                would_archive: keys,
            })?;
            return Ok(Exit::Done);
        }
        if self.dry_run {
            for key in &keys {
                ui.text(&format!("{}\n", flat(&key.short())))?;
            }
            return Ok(Exit::Done);
        }
        let archived = archive_all(ui, workspace, &keys);
        report(ui, session, &archived)
    }
}

/// The checkpoints that are complete or abandoned, and were last saved before a time.
pub(crate) fn finished(workspace: &Workspace, before: Timestamp) -> Result<Vec<Key>, Failure> {
    let (summaries, _) = workspace.list(Depth::WithoutGit)?;
    let is_meant = |summary: &ckpt::workspace::Summary| {
        let saved = summary.updated_at.as_deref().and_then(Timestamp::parse);
        summary.lifecycle != Lifecycle::InFlight
            && summary.dormant_on.is_none()
            && saved.is_some_and(|saved| saved < before)
    };
    let meant = summaries.into_iter().filter(is_meant);
    Ok(meant.map(|summary| summary.key).collect())
}

/// Archives each of these. One that cannot be archived is named, and the others are archived all the same.
pub(crate) fn archive_all(ui: &Ui, workspace: &Workspace, keys: &[Key]) -> Vec<Archived> {
    let mut archived = Vec::new();
    for key in keys {
        match workspace.archive(key, InFlight::Refused) {
            Ok(one) => archived.push(one),
            Err(error) => {
                let failure = Failure::from(error);
                ui.note(&format!(
                    "warning: {} was not archived: {}",
                    name(&key.short()),
                    failure.message()
                ));
            }
        }
    }
    archived
}

/// Says that the archive of a checkpoint is damaged, and what is read instead.
pub(crate) fn note_damaged_archive(
    ui: &Ui,
    workspace: &Workspace,
    key: &Key,
) -> Result<(), Failure> {
    let Some(DamagedArchive { path, salvage, .. }) = workspace.damaged_archive(key)? else {
        return Ok(());
    };
    let path = path_name(&path);
    match salvage {
        Salvage::Copy => ui.note(&format!(
            "warning: {path} is damaged; this is its copy in the git directory. Restore it with: ckpt recover"
        )),
        Salvage::Beginning => ui.note(&format!(
            "warning: {path} is damaged; this is what can be read of its beginning"
        )),
        // Reading it fails, and says why.
        _ => {}
    }
    Ok(())
}

impl Unarchive {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let Some(archived) = workspace.find_archived(&self.key) else {
            // A damaged archive says so.
            workspace.load(&workspace.find_key(&self.key)?)?;
            let message = format!("nothing called {} is in the archive", name(&self.key));
            let failure = Failure::new(Exit::NotFound, message);
            return Err(failure.with_hint("See what is with: ckpt archive"));
        };
        let revision = workspace.unarchive(&archived)?;
        tell_freed(ui, &workspace.freed_in(&archived.key));
        match session.json {
            true => ui.json(&Returned {
                key: archived.key,
                revision: revision.map(|revision| revision.to_string()),
            })?,
            false => ui.text(&format!("{} is back\n", name(&archived.key.short())))?,
        }
        Ok(Exit::Done)
    }
}

impl Delete {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let key = workspace.find_key(&self.key)?;
        let deleted = workspace.delete(&key, in_flight(self.force))?;
        if !session.json {
            let shown = key.short();
            ui.text(&format!(
                "{} is deleted; bring it back with: ckpt unarchive {}\n",
                name(&shown),
                suggested(&shown)
            ))?;
            return Ok(Exit::Done);
        }
        report(ui, session, &[deleted])
    }
}

fn in_flight(force: bool) -> InFlight {
    match force {
        true => InFlight::Accepted,
        false => InFlight::Refused,
    }
}

/// The time that lies this long ago.
fn time_before(age: &str, now: Timestamp) -> Result<Timestamp, Failure> {
    ago(age, now).ok_or_else(|| {
        Failure::new(Exit::Usage, format!("{age} is not an age"))
            .with_hint("Write a number of minutes, hours or days, such as 90m, 12h or 30d")
    })
}

fn report(ui: &mut Ui, session: &Session, archived: &[Archived]) -> Result<Exit, Failure> {
    match session.json {
        true => ui.json(&Report {
            archived: archived.iter().map(Entry::of).collect(),
        })?,
        false => {
            for one in archived {
                ui.text(&format!("{} is archived\n", name(&one.key.short())))?;
            }
            if archived.is_empty() {
                ui.note("nothing to archive");
            }
        }
    }
    Ok(Exit::Done)
}

/// Lists what is in the archive.
fn list(ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
    let archived = session.workspace.archived();
    if session.json {
        return report(ui, session, &archived);
    }
    if archived.is_empty() {
        ui.note("the archive is empty");
    }
    for one in &archived {
        let state = match (one.is_deleted, one.lifecycle) {
            (true, _) => "deleted",
            (false, Lifecycle::Complete) => "complete",
            (false, Lifecycle::Abandoned) => "abandoned",
            (false, Lifecycle::InFlight) => "in_flight",
        };
        ui.text(&format!(
            "{}\t{state}\t{}/{}\t{}\n",
            flat(&one.key.short()),
            one.progress.done,
            one.progress.total,
            flat(&one.at)
        ))?;
    }
    Ok(Exit::Done)
}
