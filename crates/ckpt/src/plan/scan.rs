//! One pass over the bytes of a plan.
//!
//! No regular expression and no Markdown tree: the time is linear in the length, whatever the
//! text, and what is kept is a few numbers for each marker.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;

use super::line::{self, Comments, Marker};

/// A stretch of the text. Plans are at most 4 GiB long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the scan refuses texts whose offsets do not fit"
    )]
    fn new(range: Range<usize>) -> Self {
        Self {
            start: range.start as u32,
            end: range.end as u32,
        }
    }

    /// Its place.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Its bytes.
    #[must_use]
    pub fn of(self, text: &[u8]) -> &[u8] {
        &text[self.range()]
    }
}

/// What a ticked line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// Something to do.
    Task,
    /// Something that must hold.
    Acceptance,
}

/// A checkbox with an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Task or acceptance criterion.
    pub kind: ItemKind,
    /// Whether it is ticked with `x` or `X`. Any other mark counts as not done.
    pub done: bool,
    /// Its id.
    pub id: Span,
    /// Its text, without the marker.
    pub text: Span,
    /// Where the mark stands between the brackets.
    pub mark: u32,
    /// Its line, from 1.
    pub line: u32,
    /// The position of the phase it belongs to; `None` before the first phase marker.
    pub phase: Option<u32>,
}

/// A `CHECKPOINT` marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseMarker {
    /// Its id.
    pub id: Span,
    /// Its line, from 1.
    pub line: u32,
}

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// Something that was decided.
    Decision,
    /// Something that stands in the way.
    Blocker,
}

/// A `DECISION` or `BLOCKER` marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Which of the two.
    pub kind: NoteKind,
    /// What it says.
    pub text: Span,
    /// The whole comment.
    pub comment: Span,
    /// Its line, from 1.
    pub line: u32,
    /// The position of the phase it stands in.
    pub phase: Option<u32>,
}

/// A checkbox without an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkbox {
    /// Whether it is ticked.
    pub done: bool,
    /// Its text.
    pub text: Span,
    /// Its line, from 1.
    pub line: u32,
    /// The position of the phase it stands in.
    pub phase: Option<u32>,
}

/// A heading, for giving phases their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Its text.
    pub text: Span,
    /// The line it is on, from 1.
    pub line: u32,
    /// Where its line ends, before the line end.
    pub end: u32,
}

/// An id that stands in the plan a second time. The first one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    /// The id.
    pub id: Span,
    /// The line that counts.
    pub first: u32,
    /// The line that does not.
    pub again: u32,
}

/// What a plan says.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// The phase markers, in order.
    pub phases: Vec<PhaseMarker>,
    /// The ticked and unticked lines that have an id, in order.
    pub items: Vec<Item>,
    /// Decisions and blockers, in order.
    pub notes: Vec<Note>,
    /// Checkboxes without an id, in order.
    pub untracked: Vec<Checkbox>,
    /// Headings, in order.
    pub headings: Vec<Heading>,
    /// Ids that stand there twice.
    pub repeated: Vec<Repeated>,
}

/// A plan is too long to be scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a plan has at most 4 GiB")]
pub struct TooLong;

/// Reads a plan.
pub fn scan(text: &[u8]) -> Result<Scan, TooLong> {
    if u32::try_from(text.len()).is_err() {
        return Err(TooLong);
    }
    let mut scanner = Scanner {
        text,
        scan: Scan::default(),
        phase: None,
        fence: None,
        in_comment: false,
        number: 0,
    };
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
        if start < end {
            scanner.line(start, end);
        }
        scanner.number += 1;
        start = end + 1;
    }
    Ok(scanner.finish())
}

struct Scanner<'t> {
    text: &'t [u8],
    scan: Scan,
    phase: Option<u32>,
    /// The fence of the code block we are in.
    fence: Option<line::Fence>,
    /// Whether a comment of an earlier line goes on.
    in_comment: bool,
    /// The line before the present one.
    number: u32,
}

