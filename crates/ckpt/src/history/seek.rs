//! Finding a revision in a history of any length.
//!
//! Numbers count up within an epoch and lines are only ever appended, so the file itself is sorted and needs no index: the
//! epochs are told apart from the end, and a revision is found within its epoch, by halving the file each time. What is
//! found is checked; in a history that somebody has reordered, the lines are gone through one by one.

use std::io;

use super::read::TAIL_REACH;
use super::{Backward, Epoch, Forward, Line, Revision};
use crate::disk::DiskFile;
use crate::time::Timestamp;

/// Whether a line counts. Lines that anybody can have written are worth less than sealed ones.
pub(crate) type Counts<'c> = &'c dyn Fn(&Line) -> bool;

/// Below this size, lines are gone through one by one.
const SMALL: u64 = 64 * 1024;

/// How many lines without a revision, which others wrote, are skipped at one place.
const MOST_SKIPPED: usize = 1_000;

/// How often a revision that is there several times is tried.
const MOST_TIMES: usize = 16;

/// How many epochs are told apart from the end.
const MOST_EPOCHS: usize = 64;

/// The whole content is recorded every so many revisions at least.
const INTERVAL: u64 = 64;

/// How many bytes of whole content each revision costs at most, on average.
const SHARE: u64 = 64;

/// Whether the whole content, of this length, is recorded beside the edit of a revision. Intervals are powers of two, so
/// that contents which grow and shrink still meet.
pub(crate) fn whole_is_due(number: u64, length: usize) -> bool {
    let interval = (length as u64 / SHARE).next_power_of_two().max(INTERVAL);
    number.is_multiple_of(interval)
}

