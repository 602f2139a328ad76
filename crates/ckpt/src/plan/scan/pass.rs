//! The pass over the lines of a plan, or of a part of one.

use std::ops::Range;

use super::ids::{Hasher, Ids, Naming};
use super::{Checkbox, Heading, Item, ItemKind, Note, PhaseMarker, Scan, Span, Stray, StrayReason};
use crate::plan::line::{self, Comments, Marker};

/// Most tasks take more text than this.
const SHORT_TASK: usize = 64;

pub(super) struct Pass<'t> {
    text: &'t [u8],
    scan: Scan,
    ids: Ids,
    phase: Option<u32>,
    /// The fence of the code block we are in.
    fence: Option<line::Fence>,
    /// Whether a comment of an earlier line goes on.
    in_comment: bool,
    /// The line before the present one.
    number: u32,
}

impl<'t> Pass<'t> {
    pub(super) fn new(text: &'t [u8], hasher: Hasher) -> Self {
        Self {
            text,
            scan: Scan::default(),
            ids: Ids::new(hasher),
            phase: None,
            fence: None,
            in_comment: false,
            number: 0,
        }
    }

    /// Makes room for what a text of this length usually has: growing bit by bit would move what is
    /// there again and again, and stop the other thread meanwhile. Where there is no such room it grows.
    pub(super) fn expect(&mut self, length: usize) {
        let items = length / SHORT_TASK;
        let _ = self.scan.items.try_reserve(items);
        self.ids.expect(items);
    }

    /// Reads whole lines.
    pub(super) fn read(&mut self, range: Range<usize>) {
        let text = &self.text[..range.end];
        let mut start = range.start;
        while start < text.len() {
            start = match self.usual_task(&text[start..]) {
                Some(task) => self.task(start, &task),
                None => self.any_line(start, &text[start..]),
            };
            self.number += 1;
        }
    }

    #[inline]
    fn usual_task(&self, rest: &[u8]) -> Option<line::UsualTask> {
        if self.in_comment || self.fence.is_some() {
            return None;
        }
        line::usual_task(rest)
    }

    /// Where the next line starts.
    #[inline]
    fn task(&mut self, start: usize, task: &line::UsualTask) -> usize {
        let line = &self.text[start..start + task.next];
        let within = |range: Range<usize>| Span::new(start + range.start..start + range.end);
        let id = &line[task.id.clone()];
        self.ids.item(Naming::Task, id);
        self.scan.items.push(Item {
            kind: ItemKind::Task,
            done: task.done,
            id: within(task.id.clone()),
            text: within(trimmed(line, task.text.clone())),
            mark: within(task.mark..task.mark).start,
            line: self.number + 1,
            phase: self.phase,
        });
        start + task.next
    }

    /// Where the next line starts.
    fn any_line(&mut self, start: usize, rest: &[u8]) -> usize {
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        if length > 0 {
            let line = &rest[..length];
            self.line(start, line.strip_suffix(b"\r").unwrap_or(line));
        }
        start + length + 1
    }

    fn line(&mut self, start: usize, line: &[u8]) {
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
                    self.ids.phase(&line[id.clone()]);
                    let id = within(id);
                    self.scan.phases.push(PhaseMarker { id, line: number });
                }
                // A marker behind another one on the same line has no checkbox of its own.
                (Marker::Item(kind, id), Some(found)) if !tracked => {
                    tracked = true;
                    self.ids.item(naming(kind), &line[id.clone()]);
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
                (Marker::Item(_, id), _) => self.scan.strays.push(Stray {
                    why: StrayReason::NoCheckbox,
                    id: within(id),
                    line: number,
                }),
                (Marker::BadId(id), _) => self.scan.strays.push(Stray {
                    why: StrayReason::BadId,
                    id: within(id),
                    line: number,
                }),
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

    /// Whether the next line is read as if it were the first: no code block and no comment goes on.
    pub(super) fn is_between_blocks(&self) -> bool {
        self.fence.is_none() && !self.in_comment
    }

    /// What a plan says that was read to its end.
    pub(super) fn finish(self) -> Scan {
        let text = self.text;
        let (mut scan, ids, _) = self.end();
        scan.drop_repeated(text, &ids.suspects());
        scan
    }

    /// What was found, the ids of it, and where the reading came to.
    pub(super) fn end(self) -> (Scan, Ids, Place) {
        let place = Place {
            phase: self.phase,
            line: self.number,
        };
        (self.scan, self.ids, place)
    }
}

/// How far a pass came.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The position of the last phase.
    pub(super) phase: Option<u32>,
    /// The number of the last line.
    pub(super) line: u32,
}

fn naming(kind: ItemKind) -> Naming {
    match kind {
        ItemKind::Task => Naming::Task,
        ItemKind::Acceptance => Naming::Acceptance,
    }
}

#[inline]
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
