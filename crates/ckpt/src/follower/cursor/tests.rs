use super::*;
use crate::disk::simulated::SimulatedDisk;
use crate::disk::{Disk, DiskFile};
use crate::history::{Fate, Line};
use std::path::Path;

fn opened(content: &str) -> Box<dyn DiskFile> {
    let disk = SimulatedDisk::with_root(Path::new("/"));
    disk.put(Path::new("/history.jsonl"), content.as_bytes());
    disk.open(Path::new("/history.jsonl")).unwrap()
}

fn line(epoch: &str, number: u64) -> String {
    format!("{{\"event\":\"note_added\",\"rev\":{number},\"epoch\":\"{epoch}\"}}")
}

/// Meets every line of a text. Returns those that were new.
fn meet(cursor: &mut Cursor, text: &str) -> Vec<u64> {
    let file = opened(text);
    let mut start = cursor.start_in(&*file).unwrap();
    let mut new = Vec::new();
    let mut end = 0;
    for raw in text.split_inclusive('\n') {
        let begin = end;
        end += raw.len() as u64;
        let line = Line::parse(raw.trim_end().as_bytes().to_vec()).unwrap();
        if begin < start.offset {
            continue;
        }
        let decided = Decided {
            epoch: line.epoch().unwrap(),
            number: line.number().unwrap(),
            fate: Fate::Happened,
            line,
            end,
        };
        if cursor.meet(&mut start, &decided) {
            new.push(decided.number);
        }
    }
    new
}

#[test]
fn it_goes_on_where_it_was() {
    let mut cursor = Cursor::default();
    let first = format!("{}\n{}\n", line("a", 1), line("a", 2));
    assert_eq!(meet(&mut cursor, &first), [1, 2]);
    let file = opened(&first);
    let start = cursor.start_in(&*file).unwrap();
    assert_eq!(start.offset, first.len() as u64);
    let more = format!("{first}{}\n", line("a", 3));
    assert_eq!(meet(&mut cursor, &more), [3]);
    assert_eq!(meet(&mut cursor, &more), Vec::<u64>::new());
}

#[test]
fn a_line_that_is_not_where_it_was_is_found_by_counting() {
    let mut cursor = Cursor::default();
    let first = format!("{}\n{}\n", line("a", 1), line("a", 2));
    meet(&mut cursor, &first);
    // A new epoch, and what was there before it is longer than it was.
    let moved = format!("{}\n{first}{}\n", line("z", 9), line("a", 3));
    assert_eq!(meet(&mut cursor, &moved), [9, 3]);
}

#[test]
fn a_line_that_lost_its_ending_is_still_the_last() {
    let mut cursor = Cursor::default();
    let cut = format!("{}\n{}", line("a", 1), line("a", 2));
    assert_eq!(meet(&mut cursor, &cut), [1, 2]);
    let more = format!("{cut}\n{}\n", line("a", 3));
    assert_eq!(meet(&mut cursor, &more), [3]);
}

#[test]
fn it_survives_being_written_and_read() {
    let mut cursor = Cursor::default();
    meet(&mut cursor, &format!("{}\n", line("a", 1)));
    cursor.note_read("command/x.zst", b"bytes");
    let written = serde_json::to_vec(&cursor).unwrap();
    let read: Cursor = serde_json::from_slice(&written).unwrap();
    assert_eq!(read, cursor);
    assert!(read.has_read("command/x.zst", b"bytes"));
    assert!(!read.has_read("command/x.zst", b"other bytes"));
}
