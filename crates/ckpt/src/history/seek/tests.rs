//! Finding revisions in histories of any length and condition.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;
use crate::disk::{Disk, OsDisk};
use crate::document::Edit;
use crate::hash::ContentHash;
use crate::history::{Entry, Event, EventName, FileChange, Transition, Whereabouts, write_line};
use crate::seal::{Domain, SealKey, Sealer, Seals};

/// One thing in a history.
#[derive(Debug, Clone)]
enum Piece {
    /// A change, with so many lines after its first one.
    Change { more: usize, length: usize },
    /// A change without our seal, which claims a number.
    Unsealed { number: u64 },
    /// A line of another writer.
    Foreign { length: usize },
    /// A line that cannot be read.
    Damaged { length: usize },
    /// A new epoch begins.
    Epoch,
}

fn ours() -> Seals {
    Seals::with(SealKey::new([1; 32]))
}

fn sealer(seals: &Seals) -> Sealer<'_> {
    Sealer::new(seals, Domain::History, "command:x")
}

fn epoch(number: usize) -> Epoch {
    Epoch::at(time(1_000_000 * number as i64))
}

fn time(second: i64) -> Timestamp {
    Timestamp::from_millisecond(1_769_682_600_000 + second * 1000).expect("it is a time")
}

/// A history in the making.
#[derive(Default)]
struct Writing {
    lines: Vec<String>,
    epoch: usize,
    number: u64,
    second: i64,
}

impl Writing {
    fn line(&mut self, number: u64, length: usize, is_first: bool, seals: &Seals) {
        let content = format!("{}{number}", "x".repeat(length));
        let change = FileChange {
            name: "a.json".into(),
            from: None,
            to: Some(ContentHash::of(content.as_bytes())),
            transition: Transition::Edit(Edit::create(content.as_bytes())),
            whole: None,
        };
        let files = [change];
        let entry = Entry {
            time: time(self.second),
            number,
            epoch: &epoch(self.epoch),
            by: "main",
            at: &Whereabouts::default(),
            files: if is_first { &files } else { &[] },
        };
        let mut out = String::new();
        write_line(
            &mut out,
            &Event::new(EventName::PhaseUpdated),
            entry,
            sealer(seals),
        );
        self.lines.push(out);
        self.second += 1;
    }

    fn add(&mut self, piece: &Piece) {
        match piece {
            Piece::Change { more, length } => {
                self.number += 1;
                for at in 0..=*more {
                    self.line(self.number, *length, at == 0, &ours());
                }
            }
            Piece::Unsealed { number } => self.line(*number, 10, true, &Seals::none()),
            Piece::Foreign { length } => {
                let text = "y".repeat(*length);
                self.lines.push(format!("{{\"event\":\"{text}\"}}\n"));
            }
            Piece::Damaged { length } => {
                self.lines
                    .push(format!("{{\"rev\":3,{}\n", "z".repeat(*length)));
            }
            Piece::Epoch => (self.epoch, self.number) = (self.epoch + 1, 0),
        }
    }

    fn of(pieces: &[Piece]) -> Self {
        let mut writing = Self::default();
        for piece in pieces {
            writing.add(piece);
        }
        writing
    }
}

fn opened(lines: &[String]) -> (tempfile::TempDir, Box<dyn DiskFile>) {
    let directory = tempfile::tempdir().expect("there is room");
    let path = directory.path().join("history.jsonl");
    std::fs::write(&path, lines.concat()).expect("it can be written");
    let file = OsDisk::default().open(&path).expect("it opens");
    (directory, file)
}

/// The end of the line that begins a revision, found by looking at every line.
fn scanned(lines: &[String], revision: &Revision, counts: Counts<'_>) -> Option<u64> {
    let parsed = |line: &String| Line::parse(line.trim_end().as_bytes().to_vec()).ok();
    let numbered = lines.iter().filter_map(parsed);
    let numbered = numbered.filter(|line| line.number().is_some() && counts(line));
    let mut ends: Vec<(Epoch, u64)> = Vec::new();
    for line in numbered {
        let (number, epoch) = (line.number()?, line.epoch()?);
        match ends.last_mut() {
            Some((last, end)) if *last == epoch => *end = number,
            _ => ends.push((epoch, number)),
        }
    }
    let come_so_far = ends.iter().rev().find(|(_, end)| *end >= revision.number);
    let meant = come_so_far.or(ends.last()).map(|(epoch, _)| epoch.clone());
    let epoch = revision.epoch.clone().or(meant)?;
    let mut end = 0;
    lines.iter().find_map(|line| {
        end += line.len() as u64;
        let line = parsed(line)?;
        let is_it = line.number() == Some(revision.number) && line.epoch() == Some(epoch.clone());
        (is_it && line.files().is_some() && counts(&line)).then_some(end)
    })
}

