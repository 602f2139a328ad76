use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::*;
use crate::disk::Disk;
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::key::CommandKey;
use crate::plan::{ItemKind, Tick};
use crate::workspace::tests::worktree::{ROOT, plan, planned, workspace};
use crate::workspace::{GateRequest, StartRequest};

const SPEC: &str = "prd: PRD-001\nworkstreams: {A: {}, B: {depends_on: [A]}}\n";

/// A checkpoint of each kind, and the name that it gets.
fn pairs() -> [(Key, Key); 3] {
    [
        ("implement/auth", "implement/login"),
        ("pipeline:PRD-001", "pipeline:PRD-002"),
        ("plan:260220-1149-login", "plan:260221-0900-sso"),
    ]
    .map(|(old, new)| (Key::parse(old).unwrap(), Key::parse(new).unwrap()))
}

/// A checkpoint of each kind, one of them with a gate that blocks.
fn repository() -> SimulatedDisk {
    let disk = unblocked();
    let key = CommandKey::parse("implement/auth").unwrap();
    let blocked = GateRequest::Block(vec!["no tests".to_owned()]);
    workspace(&disk).command(&key).set_gate(&blocked).unwrap();
    disk.after(Crash::Kill)
}

/// A checkpoint of each kind.
fn unblocked() -> SimulatedDisk {
    let disk = planned();
    disk.put(&Path::new(ROOT).join("SPEC.yaml"), SPEC.as_bytes());
    let workspace = workspace(&disk);
    let key = CommandKey::parse("implement/auth").unwrap();
    workspace
        .command(&key)
        .start(&StartRequest::default())
        .unwrap();
    workspace.plan(&plan()).sync().unwrap();
    let tasks = ["second".to_owned()];
    workspace
        .plan(&plan())
        .claim(&["first".to_owned()])
        .unwrap();
    workspace
        .plan(&plan())
        .tick(ItemKind::Task, &tasks, Tick::Done)
        .unwrap();
    workspace.use_plan(&plan()).unwrap();
    let spec = Path::new(ROOT).join("SPEC.yaml");
    workspace.init_pipeline(&spec).unwrap();
    disk.after(Crash::Kill)
}

/// The files of all documents, but for histories and times.
fn documents(disk: &SimulatedDisk) -> BTreeMap<PathBuf, String> {
    let names = disk.file_names().into_iter().filter(|name| {
        let text = name.to_string_lossy();
        let is_state = name.starts_with(Path::new(ROOT).join(".claude"))
            || name.starts_with(Path::new(ROOT).join("plans"));
        let ends = |ending: &str| text.ends_with(ending);
        is_state
            && !["/archive/", "/locks/", "/history", "/owed/"]
                .iter()
                .any(|part| text.contains(part))
            && !(ends(".gitignore") || ends(".jsonl") || ends("recovery.json"))
    });
    let read = |name: PathBuf| {
        let text = String::from_utf8(disk.read(&name).unwrap()).unwrap();
        let lines = text.lines().filter(|line| !line.contains("lastCheckpoint"));
        (name, lines.collect::<Vec<_>>().join("\n"))
    };
    names.map(read).collect()
}

fn root(workspace: &Workspace, key: &Key) -> Object {
    let document = workspace.require(key).unwrap().document;
    document.value().into_object().unwrap()
}

