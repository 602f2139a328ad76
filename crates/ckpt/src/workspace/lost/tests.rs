mod damaged;

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::disk::Disk;
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::key::CommandKey;
use crate::plan::{ItemKind, Tick};
use crate::workspace::StartRequest;
use crate::workspace::tests::worktree::{ROOT, plan, planned, workspace, worktree};

const SPEC: &str = "workstreams: {A: {}, B: {depends_on: [A]}}\n";

/// A repository with a checkpoint of each kind.
fn repository() -> SimulatedDisk {
    let disk = planned();
    disk.put(&Path::new(ROOT).join("SPEC.yaml"), SPEC.as_bytes());
    let workspace = workspace(&disk);
    let key = CommandKey::parse("implement/auth").unwrap();
    workspace
        .command(&key)
        .start(&StartRequest::default())
        .unwrap();
    let tasks = ["second".to_owned()];
    workspace.plan(&plan()).sync().unwrap();
    workspace
        .plan(&plan())
        .tick(ItemKind::Task, &tasks, Tick::Done)
        .unwrap();
    let spec = Path::new(ROOT).join("SPEC.yaml");
    workspace.init_pipeline(&spec).unwrap();
    disk
}

/// All state: each file with its content.
fn state(disk: &SimulatedDisk) -> BTreeMap<PathBuf, Vec<u8>> {
    let names = disk.file_names().into_iter();
    let of_state = names.filter(|name| {
        let is_below = |directory: &str| name.starts_with(Path::new(ROOT).join(directory));
        let is_lock = name.extension().is_some_and(|ending| ending == "lock");
        (is_below(".claude") || is_below("plans")) && !is_lock
    });
    of_state
        .map(|name| {
            let content = disk.read(&name).unwrap();
            (name, content)
        })
        .collect()
}

fn wipe(disk: &SimulatedDisk) {
    disk.wipe(&Path::new(ROOT).join(".claude"));
    disk.wipe(&Path::new(ROOT).join("plans"));
}

fn names(lost: &[Lost]) -> Vec<String> {
    lost.iter().map(|lost| lost.key.short()).collect()
}

/// Brings everything back. Returns the first error.
fn recover(disk: &SimulatedDisk) -> Result<(), WorkspaceError> {
    let workspace = workspace(disk);
    for lost in workspace.lost() {
        workspace.bring_back_lost(&lost)?;
    }
    Ok(())
}

fn is_history(name: &Path) -> bool {
    name.extension().is_some_and(|ending| ending == "jsonl")
}

/// All is as before the loss, but for the line that says so in each history.
fn check_that_all_is_back(before: &BTreeMap<PathBuf, Vec<u8>>, disk: &SimulatedDisk, scene: &str) {
    let after = state(disk);
    let names = |state: &BTreeMap<PathBuf, Vec<u8>>| state.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(before), names(&after), "{scene}");
    for (name, content) in before {
        match is_history(name) {
            true => assert!(
                after[name].starts_with(content),
                "{scene}: {}",
                name.display()
            ),
            false => assert!(after[name] == *content, "{scene}: {}", name.display()),
        }
    }
}

#[test]
fn everything_comes_back_after_all_state_is_removed() {
    let disk = repository();
    let before = state(&disk);
    assert!(workspace(&disk).lost().is_empty());
    wipe(&disk);
    let lost = workspace(&disk).lost();
    assert_eq!(
        names(&lost),
        ["implement/auth", "SPEC", "260220-1149-login"]
    );
    recover(&disk).unwrap();
    check_that_all_is_back(&before, &disk, "after the loss");
    assert!(workspace(&disk).lost().is_empty());
    // Work goes on where it was.
    let outcome = workspace(&disk).plan(&plan()).sync().unwrap();
    assert!(outcome.revision.is_none(), "{:?}", outcome.events);
}

/// Interrupts a recovery at each step: doing it again brings everything back. What was never missing stays meanwhile.
fn check_crashes_of_recovery(disk: &SimulatedDisk, before: &BTreeMap<PathBuf, Vec<u8>>) {
    // By now the system has written the copies to the disk.
    let disk = disk.after(Crash::Kill);
    let left = state(&disk);
    let whole = disk.copy(Trouble::None);
    recover(&whole).unwrap();
    check_that_all_is_back(before, &whole, "without a crash");
    let total = whole.operations();
    assert!(total > 20, "only {total} operations");
    for at in 0..total {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = recover(&dying);
            let image = dying.after(crash);
            let scene = format!("{crash:?} at {at} of {total}: {:?}", dying.log().pop());
            for (name, content) in left.iter().filter(|(name, _)| !is_history(name)) {
                assert!(image.read(name).unwrap() == *content, "{scene}");
            }
            recover(&image).unwrap_or_else(|error| panic!("{scene}: {error}"));
            let mut found = state(&image);
            // An interrupted recovery may leave the temporary file of a document, which its next change reuses.
            found.retain(|name, _| !name.to_string_lossy().ends_with(".ckpt-tmp"));
            for name in before.keys() {
                assert!(found.contains_key(name), "{scene}: {}", name.display());
            }
            let mut ours = image.file_names();
            ours.retain(|name| name.to_string_lossy().ends_with(".ckpt-tmp"));
            for name in ours {
                image.remove(&name).unwrap();
            }
            check_that_all_is_back(before, &image, &scene);
        }
    }
}

