use std::path::{Path, PathBuf};

use super::*;
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::key::Key;
use crate::seal::{Domain, Seals};

const ID: &str = "00112233445566ff";

fn kept_as() -> KeptAs {
    KeptAs::of(&Key::parse("implement/auth").unwrap())
}

fn mirror() -> Mirror {
    let vault = Path::new("/git/ckpt");
    Mirror::new(
        vault.join("mirror"),
        vault.join("worktree"),
        Path::new("/repository"),
    )
}

fn copy() -> PathBuf {
    Path::new("/git/ckpt/mirror")
        .join(ID)
        .join("command/implement-auth.jsonl")
}

fn history() -> PathBuf {
    PathBuf::from("/repository/history.jsonl")
}

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::with_root(Path::new("/repository"));
    disk.put(Path::new("/git/ckpt/worktree"), ID.as_bytes());
    disk.put(&history(), b"");
    disk
}

fn now() -> Timestamp {
    Timestamp::from_millisecond(1_769_682_600_000).unwrap()
}

fn follow(
    disk: &SimulatedDisk,
    history: &dyn DiskFile,
    added: &[u8],
) -> Result<Followed, StoreError> {
    let seals = Seals::none();
    let sealer = Sealer::new(&seals, Domain::History, "implement-auth");
    mirror().follow(disk, &kept_as(), (history, added), sealer, now())
}

/// Appends to the history, and lets the mirror follow.
fn append(disk: &SimulatedDisk, lines: &str) {
    let mut file = disk.open_append(&history()).unwrap();
    file.write(lines.as_bytes()).unwrap();
    file.sync().unwrap();
    drop(follow(disk, &*file, lines.as_bytes()));
}

fn read(disk: &SimulatedDisk, path: &Path) -> String {
    String::from_utf8(disk.read(path).unwrap_or_default()).unwrap()
}

#[test]
fn a_copy_holds_what_its_history_holds() {
    let disk = disk();
    append(&disk, "one\n");
    append(&disk, "two\n");
    assert_eq!(read(&disk, &copy()), "one\ntwo\n");
    assert_eq!(
        read(&disk, &Path::new("/git/ckpt/mirror").join(ID).join("root")),
        "/repository"
    );
}

#[test]
fn a_copy_catches_up_on_what_it_lacks() {
    let disk = disk();
    append(&disk, "one\n");
    disk.put(&history(), b"one\ntwo\nthree\n");
    append(&disk, "four\n");
    assert_eq!(read(&disk, &copy()), "one\ntwo\nthree\nfour\n");
}

#[test]
fn the_copy_of_a_lost_history_is_kept_beside_that_of_the_next() {
    let disk = disk();
    append(&disk, "one\n");
    append(&disk, "two\n");
    disk.put(&history(), b"");
    append(&disk, "uno\n");
    assert_eq!(read(&disk, &copy()), "uno\n");
    let names = disk.file_names();
    let earlier = names
        .iter()
        .find(|name| name.to_string_lossy().contains("/earlier/"));
    assert_eq!(read(&disk, earlier.unwrap()), "one\ntwo\n");
}

#[test]
fn zeros_that_a_power_cut_left_at_the_end_are_noticed() {
    let disk = disk();
    append(&disk, "one\n");
    append(&disk, "two\n");
    disk.put(&copy(), b"one\n\0\0\0\0");
    append(&disk, "three\n");
    assert_eq!(read(&disk, &copy()), "one\ntwo\nthree\n");
}

#[test]
fn a_worktree_gets_an_id_of_its_own() {
    let disk = SimulatedDisk::with_root(Path::new("/repository"));
    disk.put(Path::new("/git/HEAD"), b"");
    disk.put(&history(), b"");
    assert_eq!(mirror().id(&disk), None);
    append(&disk, "one\n");
    let id = mirror().id(&disk).unwrap();
    append(&disk, "two\n");
    assert_eq!(mirror().id(&disk), Some(id.clone()));
    assert_eq!(mirror().copies(&disk, &id), [kept_as()]);
    assert_eq!(mirror().worktrees(&disk), [id]);
}

#[test]
fn whatever_a_crash_leaves_the_next_change_completes_the_copy() {
    for prepared in ["", "one\n"] {
        let before = disk();
        if !prepared.is_empty() {
            append(&before, prepared);
        }
        let whole = before.copy(Trouble::None);
        append(&whole, "two\n");
        for at in 0..=whole.operations() {
            for crash in Crash::ALL {
                let disk = before.copy(Trouble::DieAt(at));
                let file = disk.open_append(&history());
                if let Ok(mut file) = file
                    && file.write(b"two\n").is_ok()
                    && file.sync().is_ok()
                {
                    let _ = follow(&disk, &*file, b"two\n");
                }
                let image = disk.after(crash);
                append(&image, "three\n");
                assert_eq!(
                    read(&image, &copy()),
                    read(&image, &history()),
                    "{crash:?} at {at}"
                );
            }
        }
    }
}

#[test]
fn two_processes_that_make_an_id_for_a_worktree_agree_on_one() {
    let id = Path::new("/git/ckpt/worktree");
    for (theirs, is_one) in [(ID, true), ("torn", false)] {
        let disk = SimulatedDisk::with_root(Path::new("/git"));
        disk.let_appear(id, theirs);
        let own = mirror().own_id(&disk).map(|id| id.as_str().to_owned());
        let own = own.expect("it has one");
        assert_eq!(own == theirs, is_one);
        assert_eq!(disk.read(id).unwrap(), own.as_bytes());
        assert_eq!(disk.file_names(), [id]);
    }
}

#[test]
fn a_history_that_has_lost_a_line_is_not_read_by_every_change() {
    let disk = disk();
    let line = |number: usize| format!("{{\"t\":\"{}\",\"n\":{number}}}\n", "x".repeat(400));
    for number in 0..200 {
        append(&disk, &line(number));
    }
    let text = String::from_utf8(disk.read(&history()).unwrap()).unwrap();
    disk.put(&history(), text.replacen(&line(100), "", 1).as_bytes());
    let looks = |number: usize| {
        let before = disk.looks();
        append(&disk, &line(number));
        disk.looks() - before
    };
    for number in [200, 201] {
        let looks = looks(number);
        assert!(looks < 10, "{looks} looks");
    }
    let copy = String::from_utf8(disk.read(&copy()).unwrap()).unwrap();
    assert!(copy == text + &line(200) + &line(201));
}
