//! The store itself, and reading from it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::directories::Directories;
use super::error::{Action, StoreError};
use super::laid_out::LaidOut;
use super::mirror::{Mirror, Mirrored};
use super::packed::Packed;
use crate::disk::lock::{Lock, LockError, Subject};
use crate::disk::{Disk, DiskFile, FileKind, Mode, Standing, make_private_directory};
use crate::document::Document;
use crate::hash::ContentHash;
use crate::history::{self, Epoch, Revision, Tail, Whereabouts};
use crate::layout::{CHECKPOINT_ENDING, Place, PlaceFile, Role};
use crate::seal::Vault;
use crate::time::{Clock, Timestamp};

/// How long a change waits for the lock by default.
pub const LOCK_WAIT: Duration = Duration::from_secs(30);

/// Who makes a change: recorded in the history, and shown to processes waiting for the lock.
#[derive(Debug, Clone)]
pub(crate) struct Author {
    /// `main`, `subagent:TYPE`, `team:ID`.
    pub by: String,
    /// The operation, in one word.
    pub doing: String,
    /// Where the work was when it was changed.
    pub at: Whereabouts,
    /// Who made the edits of shared files that are found.
    pub edits: Edits,
}

/// Who edited a file that others may edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edits {
    /// Somebody else, as far as is known.
    Strangers,
    /// The author, who was seen doing it.
    Own,
}

/// Keeps documents as files in a repository.
#[derive(Debug, Clone)]
pub(crate) struct FileStore {
    disk: Arc<dyn Disk>,
    directories: Directories,
    clock: Clock,
    lock_wait: Duration,
    vault: Vault,
    mirror: Mirrored,
    epochs: fn(Timestamp) -> Epoch,
    most_visited: usize,
    most_values: usize,
    held: Option<Held>,
}

/// The lock of a document, held for several changes.
#[derive(Debug, Clone)]
struct Held {
    /// The file that changes queue for.
    file: PathBuf,
    lock: Arc<Lock>,
}

impl FileStore {
    /// The store of a repository, on the given disk.
    #[must_use]
    pub(crate) fn on(disk: Arc<dyn Disk>, root: &Path, clock: Clock) -> Self {
        Self {
            disk,
            directories: Directories::below(root),
            clock,
            lock_wait: LOCK_WAIT,
            vault: Vault::nowhere(),
            mirror: Mirrored::default(),
            epochs: Epoch::fresh,
            most_visited: usize::MAX,
            most_values: usize::MAX,
            held: None,
        }
    }

    /// Seals what it writes with this vault's key.
    #[must_use]
    pub(crate) fn with_vault(mut self, vault: Vault) -> Self {
        self.vault = vault;
        self
    }

    /// Copies the lines of every history to this mirror.
    #[must_use]
    pub(crate) fn with_mirror(mut self, mirror: Mirrored) -> Self {
        self.mirror = mirror;
        self
    }

    pub(crate) fn mirror(&self) -> Option<&Mirror> {
        self.mirror.get()
    }

    /// Limits how many files of a directory are read, and how many names and values in all of them together.
    #[must_use]
    pub(crate) fn visiting(mut self, files: Option<usize>, values: Option<usize>) -> Self {
        self.most_visited = files.unwrap_or(usize::MAX);
        self.most_values = values.unwrap_or(usize::MAX);
        self
    }

    #[must_use]
    pub(crate) fn vault(&self) -> &Vault {
        &self.vault
    }

    /// Derives epochs from the time, so that repeating a change at the same time gives the same bytes.
    #[cfg(test)]
    pub(crate) fn with_epochs_by_time(mut self) -> Self {
        self.epochs = Epoch::at;
        self
    }

    /// Sets how long to wait for the lock.
    #[must_use]
    pub(crate) fn with_lock_wait(mut self, wait: Duration) -> Self {
        self.lock_wait = wait;
        self
    }

    /// Never enters these directories, even through links.
    #[must_use]
    pub(crate) fn outside_of(mut self, directories: Vec<PathBuf>) -> Self {
        self.directories.forbidden = directories;
        self
    }

    /// Whether to follow symbolic links.
    #[must_use]
    pub(crate) fn following_symlinks(mut self, follow: bool) -> Self {
        self.directories.follow_symlinks = follow;
        self
    }

