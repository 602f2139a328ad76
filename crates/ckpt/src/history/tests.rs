//! Tests of histories.

use proptest::prelude::*;

use super::*;
use crate::disk::{Disk, DiskFile, OsDisk};
use crate::document::{Edit, Object};
use crate::hash::ContentHash;
use crate::seal::{Domain, SealKey, Sealer, Seals};
use crate::time::Timestamp;

fn now() -> Timestamp {
    Timestamp::parse("2026-01-29T10:30:00Z").unwrap()
}

/// A line without a seal.
fn write_line(
    out: &mut String,
    time: Timestamp,
    event: &Event,
    (number, epoch): (u64, &Epoch),
    by: &str,
    files: &[FileChange],
) {
    let entry = Entry {
        at: &Whereabouts::default(),
        time,
        number,
        epoch,
        by,
        files,
    };
    super::write_line(out, event, entry, sealer(&Seals::none()));
}

fn sealer(seals: &Seals) -> Sealer<'_> {
    Sealer::new(seals, Domain::History, "command:x")
}

fn tail(file: &dyn DiskFile) -> std::io::Result<Option<Tail>> {
    super::tail(file, sealer(&Seals::none()))
}

fn opened(content: &[u8]) -> (tempfile::TempDir, Box<dyn DiskFile>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("history.jsonl");
    std::fs::write(&path, content).unwrap();
    let file = OsDisk::default().open(&path).unwrap();
    (directory, file)
}

fn change(before: Option<&[u8]>, after: &[u8]) -> FileChange {
    FileChange {
        whole: None,
        name: "a.json".into(),
        from: before.map(ContentHash::of),
        to: Some(ContentHash::of(after)),
        transition: Transition::Edit(Edit::between(before.unwrap_or_default(), after)),
    }
}

/// A history in which the file has each of these contents in turn.
fn history_of(contents: &[Vec<u8>]) -> String {
    let mut out = String::new();
    let epoch = Epoch::at(now());
    let mut before = None;
    for (number, content) in (1..).zip(contents) {
        let files = [change(before, content)];
        write_line(
            &mut out,
            now(),
            &Event::new(EventName::CheckpointSaved),
            (number, &epoch),
            "main",
            &files,
        );
        before = Some(content);
    }
    out
}

#[test]
fn a_line_has_time_event_facts_then_revision_author_and_files() {
    let mut out = String::new();
    let event = Event::new(EventName::PhaseUpdated).with("phase", "build");
    let files = [change(Some(b"ab"), b"aXb")];
    write_line(
        &mut out,
        now(),
        &event,
        (7, &Epoch::at(now())),
        "main",
        &files,
    );
    let epoch = Epoch::at(now());
    let (from, to) = (ContentHash::of(b"ab"), ContentHash::of(b"aXb"));
    let expected = format!(
        r#"{{"ts":"2026-01-29T10:30:00.000Z","event":"phase_updated","phase":"build","rev":7,"epoch":"{epoch}","by":"main","files":{{"a.json":{{"from":"{from}","to":"{to}","edit":[[1,"","X"]]}}}}}}"#
    );
    assert_eq!(out, expected + "\n");
    let line = Line::parse(out.trim_end().as_bytes().to_vec()).unwrap();
    assert_eq!(line.number(), Some(7));
    assert_eq!(line.files().unwrap(), files);
    assert_eq!(line.facts().len(), 1);
}

#[test]
fn bytes_that_are_not_text_survive_in_a_line() {
    let files = [change(Some(b"a\xffb"), b"a\xfe\x00b")];
    let mut out = String::new();
    write_line(
        &mut out,
        now(),
        &Event::new(EventName::CheckpointSaved),
        (1, &Epoch::at(now())),
        "x",
        &files,
    );
    assert_eq!(
        Line::parse(out.trim_end().as_bytes().to_vec())
            .unwrap()
            .files()
            .unwrap(),
        files
    );
}

