//! `ckpt archive`, `ckpt unarchive` and `ckpt delete`

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ckpt::key::Key;
use ckpt::voice::{flat, name, path_name, suggested};
use ckpt::workspace::{Archived, DamagedArchive, Depth, InFlight, Workspace, WorkspaceError};
use ckpt::{Lifecycle, Refusal, Salvage, Timestamp};
use clap::Args;

use super::gone;
use super::in_archive::{note_missing, note_unreadable, unreadable_archives};
use super::plan::report::tell_freed;
use super::point::ago;
use super::recover::lost_for_good;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Move finished checkpoints into the archive.
///
/// A checkpoint, its history and the state of a plan become one compressed file, which is read back before the originals are
/// removed. The Markdown of a plan stays. `log`, `diff` and `show` read the archive as before, and a change brings the
/// checkpoint back. Without a key and without --completed, lists what is in the archive, and what was deleted: each under the
/// name that means it alone.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt archive implement/auth\n  ckpt archive --completed --older-than 30d"
)]
pub(crate) struct Archive {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::Keys, group = "what")]
    key: Option<String>,
    /// Archive everything that is complete or abandoned
    #[arg(long, group = "what")]
    completed: bool,
    /// With --completed, only what was saved before: 30d, 12h
    #[arg(
        long,
        value_name = "AGE",
        requires = "completed",
        conflicts_with = "key"
    )]
    older_than: Option<String>,
    /// Archive the checkpoint even if it is in flight
    #[arg(long, requires = "key")]
    force: bool,
    /// Only show what would be archived
    #[arg(long, requires = "what")]
    dry_run: bool,
}

/// Bring a checkpoint back from the archive.
///
/// Also one that was deleted. Of several that were deleted under one name, the last, or the one that is named with its time.
/// Nothing that is in its place is replaced.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt unarchive implement/auth\n  ckpt unarchive implement/auth@2026-01-29T10:30:00.000Z"
)]
pub(crate) struct Unarchive {
    /// The checkpoint, such as implement/auth, or one that was deleted, as ckpt archive lists it
    #[arg(add = Ids::Archived)]
    key: String,
}

/// Delete a checkpoint, with its history and the Markdown of a plan.
///
/// It goes into the archive, so `ckpt unarchive` brings it back; `ckpt gc` removes it for good after keep_deleted_days. If both
/// the archive and its copy are damaged, they are kept there as they are, and the name is free.
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
    /// Where the archive is kept that was damaged when it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_damaged: Option<String>,
    /// What is wrong with the archives that do not even say what they hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<String>,
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
    /// The name that means this one alone: the key, and for one that was deleted the time too.
    name: String,
    /// When it was archived or deleted.
    at: String,
    lifecycle: Lifecycle,
    deleted: bool,
    /// The archive.
    file: String,
}

/// A checkpoint that is read in the archive.
#[derive(Debug, Clone, serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "ArchivedCheckpoint")
)]
pub(crate) struct InArchive {
    /// When it was archived.
    at: String,
    /// Its archive.
    #[serde(skip)]
    pub(crate) file: PathBuf,
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
            name: archived.name(),
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
                return match (session.json, self.dry_run) {
                    (false, _) => Ok(Exit::Done),
                    (true, true) => foretell(ui, session, Vec::new()),
                    (true, false) => report(ui, session, &[]),
                };
            }
            let in_flight = in_flight(self.force);
            if self.dry_run {
                workspace.check_may_archive(&key, in_flight)?;
                return foretell(ui, session, vec![key]);
            }
            let archived = workspace.archive(&key, in_flight)?;
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
        if self.dry_run {
            return foretell(ui, session, keys);
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

/// The session in which a checkpoint is read. Of an archived one, says that it is, and what is read if its archive is damaged.
pub(crate) fn reading<'s>(
    ui: &Ui,
    session: Cow<'s, Session>,
    key: &Key,
) -> Result<Cow<'s, Session>, Failure> {
    let Some(archived) = session.workspace.archived_as(key) else {
        return Ok(session);
    };
    note_damaged_archive(ui, &session.workspace, key)?;
    let shown = key.short();
    ui.note(&format!(
        "note: {} was archived {}. Bring it back with: ckpt unarchive {}",
        name(&shown),
        name(&archived.at),
        suggested(&shown)
    ));
    let archived = InArchive {
        at: archived.at,
        file: archived.path,
    };
    Ok(Cow::Owned(Session {
        archived: Some(archived),
        ..session.into_owned()
    }))
}

/// Says that the archive of a checkpoint is damaged, and what is read instead.
pub(crate) fn note_damaged_archive(
    ui: &Ui,
    workspace: &Workspace,
    key: &Key,
) -> Result<(), Failure> {
    note_damage(ui, workspace.damaged_archive(key)?.as_ref());
    Ok(())
}