/// The ends of all lines that begin a revision with this number.
fn ends(lines: &[String], number: u64) -> Vec<u64> {
    let mut end = 0;
    let mut ends = Vec::new();
    for line in lines {
        end += line.len() as u64;
        let line = Line::parse(line.trim_end().as_bytes().to_vec());
        let is_it = |line: &Line| line.number() == Some(number) && line.files().is_some();
        if line.is_ok_and(|line| is_it(&line) && is_ours(&line)) {
            ends.push(end);
        }
    }
    ends
}

fn change(length: usize) -> Piece {
    Piece::Change { more: 0, length }
}

fn revision(number: u64, of: Option<usize>) -> Revision {
    Revision {
        number,
        epoch: of.map(epoch),
    }
}

fn is_ours(line: &Line) -> bool {
    line.is_vouched(sealer(&ours()))
}

#[track_caller]
fn check(lines: &[String], wanted: &Revision) -> Option<u64> {
    let (_directory, file) = opened(lines);
    let found = seek(&*file, wanted, &is_ours).expect("it is read");
    assert_eq!(found, scanned(lines, wanted, &is_ours), "{wanted}");
    found
}

#[test]
fn every_revision_of_a_long_history_is_found_where_it_is() {
    let pieces = vec![
        Piece::Change {
            more: 1,
            length: 300
        };
        2_000
    ];
    let writing = Writing::of(&pieces);
    for number in [1, 2, 63, 64, 1_000, 1_999, 2_000] {
        assert!(check(&writing.lines, &revision(number, None)).is_some());
    }
    for number in [0, 2_001, u64::MAX] {
        assert_eq!(check(&writing.lines, &revision(number, None)), None);
    }
}

#[test]
fn a_number_that_several_epochs_have_is_told_exactly() {
    let writing = Writing::of(&[change(9), change(9), Piece::Epoch, change(9)]);
    let (_directory, file) = opened(&writing.lines);
    let exact = |number: u64| unless_alone(&*file, &revision(number, None), &is_ours).unwrap();
    assert_eq!(exact(1), Some(revision(1, Some(1))));
    // Only the first epoch has it.
    assert_eq!(exact(2), None);
    assert_eq!(exact(3), None);
}

#[test]
fn a_number_alone_means_the_last_epoch_that_has_come_so_far() {
    let mut pieces = Vec::new();
    for _ in 0..6 {
        pieces.extend(vec![change(300); 300]);
        pieces.push(Piece::Epoch);
    }
    pieces.extend(vec![change(300); 200]);
    let writing = Writing::of(&pieces);
    let last = check(&writing.lines, &revision(150, None));
    assert_eq!(last, check(&writing.lines, &revision(150, Some(6))));
    let all = (0..7).map(|of| check(&writing.lines, &revision(150, Some(of))));
    let mut all: Vec<_> = all.map(|end| end.expect("it is there")).collect();
    let sorted = all.clone();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all, sorted);
    // The last epoch has only 200 revisions.
    let earlier = check(&writing.lines, &revision(250, None));
    assert!(earlier.is_some());
    assert_eq!(earlier, check(&writing.lines, &revision(250, Some(5))));
    assert_eq!(check(&writing.lines, &revision(250, Some(6))), None);
    assert_eq!(check(&writing.lines, &revision(301, None)), None);
}

/// A file that counts how much of it is read.
struct Counted {
    file: Box<dyn DiskFile>,
    read: Cell<usize>,
}

impl DiskFile for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }

    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.read.set(self.read.get() + buffer.len());
        self.file.read_exact_at(buffer, offset)
    }
}

#[test]
fn a_revision_is_found_without_reading_the_rest_in_whatever_epoch_it_is() {
    let mut pieces = Vec::new();
    for _ in 0..3 {
        pieces.extend(vec![change(5_000); 400]);
        pieces.push(Piece::Epoch);
    }
    pieces.extend(vec![change(5_000); 10]);
    let writing = Writing::of(&pieces);
    let whole = writing.lines.iter().map(String::len).sum::<usize>();
    let (_directory, file) = opened(&writing.lines);
    let counted = Counted {
        file,
        read: Cell::new(0),
    };
    for (number, of) in [
        (400, Some(0)),
        (400, Some(1)),
        (400, Some(2)),
        (400, None),
        (5, None),
    ] {
        counted.read.set(0);
        let wanted = revision(number, of);
        let found = seek(&counted, &wanted, &is_ours).expect("it is read");
        assert_eq!(
            found,
            scanned(&writing.lines, &wanted, &is_ours),
            "{wanted}"
        );
        let read = counted.read.get();
        assert!(read * 4 < whole, "{wanted}: {read} of {whole} bytes");
    }
}

#[test]
fn lines_in_another_order_are_found_all_the_same() {
    let writing = Writing::of(&vec![change(300); 800]);
    let mut lines = writing.lines.clone();
    lines.reverse();
    for number in [1, 400, 799, 800] {
        assert!(check(&lines, &revision(number, None)).is_some());
    }
    let mut lines = writing.lines;
    let early = lines.remove(3);
    lines.insert(700, early);
    assert!(check(&lines, &revision(4, None)).is_some());
}