#[test]
fn the_tail_is_the_last_line_that_can_be_read() {
    let good = history_of(&[b"{}".to_vec(), b"[]".to_vec()]);
    for junk in [
        "",
        "{\"ts\":\"20",
        "\0\0\0\0",
        "not json\n",
        "{\"event\":\"foreign\"}\n",
    ] {
        let (_directory, file) = opened(format!("{good}{junk}").as_bytes());
        let tail = tail(&*file).unwrap().unwrap();
        assert_eq!(tail.number, 2, "{junk:?}");
    }
    let (_directory, file) = opened(b"");
    assert!(tail(&*file).unwrap().is_none());
}

#[test]
fn unreadable_whole_lines_are_distinguished_from_a_line_that_was_cut_short() {
    let good = history_of(&[b"{}".to_vec()]);
    let at_end = |junk: &str| {
        let (_directory, file) = opened(format!("{good}{junk}").as_bytes());
        let tail = tail(&*file).unwrap().unwrap();
        (tail.damaged, tail.cut_short)
    };
    assert_eq!(at_end(""), (false, false));
    assert_eq!(at_end("{\"ts\""), (false, true));
    assert_eq!(at_end("junk\n"), (true, false));
    assert_eq!(at_end("junk\n{\"ts\""), (true, true));
}

#[test]
fn a_line_that_lacks_only_its_ending_counts_and_its_number_is_not_used_again() {
    let whole = history_of(&[b"{}".to_vec(), b"[]".to_vec()]);
    let (_directory, file) = opened(whole.trim_end().as_bytes());
    let tail = tail(&*file).unwrap().unwrap();
    assert_eq!(
        (tail.number, tail.cut_short, tail.damaged),
        (2, true, false)
    );
}

#[test]
fn lines_that_cannot_be_read_are_named_by_their_numbers() {
    let good = history_of(&[b"{}".to_vec(), b"[]".to_vec(), b"1".to_vec()]);
    let lines: Vec<&str> = good.lines().collect();
    let text = format!(
        "junk\n{}\n\n?\n?\n\u{0}\n{}\n{}\n{{\"torn",
        lines[0], lines[1], lines[2]
    );
    let (_directory, file) = opened(text.as_bytes());
    let mut lines = Backward::new(&*file).unwrap();
    assert_eq!(lines.by_ref().map(Result::unwrap).count(), 3);
    let damage = lines.damage().unwrap();
    assert_eq!(damage.to_string(), "line 1, lines 4 to 6, line 9");
    assert_eq!(damage.lines().collect::<Vec<_>>(), [1, 4, 5, 6, 9]);
    let (_directory, file) = opened(good.as_bytes());
    assert!(
        History::new(file)
            .damage_within(u64::MAX)
            .unwrap()
            .is_none()
    );
    let scattered = "?\n{}\n".repeat(12);
    let (_directory, file) = opened(scattered.as_bytes());
    let damage = History::new(file).damage_within(u64::MAX).unwrap();
    assert!(
        damage.to_string().ends_with("line 19 and 2 more places"),
        "{damage}"
    );
}

#[test]
fn lines_that_are_there_again_or_moved_hide_no_revision() {
    let contents: Vec<Vec<u8>> = (1..=9).map(|length| vec![b'x'; length]).collect();
    let text = history_of(&contents);
    let lines: Vec<&str> = text.lines().collect();
    let of = |numbers: &[usize]| -> String {
        numbers
            .iter()
            .map(|number| lines[number - 1].to_owned() + "\n")
            .collect()
    };
    for numbers in [
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 5].as_slice(),
        &[6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        &[1, 2, 3, 4, 5, 2, 3, 6, 7, 8, 9],
    ] {
        let (_directory, file) = opened(of(numbers).as_bytes());
        for (number, content) in (1..).zip(&contents) {
            let revision = Revision {
                number,
                epoch: None,
            };
            let found = content_at(&*file, "a.json", &revision, &|_| true).unwrap();
            assert_eq!(found.as_ref(), Some(content), "{number} in {numbers:?}");
            let back = rewind(&*file, "a.json", &contents[8], &revision).unwrap();
            assert!(
                back.is_none_or(|back| back == *content),
                "{number} in {numbers:?}"
            );
        }
    }
}

