//! Documents of several files: interrupted changes, foreign edits, rebasing.

mod replay;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    Author, Commit, Committed, Edits, FileStore, Foreign, Proposal, Snapshot, StoreError, Write,
};
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::disk::{Disk, Mode, OsDisk};
use crate::document::Edit;
use crate::history::{Event, EventName, Forward, Line, Transition, Whereabouts, replay};
use crate::layout::{Layout, Place, PlaceFile, Role};
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
        files: vec![
            PlaceFile {
                path: at("plan.md"),
                name: "plan.md".into(),
                role: Role::Shared,
            },
            PlaceFile {
                path: at("state.json"),
                name: "state.json".into(),
                role: Role::Own,
            },
        ],
        ignored: vec![],
        mode: Mode::Umask,
        about: "plan:p".to_owned(),
        archive: at("archive/plan/p.zst"),
        kept_as: crate::layout::KeptAs::of(&crate::key::Key::parse("plan:p").unwrap()),
    }
}

/// Proposes until a proposal is committed.
fn change(
    disk: &SimulatedDisk,
    propose: impl Fn(&Snapshot) -> Result<Option<Proposal>, Failed>,
) -> Result<Option<Committed>, Failed> {
    let store = FileStore::on(Arc::new(disk.clone()), Path::new(ROOT), clock)
        .with_vault(crate::seal::Vault::holding(crate::seal::SealKey::new(
            [1; 32],
        )))
        .with_epochs_by_time();
    let author = Author {
        at: Whereabouts::default(),
        by: "main".into(),
        doing: "test".into(),
        edits: Edits::Strangers,
    };
    let place = place();
    let mut transaction = store.begin(&place, &author)?;
    loop {
        let proposal = match propose(transaction.snapshot()) {
            Ok(proposal) => proposal,
            Err(refusal) => {
                transaction.withdraw()?;
                return Err(refusal);
            }
        };
        match transaction.commit(proposal)? {
            Commit::Unchanged => return Ok(None),
            Commit::Committed(committed) => return Ok(Some(committed)),
            Commit::Rebased(theirs) => transaction = theirs,
            Commit::Archived => transaction = store.begin(&place, &author)?,
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("closed")]
    Closed,
}

/// A write that replaces `before`.
fn edited(file: usize, before: &[u8], after: &[u8]) -> Write {
    Write {
        file,
        content: after.to_vec(),
        edit: Some(Edit::between(before, after)),
    }
}

fn write(disk: &SimulatedDisk, contents: [&str; 2]) -> Result<(), Failed> {
    let committed = change(disk, |snapshot| {
        let write = |file: usize| {
            let before = snapshot.contents[file].as_deref().unwrap_or_default();
            edited(file, before, contents[file].as_bytes())
        };
        Ok(Some(Proposal {
            events: vec![
                Event::new(EventName::PhaseUpdated),
                Event::new(EventName::CheckpointSaved),
            ],
            writes: vec![write(0), write(1)],
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
    place().files.iter().map(|file| read(&file.path)).collect()
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

/// A change that reached one of two files is finished by the next change; a change that reached neither never happened.
/// There is nothing in between.
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
            // The next change edits what it finds, so it starts from the settled state.
            write(&image, ["three", "333"]).unwrap();
            assert_eq!(read(&image), both(["three", "333"]));
            let history = image.open(&place().history).unwrap();
            let contents = replay(&*history, None, |_| true).unwrap().unwrap();
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
    disk.put(&place().files[0].path, b"by hand");
    write(&disk, ["two", "1"]).unwrap();
    let names: Vec<(u64, String)> = events(&disk).split_off(2);
    let expected = [
        (2, "checksum_mismatch"),
        (3, "phase_updated"),
        (3, "checkpoint_saved"),
    ];
    assert_eq!(
        names,
        expected.map(|(number, name)| (number, name.to_owned()))
    );
}

#[test]
fn a_file_that_was_deleted_is_a_foreign_edit_too() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    // Two writes, because right after the first a missing file would look as if that change had been interrupted.
    write(&disk, ["zero", "0"]).unwrap();
    write(&disk, ["one", "1"]).unwrap();
    disk.remove(&place().files[1].path).unwrap();
    write(&disk, ["two", "2"]).unwrap();
    assert_eq!(events(&disk)[4].1, "external_edit");
    assert_eq!(read(&disk), both(["two", "2"]));
    let history = disk.open(&place().history).unwrap();
    assert_eq!(
        replay(&*history, None, |_| true).unwrap().unwrap()["state.json"],
        b"2"
    );
}

/// However long the history, most foreign edits are recorded as edits, and every revision can be restored.
#[test]
fn of_many_foreign_edits_few_are_recorded_whole() {
    const EDITS: u64 = 150;
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    let text = |edit: u64| format!("{}\nedit {edit}\n", "line\n".repeat(500));
    write(&disk, [&text(0), "0"]).unwrap();
    for edit in 1..=EDITS {
        disk.put(&place().files[0].path, text(edit).as_bytes());
        write(&disk, [&text(edit), &edit.to_string()]).unwrap();
    }
    let history = disk.open(&place().history).unwrap();
    let lines = Forward::new(&*history).unwrap().map(Result::unwrap);
    let found: Vec<Line> = lines
        .filter(|line| line.event().as_deref() == Some("checksum_mismatch"))
        .collect();
    let is_whole = |line: &&Line| {
        let files = line.files().unwrap();
        matches!(files[0].transition, Transition::Content(_))
    };
    let whole = found.iter().filter(is_whole).count();
    assert_eq!(found.len() as u64, EDITS);
    assert!((1..10).contains(&whole), "{whole}");
    for (edit, line) in (1..).zip(&found) {
        let then = replay(&*history, line.revision().as_ref(), |_| true)
            .unwrap()
            .unwrap();
        assert_eq!(then["plan.md"], text(edit).as_bytes());
    }
}

#[test]
fn a_foreign_edit_under_a_long_history_is_recorded_whole() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    let long = "x".repeat(600_000);
    write(&disk, [&long, "1"]).unwrap();
    write(&disk, ["two", "1"]).unwrap();
    disk.put(&place().files[0].path, b"by hand");
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
        replay(&*history, None, |_| true).unwrap().unwrap()["plan.md"],
        b"three"
    );
    // Content that an early revision had is still recognised.
    disk.put(&place().files[0].path, long.as_bytes());
    write(&disk, ["four", "1"]).unwrap();
    assert_eq!(events(&disk)[7], (5, "checksum_mismatch".to_owned()));
    let history = disk.open(&place().history).unwrap();
    let line = Forward::new(&*history)
        .unwrap()
        .map(Result::unwrap)
        .nth(7)
        .unwrap();
    assert!(line.raw().contains(r#""to_rev":1,"#), "{}", line.raw());
}

/// The plan is written before the state, so no crash leaves the plan behind the state.
#[test]
fn a_file_put_back_while_a_later_one_stays_is_a_foreign_edit_and_is_kept() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    write(&disk, ["one", "1"]).unwrap();
    write(&disk, ["two", "22"]).unwrap();
    disk.put(&place().files[0].path, b"one");
    let store = FileStore::on(Arc::new(disk.clone()), Path::new(ROOT), clock)
        .with_vault(crate::seal::Vault::holding(crate::seal::SealKey::new(
            [1; 32],
        )))
        .with_epochs_by_time();
    let seen = store.snapshot(&place()).unwrap();
    assert_eq!(seen.contents[0].as_deref(), Some(&b"one"[..]));
    assert_eq!(seen.foreign, [Foreign { position: Some(0) }]);
    write(&disk, ["one and more", "3"]).unwrap();
    assert_eq!(
        names(&disk)[4..],
        ["checksum_mismatch", "phase_updated", "checkpoint_saved"]
    );
    assert_eq!(replayed(&disk), read(&disk));
}

#[test]
fn what_follows_from_somebodys_edit_is_one_line_with_it_and_settles_like_any_change() {
    let follow = |disk: &SimulatedDisk| {
        change(disk, |snapshot| {
            let state = snapshot.contents[1].clone().unwrap_or_default();
            let same = snapshot.foreign.is_empty();
            Ok((!same).then(|| Proposal {
                writes: vec![edited(1, &state, b"followed")],
                ..Proposal::default()
            }))
        })
    };
    let before = SimulatedDisk::with_root(Path::new(ROOT));
    write(&before, ["one", "1"]).unwrap();
    before.put(&place().files[0].path, b"by hand");
    let whole = before.copy(Trouble::None);
    let committed = follow(&whole).unwrap().unwrap();
    assert_eq!(committed.revision.number, 2);
    assert_eq!(events(&whole)[2..], [(2, "checksum_mismatch".to_owned())]);
    assert_eq!(read(&whole), both(["by hand", "followed"]));
    for at in 0..whole.operations() {
        for crash in Crash::ALL {
            let disk = before.copy(Trouble::DieAt(at));
            follow(&disk).unwrap_err();
            let image = disk.after(crash);
            follow(&image).unwrap();
            write(&image, ["by hand", "3"]).unwrap();
            assert_eq!(replayed(&image), read(&image), "{crash:?} at {at}");
            let found = names(&image);
            let found = found.iter().filter(|name| *name == "checksum_mismatch");
            assert_eq!(found.count(), 1, "{crash:?} at {at}");
        }
    }
}

/// Adds a word to the plan and counts its words in the state; refuses a plan that is closed.
fn add_word(disk: &SimulatedDisk) -> Result<(), Failed> {
    let committed = change(disk, |snapshot| {
        let before = snapshot.contents[0].clone().unwrap_or_default();
        let state = snapshot.contents[1].clone().unwrap_or_default();
        if before.starts_with(b"closed") {
            return Err(Failed::Closed);
        }
        let after = [before.as_slice(), b" ours"].concat();
        let count = after.split(|byte| *byte == b' ').count().to_string();
        Ok(Some(Proposal {
            events: vec![Event::new(EventName::NoteAdded)],
            writes: vec![
                edited(0, &before, &after),
                edited(1, &state, count.as_bytes()),
            ],
            beside: Vec::new(),
        }))
    })?;
    assert!(committed.is_some());
    Ok(())
}

fn names(disk: &SimulatedDisk) -> Vec<String> {
    events(disk).into_iter().map(|(_, name)| name).collect()
}

fn replayed(disk: &SimulatedDisk) -> Vec<Option<String>> {
    let history = disk.open(&place().history).unwrap();
    let contents = replay(&*history, None, |_| true).unwrap().unwrap();
    let content = |file: &PlaceFile| Some(String::from_utf8(contents[&file.name].clone()).unwrap());
    place().files.iter().map(content).collect()
}

/// How many words were added by changes that are not recorded as aborted.
fn added_for_good(disk: &SimulatedDisk) -> usize {
    let history = disk.open(&place().history).unwrap();
    let lines: Vec<_> = Forward::new(&*history)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let aborted: Vec<_> = lines.iter().filter_map(Line::aborted).collect();
    let added = lines.iter().filter(|line| {
        let revision = line.revision().unwrap();
        line.event().as_deref() == Some("note_added") && !aborted.contains(&revision)
    });
    added.count()
}

fn prepared() -> SimulatedDisk {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    write(&disk, ["start", "1"]).unwrap();
    disk
}

#[test]
fn a_change_is_made_again_on_top_of_what_an_editor_saved_in_between() {
    for exchange in [true, false] {
        let disk = prepared();
        if !exchange {
            disk.without_exchange();
        }
        disk.meddle_with(&["start theirs", "start theirs more"]);
        add_word(&disk).unwrap();
        assert_eq!(
            read(&disk),
            both(["start theirs more ours", "4"]),
            "exchange: {exchange}"
        );
        assert_eq!(replayed(&disk), read(&disk));
        // Their text has a line of its own. With an exchange, their second save happens while their first is being put
        // back.
        let once = ["checksum_mismatch", "rebased"];
        let times = if exchange { 1 } else { 2 };
        let expected = [&["note_added"][..], &once.repeat(times)].concat();
        assert_eq!(names(&disk)[2..], *expected);
        let litter = disk
            .file_names()
            .into_iter()
            .filter(|path| path.to_string_lossy().contains("tmp"));
        assert_eq!(litter.count(), 0);
        add_word(&disk).unwrap();
        assert_eq!(read(&disk), both(["start theirs more ours ours", "5"]));
        assert_eq!(names(&disk)[2 + expected.len()..], ["note_added"]);
    }
}

#[test]
fn a_file_that_appears_while_it_is_created_is_not_replaced() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    disk.let_appear(&place().files[0].path, "start theirs");
    add_word(&disk).unwrap();
    assert_eq!(read(&disk), both(["start theirs ours", "3"]));
    assert_eq!(replayed(&disk), read(&disk));
}

#[test]
fn a_change_that_does_not_fit_what_an_editor_saved_gives_it_back() {
    let disk = prepared();
    disk.meddle_with(&["closed by them"]);
    assert!(matches!(add_word(&disk), Err(Failed::Closed)));
    assert_eq!(read(&disk), both(["closed by them", "1"]));
    assert_eq!(replayed(&disk), read(&disk));
    assert_eq!(names(&disk)[2..], ["note_added", "aborted"]);
    write(&disk, ["open", "1"]).unwrap();
    assert_eq!(read(&disk), both(["open", "1"]));
}

/// Each attempt was recorded, so each is recorded as aborted.
#[test]
fn every_try_of_a_change_that_is_given_up_is_recorded_as_aborted() {
    let disk = prepared();
    disk.without_exchange();
    disk.meddle_with(&["start theirs", "closed by them"]);
    assert!(matches!(add_word(&disk), Err(Failed::Closed)));
    assert_eq!(read(&disk), both(["closed by them", "1"]));
    assert_eq!(
        names(&disk)[2..],
        [
            "note_added",
            "checksum_mismatch",
            "rebased",
            "aborted",
            "aborted"
        ]
    );
    let history = disk.open(&place().history).unwrap();
    let lines = Forward::new(&*history).unwrap().map(Result::unwrap);
    let aborted: Vec<u64> = lines
        .filter_map(|line| line.aborted())
        .map(|revision| revision.number)
        .collect();
    assert_eq!(aborted, [2, 4]);
}

/// A program that saves before each of our attempts.
#[test]
fn a_change_gives_up_after_a_while_and_its_history_grows_with_what_changed() {
    let disk = SimulatedDisk::with_root(Path::new(ROOT));
    let long = "A line that stays.\n".repeat(2000);
    write(&disk, [&long, "1"]).unwrap();
    let before = disk.read(&place().history).unwrap().len();
    let saves: Vec<String> = (0..1000).map(|at| format!("{long}save {at}")).collect();
    disk.without_exchange();
    disk.meddle_with(&saves.iter().map(String::as_str).collect::<Vec<_>>());
    let refused = add_word(&disk).unwrap_err();
    let expected = "/repository/plan/plan.md keeps being changed by another program";
    assert_eq!(refused.to_string(), expected);
    // What was in place last is theirs, and the history says so.
    let (text, state) = (read(&disk)[0].clone().unwrap(), read(&disk)[1].clone());
    assert!(text.starts_with(&long) && text.contains("save "), "{text}");
    assert_eq!(state.as_deref(), Some("1"));
    assert_eq!(replayed(&disk), read(&disk));
    assert_eq!(added_for_good(&disk), 0);
    let grown = disk.read(&place().history).unwrap().len() - before;
    assert!(grown < long.len() / 2, "{grown} bytes");
}

/// An editor that renames its text into place without syncing it.
#[test]
fn what_the_history_says_of_others_survives_a_power_cut() {
    for crash in Crash::ALL {
        let disk = prepared();
        disk.put_unsynced(&place().files[0].path, b"start theirs");
        change(&disk, |snapshot| {
            assert_eq!(snapshot.contents[0].as_deref(), Some(&b"start theirs"[..]));
            Ok(Some(Proposal {
                events: Vec::new(),
                writes: vec![edited(1, b"1", b"2")],
                beside: Vec::new(),
            }))
        })
        .unwrap();
        let image = disk.after(crash);
        assert_eq!(read(&image), both(["start theirs", "2"]), "{crash:?}");
    }
}

#[test]
fn no_crash_loses_what_an_editor_saved_in_between() {
    let before = prepared();
    let whole = before.copy(Trouble::None);
    whole.meddle_with(&["start theirs"]);
    add_word(&whole).unwrap();
    let mut orphans = 0;
    let mut hidden = 0;
    for at in 0..whole.operations() {
        for crash in Crash::ALL {
            let disk = before.copy(Trouble::DieAt(at));
            disk.meddle_with(&["start theirs"]);
            add_word(&disk).unwrap_err();
            let image = disk.after(crash);
            let log = disk.log();
            let saved = log.iter().any(|step| step.starts_with("exchange"));
            let seen = read(&image)[0]
                .as_deref()
                .is_some_and(|text| text.contains("theirs"));
            hidden += usize::from(matches!(crash, Crash::Kill) && saved && !seen);
            add_word(&image).unwrap();
            let mut texts = image.file_names().into_iter().filter_map(|path| {
                let name = path.file_name()?.to_str()?.to_owned();
                let is_text = name == "plan.md" || name.contains(".orphan-");
                orphans += usize::from(name.contains(".orphan-"));
                is_text.then(|| String::from_utf8(image.read(&path).unwrap()).unwrap())
            });
            let kept = texts.any(|text| text.contains("theirs"));
            assert!(kept || !saved, "{crash:?} at {at}: {:?}", disk.log().last());
            assert_eq!(replayed(&image), read(&image), "{crash:?} at {at}");
            // Every word recorded as added is there, even if the change was rebased.
            let text = read(&image)[0].clone().unwrap();
            assert_eq!(
                text.matches(" ours").count(),
                added_for_good(&image),
                "{crash:?} at {at}: {:?}",
                names(&image)
            );
        }
    }
    assert!(
        orphans > 0,
        "the text was never only under a temporary name"
    );
    assert_eq!(
        hidden, 1,
        "their text is out of place for more than one step"
    );
}

#[test]
fn a_small_file_is_removed_only_under_its_lock_and_only_if_its_content_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let store = FileStore::on(Arc::new(OsDisk::below(&root)), &root, clock);
    let hasty = store.clone().with_lock_wait(std::time::Duration::ZERO);
    let file = Layout::new(&root).sessions_directory().join("a.json");
    store.put(&file, b"old").unwrap();
    store
        .remove_if(&file, |content| content == b"older")
        .unwrap();
    store
        .update(&file, |_| {
            hasty.remove_if(&file, |_| true).unwrap_err();
            ((), None)
        })
        .unwrap();
    assert!(file.exists());
    store.remove_if(&file, |content| content == b"old").unwrap();
    assert!(!file.exists());
}