#[test]
fn damage_and_lines_of_others_hide_nothing() {
    let mut pieces = Vec::new();
    for round in 0..600 {
        pieces.push(change(300));
        if round % 3 == 0 {
            pieces.push(Piece::Damaged { length: 500 });
        }
        if round % 5 == 0 {
            pieces.push(Piece::Foreign { length: 700 });
        }
    }
    // More lines without a revision than one halving looks at.
    pieces.extend(vec![Piece::Foreign { length: 100 }; 3 * MOST_SKIPPED]);
    pieces.extend(vec![change(300); 5]);
    let writing = Writing::of(&pieces);
    for number in [1, 299, 300, 600, 601, 605] {
        assert!(check(&writing.lines, &revision(number, None)).is_some());
    }
}

/// Anybody can append a line that claims a number, or put one in front.
#[test]
fn a_line_without_our_seal_is_never_what_was_looked_for() {
    let mut pieces = vec![Piece::Unsealed { number: 300 }];
    pieces.extend(vec![change(300); 500]);
    pieces.extend([
        Piece::Unsealed { number: 300 },
        Piece::Unsealed { number: 9_999 },
    ]);
    let writing = Writing::of(&pieces);
    assert!(check(&writing.lines, &revision(300, None)).is_some());
    assert_eq!(check(&writing.lines, &revision(9_999, None)), None);
}

#[test]
fn a_time_finds_the_last_revision_made_by_then() {
    let mut pieces = vec![change(300); 400];
    pieces.push(Piece::Epoch);
    pieces.extend(vec![change(300); 400]);
    let writing = Writing::of(&pieces);
    let (_directory, file) = opened(&writing.lines);
    let at = |second: i64| revision_at(&*file, time(second), &is_ours).expect("it is read");
    assert_eq!(at(-1), None);
    assert_eq!(at(0), Some(revision(1, Some(0))));
    assert_eq!(at(399), Some(revision(400, Some(0))));
    assert_eq!(at(400), Some(revision(1, Some(1))));
    assert_eq!(at(1_000_000), Some(revision(400, Some(1))));
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        60 => (0..3_usize, 0..1_500_usize).prop_map(|(more, length)| Piece::Change { more, length }),
        3 => (0..150_u64).prop_map(|number| Piece::Unsealed { number }),
        3 => (0..3_000_usize).prop_map(|length| Piece::Foreign { length }),
        3 => (0..3_000_usize).prop_map(|length| Piece::Damaged { length }),
        1 => Just(Piece::Epoch),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn halving_finds_what_looking_at_every_line_finds(
        pieces in prop::collection::vec(piece(), 1..300),
        moved in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..3),
        numbers in prop::collection::vec((0..200_u64, prop::option::of(0..4_usize)), 1..12),
    ) {
        let mut lines = Writing::of(&pieces).lines;
        for (from, to) in &moved {
            let line = lines.remove(from.index(lines.len()));
            lines.insert(to.index(lines.len() + 1), line);
        }
        let (_directory, file) = opened(&lines);
        for (number, of) in numbers {
            let wanted = revision(number, of);
            let found = seek(&*file, &wanted, &is_ours).expect("it is read");
            // Where lines were moved, a number alone may mean that of any epoch.
            match (of, moved.as_slice(), found) {
                (None, [_, ..], Some(end)) => {
                    prop_assert!(ends(&lines, number).contains(&end), "{}", wanted);
                }
                (None, [_, ..], None) => {}
                _ => prop_assert_eq!(found, scanned(&lines, &wanted, &is_ours), "{}", wanted),
            }
        }
    }

    /// As when two copies of a history were put together.
    #[test]
    fn revisions_are_found_where_epochs_are_mixed(
        pieces in prop::collection::vec(piece(), 1..200),
        others in prop::collection::vec(piece(), 1..200),
        turns in prop::collection::vec(any::<bool>(), 0..400),
        numbers in prop::collection::vec((0..200_u64, 0..4_usize, any::<bool>()), 1..12),
    ) {
        let mut theirs = Writing { epoch: 100, ..Writing::default() };
        for piece in &others {
            theirs.add(piece);
        }
        let (mut one, mut other) = (Writing::of(&pieces).lines.into_iter(), theirs.lines.into_iter());
        let mut lines = Vec::new();
        for turn in turns {
            lines.extend(if turn { one.next() } else { other.next() });
        }
        lines.extend(one.chain(other));
        let (_directory, file) = opened(&lines);
        for (number, of, is_other) in numbers {
            let wanted = revision(number, Some(if is_other { 100 + of } else { of }));
            let found = seek(&*file, &wanted, &is_ours).expect("it is read");
            prop_assert_eq!(found, scanned(&lines, &wanted, &is_ours), "{}", wanted);
        }
    }
}