#[test]
fn a_fork_has_the_content_under_its_own_name_and_no_power() {
    let disk = repository();
    let workspace = workspace(&disk);
    for (key, new) in pairs() {
        let before = root(&workspace, &key);
        let fork = workspace.fork(&key, &new, None).unwrap();
        assert_eq!(fork.revision.unwrap().number, 1, "{new}");
        assert_eq!(root(&workspace, &key), before, "{key}");
        let own = root(&workspace, &new);
        for name in ["gate", "receipts"] {
            assert!(own.get(name).is_none(), "{new} has {name}");
        }
        assert!(!has_seal(&Value::Object(own)), "{new}");
        let origin = workspace.origin(&new).unwrap().unwrap();
        assert_eq!((origin.key, origin.is_renamed), (key.clone(), false));
        assert_eq!(workspace.origin(&key).unwrap(), None);
        let epoch = |key: &Key| {
            let loaded = workspace.require(key).unwrap();
            workspace.revision(&loaded).unwrap().unwrap().epoch
        };
        assert_ne!(epoch(&key), epoch(&new));
    }
    let command = root(&workspace, &pairs()[0].1);
    assert_eq!(command.get("feature").unwrap().as_str(), Some("login"));
    let pipeline = root(&workspace, &pairs()[1].1);
    assert_eq!(pipeline.get("prd").unwrap().as_str(), Some("PRD-002"));
    let binding = pipeline.get("execution_spec").unwrap().to_compact();
    assert!(binding.contains("SPEC.yaml"), "{binding}");
    let state = root(&workspace, &pairs()[2].1);
    assert_eq!(
        state.get("planId").unwrap().as_str(),
        Some("260221-0900-sso")
    );
    assert_eq!(state.get("agents").unwrap().to_compact(), "{}");
    // Nothing is left to read again, in the Markdown either.
    let Key::Plan(id) = &pairs()[2].1 else {
        panic!("the third one is a plan");
    };
    let view = workspace.plan(id).view().unwrap();
    assert!(!view.moved && view.outline.task("second").unwrap().done);
    assert!(workspace.plan(id).sync().unwrap().revision.is_none());
}

#[test]
fn a_fork_of_an_earlier_revision_is_as_it_was_then() {
    let disk = repository();
    let workspace = workspace(&disk);
    let (key, new) = &pairs()[2];
    let history = workspace.history(key).unwrap().unwrap();
    let first = history.oldest_first().unwrap().next().unwrap().unwrap();
    let first = first.revision().unwrap();
    let last = workspace.revision(&workspace.require(key).unwrap());
    let last = last.unwrap().unwrap().number;
    let before = Revision {
        number: last - 1,
        ..first
    };
    let fork = workspace.fork(key, new, Some(&before)).unwrap();
    assert_eq!(fork.at, Some(before));
    let Key::Plan(id) = new else {
        panic!("it is a plan");
    };
    let view = workspace.plan(id).view().unwrap();
    assert!(!view.moved && !view.outline.task("second").unwrap().done);
    let Key::Plan(id) = key else {
        panic!("it is a plan");
    };
    assert!(
        workspace
            .plan(id)
            .view()
            .unwrap()
            .outline
            .task("second")
            .unwrap()
            .done
    );
}

#[test]
fn a_name_that_is_taken_or_of_another_kind_is_refused_and_nothing_is_written() {
    let disk = repository();
    let workspace = workspace(&disk);
    let before = disk.file_names();
    for (key, new) in [
        (&pairs()[0].0, &pairs()[0].0),
        (&pairs()[1].0, &pairs()[1].0),
        (&pairs()[2].0, &pairs()[2].0),
        (&pairs()[0].0, &pairs()[2].1),
        (&pairs()[2].0, &pairs()[1].1),
    ] {
        workspace.fork(key, new, None).unwrap_err();
        workspace.rename(key, new).unwrap_err();
    }
    assert_eq!(disk.file_names(), before);
    let nothing = Key::parse("implement/nothing").unwrap();
    assert!(
        workspace
            .fork(&nothing, &pairs()[0].1, None)
            .unwrap_err()
            .is_not_found()
    );
}

