//! What must hold for histories.

use proptest::prelude::*;

use super::*;
use crate::disk::{Disk, DiskFile, OsDisk};
use crate::document::{Edit, Object};
use crate::hash::ContentHash;
use crate::time::Timestamp;

fn now() -> Timestamp {
    Timestamp::parse("2026-01-29T10:30:00Z").unwrap()
}

fn opened(content: &[u8]) -> (tempfile::TempDir, Box<dyn DiskFile>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("history.jsonl");
    std::fs::write(&path, content).unwrap();
    let file = OsDisk.open(&path).unwrap();
    (directory, file)
}

fn change(before: Option<&[u8]>, after: &[u8]) -> FileChange {
    FileChange {
        name: "a.json".into(),
        from: before.map(ContentHash::of),
        to: Some(ContentHash::of(after)),
        transition: Transition::Edit(Edit::between(before.unwrap_or_default(), after)),
    }
}

/// A history in which the file has each of these contents in turn.
fn history_of(contents: &[Vec<u8>]) -> String {
    let mut out = String::new();
    let epoch = Epoch::starting(now());
    let mut before = None;
    for (number, content) in (1..).zip(contents) {
        let files = [change(before, content)];
        write_line(
            &mut out,
            now(),
            &Event::new("saved"),
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
    let event = Event::new("phase_updated").with("phase", "build");
    let files = [change(Some(b"ab"), b"aXb")];
    write_line(
        &mut out,
        now(),
        &event,
        (7, &Epoch::starting(now())),
        "main",
        &files,
    );
    let epoch = Epoch::starting(now());
    let (from, to) = (ContentHash::of(b"ab"), ContentHash::of(b"aXb"));
    let expected = format!(
        r#"{{"ts":"2026-01-29T10:30:00.000Z","event":"phase_updated","phase":"build","rev":7,"epoch":"{epoch}","by":"main","files":{{"a.json":{{"from":"{from}","to":"{to}","edit":[[1,"","X"]]}}}}}}"#
    );
    assert_eq!(out, expected + "\n");
    let line = Line::parse(out.trim_end().as_bytes()).unwrap();
    assert_eq!(line.number(), Some(7));
    assert_eq!(line.files().unwrap(), files);
    assert_eq!(line.facts().len(), 1);
}

#[test]
fn bytes_that_are_no_text_survive_in_a_line() {
    let files = [change(Some(b"a\xffb"), b"a\xfe\x00b")];
    let mut out = String::new();
    write_line(
        &mut out,
        now(),
        &Event::new("saved"),
        (1, &Epoch::starting(now())),
        "x",
        &files,
    );
    assert_eq!(
        Line::parse(out.trim_end().as_bytes())
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
fn whole_lines_that_cannot_be_read_are_told_from_a_line_that_was_cut_short() {
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
fn going_back_from_the_present_passes_damage_that_lies_before() {
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
    assert!(!with.names(7, &Epoch::starting(now())));
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
        replay(&*file, Some(&revision)).unwrap()
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
            let found = replay(&*file, Some(&revision)).unwrap().unwrap();
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
            let event = Event { name: "e", fields };
            write_line(&mut text, now(), &event, (number, &Epoch::starting(now())), "m", &[]);
        }
        let (_directory, file) = opened(text.as_bytes());
        let number = |line: std::io::Result<Line>| line.unwrap().number().unwrap();
        let forward: Vec<u64> = Forward::new(&*file).unwrap().map(number).collect();
        let mut backward: Vec<u64> = Backward::new(&*file).unwrap().map(number).collect();
        backward.reverse();
        prop_assert_eq!(forward, backward);
    }
}
