//! Files outside the store that other programs write too, such as settings.
//!
//! Several of our own processes take turns: each locks the directory of the file. Other programs do not, so a file is
//! replaced only if it still holds what was read before, in the same way as a plan (see [`super::shared`]). A crash can
//! leave two files beside the target: the temporary one, and a second name of the content that was read. From the two
//! the next change can tell whether the temporary file holds somebody's text.
//!
//! Git writes its configuration under a lock: the new content is written to `config.lock`, which is then renamed. Under
//! that lock it reads the old content twice, so nobody may replace the file meanwhile, and we take the lock as well. It is
//! a second name of our temporary file. So the next change can tell that a lock was left by us, and removes it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::directories::Directories;
use super::error::{Action, StoreError};
use super::files::read_if_there;
use super::replace::{fill, mode_of, sync_parent, temporary_path};
use super::shared::{Shared, Swap, orphan_path};
use crate::disk::lock::{self, Lock};
use crate::disk::{Disk, Mode, OsDisk, read_below, read_own};
use crate::time::Timestamp;

/// How long git may hold its own lock before we give up.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long we wait before we look for git's lock again.
const PAUSE: Duration = Duration::from_millis(5);

/// A directory whose files none of our other processes replaces meanwhile.
#[derive(Debug)]
pub struct DirectoryLock {
    directory: PathBuf,
    _lock: Lock,
}

impl DirectoryLock {
    /// Waits for the lock of an existing directory.
    ///
    /// # Errors
    ///
    /// If another process does not release it in time.
    pub fn take(directory: &Path, wait: Duration) -> Result<Self, StoreError> {
        Ok(Self {
            directory: real(directory),
            _lock: lock::acquire_directory(directory, wait)?,
        })
    }
}

/// Whether a file was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Replaced {
    /// It holds the new content, durably.
    Done,
    /// Somebody else wrote it in between, so nothing was done. Read it and try again.
    Overtaken,
}

/// A file that other programs write too.
#[derive(Debug, Clone)]
pub struct OutsideFile<'p> {
    path: PathBuf,
    below: Option<&'p Path>,
    held: Option<&'p DirectoryLock>,
    wait: Duration,
    is_gits: bool,
}

impl<'p> OutsideFile<'p> {
    /// A file below a root. No link is followed, and missing directories are created.
    #[must_use]
    pub fn below(root: &'p Path, path: &Path, wait: Duration) -> Self {
        Self {
            path: path.to_owned(),
            below: Some(root),
            held: None,
            wait,
            is_gits: false,
        }
    }

    /// A file of the user's own. If it is a link, its target is meant. Its directory must exist before it is written.
    #[must_use]
    pub fn own(path: &Path, wait: Duration) -> Self {
        Self {
            path: real(path),
            below: None,
            held: None,
            wait,
            is_gits: false,
        }
    }

    /// Git changes this file under a lock, which is the file `NAME.lock`.
    #[must_use]
    pub fn that_git_locks(self) -> Self {
        Self {
            is_gits: true,
            ..self
        }
    }

    /// The caller may already hold the lock of a directory, perhaps that of the file.
    #[must_use]
    pub fn while_holding(self, lock: Option<&'p DirectoryLock>) -> Self {
        Self { held: lock, ..self }
    }

