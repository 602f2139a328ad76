//! The lines of one version, and what each of them is.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::line;
use super::super::scan::{ItemKind, scan};
use super::{MOST_LINES, TooManyLines};

/// What a line is known by in all versions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Name<'t> {
    /// A task or criterion, by its id.
    Item(ItemKind, &'t [u8]),
    /// A phase, by its id.
    Phase(&'t [u8]),
    /// The heading of a phase, by the id of the phase.
    Heading(&'t [u8]),
    /// A checkbox without an id, by its text.
    Checkbox(Vec<u8>),
    /// Any other line, by its content.
    Text(&'t [u8]),
}

impl Name<'_> {
    /// Whether its content is merged by itself.
    pub(super) fn is_thing(&self) -> bool {
        !matches!(self, Self::Text(_))
    }
}

/// How a line takes part in the merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing but white space.
    Blank,
    /// Lines that stand for themselves, in any order: tasks, criteria, markers.
    Structure,
    /// Everything else. Its order and its neighbours matter.
    Prose,
}

/// One line.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// Without the line ending.
    pub(super) content: &'t [u8],
    pub(super) ending: &'t [u8],
    /// The mark between the brackets, in the content.
    pub(super) mark: Option<Range<usize>>,
    pub(super) name: Name<'t>,
    pub(super) role: Role,
    pub(super) is_note: bool,
    /// The line without its id and its mark, if it is a checkbox.
    pub(super) bare: Option<Vec<u8>>,
    /// What lines are compared by: equal for equal names, except where a change must be seen.
    pub(super) key: u32,
}

impl Line<'_> {
    /// The content before and after the mark.
    pub(super) fn around_mark(&self) -> (&[u8], &[u8]) {
        match &self.mark {
            Some(mark) => (&self.content[..mark.start], &self.content[mark.end..]),
            None => (self.content, &[]),
        }
    }

    pub(super) fn mark(&self) -> Option<&[u8]> {
        self.mark.clone().map(|mark| &self.content[mark])
    }
}

/// The lines of one version.
pub(super) struct Text<'t> {
    pub(super) lines: Vec<Line<'t>>,
}

impl<'t> Text<'t> {
    pub(super) fn read(text: &'t [u8]) -> Result<Self, TooManyLines> {
        let mut lines = Vec::new();
        let mut starts = Vec::new();
        let mut start = 0;
        for whole in text.split_inclusive(|byte| *byte == b'\n') {
            if lines.len() == MOST_LINES {
                return Err(TooManyLines);
            }
            starts.push(start);
            start += whole.len();
            lines.push(plain(whole));
        }
        let mut read = Self { lines };
        read.name_things(text, &starts)?;
        Ok(read)
    }

    /// Names the lines that the scan finds something on.
    fn name_things(&mut self, text: &'t [u8], starts: &[usize]) -> Result<(), TooManyLines> {
        let scan = scan(text).map_err(|_| TooManyLines)?;
        let at = |number: u32| number as usize - 1;
        for note in &scan.notes {
            let line = &mut self.lines[at(note.line)];
            line.is_note = true;
            line.role = Role::Structure;
        }
        let headings: HashSet<usize> = scan.headings.iter().map(|found| at(found.line)).collect();
        for phase in &scan.phases {
            let id = phase.id.of(text);
            let line = at(phase.line);
            self.name(line, Name::Phase(id));
            let is_blank = |at: &usize| self.lines[*at].role == Role::Blank;
            let above = (0..line).rev().find(|at| !is_blank(at));
            if let Some(heading) = above.filter(|at| headings.contains(at)) {
                self.name(heading, Name::Heading(id));
            }
        }
        for found in scan.untracked.iter().filter(|found| !found.is_marked) {
            let line = &mut self.lines[at(found.line)];
            let Some(brackets) = line::checkbox(line.content) else {
                continue;
            };
            line.mark = Some(mark_at(line.content, brackets.mark));
            let bare = without_mark(line.content, line.mark.as_ref());
            line.name = Name::Checkbox(bare.clone());
            line.bare = Some(bare);
            line.role = Role::Prose;
        }
        for item in &scan.items {
            let start = starts[at(item.line)];
            let line = &mut self.lines[at(item.line)];
            let id = item.id.range();
            line.mark = Some(mark_at(line.content, item.mark as usize - start));
            line.bare = Some(without_id(line, id.start - start..id.end - start));
            self.name(at(item.line), Name::Item(item.kind, item.id.of(text)));
        }
        self.forget_repeated_checkboxes();
        Ok(())
    }

