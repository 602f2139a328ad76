//! Whether a history and its copy say the same, and which of them is damaged if they do not.

use std::collections::HashSet;
use std::io;

use crate::disk::DiskFile;
use crate::hash::ContentHash;
use crate::history::{Damage, Forward, Line};
use crate::seal::Sealer;

/// How many bytes are compared at a time.
const BLOCK: u64 = 64 * 1024;

/// What reading a history and its copy throughout shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// The history begins with its copy, and goes on with lines, if at all.
    Same,
    /// The history is damaged, or has lost lines. The copy has all that can be read of it, and more.
    HistoryDamaged,
    /// The copy is damaged. The history has all that can be read of it.
    CopyDamaged,
    /// Each has something that the other has not: both are damaged, or they tell different stories.
    Apart,
}

impl Agreement {
    pub(in crate::store) fn of(
        history: &dyn DiskFile,
        copy: &dyn DiskFile,
        sealer: Sealer<'_>,
    ) -> io::Result<Self> {
        // The copy first: whoever appends meanwhile appends to the history before the copy.
        let kept = copy.length()?;
        let length = history.length()?;
        let is_same = are_same(history, copy, length.min(kept))?;
        Ok(match is_same {
            true if kept <= length => match is_unreadable_beyond(history, kept)? {
                true => Self::HistoryDamaged,
                false => Self::Same,
            },
            true => Self::HistoryDamaged,
            false if has_all_of(copy, history, length, sealer)? => Self::HistoryDamaged,
            false if has_all_of(history, copy, kept, sealer)? => Self::CopyDamaged,
            false => Self::Apart,
        })
    }
}

/// Whether all that a history has beyond its copy are lines that cannot be read. A last one without an end is still being
/// written, or will be continued.
fn is_unreadable_beyond(history: &dyn DiskFile, kept: u64) -> io::Result<bool> {
    let Some(last) = kept.checked_sub(1) else {
        return Ok(false);
    };
    let mut lines = Forward::after(history, last)?;
    let mut is_unreadable = false;
    let mut start = lines.position();
    while let Some(line) = lines.following()? {
        let has_end = lines.position() - start > line.len() as u64;
        start = lines.position();
        if !has_end || Line::parse(line.clone()).is_ok() {
            return Ok(false);
        }
        is_unreadable |= !line.is_empty();
    }
    Ok(is_unreadable)
}

/// Whether two files have the same first bytes.
fn are_same(one: &dyn DiskFile, two: &dyn DiskFile, length: u64) -> io::Result<bool> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut offset = 0;
    while offset < length {
        let size = usize::try_from((length - offset).min(BLOCK)).unwrap_or_default();
        left.resize(size, 0);
        right.resize(size, 0);
        one.read_exact_at(&mut left, offset)?;
        two.read_exact_at(&mut right, offset)?;
        if left != right {
            return Ok(false);
        }
        offset += size as u64;
    }
    Ok(true)
}

/// Whether a file has every line that is intact among the first bytes of another, in the same order, and nothing beyond them
/// that is not. There has to be such a line, unless nothing there is a line at all: otherwise they may be of different
/// stories.
pub(in crate::store) fn has_all_of(
    whole: &dyn DiskFile,
    damaged: &dyn DiskFile,
    length: u64,
    sealer: Sealer<'_>,
) -> io::Result<bool> {
    let present = hashes(whole)?;
    let mut lines = Forward::new(damaged)?;
    let mut has_altered = false;
    let mut next = || -> io::Result<Option<Vec<u8>>> {
        while lines.position() < length
            && let Some(line) = lines.following()?
        {
            let condition = Condition::of(&line, sealer);
            // What both have is no reason to prefer one.
            if condition == Condition::Intact || present.contains(&ContentHash::of(&line)) {
                return Ok(Some(line));
            }
            has_altered |= condition == Condition::Altered;
        }
        Ok(None)
    };
    let mut sought = next()?;
    let has_one = sought.is_some();
    let mut known = Forward::new(whole)?;
    while let Some(line) = known.following()? {
        if sought.as_ref() == Some(&line) {
            sought = next()?;
        } else if !line.is_empty() && Condition::of(&line, sealer) != Condition::Intact {
            return Ok(false);
        }
    }
    Ok(sought.is_none() && (has_one || !has_altered))
}

fn hashes(file: &dyn DiskFile) -> io::Result<HashSet<ContentHash>> {
    let mut lines = Forward::new(file)?;
    let mut found = HashSet::new();
    while let Some(line) = lines.following()? {
        if !line.is_empty() {
            found.insert(ContentHash::of(&line));
        }
    }
    Ok(found)
}

/// The lines of a history that cannot be read, or were changed after they were sealed.
pub(crate) fn damaged_lines(file: &dyn DiskFile, sealer: Sealer<'_>) -> io::Result<Damage> {
    Damage::throughout(file, |line| {
        Condition::of(line, sealer) != Condition::Intact
    })
}

/// The lines of a history that were changed after they were sealed.
pub(crate) fn altered_lines(file: &dyn DiskFile, sealer: Sealer<'_>) -> io::Result<Damage> {
    Damage::throughout(file, |line| {
        Condition::of(line, sealer) == Condition::Altered
    })
}

/// The condition of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// It is as it was written, as far as anybody can tell.
    Intact,
    /// It was changed after it was sealed.
    Altered,
    /// It is not a line, or empty.
    Unreadable,
}

impl Condition {
    fn of(line: &[u8], sealer: Sealer<'_>) -> Self {
        match Line::parse(line.to_vec()) {
            Ok(line) if line.is_altered(sealer) => Self::Altered,
            Ok(_) => Self::Intact,
            Err(_) => Self::Unreadable,
        }
    }
}

#[cfg(test)]
mod tests;