#[test]
fn a_crash_at_any_point_of_a_recovery_loses_nothing() {
    let disk = repository();
    let before = state(&disk);
    wipe(&disk);
    check_crashes_of_recovery(&disk, &before);
}

#[test]
fn a_crash_at_any_point_of_recovering_histories_that_are_gone_loses_nothing() {
    let disk = repository();
    let before = state(&disk);
    for name in before.keys().filter(|name| is_history(name)) {
        disk.remove(name).unwrap();
    }
    check_crashes_of_recovery(&disk, &before);
}

#[test]
fn a_crash_at_any_point_of_recovering_damaged_histories_loses_nothing() {
    let disk = repository();
    work(&disk, "more").unwrap();
    let before = state(&disk);
    for (name, content) in before.iter().filter(|(name, _)| is_history(name)) {
        let second = content.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        disk.put(name, &content[second..]);
    }
    check_crashes_of_recovery(&disk, &before);
}

#[test]
fn a_crash_at_any_point_of_a_change_after_a_loss_loses_nothing() {
    let disk = repository();
    let before = state(&disk);
    wipe(&disk);
    let disk = disk.after(Crash::Kill);
    let whole = disk.copy(Trouble::None);
    work(&whole, "after").unwrap();
    let total = whole.operations();
    for at in 0..total {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = work(&dying, "after");
            let image = dying.after(crash);
            let scene = format!("{crash:?} at {at} of {total}: {:?}", dying.log().pop());
            work(&image, "again").unwrap_or_else(|error| panic!("{scene}: {error}"));
            assert!(workspace(&image).lost().is_empty(), "{scene}");
            let found = state(&image);
            for (name, content) in before.iter().filter(|(name, _)| is_history(name)) {
                let begins = found.get(name).is_some_and(|now| now.starts_with(content));
                assert!(begins, "{scene}: {}", name.display());
            }
        }
    }
}

#[test]
fn a_document_that_is_back_under_its_name_stays_as_it_is() {
    let disk = repository();
    wipe(&disk);
    let lost = workspace(&disk).lost();
    let other = br#"{"command":"implement","feature":"auth","version":1,"mine":true}"#;
    let file = Path::new(ROOT).join(".claude/state/implement-auth.json");
    disk.put(&file, other);
    let back = workspace(&disk).bring_back_lost(&lost[0]).unwrap().unwrap();
    assert!(back.files.is_empty() && back.history);
    assert_eq!(disk.read(&file).unwrap(), other);
}

#[test]
fn what_a_change_has_brought_back_meanwhile_is_not_said_to_be_back_again() {
    let disk = repository();
    work(&disk, "before").unwrap();
    wipe(&disk);
    let lost = workspace(&disk).lost();
    let key = CommandKey::parse("implement/auth").unwrap();
    let request = StartRequest::default();
    let started = workspace(&disk).command(&key).start(&request).unwrap();
    assert!(!started.created);
    let before = state(&disk);
    assert!(
        workspace(&disk)
            .bring_back_lost(&lost[0])
            .unwrap()
            .is_none()
    );
    assert_eq!(state(&disk), before);
    // Nor is what another process has brought back.
    assert!(
        workspace(&disk)
            .bring_back_lost(&lost[1])
            .unwrap()
            .is_some()
    );
    assert!(
        workspace(&disk)
            .bring_back_lost(&lost[1])
            .unwrap()
            .is_none()
    );
}

