//! Everything that happens is told, in order, and nothing that does not.

mod removals;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;

use super::*;
use crate::command::{PhaseStatus, PhaseUpdate, Unfinished};
use crate::disk::OsDisk;
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::follower::Filter;
use crate::history::{Line, Revision};
use crate::key::{CommandKey, Key};
use crate::plan::{ItemKind, Tick};
use crate::repository::{Environment, Repository};
use crate::seal::{SealKey, Vault};
use crate::store::{FileStore, Mirrored};
use crate::workspace::tests::worktree::{ROOT, plan, planned, workspace, worktree};
use crate::workspace::{InFlight, Options, StartRequest};

fn command() -> CommandKey {
    CommandKey::parse("implement/auth").unwrap()
}

fn key() -> Key {
    command().into()
}

fn follower() -> Follower {
    Follower {
        name: FollowerName::new("audit").unwrap(),
        file: Some("/audit.jsonl".into()),
        is_service: false,
        filter: Filter::default(),
        added_at: "2026-01-29T10:30:00.000Z".to_owned(),
    }
}

/// A repository with a command and a plan, and a follower who has been told of both.
fn repository() -> (SimulatedDisk, Vec<Heard>) {
    let disk = planned();
    let workspace = workspace(&disk);
    workspace.followers().add(&follower()).unwrap();
    workspace
        .command(&command())
        .start(&StartRequest::default())
        .unwrap();
    workspace.plan(&plan()).sync().unwrap();
    let mut heard = Vec::new();
    serve(&disk, &mut heard).unwrap();
    (disk.after(Crash::Kill), heard)
}

/// A line that a follower was told.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heard {
    about: String,
    event: String,
    revision: Revision,
    aborted: Option<Revision>,
    raw: String,
}

impl Heard {
    fn of(about: &str, line: &Line) -> Self {
        Self {
            about: about.to_owned(),
            event: line.event().unwrap_or_default().into_owned(),
            revision: line.revision().unwrap(),
            aborted: line.aborted(),
            raw: line.raw().to_owned(),
        }
    }
}

fn serve(disk: &SimulatedDisk, heard: &mut Vec<Heard>) -> Result<(), Barred> {
    serve_from(&workspace(disk), &follower(), heard)
}

fn serve_from(
    workspace: &Workspace,
    follower: &Follower,
    heard: &mut Vec<Heard>,
) -> Result<(), Barred> {
    let mut take = |batch: &Batch<'_>| {
        heard.extend(batch.lines.iter().map(|line| Heard::of(batch.about, line)));
        Ok(())
    };
    let followers = workspace.followers();
    followers.serve(follower, &mut Told::default(), &mut take)?;
    Ok(())
}

/// A change of each kind of file: one that we write alone, and a plan of several.
fn change(disk: &SimulatedDisk) -> Result<(), WorkspaceError> {
    let workspace = workspace(disk);
    let update = PhaseUpdate::to(PhaseStatus::InProgress).with_summary("Half of it is there.");
    workspace
        .command(&command())
        .update_phase("research", &update)?;
    let tasks = ["second".to_owned()];
    let plan = plan();
    workspace
        .plan(&plan)
        .tick(ItemKind::Task, &tasks, Tick::Done)?;
    Ok(())
}

/// What the histories say has happened, in order, for each document.
fn happened(disk: &SimulatedDisk) -> BTreeMap<String, Vec<Heard>> {
    let workspace = workspace(disk);
    let mut happened = BTreeMap::new();
    for key in [key(), Key::Plan(plan())] {
        let history = workspace.history(&key).unwrap().unwrap();
        let about = KeptAs::of(&key).sealed_name();
        let lines = history.oldest_first().unwrap();
        let lines: Vec<Heard> = lines
            .map(|line| Heard::of(&about, &line.unwrap()))
            .collect();
        let aborted: Vec<Revision> = lines
            .iter()
            .filter_map(|line| line.aborted.clone())
            .collect();
        let took_effect =
            |line: &Heard| !aborted.contains(&line.revision) && line.aborted.is_none();
        happened.insert(about, lines.into_iter().filter(took_effect).collect());
    }
    happened
}

