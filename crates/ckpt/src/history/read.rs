//! Reading a history from either end without holding all of it in memory.

use std::io;
use std::ops::Range;

use memchr::memmem;

use super::damage::{Damage, add_before};
use super::line::MAX_LINE;
use super::{Epoch, EventName, FileChange, Line};
use crate::disk::DiskFile;
use crate::seal::Sealer;

/// Enough for the last few lines of most histories.
const BLOCK: u64 = 4096;

/// Blocks grow up to this size while a line does not end.
const MAX_BLOCK: u64 = 1024 * 1024;

/// Blocks grow up to this size while lines are read from the first to the last.
const FORWARD_BLOCK: u64 = 256 * 1024;

/// Stands for a line that is too long to be ours. It does not parse.
const OVERLONG: &[u8] = b"?";

/// Lines from the last to the first. Lines that do not parse are skipped.
pub struct Backward<'f> {
    file: &'f dyn DiskFile,
    /// Everything before this offset is still unread.
    unread: u64,
    /// The part of the last block read that has not been returned yet.
    held: Vec<u8>,
    /// The later parts of the line that `held` ends in, last part first.
    rest: Vec<Vec<u8>>,
    /// The length of `rest`, including what was dropped because the line is too long.
    rest_length: usize,
    block: u64,
    /// The range of the last line returned, with its line ending.
    place: Range<u64>,
    /// Where lines do not parse, the last first. Neighbours are one range.
    unreadable: Vec<Range<u64>>,
    /// Lines that end before this offset are not returned.
    stop: u64,
}

impl<'f> Backward<'f> {
    /// Starts at the end.
    pub fn new(file: &'f dyn DiskFile) -> io::Result<Self> {
        Self::within(file, u64::MAX)
    }

    /// Starts at the end and returns the lines that end within the last `most` bytes.
    pub(crate) fn within(file: &'f dyn DiskFile, most: u64) -> io::Result<Self> {
        Ok(Self::before(file, file.length()?).reaching(most))
    }

    /// Returns only the lines that end within `most` bytes before the offset where this starts.
    pub(crate) fn reaching(mut self, most: u64) -> Self {
        self.stop = self.unread.saturating_sub(most);
        self
    }

    /// Starts at an offset where a line ends.
    pub(crate) fn before(file: &'f dyn DiskFile, end: u64) -> Self {
        Self {
            file,
            stop: 0,
            unread: end,
            held: Vec::new(),
            rest: Vec::new(),
            rest_length: 0,
            block: BLOCK,
            place: end..end,
            unreadable: Vec::new(),
        }
    }

    /// The lines that have been skipped because they do not parse. Finding their numbers takes as long as reading the
    /// file from the beginning, but only if there are any.
    pub fn damage(&self) -> io::Result<Damage> {
        let ascending: Vec<_> = self.unreadable.iter().rev().cloned().collect();
        Damage::at(self.file, &ascending)
    }

    /// The raw line before the last one returned, without its line ending. Each byte is scanned once, however long the
    /// line.
    pub(crate) fn previous(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.stop > 0 && self.unread + (self.held.len() as u64) < self.stop {
            return Ok(None);
        }
        loop {
            if let Some(newline) = memchr::memrchr(b'\n', &self.held) {
                self.place = self.unread + newline as u64 + 1..self.place.start;
                let line = self.held.split_off(newline + 1);
                self.held.truncate(newline);
                let line = self.joined(line);
                self.block = BLOCK.max(self.held.len() as u64).min(MAX_BLOCK);
                return Ok(Some(line));
            }
            let held = std::mem::take(&mut self.held);
            if self.unread == 0 {
                self.place = 0..self.place.start;
                let first = self.joined(held);
                return Ok((!first.is_empty()).then_some(first));
            }
            self.rest_length = self.rest_length.saturating_add(held.len());
            match self.rest_length > MAX_LINE {
                true => self.rest.clear(),
                false if held.is_empty() => {}
                false => self.rest.push(held),
            }
            let take = self.block.min(self.unread);
            let mut block = vec![0; usize::try_from(take).unwrap_or(usize::MAX)];
            self.file.read_exact_at(&mut block, self.unread - take)?;
            self.held = block;
            self.unread -= take;
            // A long line costs a few reads, not one per block.
            self.block = (self.block * 2).min(MAX_BLOCK);
        }
    }

    /// Joins the beginning of a line with the parts read before.
    fn joined(&mut self, mut beginning: Vec<u8>) -> Vec<u8> {
        let length = std::mem::take(&mut self.rest_length).saturating_add(beginning.len());
        let rest = std::mem::take(&mut self.rest);
        if length > MAX_LINE {
            return OVERLONG.to_vec();
        }
        for part in rest.into_iter().rev() {
            beginning.extend_from_slice(&part);
        }
        beginning
    }
}