#[test]
fn a_history_with_higher_numbers_than_its_last_is_overtaken() {
    let text = history_of(&[b"a".to_vec(), b"ab".to_vec(), b"abc".to_vec()]);
    let lines: Vec<&str> = text.lines().collect();
    let (_directory, file) = opened(text.as_bytes());
    let (epoch, seals) = (Epoch::at(now()), Seals::none());
    let none = sealer(&seals);
    assert!(!is_overtaken(&*file, u64::MAX, (3, &epoch), none).unwrap());
    let moved = format!("{text}{}\n", lines[1]);
    let (_directory, file) = opened(moved.as_bytes());
    assert!(is_overtaken(&*file, u64::MAX, (2, &epoch), none).unwrap());
    // A line without our seal can claim any number.
    let ours = Seals::with(SealKey::new([1; 32]));
    assert!(!is_overtaken(&*file, u64::MAX, (2, &epoch), sealer(&ours)).unwrap());
    let other: Epoch = "7-other".parse::<Revision>().unwrap().epoch.unwrap();
    assert!(!is_overtaken(&*file, u64::MAX, (2, &other), none).unwrap());
}

#[test]
fn going_back_from_the_current_content_passes_earlier_damage() {
    let contents = [
        b"a".to_vec(),
        b"ab".to_vec(),
        b"abc".to_vec(),
        b"abcd".to_vec(),
    ];
    let lines: Vec<String> = history_of(&contents).lines().map(str::to_owned).collect();
    let damaged = format!("{}\njunk\n{}\n{}\n", lines[0], lines[2], lines[3]);
    let (_directory, file) = opened(damaged.as_bytes());
    let back = |number: u64| {
        let revision = Revision {
            number,
            epoch: None,
        };
        rewind(&*file, "a.json", b"abcd", &revision).unwrap()
    };
    assert_eq!(back(4).unwrap(), b"abcd");
    assert_eq!(back(3).unwrap(), b"abc");
    assert_eq!(back(2), None);
    assert_eq!(back(1), None);
}

#[test]
fn the_tail_costs_the_same_whatever_the_length() {
    struct Counting(Box<dyn DiskFile>, std::cell::Cell<u64>);
    impl DiskFile for Counting {
        fn write(&mut self, _: &[u8]) -> std::io::Result<()> {
            unreachable!("only read here")
        }
        fn sync(&mut self) -> std::io::Result<()> {
            unreachable!("only read here")
        }
        fn length(&self) -> std::io::Result<u64> {
            self.0.length()
        }
        fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
            self.1.set(self.1.get() + buffer.len() as u64);
            self.0.read_exact_at(buffer, offset)
        }
    }
    let line = history_of(&[b"{}".to_vec()]);
    let read = |lines: usize| {
        let (_directory, file) = opened(line.repeat(lines).as_bytes());
        let file = Counting(file, std::cell::Cell::new(0));
        tail(&file).unwrap().unwrap();
        file.1.get()
    };
    assert_eq!(read(100_000), read(100));
}

#[test]
fn revisions_are_read_with_and_without_their_epoch() {
    let with: Revision = "7-mkzdyjcw".parse().unwrap();
    assert_eq!(with.to_string(), "7-mkzdyjcw");
    let epoch = with.epoch.clone().unwrap();
    assert!(with.names(7, &epoch) && !with.names(8, &epoch));
    assert!("7".parse::<Revision>().unwrap().names(7, &epoch));
    assert!(!with.names(7, &Epoch::at(now())));
    for wrong in ["", "x", "7-", "-7", "7-a b"] {
        assert!(wrong.parse::<Revision>().is_err(), "{wrong:?}");
    }
}

