mod left;
mod meanwhile;

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::command::{PhaseUpdate, Unfinished};
use crate::disk::Disk;
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::document::{Object, Value};
use crate::key::PipelineId;
use crate::pipeline::Order;
use crate::plan::{ItemKind, Tick};
use crate::workspace::StartRequest;
use crate::workspace::tests::worktree::{ROOT, plan, planned, workspace};

fn command() -> CommandKey {
    CommandKey::parse("implement/auth").unwrap()
}

fn pipeline() -> PipelineId {
    PipelineId::new("PRD-001").unwrap()
}

fn keys() -> [Key; 3] {
    [
        Key::from(&command()),
        Key::from(&plan()),
        Key::from(&pipeline()),
    ]
}

fn update(workspace: &Workspace, phase: &str, summary: &str) {
    let data = [("status", "complete"), ("context_summary", summary)];
    let update = PhaseUpdate {
        data: data
            .into_iter()
            .map(|(name, text)| (name, Value::from(text)))
            .collect::<Object>(),
        ..PhaseUpdate::default()
    };
    workspace
        .command(&command())
        .update_phase(phase, &update)
        .unwrap();
}

/// A repository with a finished checkpoint of each kind.
fn repository() -> SimulatedDisk {
    let disk = planned();
    let spec = Path::new(ROOT).join("SPEC.yaml");
    disk.put(&spec, b"prd: PRD-001\nworkstreams: {A: {}}\n");
    let workspace = workspace(&disk);
    workspace
        .command(&command())
        .start(&StartRequest::default())
        .unwrap();
    update(&workspace, "build", "It works");
    workspace
        .command(&command())
        .complete(Unfinished::Ignore)
        .unwrap();
    workspace.plan(&plan()).sync().unwrap();
    let tasks = ["first".to_owned(), "second".to_owned()];
    workspace
        .plan(&plan())
        .tick(ItemKind::Task, &tasks, Tick::Done)
        .unwrap();
    workspace.init_pipeline(&spec).unwrap();
    let pipeline = pipeline();
    let pipeline = workspace.pipeline(&pipeline);
    pipeline
        .start(&["A".to_owned()], Order::AsSpecified)
        .unwrap();
    pipeline.done("A", &[]).unwrap();
    pipeline.complete(Unfinished::Refuse).unwrap();
    disk
}

/// The files of all documents, each with its content; for a history, what it tells.
fn state(disk: &SimulatedDisk) -> BTreeMap<PathBuf, Vec<u8>> {
    let names = disk.file_names().into_iter();
    let of_documents = names.filter(|name| {
        let text = name.to_string_lossy();
        let is_state = name.starts_with(Path::new(ROOT).join(".claude"))
            || name.starts_with(Path::new(ROOT).join("plans"));
        is_state
            && !text.contains("/archive/")
            && !text.contains("/locks/")
            && !text.ends_with(".gitignore")
            && !text.ends_with(".ckpt-tmp")
    });
    let read = |name: PathBuf| {
        let mut content = disk.read(&name).unwrap();
        if name.extension().is_some_and(|ending| ending == "jsonl") {
            let lines = String::from_utf8(content).unwrap();
            let told = lines.lines().filter(|line| !line.contains("archived\""));
            content = told.collect::<Vec<_>>().join("\n").into_bytes();
        }
        (name, content)
    };
    of_documents.map(read).collect()
}

type Step = fn(&Workspace) -> Result<(), WorkspaceError>;

fn archive_all(workspace: &Workspace) -> Result<(), WorkspaceError> {
    for key in keys() {
        if !workspace.is_archived(&key) {
            workspace.archive(&key, InFlight::Refused)?;
        }
    }
    Ok(())
}

fn unarchive_all(workspace: &Workspace) -> Result<(), WorkspaceError> {
    for archived in workspace.archived() {
        workspace.unarchive(&archived)?;
    }
    Ok(())
}