    pub(super) fn directories(&self) -> &Directories {
        &self.directories
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    pub(super) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(super) fn lock_wait(&self) -> Duration {
        self.lock_wait
    }

    /// This store, holding the lock of a document: nobody else changes that between the changes that are made through it.
    pub(crate) fn holding(&self, place: &Place, author: &Author) -> Result<Self, StoreError> {
        let held = Held {
            file: place.lock.clone(),
            lock: self.lock(place, author)?,
        };
        Ok(Self {
            held: Some(held),
            ..self.clone()
        })
    }

    /// This store, as it would be read if an archive were unpacked in its place, instead of the document that is there
    /// now. It cannot be written.
    #[must_use]
    pub(crate) fn laid_out(&self, now: &Place, then: &Place, packed: Packed) -> Self {
        let under = Arc::clone(&self.disk);
        Self {
            disk: Arc::new(LaidOut::over(under, now, then, packed)),
            mirror: Mirrored::default(),
            ..self.clone()
        }
    }

    /// Whether this store holds a lock.
    pub(crate) fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    /// Waits for the lock of a document, unless this store holds it.
    pub(super) fn lock(&self, place: &Place, author: &Author) -> Result<Arc<Lock>, StoreError> {
        if let Some(held) = &self.held
            && held.file == place.lock
        {
            return Ok(Arc::clone(&held.lock));
        }
        let locked = self.locked(&author.doing, || {
            self.directories.prepare_lock(self.disk(), place)
        });
        locked.map(Arc::new)
    }

    /// Waits for a lock beside the key, which all worktrees of a repository share. The outer error says that it was held
    /// all the time, the inner one that there can be no such lock.
    pub(crate) fn lock_in_vault(
        &self,
        name: &str,
        doing: &str,
    ) -> Result<io::Result<Lock>, StoreError> {
        let Some(directory) = self.vault.directory() else {
            return Ok(Err(io::ErrorKind::NotFound.into()));
        };
        let locked = self.locked(doing, || {
            let failed = |source| StoreError::io(Action::Create, directory, source);
            make_private_directory(directory).map_err(failed)?;
            Ok((directory.join(name), directory.to_owned()))
        });
        match locked {
            Ok(lock) => Ok(Ok(lock)),
            Err(StoreError::Io { source, .. } | StoreError::Lock(LockError::Io { source, .. })) => {
                Ok(Err(source))
            }
            Err(error) => Err(error),
        }
    }

    /// Waits for the lock on a file and a directory. Their paths are checked again for each attempt: whoever removed them
    /// may have put a link there.
    pub(super) fn locked(
        &self,
        doing: &str,
        paths: impl Fn() -> Result<(PathBuf, PathBuf), StoreError>,
    ) -> Result<Lock, StoreError> {
        let deadline = Instant::now() + self.lock_wait;
        let mut wait = self.lock_wait;
        let mut attempts = 0;
        loop {
            let (file, directory) = match paths() {
                // Somebody removes them while they are created.
                Err(StoreError::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && attempts < MAX_ATTEMPTS =>
                {
                    attempts += 1;
                    continue;
                }
                found => found?,
            };
            let subject = Subject {
                file: &file,
                directory: &directory,
            };
            match self.disk.lock(subject, wait, doing) {
                Err(error) if error.is_gone() && attempts < MAX_ATTEMPTS => attempts += 1,
                locked => return Ok(locked?),
            }
            wait = deadline.saturating_duration_since(Instant::now());
        }
    }

    pub(super) fn fresh_epoch(&self) -> Epoch {
        (self.epochs)(self.now())
    }

    /// The content of one file, with its path checked. Takes no lock and writes nothing.
    pub(crate) fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
        // Usually there is no link in the path, and one call shows it. Otherwise each component is checked.
        match self.disk.read_without_links(path) {
            Ok(Some(content)) => return Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Ok(None) | Err(_) => {}
        }
        let Some(path) = self.directories.resolve(self.disk(), path)? else {
            return Ok(None);
        };
        read_if_there(self.disk(), &path)
    }

    /// The first bytes of one file, at most `length`.
    pub(crate) fn read_beginning(
        &self,
        path: &Path,
        length: usize,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(path) = self.directories.resolve(self.disk(), path)? else {
            return Ok(None);
        };
        let Some(file) = open_if_there(self.disk(), &path)? else {
            return Ok(None);
        };
        let failed = |source| StoreError::io(Action::Read, &path, source);
        let there = usize::try_from(file.length().map_err(failed)?).unwrap_or(usize::MAX);
        let mut beginning = vec![0; length.min(there)];
        file.read_exact_at(&mut beginning, 0).map_err(failed)?;
        Ok(Some(beginning))
    }

    /// The path with links resolved; `None` if nothing exists there or a link in the path may not be followed.
    pub(crate) fn resolved(&self, path: &Path) -> Option<PathBuf> {
        self.directories.resolve(self.disk(), path).ok().flatten()
    }

    /// The revision at which the document's own file had this content. `None` without a history, or if the file has
    /// been changed outside the store since.
    pub(crate) fn revision(
        &self,
        place: &Place,
        content: &[u8],
    ) -> Result<Option<Revision>, StoreError> {
        let Some(tail) = self.tail(place)? else {
            return Ok(None);
        };
        let hash = Some(ContentHash::of(content));
        let recorded = tail
            .files
            .iter()
            .find(|file| file.name == place.document().name);
        let number = match recorded {
            Some(file) if hash == file.to => tail.number,
            Some(file) if hash == file.from => tail.number - 1,
            _ => return Ok(None),
        };
        Ok((number > 0).then_some(Revision {
            number,
            epoch: Some(tail.epoch),
        }))
    }

    /// A revision with the epoch that a number alone refers to: that of the last line. The next change may begin another.
    pub(crate) fn in_its_epoch(
        &self,
        place: &Place,
        revision: &Revision,
    ) -> Result<Revision, StoreError> {
        let mut exact = revision.clone();
        if exact.epoch.is_none() {
            exact.epoch = self.tail(place)?.map(|tail| tail.epoch);
        }
        Ok(exact)
    }

    /// Reads every document of one directory, sorted by name, reusing the same memory. A file that cannot be read is
    /// passed on as an error.
    pub(crate) fn visit(
        &self,
        directory: &Path,
        mut visit: impl FnMut(&str, Result<&Document, StoreError>),
    ) -> Result<(), StoreError> {
        let Some(directory) = self.directories.resolve(self.disk(), directory)? else {
            return Ok(());
        };
        let failed = |source| StoreError::io(Action::Read, &directory, source);
        let opened = self.disk.open_directory(&directory).map_err(failed)?;
        let mut names = opened.names().map_err(failed)?;
        names.retain(|name| {
            let name = name.as_encoded_bytes();
            name.ends_with(CHECKPOINT_ENDING.as_bytes()) && !name.starts_with(b".")
        });
        names.sort_unstable();
        let count = names.len();
        let mut document = Document::empty();
        let mut buffer = Vec::new();
        let mut left = self.most_values;
        for (looked_at, name) in names.into_iter().enumerate() {
            if looked_at == self.most_visited || left == 0 {
                let too_many = StoreError::TooMany {
                    path: directory.clone(),
                    count,
                    most: looked_at,
                };
                let name = directory.file_name().unwrap_or_default();
                visit(&name.to_string_lossy(), Err(too_many));
                break;
            }
            let path = || directory.join(&name);
            let read = opened.read_into(&name, &mut buffer).or_else(|_| {
                // This does not open symbolic links; `read` follows them where the settings allow.
                buffer = self.read(&path())?.unwrap_or_default();
                Ok(buffer.len())
            });
            let parsed = read.and_then(|length| {
                let parsed = document.reparse(&buffer[..length], left);
                let values = match parsed {
                    Ok(()) => document.values(),
                    // An upper bound.
                    Err(_) => length / 2,
                };
                left = left.saturating_sub(values + length / BYTES_OF_A_VALUE);
                parsed.map_err(|source| StoreError::unreadable(path(), source))
            });
            let parsed = match name.to_str() {
                Some(_) => parsed,
                None => Err(StoreError::Unnameable { path: path() }),
            };
            let name = name.to_string_lossy();
            let stem = name.strip_suffix(CHECKPOINT_ENDING).unwrap_or(&name);
            visit(stem, parsed.map(|()| &document));
        }
        Ok(())
    }

    fn tail(&self, place: &Place) -> Result<Option<Tail>, StoreError> {
        let read = |source| StoreError::io(Action::Read, &place.history, source);
        let history = self.any_history(place)?;
        let sealer = place.sealer(self.vault.seals());
        let tail = history.map(|history| history::tail(&*history, sealer));
        Ok(tail.transpose().map_err(read)?.flatten())
    }

    /// The files in the same directory whose names start with `prefix`.
    pub(crate) fn beside(&self, file: &Path, prefix: &OsStr) -> Vec<PathBuf> {
        let Some(directory) = file.parent() else {
            return Vec::new();
        };
        let resolved = self
            .directories
            .resolve(self.disk(), directory)
            .ok()
            .flatten();
        let opened = resolved.and_then(|path| self.disk.open_directory(&path).ok());
        let names = opened.and_then(|directory| directory.names().ok());
        let mut names = names.unwrap_or_default();
        names.retain(|name| {
            name.as_encoded_bytes()
                .starts_with(prefix.as_encoded_bytes())
        });
        names.sort_unstable();
        names.iter().map(|name| directory.join(name)).collect()
    }

    /// The names of the subdirectories of a directory.
    pub(crate) fn directories_in(&self, directory: &Path) -> Result<Vec<OsString>, StoreError> {
        let Some(resolved) = self.directories.resolve(self.disk(), directory)? else {
            return Ok(Vec::new());
        };
        let failed = |source| StoreError::io(Action::Read, &resolved, source);
        self.disk.directories(&resolved).map_err(failed)
    }

    /// Whether anything exists at a path, without following links. What cannot be looked at may be there.
    pub(crate) fn is_there(&self, path: &Path) -> bool {
        match self.disk.inspect(path) {
            Ok(kind) => kind.is_some(),
            Err(error) => error.kind() != io::ErrorKind::NotADirectory,
        }
    }

    /// The same, for whoever removes or replaces something because of the answer.
    pub(crate) fn exists(&self, path: &Path) -> Result<bool, StoreError> {
        let kind = self.disk.inspect(path);
        let kind = kind.map_err(|source| StoreError::io(Action::Read, path, source))?;
        Ok(kind.is_some())
    }

    /// Whether it is certain that there is no such file. What cannot be looked at is not missing.
    pub(crate) fn is_missing(&self, path: &Path) -> bool {
        matches!(self.disk.inspect(path), Ok(None))
    }

    /// Opens a history for reading; `None` if there is none.
    pub(crate) fn history(&self, place: &Place) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
        match self.directories.resolve(self.disk(), &place.history)? {
            Some(path) => self.open_history(&path),
            None => Ok(None),
        }
    }

