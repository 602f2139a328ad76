//! `ckpt recover`

use std::path::Path;

use ckpt::ArchiveFlaw;
use ckpt::history::Damage;
use ckpt::key::Key;
use ckpt::plan::Unparsable;
use ckpt::seal::Unsealed;
use ckpt::voice::{first_names, name, path_name, suggested};
use ckpt::workspace::{
    Archived, BroughtBack, DamagedArchive, Depth, HistoryFlaw, Lost, LostArchive, LostPart,
    PlanOutcome, UnusableCopy, Workspace, WorkspaceError,
};
use clap::Args;

use super::gone;
use super::plan::{self, report};
use super::target::told_of_archive;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// What is said of histories that have other lines than their copies.
pub(crate) const APART: &str = "damage has left different lines in the history and in its copy of";

/// What is said of a history that nothing restores.
pub(crate) const STILL_READ: &str =
    "Nothing needs to be done: the state stands, and all lines that are intact are still read";

/// Bring back a checkpoint that is missing or damaged.
///
/// Without a key, everything that is missing in this worktree. A missing checkpoint comes back from the copy of its history
/// in the git directory, which `git clean -fdx`, `rm -rf .claude` and the removal of a worktree do not reach, and so does a
/// missing archive; name one to bring back what a worktree had that is gone. Of a history or an archive and its copy, the
/// damaged one is restored from the other. A damaged file is restored from its history, and
/// kept beside it. A plan also gets back a plan.md that is missing or empty, and the phase files that it links to, and a
/// deletion that was cut off is taken back. Nothing that can be read is replaced.
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
    /// The revision that it has again: the last one that can be rebuilt from the copy.
    revision: Option<String>,
    /// When that was made.
    at: Option<String>,
    /// The files that were missing.
    files: Vec<String>,
    /// Whether the history was missing too.
    history: bool,
    /// The damaged lines of the copy of its history, by number; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged_lines: Vec<u64>,
    /// Whether its archive is back, rather than the checkpoint itself.
    archived: bool,
    /// The worktree that it was in, if that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<String>,
}

impl Recover {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        match &self.key {
            Some(typed) => named(ui, session, typed),
            None => everything(ui, session),
        }
    }
}

/// Brings back the checkpoint that is meant.
fn named(ui: &mut Ui, session: &Session, typed: &str) -> Result<Exit, Failure> {
    let workspace = &session.workspace;
    let lost = workspace.find_lost(typed);
    if let Some(lost) = lost.or_else(|| workspace.find_absent(typed)) {
        return bring_back(ui, session, &[lost]);
    }
    let key = workspace.find_key(typed);
    if let Ok(key) = &key
        && let Some(damaged) = workspace.damaged_archive(key)?
    {
        return archive_of(ui, session, key, &damaged);
    }
    let copies = workspace.unusable_copies();
    let is_meant = |copy: &&UnusableCopy| {
        copy.name() == typed || key.as_ref().is_ok_and(|key| copy.is_of(key))
    };
    if let Some(copy) = copies.iter().find(is_meant) {
        let (message, hint) = beyond_use(copy);
        return Err(Failure::new(Exit::Invalid, message).with_hint(hint));
    }
    let is_here = |key: &Key| workspace.load(key).map_or(true, |loaded| loaded.is_some());
    if !key.as_ref().is_ok_and(is_here)
        && let Some(lost) = workspace.find_lost_archive(typed)
    {
        return bring_back_archive(ui, session, &lost);
    }
    let key = key?;
    let done = one(ui, session, &key);
    let done = done.map_err(|failure| told_of_archive(session, typed, failure))?;
    note_namesake(ui, session, &key);
    Ok(done)
}