#[test]
fn what_is_archived_is_read_as_before_and_comes_back_as_it_was() {
    let disk = repository();
    let before = state(&disk);
    let workspace = workspace(&disk);
    let shown = workspace.load(&keys()[0]).unwrap().unwrap().document;
    archive_all(&workspace).unwrap();
    let left = state(&disk).into_keys().collect::<Vec<_>>();
    assert!(
        left.iter()
            .all(|path| path.extension().is_some_and(|end| end == "md")),
        "{left:?}"
    );
    assert!(workspace.list(Depth::WithoutGit).unwrap().0.is_empty());
    assert!(workspace.lost().is_empty());
    let archived = workspace.load(&keys()[0]).unwrap().unwrap().document;
    assert_eq!(archived.text(), shown.text());
    let first = workspace
        .at_revision(&keys()[0], &"1".parse().unwrap())
        .unwrap();
    assert!(first.root().get("completed_at").is_none());
    unarchive_all(&workspace).unwrap();
    assert_eq!(state(&disk), before);
    assert!(workspace.archived().is_empty());
}

#[test]
fn a_crash_at_any_point_leaves_the_original_or_the_archive_whole() {
    let disk = repository().after(Crash::Kill);
    let before = state(&disk);
    let archived = disk.copy(Trouble::None);
    archive_all(&workspace(&archived)).unwrap();
    let archived = archived.after(Crash::Kill);
    let steps: [(&str, &SimulatedDisk, Step); 2] = [
        ("archive", &disk, archive_all),
        ("unarchive", &archived, unarchive_all),
    ];
    for (name, from, step) in steps {
        let whole = from.copy(Trouble::None);
        step(&workspace(&whole)).unwrap();
        let total = whole.operations();
        assert!(total > 20, "{name}: only {total} operations");
        for at in 0..=total {
            for crash in Crash::ALL {
                let dying = from.copy(Trouble::DieAt(at));
                let _ = step(&workspace(&dying));
                let image = dying.after(crash);
                let scene = format!(
                    "{name}, {crash:?} at {at} of {total}: {:?}",
                    dying.log().pop()
                );
                let next = workspace(&image);
                for key in keys() {
                    let read = next
                        .load(&key)
                        .unwrap_or_else(|error| panic!("{scene}: {error}"));
                    assert!(read.is_some(), "{scene}: {key} is gone");
                    assert!(
                        next.history(&key).unwrap().is_some(),
                        "{scene}: {key} has no history"
                    );
                    let archived = next.archived_as(&key).map(|archived| archived.path);
                    let file = archived.unwrap_or_else(|| next.path(&key));
                    assert!(
                        image.read(&file).is_ok(),
                        "{scene}: {} is not there",
                        file.display()
                    );
                }
                unarchive_all(&next).unwrap_or_else(|error| panic!("{scene}: {error}"));
                assert_eq!(state(&image), before, "{scene}");
            }
        }
    }
}

#[test]
fn a_change_of_an_archived_checkpoint_brings_it_back() {
    let disk = repository();
    let workspace = workspace(&disk);
    archive_all(&workspace).unwrap();
    update(&workspace, "more", "Still at it");
    assert!(!workspace.is_archived(&keys()[0]));
    let document = workspace.load(&keys()[0]).unwrap().unwrap().document;
    let phases = document.root().get("phases").unwrap();
    assert!(phases.get("build").is_some() && phases.get("more").is_some());
}

#[test]
fn what_is_deleted_is_no_longer_missing_and_can_be_brought_back() {
    let disk = repository();
    let before = state(&disk);
    let workspace = workspace(&disk);
    for key in keys() {
        workspace.delete(&key, InFlight::Refused).unwrap();
    }
    assert!(state(&disk).is_empty(), "{:?}", state(&disk).keys());
    assert!(workspace.lost().is_empty());
    assert!(workspace.load(&keys()[0]).unwrap().is_none());
    for name in ["implement/auth", "login", "PRD-001"] {
        let found = workspace.find_archived(name).unwrap();
        assert!(found.is_deleted);
        workspace.unarchive(&found).unwrap();
    }
    let lines = |state: &BTreeMap<PathBuf, Vec<u8>>| state.keys().cloned().collect::<Vec<_>>();
    assert_eq!(lines(&state(&disk)), lines(&before));
}

/// Every crash point of deleting one checkpoint, each as a crash would leave it.
fn cut_off_deletions(
    disk: &SimulatedDisk,
    key: &Key,
) -> impl Iterator<Item = (SimulatedDisk, String)> {
    let disk = disk.clone();
    let whole = disk.copy(Trouble::None);
    workspace(&whole).delete(key, InFlight::Accepted).unwrap();
    let total = whole.operations();
    let key = key.clone();
    (0..=total).flat_map(move |at| {
        let (disk, key) = (disk.clone(), key.clone());
        Crash::ALL.into_iter().map(move |crash| {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = workspace(&dying).delete(&key, InFlight::Accepted);
            let scene = format!(
                "{key}, {crash:?} at {at} of {total}: {:?}",
                dying.log().last()
            );
            (dying.after(crash), scene)
        })
    })
}

