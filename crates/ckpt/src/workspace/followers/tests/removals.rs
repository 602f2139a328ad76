//! What is archived or deleted is told once it is, and whatever comes after it is told too.

use super::*;

/// Moves a checkpoint out of its place.
type Remove = fn(&Workspace, &Key) -> Result<(), WorkspaceError>;

fn delete(workspace: &Workspace, key: &Key) -> Result<(), WorkspaceError> {
    workspace.delete(key, InFlight::Accepted).map(drop)
}

fn archive(workspace: &Workspace, key: &Key) -> Result<(), WorkspaceError> {
    workspace.archive(key, InFlight::Accepted).map(drop)
}

/// Brings back what is in the archive, or was on its way there.
fn take_back(disk: &SimulatedDisk) -> Result<(), WorkspaceError> {
    let workspace = workspace(disk);
    for key in [key(), Key::Plan(plan())] {
        let archived = || workspace.find_archived(&key.to_string());
        let gone = match workspace.cut_off(&key)? {
            None if !workspace.has(&key) => archived(),
            cut_off => cut_off,
        };
        if let Some(gone) = gone {
            workspace.unarchive(&gone)?;
        }
    }
    Ok(())
}

/// What a follower may have heard when the removal of a checkpoint was cut off, and what the disk holds then.
fn cut_off(remove: Remove, mut each: impl FnMut(&str, SimulatedDisk, Vec<Heard>)) {
    let (disk, before) = repository();
    for key in [key(), Key::Plan(plan())] {
        let whole = disk.copy(Trouble::None);
        remove(&workspace(&whole), &key).unwrap();
        for at in 0..whole.operations() {
            for crash in Crash::ALL {
                let dying = disk.copy(Trouble::DieAt(at));
                let _ = remove(&workspace(&dying), &key);
                // The worker goes on while the power is still there, and then the power fails.
                let alive = dying.copy(Trouble::None);
                let mut heard = before.clone();
                serve(&alive, &mut heard).unwrap();
                let image = alive.after(crash);
                let scene = format!("{key}, {crash:?} at {at}: {:?}", dying.log().last());
                serve(&image, &mut heard).unwrap();
                each(&scene, image, heard);
            }
        }
    }
}

#[test]
fn what_happens_after_a_removal_was_cut_off_and_taken_back_is_told() {
    for remove in [delete, archive] {
        cut_off(remove, |scene, disk, mut heard| {
            take_back(&disk).unwrap_or_else(|error| panic!("{scene}: {error}"));
            serve(&disk, &mut heard).unwrap();
            change(&disk).unwrap_or_else(|error| panic!("{scene}: {error}"));
            serve(&disk, &mut heard).unwrap();
            check(scene, &heard, &disk, 8);
        });
    }
}

#[test]
fn a_deletion_that_was_cut_off_and_is_done_again_is_told() {
    cut_off(delete, |scene, disk, mut heard| {
        let workspace = workspace(&disk);
        let mut keys = vec![key(), Key::Plan(plan())];
        keys.retain(|key| matches!(workspace.cut_off(key), Ok(Some(_))) || workspace.has(key));
        for key in &keys {
            delete(&workspace, key).unwrap_or_else(|error| panic!("{scene}: {error}"));
        }
        serve(&disk, &mut heard).unwrap();
        let deleted = heard.iter().filter(|line| line.event == "deleted");
        let mut deleted: Vec<&str> = deleted.map(|line| line.about.as_str()).collect();
        deleted.sort_unstable();
        deleted.dedup();
        let both = ["command:implement-auth", "plan:260220-1149-login"];
        assert_eq!(deleted, both, "{scene}");
    });
}

#[test]
fn what_went_on_after_a_deletion_was_cut_off_is_told_although_it_is_deleted_since() {
    let (disk, before) = repository();
    let whole = disk.copy(Trouble::None);
    delete(&workspace(&whole), &key()).unwrap();
    for at in 0..whole.operations() {
        let dying = disk.copy(Trouble::DieAt(at));
        let _ = delete(&workspace(&dying), &key());
        let image = dying.after(Crash::Kill);
        let scene = format!("at {at}: {:?}", dying.log().last());
        take_back(&image).unwrap();
        change(&image).unwrap_or_else(|error| panic!("{scene}: {error}"));
        delete(&workspace(&image), &key()).unwrap();
        let mut heard = before.clone();
        serve(&image, &mut heard).unwrap();
        let events = heard
            .iter()
            .filter(|line| line.about.starts_with("command:"));
        let events: Vec<&str> = events.map(|line| line.event.as_str()).collect();
        assert!(events.contains(&"phase_updated"), "{scene}: {events:?}");
        assert_eq!(events.last(), Some(&"deleted"), "{scene}: {events:?}");
        let is_back = events.contains(&"unarchived");
        let deleted = events.iter().filter(|event| **event == "deleted").count();
        assert_eq!(deleted, 1 + usize::from(is_back), "{scene}: {events:?}");
    }
}