/// The offset where the line that begins a revision ends; `None` if the history does not have it.
pub(super) fn seek(
    file: &dyn DiskFile,
    revision: &Revision,
    counts: Counts<'_>,
) -> io::Result<Option<u64>> {
    let Some((exact, span)) = exactly(file, revision, counts)? else {
        return Ok(None);
    };
    if let Some(span) = span {
        let from = halved(file, span.end, |line| {
            let is_before =
                line.number()? < exact.number || line.epoch().as_ref() != Some(&span.epoch);
            Some(is_before)
        })?;
        let is_past = |number: u64| number > exact.number;
        let found = next_of(&mut Forward::after(file, from)?, &exact, counts, is_past)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    next_of(&mut naming(file, exact.number)?, &exact, counts, |_| false)
}

/// The offsets where lines end that begin a revision, if the history has it several times.
pub(super) fn everywhere(
    file: &dyn DiskFile,
    revision: &Revision,
    counts: Counts<'_>,
) -> io::Result<Vec<u64>> {
    let Some((exact, _)) = exactly(file, revision, counts)? else {
        return Ok(Vec::new());
    };
    let mut ends = Vec::new();
    let mut lines = naming(file, exact.number)?;
    while let Some(end) = next_of(&mut lines, &exact, counts, |_| false)? {
        ends.push(end);
        if ends.len() == MOST_TIMES {
            break;
        }
    }
    Ok(ends)
}

/// Whether any line names a revision, whoever wrote it.
pub(crate) fn is_named(file: &dyn DiskFile, revision: &Revision) -> io::Result<bool> {
    for line in naming(file, revision.number)? {
        let found = line?.revision();
        if found.is_some_and(|found| {
            found
                .epoch
                .is_some_and(|epoch| revision.names(found.number, &epoch))
        }) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The revision that a number alone means, with its epoch, if another epoch has the number too.
pub(crate) fn unless_alone(
    file: &dyn DiskFile,
    revision: &Revision,
    counts: Counts<'_>,
) -> io::Result<Option<Revision>> {
    let Some((exact, _)) = exactly(file, revision, counts)? else {
        return Ok(None);
    };
    for line in naming(file, exact.number)? {
        let line = line?;
        let is_another = line.number() == Some(exact.number) && line.epoch() != exact.epoch;
        if is_another && line.epoch().is_some() && counts(&line) {
            return Ok(Some(exact));
        }
    }
    Ok(None)
}

/// The lines in which a number occurs. A number has one spelling.
fn naming(file: &dyn DiskFile, number: u64) -> io::Result<Forward<'_>> {
    Ok(Forward::new(file)?.with_word(number.to_string().as_bytes()))
}

/// Lines of one epoch that follow each other.
struct Span {
    epoch: Epoch,
    /// The number of the last one.
    last: u64,
    /// Where it ends.
    end: u64,
}

/// The revision with its epoch, and the lines of that epoch, if they are found at once. A number alone is of the last epoch
/// that has come so far.
fn exactly(
    file: &dyn DiskFile,
    revision: &Revision,
    counts: Counts<'_>,
) -> io::Result<Option<(Revision, Option<Span>)>> {
    let number = revision.number;
    let span = last_span(file, counts, &|span| match &revision.epoch {
        Some(epoch) => span.epoch == *epoch,
        None => span.last >= number,
    })?;
    let known = revision.epoch.clone();
    let epoch = match known.or_else(|| Some(span.as_ref()?.epoch.clone())) {
        Some(epoch) => Some(epoch),
        None => last_span(file, counts, &|_| true)?.map(|span| span.epoch),
    };
    let exact = epoch.map(|epoch| Revision {
        number,
        epoch: Some(epoch),
    });
    Ok(exact.map(|exact| (exact, span)))
}

/// The last epoch of a kind, as far as the epochs are not mixed.
fn last_span(
    file: &dyn DiskFile,
    counts: Counts<'_>,
    is_it: &dyn Fn(&Span) -> bool,
) -> io::Result<Option<Span>> {
    let mut end = file.length()?;
    for _ in 0..MOST_EPOCHS {
        let Some(span) = span_before(file, end, counts)? else {
            return Ok(None);
        };
        if is_it(&span) {
            return Ok(Some(span));
        }
        match start_of(file, &span)? {
            start if (1..end).contains(&start) => end = start,
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// The lines that end before an offset.
fn span_before(file: &dyn DiskFile, end: u64, counts: Counts<'_>) -> io::Result<Option<Span>> {
    let mut lines = Backward::before(file, end).reaching(TAIL_REACH);
    while let Some(line) = lines.next().transpose()? {
        if let (Some(last), Some(epoch)) = (line.number(), line.epoch())
            && counts(&line)
        {
            return Ok(Some(Span { epoch, last, end }));
        }
    }
    Ok(None)
}

/// Where the first of these lines begins.
fn start_of(file: &dyn DiskFile, span: &Span) -> io::Result<u64> {
    let is_of_span = |line: &Line| line.epoch().as_ref() == Some(&span.epoch);
    let from = halved(file, span.end, |line| {
        line.number()?;
        Some(!is_of_span(line))
    })?;
    let mut lines = Forward::after(file, from)?;
    loop {
        let start = lines.position();
        let Some(bytes) = lines.following()? else {
            return Ok(start);
        };
        let line = Line::parse(bytes).ok();
        if line.is_some_and(|line| line.number().is_some() && is_of_span(&line)) {
            return Ok(start);
        }
    }
}

/// The last revision that was made at or before a time.
pub(crate) fn revision_at(
    file: &dyn DiskFile,
    time: Timestamp,
    counts: Counts<'_>,
) -> io::Result<Option<Revision>> {
    let is_in_time = |line: &Line| Some(time_of(line)? <= time);
    let mut found = None;
    let mut lines = Forward::after(file, halved(file, file.length()?, is_in_time)?)?;
    while let Some(line) = lines.next().transpose()? {
        match is_in_time(&line) {
            Some(true) if line.revision().is_some() && counts(&line) => found = line.revision(),
            Some(false) => break,
            _ => {}
        }
    }
    if found.is_some() {
        return Ok(found);
    }
    // A clock that went back.
    for line in Backward::new(file)? {
        let line = line?;
        if is_in_time(&line) == Some(true) && line.revision().is_some() && counts(&line) {
            return Ok(line.revision());
        }
    }
    Ok(None)
}

fn time_of(line: &Line) -> Option<Timestamp> {
    Timestamp::parse(&line.time()?)
}

/// An offset, at most [`SMALL`] before the first line, of those that end before `end`, that does not come before.
/// `is_before` says nothing about lines that do not tell.
fn halved(
    file: &dyn DiskFile,
    end: u64,
    is_before: impl Fn(&Line) -> Option<bool>,
) -> io::Result<u64> {
    let (mut low, mut high) = (0, end);
    while high - low > SMALL {
        let middle = low + (high - low) / 2;
        let mut lines = Forward::after(file, middle)?;
        let mut verdict = None;
        for _ in 0..MOST_SKIPPED {
            if lines.position() >= high {
                break;
            }
            let Some(bytes) = lines.following()? else {
                break;
            };
            let line = Line::parse(bytes).ok();
            verdict = line.as_ref().and_then(&is_before);
            if verdict.is_some() {
                break;
            }
        }
        match verdict {
            Some(true) => low = middle,
            Some(false) | None => high = middle,
        }
    }
    Ok(low)
}

/// The end of the next line that begins a revision, unless one comes first whose number is past it.
fn next_of(
    lines: &mut Forward<'_>,
    revision: &Revision,
    counts: Counts<'_>,
    is_past: impl Fn(u64) -> bool,
) -> io::Result<Option<u64>> {
    while let Some(line) = lines.next().transpose()? {
        let (Some(number), Some(epoch)) = (line.number(), line.epoch()) else {
            continue;
        };
        if revision.names(number, &epoch) && line.files().is_some() && counts(&line) {
            return Ok(Some(Forward::position(lines)));
        }
        if is_past(number) && revision.epoch.as_ref() == Some(&epoch) {
            return Ok(None);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