#[test]
fn a_damaged_line_breaks_the_way_to_later_revisions_but_not_to_earlier_ones() {
    let contents = [b"a".to_vec(), b"ab".to_vec(), b"abc".to_vec()];
    let lines: Vec<String> = history_of(&contents).lines().map(str::to_owned).collect();
    let damaged = format!("{}\n{}\n{}\n", lines[0], &lines[1][..40], lines[2]);
    let (_directory, file) = opened(damaged.as_bytes());
    let at = |number: u64| {
        let revision = Revision {
            number,
            epoch: None,
        };
        replay(&*file, Some(&revision), |_| true).unwrap()
    };
    assert_eq!(at(1).unwrap()["a.json"], b"a");
    assert_eq!(at(2), None, "the line is gone");
    assert!(at(3).unwrap().is_empty(), "nothing leads to it");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_revision_comes_back_byte_for_byte(
        contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 1..12),
    ) {
        let (_directory, file) = opened(history_of(&contents).as_bytes());
        for (number, content) in (1..).zip(&contents) {
            let revision = Revision { number, epoch: None };
            let found = replay(&*file, Some(&revision), |_| true).unwrap().unwrap();
            prop_assert_eq!(&found["a.json"], content);
            let last = contents.last().unwrap();
            let back = rewind(&*file, "a.json", last, &revision).unwrap().unwrap();
            prop_assert_eq!(&back, content);
        }
    }

    #[test]
    fn lines_read_backward_are_the_lines_read_forward_reversed(
        lengths in prop::collection::vec(0_usize..9000, 0..12),
    ) {
        let mut text = String::new();
        for (number, length) in (1_u64..).zip(lengths) {
            let mut fields = Object::new();
            fields.set("x", "y".repeat(length));
            let event = Event { name: EventName::NoteAdded, fields };
            write_line(&mut text, now(), &event, (number, &Epoch::at(now())), "m", &[]);
        }
        let (_directory, file) = opened(text.as_bytes());
        let number = |line: std::io::Result<Line>| line.unwrap().number().unwrap();
        let forward: Vec<u64> = Forward::new(&*file).unwrap().map(number).collect();
        let mut backward: Vec<u64> = Backward::new(&*file).unwrap().map(number).collect();
        backward.reverse();
        prop_assert_eq!(forward, backward);
    }
}

/// A history whose lines are sealed with these keys, one per line; 0 means no seal.
fn sealed_history(keys: &[u8]) -> String {
    let mut out = String::new();
    let epoch = Epoch::at(now());
    for (number, key) in (1..).zip(keys) {
        let seals = match key {
            0 => Seals::none(),
            key => Seals::with(SealKey::new([*key; 32])),
        };
        let entry = Entry {
            at: &Whereabouts::default(),
            time: now(),
            number,
            epoch: &epoch,
            by: "main",
            files: &[change(None, format!("{number}").as_bytes())],
        };
        super::write_line(
            &mut out,
            &Event::new(EventName::CheckpointSaved),
            entry,
            sealer(&seals),
        );
    }
    out
}

#[test]
fn with_a_key_only_its_own_lines_end_a_history() {
    let ours = Seals::with(SealKey::new([1; 32]));
    for (keys, expected) in [
        (&[1, 1, 1][..], Some((3, false))),
        (&[1, 1, 0], Some((2, true))),
        (&[1, 1, 2], Some((2, true))),
        (&[0, 2, 0], None),
        (&[2, 0, 1], Some((3, false))),
    ] {
        let text = sealed_history(keys) + "{\"event\": \"task_completed\", \"task\": \"t\"}\n";
        let (_directory, file) = opened(text.as_bytes());
        let tail = super::tail(&*file, sealer(&ours)).unwrap();
        let seen = tail.map(|tail| (tail.number, tail.damaged));
        assert_eq!(seen, expected, "{keys:?}");
    }
}