/// Whether a follower heard exactly what happened, in order: once each, but for what it may have heard again.
fn check(scene: &str, heard: &[Heard], disk: &SimulatedDisk, repeats: usize) {
    for (about, happened) in happened(disk) {
        let told: Vec<&Heard> = heard.iter().filter(|line| line.about == about).collect();
        let mut seen = BTreeSet::new();
        let first: Vec<&Heard> = told
            .iter()
            .copied()
            .filter(|line| seen.insert(line.raw.clone()))
            .collect();
        assert_eq!(
            first,
            happened.iter().collect::<Vec<_>>(),
            "{scene}: {about}"
        );
        assert!(
            told.len() - first.len() <= repeats,
            "{scene}: {about}: {told:#?}"
        );
    }
}

#[test]
fn everything_is_told_in_order_and_once() {
    let (disk, mut heard) = repository();
    assert!(heard.len() >= 2, "{heard:#?}");
    change(&disk).unwrap();
    serve(&disk, &mut heard).unwrap();
    serve(&disk, &mut heard).unwrap();
    check("after a change", &heard, &disk, 0);
}

#[test]
fn a_crash_of_a_change_at_any_point_tells_what_happened_and_nothing_else() {
    let (disk, before) = repository();
    let whole = disk.copy(Trouble::None);
    change(&whole).unwrap();
    for at in 0..whole.operations() {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = change(&dying);
            // The worker goes on while the power is still there, and then the power fails.
            let alive = dying.after(Crash::Kill);
            let mut heard = before.clone();
            serve(&alive, &mut heard).unwrap();
            let image = alive.after(crash);
            let scene = format!("{crash:?} at {at}: {:?}", dying.log().last());
            serve(&image, &mut heard).unwrap();
            change(&image).unwrap_or_else(|error| panic!("{scene}: {error}"));
            serve(&image, &mut heard).unwrap();
            // A cursor that was not durable is behind.
            check(&scene, &heard, &image, 8);
        }
    }
}

#[test]
fn a_crash_of_the_worker_at_any_point_repeats_no_more_than_what_was_in_flight() {
    let (disk, before) = repository();
    change(&disk).unwrap();
    let whole = disk.copy(Trouble::None);
    serve(&whole, &mut Vec::new()).unwrap();
    assert!(whole.operations() > 5, "{:?}", whole.log());
    for at in 0..whole.operations() {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let mut heard = before.clone();
            let _ = serve(&dying, &mut heard);
            let image = dying.after(crash);
            serve(&image, &mut heard).unwrap();
            let scene = format!("{crash:?} at {at}: {:?}", dying.log().last());
            check(&scene, &heard, &image, 3);
        }
    }
}

const THEIRS: &str = "\
# Login
<!-- CHECKPOINT: one -->
- [ ] First <!-- TASK: first -->
- [ ] Theirs <!-- TASK: theirs -->
";

#[test]
fn a_change_that_was_made_again_on_top_of_an_editors_is_told_once() {
    let (disk, mut heard) = repository();
    disk.meddle_with(&[THEIRS]);
    let tasks = ["first".to_owned()];
    let workspace = workspace(&disk);
    let plan = plan();
    workspace
        .plan(&plan)
        .tick(ItemKind::Task, &tasks, Tick::Done)
        .unwrap();
    serve(&disk, &mut heard).unwrap();
    check("after an editor", &heard, &disk, 0);
    let ticked = heard.iter().filter(|line| line.event == "task_completed");
    assert_eq!(ticked.count(), 1, "{heard:#?}");
}

