//! A long plan is read in two halves at the same time.
//!
//! The second half is read as if no code block and no comment went on from the first, which is so at
//! almost every line. Where it turns out not to be so, what was read of the second half is forgotten
//! and the pass over the first goes on to the end.

use std::ops::Range;
use std::panic::resume_unwind;
use std::thread::{self, Builder};

use super::ids::Hasher;
use super::pass::{Pass, Place};
use super::{Checkbox, Heading, Item, Note, PhaseMarker, Scan, Stray, beginning};

/// Where the second half starts: at the first line past the middle. `None` when there is none.
pub(super) fn border(text: &[u8]) -> Option<usize> {
    let middle = text.len() / 2;
    memchr::memchr(b'\n', &text[middle..]).map(|length| middle + length + 1)
}

/// Reads a plan whose second half starts at `border`, which is the start of a line.
pub(super) fn read(text: &[u8], border: usize, hasher: Hasher) -> Scan {
    let half = |range: Range<usize>, room: usize| {
        let mut pass = Pass::new(text, hasher);
        pass.expect(room);
        pass.read(range);
        pass
    };
    let rest = border..text.len();
    // The first half will take in what the second one finds.
    let (second, mut first) = at_once(
        || half(rest.clone(), rest.len()),
        || half(beginning(text)..border, text.len()),
    );
    if first.is_between_blocks() {
        return joined(text, first, second);
    }
    drop(second);
    first.read(rest);
    first.finish()
}

fn joined(text: &[u8], first: Pass<'_>, second: Pass<'_>) -> Scan {
    let (mut scan, mut ids, place) = first.end();
    let (rest, more, _) = second.end();
    let (suspects, ()) = at_once(
        || {
            ids.append(&more);
            ids.suspects()
        },
        || append(&mut scan, rest, place),
    );
    scan.drop_repeated(text, &suspects);
    scan
}

/// Does both at the same time, or one after the other where no thread is to be had.
fn at_once<A: Send, B>(mut aside: impl FnMut() -> A + Send, here: impl FnOnce() -> B) -> (A, B) {
    let (done, here) = thread::scope(|scope| {
        let other = Builder::new().spawn_scoped(scope, &mut aside);
        let here = here();
        let done = other.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (done, here)
    });
    (done.unwrap_or_else(|_| aside()), here)
}

/// Adds what was found behind `place`, where its lines and phases were counted from the start.
fn append(scan: &mut Scan, rest: Scan, place: Place) {
    let phases = u32::try_from(scan.phases.len()).unwrap_or(u32::MAX);
    let line = |line: u32| place.line + line;
    let phase = |phase: Option<u32>| phase.map_or(place.phase, |phase| Some(phases + phase));
    scan.items.extend(rest.items.into_iter().map(|item| Item {
        line: line(item.line),
        phase: phase(item.phase),
        ..item
    }));
    scan.notes.extend(rest.notes.into_iter().map(|note| Note {
        line: line(note.line),
        phase: phase(note.phase),
        ..note
    }));
    scan.untracked
        .extend(rest.untracked.into_iter().map(|found| Checkbox {
            line: line(found.line),
            phase: phase(found.phase),
            ..found
        }));
    scan.strays
        .extend(rest.strays.into_iter().map(|stray| Stray {
            line: line(stray.line),
            ..stray
        }));
    scan.phases
        .extend(rest.phases.into_iter().map(|marker| PhaseMarker {
            line: line(marker.line),
            ..marker
        }));
    scan.headings
        .extend(rest.headings.into_iter().map(|heading| Heading {
            line: line(heading.line),
            ..heading
        }));
}