/// Names the checkpoint of the same name that a worktree had which is gone. It comes back only where its name is free.
fn note_namesake(ui: &Ui, session: &Session, key: &Key) {
    let namesakes = session.workspace.namesakes_of_gone_worktrees(key);
    let Some(newest) = namesakes.first().filter(|_| !session.json) else {
        return;
    };
    let (shown, word) = (key.short(), suggested(&key.short()));
    ui.note(&format!(
        "another {}{} is kept, with {} of {} done; give this one another name to bring it back: ckpt rename {word} NEW, then \
         ckpt recover {word}",
        name(&shown),
        from_worktree(newest.worktree.as_deref()),
        newest.progress.done,
        newest.progress.total
    ));
}

/// Restores the damaged archive of a checkpoint from its copy. If that is damaged too, says what can be done.
fn archive_of(
    ui: &mut Ui,
    session: &Session,
    key: &Key,
    damaged: &DamagedArchive,
) -> Result<Exit, Failure> {
    if !damaged.has_copy() {
        let (message, hint) = beyond_repair(session, damaged);
        return Err(Failure::new(Exit::Invalid, message).with_hint(hint));
    }
    session.workspace.recover_archives()?;
    match session.json {
        true => ui.json(&Report {
            brought_back: Vec::new(),
        })?,
        false => ui.text(&format!(
            "the archive of {} was damaged, and is restored from its copy\n",
            name(&key.short())
        ))?,
    }
    Ok(Exit::Done)
}

/// What is wrong with an archive, and what to do about it.
pub(crate) fn what_is_wrong(session: &Session, damaged: &DamagedArchive) -> (String, String) {
    if !damaged.has_copy() {
        return beyond_repair(session, damaged);
    }
    let path = path_name(&damaged.path);
    let message = match &damaged.flaw {
        ArchiveFlaw::Damaged(_) => format!("{path} is damaged"),
        flaw => format!("{path} cannot be used: {flaw}"),
    };
    let hint = "Restore it from its copy in the git directory with: ckpt recover";
    (message, hint.to_owned())
}

/// What is wrong with an archive that nothing restores, and what to do about it.
pub(crate) fn beyond_repair(session: &Session, damaged: &DamagedArchive) -> (String, String) {
    let workspace = &session.workspace;
    let (shown, word) = (name(&damaged.name), suggested(&damaged.name));
    let is_ours = matches!(damaged.flaw, ArchiveFlaw::Damaged(_));
    let message = match is_ours {
        true => format!("the archive of {shown} is damaged, and no copy of it is whole"),
        false => format!("the archive of {shown} cannot be used: {}", damaged.flaw),
    };
    if matches!(damaged.flaw, ArchiveFlaw::Newer) {
        return (message, "Upgrade ckpt".to_owned());
    }
    let left = match left_of(workspace, damaged) {
        (true, true) => format!("See what is left with: ckpt show {word}; ckpt log {word}. "),
        (true, false) => format!("See what is left with: ckpt show {word}. "),
        (false, true) => format!("See what is left with: ckpt log {word}. "),
        (false, false) => String::new(),
    };
    let way_out = match damaged.is_deleted {
        true => format!(
            "Give it up with: rm {}",
            suggested(&path_name(&damaged.path))
        ),
        false => format!("Free its name, and keep the file as it is, with: ckpt delete {word}"),
    };
    (message, left + &way_out)
}

/// Whether the document of a damaged archive can be read, and whether some of its history can.
fn left_of(workspace: &Workspace, damaged: &DamagedArchive) -> (bool, bool) {
    let found = match damaged.is_deleted {
        true => {
            let gone = workspace.find_gone(&damaged.name, None).ok().flatten();
            gone.and_then(|gone| Some((workspace.with_deleted(&gone).ok()?, gone.key)))
        }
        false => {
            let key = workspace.find_key(&damaged.name).ok();
            key.map(|key| (workspace.clone(), key))
        }
    };
    let Some((workspace, key)) = found else {
        return (false, false);
    };
    (
        matches!(workspace.load(&key), Ok(Some(_))),
        matches!(workspace.history(&key), Ok(Some(_))),
    )
}