    /// Opens a history whose path has been resolved.
    pub(super) fn open_history(
        &self,
        path: &Path,
    ) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
        open_if_there(self.disk(), path)
    }

    /// The permissions of a file once it is written. They are kept, except that an adopted file becomes private where
    /// the files we create ourselves are.
    pub(super) fn mode(
        &self,
        place: &Place,
        file: &PlaceFile,
        is_adopted: bool,
    ) -> Result<Mode, StoreError> {
        let failed = |source| StoreError::io(Action::Inspect, &file.path, source);
        let mode = match file.role {
            Role::Own => place.mode,
            Role::Shared => Mode::Umask,
        };
        Ok(match self.disk.inspect(&file.path).map_err(failed)? {
            Some(FileKind::File(standing)) if is_adopted && mode == Mode::Private => {
                let bits = standing.bits & 0o700;
                Mode::Like(Standing { bits, ..standing })
            }
            Some(FileKind::File(standing)) => Mode::Like(standing),
            _ => mode,
        })
    }
}

/// How often a lock file or its directory may vanish while we take the lock.
const MAX_ATTEMPTS: usize = 100;

/// Reading this many bytes takes about as long as parsing one value.
const BYTES_OF_A_VALUE: usize = 64;

pub(super) fn read_if_there(disk: &dyn Disk, path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match disk.read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::io(Action::Read, path, source)),
    }
}

fn open_if_there(disk: &dyn Disk, path: &Path) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
    match disk.open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::io(Action::Read, path, source)),
    }
}
