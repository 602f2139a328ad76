//! Finding a revision in a history of any length.
//!
//! Numbers count up within an epoch and lines are only ever appended, so the file itself is sorted and needs no index: a
//! revision is found by halving the file. What is found is checked; in a history that somebody has reordered, or for an
//! epoch before the last, the lines are gone through one by one.

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
    let last = last_epoch(file, counts)?;
    let epoch = revision.epoch.as_ref().or(last.as_ref());
    let Some(epoch) = epoch else {
        return Ok(None);
    };
    let exact = Revision {
        number: revision.number,
        epoch: Some(epoch.clone()),
    };
    let mut from = 0;
    if Some(epoch) == last.as_ref() {
        // Lines of earlier epochs come before.
        from = halved(file, |line| {
            let is_before = line.number()? < exact.number || line.epoch().as_ref() != Some(epoch);
            Some(is_before)
        })?;
    }
    match first_of(file, from, &exact, counts)? {
        None if from > 0 => first_of(file, 0, &exact, counts),
        found => Ok(found),
    }
}

/// The offsets where lines end that begin a revision, if the history has it several times.
pub(super) fn everywhere(
    file: &dyn DiskFile,
    revision: &Revision,
    counts: Counts<'_>,
) -> io::Result<Vec<u64>> {
    let epoch = match &revision.epoch {
        Some(epoch) => Some(epoch.clone()),
        None => last_epoch(file, counts)?,
    };
    let exact = Revision {
        number: revision.number,
        epoch,
    };
    let mut ends = Vec::new();
    let mut lines = Forward::new(file)?;
    while let Some(end) = next_of(&mut lines, &exact, counts, |_| false)? {
        ends.push(end);
        if ends.len() == MOST_TIMES {
            break;
        }
    }
    Ok(ends)
}

/// The last revision that was made at or before a time.
pub(crate) fn revision_at(
    file: &dyn DiskFile,
    time: Timestamp,
    counts: Counts<'_>,
) -> io::Result<Option<Revision>> {
    let is_in_time = |line: &Line| Some(time_of(line)? <= time);
    let mut found = None;
    let mut lines = Forward::after(file, halved(file, is_in_time)?)?;
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

fn last_epoch(file: &dyn DiskFile, counts: Counts<'_>) -> io::Result<Option<Epoch>> {
    for line in Backward::within(file, TAIL_REACH)? {
        let line = line?;
        if line.number().is_some()
            && let Some(epoch) = line.epoch()
            && counts(&line)
        {
            return Ok(Some(epoch));
        }
    }
    Ok(None)
}

/// An offset, at most [`SMALL`] before the first line that does not come before. `is_before` says nothing about lines that
/// do not tell.
fn halved(file: &dyn DiskFile, is_before: impl Fn(&Line) -> Option<bool>) -> io::Result<u64> {
    let (mut low, mut high) = (0, file.length()?);
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

/// The end of the line that begins a revision, from an offset on.
fn first_of(
    file: &dyn DiskFile,
    from: u64,
    revision: &Revision,
    counts: Counts<'_>,
) -> io::Result<Option<u64>> {
    let is_past = |number: u64| from > 0 && number > revision.number;
    next_of(&mut Forward::after(file, from)?, revision, counts, is_past)
}

/// The end of the next line that begins a revision, unless one comes first whose number is past it.
fn next_of(
    lines: &mut Forward<'_>,
    revision: &Revision,
    counts: Counts<'_>,
    is_past: impl Fn(u64) -> bool,
) -> io::Result<Option<u64>> {
    while let Some(bytes) = lines.following()? {
        let Ok(line) = Line::parse(bytes) else {
            continue;
        };
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
