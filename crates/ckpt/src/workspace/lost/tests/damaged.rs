//! Histories that are damaged, and their copies.

use super::*;
use crate::command::PhaseUpdate;

fn key() -> CommandKey {
    CommandKey::parse("implement/auth").unwrap()
}

fn of_auth(disk: &SimulatedDisk, is_copy: bool) -> PathBuf {
    let names = disk.file_names().into_iter();
    let mut histories = names.filter(|name| name.ends_with("command/implement-auth.jsonl"));
    let found = histories.find(|name| name.starts_with("/git") == is_copy);
    found.unwrap()
}

fn bytes(disk: &SimulatedDisk, is_copy: bool) -> Vec<u8> {
    disk.read(&of_auth(disk, is_copy)).unwrap()
}

fn change(disk: &SimulatedDisk, note: &str) -> Result<(), WorkspaceError> {
    let data = [("context_summary", crate::document::Value::from(note))];
    let update = PhaseUpdate {
        data: data.into_iter().collect(),
        ..PhaseUpdate::default()
    };
    let changed = workspace(disk)
        .command(&key())
        .update_phase("build", &update);
    changed.map(drop)
}

/// A checkpoint with some changes.
fn changed() -> SimulatedDisk {
    let disk = repository();
    for note in ["one", "two", "three"] {
        change(&disk, note).unwrap();
    }
    disk
}

/// Where the lines of a file end, but for the last.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    let ends = (0..bytes.len() - 1).filter(|at| bytes[*at] == b'\n');
    ends.map(|at| at + 1).collect()
}

/// Changes one byte of the last line that is further from its end than the last change looks.
fn damage(disk: &SimulatedDisk, is_copy: bool) {
    let mut damaged = bytes(disk, is_copy);
    let last = line_ends(&damaged).pop().unwrap();
    let at = last + 40;
    assert!(damaged.len() - at > 100);
    damaged[at] ^= 1;
    disk.put(&of_auth(disk, is_copy), &damaged);
}

#[test]
fn a_history_that_has_lost_its_end_is_back_from_its_copy_before_a_change() {
    let disk = changed();
    let (whole, before) = (bytes(&disk, false), revisions(&disk));
    let ends = line_ends(&whole);
    let inside = ends.iter().map(|end| end + 20);
    let cuts: Vec<usize> = ends.iter().copied().chain(inside).chain([0]).collect();
    for cut in cuts {
        for torn in [&b""[..], b"\0\0\0\0", b"{\"torn\n"] {
            let disk = disk.copy(Trouble::None);
            let path = of_auth(&disk, false);
            disk.put(&path, &[&whole[..cut], torn].concat());
            change(&disk, "after").unwrap();
            let scene = format!("cut at {cut}, {torn:?}");
            let after = bytes(&disk, false);
            assert!(after.starts_with(&whole), "{scene}");
            assert!(bytes(&disk, true) == after, "{scene}");
            check_that_no_revision_is_used_twice(&before, &revisions(&disk), &scene);
        }
    }
}

#[test]
fn a_history_that_has_lost_its_end_and_its_copy_gives_no_number_out_again() {
    let disk = changed();
    let (whole, before) = (bytes(&disk, false), revisions(&disk));
    for cut in line_ends(&whole) {
        let disk = disk.copy(Trouble::None);
        disk.remove(&of_auth(&disk, true)).unwrap();
        disk.put(&of_auth(&disk, false), &whole[..cut]);
        let present = workspace(&disk).load(&key().into()).unwrap().unwrap();
        change(&disk, "after").unwrap();
        let scene = format!("cut at {cut}");
        check_that_no_revision_is_used_twice(&before, &revisions(&disk), &scene);
        let history = workspace(&disk).history(&key().into()).unwrap().unwrap();
        let adopted = history.newest_first().unwrap().nth(1).unwrap().unwrap();
        assert_eq!(adopted.event_name(), Some(EventName::Adopted), "{scene}");
        let then = workspace(&disk).at_revision(&key().into(), &adopted.revision().unwrap());
        assert_eq!(then.unwrap().text(), present.document.text(), "{scene}");
    }
}

#[test]
fn an_edit_by_hand_of_a_whole_history_is_still_an_edit_by_hand() {
    let disk = changed();
    let file = Path::new(ROOT).join(".claude/state/implement-auth.json");
    let text = String::from_utf8(disk.read(&file).unwrap()).unwrap();
    disk.put(&file, text.replace("three", "mine").as_bytes());
    change(&disk, "after").unwrap();
    let history = workspace(&disk).history(&key().into()).unwrap().unwrap();
    let found = history.newest_first().unwrap().nth(1).unwrap().unwrap();
    assert_eq!(found.event_name(), Some(EventName::ExternalEdit));
}

