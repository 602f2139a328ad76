//! Adding ids to checkboxes and headings that have none, without changing anything else.

use std::collections::{HashMap, HashSet};

use super::notes::line_end;
use super::scan::{Heading, ItemKind, Scan, TooLong, scan};
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
    for heading in phase_headings(&scan, text) {
        let id = ids.unique(slug(&words(heading.text), "phase"));
        let newline = line_end(text, heading.end as usize);
        splices.push(insertion(
            heading.end as usize,
            format!("{newline}<!-- CHECKPOINT: {id} -->"),
        ));
    }
    for found in scan.untracked.iter().filter(|found| !found.is_marked) {
        let above = heading_above(&scan, found.line);
        let is_criterion = above.is_some_and(|heading| is_acceptance(&words(heading.text)));
        let kind = match is_criterion {
            true => ItemKind::Acceptance,
            false => ItemKind::Task,
        };
        let id = ids.unique(slug(&words(found.text), "task"));
        splices.push(insertion(
            before_open_comment(text, found.text.range()),
            format!(" <!-- {}: {id} -->", kind.marker()),
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

/// The heading that a line is below.
fn heading_above(scan: &Scan, line: u32) -> Option<&Heading> {
    let after = scan.headings.partition_point(|heading| heading.line < line);
    scan.headings.get(after.checked_sub(1)?)
}

/// The phase headings that have no marker in their section. A marker there must not take a task that already has an id
/// out of its phase, and the criteria of a phase are no phase of their own.
fn phase_headings(scan: &Scan, text: &[u8]) -> Vec<Heading> {
    let is_criteria =
        |heading: &Heading| is_acceptance(&String::from_utf8_lossy(heading.text.of(text)));
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
    let direct = direct
        .filter(|(heading, next)| between(&boxes, heading.line, *next) && !is_criteria(heading));
    let Some(level) = direct.map(|(heading, _)| heading.level).min() else {
        return Vec::new();
    };
    let sections = scan.headings.iter().zip(section_ends(&scan.headings));
    let tracked: Vec<u32> = scan.items.iter().map(|item| item.line).collect();
    let phases = sections.filter(|(heading, end)| {
        let (from, to) = (heading.line, *end);
        let next = markers.partition_point(|line| *line <= from);
        let until = markers.get(next).copied().unwrap_or(u32::MAX);
        heading.level == level
            && !is_criteria(heading)
            && between(&boxes, from, to)
            && !between(&markers, from, to)
            && !between(&tracked, from, until)
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

/// A readable id made from a text: its letters and digits, with `-` between words, cut at the end of a word. Other
/// scripts are written in Latin letters, because an id has no others.
#[must_use]
pub fn slug(text: &str, default: &str) -> String {
    let mut slug = String::new();
    let mut is_whole = true;
    for character in text.chars() {
        if slug.len() > MAX_SLUG {
            is_whole = false;
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
            continue;
        }
        let latin = match character.is_ascii() {
            true => None,
            false => deunicode::deunicode_char(character),
        };
        let latin = latin.filter(|latin| latin.bytes().any(|byte| byte.is_ascii_alphanumeric()));
        // Words of scripts without spaces come with a space of their own.
        for byte in latin.unwrap_or(" ").bytes() {
            match byte {
                byte if byte.is_ascii_alphanumeric() => slug.push(byte.to_ascii_lowercase().into()),
                b'\'' => {}
                _ if slug.is_empty() || slug.ends_with('-') => {}
                _ => slug.push('-'),
            }
        }
    }
    if slug.len() > MAX_SLUG {
        is_whole = false;
        slug.truncate(MAX_SLUG + 1);
    }
    let mut end = slug.len().min(MAX_SLUG);
    if !is_whole {
        // A single word that is too long has no other place to be cut.
        end = slug.rfind('-').unwrap_or(end);
    }
    let slug = slug[..end].trim_end_matches('-');
    if slug.is_empty() { default } else { slug }.to_owned()
}

/// An id made from a text that nothing has yet.
pub(super) fn unused_id(text: &str, default: &str, taken: &mut HashSet<String>) -> String {
    let mut ids = Ids {
        taken,
        next: HashMap::new(),
    };
    ids.unique(slug(text, default))
}

/// Whether the boxes below a heading are acceptance criteria.
fn is_acceptance(heading: &str) -> bool {
    let words: Vec<String> = heading
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let phrases: [&[&str]; 5] = [
        &["acceptance"],
        &["definition", "of", "done"],
        &["done", "when"],
        &["exit", "criteria"],
        &["success", "criteria"],
    ];
    let is_in = |phrase: &&[&str]| words.windows(phrase.len()).any(|found| found == *phrase);
    phrases.iter().any(is_in)
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