#[test]
fn a_deletion_that_was_cut_off_and_done_again_can_be_brought_back_whole() {
    let disk = repository().after(Crash::Kill);
    let before = state(&disk);
    for key in keys() {
        for (image, scene) in cut_off_deletions(&disk, &key) {
            let next = workspace(&image);
            let again = next.delete(&key, InFlight::Accepted);
            let is_over = matches!(&again, Err(error) if error.is_not_found());
            assert!(again.is_ok() || is_over, "{scene}: {again:?}");
            assert!(next.load(&key).unwrap().is_none(), "{scene}: it is there");
            let found = next.find_archived(&key.to_string());
            let found = found.unwrap_or_else(|| panic!("{scene}: it is lost"));
            next.unarchive(&found)
                .unwrap_or_else(|error| panic!("{scene}: {error}"));
            assert_eq!(names_of(&state(&image)), names_of(&before), "{scene}");
            for (name, content) in documents(&state(&image)) {
                assert!(before[&name] == content, "{scene}: {}", name.display());
            }
        }
    }
}

#[test]
fn a_deletion_that_was_cut_off_can_be_taken_back() {
    let disk = repository().after(Crash::Kill);
    let before = state(&disk);
    for key in keys() {
        for (image, scene) in cut_off_deletions(&disk, &key) {
            let next = workspace(&image);
            let cut_off = next.cut_off(&key).unwrap();
            if let Some(found) = cut_off.or_else(|| next.find_archived(&key.to_string())) {
                let back = next.unarchive(&found);
                let stands = matches!(
                    &back,
                    Err(WorkspaceError::Refused(Refusal::InTheWay(other))) if *other == key
                );
                assert!(back.is_ok() || stands, "{scene}: {back:?}");
            }
            for (name, content) in documents(&before) {
                assert!(
                    image.read(&name).unwrap_or_default() == content,
                    "{scene}: {}",
                    name.display()
                );
            }
        }
    }
}

#[test]
fn a_crash_at_any_point_of_bringing_back_what_was_deleted_loses_nothing() {
    let disk = repository();
    let before = state(&disk);
    for key in keys() {
        workspace(&disk).delete(&key, InFlight::Accepted).unwrap();
    }
    let disk = disk.after(Crash::Kill);
    let whole = disk.copy(Trouble::None);
    unarchive_all(&workspace(&whole)).unwrap();
    let total = whole.operations();
    for at in 0..=total {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = unarchive_all(&workspace(&dying));
            let image = dying.after(crash);
            let scene = format!("{crash:?} at {at} of {total}: {:?}", dying.log().last());
            let next = workspace(&image);
            for key in keys() {
                let is_there = next.load(&key).unwrap().is_some();
                let deleted = next.archived().into_iter().find(|one| one.key == key);
                assert!(is_there || deleted.is_some(), "{scene}: {key} is gone");
                if let Some(deleted) = deleted.filter(|_| !is_there) {
                    next.unarchive(&deleted).unwrap();
                }
            }
            assert_eq!(names_of(&state(&image)), names_of(&before), "{scene}");
            assert_eq!(documents(&state(&image)), documents(&before), "{scene}");
        }
    }
}

#[test]
fn a_crash_at_any_point_of_forgetting_what_was_deleted_brings_nothing_back() {
    let disk = repository().after(Crash::Kill);
    for key in keys() {
        workspace(&disk).delete(&key, InFlight::Accepted).unwrap();
    }
    workspace(&disk)
        .command(&command())
        .start(&StartRequest::default())
        .unwrap();
    let disk = disk.after(Crash::Kill);
    let live = state(&disk);
    let forget = |disk: &SimulatedDisk| {
        let workspace = workspace(disk);
        for archived in workspace.archived() {
            workspace.forget_archive(&archived)?;
        }
        let later = workspace.now().as_millisecond() + 60_000;
        let later = Timestamp::from_millisecond(later).unwrap();
        for copy in workspace.copies_of_deleted(later) {
            workspace.forget_copy(&copy)?;
        }
        Ok::<(), WorkspaceError>(())
    };
    let whole = disk.copy(Trouble::None);
    forget(&whole).unwrap();
    let total = whole.operations();
    assert!(total > 3, "only {total} operations");
    for at in 0..=total {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = forget(&dying);
            let image = dying.after(crash);
            let scene = format!("{crash:?} at {at} of {total}: {:?}", dying.log().last());
            assert!(workspace(&image).missing_keys().is_empty(), "{scene}");
            forget(&image).unwrap();
            assert_eq!(state(&image), live, "{scene}");
            let next = workspace(&image);
            assert!(
                next.archived().is_empty() && next.missing_keys().is_empty(),
                "{scene}"
            );
            assert_eq!(next.recover_archives().unwrap(), 0, "{scene}");
        }
    }
}