/// What is wrong with an archive that is missing, as its copy is damaged, and what to do about it.
pub(crate) fn lost_for_good(lost: &LostArchive) -> (String, String) {
    let shown = lost.archived.key.short();
    (
        format!(
            "the archive of {} is missing, and its copy is damaged",
            name(&shown)
        ),
        format!(
            "Give it up, and keep the copy as it is, with: ckpt delete {}",
            suggested(&shown)
        ),
    )
}

/// Why nothing comes back from copies, and the next step, if the key is lost.
const WITHOUT_KEY: &str = "the key that its copy is sealed with is missing";
pub(crate) const KEY_BACK: &str = "Put the key back before anything is changed, as from a backup of ckpt/key in the git directory";

/// What is wrong with a copy that nothing can be rebuilt from, and what to do about it.
pub(crate) fn beyond_use(copy: &UnusableCopy) -> (String, String) {
    let shown = name(copy.name());
    let path = path_name(&copy.path);
    if copy.is_of_other_key {
        return (
            format!("{shown} is missing, and its copy {path} is sealed with another key"),
            format!(
                "Put that key back, as from a backup; or give the copy up with: rm {}",
                suggested(&path)
            ),
        );
    }
    (
        format!("{shown} is missing, and nothing can be rebuilt from its copy {path}"),
        format!("Give it up with: rm {}", suggested(&path)),
    )
}

/// Brings back one checkpoint, whatever of it is lost.
pub(crate) fn one(ui: &mut Ui, session: &Session, key: &Key) -> Result<Exit, Failure> {
    let workspace = &session.workspace;
    if let Some(lost) = workspace.loss_of(key) {
        return bring_back(ui, session, &[lost]);
    }
    if !workspace.catch_up(std::slice::from_ref(key)).is_empty() {
        note_mended(ui, key);
    }
    if let Some(cut_off) = workspace.cut_off(key)? {
        return take_back(ui, session, &cut_off);
    }
    if let Key::Plan(id) = key {
        let recovered = workspace.plan(id).recover();
        let outcome = recovered.map_err(|error| plan::lost(error, id))?;
        if outcome.revision.is_none() {
            note_condition(ui, session, key)?;
        }
        if let Some(texts) = texts_back(&outcome).filter(|_| !session.json) {
            ui.text(&format!("{texts}\n"))?;
        }
        return report::outcome(ui, session, &outcome, &[]);
    }
    let outcome = workspace.recover(key).map_err(|error| match error {
        WorkspaceError::Corrupt(_) => {
            let message = format!(
                "{} is damaged, and its history has nothing to restore",
                key.short()
            );
            let path = path_name(&workspace.path(key));
            Failure::new(Exit::NotFound, message)
                .with_hint(format!("Fix {path}, or move it away and start again"))
        }
        error => error.into(),
    })?;
    session.report(ui, &outcome)?;
    if outcome.moved_aside.is_none() {
        note_condition(ui, session, key)?;
    }
    Ok(Exit::Done)
}

/// Says what is wrong with a history that nothing restores, or that nothing is wrong.
fn note_condition(ui: &Ui, session: &Session, key: &Key) -> Result<(), Failure> {
    let flaws = note_flaws(ui, &session.workspace, key)?;
    if flaws == 0 && !session.json {
        ui.note(&format!(
            "{} is not damaged; nothing was changed",
            name(&key.short())
        ));
    }
    Ok(())
}

/// Says what is wrong with a history that nothing restores. Returns how much.
fn note_flaws(ui: &Ui, workspace: &Workspace, key: &Key) -> Result<usize, Failure> {
    let short = key.short();
    let shown = name(&short);
    let flaws = workspace.history_flaws(key)?;
    for flaw in &flaws {
        let text = match flaw {
            HistoryFlaw::Unreadable(damage) => unreadable(workspace, key, damage),
            HistoryFlaw::Altered(damage) => altered(workspace, key, damage),
            HistoryFlaw::Apart => format!("{APART} {shown}"),
            HistoryFlaw::OutOfOrder => {
                format!("{shown}: the lines of its history are out of order")
            }
        };
        ui.note(&format!("{text}. {STILL_READ}"));
    }
    Ok(flaws.len())
}

