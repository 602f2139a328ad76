//! Which lines of a history cannot be read.

use std::fmt;
use std::io;
use std::ops::{Range, RangeInclusive};

use super::Forward;
use crate::disk::DiskFile;

/// How many places are named.
const MOST_NAMED: usize = 10;

/// How many bytes are searched for line endings at a time.
const BLOCK: u64 = 256 * 1024;

/// Lines of a history that cannot be read, by their numbers in the file, from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Damage(Vec<RangeInclusive<u64>>);

impl Damage {
    /// Finds the numbers of lines by counting from the beginning of the file. The ranges are ascending.
    pub(super) fn at(file: &dyn DiskFile, ranges: &[Range<u64>]) -> io::Result<Self> {
        let mut found: Vec<RangeInclusive<u64>> = Vec::with_capacity(ranges.len());
        let (mut offset, mut endings) = (0, 0);
        for range in ranges {
            endings += line_endings(file, offset..range.start)?;
            let first = endings + 1;
            endings += line_endings(file, range.start..range.end)?;
            offset = range.end;
            // The ending of the last line may be missing.
            let last = endings + u64::from(!ends_a_line(file, range.end)?);
            found.push(first..=last);
        }
        Ok(Self(found))
    }

    /// Finds the lines of a whole file that are damaged.
    pub(crate) fn throughout(
        file: &dyn DiskFile,
        is_damaged: impl Fn(&[u8]) -> bool,
    ) -> io::Result<Self> {
        let mut lines = Forward::new(file)?;
        let mut places: Vec<Range<u64>> = Vec::new();
        loop {
            let start = lines.position();
            let Some(line) = lines.following()? else {
                return Self::at(file, &places);
            };
            if line.is_empty() || !is_damaged(&line) {
                continue;
            }
            match places.last_mut() {
                Some(before) if before.end == start => before.end = lines.position(),
                _ => places.push(start..lines.position()),
            }
        }
    }

    /// Whether every line can be read.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The numbers of the lines.
    pub fn lines(&self) -> impl Iterator<Item = u64> {
        self.0.iter().cloned().flatten()
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, lines) in self.0.iter().take(MOST_NAMED).enumerate() {
            if position > 0 {
                formatter.write_str(", ")?;
            }
            match (lines.start(), lines.end()) {
                (first, last) if first == last => write!(formatter, "line {first}")?,
                (first, last) => write!(formatter, "lines {first} to {last}")?,
            }
        }
        match self.0.len().saturating_sub(MOST_NAMED) {
            0 => Ok(()),
            1 => formatter.write_str(" and 1 more place"),
            more => write!(formatter, " and {more} more places"),
        }
    }
}

/// Adds the place of a line before those that are known, which come after it in the file.
pub(super) fn add_before(places: &mut Vec<Range<u64>>, line: Range<u64>) {
    match places.last_mut() {
        Some(after) if after.start == line.end => after.start = line.start,
        _ => places.push(line),
    }
}

fn line_endings(file: &dyn DiskFile, range: Range<u64>) -> io::Result<u64> {
    let mut block = Vec::new();
    let (mut offset, mut count) = (range.start, 0);
    while offset < range.end {
        let size = (range.end - offset).min(BLOCK);
        block.resize(usize::try_from(size).unwrap_or_default(), 0);
        file.read_exact_at(&mut block, offset)?;
        count += memchr::memchr_iter(b'\n', &block).count() as u64;
        offset += size;
    }
    Ok(count)
}

fn ends_a_line(file: &dyn DiskFile, end: u64) -> io::Result<bool> {
    let Some(last) = end.checked_sub(1) else {
        return Ok(true);
    };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte == *b"\n")
}