fn names_of(state: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<&PathBuf> {
    state.keys().collect()
}

/// The files without histories.
fn documents(state: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut documents = state.clone();
    documents.retain(|name, _| name.extension().is_none_or(|ending| ending != "jsonl"));
    documents
}

#[test]
fn what_an_editor_saves_while_a_plan_is_deleted_stays_with_the_plan() {
    let files = ["plan.md", "phase-02-more.md"];
    for name in files {
        let disk = repository();
        let before = documents(&state(&disk));
        let directory = Path::new(ROOT).join("plans/260220-1149-login");
        let saved = "<!-- CHECKPOINT: one -->\n- [x] Third <!-- TASK: third -->\n";
        let archive = Path::new(ROOT).join(".claude/state/archive/trash/plan");
        disk.let_save(&directory.join(name), saved, &archive.join(".gitignore"));
        let deleted = workspace(&disk).delete(&keys()[1], InFlight::Accepted);
        assert!(deleted.unwrap_err().is_contested(), "{name}");
        assert!(workspace(&disk).archived().is_empty(), "{name}");
        let mut after = documents(&state(&disk));
        assert_eq!(after[&directory.join(name)], saved.as_bytes());
        after.insert(directory.join(name), before[&directory.join(name)].clone());
        assert_eq!(after, before, "{name}");
        workspace(&disk)
            .delete(&keys()[1], InFlight::Accepted)
            .unwrap();
    }
}

#[test]
fn archives_come_back_from_the_mirror() {
    let disk = repository();
    archive_all(&workspace(&disk)).unwrap();
    disk.wipe(&Path::new(ROOT).join(".claude"));
    assert!(workspace(&disk).archived().is_empty());
    assert_eq!(workspace(&disk).recover_archives().unwrap(), 3);
    assert_eq!(workspace(&disk).archived().len(), 3);
}

#[test]
fn a_crash_at_any_point_of_recovering_archives_leaves_them_whole_or_missing() {
    let disk = repository();
    let before = state(&disk);
    archive_all(&workspace(&disk)).unwrap();
    disk.wipe(&Path::new(ROOT).join(".claude"));
    let disk = disk.after(Crash::Kill);
    let whole = disk.copy(Trouble::None);
    workspace(&whole).recover_archives().unwrap();
    let total = whole.operations();
    assert!(total > 10, "only {total} operations");
    for at in 0..=total {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = workspace(&dying).recover_archives();
            let image = dying.after(crash);
            let scene = format!("{crash:?} at {at} of {total}: {:?}", dying.log().last());
            let next = workspace(&image);
            assert!(next.damaged_archives().is_empty(), "{scene}");
            let here = next.archived().len();
            assert_eq!(here + next.lost_archives().len(), 3, "{scene}");
            assert_eq!(next.recover_archives().unwrap(), 3 - here, "{scene}");
            unarchive_all(&next).unwrap_or_else(|error| panic!("{scene}: {error}"));
            assert_eq!(state(&image), before, "{scene}");
        }
    }
}

