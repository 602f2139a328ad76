use std::path::Path;

use super::*;
use crate::command::PhaseUpdate;
use crate::disk::Disk;
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::document::{Object, Value};
use crate::repository::Head;
use crate::workspace::StartRequest;
use crate::workspace::tests::worktree::{ROOT, planned, workspace};

fn key() -> CommandKey {
    CommandKey::parse("implement/auth").unwrap()
}

fn file() -> PathBuf {
    Path::new(ROOT).join(".claude/state/implement-auth.json")
}

/// A repository with a command at work, as the system has written it to the disk.
fn repository() -> SimulatedDisk {
    let disk = planned();
    let workspace = workspace(&disk);
    let start = StartRequest::default();
    workspace.command(&key()).start(&start).unwrap();
    let update = PhaseUpdate {
        data: Object::from_iter([("status", Value::from("complete"))]),
        ..PhaseUpdate::default()
    };
    workspace
        .command(&key())
        .update_phase("build", &update)
        .unwrap();
    disk.after(Crash::Kill)
}

/// A way in which a repository is harmed, and the document as a restart should leave it.
type Harm = fn(&SimulatedDisk) -> Vec<u8>;

fn whole(disk: &SimulatedDisk) -> Vec<u8> {
    disk.read(&file()).unwrap()
}

const HARMS: [(&str, Harm); 3] = [
    ("damaged", |disk| {
        let before = whole(disk);
        disk.put(&file(), b"{ torn");
        before
    }),
    ("missing", |disk| {
        let before = whole(disk);
        disk.wipe(&Path::new(ROOT).join(".claude"));
        before
    }),
    ("edited", |disk| {
        let text = String::from_utf8(whole(disk)).unwrap();
        let edited = text.replacen('{', "{\n  \"by_hand\": true,", 1);
        disk.put(&file(), edited.as_bytes());
        edited.into_bytes()
    }),
];

#[test]
fn a_restart_that_is_cut_off_anywhere_is_finished_by_the_next() {
    for (name, harm) in HARMS {
        let disk = repository();
        let expected = harm(&disk);
        let disk = disk.after(Crash::Kill);
        let rehearsal = disk.copy(Trouble::None);
        let healed = workspace(&rehearsal)
            .restart("implement", None)
            .unwrap()
            .healed;
        assert_eq!(healed.len(), 1, "{name}: {healed:?}");
        let total = rehearsal.operations();
        assert!(total > 3, "{name}: only {total} operations");
        for at in 0..total {
            for crash in Crash::ALL {
                let dying = disk.copy(Trouble::DieAt(at));
                let _ = workspace(&dying).restart("implement", None);
                let image = dying.after(crash);
                let scene = format!("{name}, {crash:?} at {at} of {total}");
                let restarted = workspace(&image).restart("implement", Some("auth"));
                let restarted = restarted.unwrap_or_else(|error| panic!("{scene}: {error:?}"));
                assert_eq!(restarted.found, Found::InFlight(key().into()), "{scene}");
                assert!(whole(&image) == expected, "{scene}");
                let again = workspace(&image).restart("implement/auth", None).unwrap();
                assert!(again.healed.is_empty(), "{scene}: {:?}", again.healed);
            }
        }
    }
}

#[test]
fn nothing_is_written_where_there_is_nothing_to_heal() {
    let disk = repository();
    for (command, feature) in [
        ("implement", None),
        ("implement", Some("auth")),
        ("design", None),
        ("build", None),
    ] {
        let watched = disk.copy(Trouble::None);
        workspace(&watched).restart(command, feature).unwrap();
        let files = watched.file_names();
        assert_eq!(files.len(), disk.file_names().len(), "{command}");
        for name in files {
            assert!(
                watched.read(&name).ok() == disk.read(&name).ok(),
                "{}",
                name.display()
            );
        }
    }
}

#[test]
fn a_damaged_file_is_restored_although_its_damage_is_on_record() {
    let disk = repository();
    let before = whole(&disk);
    disk.put(&file(), b"{ torn");
    let key = Key::from(&key());
    let place = workspace(&disk).layout.place(&key);
    let author = workspace(&disk).author("test", &Head::default());
    let store = &workspace(&disk).store;
    let transaction = store.begin(&place, &author).unwrap();
    transaction.commit(Some(Proposal::default())).unwrap();
    let restarted = workspace(&disk).restart("implement", None).unwrap();
    assert!(matches!(restarted.healed[0].healing, Healing::Restored(_)));
    assert!(whole(&disk) == before);
}