#[test]
fn a_crash_at_any_point_of_a_fork_leaves_it_whole_or_absent() {
    let disk = repository();
    for (key, new) in pairs() {
        let before = documents(&disk);
        let whole = disk.copy(Trouble::None);
        workspace(&whole).fork(&key, &new, None).unwrap();
        let after = documents(&whole);
        let total = whole.operations();
        for at in 0..=total {
            for crash in Crash::ALL {
                let dying = disk.copy(Trouble::DieAt(at));
                let acknowledged = workspace(&dying).fork(&key, &new, None).is_ok();
                let image = dying.after(crash);
                let scene = format!("{new}, {crash:?} at {at}: {:?}", dying.log().last());
                let again = workspace(&image).fork(&key, &new, None);
                // What was cut off between two files is finished by the next writer.
                let is_there = matches!(again, Err(WorkspaceError::Refused(Refusal::NameTaken(_))));
                assert!(again.is_ok() || is_there, "{scene}: {again:?}");
                assert!(is_there || !acknowledged, "{scene}: it is lost");
                let mut found = documents(&image);
                found.retain(|name, _| !name.to_string_lossy().ends_with(".ckpt-tmp"));
                assert_eq!(found, after, "{scene}");
                assert!(
                    before.keys().all(|name| found.contains_key(name)),
                    "{scene}"
                );
                let origin = workspace(&image).origin(&new).unwrap();
                assert_eq!(origin.unwrap().key, key, "{scene}");
            }
        }
    }
}

/// One of the two is listed, and after the next change of anything else one of them is there.
fn check_that_one_is_live(image: &SimulatedDisk, (key, new): (&Key, &Key), scene: &str) {
    let image = image.copy(Trouble::None);
    let next = workspace(&image);
    let listed = || {
        let (summaries, _) = next.list(crate::workspace::Depth::WithoutGit).unwrap();
        let keys = summaries.into_iter().map(|summary| summary.key);
        keys.filter(|one| one == key || one == new)
            .collect::<Vec<_>>()
    };
    let before = listed();
    assert_eq!(before.len(), 1, "{scene}: {before:?}");
    let other = CommandKey::parse("test/other").unwrap();
    next.command(&other)
        .start(&StartRequest::default())
        .unwrap();
    let live = [key, new].map(|key| image.read(&next.path(key)).is_ok());
    assert_eq!(
        live.iter().filter(|is_live| **is_live).count(),
        1,
        "{scene}"
    );
    assert_eq!(listed(), before, "{scene}");
    let left = image.file_names().into_iter();
    let mut notes = left.filter(|name| name.to_string_lossy().contains("/renaming."));
    assert_eq!(notes.next(), None, "{scene}");
}

/// Interrupts a renaming at each step: nothing is lost, and doing it again finishes it.
fn check_crashes_of_renaming((key, new): &(Key, Key)) {
    let disk = unblocked();
    let whole = disk.copy(Trouble::None);
    workspace(&whole).rename(key, new).unwrap();
    let after = documents(&whole);
    let total = whole.operations();
    for at in 0..=total {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = workspace(&dying).rename(key, new);
            let image = dying.after(crash);
            let scene = format!(
                "{new}, {crash:?} at {at} of {total}: {:?}",
                dying.log().last()
            );
            let next = workspace(&image);
            let is_there = |key: &Key| next.load(key).unwrap().is_some();
            assert!(is_there(key) || is_there(new), "{scene}: both are gone");
            check_that_one_is_live(&image, (key, new), &scene);
            match next.rename(key, new) {
                Ok(_) => {}
                Err(error) => {
                    assert!(error.is_not_found() && !is_there(key), "{scene}: {error}");
                }
            }
            let mut found = documents(&image);
            found.retain(|name, _| !name.to_string_lossy().ends_with(".ckpt-tmp"));
            assert_eq!(found, after, "{scene}");
            let archived = next.find_archived(&key.short()).unwrap();
            let to = next.renamed_to(&archived);
            assert_eq!((&archived.key, to.as_ref()), (key, Some(new)), "{scene}");
            assert!(next.lost().is_empty(), "{scene}");
        }
    }
}

#[test]
fn a_crash_at_any_point_of_renaming_a_command_loses_nothing() {
    check_crashes_of_renaming(&pairs()[0]);
}

#[test]
fn a_crash_at_any_point_of_renaming_a_pipeline_loses_nothing() {
    check_crashes_of_renaming(&pairs()[1]);
}

#[test]
fn a_crash_at_any_point_of_renaming_a_plan_loses_nothing() {
    check_crashes_of_renaming(&pairs()[2]);
}

