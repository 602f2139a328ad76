//! What must hold for documents of several files.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Author, ChangeError, Committed, FileStore, Place, Proposal};
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::disk::{Disk, Mode};
use crate::document::Edit;
use crate::history::{Event, Forward, Transition, replay};
use crate::time::Timestamp;

const ROOT: &str = "/repository";

fn clock() -> Timestamp {
    Timestamp::parse("2026-01-29T10:30:00Z").unwrap()
}

fn place() -> Place {
    let at = |name: &str| Path::new(ROOT).join("plan").join(name);
    Place {
        lock: at("lock"),
        history: at("history.jsonl"),
        files: vec![at("plan.md"), at("state.json")],
        names: vec!["plan.md".into(), "state.json".into()],
        mode: Mode::Umask,
    }
}

fn write(disk: &SimulatedDisk, contents: [&str; 2]) -> Result<(), ChangeError<Infallible>> {
    let store = FileStore::on(Arc::new(disk.clone()), Path::new(ROOT), clock);
    let author = Author {
        by: "main".into(),
        doing: "test".into(),
    };
    let committed: Option<Committed> = store.change(&place(), &author, |snapshot| {
        let edit = |at: usize| {
            let before = snapshot.contents[at].as_deref().unwrap_or_default();
            (
                at,
                Transition::Edit(Edit::between(before, contents[at].as_bytes())),
            )
        };
        Ok(Some(Proposal {
            events: vec![Event::new("first"), Event::new("second")],
            transitions: vec![edit(0), edit(1)],
            beside: Vec::new(),
        }))
    })?;
    assert!(committed.is_some());
    Ok(())
}

fn read(disk: &SimulatedDisk) -> Vec<Option<String>> {
    let read = |path: &PathBuf| {
        disk.read(path)
            .ok()
            .map(|bytes| String::from_utf8(bytes).unwrap())
    };
    place().files.iter().map(read).collect()
}

fn both(contents: [&str; 2]) -> Vec<Option<String>> {
    contents.map(|content| Some(content.to_owned())).to_vec()
}

fn events(disk: &SimulatedDisk) -> Vec<(u64, String)> {
    let history = disk.open(&place().history).unwrap();
    let lines = Forward::new(&*history).unwrap().map(Result::unwrap);
    lines
        .map(|line| (line.number().unwrap(), line.event().unwrap().into_owned()))
        .collect()
}

/// A change that reached one of two files is finished by the next one; a change that reached none
/// never happened. In between there is nothing.
#[test]
fn an_interrupted_change_of_two_files_is_finished_or_never_happened() {
    let before = SimulatedDisk::with_root(Path::new(ROOT));
    write(&before, ["one", "1"]).unwrap();
    let whole = before.copy(Trouble::None);
    write(&whole, ["two", "22"]).unwrap();
    let (mut finished, mut aborted) = (0, 0);
    for at in 0..whole.operations() {
        for crash in Crash::ALL {
            let disk = before.copy(Trouble::DieAt(at));
            write(&disk, ["two", "22"]).unwrap_err();
            let image = disk.after(crash);
            let found = read(&image);
            // The next change edits what it finds, so what it starts from is what was settled.
            write(&image, ["three", "333"]).unwrap();
            assert_eq!(read(&image), both(["three", "333"]));
            let history = image.open(&place().history).unwrap();
            let contents = replay(&*history, None).unwrap().unwrap();
            assert_eq!(contents["plan.md"], b"three");
            let names: Vec<String> = events(&image).into_iter().map(|(_, name)| name).collect();
            assert!(
                !names.contains(&"external_edit".to_owned()),
                "{crash:?} at {at}"
            );
            if names.contains(&"aborted".to_owned()) {
                assert_eq!(found, both(["one", "1"]), "{crash:?} at {at}");
                aborted += 1;
            } else if found == both(["two", "1"]) {
                finished += 1;
            }
        }
    }
    assert!(
        finished > 0 && aborted > 0,
        "{finished} finished, {aborted} aborted"
    );
}

#[test]
fn a_foreign_edit_of_one_file_is_recorded_and_the_other_file_stays() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    write(&disk, ["one", "1"]).unwrap();
    disk.put(&place().files[0], b"by hand");
    write(&disk, ["two", "1"]).unwrap();
    let names: Vec<(u64, String)> = events(&disk).split_off(2);
    let expected = [(2, "external_edit"), (3, "first"), (3, "second")];
    assert_eq!(
        names,
        expected.map(|(number, name)| (number, name.to_owned()))
    );
}

#[test]
fn a_file_that_was_deleted_is_a_foreign_edit_too() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    // Right after the change that made it, a missing file looks as if that change had been cut off.
    write(&disk, ["zero", "0"]).unwrap();
    write(&disk, ["one", "1"]).unwrap();
    disk.remove(&place().files[1]).unwrap();
    write(&disk, ["two", "2"]).unwrap();
    assert_eq!(events(&disk)[4].1, "external_edit");
    assert_eq!(read(&disk), both(["two", "2"]));
    let history = disk.open(&place().history).unwrap();
    assert_eq!(
        replay(&*history, None).unwrap().unwrap()["state.json"],
        b"2"
    );
}

#[test]
fn a_foreign_edit_under_a_long_history_is_recorded_whole() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    let long = "x".repeat(600_000);
    write(&disk, [&long, "1"]).unwrap();
    write(&disk, ["two", "1"]).unwrap();
    disk.put(&place().files[0], b"by hand");
    write(&disk, ["three", "1"]).unwrap();
    let history = disk.open(&place().history).unwrap();
    let foreign = Forward::new(&*history)
        .unwrap()
        .map(Result::unwrap)
        .nth(4)
        .unwrap();
    assert!(
        foreign.raw().contains(r#""content":"by hand""#),
        "{}",
        foreign.raw()
    );
    assert_eq!(
        replay(&*history, None).unwrap().unwrap()["plan.md"],
        b"three"
    );
    // Content that an early revision had is still recognised.
    disk.put(&place().files[0], long.as_bytes());
    write(&disk, ["four", "1"]).unwrap();
    assert_eq!(events(&disk)[7], (5, "rewound".to_owned()));
}
