//! Replacing a file that editors write too, at any moment and without our lock.
//!
//! The new content and the file change places in one step, and then what came out is looked at. If
//! it is not what was read before, somebody has saved in between: their text is in our hands, not
//! lost, and the change is made again on top of it.

use std::io;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::error::{Action, StoreError};
use super::files::read_if_there;
use super::layout::{PlaceFile, Role};
use super::replace::{fill, replace, sync_parent, temporary_path};
use crate::disk::{Disk, DiskFile, Mode};
use crate::hash::ContentHash;
use crate::history::Backward;
use crate::time::Timestamp;

/// What putting new content in place came to.
pub(super) enum Swap {
    /// It is there, and nobody else wrote.
    Done,
    /// It is there, and this is what somebody wrote in between.
    Theirs(Vec<u8>),
    /// It is not there: this is what somebody wrote in between.
    NotYet(Vec<u8>),
}

/// Which of two temporary names an attempt uses. While somebody's text lies under the one, the next
/// attempt uses the other, so that the text is never the only copy and overwritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hand {
    Left,
    Right,
}

impl Hand {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    fn temporary(self, target: &Path) -> PathBuf {
        let mut path = temporary_path(target).into_os_string();
        if self == Self::Right {
            path.push("2");
        }
        path.into()
    }
}

/// Durably puts `bytes` in the place of a file that should hold `expected`.
pub(super) fn swap_in(
    disk: &dyn Disk,
    target: &Path,
    hand: Hand,
    bytes: &[u8],
    expected: &[u8],
    mode: Mode,
) -> Result<Swap, StoreError> {
    let temporary = hand.temporary(target);
    let failed = |source| StoreError::io(Action::Replace, target, source);
    if let Err(error) = fill(disk, &temporary, bytes, mode) {
        let _ = disk.remove(&temporary);
        return Err(error);
    }
    match disk.exchange(&temporary, target) {
        Ok(()) => {
            let out = read_if_there(disk, &temporary)?.unwrap_or_default();
            sync_parent(disk, target)?;
            if out != expected {
                return Ok(Swap::Theirs(out));
            }
            disk.remove(&temporary).map_err(failed)?;
            drop_other(disk, target, hand).map_err(failed)?;
            Ok(Swap::Done)
        }
        // Without an exchange, or with nothing there to exchange, a last look is the best there is.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::Unsupported | io::ErrorKind::NotFound
            ) =>
        {
            let present = read_if_there(disk, target)?;
            if present
                .as_deref()
                .is_some_and(|present| present != expected)
            {
                disk.remove(&temporary).map_err(failed)?;
                return Ok(Swap::NotYet(present.unwrap_or_default()));
            }
            disk.rename(&temporary, target).map_err(failed)?;
            sync_parent(disk, target)?;
            drop_other(disk, target, hand).map_err(failed)?;
            Ok(Swap::Done)
        }
        Err(error) => {
            let _ = disk.remove(&temporary);
            Err(failed(error))
        }
    }
}

/// Finishes what an interrupted change intended for a file.
pub(super) fn finish(
    disk: &dyn Disk,
    file: &PlaceFile,
    bytes: &[u8],
    expected: Option<&[u8]>,
    mode: Mode,
) -> Result<(), StoreError> {
    let (Role::Shared, Some(expected)) = (file.role, expected) else {
        return replace(disk, &file.path, bytes, mode);
    };
    match swap_in(disk, &file.path, Hand::Right, bytes, expected, mode)? {
        Swap::Done => return Ok(()),
        Swap::Theirs(_) => put_back(disk, &file.path, Hand::Right)?,
        Swap::NotYet(_) => {}
    }
    // Somebody saved at this very moment. The next try finds their text in place.
    Err(StoreError::Contested {
        path: file.path.clone(),
    })
}

/// What an earlier attempt took out is part of what is in place now.
fn drop_other(disk: &dyn Disk, target: &Path, hand: Hand) -> io::Result<()> {
    let other = hand.other().temporary(target);
    match disk.inspect(&other)? {
        Some(_) => disk.remove(&other),
        None => Ok(()),
    }
}

/// Puts somebody's own text, which lies under a temporary name, back in its place.
pub(super) fn put_back(disk: &dyn Disk, target: &Path, hand: Hand) -> Result<(), StoreError> {
    let failed = |source| StoreError::io(Action::Replace, target, source);
    disk.rename(&hand.temporary(target), target)
        .map_err(failed)?;
    sync_parent(disk, target)
}

/// Looks after the temporary files that a crash left. What history knows is swept, and so is the
/// beginning of what the crashed change intended; what nobody has recorded may be all there is of
/// somebody's edit, so it is kept under a name of its own.
pub(super) fn rescue(
    disk: &dyn Disk,
    target: &Path,
    history: Option<&dyn DiskFile>,
    intended: &[u8],
    now: Timestamp,
) -> Result<(), StoreError> {
    for hand in [Hand::Left, Hand::Right] {
        let temporary = hand.temporary(target);
        let Some(content) = read_if_there(disk, &temporary)? else {
            continue;
        };
        let failed = |source| StoreError::io(Action::Replace, &temporary, source);
        let ours = intended.starts_with(&content);
        if ours || is_known(history, &content).map_err(failed)? {
            disk.remove(&temporary).map_err(failed)?;
            continue;
        }
        let orphan = orphan_path(disk, target, now).map_err(failed)?;
        disk.rename(&temporary, &orphan).map_err(failed)?;
        sync_parent(disk, &orphan)?;
    }
    Ok(())
}

/// A name that nothing has yet.
fn orphan_path(disk: &dyn Disk, target: &Path, now: Timestamp) -> io::Result<PathBuf> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".orphan-{}", now.for_file_name()));
    let mut path = target.with_file_name(&name);
    while disk.inspect(&path)?.is_some() {
        name.push("-again");
        path = target.with_file_name(&name);
    }
    Ok(path)
}

/// Whether some line names this content.
fn is_known(history: Option<&dyn DiskFile>, content: &[u8]) -> io::Result<bool> {
    let Some(history) = history else {
        return Ok(false);
    };
    let hash = ContentHash::of(content).to_string();
    let mut lines = Backward::new(history)?;
    while let Some(line) = lines.previous()? {
        if memmem::find(&line, hash.as_bytes()).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