impl Iterator for Backward<'_> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.previous() {
                Ok(Some(bytes)) if bytes.is_empty() => continue,
                Ok(Some(bytes)) => match Line::parse(bytes) {
                    Ok(line) => return Some(Ok(line)),
                    Err(_) => add_before(&mut self.unreadable, self.place.clone()),
                },
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// How many bytes at the end of a history are searched for our last line. Lines of others after it are skipped, but a
/// clone can bring any number of them.
pub(super) const TAIL_REACH: u64 = 512 * 1024;

/// How many bytes at the end of a history are searched for earlier contents and revisions.
pub(crate) const MEMORY_REACH: u64 = 16 * 1024 * 1024;

/// Lines from the first to the last. Lines that do not parse are skipped.
pub struct Forward<'f> {
    file: &'f dyn DiskFile,
    next: u64,
    end: u64,
    held: Vec<u8>,
    /// Where in `held` the next line starts.
    start: usize,
    block: u64,
    /// A word that every line of interest contains.
    word: Option<memmem::Finder<'static>>,
}

impl<'f> Forward<'f> {
    /// Starts at the beginning. Lines appended from now on are not returned.
    pub fn new(file: &'f dyn DiskFile) -> io::Result<Self> {
        Self::within(file, u64::MAX)
    }

    /// Starts with the first line that begins within the last `most` bytes.
    pub(crate) fn within(file: &'f dyn DiskFile, most: u64) -> io::Result<Self> {
        let end = file.length()?;
        Self::between(file, end.saturating_sub(most), end)
    }

    /// Starts with the first line that begins after an offset, or with the first of all.
    pub(crate) fn after(file: &'f dyn DiskFile, offset: u64) -> io::Result<Self> {
        let end = file.length()?;
        Self::between(file, offset.min(end), end)
    }

    /// A writer may append at any time, so whoever reads asks for the length once.
    fn between(file: &'f dyn DiskFile, next: u64, end: u64) -> io::Result<Self> {
        let mut lines = Self {
            file,
            next,
            end,
            held: Vec::new(),
            start: 0,
            block: BLOCK,
            word: None,
        };
        if next > 0 {
            // The first line may be cut off, so it is dropped.
            lines.following()?;
        }
        Ok(lines)
    }

    /// The offset where the next line begins.
    pub(crate) fn position(&self) -> u64 {
        self.next - (self.held.len() - self.start) as u64
    }

    /// Skips lines without this word, without parsing them.
    pub(crate) fn with_word(mut self, word: &[u8]) -> Self {
        self.word = Some(memmem::Finder::new(word).into_owned());
        self
    }

    pub(crate) fn following(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut searched = self.start;
        let mut is_overlong = false;
        loop {
            if let Some(newline) = memchr::memchr(b'\n', &self.held[searched..]) {
                let newline = searched + newline;
                let line = match is_overlong {
                    true => OVERLONG.to_vec(),
                    false => self.held[self.start..newline].to_vec(),
                };
                self.start = newline + 1;
                return Ok(Some(line));
            }
            self.held.drain(..self.start);
            self.start = 0;
            if self.held.len() > MAX_LINE {
                is_overlong = true;
                self.held.clear();
            }
            searched = self.held.len();
            let take = self.block.min(self.end - self.next);
            // One line costs little, and many cost few reads.
            self.block = (self.block * 2).min(FORWARD_BLOCK);
            if take == 0 {
                let last = std::mem::take(&mut self.held);
                return Ok((!last.is_empty() && !is_overlong).then_some(last));
            }
            self.held
                .resize(searched + usize::try_from(take).unwrap_or(0), 0);
            self.file
                .read_exact_at(&mut self.held[searched..], self.next)?;
            self.next += take;
        }
    }
}

impl Iterator for Forward<'_> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.following() {
                Ok(Some(bytes)) if bytes.is_empty() => continue,
                Ok(Some(bytes))
                    if self
                        .word
                        .as_ref()
                        .is_some_and(|word| word.find(&bytes).is_none()) =>
                {
                    continue;
                }
                Ok(Some(bytes)) => match Line::parse(bytes) {
                    Ok(line) => return Some(Ok(line)),
                    Err(_) => continue,
                },
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Whether the end of a history, up to `MEMORY_REACH`, contains some bytes, such as a hash. Much cheaper than parsing
/// every line.
pub(crate) fn mentions(history: &dyn DiskFile, wanted: &[u8]) -> io::Result<bool> {
    const PIECE: usize = 32 * 1024;
    let wanted = memmem::Finder::new(wanted);
    let length = history.length()?;
    let mut piece = Vec::new();
    let mut offset = length.saturating_sub(MEMORY_REACH);
    while offset < length {
        let size = usize::try_from(length - offset).map_or(PIECE, |left| left.min(PIECE));
        piece.resize(size, 0);
        history.read_exact_at(&mut piece, offset)?;
        if wanted.find(&piece).is_some() {
            return Ok(true);
        }
        // The match may span two pieces.
        offset += match size < PIECE {
            true => size,
            false => size - wanted.needle().len(),
        } as u64;
    }
    Ok(false)
}