    /// The content, at most `most` bytes; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is too large, or is not a regular file.
    pub fn read(&self, most: u64) -> io::Result<Option<Vec<u8>>> {
        let content = match self.below {
            Some(root) => read_below(root, &self.path, most),
            None => read_own(&self.path, most),
        };
        match content {
            Ok(content) => Ok(Some(content)),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Durably replaces the content, if it still is what was read. Keeps the permissions of the file.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or another program is in the way for too long.
    pub fn replace(&self, before: Option<&[u8]>, after: &[u8]) -> Result<Replaced, StoreError> {
        let place = self.prepared()?;
        let _lock = self.locked(&place.path)?;
        place.sweep()?;
        if before == Some(after) {
            return Ok(Replaced::Done);
        }
        let mode = mode_of(&place.disk, &place.path)?;
        if self.is_gits {
            return place.replace_as_git_does(before, after, mode);
        }
        let shared = Shared::new(&place.disk, self.wait);
        // Without hard links, a crash at the wrong moment may leave a text that nobody knows.
        let _ = place.disk.link(&place.path, &second_name(&place.path));
        let swap = match before {
            Some(before) => shared.swap_in(&place.path, after, before, mode),
            None => shared.create(&place.path, after, mode),
        };
        let swept = place.sweep();
        let swap = swap?;
        swept?;
        Ok(match swap {
            Swap::Done => Replaced::Done,
            Swap::Theirs(_) | Swap::Gone => Replaced::Overtaken,
        })
    }

    /// Removes the file, if its content still is what was read. A missing file is not an error.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    pub fn remove(&self, before: &[u8]) -> Result<Replaced, StoreError> {
        let disk = self.disk();
        let path = match self.below {
            Some(root) => Directories::below(root).resolve(&disk, &self.path)?,
            None => Some(self.path.clone()),
        };
        let Some(path) = path else {
            return Ok(Replaced::Done);
        };
        let _lock = self.locked(&path)?;
        let place = Prepared { disk, path };
        place.sweep()?;
        let Prepared { disk, path } = &place;
        match Shared::new(disk, self.wait).read(path)? {
            None => return Ok(Replaced::Done),
            Some(present) if present == before => {}
            Some(_) => return Ok(Replaced::Overtaken),
        }
        disk.remove(path)
            .map_err(|source| StoreError::io(Action::Replace, path, source))?;
        sync_parent(disk, path)?;
        Ok(Replaced::Done)
    }

    fn disk(&self) -> OsDisk {
        self.below.map_or_else(OsDisk::default, OsDisk::below)
    }

    fn prepared(&self) -> Result<Prepared, StoreError> {
        let disk = self.disk();
        let path = match self.below {
            Some(root) => Directories::below(root).prepare_file(&disk, &self.path)?,
            None => self.path.clone(),
        };
        Ok(Prepared { disk, path })
    }

    /// The lock of the file's directory, unless the caller holds it.
    fn locked(&self, path: &Path) -> Result<Option<DirectoryLock>, StoreError> {
        let directory = path.parent().unwrap_or(path);
        let is_held = |held: &DirectoryLock| held.directory == real(directory);
        match self.held.is_some_and(is_held) {
            true => Ok(None),
            false => DirectoryLock::take(directory, self.wait).map(Some),
        }
    }
}

/// Where a file is written.
struct Prepared {
    disk: OsDisk,
    path: PathBuf,
}

impl Prepared {
    /// Replaces the content under git's own lock.
    fn replace_as_git_does(
        &self,
        before: Option<&[u8]>,
        after: &[u8],
        mode: Mode,
    ) -> Result<Replaced, StoreError> {
        let Self { disk, path } = self;
        let failed = |source| StoreError::io(Action::Replace, path, source);
        fill(disk, &temporary_path(path), after, mode)?;
        let lock = git_lock(path);
        let taken = self.take_git_lock(&lock);
        let is_as_read = taken.and_then(|()| Ok(read_if_there(disk, path)?.as_deref() == before));
        let replaced = match is_as_read {
            Ok(true) => disk.rename(&lock, path).map_err(failed),
            _ => Ok(()),
        };
        let swept = self.sweep();
        replaced?;
        swept?;
        match is_as_read? {
            true => sync_parent(disk, path).map(|()| Replaced::Done),
            false => Ok(Replaced::Overtaken),
        }
    }

    /// Gives the temporary file the name of git's lock, once git does not use it.
    fn take_git_lock(&self, lock: &Path) -> Result<(), StoreError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.disk.link(&temporary_path(&self.path), lock) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(StoreError::io(Action::Create, lock, error));
                }
                Err(_) if Instant::now() > deadline => {
                    let lock = lock.to_owned();
                    return Err(StoreError::LockedByGit { lock });
                }
                Err(_) => self.disk.pause(PAUSE),
            }
        }
    }

    /// Removes what an interrupted change left. If the temporary file is neither what the change read nor what it meant
    /// to write, another program saved at that moment, and its text is kept under a name of its own.
    fn sweep(&self) -> Result<(), StoreError> {
        let Self { disk, path } = self;
        let (temporary, old, lock) = (temporary_path(path), second_name(path), git_lock(path));
        let failed = |source| StoreError::io(Action::Inspect, path, source);
        let identity = |path: &Path| disk.identity(path).map_err(failed);
        let (at_temporary, at_old) = (identity(&temporary)?, identity(&old)?);
        if at_temporary.is_some() {
            if identity(&lock)? == at_temporary {
                disk.remove(&lock).map_err(failed)?;
            }
            let was_exchanged = at_old.is_some() && at_old != identity(path)?;
            match was_exchanged && at_temporary != at_old {
                true => {
                    let orphan = orphan_path(disk, path, Timestamp::now()).map_err(failed)?;
                    disk.rename(&temporary, &orphan).map_err(failed)?;
                    sync_parent(disk, &orphan)?;
                }
                false => disk.remove(&temporary).map_err(failed)?,
            }
        }
        match at_old {
            Some(_) => disk.remove(&old).map_err(failed),
            None => Ok(()),
        }
    }
}

/// The name of git's lock for a file.
fn git_lock(path: &Path) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(".lock");
    path.with_file_name(name)
}

/// The second name of the content that a change has read.
fn second_name(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".ckpt-old");
    target.with_file_name(name)
}

/// The path with links resolved, or as it is if it leads nowhere.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests;
