//! Parsing one line of a plan's Markdown.

use super::scan::{ItemKind, NoteKind};

const OPEN: &[u8] = b"<!--";
const CLOSE: &[u8] = b"-->";

/// A checkbox at the start of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Brackets {
    /// The offset of the mark between the brackets.
    pub(super) mark: usize,
    /// The offset of the text after the brackets.
    pub(super) text: usize,
}

/// The columns of white space at the beginning of a line.
pub(super) fn indent(line: &[u8]) -> usize {
    let blank = line.iter().map_while(|byte| match byte {
        b' ' => Some(1),
        b'\t' => Some(4),
        _ => None,
    });
    blank.sum()
}

/// Parses `- [ ] `, `* [x]`, `+ [X]`, `1. [ ]` or `1) [ ]`, at any indentation.
pub(super) fn checkbox(line: &[u8]) -> Option<Brackets> {
    let start = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let rest = &line[start..];
    let bullet = match rest.first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match rest.get(digits) {
                Some(b'.' | b')') if digits <= 9 => digits + 1,
                _ => return None,
            }
        }
        _ => return None,
    };
    let spaces = rest[bullet..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let open = bullet + spaces;
    if spaces == 0 || rest.get(open) != Some(&b'[') {
        return None;
    }
    // The mark is one character, which may take several bytes.
    let width = match rest.get(open + 1)? {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xff => 4,
        b']' => return None,
        _ => 1,
    };
    let close = open + 1 + width;
    let after = rest.get(close + 1);
    if rest.get(close) != Some(&b']') || !matches!(after, None | Some(b' ' | b'\t' | b'\r')) {
        return None;
    }
    Some(Brackets {
        mark: start + open + 1,
        text: start + close + 1,
    })
}

/// The first `- [ ] text` in a part of a line: whether it is ticked, and its text.
pub(super) fn box_within(
    line: &[u8],
    part: std::ops::Range<usize>,
) -> Option<(bool, std::ops::Range<usize>)> {
    const BOX: usize = b"- [ ] ".len();
    let inside = &line[part.clone()];
    let boxes = inside.windows(BOX).enumerate();
    let mut boxes = boxes.filter_map(|(at, bytes)| match bytes {
        [b'-', b' ', b'[', mark @ (b' ' | b'x' | b'X'), b']', b' '] => Some((at, *mark != b' ')),
        _ => None,
    });
    let (at, done) = boxes.next()?;
    let text = part.start + at + BOX..part.end;
    let has_text = line[text.clone()]
        .iter()
        .any(|byte| !byte.is_ascii_whitespace());
    has_text.then_some((done, text))
}

/// The kind of line that makes up most of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UsualTask {
    pub(super) done: bool,
    /// The offset of the mark between the brackets.
    pub(super) mark: usize,
    /// The text between the brackets and the marker, including white space.
    pub(super) text: std::ops::Range<usize>,
    pub(super) id: std::ops::Range<usize>,
    /// The offset of the next line.
    pub(super) next: usize,
}

/// Parses `- [ ] text <!-- TASK: id -->` and its line end at the start of `text`, which may continue with any number
/// of lines. One search finds the marker or that there is none; anything unusual, such as another comment, other
/// spacing or another bullet, is left to the general functions.
#[inline]
pub(super) fn usual_task(text: &[u8]) -> Option<UsualTask> {
    const BOX: usize = b"- [ ]".len();
    const MARKER: &[u8] = b"<!-- TASK: ";
    let indent = text.iter().position(|byte| *byte != b' ')?;
    let [
        b'-',
        b' ',
        b'[',
        mark @ (b' ' | b'x' | b'X'),
        b']',
        b' ',
        rest @ ..,
    ] = &text[indent..]
    else {
        return None;
    };
    let start = indent + BOX;
    let marker = start + 1 + memchr::memchr2(b'<', b'\n', rest)?;
    let after = text[marker..].strip_prefix(MARKER)?;
    let length = after.iter().take_while(|byte| is_id_byte(**byte)).count();
    let rest = after[length..].strip_prefix(b" -->")?;
    let end = match rest {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => return None,
    };
    let id = text.len() - after.len();
    Some(UsualTask {
        done: *mark != b' ',
        mark: indent + 3,
        text: start..marker,
        id: id..id + length,
        next: text.len() - rest.len() + end,
    })
    .filter(|_| length > 0)
}