    fn name(&mut self, at: usize, name: Name<'t>) {
        self.lines[at].name = name;
        self.lines[at].role = Role::Structure;
    }

    /// Checkboxes with the same text cannot be told apart, so they are ordinary lines.
    fn forget_repeated_checkboxes(&mut self) {
        let mut counts: HashMap<Vec<u8>, usize> = HashMap::new();
        for bare in self.lines.iter().filter_map(|line| line.bare.clone()) {
            *counts.entry(bare).or_default() += 1;
        }
        for line in &mut self.lines {
            let Some(bare) = &line.bare else { continue };
            if counts.get(bare).is_some_and(|count| *count > 1) {
                line.bare = None;
                if matches!(line.name, Name::Checkbox(_)) {
                    line.forget_name();
                }
            }
        }
    }

    /// The lines directly below a task or checkbox that belong to it: indented deeper, and nothing in themselves.
    pub(super) fn details(&self, at: usize) -> Vec<usize> {
        let indent = |at: usize| line::indent(self.lines[at].content);
        let is_detail = |below: &usize| {
            let line = &self.lines[*below];
            line.role == Role::Blank || (!line.name.is_thing() && indent(*below) > indent(at))
        };
        if self.lines[at].mark.is_none() {
            return Vec::new();
        }
        let below = (at + 1..self.lines.len()).take_while(is_detail);
        below
            .filter(|at| self.lines[*at].role != Role::Blank)
            .collect()
    }

    /// Where each thing is.
    pub(super) fn things(&self) -> HashMap<&Name<'t>, usize> {
        let lines = self.lines.iter().enumerate();
        let things = lines.filter(|(_, line)| line.name.is_thing());
        things.map(|(at, line)| (&line.name, at)).collect()
    }
}

impl<'t> Line<'t> {
    /// Makes it an ordinary line.
    pub(super) fn forget_name(&mut self) {
        self.name = Name::Text(self.content);
        self.mark = None;
    }
}

fn plain(whole: &[u8]) -> Line<'_> {
    let content = whole.strip_suffix(b"\n").unwrap_or(whole);
    let content = content.strip_suffix(b"\r").unwrap_or(content);
    let is_blank = content.iter().all(u8::is_ascii_whitespace);
    Line {
        content,
        ending: &whole[content.len()..],
        mark: None,
        name: Name::Text(content),
        role: if is_blank { Role::Blank } else { Role::Prose },
        is_note: false,
        bare: None,
        key: 0,
    }
}

/// The range of the mark, which is one character of any length.
pub(super) fn mark_at(content: &[u8], start: usize) -> Range<usize> {
    let length = content[start..].iter().position(|byte| *byte == b']');
    start..start + length.unwrap_or(0)
}

pub(super) fn without_mark(content: &[u8], mark: Option<&Range<usize>>) -> Vec<u8> {
    let mut bare = content.to_vec();
    if let Some(mark) = mark {
        bare.drain(mark.clone());
    }
    bare.truncate(bare.trim_ascii_end().len());
    bare
}

/// A line as it was before `ckpt plan mark`, without its mark.
fn without_id(line: &Line<'_>, id: Range<usize>) -> Vec<u8> {
    let content = line.content;
    let start = memchr::memmem::rfind(&content[..id.start], b"<!--").unwrap_or(id.start);
    let end = memchr::memmem::find(&content[id.end..], b"-->");
    let end = end.map_or(content.len(), |end| id.end + end + b"-->".len());
    let mut bare = content[..start].trim_ascii_end().to_vec();
    bare.extend_from_slice(&content[end..]);
    match &line.mark {
        Some(mark) if mark.end <= bare.len() => without_mark(&bare, Some(mark)),
        _ => without_mark(&bare, None),
    }
}