#[test]
fn a_change_that_was_given_up_is_not_told() {
    let (disk, mut heard) = repository();
    let saved: Vec<String> = (0..1000).map(|at| format!("{THEIRS}\n{at}\n")).collect();
    let saved: Vec<&str> = saved.iter().map(String::as_str).collect();
    disk.without_exchange();
    disk.meddle_with(&saved);
    let tasks = ["first".to_owned()];
    let workspace = workspace(&disk);
    let plan = plan();
    let ticked = workspace
        .plan(&plan)
        .tick(ItemKind::Task, &tasks, Tick::Done);
    assert!(ticked.is_err());
    serve(&disk, &mut heard).unwrap();
    let events: Vec<&str> = heard.iter().map(|line| line.event.as_str()).collect();
    assert!(!events.contains(&"task_completed"), "{events:?}");
    assert!(events.contains(&"checksum_mismatch"), "{events:?}");
}

#[test]
fn a_failure_of_the_receiver_is_noted_and_nothing_is_lost() {
    let (disk, mut heard) = repository();
    change(&disk).unwrap();
    let workspace = workspace(&disk);
    let mut refuse = |_: &Batch<'_>| Err(io::Error::other("the disk is full").into());
    let served = workspace
        .followers()
        .serve(&follower(), &mut Told::default(), &mut refuse);
    assert_eq!(served.unwrap_err().to_string(), "the disk is full");
    let report = workspace.followers().report(&follower().name);
    assert_eq!(report.error.as_deref(), Some("the disk is full"));
    assert_eq!(report.failures, 1);
    assert!(report.is_waiting(workspace.now()));
    let lag = workspace.followers().lag(&follower()).unwrap();
    assert_eq!(lag.checkpoints, 2, "{lag:?}");
    serve(&disk, &mut heard).unwrap();
    check("after a failure", &heard, &disk, 0);
    let report = workspace.followers().report(&follower().name);
    assert_eq!(report.error, None);
    assert_eq!(
        workspace.followers().lag(&follower()).unwrap(),
        Lag::default()
    );
}

/// Tells a follower everything at once.
fn serve_at_once(disk: &SimulatedDisk, heard: &mut Vec<Heard>, is_taken: bool) -> Option<usize> {
    let workspace = workspace(disk);
    let gathered = RefCell::new(Vec::new());
    let mut gather = |batch: &Batch<'_>| {
        let lines = batch.lines.iter();
        let lines = lines.map(|line| Heard::of(batch.about, line));
        gathered.borrow_mut().extend(lines);
        Ok(())
    };
    let mut finish = |_: &Delivered| match is_taken {
        true => {
            heard.append(&mut gathered.borrow_mut());
            Ok(())
        }
        false => Err(io::Error::other("nobody reads").into()),
    };
    let followers = workspace.followers();
    let served = followers.serve_at_once(&follower(), &mut gather, &mut finish);
    Some(served.ok()??.lines)
}

#[test]
fn what_is_told_at_once_counts_as_told_only_when_all_of_it_was_taken() {
    let (disk, mut heard) = repository();
    change(&disk).unwrap();
    let before = (disk.file_names(), heard.clone());
    assert_eq!(serve_at_once(&disk, &mut heard, false), None);
    assert_eq!(heard, before.1);
    let report = workspace(&disk).followers().report(&follower().name);
    assert_eq!(report.error.as_deref(), Some("nobody reads"));
    assert_eq!(disk.file_names(), before.0);
    let count = heard.len();
    let told = serve_at_once(&disk, &mut heard, true);
    assert_eq!(told, Some(heard.len() - count));
    check("at once", &heard, &disk, 0);
    assert_eq!(serve_at_once(&disk, &mut heard, true), Some(0));
}

#[test]
fn a_crash_while_everything_is_told_at_once_loses_nothing() {
    let (disk, before) = repository();
    change(&disk).unwrap();
    let whole = disk.copy(Trouble::None);
    serve_at_once(&whole, &mut Vec::new(), true).unwrap();
    for at in 0..whole.operations() {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let mut heard = before.clone();
            serve_at_once(&dying, &mut heard, true);
            let image = dying.after(crash);
            serve(&image, &mut heard).unwrap();
            let scene = format!("{crash:?} at {at}: {:?}", dying.log().last());
            check(&scene, &heard, &image, 3);
        }
    }
}