#[test]
fn a_crash_at_any_point_of_replacing_a_damaged_archive_leaves_one_that_is_whole() {
    let disk = repository();
    let before = state(&disk);
    archive_all(&workspace(&disk)).unwrap();
    for archived in workspace(&disk).archived() {
        let bytes = disk.read(&archived.path).unwrap();
        disk.put(&archived.path, &bytes[..bytes.len() / 2]);
    }
    let disk = disk.after(Crash::Kill);
    let whole = disk.copy(Trouble::None);
    assert_eq!(workspace(&whole).recover_archives().unwrap(), 3);
    for at in 0..=whole.operations() {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = workspace(&dying).recover_archives();
            let image = dying.after(crash);
            let scene = format!("{crash:?} at {at}: {:?}", dying.log().last());
            let next = workspace(&image);
            next.recover_archives()
                .unwrap_or_else(|error| panic!("{scene}: {error}"));
            assert!(next.damaged_archives().is_empty(), "{scene}");
            unarchive_all(&next).unwrap_or_else(|error| panic!("{scene}: {error}"));
            assert_eq!(state(&image), before, "{scene}");
        }
    }
}

#[test]
fn one_of_several_that_were_deleted_is_named_by_its_time() {
    let archived = Archived {
        key: Key::from(&command()),
        at: "2026-01-29T10:30:00.120Z".to_owned(),
        lifecycle: Lifecycle::Complete,
        progress: Progress { done: 1, total: 1 },
        revision: None,
        is_deleted: true,
        path: PathBuf::new(),
        kept_as: KeptAs::of_command(&command()),
    };
    assert_eq!(archived.name(), "implement/auth@2026-01-29T10:30:00.120Z");
    for named in [
        "implement/auth",
        "command:implement/auth",
        "implement/auth@2026-01-29T10:30:00.120Z",
        "Implement/Auth@2026-01-29T10:30:00Z",
        "implement/auth@2026-01-29T10:30:00",
        "implement/auth@2026-01-29T10:30:00.120",
        "command:implement/auth@2026-01-29T11:30:00+01:00",
    ] {
        assert!(archived.fit(named).is_some(), "{named}");
    }
    for other in [
        "implement/auth@2026-01-29T10:30:01Z",
        "implement/auth@2026-01-29T10:30:00.121Z",
        "implement/auth@2026-01-29",
        "implement/auth@",
        "implement/other@2026-01-29T10:30:00.120Z",
        "implement/auth@2h",
    ] {
        assert!(archived.fit(other).is_none(), "{other}");
    }
    let kept = Archived {
        is_deleted: false,
        ..archived
    };
    assert_eq!(kept.name(), "implement/auth");
    assert!(
        kept.fit("implement/auth@2026-01-29T10:30:00.120Z")
            .is_none()
    );
}

/// The archive of the command, here or in the mirror.
fn archive_of_command(disk: &SimulatedDisk, is_copy: bool) -> PathBuf {
    let names = disk.file_names().into_iter();
    let mut archives = names.filter(|name| name.ends_with("archive/command/implement-auth.zst"));
    let found = archives.find(|name| name.starts_with("/git") == is_copy);
    found.unwrap()
}

/// An archive with another text in place of one in its header.
fn altered(archive: &[u8], text: &str, other: &str) -> Vec<u8> {
    let unpacked = String::from_utf8(zstd::decode_all(archive).unwrap()).unwrap();
    assert!(unpacked.lines().next().unwrap().contains(text), "{text}");
    zstd::encode_all(unpacked.replacen(text, other, 1).as_bytes(), 3).unwrap()
}

/// The same archive, as another repository would seal it.
fn foreign(archive: &[u8]) -> Vec<u8> {
    let unpacked = String::from_utf8(zstd::decode_all(archive).unwrap()).unwrap();
    let (_, seal) = unpacked.split_once("\"seal\":\"").unwrap();
    let key = seal.split('-').next().unwrap();
    altered(
        archive,
        &format!("\"seal\":\"{key}-"),
        "\"seal\":\"00000000-",
    )
}

#[test]
fn an_archive_whose_header_was_changed_is_damaged_and_comes_back_from_its_copy() {
    let disk = repository();
    archive_all(&workspace(&disk)).unwrap();
    let (path, copy) = (
        archive_of_command(&disk, false),
        archive_of_command(&disk, true),
    );
    let whole = disk.read(&path).unwrap();
    for (text, other) in [
        ("command:implement/auth", "command:implement/auty"),
        ("\"lifecycle\":\"complete\"", "\"lifecycle\":\"complexe\""),
        ("\"done\":", "\"done\":1"),
    ] {
        let disk = disk.copy(Trouble::None);
        disk.put(&path, &altered(&whole, text, other));
        assert_eq!(workspace(&disk).damaged_archives().len(), 1, "{other}");
        let changed = disk.copy(Trouble::None);
        update(&workspace(&changed), "build", "again");
        assert!(!workspace(&changed).is_archived(&keys()[0]), "{other}");
        assert_eq!(workspace(&disk).recover_archives().unwrap(), 1, "{other}");
        assert!(disk.read(&path).unwrap() == whole, "{other}");
        assert!(workspace(&disk).find_archived("implement/auth").is_some());
        // Of what is damaged twice, the name can be freed.
        disk.put(&path, &altered(&whole, text, other));
        disk.put(&copy, &altered(&whole, text, other));
        assert_eq!(workspace(&disk).recover_archives().unwrap(), 0, "{other}");
        assert_eq!(workspace(&disk).damaged_archives().len(), 1, "{other}");
        let aside = workspace(&disk).set_unusable_archive_aside(&keys()[0]);
        assert!(aside.unwrap().is_some(), "{other}");
    }
}