/// Which lines of a history cannot be read.
pub(crate) fn unreadable(workspace: &Workspace, key: &Key, damage: &Damage) -> String {
    let path = path_name(&workspace.history_path(key));
    format!("{}: {damage} of {path} cannot be read", name(&key.short()))
}

/// Which lines of a history were changed after they were written.
pub(crate) fn altered(workspace: &Workspace, key: &Key, damage: &Damage) -> String {
    let path = path_name(&workspace.history_path(key));
    format!(
        "{}: somebody has changed {damage} of {path}",
        name(&key.short())
    )
}

/// Takes back a deletion that was cut off. A renaming is finished instead: the new name is there.
fn take_back(ui: &mut Ui, session: &Session, cut_off: &Archived) -> Result<Exit, Failure> {
    let workspace = &session.workspace;
    let key = &cut_off.key;
    if let Some(new) = workspace.renamed_to(cut_off)
        && workspace.load(&new)?.is_some()
    {
        workspace.rename(key, &new)?;
        return Err(gone::refused(workspace, cut_off));
    }
    let revision = workspace.unarchive(cut_off)?;
    if session.json {
        ui.json(&Report {
            brought_back: vec![Returned {
                key: key.clone(),
                revision: revision.map(|revision| revision.to_string()),
                at: None,
                files: Vec::new(),
                history: false,
                damaged_lines: Vec::new(),
                archived: false,
                worktree: None,
            }],
        })?;
        return Ok(Exit::Done);
    }
    ui.text(&format!(
        "{} is back; its deletion had been cut off\n",
        name(&key.short())
    ))?;
    Ok(Exit::Done)
}

fn bring_back_archive(ui: &mut Ui, session: &Session, lost: &LostArchive) -> Result<Exit, Failure> {
    let archived = &lost.archived;
    let shown = archived.key.short();
    if session.workspace.is_lost_for_good(lost) {
        let (message, hint) = lost_for_good(lost);
        return Err(Failure::new(Exit::Invalid, message).with_hint(hint));
    }
    if !session.workspace.bring_back_archive(lost)? {
        ui.note(&format!("{} is there by now", name(&shown)));
    } else if session.json {
        ui.json(&Report {
            brought_back: vec![Returned {
                key: archived.key.clone(),
                revision: archived.revision.as_ref().map(ToString::to_string),
                at: Some(archived.at.clone()),
                files: Vec::new(),
                history: true,
                damaged_lines: Vec::new(),
                archived: true,
                worktree: lost.worktree.as_deref().map(path_name),
            }],
        })?;
    } else {
        let how = match archived.is_deleted {
            true => "It was deleted; bring it back with",
            false => "It is archived; take it up again with",
        };
        ui.text(&format!(
            "the archive of {}{} is back\n",
            name(&shown),
            from_worktree(lost.worktree.as_deref())
        ))?;
        ui.note(&format!("{how}: ckpt unarchive {}", suggested(&shown)));
    }
    Ok(Exit::Done)
}