#[test]
fn a_follower_is_told_what_an_archive_holds() {
    let (disk, mut heard) = repository();
    change(&disk).unwrap();
    let archiving = workspace(&disk);
    archiving
        .command(&command())
        .complete(Unfinished::Ignore)
        .unwrap();
    archiving.archive(&key(), InFlight::Refused).unwrap();
    serve(&disk, &mut heard).unwrap();
    let events: Vec<&str> = heard.iter().map(|line| line.event.as_str()).collect();
    assert!(events.contains(&"checkpoint_completed"), "{events:?}");
    assert!(events.contains(&"archived"), "{events:?}");
    let count = heard.len();
    serve(&disk, &mut heard).unwrap();
    assert_eq!(heard.len(), count);
    // It comes back, is deleted, and another one begins under its name.
    let archived = archiving.find_archived("implement/auth").unwrap();
    archiving.unarchive(&archived).unwrap();
    archiving.delete(&key(), InFlight::Accepted).unwrap();
    archiving
        .command(&command())
        .start(&StartRequest::default())
        .unwrap();
    serve(&disk, &mut heard).unwrap();
    let events: Vec<&str> = heard[count..]
        .iter()
        .map(|line| line.event.as_str())
        .collect();
    assert_eq!(events, ["unarchived", "deleted", "checkpoint_started"]);
}

/// What a follower hears of a command that is deleted now.
fn heard_of_what_is_deleted(disk: &SimulatedDisk, mut heard: Vec<Heard>) -> Vec<String> {
    let count = heard.len();
    let deleting = workspace(disk);
    let deleted = deleting.delete(&key(), InFlight::Accepted).unwrap();
    serve(disk, &mut heard).unwrap();
    assert_eq!(deleting.followers().awaiting(&deleted).unwrap(), None);
    let events = heard[count..].iter().map(|line| line.event.clone());
    events.collect()
}

#[test]
fn what_was_edited_by_hand_before_it_was_deleted_is_told() {
    let (disk, heard) = repository();
    let path = workspace(&disk)
        .layout
        .place(&key())
        .document()
        .path
        .clone();
    let mut content = disk.read(&path).unwrap();
    content.push(b'\n');
    disk.put(&path, &content);
    let events = heard_of_what_is_deleted(&disk, heard);
    assert_eq!(events, ["external_edit", "deleted"]);
}

#[test]
fn what_was_cut_off_before_it_was_deleted_is_told_if_it_happened() {
    let (disk, before) = repository();
    let update = PhaseUpdate::to(PhaseStatus::InProgress);
    let change = |disk: &SimulatedDisk| {
        let workspace = workspace(disk);
        let changed = workspace
            .command(&command())
            .update_phase("research", &update);
        changed.is_ok()
    };
    let whole = disk.copy(Trouble::None);
    assert!(change(&whole));
    for at in 0..whole.operations() {
        let dying = disk.copy(Trouble::DieAt(at));
        change(&dying);
        let events = heard_of_what_is_deleted(&dying.after(Crash::Kill), before.clone());
        let last: Vec<&str> = events.iter().map(String::as_str).collect();
        assert!(
            matches!(last[..], ["deleted"] | ["phase_updated", "deleted"]),
            "{at}: {last:?}"
        );
    }
}

