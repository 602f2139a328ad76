//! What an archiving leaves that is cut off, and what becomes of it.

use super::*;

/// A change of a checkpoint of any kind.
fn change(workspace: &Workspace, key: &Key) {
    match key {
        Key::Command(_) => update(workspace, "build", "It works better"),
        Key::Plan(id) => {
            let first = ["first".to_owned()];
            let ticked = workspace.plan(id).tick(ItemKind::Task, &first, Tick::Open);
            ticked.unwrap();
        }
        Key::Pipeline(id) => {
            let entry = crate::pipeline::NoteEntry::Cleanup("Later".to_owned());
            workspace.pipeline(id).note(&[entry]).unwrap();
        }
    }
}

/// The content of a checkpoint that is in its place.
fn present(workspace: &Workspace, key: &Key) -> String {
    let loaded = workspace.require(key).unwrap();
    loaded.document.text().to_owned()
}

/// How a checkpoint goes into the archive, or comes back.
type Moving = fn(&Workspace, &Key);

#[test]
fn what_a_move_leaves_that_is_cut_off_never_comes_back_instead_of_what_was_changed_since() {
    let archiving: Moving = |workspace, key| drop(workspace.archive(key, InFlight::Accepted));
    let returning: Moving = |workspace, key| {
        if let Some(archived) = workspace.find_archived(&key.to_string()) {
            let _ = workspace.unarchive(&archived);
        }
    };
    for (key, is_archived) in keys().iter().flat_map(|key| [(key, false), (key, true)]) {
        let moving = match is_archived {
            true => returning,
            false => archiving,
        };
        let disk = repository();
        if is_archived {
            workspace(&disk).archive(key, InFlight::Accepted).unwrap();
        }
        let disk = disk.after(Crash::Kill);
        let whole = disk.copy(Trouble::None);
        moving(&workspace(&whole), key);
        let total = whole.operations();
        assert!(total > 5, "only {total} operations");
        for at in 0..=total {
            for crash in Crash::ALL {
                let dying = disk.copy(Trouble::DieAt(at));
                moving(&workspace(&dying), key);
                let image = dying.after(crash);
                let scene = format!("{key}, {crash:?} at {at}: {:?}", dying.log().last());
                change(&workspace(&image), key);
                let last = present(&workspace(&image), key);
                let next = workspace(&image);
                assert!(next.archived().iter().all(|one| one.is_deleted), "{scene}");
                let deleted = next.delete(key, InFlight::Accepted);
                let deleted = deleted.unwrap_or_else(|error| panic!("{scene}: {error}"));
                assert!(!next.has(key), "{scene}");
                assert_eq!(
                    next.find_archived(&key.to_string()).unwrap().path,
                    deleted.path
                );
                next.unarchive(&deleted).unwrap();
                assert_eq!(present(&next, key), last, "{scene}");
            }
        }
    }
}