#[test]
fn a_chosen_plan_follows_its_new_name() {
    let disk = repository();
    let workspace = workspace(&disk);
    let (key, new) = &pairs()[2];
    workspace.rename(key, new).unwrap();
    let chosen = workspace.chosen_plan().unwrap().map(Key::Plan);
    assert_eq!(chosen.as_ref(), Some(new));
    assert_eq!(workspace.plans().unwrap().len(), 1);
}

#[test]
fn what_an_editor_saves_while_a_plan_is_renamed_comes_along() {
    for name in ["plan.md", "phase-02-more.md"] {
        let disk = unblocked();
        let (key, new) = &pairs()[2];
        let file = |key: &Key| {
            let Key::Plan(id) = key else {
                panic!("it is a plan");
            };
            Path::new(ROOT).join("plans").join(id.as_str()).join(name)
        };
        let text = String::from_utf8(disk.read(&file(key)).unwrap()).unwrap();
        let saved = format!("{text}- [ ] Third <!-- TASK: third -->\n");
        let archive = Path::new(ROOT).join(".claude/state/archive/trash/plan");
        disk.let_save(&file(key), &saved, &archive.join(".gitignore"));
        workspace(&disk).rename(key, new).unwrap();
        assert!(disk.read(&file(key)).is_err(), "{name}");
        assert_eq!(disk.read(&file(new)).unwrap(), saved.as_bytes());
        let archived = workspace(&disk).find_archived(&key.short()).unwrap();
        let to = workspace(&disk).renamed_to(&archived);
        assert_eq!((&archived.key, to.as_ref()), (key, Some(new)));
        let deleted = workspace(&disk).archived();
        assert_eq!(deleted.len(), 1, "{name}");
    }
}

#[test]
fn what_is_saved_under_both_names_while_a_plan_is_renamed_is_kept_under_both() {
    let disk = unblocked();
    let (key, new) = &pairs()[2];
    let file = |key: &Key| {
        let Key::Plan(id) = key else {
            panic!("it is a plan");
        };
        Path::new(ROOT)
            .join("plans")
            .join(id.as_str())
            .join("plan.md")
    };
    let text = String::from_utf8(disk.read(&file(key)).unwrap()).unwrap();
    let archive = Path::new(ROOT).join(".claude/state/archive/trash/plan");
    let saved = [key, new].map(|key| {
        let saved = format!("{text}- [ ] Saved in {key}\n");
        disk.let_save(&file(key), &saved, &archive.join(".gitignore"));
        saved
    });
    let renamed = workspace(&disk).rename(key, new).unwrap_err();
    assert!(matches!(
        renamed,
        WorkspaceError::Refused(Refusal::SavedTwice { .. })
    ));
    for (key, saved) in [key, new].into_iter().zip(saved) {
        assert_eq!(disk.read(&file(key)).unwrap(), saved.as_bytes(), "{key}");
    }
    assert!(workspace(&disk).archived().is_empty());
    let (listed, _) = workspace(&disk)
        .list(crate::workspace::Depth::WithoutGit)
        .unwrap();
    let is_listed = |key: &Key| listed.iter().any(|one| one.key == *key);
    assert!(is_listed(key) && is_listed(new));
}

#[test]
fn what_is_saved_alike_under_both_names_while_a_plan_is_renamed_comes_along() {
    let disk = unblocked();
    let (key, new) = &pairs()[2];
    let [old, own] = [key, new].map(|key| {
        let Key::Plan(id) = key else {
            panic!("it is a plan");
        };
        Path::new(ROOT)
            .join("plans")
            .join(id.as_str())
            .join("plan.md")
    });
    let text = String::from_utf8(disk.read(&old).unwrap()).unwrap();
    let saved = format!("{text}- [ ] Third\n");
    let archive = Path::new(ROOT).join(".claude/state/archive/trash/plan");
    for file in [&old, &own] {
        disk.let_save(file, &saved, &archive.join(".gitignore"));
    }
    workspace(&disk).rename(key, new).unwrap();
    assert!(disk.read(&old).is_err());
    assert_eq!(disk.read(&own).unwrap(), saved.as_bytes());
}
