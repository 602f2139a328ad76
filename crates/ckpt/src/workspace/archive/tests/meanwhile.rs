//! What readers find while another process moves or changes a checkpoint.

use super::*;

/// What a reader finds of a checkpoint, wherever it is.
fn read(workspace: &Workspace, key: &Key) -> Vec<(&'static str, bool)> {
    let name = key.to_string();
    let view = match key {
        Key::Command(_) => true,
        Key::Pipeline(id) => workspace.pipeline(id).view().is_ok(),
        Key::Plan(id) => {
            let view = workspace.plan(id).view().unwrap();
            view.unrecorded.is_empty() && view.outline.tasks().all(|(_, task)| task.done)
        }
    };
    vec![
        ("load", workspace.load(key).unwrap().is_some()),
        ("view", view),
        ("history", workspace.history(key).unwrap().is_some()),
        ("has", workspace.has(key)),
        ("find", workspace.find_key(&name).unwrap() == *key),
        ("not lost", workspace.lost().is_empty()),
        ("not lost itself", !workspace.is_lost(key)),
        (
            "archives",
            workspace.lost_archives().is_empty() && workspace.find_lost_archive(&name).is_none(),
        ),
        ("not gone", workspace.find_lost(&name).is_none()),
    ]
}

#[test]
fn a_checkpoint_that_is_archived_or_brought_back_while_it_is_read_is_found() {
    let present = repository();
    let archived = present.after(Crash::Kill);
    archive_all(&workspace(&archived)).unwrap();
    let moves: [(_, _, fn(&SimulatedDisk)); 2] = [
        ("archived", present, |disk| {
            archive_all(&workspace(disk)).unwrap();
        }),
        ("brought back", archived, |disk| {
            unarchive_all(&workspace(disk)).unwrap();
        }),
    ];
    for (how, disk, act) in moves {
        for key in keys() {
            for at in 0.. {
                let disk = disk.copy(Trouble::None);
                disk.interrupt(at, act);
                let found = read(&workspace(&disk), &key);
                if disk.is_uninterrupted() {
                    assert!(at > 20, "{key}: only {at} looks");
                    break;
                }
                let missed: Vec<_> = found.iter().filter(|(_, is_so)| !is_so).collect();
                assert!(
                    missed.is_empty(),
                    "{key}, {how} before look {at}: {missed:?}"
                );
            }
        }
    }
}

#[test]
fn a_change_that_is_made_while_histories_are_compared_is_no_damage() {
    let disk = repository();
    let key = Key::from(&command());
    for at in 0.. {
        let disk = disk.copy(Trouble::None);
        let reader = workspace(&disk);
        disk.interrupt(at, |disk| update(&workspace(disk), "build", "Meanwhile"));
        assert!(reader.lost_or_damaged().is_empty(), "before look {at}");
        if disk.is_uninterrupted() {
            assert!(at > 20, "only {at} looks");
            break;
        }
        let disk = disk.copy(Trouble::None);
        let health = workspace(&disk)
            .mirror_health(std::slice::from_ref(&key))
            .unwrap();
        assert_eq!(health.whole, 1, "before look {at}: {health:?}");
    }
    for at in 0.. {
        let disk = disk.copy(Trouble::None);
        let reader = workspace(&disk);
        disk.interrupt(at, |disk| update(&workspace(disk), "build", "Meanwhile"));
        let health = reader.mirror_health(std::slice::from_ref(&key)).unwrap();
        if disk.is_uninterrupted() {
            break;
        }
        assert!(
            health.damaged.is_empty() && health.apart.is_empty(),
            "before look {at}: {health:?}"
        );
    }
}

fn delete_all(disk: &SimulatedDisk) {
    for key in keys() {
        let workspace = workspace(disk);
        workspace.delete(&key, InFlight::Accepted).unwrap();
    }
}

fn unarchive_deleted(disk: &SimulatedDisk) {
    unarchive_all(&workspace(disk)).unwrap();
}

/// Reads a checkpoint, as it is here or as it was when it was deleted.
fn read_here_or_deleted(workspace: &Workspace, typed: &str) -> Result<Key, WorkspaceError> {
    let found = workspace.find_key(typed);
    let known = found.as_ref().ok().filter(|key| workspace.has(key));
    let (there, key) = match workspace.find_gone(typed, known)? {
        Some(archived) => (workspace.with_deleted(&archived)?, archived.key),
        None => (workspace.clone(), found?),
    };
    there.require(&key)?;
    Ok(key)
}

#[test]
fn a_checkpoint_that_is_deleted_or_brought_back_while_it_is_read_is_found() {
    let present = repository();
    let deleted = present.after(Crash::Kill);
    delete_all(&deleted);
    let [command, plan, pipeline] = keys();
    let moves: [(_, _, _, fn(&SimulatedDisk)); 6] = [
        ("deleted", &present, &command, delete_all),
        ("deleted", &present, &plan, delete_all),
        ("deleted", &present, &pipeline, delete_all),
        ("brought back", &deleted, &command, unarchive_deleted),
        ("brought back", &deleted, &plan, unarchive_deleted),
        ("brought back and deleted", &deleted, &command, |disk| {
            unarchive_deleted(disk);
            disk.interrupt(3, delete_all);
        }),
    ];
    for (how, disk, key, act) in moves {
        let typed = key.short();
        let alone = disk.copy(Trouble::None);
        read_here_or_deleted(&workspace(&alone), &typed).unwrap();
        assert!(alone.looks() > 10, "{key}: only {} looks", alone.looks());
        for at in 0..alone.looks() {
            let disk = disk.copy(Trouble::None);
            disk.interrupt(at, act);
            let workspace = workspace(&disk);
            let read = || read_here_or_deleted(&workspace, &typed);
            let found = workspace.while_it_moves(&typed, WorkspaceError::is_not_found, read);
            assert_eq!(
                found.as_ref().ok(),
                Some(key),
                "{how} before look {at}: {found:?}"
            );
        }
    }
}

#[test]
fn what_is_not_there_is_looked_for_twice() {
    let workspace = workspace(&repository());
    let looks = std::cell::Cell::new(0);
    let read = || {
        looks.set(looks.get() + 1);
        read_here_or_deleted(&workspace, "implement/nothing")
    };
    let found = workspace.while_it_moves("implement/nothing", WorkspaceError::is_not_found, read);
    assert!(found.is_err_and(|error| error.is_not_found()));
    assert_eq!(looks.get(), 2);
}
