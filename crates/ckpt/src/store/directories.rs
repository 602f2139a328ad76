//! Which paths are safe to follow, and creating the directories that a change needs.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{Action, StoreError};
use super::replace::{replace, sync_parent};
use crate::disk::{Disk, FileKind, Mode};
use crate::layout::{LOCKS, Layout, Place, PlaceFile, Role};

/// State holds absolute paths and local facts, so git must ignore it.
const GITIGNORE: (&str, &[u8]) = (".gitignore", b"*\n");

/// The directories below a root.
#[derive(Debug, Clone)]
pub(super) struct Directories {
    root: PathBuf,
    /// The state directory, which is private.
    state: PathBuf,
    pub(super) follow_symlinks: bool,
    /// Git directories. No link may lead into them, whatever the settings say.
    pub(super) forbidden: Vec<PathBuf>,
}

impl Directories {
    pub(super) fn below(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            state: Layout::new(root).state_directory(),
            follow_symlinks: false,
            forbidden: Vec::new(),
        }
    }

    pub(super) fn state(&self) -> &Path {
        &self.state
    }

    /// The lock for a state file that is not part of a document. Files in a subdirectory of the state share one lock,
    /// because lock files are never removed.
    pub(super) fn lock_of(&self, file: &Path) -> PathBuf {
        let directory = file.parent().filter(|parent| *parent != self.state);
        let named = directory.unwrap_or(file).file_name();
        let name = named.unwrap_or_default().to_string_lossy();
        self.state.join(LOCKS).join(format!("{name}.lock"))
    }

    /// The path with links resolved; `None` if nothing exists there. A symbolic link on the way is an error unless the
    /// settings allow links.
    pub(super) fn resolve(
        &self,
        disk: &dyn Disk,
        path: &Path,
    ) -> Result<Option<PathBuf>, StoreError> {
        let below = path.strip_prefix(&self.root);
        let below = below.expect("all state lies below the root");
        let mut here = self.root.clone();
        for name in below {
            here.push(name);
            match inspect(disk, &here)? {
                None => return Ok(None),
                Some(FileKind::Symlink) => here = self.follow(disk, &here)?,
                Some(_) => {}
            }
        }
        Ok(Some(here))
    }

    /// Creates the directories that a change of this document needs, and checks its paths. Runs under the lock, because
    /// the paths may have changed while we waited for it.
    pub(super) fn prepare(&self, disk: &dyn Disk, place: &Place) -> Result<Place, StoreError> {
        let mut made = Made::new();
        let lock = self.in_directory(disk, &place.lock, &mut made)?;
        let history = self.in_directory(disk, &place.history, &mut made)?;
        let file = |file: &PlaceFile| {
            let path = self.in_directory(disk, &file.path, &mut made)?;
            let path = match inspect(disk, &path)? {
                Some(FileKind::Symlink) => self.follow(disk, &path)?,
                _ => path,
            };
            Ok::<_, StoreError>(PlaceFile {
                path,
                ..file.clone()
            })
        };
        let prepared = Place {
            lock,
            history,
            files: place.files.iter().map(file).collect::<Result<_, _>>()?,
            ignored: place.ignored.clone(),
            mode: place.mode,
            about: place.about.clone(),
            kept_as: place.kept_as.clone(),
            archive: place.archive.clone(),
        };
        // Every time, because a pull can change it.
        for directory in &place.ignored {
            self.ignore(disk, directory)?;
        }
        Ok(prepared)
    }

    /// The paths of a document's lock: the lock file, and the directory of the history. Creates missing directories.
    pub(super) fn prepare_lock(
        &self,
        disk: &dyn Disk,
        place: &Place,
    ) -> Result<(PathBuf, PathBuf), StoreError> {
        let mut made = Made::new();
        let file = self.in_directory(disk, &place.lock, &mut made)?;
        let history = place.history.parent().unwrap_or(&place.history);
        Ok((file, self.directory(disk, history, &mut made)?))
    }

    /// Makes a new history private: the file may have come with a clone.
    pub(super) fn make_private(&self, disk: &dyn Disk, place: &Place) -> Result<(), StoreError> {
        let failed = |source| StoreError::io(Action::Create, &place.history, source);
        disk.make_private(&place.history).map_err(failed)
    }

    /// Creates the directory of any file below the root, and checks the path for links.
    pub(super) fn prepare_file(&self, disk: &dyn Disk, file: &Path) -> Result<PathBuf, StoreError> {
        let path = self.in_directory(disk, file, &mut Made::new())?;
        match inspect(disk, &path)? {
            Some(FileKind::Symlink) => self.follow(disk, &path),
            _ => Ok(path),
        }
    }

    /// Creates the directory of a state file, makes git ignore it, and checks the path.
    pub(super) fn prepare_state_file(
        &self,
        disk: &dyn Disk,
        file: &Path,
    ) -> Result<PathBuf, StoreError> {
        let path = self.prepare_file(disk, file)?;
        // A subdirectory stays private even if the state directory's own rules are changed.
        let own = file.parent().unwrap_or(file);
        for directory in [own, &self.state] {
            self.ignore(disk, directory)?;
        }
        Ok(path)
    }

    /// Removes the directories of a document that is gone, if it had its own and nobody has put anything else there.
    pub(super) fn remove_empty(&self, disk: &dyn Disk, place: &Place) {
        let Some(own) = place.document().path.parent() else {
            return;
        };
        let above = own.parent().unwrap_or(own);
        let is_its_own = place.files.iter().any(|file| file.role == Role::Shared);
        if !is_its_own || !holds_rules_alone(disk, own) {
            return;
        }
        let rules = own.join(GITIGNORE.0);
        // What cannot be removed stays, and does no harm.
        let _ = disk
            .remove(&rules)
            .and_then(|()| disk.sync_directory(own))
            .and_then(|()| disk.remove_directory(own))
            .and_then(|()| disk.sync_directory(above))
            .and_then(|()| disk.remove_directory(above))
            .and_then(|()| disk.sync_directory(above.parent().unwrap_or(above)));
    }

    /// Makes git ignore a directory, without exceptions: exceptions may have come with a clone. To share a file, add it
    /// with `git add --force`.
    fn ignore(&self, disk: &dyn Disk, directory: &Path) -> Result<(), StoreError> {
        let (name, content) = GITIGNORE;
        let path = self.in_directory(disk, &directory.join(name), &mut Made::new())?;
        match inspect(disk, &path)? {
            // Git does not read rules through a link, and the link's target is not our file.
            Some(FileKind::Symlink) | None => {}
            Some(FileKind::File(_)) => {
                let present = disk.read(&path).unwrap_or_default();
                if ignores_everything(&present) {
                    return Ok(());
                }
            }
            Some(_) => {
                let source = io::Error::other(
                    "it is not a regular file, so git would not ignore private files",
                );
                return Err(StoreError::io(Action::Write, &path, source));
            }
        }
        match replace(disk, &path, content, Mode::Private) {
            // Another first writer was faster and has renamed the temporary file away.
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(())
            }
            done => done,
        }
    }

    /// Whether a change may find something of a document that others change too: its history, or one of its files in a
    /// repository where changes have been made before.
    pub(super) fn exists(&self, disk: &dyn Disk, place: &Place) -> Result<bool, StoreError> {
        if self.resolve(disk, &place.history)?.is_some() {
            return Ok(true);
        }
        let locks = place.lock.parent().unwrap_or(&place.lock);
        if inspect(disk, locks)?.is_none() {
            return Ok(false);
        }
        for file in &place.files {
            if self.resolve(disk, &file.path)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The path of a file in its resolved directory, which is created if it is missing.
    fn in_directory(
        &self,
        disk: &dyn Disk,
        file: &Path,
        made: &mut Made,
    ) -> Result<PathBuf, StoreError> {
        let directory = self.directory(disk, file.parent().unwrap_or(file), made)?;
        Ok(directory.join(file.file_name().unwrap_or_default()))
    }

    /// A directory with its links resolved, created if it is missing. Each is inspected once.
    fn directory(
        &self,
        disk: &dyn Disk,
        named: &Path,
        made: &mut Made,
    ) -> Result<PathBuf, StoreError> {
        if named == self.root {
            return Ok(self.root.clone());
        }
        if let Some(known) = made.get(named) {
            return Ok(known.clone());
        }
        let parent = named.parent().expect("all state lies below the root");
        let parent = self.directory(disk, parent, made)?;
        let here = parent.join(named.file_name().unwrap_or_default());
        let here = match inspect(disk, &here)? {
            None => {
                self.make_directory(disk, named, &here)?;
                here
            }
            Some(FileKind::Symlink) => self.follow(disk, &here)?,
            Some(_) => here,
        };
        made.insert(named.to_owned(), here.clone());
        Ok(here)
    }

    /// Where a link leads, if the settings allow links. Never into a git directory: git runs what is written there.
    fn follow(&self, disk: &dyn Disk, link: &Path) -> Result<PathBuf, StoreError> {
        if !self.follow_symlinks {
            return Err(StoreError::Link {
                path: link.to_owned(),
            });
        }
        let failed = |source| StoreError::io(Action::Inspect, link, source);
        let target = disk.resolve(link).map_err(failed)?;
        let is_git = |name: &OsStr| name.eq_ignore_ascii_case(".git");
        let is_forbidden = target.iter().any(is_git)
            || self
                .forbidden
                .iter()
                .any(|directory| target.starts_with(directory));
        match is_forbidden {
            true => Err(StoreError::IntoGit {
                path: link.to_owned(),
                target,
            }),
            false => Ok(target),
        }
    }

    /// Creates the directory called `named`, whose resolved path is `here`.
    fn make_directory(&self, disk: &dyn Disk, named: &Path, here: &Path) -> Result<(), StoreError> {
        let failed = |source| StoreError::io(Action::Create, here, source);
        let mode = if named.starts_with(&self.state) {
            Mode::Private
        } else {
            Mode::Umask
        };
        match disk.create_directory(here, mode) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
        sync_parent(disk, here)
    }
}

/// Directories already inspected: the unresolved path, then the resolved one.
type Made = HashMap<PathBuf, PathBuf>;

fn inspect(disk: &dyn Disk, path: &Path) -> Result<Option<FileKind>, StoreError> {
    disk.inspect(path)
        .map_err(|source| StoreError::io(Action::Inspect, path, source))
}

/// Whether nothing is in a directory but the rules for git that we have written.
fn holds_rules_alone(disk: &dyn Disk, directory: &Path) -> bool {
    let (name, content) = GITIGNORE;
    let files = disk.open_directory(directory).and_then(|open| open.names());
    let is_alone = files.is_ok_and(|files| files == [name])
        && disk
            .directories(directory)
            .is_ok_and(|below| below.is_empty());
    is_alone
        && disk
            .read(&directory.join(name))
            .is_ok_and(|found| found == content)
}

/// Whether gitignore rules exclude everything. Git strips a carriage return at the end of a rule, but nothing at its
/// start.
fn ignores_everything(rules: &[u8]) -> bool {
    let rules = rules.split(|byte| *byte == b'\n');
    let rules = rules.map(|rule| rule.strip_suffix(b"\r").unwrap_or(rule));
    rules.clone().any(|rule| rule == b"*") && !rules.clone().any(|rule| rule.starts_with(b"!"))
}