#[test]
fn what_cannot_be_read_hides_nothing_else_from_a_follower() {
    let (disk, mut heard) = repository();
    let count = heard.len();
    change(&disk).unwrap();
    let archives = Path::new(ROOT).join(".claude/state/archive/trash/command");
    // They come before everything else, and one of them before the history that it claims to belong to.
    for name in ["a-b", "implement-auth"] {
        let file = format!("{name}.20250101T000000.000Z.zst");
        disk.put(&archives.join(file), b"nonsense");
    }
    serve(&disk, &mut heard).unwrap();
    check("beside nonsense", &heard, &disk, 0);
    assert!(heard.len() > count);
    let workspace = workspace(&disk);
    let report = workspace.followers().report(&follower().name);
    let error = report.error.clone().unwrap_or_default();
    assert!(error.contains("a-b.20250101T000000.000Z.zst"), "{error}");
    assert!(report.handed_at.is_some());
    assert!(!report.is_waiting(workspace.now()));
    serve(&disk, &mut heard).unwrap();
    assert_eq!(workspace.followers().report(&follower().name), report);
    disk.wipe(&archives);
    serve(&disk, &mut heard).unwrap();
    assert_eq!(workspace.followers().report(&follower().name).error, None);
    check("after all", &heard, &disk, 0);
}

#[test]
fn what_a_damaged_archive_held_is_told_from_its_copy() {
    let (disk, mut heard) = repository();
    let count = heard.len();
    let deleting = workspace(&disk);
    let deleted = deleting.delete(&key(), InFlight::Accepted).unwrap();
    disk.put(&deleted.path, b"damaged");
    serve(&disk, &mut heard).unwrap();
    let events = heard[count..].iter().map(|line| line.event.as_str());
    assert_eq!(events.collect::<Vec<_>>(), ["deleted"]);
    let followers = deleting.followers();
    assert_eq!(followers.report(&follower().name).error, None);
    assert_eq!(followers.awaiting(&deleted).unwrap(), None);
}

#[test]
fn what_was_deleted_is_kept_until_its_followers_are_told() {
    let (disk, _) = repository();
    let workspace = workspace(&disk);
    let deleted = workspace.delete(&key(), InFlight::Accepted).unwrap();
    let awaiting = || workspace.followers().awaiting(&deleted).unwrap();
    assert_eq!(awaiting(), Some(follower().name));
    serve(&disk, &mut Vec::new()).unwrap();
    assert_eq!(awaiting(), None);
    // Nobody has heard of this one for years.
    let silent = Follower {
        name: FollowerName::new("silent").unwrap(),
        ..follower()
    };
    workspace.followers().add(&silent).unwrap();
    assert!(workspace.followers().is_silent(&silent));
    assert_eq!(awaiting(), None);
    let fresh = Follower {
        name: FollowerName::new("fresh").unwrap(),
        added_at: workspace.now().to_string(),
        ..follower()
    };
    workspace.followers().add(&fresh).unwrap();
    assert_eq!(awaiting(), Some(fresh.name));
}

/// The files that are kept for a follower and end like this.
fn kept(disk: &SimulatedDisk, ending: &str) -> PathBuf {
    let mut names = disk.file_names().into_iter();
    let found = names.find(|path| {
        let path = path.to_string_lossy();
        path.starts_with("/git/ckpt/followers") && path.ends_with(ending)
    });
    found.expect("it is kept")
}

#[test]
fn what_a_follower_may_wait_for_is_kept_while_that_cannot_be_read() {
    let (disk, _) = repository();
    let workspace = workspace(&disk);
    let deleted = workspace.delete(&key(), InFlight::Accepted).unwrap();
    let followers = workspace.followers();
    for ending in ["audit.json", "implement-auth.json"] {
        disk.make_unreadable(Some(&kept(&disk, ending)));
        let refused = followers.awaiting(&deleted).unwrap_err().to_string();
        assert!(refused.contains(ending), "{refused}");
    }
    disk.make_unreadable(Some(&kept(&disk, "report.json")));
    assert!(!followers.is_silent(&follower()));
    assert_eq!(followers.awaiting(&deleted).unwrap(), Some(follower().name));
    disk.make_unreadable(Some(&deleted.path));
    assert!(followers.awaiting(&deleted).is_err());
    disk.make_unreadable(None);
    serve(&disk, &mut Vec::new()).unwrap();
    assert_eq!(followers.awaiting(&deleted).unwrap(), None);
}

