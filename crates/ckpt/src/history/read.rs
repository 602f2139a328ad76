//! Reading a history from either end without holding all of it.

use std::io;

use memchr::memmem;

use super::{Epoch, FileChange, Line};
use crate::disk::DiskFile;

/// Enough for the last few lines of most histories.
const BLOCK: u64 = 4096;

/// Blocks grow up to this while a line does not end.
const MAX_BLOCK: u64 = 1024 * 1024;

/// Lines from the last to the first. What does not parse is left out.
pub struct Backward<'f> {
    file: &'f dyn DiskFile,
    /// Everything before this offset is still unread.
    unread: u64,
    /// What was read and not yet given out.
    held: Vec<u8>,
    block: u64,
    skipped: usize,
}

impl<'f> Backward<'f> {
    /// Starts at the end.
    pub fn new(file: &'f dyn DiskFile) -> io::Result<Self> {
        Ok(Self {
            file,
            unread: file.length()?,
            held: Vec::new(),
            block: BLOCK,
            skipped: 0,
        })
    }

    /// How many lines were left out so far because they do not parse.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// The line before the last one given out, without its line end, whatever is in it.
    pub(crate) fn previous(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(newline) = memchr::memrchr(b'\n', &self.held) {
                let line = self.held.split_off(newline + 1);
                self.held.truncate(newline);
                self.block = BLOCK.max(self.held.len() as u64).min(MAX_BLOCK);
                return Ok(Some(line));
            }
            if self.unread == 0 {
                let first = std::mem::take(&mut self.held);
                return Ok((!first.is_empty()).then_some(first));
            }
            let take = self.block.min(self.unread);
            let mut block = vec![0; usize::try_from(take).unwrap_or(usize::MAX)];
            self.file.read_exact_at(&mut block, self.unread - take)?;
            block.append(&mut self.held);
            self.held = block;
            self.unread -= take;
            // A long line costs a few reads, not one for each block.
            self.block = (self.block * 2).min(MAX_BLOCK);
        }
    }
}

impl Iterator for Backward<'_> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.previous() {
                Ok(Some(bytes)) if bytes.is_empty() => continue,
                Ok(Some(bytes)) => match Line::parse(&bytes) {
                    Ok(line) => return Some(Ok(line)),
                    Err(_) => self.skipped += 1,
                },
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Lines from the first to the last. What does not parse is left out.
pub struct Forward<'f> {
    file: &'f dyn DiskFile,
    next: u64,
    end: u64,
    held: Vec<u8>,
    /// Where in `held` the next line starts.
    start: usize,
}

impl<'f> Forward<'f> {
    /// Starts at the beginning; lines added from now on are not seen.
    pub fn new(file: &'f dyn DiskFile) -> io::Result<Self> {
        Ok(Self {
            file,
            next: 0,
            end: file.length()?,
            held: Vec::new(),
            start: 0,
        })
    }

    fn following(&mut self) -> io::Result<Option<Vec<u8>>> {
        const BLOCK: u64 = 256 * 1024;
        let mut searched = self.start;
        loop {
            if let Some(newline) = memchr::memchr(b'\n', &self.held[searched..]) {
                let newline = searched + newline;
                let line = self.held[self.start..newline].to_vec();
                self.start = newline + 1;
                return Ok(Some(line));
            }
            self.held.drain(..self.start);
            self.start = 0;
            searched = self.held.len();
            let take = BLOCK.min(self.end - self.next);
            if take == 0 {
                let last = std::mem::take(&mut self.held);
                return Ok((!last.is_empty()).then_some(last));
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
                Ok(Some(bytes)) => match Line::parse(&bytes) {
                    Ok(line) => return Some(Ok(line)),
                    Err(_) => continue,
                },
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Whether a history says something anywhere, a hash for example. A look at the bytes costs next to nothing beside
/// following every line.
pub(crate) fn mentions(history: &dyn DiskFile, wanted: &[u8]) -> io::Result<bool> {
    const PIECE: usize = 32 * 1024;
    let wanted = memmem::Finder::new(wanted);
    let length = history.length()?;
    let mut piece = Vec::new();
    let mut offset = 0;
    while offset < length {
        let size = usize::try_from(length - offset).map_or(PIECE, |left| left.min(PIECE));
        piece.resize(size, 0);
        history.read_exact_at(&mut piece, offset)?;
        if wanted.find(&piece).is_some() {
            return Ok(true);
        }
        // What is wanted may lie across the border.
        offset += match size < PIECE {
            true => size,
            false => size - wanted.needle().len(),
        } as u64;
    }
    Ok(false)
}

/// The end of a history: all that a writer needs to know of it.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    /// The last revision number given out.
    pub(crate) number: u64,
    /// The epoch it belongs to.
    pub(crate) epoch: Epoch,
    /// What the last change is called.
    pub(crate) event: String,
    /// What the last change did to the files.
    pub(crate) files: Vec<FileChange>,
    /// Whether whole lines follow that cannot be read.
    pub(crate) damaged: bool,
    /// Whether the last line was cut short, so that the next one must start on a fresh line.
    pub(crate) cut_short: bool,
}

/// Revision numbers go up to here; a greater one is damage.
const MAX_NUMBER: u64 = 1 << 53;

/// Reads the end of a history; `None` when nothing in it can be read.
pub(crate) fn tail(file: &dyn DiskFile) -> io::Result<Option<Tail>> {
    let mut lines = Backward::new(file)?;
    // What stands after the last line end is a line only in part.
    let rest = lines.previous()?.unwrap_or_default();
    let cut_short = !rest.is_empty();
    let mut damaged = false;
    while let Some(bytes) = lines.previous()? {
        if bytes.is_empty() {
            continue;
        }
        let Ok(line) = Line::parse(&bytes) else {
            damaged = true;
            continue;
        };
        let number = line.number().filter(|number| *number < MAX_NUMBER);
        if let (Some(number), Some(epoch), Some(files)) = (number, line.epoch(), line.files()) {
            let event = line.event().unwrap_or_default().into_owned();
            return Ok(Some(Tail {
                number,
                epoch,
                event,
                files,
                damaged,
                cut_short,
            }));
        }
    }
    Ok(None)
}