/// Brings back all that is missing in this worktree, and says what else could be brought back.
fn everything(ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
    let workspace = &session.workspace;
    let lost = workspace.lost_or_damaged();
    let archives = workspace.recover_archives()?;
    let copies = workspace.mend_copies_of_archives()?;
    let done = bring_back(ui, session, &lost)?;
    let plans = workspace.recover_texts()?;
    for outcome in &plans {
        if let Some(texts) = texts_back(outcome) {
            ui.note(&texts);
        }
        report::warn_unsealed(ui, outcome);
    }
    let mended = mend_copies(ui, workspace)?;
    let damaged = workspace.damaged_archives();
    if archives > 0 {
        let are_back = match archives {
            1 => "1 archive is back".to_owned(),
            several => format!("{several} archives are back"),
        };
        ui.note(&format!("{are_back}; list them with: ckpt archive"));
    }
    if copies > 0 {
        ui.note(&format!(
            "damaged copies of archives in the git directory that are restored: {copies}"
        ));
    }
    let given_up = workspace.lost_archives();
    let unusable = workspace.unusable_copies();
    let (summaries, problems) = workspace.list(Depth::WithoutGit)?;
    let mut flaws = 0;
    for summary in &summaries {
        flaws += note_flaws(ui, workspace, &summary.key)?;
    }
    let half_deleted = workspace.half_deleted()?;
    let is_whole = lost.is_empty()
        && plans.is_empty()
        && damaged.is_empty()
        && given_up.is_empty()
        && unusable.is_empty()
        && half_deleted.is_empty();
    if is_whole && archives + copies + mended + flaws == 0 && !session.json {
        ui.note("nothing is missing in this worktree");
    }
    let damaged = damaged.iter().map(|one| beyond_repair(session, one));
    let damaged = damaged.chain(given_up.iter().map(lost_for_good));
    for (message, hint) in damaged.chain(unusable.iter().map(beyond_use)) {
        ui.note(&format!("{message}. {hint}"));
    }
    for other in workspace.archives_of_gone_worktrees() {
        ui.note(&offer_of_archive(&other));
    }
    for other in workspace.lost_with_worktrees() {
        ui.note(&offer_of_copy(&other));
    }
    for key in &half_deleted {
        let (shown, word) = (key.short(), suggested(&key.short()));
        ui.note(&format!(
            "the deletion of {} was cut off: finish it with: ckpt delete {word}; or take it back with: ckpt recover {word}",
            name(&shown)
        ));
    }
    let mut taken: Vec<String> = workspace
        .left_histories()
        .iter()
        .filter(|left| workspace.has(&left.key))
        .map(|left| name(&left.key.short()).into_owned())
        .collect();
    taken.dedup();
    if let Some(first) = taken.first() {
        ui.note(&format!(
            "worktrees that are gone had others with names that are in use here: {}; see: ckpt recover {}",
            first_names(&taken),
            suggested(first)
        ));
    }
    for problem in problems {
        let key = workspace.key_of_file(&format!("{}.json", problem.stem))?;
        let word = key.map_or_else(|| problem.stem.clone(), |key| key.short());
        ui.note(&format!(
            "{} cannot be read; restore it with: ckpt recover {}",
            name(&problem.stem),
            suggested(&word)
        ));
    }
    Ok(done)
}

/// Restores damaged copies of histories. Returns how many.
fn mend_copies(ui: &Ui, workspace: &Workspace) -> Result<usize, Failure> {
    let (summaries, _) = workspace.list(Depth::WithoutGit)?;
    let keys: Vec<Key> = summaries.into_iter().map(|summary| summary.key).collect();
    let mended = workspace.catch_up(&keys);
    for key in &mended {
        note_mended(ui, key);
    }
    Ok(mended.len())
}

fn note_mended(ui: &Ui, key: &Key) {
    ui.note(&format!(
        "the copy of the history of {} in the git directory was damaged, and is restored",
        name(&key.short())
    ));
}