#[test]
fn a_header_with_another_name_does_not_hide_an_archive() {
    let disk = repository();
    archive_all(&workspace(&disk)).unwrap();
    let path = archive_of_command(&disk, false);
    let whole = disk.read(&path).unwrap();
    let renamed = altered(&whole, "command:implement/auth", "command:implement/auty");
    disk.put(&path, &renamed);
    let here = workspace(&disk);
    assert!(here.find_archived("implement/auth").is_some());
    assert!(here.find_archived("implement/auty").is_none());
}

#[test]
fn nothing_that_can_be_read_is_replaced_by_an_archive_from_elsewhere() {
    let disk = repository();
    archive_all(&workspace(&disk)).unwrap();
    let (path, copy) = (
        archive_of_command(&disk, false),
        archive_of_command(&disk, true),
    );
    let whole = disk.read(&path).unwrap();
    let mut damaged = whole.clone();
    let end = damaged.len() - 2;
    damaged[end] ^= 1;
    let foreign = foreign(&whole);
    for (here, there) in [(&foreign, &damaged), (&damaged, &foreign)] {
        disk.put(&path, here);
        disk.put(&copy, there);
        assert_eq!(workspace(&disk).damaged_archives().len(), 1);
        assert_eq!(workspace(&disk).recover_archives().unwrap(), 0);
        assert_eq!(workspace(&disk).mend_copies_of_archives().unwrap(), 0);
        assert!(disk.read(&path).unwrap() == *here);
        assert!(disk.read(&copy).unwrap() == *there);
    }
    disk.put(&path, &foreign);
    disk.put(&copy, &whole);
    assert_eq!(workspace(&disk).damaged_archives().len(), 1);
    assert_eq!(workspace(&disk).recover_archives().unwrap(), 1);
    assert!(disk.read(&path).unwrap() == whole);
    let kept = disk.file_names().into_iter();
    let mut kept = kept.filter(|name| name.to_string_lossy().contains("archive/trash/command"));
    assert!(kept.any(|name| disk.read(&name).unwrap() == foreign));
}

/// The file of the command.
fn file_of_command() -> PathBuf {
    Path::new(ROOT).join(".claude/state/implement-auth.json")
}

fn start(disk: &SimulatedDisk) {
    workspace(disk)
        .command(&command())
        .start(&StartRequest::default())
        .unwrap();
}

/// Removes the document of the command, whose history is not what a deletion has left: it is brought back, whole.
fn check_that_it_is_no_rest(disk: &SimulatedDisk, how: &str) {
    let (key, file) = (&keys()[0], file_of_command());
    let content = disk.read(&file).unwrap();
    let history = workspace(disk).history(key).unwrap().unwrap();
    let lines = history.oldest_first().unwrap().count();
    disk.remove(&file).unwrap();
    let here = workspace(disk);
    assert!(here.cut_off(key).unwrap().is_none(), "{how}");
    let refused = here.delete(key, InFlight::Refused);
    let is_refused = matches!(
        &refused,
        Err(WorkspaceError::Refused(Refusal::InFlight(other))) if other == key
    );
    assert!(is_refused, "{how}: {refused:?}");
    assert!(disk.read(&file).unwrap() == content, "{how}");
    let history = workspace(disk).history(key).unwrap().unwrap();
    assert!(history.oldest_first().unwrap().count() >= lines, "{how}");
}