/// The end of a history: all that a writer needs to know.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    /// The last revision number used.
    pub(crate) number: u64,
    /// Its epoch.
    pub(crate) epoch: Epoch,
    /// The event of the last change.
    pub(crate) event: Option<EventName>,
    /// The revision that this one makes way for, if it records what another program wrote in the middle of a change.
    /// The line that makes the change again should follow.
    pub(crate) rebases: Option<u64>,
    /// The effect of the last change on the files.
    pub(crate) files: Vec<FileChange>,
    /// Whether we are sure to have written it. If anyone else may have written it, it tells us which revisions exist,
    /// never what to write into a file.
    pub(crate) is_vouched: bool,
    /// Whether later lines may have used the next numbers: they cannot be read, or claim to be ours without a valid
    /// seal.
    pub(crate) damaged: bool,
    /// Whether the last line is incomplete, so that the next one must start on a new line.
    pub(crate) cut_short: bool,
    /// Whether the history was lost after this revision and taken from its copy, which may lack the last revisions.
    pub(crate) is_from_copy: bool,
    /// Whether the document was gone from its place after this revision, and was brought back.
    pub(crate) is_brought_back: bool,
}

/// Revision numbers stay below this; a greater one is damage.
const MAX_NUMBER: u64 = 1 << 53;

/// Reads the end of a history; `None` if it has no usable line.
///
/// With a key, only lines sealed with it count. Without one we cannot tell, so the last line counts, unvouched.
pub(crate) fn tail(file: &dyn DiskFile, sealer: Sealer<'_>) -> io::Result<Option<Tail>> {
    let mut lines = Backward::within(file, TAIL_REACH)?;
    // The text after the last line ending is an incomplete line, or lacks nothing but its ending.
    let rest = lines.previous()?.unwrap_or_default();
    let cut_short = !rest.is_empty();
    let mut whole = Some(rest).filter(|rest| Line::parse(rest.clone()).is_ok());
    let (mut damaged, mut is_from_copy, mut is_brought_back) = (false, false, false);
    loop {
        let Some(bytes) = whole
            .take()
            .map_or_else(|| lines.previous(), |line| Ok(Some(line)))?
        else {
            return Ok(None);
        };
        if bytes.is_empty() || is_of_others(&bytes) {
            continue;
        }
        let Ok(line) = Line::parse(bytes) else {
            damaged = true;
            continue;
        };
        let is_vouched = line.is_vouched(sealer);
        if sealer.has_key() && !is_vouched {
            damaged |= line.claims_to_be_ours();
            continue;
        }
        is_from_copy |= line.says_it_was_copied();
        is_brought_back |= line.says_it_was_brought_back();
        let number = line.number().filter(|number| *number < MAX_NUMBER);
        let (Some(number), Some(epoch)) = (number, line.epoch()) else {
            continue;
        };
        if let Some(files) = line.files() {
            let event = line.event_name();
            return Ok(Some(Tail {
                number,
                epoch,
                event,
                rebases: line.rebases(),
                files,
                is_vouched,
                damaged,
                cut_short,
                is_from_copy,
                is_brought_back,
            }));
        }
    }
}

/// Whether a line certainly comes from another writer: it is complete and lacks the words that all of ours have. Much
/// cheaper than parsing it.
fn is_of_others(line: &[u8]) -> bool {
    line.starts_with(b"{")
        && line.ends_with(b"}")
        && memmem::find(line, b"rev").is_none()
        && memmem::find(line, b"files").is_none()
        && memmem::find(line, b"\\u").is_none()
}

/// Whether the last bytes of a history have a higher number of this epoch: lines were moved or repeated. With a key, only
/// lines sealed with it count. Much cheaper than parsing every line.
pub(crate) fn is_overtaken(
    file: &dyn DiskFile,
    reach: u64,
    (number, epoch): (u64, &Epoch),
    sealer: Sealer<'_>,
) -> io::Result<bool> {
    let mut lines = Forward::within(file, reach)?;
    let word = memmem::Finder::new(b"\"rev\":");
    while let Some(bytes) = lines.following()? {
        let is_higher = word.find_iter(&bytes).any(|at| {
            let digits = bytes[at + word.needle().len()..].iter();
            let digits = digits.take_while(|byte| byte.is_ascii_digit());
            let value = digits.fold(0_u64, |value, digit| {
                value
                    .saturating_mul(10)
                    .saturating_add(u64::from(digit - b'0'))
            });
            value > number
        });
        if is_higher
            && let Ok(line) = Line::parse(bytes)
            && line
                .number()
                .is_some_and(|other| other > number && other < MAX_NUMBER)
            && line.epoch().as_ref() == Some(epoch)
            && line.counts(sealer)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a revision is the last of its epoch: numbers count up, so one that follows a higher one was moved there.
pub(crate) fn is_last(file: &dyn DiskFile, number: u64, epoch: &Epoch) -> io::Result<bool> {
    for line in Forward::within(file, MEMORY_REACH)? {
        let line = line?;
        let is_higher = line.number().is_some_and(|other| other > number);
        if is_higher && line.epoch().as_ref() == Some(epoch) {
            return Ok(false);
        }
    }
    Ok(true)
}
