//! Reading and replacing a file that editors also write, at any time and without our lock.
//!
//! Some editors write a new file and rename it into place. So the new content is exchanged with the file in one atomic
//! step, and then we check what came out. If it is not what we read before, an editor has saved in between: its text is
//! put back at once, so that no reader misses it for long, and the change is made again on top of it.
//!
//! Others open the file, cut it to nothing, and write piece by piece. So a file is read and replaced only at a moment
//! when nobody has it open for writing, as far as the system can tell.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memchr::memmem;

use super::error::{Action, StoreError};
use super::files::read_if_there;
use super::replace::{create, fill, replace, sync_parent, temporary_path};
use crate::disk::{Disk, DiskFile, Mode, Writers};
use crate::hash::ContentHash;
use crate::history::{Backward, MEMORY_REACH};
use crate::layout::{PlaceFile, Role};
use crate::time::Timestamp;

/// A limit, because an editor that saves all the time must not keep us busy forever.
const MAX_RETURNS: usize = 100;

/// How long an editor may keep a file open before we give up, if there is so much time.
const LONGEST_PATIENCE: Duration = Duration::from_secs(5);

/// How long we wait before we look again.
const PAUSE: Duration = Duration::from_millis(2);

/// A file that was removed may come back within this time: git removes a file before it writes another version.
const RETURN: Duration = Duration::from_millis(50);

/// The outcome of putting new content in place.
pub(super) enum Swap {
    /// The content is in place, and nobody else wrote.
    Done,
    /// The content is not in place; this is what another program wrote in between.
    Theirs(Vec<u8>),
    /// The content is not in place, because the file is gone.
    Gone,
}

impl Swap {
    fn theirs(content: Option<Vec<u8>>) -> Self {
        content.map_or(Self::Gone, Self::Theirs)
    }
}

/// Access to shared files, with the patience for their editors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared<'d> {
    disk: &'d dyn Disk,
    patience: Duration,
}

impl<'d> Shared<'d> {
    /// Waits for editors at most as long as for the lock.
    pub(super) fn new(disk: &'d dyn Disk, lock_wait: Duration) -> Self {
        Self {
            disk,
            patience: lock_wait.min(LONGEST_PATIENCE),
        }
    }

    /// The content of a file once nobody has it open for writing.
    pub(super) fn read(self, path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
        self.patiently(path, || match self.disk.read_unless_written(path) {
            Ok(content) => Ok(content.map(Some)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(None)),
            Err(source) => Err(StoreError::io(Action::Read, path, source)),
        })
    }

    /// Waits until nobody has a file open for writing.
    fn quiet(self, path: &Path) -> Result<Option<Writers>, StoreError> {
        self.patiently(path, || match self.disk.writers(path) {
            Ok(Some(Writers::Some)) => Ok(None),
            Ok(writers) => Ok(Some(writers)),
            // Reading it tells why.
            Err(_) => Ok(Some(None)),
        })
    }

    /// Tries again and again as long as an editor is in the way, and the patience lasts.
    fn patiently<T>(
        self,
        path: &Path,
        attempt: impl Fn() -> Result<Option<T>, StoreError>,
    ) -> Result<T, StoreError> {
        let mut waited = Duration::ZERO;
        loop {
            if let Some(done) = attempt()? {
                return Ok(done);
            }
            if waited >= self.patience {
                return Err(StoreError::Written {
                    path: path.to_owned(),
                });
            }
            self.disk.pause(PAUSE);
            waited += PAUSE;
        }
    }

    /// What is at a path that was empty a moment ago.
    fn returned(self, path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
        let mut waited = Duration::ZERO;
        loop {
            let content = self.read(path)?;
            if content.is_some() || waited >= RETURN {
                return Ok(content);
            }
            self.disk.pause(PAUSE);
            waited += PAUSE;
        }
    }

