//! A plan read slowly and obviously: line by line, with regular expressions, as `docs/formats.md` describes it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use ckpt::plan::{ItemKind, NoteKind, Scan, StrayReason};
use regex::bytes::Regex;

/// Everything that a scan finds, in a form that can be compared.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) phases: Vec<Phase>,
    pub(super) items: Vec<Item>,
    pub(super) notes: Vec<Note>,
    pub(super) untracked: Vec<Checkbox>,
    pub(super) headings: Vec<Heading>,
    /// By the line that is ignored.
    pub(super) repeated: Vec<Repeated>,
    pub(super) strays: Vec<Stray>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Phase {
    pub(super) id: Range<usize>,
    pub(super) line: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) kind: &'static str,
    pub(super) done: bool,
    pub(super) id: Range<usize>,
    pub(super) text: Range<usize>,
    pub(super) mark: usize,
    pub(super) line: u32,
    pub(super) phase: Option<usize>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) kind: &'static str,
    pub(super) text: Range<usize>,
    pub(super) comment: Range<usize>,
    pub(super) line: u32,
    pub(super) phase: Option<usize>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Checkbox {
    pub(super) done: bool,
    pub(super) text: Range<usize>,
    pub(super) line: u32,
    pub(super) phase: Option<usize>,
    pub(super) is_marked: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) text: Range<usize>,
    pub(super) line: u32,
    pub(super) end: usize,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Repeated {
    pub(super) again: u32,
    pub(super) id: (usize, usize),
    pub(super) first: u32,
    pub(super) open: Option<(usize, usize)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stray {
    /// The kind of a task or criterion without a checkbox; empty if its id is invalid.
    pub(super) kind: &'static str,
    pub(super) id: Range<usize>,
    pub(super) line: u32,
}

/// What the scan under test has found.
pub(super) fn found(scan: &Scan) -> Facts {
    let place = |phase: Option<u32>| phase.map(|phase| phase as usize);
    let bounds = |range: Range<usize>| (range.start, range.end);
    let items = scan.items.iter().map(|item| Item {
        kind: item.kind.marker(),
        done: item.done,
        id: item.id.range(),
        text: item.text.range(),
        mark: item.mark as usize,
        line: item.line,
        phase: place(item.phase),
    });
    let notes = scan.notes.iter().map(|note| Note {
        kind: match note.kind {
            NoteKind::Decision => "DECISION",
            NoteKind::Blocker => "BLOCKER",
        },
        text: note.text.range(),
        comment: note.comment.range(),
        line: note.line,
        phase: place(note.phase),
    });
    let phases = scan.phases.iter().map(|phase| Phase {
        id: phase.id.range(),
        line: phase.line,
    });
    let untracked = scan.untracked.iter().map(|found| Checkbox {
        done: found.done,
        text: found.text.range(),
        line: found.line,
        phase: place(found.phase),
        is_marked: found.is_marked,
    });
    let headings = scan.headings.iter().map(|heading| Heading {
        level: heading.level.into(),
        text: heading.text.range(),
        line: heading.line,
        end: heading.end as usize,
    });
    let repeated = scan.repeated.iter().map(|again| Repeated {
        again: again.again,
        id: bounds(again.id.range()),
        first: again.first,
        open: again.open.map(|text| bounds(text.range())),
    });
    let strays = scan.strays.iter().map(|stray| Stray {
        kind: match stray.why {
            StrayReason::NoCheckbox(kind) => kind.marker(),
            StrayReason::BadId => "",
        },
        id: stray.id.range(),
        line: stray.line,
    });
    let mut repeated: Vec<Repeated> = repeated.collect();
    repeated.sort();
    Facts {
        phases: phases.collect(),
        items: items.collect(),
        notes: notes.collect(),
        untracked: untracked.collect(),
        headings: headings.collect(),
        repeated,
        strays: strays.collect(),
    }
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a regular expression")
}

/// A bullet, brackets with one character between them, and white space or the end of the line. A character has as many
/// bytes as its first one says.
static CHECKBOX: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?s-u)^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[([^\]\xc0-\xff]|[\xc0-\xdf].|[\xe0-\xef]..|[\xf0-\xff]...)\](?:[ \t\r]|$)",
    )
});

/// A checkbox within a line, in its usual form.
static INNER_CHECKBOX: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s-u)- \[([ xX])\] "));

static COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s-u)<!--(.*?)-->"));

/// The inside of a comment that is a marker.
static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?s-u)^[ \t]*(TASK|ACCEPT|CHECKPOINT|DECISION|BLOCKER):[ \t]*(.*?)[ \t]*$")
});

static ID: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u)^[A-Za-z0-9_.-]+$"));

/// The beginning of a fenced code block.
static FENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s-u)^[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$"));

/// What may end a fenced code block.
static CLOSING_FENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s-u)^[ \t]*(`{3,}|~{3,})[ \t\r\x0c]*$"));

static HEADING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s-u)^[ \t]{0,3}(#{1,6})(?:[ \t]+()|()\r|()$)"));

/// Reads a plan.
pub(super) fn read(text: &[u8]) -> Facts {
    Reader::over(text).without_repeated(text)
}

/// Where a comment begins that continues on the next line: the number of the line, and the rest of the line.
pub(super) fn open_comments(text: &[u8]) -> Vec<(u32, Range<usize>)> {
    Reader::over(text).open_comments
}

/// Whether each line stands for itself: there is neither a code block nor a comment of several lines.
pub(super) fn is_flat(text: &[u8]) -> bool {
    let reader = Reader::over(text);
    !reader.has_code && reader.open_comments.is_empty()
}

#[derive(Default)]
struct Reader {
    facts: Facts,
    /// The fence of the code block that the line is in.
    fence: Option<Vec<u8>>,
    /// Whether a comment began on an earlier line.
    in_comment: bool,
    has_code: bool,
    open_comments: Vec<(u32, Range<usize>)>,
}

impl Reader {
    fn over(text: &[u8]) -> Self {
        let mut reader = Self::default();
        // Some editors begin a file with a byte order mark.
        let mut start = match text.starts_with("\u{feff}".as_bytes()) {
            true => "\u{feff}".len(),
            false => 0,
        };
        for (number, line) in (1..).zip(text[start..].split(|byte| *byte == b'\n')) {
            reader.line(number, start, line.strip_suffix(b"\r").unwrap_or(line));
            start += line.len() + 1;
        }
        reader
    }

    fn line(&mut self, number: u32, start: usize, line: &[u8]) {
        if self.in_comment {
            self.in_comment = !contains(line, b"-->");
            return;
        }
        if let Some(open) = &self.fence {
            let close = CLOSING_FENCE.captures(line).map(|close| close[1].to_vec());
            // A fence closes one of the same character that is not longer.
            if close.is_some_and(|close| close.starts_with(open)) {
                self.fence = None;
            }
            return;
        }
        if let Some(open) = FENCE.captures(line) {
            let open = open.get(1).or(open.get(2)).expect("one of the two");
            self.fence = Some(open.as_bytes().to_vec());
            self.has_code = true;
            return;
        }
        if let Some(found) = HEADING.captures(line) {
            let text = (2..=4).find_map(|group| found.get(group));
            let text = text.expect("one of the three").start();
            self.facts.headings.push(Heading {
                level: found[1].len(),
                text: start + text..start + line.len(),
                line: number,
                end: start + line.len(),
            });
        }
        self.markers(number, start, line);
    }

    fn markers(&mut self, number: u32, start: usize, line: &[u8]) {
        let within = |range: Range<usize>| start + range.start..start + range.end;
        let is_done = |mark: &[u8]| matches!(mark, b"x" | b"X");
        let own_box = CHECKBOX.captures(line).map(|found| {
            let mark = found.get(1).expect("there is a mark");
            (mark.start(), is_done(mark.as_bytes()), mark.end() + 1)
        });
        let mut is_tracked = false;
        let mut before = 0;
        for comment in COMMENT.captures_iter(line) {
            let whole = comment.get(0).expect("the comment").range();
            let inner = comment.get(1).expect("its inside");
            let Some(marker) = MARKER.captures(inner.as_bytes()) else {
                continue;
            };
            let content = marker.get(2).expect("its content").range();
            if content.is_empty() {
                continue;
            }
            let last = std::mem::replace(&mut before, whole.end);
            let content = inner.start() + content.start..inner.start() + content.end;
            let is_id = ID.is_match(&line[content.clone()]);
            let phase = self.facts.phases.len().checked_sub(1);
            match (&marker[1], is_id) {
                (b"DECISION", _) | (b"BLOCKER", _) => self.facts.notes.push(Note {
                    kind: match &marker[1] {
                        b"DECISION" => "DECISION",
                        _ => "BLOCKER",
                    },
                    text: within(content),
                    comment: within(whole),
                    line: number,
                    phase,
                }),
                (_, false) => self.facts.strays.push(Stray {
                    kind: "",
                    id: within(content),
                    line: number,
                }),
                (b"CHECKPOINT", true) => self.facts.phases.push(Phase {
                    id: within(content),
                    line: number,
                }),
                (word, true) => {
                    let kind = match word {
                        b"TASK" => ItemKind::Task.marker(),
                        _ => ItemKind::Acceptance.marker(),
                    };
                    if let (Some((mark, done, text)), false) = (own_box, is_tracked) {
                        is_tracked = true;
                        self.facts.items.push(Item {
                            kind,
                            done,
                            id: within(content),
                            text: within(trimmed(line, text..whole.start)),
                            mark: start + mark,
                            line: number,
                            phase,
                        });
                        continue;
                    }
                    self.facts.strays.push(Stray {
                        kind,
                        id: within(content),
                        line: number,
                    });
                    let part = &line[last..whole.start];
                    if let Some(found) = INNER_CHECKBOX.captures(part) {
                        let text = last + found.get(0).expect("the box").end();
                        let text = trimmed(line, text..whole.start);
                        if !text.is_empty() {
                            self.facts.untracked.push(Checkbox {
                                done: is_done(&found[1]),
                                text: within(text),
                                line: number,
                                phase,
                                is_marked: true,
                            });
                        }
                    }
                }
            }
        }
        let after = COMMENT.find_iter(line).last().map_or(0, |last| last.end());
        let open = line[after..].windows(4).position(|found| found == b"<!--");
        self.in_comment = open.is_some();
        let rest = open.map(|open| within(after + open..line.len()));
        self.open_comments.extend(rest.map(|rest| (number, rest)));
        if let (Some((_, done, text)), false) = (own_box, is_tracked) {
            self.facts.untracked.push(Checkbox {
                done,
                text: within(trimmed(line, text..line.len())),
                line: number,
                phase: self.facts.phases.len().checked_sub(1),
                is_marked: false,
            });
        }
    }

    /// The first of equal ids counts. What is below a repeated phase belongs to the first one of that name.
    fn without_repeated(self, text: &[u8]) -> Facts {
        let mut facts = self.facts;
        let bounds = |range: &Range<usize>| (range.start, range.end);
        let mut seen: HashMap<(&str, &[u8]), u32> = HashMap::new();
        let mut items = Vec::new();
        for item in facts.items {
            let key = (item.kind, &text[item.id.clone()]);
            match seen.get(&key) {
                Some(first) => facts.repeated.push(Repeated {
                    again: item.line,
                    id: bounds(&item.id),
                    first: *first,
                    open: (!item.done).then_some(bounds(&item.text)),
                }),
                None => {
                    seen.insert(key, item.line);
                    items.push(item);
                }
            }
        }
        facts.items = items;
        let mut phases: Vec<Phase> = Vec::new();
        let mut places = Vec::new();
        for phase in facts.phases {
            let id = &text[phase.id.clone()];
            let known = phases
                .iter()
                .position(|known| text[known.id.clone()] == *id);
            places.push(known.unwrap_or(phases.len()));
            match known {
                Some(known) => facts.repeated.push(Repeated {
                    again: phase.line,
                    id: bounds(&phase.id),
                    first: phases[known].line,
                    open: None,
                }),
                None => phases.push(phase),
            }
        }
        facts.phases = phases;
        facts.repeated.sort();
        let place = |phase: &mut Option<usize>| *phase = phase.map(|at| places[at]);
        facts
            .items
            .iter_mut()
            .for_each(|item| place(&mut item.phase));
        facts
            .notes
            .iter_mut()
            .for_each(|note| place(&mut note.phase));
        let untracked = facts.untracked.iter_mut();
        untracked.for_each(|found| place(&mut found.phase));
        facts
    }
}

fn contains(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|found| found == word)
}

fn trimmed(line: &[u8], range: Range<usize>) -> Range<usize> {
    let part = &line[range.clone()];
    let start = range.start + part.len() - part.trim_ascii_start().len();
    start..start + part.trim_ascii().len()
}