#[test]
fn a_cursor_that_cannot_be_read_now_tells_nothing_again() {
    let (disk, mut heard) = repository();
    change(&disk).unwrap();
    let cursor = kept(&disk, "implement-auth.json");
    disk.make_unreadable(Some(&cursor));
    let count = heard.len();
    serve(&disk, &mut heard).unwrap();
    assert!(
        heard[count..]
            .iter()
            .all(|line| line.about.starts_with("plan:"))
    );
    let report = workspace(&disk).followers().report(&follower().name);
    let error = report.error.unwrap_or_default();
    assert!(error.contains("implement-auth.json"), "{error}");
    disk.make_unreadable(None);
    serve(&disk, &mut heard).unwrap();
    check("once it can be read", &heard, &disk, 0);
}

#[test]
fn an_archive_that_was_told_is_not_read_again_before_it_changes() {
    let (disk, _) = repository();
    let deleting = workspace(&disk);
    let deleted = deleting.delete(&key(), InFlight::Accepted).unwrap();
    let followers = deleting.followers();
    let mut told = Told::default();
    let mut serve = || {
        let served = followers.serve(&follower(), &mut told, &mut |_| Ok(()));
        served.unwrap().unwrap()
    };
    assert_eq!(serve().lines, 1);
    disk.make_unreadable(Some(&deleted.path));
    assert_eq!(serve(), Delivered::default());
    disk.make_unreadable(None);
    disk.put(&deleted.path, b"nonsense");
    disk.wipe(Path::new("/git/ckpt/mirror"));
    let left_out = serve().left_out.unwrap_or_default();
    assert!(left_out.contains("is damaged"), "{left_out}");
}

#[test]
fn an_archive_of_a_worktree_that_is_gone_is_read_once() {
    let (disk, _) = repository();
    for _ in 0..8 {
        let workspace = workspace(&disk);
        workspace.delete(&key(), InFlight::Accepted).unwrap();
        let request = StartRequest::default();
        workspace.command(&command()).start(&request).unwrap();
    }
    disk.wipe(&Path::new(ROOT).join(".claude"));
    let other = worktree(&disk, "other");
    disk.put(Path::new("/git/other"), b"aabbccddeeff0011");
    let before = disk.reads();
    serve_from(&other, &follower(), &mut Vec::new()).unwrap();
    let reads = disk.reads()[before.len()..].to_vec();
    let archives = reads
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "zst"));
    let mut counts = BTreeMap::new();
    for path in archives {
        *counts.entry(path.clone()).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 8, "{counts:#?}");
    assert!(counts.values().all(|count| *count == 1), "{counts:#?}");
}

#[test]
fn lines_without_our_seal_are_not_told() {
    let (disk, mut heard) = repository();
    let history = workspace(&disk).layout.place(&key()).history;
    let mut content = disk.read(&history).unwrap();
    let text = String::from_utf8(content.clone()).unwrap();
    let line = text.lines().last().unwrap();
    // Sealed lines that somebody has copied, and one that was changed.
    content.extend_from_slice(format!("{line}\n{text}").as_bytes());
    let changed = line.replace("implement", "released");
    content.extend_from_slice(format!("{changed}\n").as_bytes());
    content.extend_from_slice(b"{\"event\":\"gate_passed\",\"rev\":99,\"epoch\":\"x\"}\nnoise\n");
    disk.put(&history, &content);
    let count = heard.len();
    serve(&disk, &mut heard).unwrap();
    assert_eq!(heard.len(), count);
    change(&disk).unwrap();
    serve(&disk, &mut heard).unwrap();
    assert!(heard.iter().all(|line| !line.raw.contains("released")));
    assert!(heard.len() > count);
}

