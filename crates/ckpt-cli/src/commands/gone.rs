//! Reading a checkpoint that was deleted, or has another name by now.

use std::borrow::Cow;
use std::path::PathBuf;

use ckpt::key::{CommandKey, Key};
use ckpt::voice::{first_names, name, suggested};
use ckpt::workspace::{
    Archived, CommandCheckpoint, Creation, DamagedArchive, Outcome, Workspace, WorkspaceError,
};

use super::archive::note_damage;
use super::target::told;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// A checkpoint that is read although it was deleted.
#[derive(Debug, Clone, serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "DeletedCheckpoint")
)]
pub(crate) struct Deleted {
    /// The name that means this one alone.
    name: String,
    /// When it was deleted.
    at: String,
    /// Its name now, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_to: Option<Key>,
    /// Its archive.
    #[serde(skip)]
    pub(crate) file: PathBuf,
    /// What became of it, and how to go on.
    #[serde(skip)]
    note: String,
    /// What is wrong with its archive.
    #[serde(skip)]
    damaged: Option<DamagedArchive>,
}

/// Reads the checkpoint that is meant by a name, in the session in which it is there. Of one that was deleted, says so. If it is
/// moved meanwhile, it is read again. `command` is what shows it in another worktree.
pub(crate) fn reading<'s, T>(
    ui: &Ui,
    session: &'s Session,
    (typed, command): (&str, &str),
    read: impl Fn(&Session, &Key) -> Result<T, Failure>,
) -> Result<(Cow<'s, Session>, Key, T), Failure> {
    loop {
        let found = while_it_moves(session, typed, || meant(session, typed));
        let (there, key) = found.map_err(|failure| told(session, typed, command, failure))?;
        note(ui, &there);
        let footing = session.workspace.footing(&key);
        match read(&there, &key) {
            // It has been deleted since, or was and is back.
            Err(failure)
                if failure.is_not_found()
                    && there.deleted.is_none()
                    && session.workspace.footing(&key) != footing => {}
            read => return Ok((there, key, read?)),
        }
    }
}

/// Looks for what is named, and again if nothing is found because another process moved it meanwhile.
pub(super) fn while_it_moves<T>(
    session: &Session,
    typed: &str,
    look: impl Fn() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let workspace = &session.workspace;
    workspace.while_it_moves(typed, Failure::is_not_found, look)
}

/// The checkpoint that is meant by a name, and the session in which it is there.
fn meant<'s>(session: &'s Session, typed: &str) -> Result<(Cow<'s, Session>, Key), Failure> {
    let workspace = &session.workspace;
    let found = workspace.find_key(typed);
    let known = found.as_ref().ok().filter(|key| workspace.has(key));
    match past(session, typed, known)? {
        Some((past, key)) => Ok((Cow::Owned(past), key)),
        None => Ok((Cow::Borrowed(session), found?)),
    }
}

/// The deleted checkpoint that is meant by a name, and the session in which it is there. `otherwise` is what the name leads
/// to as well.
pub(super) fn past(
    session: &Session,
    typed: &str,
    otherwise: Option<&Key>,
) -> Result<Option<(Session, Key)>, Failure> {
    let workspace = &session.workspace;
    let Some(archived) = workspace.find_gone(typed, otherwise)? else {
        return Ok(None);
    };
    let damaged = workspace.damage_of_deleted(&archived)?;
    let what = what_became(workspace, &archived);
    let can_come_back = damaged.as_ref().is_none_or(DamagedArchive::has_copy);
    let past = Session {
        workspace: workspace.with_deleted(&archived)?,
        deleted: Some(Deleted {
            name: archived.name(),
            at: archived.at.clone(),
            renamed_to: workspace.renamed_to(&archived),
            file: archived.path.clone(),
            note: match can_come_back {
                true => format!("{what}. {}", next_step(workspace, &archived)),
                false => what,
            },
            damaged,
        }),
        ..session.clone()
    };
    Ok(Some((past, archived.key)))
}

/// Says of a checkpoint that was deleted that it was.
pub(super) fn note(ui: &Ui, session: &Session) {
    if let Some(deleted) = &session.deleted {
        ui.note(&format!("note: {}", deleted.note));
        note_damage(ui, deleted.damaged.as_ref());
    }
}

/// The failure to find a checkpoint that was deleted or has another name by now.
pub(super) fn refused(workspace: &Workspace, archived: &Archived) -> Failure {
    Failure::new(Exit::NotFound, what_became(workspace, archived))
        .with_hint(next_step(workspace, archived))
}

/// The failure to find anything by a name. If that has a time, says how those are called that were deleted under its key.
pub(super) fn unknown(workspace: &Workspace, typed: &str, failure: Failure) -> Failure {
    match workspace.names_with_times(typed) {
        names if names.is_empty() => failure,
        names => Failure::new(Exit::NotFound, failure.message()).with_hint(format!(
            "Write it as ckpt archive lists it: {}",
            first_names(&names)
        )),
    }
}

/// The failure to find a checkpoint that has another name by now.
pub(super) fn renamed(workspace: &Workspace, key: &Key) -> Option<Failure> {
    let archived = workspace.find_renamed(key)?;
    Some(refused(workspace, &archived))
}

/// Changes a command, or creates it. Unless a new name is wanted, refuses to create it if it has another name by now, or its
/// name is a mistake.
pub(super) fn changing(
    session: &Session,
    key: &CommandKey,
    is_new: bool,
    change: impl FnOnce(CommandCheckpoint<'_>) -> Result<Outcome, WorkspaceError>,
) -> Result<Outcome, Failure> {
    let workspace = &session.workspace;
    let checkpoint = workspace.command(key);
    let changed = match is_new {
        true => change(checkpoint),
        false => change(checkpoint.creating(Creation::Aside)),
    };
    changed.map_err(|error| {
        let renamed = error
            .is_not_found()
            .then(|| renamed(workspace, &key.into()));
        renamed.flatten().unwrap_or_else(|| error.into())
    })
}

/// What became of a deleted checkpoint: `implement/auth was deleted 2026-01-29T10:30:00.000Z`.
fn what_became(workspace: &Workspace, archived: &Archived) -> String {
    let (old, at) = (archived.key.short(), name(&archived.at));
    match workspace.renamed_to(archived) {
        Some(new) => format!("{} was renamed to {} {at}", name(&old), name(&new.short())),
        None => format!("{} was deleted {at}", name(&old)),
    }
}

/// How to go on with a deleted checkpoint.
fn next_step(workspace: &Workspace, archived: &Archived) -> String {
    let old = suggested(&name_of(workspace, archived));
    match workspace.renamed_to(archived) {
        Some(new) => format!(
            "Go on with: ckpt show {}; bring the old one back with: ckpt unarchive {old}",
            suggested(&new.short())
        ),
        None => format!("Bring it back with: ckpt unarchive {old}"),
    }
}

/// The shortest name that means this deleted checkpoint alone.
pub(super) fn name_of(workspace: &Workspace, archived: &Archived) -> String {
    match workspace.has(&archived.key) || workspace.deleted_like(archived) > 1 {
        true => archived.name(),
        false => archived.key.short(),
    }
}
