//! Where things lie, and which paths are safe to follow.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Disk, FileKind, Mode};
use super::error::{Action, StoreError};
use super::replace::sync_parent;
use crate::key::Key;

/// The directory for the state of commands and for everything this project adds.
pub const STATE_DIRECTORY: &str = ".claude/state";

/// The ending of document files.
pub const CHECKPOINT_ENDING: &str = ".json";

const LOCKS: &str = "locks";
const HISTORY: &str = "history";
const HISTORY_ENDING: &str = ".jsonl";

/// State holds absolute paths and local facts, so git is told to pass it over.
const GITIGNORE: (&str, &[u8]) = (".gitignore", b"*\n");

/// Where the files of one document lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file whose lock serialises changes.
    pub lock: PathBuf,
    /// The history.
    pub history: PathBuf,
    /// The document's files, in the order in which they are written.
    pub files: Vec<PathBuf>,
    /// Who may read new ones.
    pub mode: Mode,
}

impl Place {
    /// The names of the files, as history has them.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let name = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        self.files.iter().map(name).collect()
    }
}

/// The directories of a repository's state.
#[derive(Debug, Clone)]
pub struct Layout {
    root: PathBuf,
    pub(super) follow_symlinks: bool,
}

impl Layout {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            follow_symlinks: false,
        }
    }

    /// The directory for the state of commands.
    #[must_use]
    pub fn state_directory(&self) -> PathBuf {
        self.root.join(STATE_DIRECTORY)
    }

    /// Where a document lies.
    #[must_use]
    pub fn place(&self, key: &Key) -> Place {
        let state = self.state_directory();
        let stem = key.stem();
        match key {
            Key::Command { .. } => Place {
                lock: state.join(LOCKS).join("command.lock"),
                history: state
                    .join(HISTORY)
                    .join("command")
                    .join(format!("{stem}{HISTORY_ENDING}")),
                files: vec![state.join(format!("{stem}{CHECKPOINT_ENDING}"))],
                mode: Mode::Private,
            },
        }
    }

    /// The path with its symbolic links resolved; `None` when nothing lies there. A link that
    /// leads out of the repository is an error unless the settings allow it.
    pub(super) fn resolve(
        &self,
        disk: &dyn Disk,
        path: &Path,
    ) -> Result<Option<PathBuf>, StoreError> {
        self.walk(path, |step| match inspect(disk, step)? {
            None => Ok(Step::Stop),
            Some(FileKind::Symlink) => self.follow(disk, step).map(Step::Elsewhere),
            Some(_) => Ok(Step::Here),
        })
    }

    /// Makes the directories that a change of this document needs, and resolves its paths.
    pub(super) fn prepare(&self, disk: &dyn Disk, place: &Place) -> Result<Place, StoreError> {
        Ok(Place {
            lock: self.in_directory(disk, &place.lock)?,
            history: self.in_directory(disk, &place.history)?,
            files: place
                .files
                .iter()
                .map(|file| {
                    let file = self.in_directory(disk, file)?;
                    match inspect(disk, &file)? {
                        Some(FileKind::Symlink) => self.follow(disk, &file),
                        _ => Ok(file),
                    }
                })
                .collect::<Result<_, _>>()?,
            mode: place.mode,
        })
    }

    /// Whether there is any state yet that a change could find.
    pub(super) fn exists(&self, disk: &dyn Disk, place: &Place) -> Result<bool, StoreError> {
        Ok(self.resolve(disk, &place.lock)?.is_some())
    }

    /// The path of a file in its resolved directory, which is made if it is missing.
    fn in_directory(&self, disk: &dyn Disk, file: &Path) -> Result<PathBuf, StoreError> {
        let directory = file.parent().unwrap_or(file);
        let resolved = self.walk(directory, |step| match inspect(disk, step)? {
            None => self.make_directory(disk, step).map(|()| Step::Here),
            Some(FileKind::Symlink) => self.follow(disk, step).map(Step::Elsewhere),
            Some(_) => Ok(Step::Here),
        })?;
        let resolved = resolved.unwrap_or_else(|| directory.to_owned());
        Ok(resolved.join(file.file_name().unwrap_or_default()))
    }

    /// Goes down from the root to `path`, one name at a time.
    fn walk(
        &self,
        path: &Path,
        mut visit: impl FnMut(&Path) -> Result<Step, StoreError>,
    ) -> Result<Option<PathBuf>, StoreError> {
        let Ok(below) = path.strip_prefix(&self.root) else {
            return Ok(Some(path.to_owned()));
        };
        let mut here = self.root.clone();
        for name in below {
            here.push(name);
            match visit(&here)? {
                Step::Here => {}
                Step::Elsewhere(target) => here = target,
                Step::Stop => return Ok(None),
            }
        }
        Ok(Some(here))
    }

    fn follow(&self, disk: &dyn Disk, link: &Path) -> Result<PathBuf, StoreError> {
        let failed = |source| StoreError::io(Action::Inspect, link, source);
        let target = disk.resolve(link).map_err(failed)?;
        let root = disk.resolve(&self.root).map_err(failed)?;
        if self.follow_symlinks || target.starts_with(&root) {
            return Ok(target);
        }
        Err(StoreError::Outside {
            path: link.to_owned(),
            target,
        })
    }

    fn make_directory(&self, disk: &dyn Disk, path: &Path) -> Result<(), StoreError> {
        let failed = |source| StoreError::io(Action::Create, path, source);
        let state = self.state_directory();
        let mode = if path.starts_with(&state) {
            Mode::Private
        } else {
            Mode::Umask
        };
        match disk.create_directory(path, mode) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
        sync_parent(disk, path)?;
        // The locks are the first thing a writer makes in the state directory.
        if path == state.join(LOCKS) {
            let (name, content) = GITIGNORE;
            let path = state.join(name);
            if inspect(disk, &path)?.is_none() {
                let mut file = disk.create(&path, Mode::Umask).map_err(failed)?;
                file.write(content).map_err(failed)?;
                file.sync().map_err(failed)?;
                sync_parent(disk, &path)?;
            }
        }
        Ok(())
    }
}

enum Step {
    Here,
    Elsewhere(PathBuf),
    Stop,
}

fn inspect(disk: &dyn Disk, path: &Path) -> Result<Option<FileKind>, StoreError> {
    disk.inspect(path)
        .map_err(|source| StoreError::io(Action::Inspect, path, source))
}