#[test]
fn a_filter_counts_what_it_leaves_out_as_told() {
    let (disk, _) = repository();
    change(&disk).unwrap();
    let only = Follower {
        name: FollowerName::new("ticks").unwrap(),
        filter: Filter {
            events: vec!["task_".to_owned()],
            checkpoints: vec![Key::Plan(plan()).to_string()],
            since: None,
        },
        ..follower()
    };
    let workspace = workspace(&disk);
    workspace.followers().add(&only).unwrap();
    let mut heard = Vec::new();
    serve_from(&workspace, &only, &mut heard).unwrap();
    let events: Vec<&str> = heard.iter().map(|line| line.event.as_str()).collect();
    assert_eq!(events, ["task_completed"]);
    assert_eq!(workspace.followers().lag(&only).unwrap(), Lag::default());
    let later = Filter {
        since: Some("9999-01-01T00:00:00Z".to_owned()),
        ..Filter::default()
    };
    let later = Follower {
        name: FollowerName::new("later").unwrap(),
        filter: later,
        ..follower()
    };
    workspace.followers().add(&later).unwrap();
    let mut heard = Vec::new();
    serve_from(&workspace, &later, &mut heard).unwrap();
    assert!(heard.is_empty(), "{heard:#?}");
}

#[test]
fn a_history_that_comes_back_from_its_copy_is_not_told_again() {
    let (disk, mut heard) = repository();
    change(&disk).unwrap();
    serve(&disk, &mut heard).unwrap();
    let count = heard.len();
    disk.wipe(&Path::new(ROOT).join(".claude"));
    disk.wipe(&Path::new(ROOT).join("plans"));
    let recovering = workspace(&disk);
    for lost in recovering.lost() {
        recovering.bring_back_lost(&lost).unwrap();
    }
    serve(&disk, &mut heard).unwrap();
    let events: Vec<&str> = heard[count..]
        .iter()
        .map(|line| line.event.as_str())
        .collect();
    assert_eq!(events, ["recovered", "recovered"]);
}

#[test]
fn what_a_worktree_that_is_gone_could_not_tell_is_told_from_its_copy() {
    let (disk, mut heard) = repository();
    let before = heard.len();
    change(&disk).unwrap();
    disk.wipe(&Path::new(ROOT).join(".claude"));
    disk.wipe(&Path::new(ROOT).join("plans"));
    // Another worktree has another id.
    let other = worktree(&disk, "other");
    disk.put(Path::new("/git/other"), b"aabbccddeeff0011");
    serve_from(&other, &follower(), &mut heard).unwrap();
    let events: Vec<&str> = heard[before..]
        .iter()
        .map(|line| line.event.as_str())
        .collect();
    assert!(events.contains(&"task_completed"), "{events:?}");
    assert!(events.contains(&"phase_updated"), "{events:?}");
    let count = heard.len();
    serve_from(&other, &follower(), &mut heard).unwrap();
    assert_eq!(heard.len(), count);
}

/// A repository on the real disk, where locks keep others out, with a command and a follower.
fn on_real_disk(base: &Path) -> Workspace {
    let root = base.join("repository");
    std::fs::create_dir(&root).unwrap();
    let environment = Environment {
        git_root: Some(root.clone()),
        ..Environment::default()
    };
    let repository = Repository::discover(&root, &environment).unwrap();
    let mirror = Mirror::new(
        base.join("git/ckpt/mirror"),
        base.join("git/worktree"),
        &root,
    );
    let options = Options::default();
    let store = FileStore::on(Arc::new(OsDisk::below(&root)), &root, options.clock)
        .with_vault(Vault::holding(SealKey::new([1; 32])))
        .with_mirror(Mirrored::at(mirror));
    let workspace = Workspace::with_store(repository, store, options);
    workspace.followers().add(&follower()).unwrap();
    let request = StartRequest::default();
    workspace.command(&command()).start(&request).unwrap();
    workspace
}