#[test]
fn an_edit_by_hand_stays_when_a_damaged_history_comes_back() {
    let disk = changed();
    let whole = bytes(&disk, false);
    let file = Path::new(ROOT).join(".claude/state/implement-auth.json");
    let text = String::from_utf8(disk.read(&file).unwrap()).unwrap();
    let mine = text.replacen('{', "{\"mine\":true,", 1);
    disk.put(&file, mine.as_bytes());
    let cut = line_ends(&whole).pop().unwrap();
    disk.put(&of_auth(&disk, false), &whole[..cut]);
    change(&disk, "after").unwrap();
    assert!(bytes(&disk, false).starts_with(&whole));
    let now = workspace(&disk).load(&key().into()).unwrap().unwrap();
    assert!(now.document.root().get("mine").is_some());
}

#[test]
fn a_history_of_another_story_is_not_replaced_by_a_copy() {
    let disk = changed();
    let with_our_key = bytes(&changed(), false);
    let unsealed = b"{\"event\":\"adopted\",\"rev\":1,\"epoch\":\"aaaaaaaa\"}\n".to_vec();
    let mixed = [bytes(&disk, false), unsealed.clone()].concat();
    for other in [with_our_key, unsealed, mixed] {
        let disk = disk.copy(Trouble::None);
        disk.put(&of_auth(&disk, false), &other);
        assert!(workspace(&disk).loss_of(&key().into()).is_none());
        change(&disk, "after").unwrap();
        assert!(bytes(&disk, false).starts_with(&other));
    }
}

#[test]
fn damage_far_from_the_end_is_found_and_mended_from_the_other_one() {
    for is_copy in [false, true] {
        let disk = changed();
        let whole = bytes(&disk, false);
        damage(&disk, is_copy);
        let here = workspace(&disk);
        let keys = [key().into()];
        let health = here.mirror_health(&keys).unwrap();
        assert_eq!(health.damaged, keys[..usize::from(is_copy)]);
        assert_eq!(here.lost_or_damaged().len(), usize::from(!is_copy));
        assert!(here.lost().is_empty(), "only the ends are compared");
        match is_copy {
            true => assert_eq!(here.catch_up(&keys), keys),
            false => {
                let lost = here.loss_of(&keys[0]).unwrap();
                assert_eq!(lost.part, LostPart::Lines);
                assert!(here.bring_back_lost(&lost).unwrap().is_some());
            }
        }
        assert!(bytes(&disk, false).starts_with(&whole));
        assert!(bytes(&disk, true) == bytes(&disk, false));
        assert_eq!(here.mirror_health(&keys).unwrap().whole, 1);
        assert!(here.lost_or_damaged().is_empty());
    }
}

#[test]
fn where_both_are_damaged_they_are_named_and_stay() {
    let disk = changed();
    damage(&disk, true);
    let mut damaged = bytes(&disk, false);
    damaged[40] ^= 1;
    disk.put(&of_auth(&disk, false), &damaged);
    let (here, keys) = (workspace(&disk), [key().into()]);
    let copy = bytes(&disk, true);
    assert_eq!(here.mirror_health(&keys).unwrap().apart, keys);
    assert!(here.catch_up(&keys).is_empty() && here.lost_or_damaged().is_empty());
    assert!(bytes(&disk, false) == damaged && bytes(&disk, true) == copy);
}

#[test]
fn a_crash_at_any_point_of_a_change_of_a_damaged_history_loses_nothing() {
    let disk = changed();
    let (whole, before) = (bytes(&disk, false), revisions(&disk));
    let cut = line_ends(&whole).pop().unwrap();
    disk.put(&of_auth(&disk, false), &whole[..cut]);
    let disk = disk.after(Crash::Kill);
    let finished = disk.copy(Trouble::None);
    change(&finished, "after").unwrap();
    let total = finished.operations();
    for at in 0..total {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            let _ = change(&dying, "after");
            let image = dying.after(crash);
            let scene = format!("{crash:?} at {at} of {total}: {:?}", dying.log().pop());
            let known = [before.clone(), revisions(&image)].concat();
            change(&image, "again").unwrap_or_else(|error| panic!("{scene}: {error}"));
            assert!(bytes(&image, false).starts_with(&whole), "{scene}");
            check_that_no_revision_is_used_twice(&known, &revisions(&image), &scene);
        }
    }
}