#[test]
fn what_is_said_of_a_recovery_is_what_was_written() {
    let disk = repository();
    wipe(&disk);
    let lost = workspace(&disk).lost();
    let plan = lost
        .into_iter()
        .find(|lost| matches!(lost.key, Key::Plan(_)));
    // Somebody else brings it back, works on, and loses it again.
    recover(&disk).unwrap();
    let tasks = ["first".to_owned()];
    let done = workspace(&disk);
    let done = done
        .plan(&self::plan())
        .tick(ItemKind::Task, &tasks, Tick::Done)
        .unwrap();
    wipe(&disk);
    let back = workspace(&disk)
        .bring_back_lost(&plan.unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(Some(back.revision), done.revision);
    assert_eq!((back.progress.done, back.progress.total), (2, 2));
}

#[test]
fn what_a_worktree_had_can_be_brought_back_after_it_is_gone() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    disk.put(Path::new("/git/HEAD"), b"");
    let key = CommandKey::parse("design/theme").unwrap();
    let there = worktree(&disk, "there");
    there.command(&key).start(&StartRequest::default()).unwrap();
    wipe(&disk);
    disk.wipe(Path::new("/git/there"));
    let here = workspace(&disk);
    assert!(here.lost().is_empty());
    let gone = here.lost_with_worktrees();
    assert_eq!(names(&gone), ["design/theme"]);
    assert_eq!(gone[0].worktree.as_deref(), Some(Path::new(ROOT)));
    let found = here.find_lost("DESIGN/theme").unwrap();
    let back = here.bring_back_lost(&found).unwrap().unwrap();
    assert_eq!(back.revision.number, 1);
    assert!(here.load(&back.key).unwrap().is_some());
    assert!(here.lost_with_worktrees().is_empty());
}

#[test]
fn what_a_worktree_had_deleted_before_it_was_gone_is_not_offered() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    disk.put(Path::new("/git/HEAD"), b"");
    let key = CommandKey::parse("design/theme").unwrap();
    let there = worktree(&disk, "there");
    there.command(&key).start(&StartRequest::default()).unwrap();
    let names = disk.file_names();
    let mut copies = names.iter().filter(|name| name.starts_with("/git"));
    let copy = copies
        .find(|name| name.ends_with("design-theme.jsonl"))
        .unwrap();
    let kept = disk.read(copy).unwrap();
    let accepted = crate::workspace::InFlight::Accepted;
    there.delete(&key.into(), accepted).unwrap();
    // The copy of its history outlasts it.
    disk.put(copy, &kept);
    wipe(&disk);
    disk.wipe(Path::new("/git/there"));
    assert!(workspace(&disk).lost_with_worktrees().is_empty());
}

#[test]
fn what_was_brought_back_and_removed_for_good_is_not_offered_by_a_worktree_that_is_gone() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    disk.put(Path::new("/git/HEAD"), b"");
    let key = CommandKey::parse("design/theme").unwrap();
    let there = worktree(&disk, "there");
    there.command(&key).start(&StartRequest::default()).unwrap();
    wipe(&disk);
    disk.wipe(Path::new("/git/there"));
    let here = workspace(&disk);
    let found = here.find_lost("design/theme").unwrap();
    here.bring_back_lost(&found).unwrap().unwrap();
    let accepted = crate::workspace::InFlight::Accepted;
    here.delete(&key.into(), accepted).unwrap();
    assert!(here.find_lost("design/theme").is_none());
    here.forget_archive(&here.archived()[0]).unwrap();
    assert!(here.archived().is_empty());
    assert!(here.find_lost("design/theme").is_none());
}

#[test]
fn a_copy_that_has_outlived_its_document_goes_with_the_archive_of_what_was_deleted() {
    let disk = repository();
    let key: Key = CommandKey::parse("implement/auth").unwrap().into();
    let names = disk.file_names();
    let mut copies = names.iter().filter(|name| name.starts_with("/git"));
    let copy = copies
        .find(|name| name.ends_with("implement-auth.jsonl"))
        .unwrap();
    let kept = disk.read(copy).unwrap();
    let here = workspace(&disk);
    let accepted = crate::workspace::InFlight::Accepted;
    let deleted = here.delete(&key, accepted).unwrap();
    disk.put(copy, &kept);
    assert!(here.lost().is_empty());
    let deleted = here
        .archived()
        .into_iter()
        .find(|one| one.path == deleted.path);
    here.forget_archive(&deleted.unwrap()).unwrap();
    assert!(here.archived().is_empty() && here.lost().is_empty());
}