#[test]
fn what_has_begun_under_the_name_of_a_deleted_one_is_not_the_rest_of_it() {
    for how in ["recorded", "unrecorded"] {
        let disk = planned();
        match how {
            "recorded" => start(&disk),
            // Another tool wrote it, so its archive has no history.
            _ => disk.put(
                &file_of_command(),
                b"{\"command\":\"implement\",\"feature\":\"auth\",\"phases\":{}}",
            ),
        }
        let deleted = workspace(&disk).delete(&keys()[0], InFlight::Accepted);
        deleted.unwrap();
        start(&disk);
        update(&workspace(&disk), "build", "Another one");
        check_that_it_is_no_rest(&disk, how);
    }
}

#[test]
fn what_was_changed_since_it_came_back_is_not_the_rest_of_a_deletion() {
    let disk = planned();
    start(&disk);
    let here = workspace(&disk);
    let deleted = here.delete(&keys()[0], InFlight::Accepted).unwrap();
    let archive = disk.read(&deleted.path).unwrap();
    here.unarchive(&deleted).unwrap();
    // Its archive is left, as after a kill before it was removed.
    disk.put(&deleted.path, &archive);
    update(&here, "build", "Changed since");
    check_that_it_is_no_rest(&disk, "changed");
}

#[test]
fn a_deletion_that_changed_nothing_leaves_the_copy_of_the_history() {
    let disk = repository();
    let key = &keys()[1];
    let directory = Path::new(ROOT).join("plans/260220-1149-login");
    let archive = Path::new(ROOT).join(".claude/state/archive/trash/plan");
    let saved = "<!-- CHECKPOINT: one -->\n- [x] Third <!-- TASK: third -->\n";
    disk.let_save(
        &directory.join("plan.md"),
        saved,
        &archive.join(".gitignore"),
    );
    let deleted = workspace(&disk).delete(key, InFlight::Accepted);
    assert!(deleted.unwrap_err().is_contested());
    disk.wipe(&Path::new(ROOT).join(".claude"));
    disk.wipe(&Path::new(ROOT).join("plans"));
    let lost = workspace(&disk).lost();
    assert!(lost.iter().any(|lost| lost.key == *key), "{lost:?}");
}

#[test]
fn a_removal_that_was_cut_off_leaves_no_copy_of_the_history_once_it_is_finished() {
    let disk = repository().after(Crash::Kill);
    for key in keys() {
        for (image, scene) in cut_off_deletions(&disk, &key) {
            let again = workspace(&image).delete(&key, InFlight::Accepted);
            let is_over = matches!(&again, Err(error) if error.is_not_found());
            assert!(again.is_ok() || is_over, "{scene}: {again:?}");
            let copy = KeptAs::of(&key).history();
            let mut names = image.file_names().into_iter();
            let copy = names.find(|name| name.starts_with("/git") && name.ends_with(&copy));
            assert!(again.is_err() || copy.is_none(), "{scene}: {copy:?}");
        }
    }
}

#[test]
fn what_was_deleted_and_brought_back_in_part_comes_back_whole_by_doing_it_again() {
    for key in keys() {
        let disk = repository();
        workspace(&disk).delete(&key, InFlight::Accepted).unwrap();
        let disk = disk.after(Crash::Kill);
        let bring_back = |disk: &SimulatedDisk| {
            let here = workspace(disk);
            let deleted = here.find_archived(&key.to_string());
            deleted.map_or(Ok(()), |deleted| here.unarchive(&deleted).map(drop))
        };
        let whole = disk.copy(Trouble::None);
        bring_back(&whole).unwrap();
        let total = whole.operations();
        for at in 0..=total {
            for crash in Crash::ALL {
                let dying = disk.copy(Trouble::DieAt(at));
                let _ = bring_back(&dying);
                let image = dying.after(crash);
                let scene = format!("{key}, {crash:?} at {at}: {:?}", dying.log().last());
                bring_back(&image).unwrap_or_else(|error| panic!("{scene}: {error}"));
                let next = workspace(&image);
                assert!(next.load(&key).unwrap().is_some(), "{scene}");
                assert!(next.archived().is_empty(), "{scene}");
                // Copies are not synced.
                if crash == Crash::Kill {
                    image.wipe(&Path::new(ROOT).join(".claude"));
                    image.wipe(&Path::new(ROOT).join("plans"));
                    let lost = workspace(&image).lost();
                    assert!(lost.iter().any(|lost| lost.key == key), "{scene}");
                }
            }
        }
    }
}