/// Which texts of a plan are back, if any are.
fn texts_back(outcome: &PlanOutcome) -> Option<String> {
    let texts = outcome.restored_texts();
    let verb = match texts.len() {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    let names = first_names(&texts);
    Some(format!("{names} of {} {verb} back", outcome.view.id))
}

/// Brings back the texts of a plan that its last revision did not have. Returns their names.
fn bring_back_texts(ui: &Ui, session: &Session, key: &Key) -> Result<Vec<String>, Failure> {
    let Key::Plan(id) = key else {
        return Ok(Vec::new());
    };
    let plan = session.workspace.plan(id);
    if !plan.is_text_lost() {
        return Ok(Vec::new());
    }
    let outcome = plan.recover().map_err(|error| plan::lost(error, id))?;
    report::warn_unsealed(ui, &outcome);
    let texts = outcome.restored_texts().into_iter();
    Ok(texts.map(str::to_owned).collect())
}

fn bring_back(ui: &mut Ui, session: &Session, lost: &[Lost]) -> Result<Exit, Failure> {
    if let (Some(first), Some(Unsealed::Missing)) =
        (lost.first(), session.workspace.vault().status())
    {
        let shown = first.key.short();
        let message = format!("{} cannot be brought back: {WITHOUT_KEY}", name(&shown));
        return Err(Failure::new(Exit::Invalid, message).with_hint(KEY_BACK));
    }
    let mut returned = Vec::new();
    for one in lost {
        let Some(back) = session.workspace.bring_back_lost(one)? else {
            ui.note(&format!("{} is there by now", name(&one.key.short())));
            continue;
        };
        let texts = bring_back_texts(ui, session, &one.key)?;
        let lacks_text = lacks_text(&session.workspace, &one.key)?;
        if !session.json {
            ui.text(&line(&back, one, lacks_text))?;
        }
        if lacks_text {
            ui.note(&format!(
                "plan.md of {} is missing, and its history does not have it",
                name(&one.key.short())
            ));
        }
        if !back.damage.is_none() {
            ui.note(&format!(
                "the copy that {} is back from is damaged: {}",
                name(&one.key.short()),
                back.damage
            ));
        }
        report::tell_freed(ui, session, &back.key, &back.freed);
        returned.push(Returned {
            key: back.key,
            revision: Some(back.revision.to_string()),
            at: back.at,
            files: back.files.into_iter().chain(texts).collect(),
            history: back.history,
            damaged_lines: back.damage.lines().collect(),
            archived: false,
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

/// Whether a plan has no plan.md.
fn lacks_text(workspace: &Workspace, key: &Key) -> Result<bool, Failure> {
    Ok(match key {
        Key::Plan(id) => workspace.plan(id).view()?.unparsable == Some(Unparsable::Missing),
        _ => false,
    })
}

/// What came back, and up to which change.
fn line(back: &BroughtBack, lost: &Lost, lacks_text: bool) -> String {
    let at = match &back.at {
        Some(at) => format!(", made {}", name(at)),
        None => String::new(),
    };
    let from = from_worktree(lost.worktree.as_deref());
    let part = match lost.part {
        LostPart::History | LostPart::Lines => "the history of ",
        LostPart::Whole | LostPart::State if lacks_text => "the state of ",
        LostPart::Whole | LostPart::State => "",
    };
    format!(
        "{part}{} is back{from}, at revision {}{at}: {} of {} done\n",
        name(&back.key.short()),
        back.revision.number,
        back.progress.done,
        back.progress.total
    )
}

pub(crate) fn from_worktree(root: Option<&Path>) -> String {
    root.map_or_else(String::new, |root| {
        format!(" from the worktree {}", path_name(root))
    })
}

/// A checkpoint that is kept of a worktree that is gone, and how it is brought back.
pub(crate) fn offer_of_copy(lost: &Lost) -> String {
    let shown = lost.key.short();
    let root = lost.worktree.as_deref().map(path_name);
    format!(
        "{} of the worktree {}, which is gone: bring it back here with: ckpt recover {}",
        name(&shown),
        root.unwrap_or_default(),
        suggested(&shown)
    )
}

/// What is kept of a worktree that is gone, or missing here, and how it is brought back.
pub(crate) fn offer_of_archive(lost: &LostArchive) -> String {
    let shown = lost.archived.key.short();
    let place = match lost.worktree.as_deref() {
        Some(root) => format!(" of the worktree {}, which is gone", path_name(root)),
        None => " is missing".to_owned(),
    };
    format!(
        "the archive of {}{place}: bring it back with: ckpt recover {}",
        name(&shown),
        suggested(&shown)
    )
}
