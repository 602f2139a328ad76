//! Replacing a file that editors also write, at any time and without our lock.
//!
//! The new content is exchanged with the file in one atomic step; then we check what came out. If it is not what we
//! read before, an editor has saved in between: its text is put back at once, so that no reader misses it for long, and
//! the change is made again on top of it.

use std::io;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::error::{Action, StoreError};
use super::files::read_if_there;
use super::replace::{fill, replace, sync_parent, temporary_path};
use crate::disk::{Disk, DiskFile, Mode};
use crate::hash::ContentHash;
use crate::history::{Backward, MEMORY_REACH};
use crate::layout::{PlaceFile, Role};
use crate::time::Timestamp;

/// A limit, because an editor that saves all the time must not keep us busy forever.
const MAX_RETURNS: usize = 100;

/// The outcome of putting new content in place.
pub(super) enum Swap {
    /// The content is in place, and nobody else wrote.
    Done,
    /// The content is not in place; this is what another program wrote in between.
    Theirs(Vec<u8>),
}

/// Durably replaces the content of a file that should hold `expected`.
pub(super) fn swap_in(
    disk: &dyn Disk,
    target: &Path,
    bytes: &[u8],
    expected: &[u8],
    mode: Mode,
) -> Result<Swap, StoreError> {
    let temporary = temporary_path(target);
    let failed = |source| StoreError::io(Action::Replace, target, source);
    if let Err(error) = fill(disk, &temporary, bytes, mode) {
        let _ = disk.remove(&temporary);
        return Err(error);
    }
    let saved_meanwhile = || {
        let present = read_if_there(disk, target)?;
        Ok::<_, StoreError>(present.filter(|present| present != expected))
    };
    // Catch a save that happened while the history was written, before anything moves.
    if let Some(theirs) = saved_meanwhile()? {
        disk.remove(&temporary).map_err(failed)?;
        return Ok(Swap::Theirs(theirs));
    }
    match disk.exchange(&temporary, target) {
        Ok(()) => {
            let out = read_if_there(disk, &temporary)?.unwrap_or_default();
            let swap = match out == expected {
                true => Swap::Done,
                false => Swap::Theirs(give_back(disk, target, bytes, out)?),
            };
            sync_parent(disk, target)?;
            disk.remove(&temporary).map_err(failed)?;
            Ok(swap)
        }
        // Without atomic exchange, or without a file to exchange, we re-read the file just before renaming.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::Unsupported | io::ErrorKind::NotFound
            ) =>
        {
            if let Some(theirs) = saved_meanwhile()? {
                disk.remove(&temporary).map_err(failed)?;
                return Ok(Swap::Theirs(theirs));
            }
            disk.rename(&temporary, target).map_err(failed)?;
            sync_parent(disk, target)?;
            Ok(Swap::Done)
        }
        Err(error) => {
            let _ = disk.remove(&temporary);
            Err(failed(error))
        }
    }
}

/// Puts the other program's text, now under the temporary name, back in place of `ours`. Returns the text that ends up
/// in place: the newer one, if it saved again meanwhile.
fn give_back(
    disk: &dyn Disk,
    target: &Path,
    ours: &[u8],
    theirs: Vec<u8>,
) -> Result<Vec<u8>, StoreError> {
    let temporary = temporary_path(target);
    let (mut in_place, mut in_hand) = (ours.to_vec(), theirs);
    for _ in 0..MAX_RETURNS {
        disk.exchange(&temporary, target)
            .map_err(|source| StoreError::io(Action::Replace, target, source))?;
        let out = read_if_there(disk, &temporary)?.unwrap_or_default();
        if out == in_place {
            return Ok(in_hand);
        }
        in_place = std::mem::replace(&mut in_hand, out);
    }
    Err(StoreError::Contested {
        path: target.to_owned(),
    })
}

/// Writes the content that an interrupted change had intended for a file.
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
    match swap_in(disk, &file.path, bytes, expected, mode)? {
        Swap::Done => Ok(()),
        // A program saved at this very moment. The next attempt finds its text in place.
        Swap::Theirs(_) => Err(StoreError::Contested {
            path: file.path.clone(),
        }),
    }
}

/// Handles a temporary file left by a crash. It is removed if its content is in the history or is a prefix of what the
/// crashed change intended. Otherwise it may be the only copy of an editor's save, so it is kept under a name of its
/// own.
pub(super) fn rescue(
    disk: &dyn Disk,
    target: &Path,
    history: Option<&dyn DiskFile>,
    intended: &[u8],
    now: Timestamp,
) -> Result<(), StoreError> {
    let temporary = temporary_path(target);
    let Some(content) = read_if_there(disk, &temporary)? else {
        return Ok(());
    };
    let failed = |source| StoreError::io(Action::Replace, &temporary, source);
    let ours = intended.starts_with(&content);
    if ours || is_known(history, &content).map_err(failed)? {
        return disk.remove(&temporary).map_err(failed);
    }
    let orphan = orphan_path(disk, target, now).map_err(failed)?;
    disk.rename(&temporary, &orphan).map_err(failed)?;
    sync_parent(disk, &orphan)
}

/// A name that is not in use.
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

/// Whether a history line mentions this content's hash.
fn is_known(history: Option<&dyn DiskFile>, content: &[u8]) -> io::Result<bool> {
    let Some(history) = history else {
        return Ok(false);
    };
    let hash = ContentHash::of(content).to_string();
    let mut lines = Backward::within(history, MEMORY_REACH)?;
    while let Some(line) = lines.previous()? {
        if memmem::find(&line, hash.as_bytes()).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
