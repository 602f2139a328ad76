//! Adding ids to checkboxes and headings that have none, without changing anything else.

use std::collections::{HashMap, HashSet};

use super::notes::line_end;
use super::scan::{Heading, Scan, TooLong, scan};
use crate::document::{Edit, Splice};

/// The maximum length of an id made from text, without the number that makes it unique.
const MAX_SLUG: usize = 40;

/// The edit that adds a `TASK` marker to every checkbox without an id, and a `CHECKPOINT` marker to every phase
/// heading without one. Phase headings are those of the shallowest level that has checkboxes directly below it.
/// `taken` contains the ids in use; new ids are added to it.
pub fn mark(text: &[u8], taken: &mut HashSet<String>) -> Result<Edit, TooLong> {
    let scan = scan(text)?;
    let words = |span: super::Span| String::from_utf8_lossy(span.of(text)).into_owned();
    taken.extend(scan.items.iter().map(|item| words(item.id)));
    taken.extend(scan.phases.iter().map(|phase| words(phase.id)));
    let mut ids = Ids {
        taken,
        next: HashMap::new(),
    };
    let mut splices = Vec::new();
    for heading in phase_headings(&scan) {
        let id = ids.unique(slug(&words(heading.text), "phase"));
        let newline = line_end(text, heading.end as usize);
        splices.push(insertion(
            heading.end as usize,
            format!("{newline}<!-- CHECKPOINT: {id} -->"),
        ));
    }
    for found in scan.untracked.iter().filter(|found| !found.is_marked) {
        let id = ids.unique(slug(&words(found.text), "task"));
        splices.push(insertion(
            before_open_comment(text, found.text.range()),
            format!(" <!-- TASK: {id} -->"),
        ));
    }
    Ok(Edit::new(splices))
}

/// The end of a text, or the start of a comment in it that continues on the next line: a marker after that would
/// close the comment.
fn before_open_comment(text: &[u8], range: std::ops::Range<usize>) -> usize {
    let words = &text[range.clone()];
    let open = memchr::memmem::rfind(words, b"<!--");
    let open = open.filter(|open| memchr::memmem::find(&words[*open..], b"-->").is_none());
    match open {
        Some(open) => range.start + words[..open].trim_ascii_end().len(),
        None => range.end,
    }
}

fn insertion(offset: usize, new: String) -> Splice {
    Splice {
        offset,
        old: Vec::new(),
        new: new.into_bytes(),
    }
}

/// The phase headings that have no marker in their section.
fn phase_headings(scan: &Scan) -> Vec<Heading> {
    let boxes = scan.items.iter().map(|item| item.line);
    let mut boxes: Vec<u32> = boxes
        .chain(scan.untracked.iter().map(|found| found.line))
        .collect();
    boxes.sort_unstable();
    let markers: Vec<u32> = scan.phases.iter().map(|phase| phase.line).collect();
    let between = |lines: &[u32], from: u32, to: u32| {
        let first = lines.partition_point(|line| *line <= from);
        lines.get(first).is_some_and(|line| *line < to)
    };
    let following = scan
        .headings
        .iter()
        .skip(1)
        .map(|heading| heading.line)
        .chain([u32::MAX]);
    let direct = scan.headings.iter().zip(following);
    let direct = direct.filter(|(heading, next)| between(&boxes, heading.line, *next));
    let Some(level) = direct.map(|(heading, _)| heading.level).min() else {
        return Vec::new();
    };
    let sections = scan.headings.iter().zip(section_ends(&scan.headings));
    let phases = sections.filter(|(heading, end)| {
        let (from, to) = (heading.line, *end);
        heading.level == level && between(&boxes, from, to) && !between(&markers, from, to)
    });
    phases.map(|(heading, _)| *heading).collect()
}

/// The end of each heading's section: the next heading that is not below it.
fn section_ends(headings: &[Heading]) -> Vec<u32> {
    let mut nearest = [u32::MAX; 7];
    let mut ends: Vec<u32> = headings
        .iter()
        .rev()
        .map(|heading| {
            let level = usize::from(heading.level);
            let end = nearest[..=level].iter().copied().min().unwrap_or(u32::MAX);
            nearest[level] = heading.line;
            end
        })
        .collect();
    ends.reverse();
    ends
}

/// A readable id made from a text: its letters and digits, with `-` between words.
#[must_use]
pub fn slug(text: &str, default: &str) -> String {
    let mut slug = String::new();
    for character in text.chars() {
        if slug.len() >= MAX_SLUG {
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { default } else { slug }.to_owned()
}

/// Generates unused ids.
struct Ids<'t> {
    taken: &'t mut HashSet<String>,
    /// The number to try next, for texts that occur often.
    next: HashMap<String, usize>,
}

impl Ids<'_> {
    fn unique(&mut self, slug: String) -> String {
        if self.taken.insert(slug.clone()) {
            return slug;
        }
        let number = self.next.entry(slug.clone()).or_insert(2);
        loop {
            let id = format!("{slug}-{number}");
            *number += 1;
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}
