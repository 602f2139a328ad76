//! Whether the removal was carried out that an archive was written for.
//!
//! An archive is written before anything is removed, and its last line says that the checkpoint was archived, deleted or
//! renamed. If that is cut off, the checkpoint may live on, and its history go on with another line.

use std::io;

use super::Followers;
use super::sources::{Opened, Source, Territory};
use crate::disk::DiskFile;
use crate::follower::Cursor;
use crate::layout::KeptAs;
use crate::store::StoreError;

/// What became of a removal.
enum Removal {
    Done,
    /// It is under way, or was cut off.
    Pending,
    /// It was cut off, and the history goes on without it.
    Undone,
}

type Found = Result<Option<Opened>, StoreError>;

/// The files with lines of one document, opened one after the other.
pub(super) struct Openings<'o, 'w> {
    followers: &'o Followers<'w>,
    territory: &'o Territory,
    kept_as: &'o KeptAs,
    sources: std::slice::Iter<'o, Source>,
    /// The one that was opened to see how the history goes on.
    ahead: Option<(&'o Source, Found)>,
}

impl<'o, 'w> Openings<'o, 'w> {
    pub(super) fn of(
        followers: &'o Followers<'w>,
        territory: &'o Territory,
        (kept_as, sources): (&'o KeptAs, &'o [Source]),
    ) -> Self {
        Self {
            followers,
            territory,
            kept_as,
            sources: sources.iter(),
            ahead: None,
        }
    }

    /// The next file; `None` at the end. `Ok(None)` if there is nothing to tell from it now.
    pub(super) fn following(&mut self, cursor: &Cursor) -> Option<Found> {
        let (_, found) = match self.ahead.take() {
            Some(ahead) => ahead,
            None => self.open_next(cursor)?,
        };
        let opened = match found {
            Ok(Some(opened)) if opened.archive.is_some() => opened,
            found => return Some(found),
        };
        self.ahead = self.open_next(cursor);
        Some(self.removal(&*opened.file).map(|removal| match removal {
            Removal::Done => Some(opened),
            Removal::Pending => None,
            // All other lines are in the file that comes next.
            Removal::Undone => Some(opened.without_lines()),
        }))
    }

    fn open_next(&mut self, cursor: &Cursor) -> Option<(&'o Source, Found)> {
        let source = self.sources.next()?;
        let found = self
            .followers
            .open(self.territory, self.kept_as, source, cursor);
        Some((source, found))
    }

    /// What became of the removal for which this was archived.
    fn removal(&self, archived: &dyn DiskFile) -> Result<Removal, StoreError> {
        if let Some((source, Ok(Some(next)))) = &self.ahead {
            return self.compared(archived, &*next.file, *source == &Source::Present);
        }
        let followers = self.followers;
        // A plan without its Markdown is not listed, and its history may be there.
        let present = match self.territory.is_here {
            true => followers.history(self.territory, self.kept_as, &Source::Present)?,
            false => return Ok(Removal::Done),
        };
        match present {
            Some(present) => self.compared(archived, &*present, true),
            // A power cut must not bring it back.
            None if followers.is_gone_durably(self.kept_as) => Ok(Removal::Done),
            None => Ok(Removal::Pending),
        }
    }

    fn compared(
        &self,
        archived: &dyn DiskFile,
        next: &dyn DiskFile,
        is_in_place: bool,
    ) -> Result<Removal, StoreError> {
        let failed = |source| StoreError::history(&self.kept_as.history(), source);
        let archived = beginning(archived, u64::MAX).map_err(failed)?;
        let next = beginning(next, archived.len() as u64).map_err(failed)?;
        let before = &archived[..start_of_last_line(&archived)];
        if next == archived || !next.starts_with(before) {
            // It has come back since, or is another one.
            return Ok(Removal::Done);
        }
        Ok(match (next == before, is_in_place) {
            (true, true) => Removal::Pending,
            (true, false) => Removal::Done,
            (false, _) => Removal::Undone,
        })
    }
}

/// The first bytes of a file, at most so many.
fn beginning(file: &dyn DiskFile, most: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(file.length()?.min(most));
    let mut bytes = vec![0; length.map_err(|_| io::ErrorKind::FileTooLarge)?];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

fn start_of_last_line(history: &[u8]) -> usize {
    let lines = history.strip_suffix(b"\n").unwrap_or(history);
    memchr::memrchr(b'\n', lines).map_or(0, |end| end + 1)
}