#[test]
fn a_crash_while_a_damaged_copy_is_mended_leaves_the_old_or_the_new_one() {
    let disk = changed();
    damage(&disk, true);
    let disk = disk.after(Crash::Kill);
    let (whole, damaged) = (bytes(&disk, false), bytes(&disk, true));
    let keys = [key().into()];
    let finished = disk.copy(Trouble::None);
    workspace(&finished).catch_up(&keys);
    for at in 0..finished.operations() {
        for crash in Crash::ALL {
            let dying = disk.copy(Trouble::DieAt(at));
            workspace(&dying).catch_up(&keys);
            let image = dying.after(crash);
            let copy = bytes(&image, true);
            assert!(copy == whole || copy == damaged, "{crash:?} at {at}");
            workspace(&image).catch_up(&keys);
            assert!(bytes(&image, true) == whole, "{crash:?} at {at}");
        }
    }
}

#[test]
fn a_copy_that_lacks_very_much_is_owed_until_somebody_takes_the_time() {
    let disk = changed();
    let path = of_auth(&disk, false);
    let line = [&[b'x'; 1023][..], b"\n"].concat();
    let long = [line.repeat(65 * 1024), bytes(&disk, false)].concat();
    disk.put(&path, &long);
    disk.remove(&of_auth(&disk, true)).unwrap();
    let owed = Path::new(ROOT).join(".claude/state/owed/command.implement-auth.jsonl");
    let is_owed = || disk.file_names().contains(&owed);
    change(&disk, "after").unwrap();
    assert!(is_owed());
    // A change of something else may be made in a hook.
    work_on_plan(&disk);
    assert!(is_owed() && bytes(&disk, true).is_empty());
    workspace(&disk).catch_up_all();
    assert!(!is_owed() && bytes(&disk, true) == bytes(&disk, false));
}

fn work_on_plan(disk: &SimulatedDisk) {
    let noted = crate::plan::NoteChange::Add("later".to_owned());
    workspace(disk).plan(&plan()).note(&noted).unwrap();
}

#[test]
fn a_damaged_line_of_a_copy_takes_no_more_than_what_it_leads_to() {
    let disk = changed();
    let lines = line_ends(&bytes(&disk, true)).len() + 1;
    for damaged in 1..=lines {
        let disk = disk.copy(Trouble::None);
        let whole = bytes(&disk, true);
        let mut copy: Vec<Vec<u8>> = whole
            .split_inclusive(|b| *b == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        copy[damaged - 1][40] ^= 1;
        disk.put(&of_auth(&disk, true), &copy.concat());
        wipe(&disk);
        let lost = workspace(&disk).loss_of(&key().into());
        let unusable = workspace(&disk).unusable_copies();
        let Some(lost) = lost else {
            assert_eq!((damaged, unusable.len()), (1, 1), "nothing comes before it");
            continue;
        };
        assert!(unusable.is_empty(), "line {damaged}");
        let back = workspace(&disk).bring_back_lost(&lost).unwrap().unwrap();
        assert_eq!(back.revision.number, damaged as u64 - 1);
        assert_eq!(back.damage.lines().collect::<Vec<_>>(), [damaged as u64]);
        change(&disk, "after").unwrap();
        assert!(workspace(&disk).loss_of(&key().into()).is_none());
        let recorded = workspace(&disk).at_revision(&key().into(), &back.revision);
        assert!(recorded.is_ok(), "line {damaged}");
    }
}

#[test]
fn a_plan_is_back_as_it_was_before_a_damaged_line_of_its_copy() {
    let disk = changed();
    let mut states = Vec::new();
    for note in ["one", "two", "three"] {
        work(&disk, note).unwrap();
        states.push(
            workspace(&disk)
                .require(&Key::Plan(plan()))
                .unwrap()
                .document,
        );
    }
    let copies = disk.file_names().into_iter();
    let mut copies = copies.filter(|name| name.starts_with("/git"));
    let copy = copies
        .find(|name| name.ends_with("plan/260220-1149-login.jsonl"))
        .unwrap();
    let mut damaged = disk.read(&copy).unwrap();
    let begins = line_ends(&damaged);
    let second = begins[begins.len() - 2];
    damaged[second + 40] ^= 1;
    disk.put(&copy, &damaged);
    wipe(&disk);
    recover(&disk).unwrap();
    let back = workspace(&disk)
        .require(&Key::Plan(plan()))
        .unwrap()
        .document;
    assert_eq!(back.text(), states[0].text());
}