/// A marker comment; the range is its id or text within the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Marker {
    Phase(std::ops::Range<usize>),
    Item(ItemKind, std::ops::Range<usize>),
    Note(NoteKind, std::ops::Range<usize>),
    /// A task, criterion or phase with an invalid id.
    BadId(std::ops::Range<usize>),
}

/// The comments of a line, and whether the last one continues on the next line.
pub(super) struct Comments<'l> {
    line: &'l [u8],
    /// The offset after the last comment.
    pub(super) at: usize,
    /// Whether a comment is still open at the end.
    pub(super) open: bool,
}

impl<'l> Comments<'l> {
    pub(super) fn new(line: &'l [u8]) -> Self {
        Self {
            line,
            at: 0,
            open: false,
        }
    }
}

impl Iterator for Comments<'_> {
    type Item = (usize, Marker);

    /// The next marker, and the offset of its comment.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.line[self.at..];
            let start = self.at + find_open(rest)?;
            let inner = start + OPEN.len();
            let Some(length) = find_close(&self.line[inner..]) else {
                self.open = true;
                self.at = self.line.len();
                return None;
            };
            self.at = inner + length + CLOSE.len();
            if let Some(marker) = marker(self.line, inner, inner + length) {
                return Some((start, marker));
            }
        }
    }
}

fn find_open(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        if bytes[at + found..].starts_with(OPEN) {
            return Some(at + found);
        }
        at += found + 1;
    }
    None
}

/// The offset of `-->`. Searching for `>`, which is rare in prose, is faster than searching for all three characters:
/// the set-up costs more than a line is worth.
pub(super) fn find_close(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'>', &bytes[at..]) {
        let end = at + found + 1;
        if bytes[..end].ends_with(CLOSE) {
            return Some(end - CLOSE.len());
        }
        at = end;
    }
    None
}

/// Parses `KIND: content` between two offsets.
fn marker(line: &[u8], start: usize, end: usize) -> Option<Marker> {
    let start = start + leading_spaces(&line[start..end]);
    let end = end - trailing_spaces(&line[start..end]);
    let colon = start + memchr::memchr(b':', &line[start..end])?;
    let word = &line[start..colon];
    let content = colon + 1 + leading_spaces(&line[colon + 1..end]);
    let range = content..end;
    if range.is_empty() {
        return None;
    }
    let id = line[range.clone()].iter().all(|byte| is_id_byte(*byte));
    match word {
        b"TASK" if id => Some(Marker::Item(ItemKind::Task, range)),
        b"ACCEPT" if id => Some(Marker::Item(ItemKind::Acceptance, range)),
        b"CHECKPOINT" if id => Some(Marker::Phase(range)),
        b"TASK" | b"ACCEPT" | b"CHECKPOINT" => Some(Marker::BadId(range)),
        b"DECISION" => Some(Marker::Note(NoteKind::Decision, range)),
        b"BLOCKER" => Some(Marker::Note(NoteKind::Blocker, range)),
        _ => None,
    }
}

/// Ids consist of letters, digits, `_`, `-` and dots.
pub(super) fn is_id_byte(byte: u8) -> bool {
    ID_BYTES[usize::from(byte)]
}

/// A table, because every byte of every id is looked up.
static ID_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < u8::MAX {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        byte += 1;
    }
    table
};

fn leading_spaces(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

fn trailing_spaces(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// A fence that opens or closes a code block: its character, its length, and whether anything but white space
/// follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    pub(super) character: u8,
    pub(super) length: usize,
    pub(super) bare: bool,
}

/// Parses a code fence at any indentation, because it may be inside a list.
pub(super) fn fence(line: &[u8]) -> Option<Fence> {
    let start = leading_spaces(line);
    let rest = &line[start..];
    let character = *rest.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = rest.iter().take_while(|byte| **byte == character).count();
    let after = &rest[length..];
    if length < 3 || (character == b'`' && after.contains(&b'`')) {
        return None;
    }
    Some(Fence {
        character,
        length,
        bare: after.iter().all(u8::is_ascii_whitespace),
    })
}

/// The level of an ATX heading, and the offset of its text.
pub(super) fn heading(line: &[u8]) -> Option<(u8, usize)> {
    let start = leading_spaces(line);
    let level = line[start..]
        .iter()
        .take_while(|byte| **byte == b'#')
        .count();
    let after = start + level;
    let spaced = matches!(line.get(after), None | Some(b' ' | b'\t' | b'\r'));
    if start > 3 || !(1..=6).contains(&level) || !spaced {
        return None;
    }
    let text = after + leading_spaces(&line[after..]);
    Some((u8::try_from(level).ok()?, text))
}