#[test]
fn a_line_of_another_document_is_none_of_this_one() {
    let ours = Seals::with(SealKey::new([1; 32]));
    let (_directory, file) = opened(sealed_history(&[1, 1]).as_bytes());
    let other = Sealer::new(&ours, Domain::History, "command:y");
    assert!(super::tail(&*file, other).unwrap().is_none());
}

#[test]
fn without_a_key_a_history_ends_unvouched() {
    let (_directory, file) = opened(sealed_history(&[1, 0]).as_bytes());
    let tail = tail(&*file).unwrap().unwrap();
    assert_eq!((tail.number, tail.is_vouched), (2, false));
}

#[test]
fn a_revision_behind_a_higher_one_is_not_the_last() {
    let text = sealed_history(&[1, 1, 1]);
    let lines: Vec<&str> = text.lines().collect();
    let epoch = Epoch::at(now());
    for (order, expected) in [([0, 1, 2], true), ([2, 0, 1], false)] {
        let text: String = order.map(|at| format!("{}\n", lines[at])).concat();
        let (_directory, file) = opened(text.as_bytes());
        let last = order[2] as u64 + 1;
        assert_eq!(is_last(&*file, last, &epoch).unwrap(), expected);
    }
}

#[test]
fn lines_of_any_length_are_read_backward_and_forward() {
    let mut text = String::new();
    for length in [0, 1, 4095, 4096, 4097, 70_000, 3_000_000, 2] {
        text += &format!("{{\"n\":\"{}\"}}\n", "x".repeat(length));
    }
    let (_directory, file) = opened(text.as_bytes());
    let lengths = |lines: Vec<Line>| -> Vec<usize> {
        lines.iter().map(|line| line.raw().len() - 8).collect()
    };
    let forward: Result<Vec<_>, _> = Forward::new(&*file).unwrap().collect();
    let backward: Result<Vec<_>, _> = Backward::new(&*file).unwrap().collect();
    let mut backward = lengths(backward.unwrap());
    backward.reverse();
    assert_eq!(lengths(forward.unwrap()), backward);
    assert_eq!(backward, [0, 1, 4095, 4096, 4097, 70_000, 3_000_000, 2]);
}

#[test]
fn a_line_that_is_appended_while_a_reader_begins_hides_no_other() {
    /// Every look at its length is followed by another line.
    struct Growing(std::cell::RefCell<String>);
    impl DiskFile for Growing {
        fn write(&mut self, _: &[u8]) -> std::io::Result<()> {
            unreachable!("only read here")
        }
        fn sync(&mut self) -> std::io::Result<()> {
            unreachable!("only read here")
        }
        fn length(&self) -> std::io::Result<u64> {
            let mut text = self.0.borrow_mut();
            let length = text.len() as u64;
            *text += "{\"n\":9}\n";
            Ok(length)
        }
        fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
            let offset = usize::try_from(offset).unwrap();
            buffer.copy_from_slice(&self.0.borrow().as_bytes()[offset..][..buffer.len()]);
            Ok(())
        }
    }
    let text = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
    let growing = || Growing(std::cell::RefCell::new(text.to_owned()));
    let read = |lines: Forward<'_>| -> Vec<String> {
        lines.map(|line| line.unwrap().raw().to_owned()).collect()
    };
    let file = growing();
    // The ending of the first line.
    let rest = Forward::after(&file, 7).unwrap();
    assert_eq!(read(rest), ["{\"n\":2}", "{\"n\":3}"]);
    let file = growing();
    assert_eq!(read(Forward::within(&file, 9).unwrap()), ["{\"n\":3}"]);
}

#[test]
fn a_line_that_is_too_long_is_skipped() {
    let long = "x".repeat(super::line::MAX_LINE + 1);
    let text = format!("{{\"a\":1}}\n{long}\n{{\"b\":1}}\n");
    let (_directory, file) = opened(text.as_bytes());
    let count = |lines: usize| assert_eq!(lines, 2);
    count(Forward::new(&*file).unwrap().filter(Result::is_ok).count());
    count(Backward::new(&*file).unwrap().filter(Result::is_ok).count());
}