#[test]
fn a_follower_that_is_removed_while_it_is_told_and_added_again_is_told_everything() {
    let base = tempfile::tempdir().unwrap();
    let workspace = &on_real_disk(base.path());
    let (begun, has_begun) = mpsc::channel();
    let (replaced, is_replaced) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut take = |_: &Batch<'_>| {
                begun.send(()).unwrap();
                // A removal that waits for this comes later.
                let _ = is_replaced.recv_timeout(Duration::from_millis(300));
                Ok(())
            };
            let followers = workspace.followers();
            let _ = followers.serve(&follower(), &mut Told::default(), &mut take);
        });
        has_begun.recv().unwrap();
        let followers = workspace.followers();
        assert!(followers.remove(&follower().name).unwrap());
        followers.add(&follower()).unwrap();
        let _ = replaced.send(());
    });
    let mut heard = Vec::new();
    serve_from(workspace, &follower(), &mut heard).unwrap();
    let events: Vec<&str> = heard.iter().map(|line| line.event.as_str()).collect();
    assert_eq!(events, ["checkpoint_started"]);
}

#[test]
fn whoever_notes_how_it_went_at_the_same_time_loses_nothing() {
    let base = tempfile::tempdir().unwrap();
    let workspace = &on_real_disk(base.path());
    let name = &follower().name;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let barred = Barred::because("it is away".to_owned());
                for _ in 0..25 {
                    workspace.followers().note_failure(name, &barred);
                }
            });
        }
    });
    assert_eq!(workspace.followers().report(name).failures, 100);
    assert!(!workspace.followers().report_in_state(name).exists());
}

#[test]
fn a_follower_is_not_told_for_one_that_had_its_name() {
    let (disk, mut heard) = repository();
    change(&disk).unwrap();
    let workspace = workspace(&disk);
    let followers = workspace.followers();
    followers.remove(&follower().name).unwrap();
    let other = Follower {
        file: Some("/other.jsonl".into()),
        ..follower()
    };
    followers.add(&other).unwrap();
    let count = heard.len();
    let refused = serve(&disk, &mut heard).unwrap_err().to_string();
    assert_eq!(refused, "it was removed or changed");
    assert_eq!(heard.len(), count);
    assert_eq!(followers.report(&other.name).error, None);
    let mut heard = Vec::new();
    serve_from(&workspace, &other, &mut heard).unwrap();
    check("by its new name", &heard, &disk, 0);
}

#[test]
fn what_a_worker_remembers_is_not_taken_for_what_another_follower_was_told() {
    let (disk, _) = repository();
    let workspace = workspace(&disk);
    let followers = workspace.followers();
    let mut told = Told::default();
    let mut lines = |follower: &Follower| {
        let served = followers.serve(follower, &mut told, &mut |_| Ok(()));
        served.unwrap().unwrap().lines
    };
    assert_eq!(lines(&follower()), 0);
    followers.remove(&follower().name).unwrap();
    let other = Follower {
        added_at: workspace.now().to_string(),
        ..follower()
    };
    followers.add(&other).unwrap();
    assert!(lines(&other) > 0);
}

#[test]
fn followers_are_listed_and_removed_with_their_cursors() {
    let (disk, _) = repository();
    let workspace = workspace(&disk);
    let followers = workspace.followers();
    assert!(followers.exist());
    assert_eq!(followers.all().unwrap(), [follower()]);
    let taken = followers.add(&follower()).unwrap_err().to_string();
    assert_eq!(taken, "there is a follower audit already");
    assert!(followers.remove(&follower().name).unwrap());
    assert!(!followers.remove(&follower().name).unwrap());
    assert!(followers.all().unwrap().is_empty());
    assert_eq!(
        disk.file_names()
            .iter()
            .find(|path| path.to_string_lossy().contains("audit")),
        None
    );
    assert!(FollowerName::new("../x").is_err());
    assert!(FollowerName::new("-x").is_err());
}