#[test]
fn a_missing_archive_is_offered_and_comes_back_by_its_name() {
    let disk = repository();
    let key: Key = CommandKey::parse("implement/auth").unwrap().into();
    let accepted = crate::workspace::InFlight::Accepted;
    workspace(&disk).archive(&key, accepted).unwrap();
    assert!(workspace(&disk).lost_archives().is_empty());
    wipe(&disk);
    let here = workspace(&disk);
    let lost = here.lost_archives();
    assert_eq!(lost.len(), 1);
    assert_eq!((&lost[0].archived.key, &lost[0].worktree), (&key, &None));
    let found = here.find_lost_archive("implement/auth").unwrap();
    assert!(here.bring_back_archive(&found).unwrap());
    assert!(!here.bring_back_archive(&found).unwrap(), "it is there");
    assert!(here.is_archived(&key) && here.lost_archives().is_empty());
    here.unarchive(&here.find_archived("implement/auth").unwrap())
        .unwrap();
    // What is in its place is not archived.
    assert!(!here.bring_back_archive(&found).unwrap());
    assert!(here.lost_archives().is_empty());
}

#[test]
fn the_archives_of_a_worktree_that_is_gone_come_back_by_name_with_a_copy() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    disk.put(Path::new("/git/HEAD"), b"");
    let key = CommandKey::parse("design/theme").unwrap();
    let there = worktree(&disk, "there");
    there.command(&key).start(&StartRequest::default()).unwrap();
    let accepted = crate::workspace::InFlight::Accepted;
    there.archive(&key.into(), accepted).unwrap();
    wipe(&disk);
    disk.wipe(Path::new("/git/there"));
    let here = workspace(&disk);
    assert!(here.lost_archives().is_empty());
    let gone = here.archives_of_gone_worktrees();
    assert_eq!(gone.len(), 1);
    assert_eq!(gone[0].worktree.as_deref(), Some(Path::new(ROOT)));
    let found = here.find_lost_archive("design/theme").unwrap();
    assert!(here.bring_back_archive(&found).unwrap());
    assert!(here.archives_of_gone_worktrees().is_empty());
    wipe(&disk);
    assert_eq!(workspace(&disk).recover_archives().unwrap(), 1);
}

#[test]
fn a_copy_without_our_seal_brings_nothing_back() {
    let disk = repository();
    wipe(&disk);
    let names = disk.file_names();
    let copy = names
        .iter()
        .find(|name| name.ends_with("command/implement-auth.jsonl"));
    let copy = copy.unwrap();
    let lines = String::from_utf8(disk.read(copy).unwrap()).unwrap();
    disk.put(
        copy,
        lines.replace("implementation", "exploitation").as_bytes(),
    );
    let found = self::names(&workspace(&disk).lost());
    assert_eq!(found, ["SPEC", "260220-1149-login"]);
}

/// The lines that begin changes in the histories of all kinds, by file, epoch and number.
fn revisions(disk: &SimulatedDisk) -> Vec<((PathBuf, String), String)> {
    let names = disk.file_names().into_iter();
    let histories = names.filter(|name| {
        let is_history = name.extension().is_some_and(|ending| ending == "jsonl");
        name.starts_with(ROOT) && is_history
    });
    let mut found = Vec::new();
    for name in histories {
        let text = String::from_utf8_lossy(&disk.read(&name).unwrap()).into_owned();
        let lines = text
            .lines()
            .map(|line| Line::parse(line.as_bytes().to_vec()));
        for line in lines.filter_map(Result::ok) {
            if let (Some(revision), Some(_)) = (line.revision(), line.files()) {
                found.push(((name.clone(), revision.to_string()), line.raw().to_owned()));
            }
        }
    }
    found
}

/// Changes a checkpoint of each kind.
fn work(disk: &SimulatedDisk, note: &str) -> Result<(), WorkspaceError> {
    let workspace = workspace(disk);
    let key = CommandKey::parse("implement/auth").unwrap();
    let update = crate::command::PhaseUpdate {
        data: [("context_summary", crate::document::Value::from(note))]
            .into_iter()
            .collect(),
        ..crate::command::PhaseUpdate::default()
    };
    workspace.command(&key).update_phase("build", &update)?;
    let noted = crate::plan::NoteChange::Add(note.to_owned());
    workspace.plan(&plan()).note(&noted)?;
    let id = crate::key::PipelineId::new("SPEC").unwrap();
    let entry = crate::pipeline::NoteEntry::Cleanup(note.to_owned());
    workspace.pipeline(&id).note(&[entry])?;
    Ok(())
}

/// Takes the last revisions out of every copy, as if they had never been written.
fn cut_copies(disk: &SimulatedDisk, count: usize) {
    for name in disk.file_names() {
        if !name.starts_with("/git/ckpt/mirror") || name.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        let text = String::from_utf8(disk.read(&name).unwrap()).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let begins: Vec<usize> = (0..lines.len())
            .filter(|at| lines[*at].contains("\"files\":"))
            .collect();
        let kept = begins[begins.len() - count];
        disk.put(&name, lines[..kept].concat().as_bytes());
    }
}

