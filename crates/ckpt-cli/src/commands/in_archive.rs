//! What a list does not show: what is missing, is in the archive, or is in one that cannot be read.

use ckpt::key::Key;
use ckpt::voice::{name, suggested};

use super::recover::what_is_wrong;
use crate::session::Session;
use crate::ui::Ui;

/// Says of each of these checkpoints that it is missing, and how it comes back.
pub(super) fn note_missing(ui: &Ui, missing: &[Key]) {
    for key in missing {
        let shown = key.short();
        ui.note(&format!(
            "warning: {} is missing; bring it back with: ckpt recover {}",
            name(&shown),
            suggested(&shown)
        ));
    }
}

/// What is wrong with each archive that does not even say what it holds, and what to do about it.
pub(super) fn unreadable_archives(session: &Session) -> Vec<String> {
    let damaged = session.workspace.headless_archives().into_iter();
    let told = damaged.map(|one| what_is_wrong(session, &one));
    told.map(|(message, hint)| format!("{message}. {hint}"))
        .collect()
}

/// Warns of each of these.
pub(super) fn note_unreadable(ui: &Ui, unreadable: &[String]) {
    for one in unreadable {
        ui.note(&format!("warning: {one}"));
    }
}

/// Says that nothing of a kind was found, and what to do. `create` is the command that makes something new.
pub(super) fn none_of(
    session: &Session,
    is_kind: impl Fn(&Key) -> bool,
    message: &str,
    create: &str,
) -> (String, String) {
    let missing = session.workspace.missing_keys().into_iter();
    let missing: Vec<String> = missing.filter(&is_kind).map(|key| key.short()).collect();
    if let Some(first) = missing.first() {
        let (what, recover) = match missing.len() {
            1 => (
                format!("{} is", name(first)),
                format!("ckpt recover {}", suggested(first)),
            ),
            many => (format!("{many} are"), "ckpt recover".to_owned()),
        };
        return (
            format!("{message}, but {what} missing"),
            format!("Bring back what is missing with: {recover}; or create one with: {create}"),
        );
    }
    let archived = session.workspace.archived().into_iter();
    let archived = archived.filter(|one| !one.is_deleted && is_kind(&one.key));
    let found: Vec<String> = archived.map(|one| one.key.short()).collect();
    match found.as_slice() {
        [] => (message.to_owned(), format!("Create one with: {create}")),
        [one] => (
            format!("{message}, but {} is in the archive", name(one)),
            format!(
                "Bring it back with: ckpt unarchive {}; or create one with: {create}",
                suggested(one)
            ),
        ),
        [one, ..] => (
            format!("{message}, but {} are in the archive", found.len()),
            format!(
                "See them with: ckpt archive; bring one back with: ckpt unarchive {}; or create one with: {create}",
                suggested(one)
            ),
        ),
    }
}