/// Says that an archive is damaged, and what is read instead.
pub(crate) fn note_damage(ui: &Ui, damaged: Option<&DamagedArchive>) {
    let Some(DamagedArchive { path, salvage, .. }) = damaged else {
        return;
    };
    let path = path_name(path);
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
}

impl Unarchive {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let found = match workspace.find_archived(&self.key) {
            None => brought_back(session, &self.key)?,
            found => found,
        };
        let Some(archived) = found else {
            // A damaged archive says so.
            workspace.check_says_what_it_is(&self.key, None)?;
            workspace.load(&workspace.find_key(&self.key)?)?;
            let message = format!("nothing called {} is in the archive", name(&self.key));
            let failure = Failure::new(Exit::NotFound, message);
            let failure = failure.with_hint("See what is with: ckpt archive");
            return Err(gone::unknown(workspace, &self.key, failure));
        };
        let back = workspace.unarchive(&archived);
        let revision = back.map_err(|error| in_the_way(&archived, error))?;
        let freed = workspace.freed_in(&archived.key);
        tell_freed(ui, session, &archived.key, &freed);
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
        if let Some(path) = workspace.set_unusable_archive_aside(&key)? {
            return kept_damaged(ui, session, &key, &path);
        }
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

/// Brings back an archive that is missing here.
fn brought_back(session: &Session, typed: &str) -> Result<Option<Archived>, Failure> {
    let workspace = &session.workspace;
    let lost = workspace.find_lost_archive(typed);
    let Some(lost) = lost.filter(|lost| lost.worktree.is_none()) else {
        return Ok(None);
    };
    if workspace.is_lost_for_good(&lost) {
        let (message, hint) = lost_for_good(&lost);
        return Err(Failure::new(Exit::Invalid, message).with_hint(hint));
    }
    workspace.bring_back_archive(&lost)?;
    Ok(workspace.find_archived(typed))
}

/// Why a checkpoint does not come back. If another one is in its place, it stays readable under a name of its own.
fn in_the_way(archived: &Archived, error: WorkspaceError) -> Failure {
    let WorkspaceError::Refused(Refusal::InTheWay(key)) = &error else {
        return error.into();
    };
    let (name, key) = (suggested(&archived.name()), suggested(&key.short()));
    Failure::new(Exit::Conflict, error.to_string()).with_hint(format!(
        "Give that one another name first: ckpt rename {key} NEW; then: ckpt unarchive {name}. Or only look at it: ckpt show {name}"
    ))
}

/// Says where a damaged archive is kept.
fn kept_damaged(ui: &mut Ui, session: &Session, key: &Key, path: &Path) -> Result<Exit, Failure> {
    let path = path_name(path);
    match session.json {
        true => ui.json(&Report {
            archived: Vec::new(),
            kept_damaged: Some(path),
            unreadable: Vec::new(),
        })?,
        false => ui.text(&format!(
            "{} is deleted; its archive, which is damaged, is kept as {path}\n",
            name(&key.short())
        ))?,
    }
    Ok(Exit::Done)
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

/// Says what would be archived.
fn foretell(ui: &mut Ui, session: &Session, keys: Vec<Key>) -> Result<Exit, Failure> {
    if session.json {
        ui.json(&Planned {
            would_archive: keys,
        })?;
        return Ok(Exit::Done);
    }
    for key in &keys {
        ui.text(&format!("{}\n", flat(&key.short())))?;
    }
    Ok(Exit::Done)
}

fn report(ui: &mut Ui, session: &Session, archived: &[Archived]) -> Result<Exit, Failure> {
    match session.json {
        true => ui.json(&Report {
            archived: archived.iter().map(Entry::of).collect(),
            kept_damaged: None,
            unreadable: Vec::new(),
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
    let unreadable = unreadable_archives(session);
    if session.json {
        ui.json(&Report {
            archived: archived.iter().map(Entry::of).collect(),
            kept_damaged: None,
            unreadable,
        })?;
        return Ok(Exit::Done);
    }
    note_unreadable(ui, &unreadable);
    if archived.is_empty() && unreadable.is_empty() {
        ui.note("the archive is empty");
    }
    if archived.is_empty() {
        note_missing(ui, &session.workspace.missing_keys());
    }
    for one in &archived {
        let state = match one.is_deleted {
            true => "deleted",
            false => one.lifecycle.word(),
        };
        ui.text(&format!(
            "{}\t{state}\t{}/{}\t{}\n",
            flat(&one.name()),
            one.progress.done,
            one.progress.total,
            flat(&one.at)
        ))?;
    }
    Ok(Exit::Done)
}