#[test]
fn what_somebody_else_has_begun_is_in_the_way_of_what_was_deleted() {
    let disk = planned();
    start(&disk);
    let here = workspace(&disk);
    let deleted = here.delete(&keys()[0], InFlight::Accepted).unwrap();
    let document = {
        here.unarchive(&deleted).unwrap();
        let document = disk.read(&file_of_command()).unwrap();
        here.delete(&keys()[0], InFlight::Accepted).unwrap();
        document
    };
    let deleted = here.find_archived("implement/auth").unwrap();
    start(&disk);
    // The same content, with another history.
    disk.put(&file_of_command(), &document);
    let refused = here.unarchive(&deleted).unwrap_err();
    assert!(matches!(
        refused,
        WorkspaceError::Refused(Refusal::InTheWay(_))
    ));
    assert!(disk.read(&deleted.path).is_ok());
}

#[test]
fn what_another_process_has_removed_for_good_is_no_failure() {
    let disk = repository();
    for key in keys() {
        workspace(&disk).delete(&key, InFlight::Accepted).unwrap();
    }
    let here = workspace(&disk);
    let later = Timestamp::from_millisecond(here.now().as_millisecond() + 60_000).unwrap();
    let lost = disk.copy(Trouble::None);
    lost.wipe(&Path::new(ROOT).join(".claude"));
    let copies = workspace(&lost).copies_of_deleted(later);
    assert_eq!(copies.len(), 3);
    for _ in 0..2 {
        for archived in &here.archived() {
            workspace(&disk).forget_archive(archived).unwrap();
            workspace(&disk).forget_archive(archived).unwrap();
        }
        for copy in &copies {
            workspace(&lost).forget_copy(copy).unwrap();
        }
    }
}

#[test]
fn an_archive_that_cannot_be_removed_is_named_as_that() {
    let disk = repository();
    let deleted = workspace(&disk).delete(&keys()[0], InFlight::Accepted);
    let deleted = deleted.unwrap();
    let whole = disk.copy(Trouble::None);
    workspace(&whole).forget_archive(&deleted).unwrap();
    let removal = format!("remove {}", deleted.path.display());
    let at = whole.log().iter().position(|step| *step == removal);
    let trouble = Trouble::FailAt(at.unwrap(), std::io::ErrorKind::PermissionDenied);
    let failed = workspace(&disk.copy(trouble)).forget_archive(&deleted);
    let said = format!("{:?}", failed.unwrap_err());
    assert!(said.contains("Remove"), "{said}");
}

#[test]
fn the_copy_of_what_was_brought_back_before_its_archive_is_forgotten_stays() {
    let disk = repository();
    for key in keys() {
        let deleted = workspace(&disk).delete(&key, InFlight::Accepted).unwrap();
        let deleted = workspace(&disk).find_archived(&deleted.name()).unwrap();
        workspace(&disk).unarchive(&deleted).unwrap();
        workspace(&disk).forget_archive(&deleted).unwrap();
        let copy = KeptAs::of(&key).history();
        let mut names = disk.file_names().into_iter();
        let copy = names.find(|name| name.starts_with("/git") && name.ends_with(&copy));
        assert!(copy.is_some(), "{key}");
    }
}

#[test]
fn what_a_whole_name_means_in_the_archive_is_found_without_reading_the_others() {
    let disk = repository();
    let key = Key::from(&command());
    let archived = workspace(&disk).archive(&key, InFlight::Refused).unwrap();
    let looks = |disk: &SimulatedDisk| {
        let before = disk.looks();
        let workspace = workspace(disk);
        for name in ["implement/auth", "IMPLEMENT/auth", "command:implement/auth"] {
            let found = workspace.find_archived(name).unwrap();
            assert_eq!(found.path, archived.path, "{name}");
        }
        disk.looks() - before
    };
    let alone = looks(&disk);
    for number in 0..20 {
        let other = CommandKey::parse(&format!("implement/other-{number}")).unwrap();
        let workspace = workspace(&disk);
        let request = StartRequest::default();
        workspace.command(&other).start(&request).unwrap();
        let put_away = match number % 2 {
            0 => Workspace::archive,
            _ => Workspace::delete,
        };
        put_away(&workspace, &Key::from(&other), InFlight::Accepted).unwrap();
    }
    assert!(looks(&disk) <= alone + 2, "{alone} before");
}
