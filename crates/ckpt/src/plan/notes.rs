//! Adding decisions and blockers to the Markdown, and removing blockers.

use super::operations::{Concern, Present};
use super::outline::{Source, UNNAMED_PHASE, phase_name};
use super::refusal::Refusal;
use super::scan::{NoteKind, Scan, scan};
use crate::document::{Edit, Splice};

/// The text, if it fits into a marker.
pub(super) fn one_line(what: &'static str, text: &str) -> Result<String, Refusal> {
    let text = text.trim();
    if text.is_empty() || text.contains("-->") || text.contains(['\n', '\r']) {
        return Err(Refusal::NotOneLine(what));
    }
    Ok(text.to_owned())
}

/// The edit that adds a marker at the end of the phase it concerns, or else of the plan.
pub(super) fn insert(
    present: &Present<'_>,
    kind: NoteKind,
    text: &str,
    concern: &Concern,
) -> Result<(usize, Edit), Refusal> {
    let comment = match kind {
        NoteKind::Decision => format!("<!-- DECISION: {text} -->"),
        NoteKind::Blocker => format!("<!-- BLOCKER: {text} -->"),
    };
    let phase = match concern {
        Concern::Phase(id) => match present.outline.phases.iter().any(|phase| phase.id == *id) {
            true => Some(id.as_str()),
            false => return Err(Refusal::UnknownPhase(id.clone())),
        },
        Concern::Current => {
            let mut open = present.outline.tasks().filter(|(_, task)| !task.done);
            open.next().map(|(phase, _)| phase.id.as_str())
        }
    };
    let place = match phase {
        Some(phase) => end_of_phase(present.sources, phase)?,
        None => None,
    };
    let places = place
        .into_iter()
        .chain([(0, present.sources[0].text.len())]);
    for (source, end) in places {
        let name = present.sources[source].name;
        let text = present.sources[source].text;
        let edit = line_before(text, end, &comment);
        if is_seen(name, text, &edit)? {
            return Ok((source, edit));
        }
    }
    Err(Refusal::NoPlace {
        name: present.sources[0].name.to_owned(),
    })
}

pub(super) fn scanned(source: &Source<'_>) -> Result<Scan, Refusal> {
    scan(source.text).map_err(|_| Refusal::TooLong {
        name: source.name.to_owned(),
    })
}

/// The source that contains a phase, and the offset where the phase ends.
pub(super) fn end_of_phase(
    sources: &[Source<'_>],
    phase: &str,
) -> Result<Option<(usize, usize)>, Refusal> {
    for (position, source) in sources.iter().enumerate() {
        let scan = scanned(source)?;
        let text = source.text;
        let is_it = |id: super::Span| id.of(text) == phase.as_bytes();
        let marker = scan.phases.iter().position(|marker| is_it(marker.id));
        // Text above the first marker belongs to the phase that the file is for.
        let is_unnamed = match position {
            0 => phase == UNNAMED_PHASE,
            _ => phase == phase_name(source.name),
        };
        let next = match marker {
            Some(marker) => marker + 1,
            None if is_unnamed => 0,
            None => continue,
        };
        let end = match scan.phases.get(next) {
            Some(next) => start_of_section(text, &scan, next.id.range().start, next.line),
            None => text.len(),
        };
        return Ok(Some((position, end)));
    }
    Ok(None)
}

/// The start of a marker's section: its heading, if only blank lines separate them.
fn start_of_section(text: &[u8], scan: &Scan, marker: usize, line: u32) -> usize {
    let start = |at: usize| memchr::memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1);
    let marker = start(marker);
    let above = scan.headings.partition_point(|heading| heading.line < line);
    match above.checked_sub(1).map(|above| &scan.headings[above]) {
        Some(heading) if text[heading.end as usize..marker].trim_ascii().is_empty() => {
            start(heading.text.range().start)
        }
        _ => marker,
    }
}

/// The edit that adds a line after the last text before `end`.
fn line_before(text: &[u8], end: usize, line: &str) -> Edit {
    let at = text[..end].trim_ascii_end().len();
    let newline = line_end(text, at);
    let new = match at {
        0 => format!("{line}{newline}"),
        _ => format!("{newline}{line}"),
    };
    Edit::new(vec![Splice {
        offset: at,
        old: Vec::new(),
        new: new.into_bytes(),
    }])
}

/// The line ending used around an offset.
pub(super) fn line_end(text: &[u8], at: usize) -> &'static str {
    let after = memchr::memchr(b'\n', &text[at..]).map(|found| at + found);
    let newline = after.or_else(|| memchr::memrchr(b'\n', &text[..at]));
    match newline {
        Some(newline) if text[..newline].ends_with(b"\r") => "\r\n",
        _ => "\n",
    }
}

/// Whether the edit adds exactly one visible marker and leaves everything else unchanged.
fn is_seen(name: &str, text: &[u8], edit: &Edit) -> Result<bool, Refusal> {
    let after = edit.apply(text).expect("the edit was made for this text");
    let (before, after) = (
        scanned(&Source { name, text })?,
        scanned(&Source { name, text: &after })?,
    );
    let counts = |scan: &Scan| (scan.items.len(), scan.phases.len(), scan.untracked.len());
    Ok(after.notes.len() == before.notes.len() + 1 && counts(&before) == counts(&after))
}

/// The edits that remove every marker of this kind with this text, including its line if nothing else is on it.
pub(super) fn remove(
    sources: &[Source<'_>],
    kind: NoteKind,
    text: &str,
) -> Result<Vec<(usize, Edit)>, Refusal> {
    let mut edits = Vec::new();
    for (position, source) in sources.iter().enumerate() {
        let scan = scanned(source)?;
        let is_it = |note: &&super::Note| {
            note.kind == kind && String::from_utf8_lossy(note.text.of(source.text)) == text
        };
        let notes = scan.notes.iter().filter(is_it);
        let splices: Vec<Splice> = notes
            .map(|note| removal(source.text, note.comment.range()))
            .collect();
        if !splices.is_empty() {
            edits.push((position, Edit::new(splices)));
        }
    }
    Ok(edits)
}

fn removal(text: &[u8], comment: std::ops::Range<usize>) -> Splice {
    let start = memchr::memrchr(b'\n', &text[..comment.start]).map_or(0, |newline| newline + 1);
    let newline = memchr::memchr(b'\n', &text[comment.end..]);
    let end = newline.map_or(text.len(), |found| comment.end + found);
    let before = &text[start..comment.start];
    let alone = before.trim_ascii().is_empty() && text[comment.end..end].trim_ascii().is_empty();
    let range = match (alone, newline) {
        (true, Some(_)) => start..end + 1,
        // The last line has no line end of its own, so remove the one before it.
        (true, None) => without_line_end(&text[..start]).len()..end,
        (false, _) => start + before.trim_ascii_end().len()..comment.end,
    };
    Splice {
        offset: range.start,
        old: text[range].to_vec(),
        new: Vec::new(),
    }
}

fn without_line_end(text: &[u8]) -> &[u8] {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.strip_suffix(b"\r").unwrap_or(text)
}