/// No epoch and number together ever name two changes.
fn check_that_no_revision_is_used_twice(
    before: &[((PathBuf, String), String)],
    after: &[((PathBuf, String), String)],
    scene: &str,
) {
    let mut known: BTreeMap<&(PathBuf, String), &String> = BTreeMap::new();
    let mut here = std::collections::BTreeSet::new();
    known.extend(before.iter().map(|(revision, line)| (revision, line)));
    for (revision, line) in after {
        assert!(here.insert(revision), "{scene}: {revision:?} twice");
        let other = known.get(revision);
        assert!(
            other.is_none_or(|other| *other == line),
            "{scene}: {revision:?} was another change before"
        );
    }
}

#[test]
fn after_a_history_was_taken_from_its_copy_no_revision_is_used_twice() {
    let disk = repository();
    for note in ["one", "two", "three", "four"] {
        work(&disk, note).unwrap();
    }
    let before = revisions(&disk);
    cut_copies(&disk, 3);
    wipe(&disk);
    let disk = disk.after(Crash::Kill);
    let go_on = |disk: &SimulatedDisk| {
        recover(disk)?;
        work(disk, "later")
    };
    let whole = disk.copy(Trouble::None);
    go_on(&whole).unwrap();
    let after = revisions(&whole);
    check_that_no_revision_is_used_twice(&before, &after, "without a crash");
    let is_old = |(revision, _): &&((PathBuf, String), String)| {
        before.iter().any(|(known, _)| known == revision)
    };
    // What the copies had can still be read under its own name.
    assert_eq!(after.iter().filter(is_old).count(), before.len() - 3 * 3);
    let key = CommandKey::parse("implement/auth").unwrap().into();
    let (oldest, _) = before
        .iter()
        .find(|((name, _), _)| name.ends_with("implement-auth.jsonl"))
        .unwrap();
    let first = workspace(&whole).at_revision(&key, &oldest.1.parse().unwrap());
    assert!(first.unwrap().root().get("phases").is_some());
    let total = whole.operations();
    for at in 0..total {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = go_on(&dying);
            let image = dying.after(crash);
            let scene = format!("{crash:?} at {at} of {total}: {:?}", dying.log().pop());
            let known = [before.clone(), revisions(&image)].concat();
            go_on(&image).unwrap_or_else(|error| panic!("{scene}: {error}"));
            let after = revisions(&image);
            check_that_no_revision_is_used_twice(&known, &after, &scene);
        }
    }
}

#[test]
fn a_base_from_before_the_loss_is_not_mistaken_for_a_new_revision() {
    use crate::workspace::Base;
    let disk = repository();
    let key = CommandKey::parse("implement/auth").unwrap();
    let old = workspace(&disk).require(&(&key).into()).unwrap().document;
    work(&disk, "theirs").unwrap();
    wipe(&disk);
    recover(&disk).unwrap();
    let mut mine = old.value();
    mine.as_object_mut().unwrap().set("mine", true);
    let base = "1".parse().unwrap();
    let saved = workspace(&disk)
        .command(&key)
        .save(&mine, Base::Revision(&base))
        .unwrap();
    let text = saved.document.text();
    assert!(
        text.contains("theirs") && text.contains("\"mine\""),
        "{text}"
    );
}

/// Deletes a command and removes it for good, and then deletes another one: that makes durable what is gone beside it. Returns
/// what a power cut leaves.
fn removed_for_good(disk: &SimulatedDisk, key: &Key) -> Workspace {
    let ship = CommandKey::parse("ship").unwrap();
    let accepted = crate::workspace::InFlight::Accepted;
    let here = workspace(disk);
    here.delete(key, accepted).unwrap();
    here.forget_archive(&here.archived()[0]).unwrap();
    assert!(here.archived().is_empty());
    here.command(&ship).start(&StartRequest::default()).unwrap();
    here.delete(&ship.into(), accepted).unwrap();
    workspace(&disk.after(Crash::PowerCut))
}

#[test]
fn a_power_cut_brings_back_nothing_that_was_removed_for_good() {
    let key: Key = CommandKey::parse("implement/auth").unwrap().into();
    // What was written long ago is durable, synced or not.
    let disk = repository().after(Crash::Kill);
    assert_eq!(names(&removed_for_good(&disk, &key).lost()), [""; 0]);
    let before = repository();
    let accepted = crate::workspace::InFlight::Accepted;
    workspace(&before).archive(&key, accepted).unwrap();
    let disk = before.after(Crash::Kill);
    let here = workspace(&disk);
    here.unarchive(&here.archived()[0]).unwrap();
    assert!(removed_for_good(&disk, &key).lost_archives().is_empty());
}