    /// Durably creates a file that should not exist.
    pub(super) fn create(
        self,
        target: &Path,
        bytes: &[u8],
        mode: Mode,
    ) -> Result<Swap, StoreError> {
        let Self { disk, .. } = self;
        if create(disk, target, bytes, mode)? {
            return Ok(Swap::Done);
        }
        let temporary = self.filled(target, bytes, mode)?;
        match disk.rename_new(&temporary, target) {
            Ok(()) => {
                sync_parent(disk, target)?;
                Ok(Swap::Done)
            }
            Err(error) => {
                let _ = disk.remove(&temporary);
                match error.kind() {
                    io::ErrorKind::AlreadyExists => Ok(Swap::theirs(self.read(target)?)),
                    _ => Err(StoreError::io(Action::Replace, target, error)),
                }
            }
        }
    }

    /// Durably replaces the content of a file that should hold `expected`.
    pub(super) fn swap_in(
        self,
        target: &Path,
        bytes: &[u8],
        expected: &[u8],
        mode: Mode,
    ) -> Result<Swap, StoreError> {
        let Self { disk, .. } = self;
        let temporary = self.filled(target, bytes, mode)?;
        let failed = |source| StoreError::io(Action::Replace, target, source);
        // From here on nobody can begin to write to what we take out without our knowledge.
        let writers = match self.quiet(target) {
            Ok(writers) => writers,
            Err(error) => {
                let _ = disk.remove(&temporary);
                return Err(error);
            }
        };
        // Catch a save that happened while the history was written, before anything moves.
        if let Some(swap) = self.saved_meanwhile(target, expected)? {
            disk.remove(&temporary).map_err(failed)?;
            return Ok(swap);
        }
        match disk.exchange(&temporary, target) {
            Ok(()) => {
                // If this fails, the temporary file may be theirs, so it stays.
                let swap = self.checked(target, bytes, expected, writers)?;
                disk.remove(&temporary).map_err(failed)?;
                Ok(swap)
            }
            // Without atomic exchange, we re-read the file just before renaming.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                if let Some(swap) = self.saved_meanwhile(target, expected)? {
                    disk.remove(&temporary).map_err(failed)?;
                    return Ok(swap);
                }
                disk.rename(&temporary, target).map_err(failed)?;
                sync_parent(disk, target)?;
                Ok(Swap::Done)
            }
            Err(error) => {
                let _ = disk.remove(&temporary);
                match error.kind() {
                    io::ErrorKind::NotFound => Ok(Swap::theirs(self.returned(target)?)),
                    _ => Err(failed(error)),
                }
            }
        }
    }

    /// Durably removes a file that should hold `expected`. What another program has saved in between goes back.
    pub(super) fn take(
        self,
        target: &Path,
        expected: &[u8],
        now: Timestamp,
    ) -> Result<Swap, StoreError> {
        let Self { disk, .. } = self;
        let failed = |source| StoreError::io(Action::Replace, target, source);
        let temporary = temporary_path(target);
        let writers = self.quiet(target)?;
        match read_if_there(disk, target)? {
            None => {
                // A crash may have left it under this name.
                if read_if_there(disk, &temporary)?.is_some_and(|left| left == expected) {
                    disk.remove(&temporary).map_err(failed)?;
                }
                return Ok(Swap::Gone);
            }
            Some(present) if present != expected => return Ok(Swap::Theirs(present)),
            Some(_) => {}
        }
        match disk.rename(target, &temporary) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Swap::Gone),
            renamed => renamed.map_err(failed)?,
        }
        let out = read_if_there(disk, &temporary)?.unwrap_or_default();
        let is_wanted = matches!(&writers, Some(Writers::None(lease)) if lease.is_wanted());
        if out == expected && !is_wanted {
            disk.remove(&temporary).map_err(failed)?;
            sync_parent(disk, target)?;
            return Ok(Swap::Done);
        }
        if let Err(error) = disk.rename_new(&temporary, target) {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(failed(error));
            }
            // It was saved twice; the newer text is in place.
            let orphan = orphan_path(disk, target, now).map_err(failed)?;
            disk.rename(&temporary, &orphan).map_err(failed)?;
        }
        sync_parent(disk, target)?;
        drop(writers);
        Ok(Swap::theirs(self.read(target)?))
    }

    /// Writes the temporary file of a target.
    fn filled(self, target: &Path, bytes: &[u8], mode: Mode) -> Result<PathBuf, StoreError> {
        let temporary = temporary_path(target);
        if let Err(error) = fill(self.disk, &temporary, bytes, mode) {
            let _ = self.disk.remove(&temporary);
            return Err(error);
        }
        Ok(temporary)
    }

    /// What is in a file, if it is not what we expect.
    fn saved_meanwhile(self, target: &Path, expected: &[u8]) -> Result<Option<Swap>, StoreError> {
        Ok(match read_if_there(self.disk, target)? {
            Some(present) if present == expected => None,
            Some(theirs) => Some(Swap::Theirs(theirs)),
            None => Some(Swap::theirs(self.returned(target)?)),
        })
    }

    /// Checks what an exchange took out. If somebody has saved it, or is about to, it goes back.
    fn checked(
        self,
        target: &Path,
        bytes: &[u8],
        expected: &[u8],
        writers: Option<Writers>,
    ) -> Result<Swap, StoreError> {
        let Self { disk, .. } = self;
        let temporary = temporary_path(target);
        let is_wanted = || match &writers {
            Some(Writers::None(lease)) => lease.is_wanted(),
            // Without a lease, whoever opened the file before the exchange has what came out of it open now.
            _ => matches!(disk.writers(&temporary), Ok(Some(Writers::Some))),
        };
        let mut out = read_if_there(disk, &temporary)?.unwrap_or_default();
        let mut wanted = is_wanted();
        let mut is_ours = out == expected && !wanted;
        if is_ours {
            sync_parent(disk, target)?;
            // An editor that was about to open the file has shown itself by now.
            wanted = is_wanted();
            if writers.is_none() {
                out = read_if_there(disk, &temporary)?.unwrap_or_default();
            }
            is_ours = out == expected && !wanted;
        }
        if is_ours {
            return Ok(Swap::Done);
        }
        let theirs = give_back(disk, target, bytes, out)?;
        sync_parent(disk, target)?;
        drop(writers);
        match wanted {
            // It writes now.
            true => Ok(Swap::theirs(self.read(target)?)),
            false => Ok(Swap::Theirs(theirs)),
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
    shared: Shared<'_>,
    file: &PlaceFile,
    bytes: &[u8],
    expected: Option<&[u8]>,
    mode: Mode,
) -> Result<(), StoreError> {
    let swap = match (file.role, expected) {
        (Role::Own, _) => return replace(shared.disk, &file.path, bytes, mode),
        (Role::Shared, Some(expected)) => shared.swap_in(&file.path, bytes, expected, mode)?,
        (Role::Shared, None) => shared.create(&file.path, bytes, mode)?,
    };
    match swap {
        Swap::Done => Ok(()),
        // A program saved at this very moment. The next attempt finds its text in place.
        Swap::Theirs(_) | Swap::Gone => Err(StoreError::Contested {
            path: file.path.clone(),
        }),
    }
}

/// Handles a temporary file left by a crash. It is removed if its content is in the history or is a prefix of what the
/// crashed change intended. Otherwise it may be the only copy of an editor's save, so it is kept under a name of its
/// own.
pub(super) fn rescue(
    shared: Shared<'_>,
    target: &Path,
    history: Option<&dyn DiskFile>,
    intended: &[u8],
    now: Timestamp,
) -> Result<(), StoreError> {
    let temporary = temporary_path(target);
    let disk = shared.disk;
    // An editor that opened the file just before the crash may be about to write to it.
    let Some(content) = shared.read(&temporary)? else {
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
pub(super) fn orphan_path(disk: &dyn Disk, target: &Path, now: Timestamp) -> io::Result<PathBuf> {
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