impl Scanner<'_> {
    fn line(&mut self, start: usize, end: usize) {
        let line = &self.text[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.in_comment {
            self.in_comment = line::find_close(line).is_none();
            return;
        }
        // Most lines of code, prose and lists are told by their first character.
        let first = line.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        if let Some(open) = self.fence {
            if first.is_some_and(|byte| *byte == open.character)
                && let Some(close) = line::fence(line)
                && close.character == open.character
                && close.length >= open.length
                && close.bare
            {
                self.fence = None;
            }
            return;
        }
        match first {
            Some(b'`' | b'~') => {
                self.fence = line::fence(line);
                if self.fence.is_some() {
                    return;
                }
            }
            Some(b'#') => self.heading(line, start),
            _ => {}
        }
        let found = match first {
            Some(b'-' | b'*' | b'+' | b'0'..=b'9') => line::checkbox(line),
            _ => None,
        };
        self.markers(line, start, found);
    }

    fn heading(&mut self, line: &[u8], start: usize) {
        if let Some((level, text)) = line::heading(line) {
            self.scan.headings.push(Heading {
                level,
                text: Span::new(start + text..start + line.len()),
                line: self.number + 1,
                end: Span::new(start + line.len()..start + line.len()).end,
            });
        }
    }

    fn markers(&mut self, line: &[u8], start: usize, found: Option<line::Brackets>) {
        let number = self.number + 1;
        let within = |range: Range<usize>| Span::new(start + range.start..start + range.end);
        let mut tracked = false;
        let mut comments = Comments::new(line);
        for (at, marker) in comments.by_ref() {
            match (marker, found) {
                (Marker::Phase(id), _) => {
                    self.phase = u32::try_from(self.scan.phases.len()).ok();
                    let id = within(id);
                    self.scan.phases.push(PhaseMarker { id, line: number });
                }
                // A marker behind another one on the same line has no checkbox of its own.
                (Marker::Item(kind, id), Some(found)) if !tracked => {
                    tracked = true;
                    self.scan.items.push(Item {
                        kind,
                        done: matches!(line[found.mark], b'x' | b'X'),
                        id: within(id),
                        text: within(trimmed(line, found.text..at.max(found.text))),
                        mark: within(found.mark..found.mark).start,
                        line: number,
                        phase: self.phase,
                    });
                }
                (Marker::Item(..), _) => {}
                (Marker::Note(kind, text), _) => {
                    let close = line::find_close(&line[text.end..]);
                    let comment_end = text.end + close.unwrap_or(0) + 3;
                    self.scan.notes.push(Note {
                        kind,
                        text: within(text),
                        comment: within(at..comment_end),
                        line: number,
                        phase: self.phase,
                    });
                }
            }
        }
        self.in_comment = comments.open;
        if let (Some(found), false) = (found, tracked) {
            self.scan.untracked.push(Checkbox {
                done: matches!(line[found.mark], b'x' | b'X'),
                text: within(trimmed(line, found.text..line.len())),
                line: number,
                phase: self.phase,
            });
        }
    }

    /// Drops what repeats an id that was there before.
    fn finish(mut self) -> Scan {
        let text = self.text;
        let repeated = &mut self.scan.repeated;
        for kind in [ItemKind::Task, ItemKind::Acceptance] {
            let count = self
                .scan
                .items
                .iter()
                .filter(|item| item.kind == kind)
                .count();
            let mut seen = FirstSeen::new(text, count);
            self.scan.items.retain(|item| {
                let known = (item.kind == kind).then(|| seen.place(item.id, item.line));
                match known.flatten() {
                    Some(first) => repeated.push(again(item.id, first, item.line)),
                    None => return true,
                }
                false
            });
        }
        let phases = std::mem::take(&mut self.scan.phases);
        let mut seen = FirstSeen::new(text, phases.len());
        let mut kept: Vec<PhaseMarker> = Vec::with_capacity(phases.len());
        let mut moved = Vec::with_capacity(phases.len());
        for phase in phases {
            let position = u32::try_from(kept.len()).unwrap_or(u32::MAX);
            if let Some(first) = seen.place(phase.id, position) {
                let first_line = kept[first as usize].line;
                repeated.push(again(phase.id, first_line, phase.line));
                moved.push(first);
            } else {
                moved.push(position);
                kept.push(phase);
            }
        }
        if !repeated.is_empty() {
            // What stands under a repeated marker belongs to the phase of that name.
            let settle = |phase: &mut Option<u32>| *phase = phase.map(|old| moved[old as usize]);
            self.scan
                .items
                .iter_mut()
                .for_each(|item| settle(&mut item.phase));
            self.scan
                .notes
                .iter_mut()
                .for_each(|note| settle(&mut note.phase));
            self.scan
                .untracked
                .iter_mut()
                .for_each(|found| settle(&mut found.phase));
        }
        self.scan.phases = kept;
        self.scan
    }
}

fn again(id: Span, first: u32, again: u32) -> Repeated {
    Repeated { id, first, again }
}

/// Which ids were seen, and with which number first. An id takes some twenty bytes of table and twelve
/// for its entry: a map of the standard library would take twice as much.
struct FirstSeen<'t> {
    text: &'t [u8],
    seed: u64,
    /// Positions in `entries` plus one, below the upper half of the hash; zero is free. At most
    /// half full.
    table: Vec<u64>,
    entries: Vec<(Span, u32)>,
}

impl<'t> FirstSeen<'t> {
    fn new(text: &'t [u8], count: usize) -> Self {
        Self {
            text,
            seed: RandomState::new().build_hasher().finish(),
            table: vec![0; (count * 2).next_power_of_two()],
            entries: Vec::with_capacity(count),
        }
    }

    /// A hash that takes a few instructions for eight bytes. Its seed differs from run to run, so
    /// that nobody can prepare ids that all meet in one place.
    fn hash(&self, bytes: &[u8]) -> u64 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut hash = self.seed ^ bytes.len() as u64;
        let mut mix = |word: u64| {
            let product = u128::from(hash ^ word) * u128::from(ODD ^ self.seed.rotate_left(32) | 1);
            #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
            let folded = (product as u64) ^ ((product >> 64) as u64);
            hash = folded;
        };
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        mix(u64::from_le_bytes(last));
        hash
    }

    /// The number that the id was first seen with; `None`, and remembered, when it is new.
    fn place(&mut self, id: Span, number: u32) -> Option<u32> {
        let bytes = id.of(self.text);
        let mask = self.table.len() - 1;
        let hash = self.hash(bytes);
        let tag = hash & !u64::from(u32::MAX);
        let mut slot = usize::try_from(hash).unwrap_or(0) & mask;
        while self.table[slot] != 0 {
            let taken = self.table[slot];
            if taken & !u64::from(u32::MAX) == tag {
                let position = usize::try_from(taken ^ tag).unwrap_or(0);
                let (known, first) = self.entries[position - 1];
                if known.of(self.text) == bytes {
                    return Some(first);
                }
            }
            slot = (slot + 1) & mask;
        }
        self.entries.push((id, number));
        self.table[slot] = tag | self.entries.len() as u64;
        None
    }
}

fn trimmed(line: &[u8], range: Range<usize>) -> Range<usize> {
    let part = &line[range.clone()];
    let start = part
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let rest = &part[start..];
    let end = rest
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    range.start + start..range.end - end
}
