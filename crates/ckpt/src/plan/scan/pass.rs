//! The pass over the lines of a plan.

use std::ops::Range;

use super::{Checkbox, Heading, Item, ItemKind, Note, PhaseMarker, Scan, Span, Stray, StrayReason};
use crate::plan::line::{self, Comments, Marker, UsualTask};

/// Some editors put this at the start of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

pub(super) struct Pass<'t> {
    text: &'t [u8],
    scan: Scan,
    phase: Option<u32>,
    /// The fence of the code block we are in.
    fence: Option<line::Fence>,
    /// Whether a comment from an earlier line is still open.
    in_comment: bool,
    /// The current line, from 1.
    number: u32,
}

impl<'t> Pass<'t> {
    /// Scans a plan of at most 4 GiB.
    pub(super) fn over(text: &'t [u8]) -> Scan {
        let mut pass = Self {
            text,
            scan: Scan::default(),
            phase: None,
            fence: None,
            in_comment: false,
            number: 0,
        };
        pass.read();
        pass.scan.drop_repeated(text);
        pass.scan
    }

    fn read(&mut self) {
        let text = self.text;
        let mut start = match text.starts_with(BYTE_ORDER_MARK) {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        };
        while start < text.len() {
            self.number += 1;
            let rest = &text[start..];
            start += match self.usual_task(rest) {
                Some(task) => self.task(start, &task),
                None => self.any_line(start, rest),
            };
        }
    }

    fn usual_task(&self, rest: &[u8]) -> Option<UsualTask> {
        match self.in_comment || self.fence.is_some() {
            true => None,
            false => line::usual_task(rest),
        }
    }

    /// Returns the length of the line.
    fn task(&mut self, start: usize, task: &UsualTask) -> usize {
        let line = &self.text[start..start + task.next];
        let within = |range: Range<usize>| Span::new(start + range.start..start + range.end);
        self.scan.items.push(Item {
            kind: ItemKind::Task,
            done: task.done,
            id: within(task.id.clone()),
            text: within(trimmed(line, task.text.clone())),
            mark: within(task.mark..task.mark).start,
            line: self.number,
            phase: self.phase,
        });
        task.next
    }

    /// Returns the length of the line.
    fn any_line(&mut self, start: usize, rest: &[u8]) -> usize {
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..length];
        self.line(start, line.strip_suffix(b"\r").unwrap_or(line));
        length + 1
    }

    fn line(&mut self, start: usize, line: &[u8]) {
        if self.in_comment {
            self.in_comment = line::find_close(line).is_none();
            return;
        }
        // The first character is enough to recognise most lines of code, prose and lists.
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
                line: self.number,
                end: Span::new(start + line.len()..start + line.len()).end,
            });
        }
    }

    fn markers(&mut self, line: &[u8], start: usize, found: Option<line::Brackets>) {
        let number = self.number;
        let within = |range: Range<usize>| Span::new(start + range.start..start + range.end);
        let mut tracked = false;
        let mut comments = Comments::new(line);
        let mut before = 0;
        while let Some((at, marker)) = comments.next() {
            match (marker, found) {
                (Marker::Phase(id), _) => {
                    self.phase = u32::try_from(self.scan.phases.len()).ok();
                    let id = within(id);
                    self.scan.phases.push(PhaseMarker { id, line: number });
                }
                // A second marker on the same line has no checkbox of its own.
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
                (Marker::Item(kind, id), _) => {
                    self.scan.strays.push(Stray {
                        why: StrayReason::NoCheckbox(kind),
                        id: within(id),
                        line: number,
                    });
                    if let Some((done, text)) = line::box_within(line, before..at) {
                        self.scan.untracked.push(Checkbox {
                            done,
                            text: within(trimmed(line, text)),
                            line: number,
                            phase: self.phase,
                            is_marked: true,
                        });
                    }
                }
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
            before = comments.at;
        }
        self.in_comment = comments.open;
        if let (Some(found), false) = (found, tracked) {
            self.scan.untracked.push(Checkbox {
                done: matches!(line[found.mark], b'x' | b'X'),
                text: within(trimmed(line, found.text..line.len())),
                line: number,
                phase: self.phase,
                is_marked: false,
            });
        }
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
