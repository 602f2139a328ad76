//! A private copy of the index for git to work on, so that the real one stays untouched.

#![expect(
    clippy::disallowed_methods,
    reason = "scratch files for git hold no state, so losing them does no harm"
)]

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Location, RepositoryError, files, index};

const NAME_PREFIX: &str = "ckpt-scratch-";

/// A scratch directory this old was left by a process that died.
const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);

/// A directory for one operation, removed when dropped.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Creates a directory in the first writable one of `parents`.
    pub(super) fn create(parents: &[&Path]) -> Result<Self, RepositoryError> {
        let mut refusal = None;
        for parent in parents {
            sweep(parent);
            match create_unique(parent) {
                Ok(path) => return Ok(Self { path }),
                Err(error) => {
                    refusal.get_or_insert_with(|| {
                        RepositoryError::io("create a directory in", parent)(error)
                    });
                }
            }
        }
        Err(refusal.unwrap_or_else(|| {
            let source = io::Error::from(io::ErrorKind::NotFound);
            RepositoryError::io("create a directory in", Path::new("."))(source)
        }))
    }

    /// The path of the index copy, whether or not it exists.
    pub(super) fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    /// Copies the work tree's index, if it has one, with no file hidden.
    pub(super) fn copy_index(&self, location: &Location) -> Result<(), RepositoryError> {
        let original = location.git_dir.join("index");
        self.take_index(&original, |bytes| unhide(bytes, location))?;
        Ok(())
    }

    /// Unhides every file in the copy.
    pub(super) fn unhide(&self, location: &Location) -> Result<(), RepositoryError> {
        self.take_index(&self.index(), |bytes| unhide(bytes, location))?;
        Ok(())
    }

    /// Edits the copy, if it exists, and returns the edit's result.
    pub(super) fn edit_index<T>(
        &self,
        edit: impl FnOnce(&mut [u8]) -> T,
    ) -> Result<Option<T>, RepositoryError> {
        self.take_index(&self.index(), edit)
    }

    /// Writes an edited index as the copy.
    ///
    /// The copy keeps the original's modification time. Git re-checks entries as recent as the index itself, since a
    /// file changed within the same clock tick as it was added looks unchanged; a younger copy would hide such a
    /// change.
    fn take_index<T>(
        &self,
        original: &Path,
        edit: impl FnOnce(&mut [u8]) -> T,
    ) -> Result<Option<T>, RepositoryError> {
        let file = match files::open_regular(original) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RepositoryError::io("read", original)(error)),
        };
        // Time and bytes come from the same open file, because git replaces the index by renaming a new one over it.
        let mut bytes = Vec::new();
        let modified = file
            .metadata()
            .and_then(|metadata| metadata.modified())
            .and_then(|modified| {
                let read = file.take(files::MOST_OF_AN_INDEX).read_to_end(&mut bytes);
                read.map(|_| modified)
            })
            .map_err(RepositoryError::io("read", original))?;
        let given = edit(&mut bytes);
        let copy = self.index();
        fs::write(&copy, &bytes)
            .and_then(|()| {
                File::options()
                    .write(true)
                    .open(&copy)?
                    .set_modified(modified)
            })
            .map_err(RepositoryError::io("write", &copy))?;
        Ok(Some(given))
    }

    /// Creates an object store that reads the repository's objects and keeps new ones to itself.
    ///
    /// It refers to them by a file rather than by `GIT_ALTERNATE_OBJECT_DIRECTORIES`, which cannot name a path with a
    /// `:` and would override what the user has set there.
    pub(super) fn object_store(&self, location: &Location) -> Result<PathBuf, RepositoryError> {
        let store = self.path.join("objects");
        let info = store.join("info");
        let mut line = quoted(&location.common_dir.join("objects"));
        line.push(b'\n');
        fs::create_dir_all(&info)
            .and_then(|()| fs::write(info.join("alternates"), line))
            .map_err(RepositoryError::io("write", &info))?;
        Ok(store)
    }
}

/// Clears the flags that hide existing files from git.
fn unhide(bytes: &mut [u8], location: &Location) {
    index::unhide(bytes, location.id_bytes, |name| {
        let path = location.work_tree.join(files::path_from_bytes(name));
        fs::symlink_metadata(path).is_ok()
    });
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by a later run.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn create_unique(parent: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_nanos());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = parent.join(format!("{NAME_PREFIX}{}-{nanos}-{count}", process::id()));
    let mut builder = DirBuilder::new();
    // Copies of files that only their owner may read are stored here.
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&path)?;
    Ok(path)
}

/// Removes what earlier processes left. Failures here are not worth reporting.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(NAME_PREFIX.as_bytes())
        {
            continue;
        }
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .map(|modified| modified.elapsed().unwrap_or_default());
        if age.is_ok_and(|age| age > LEFTOVER_AGE) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A path as a line of `info/alternates`, C-quoted if it would not be read back correctly otherwise.
fn quoted(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if !bytes.contains(&b'\n') {
        return bytes.to_vec();
    }
    let mut quoted = vec![b'"'];
    for &byte in bytes {
        match byte {
            b'\n' => quoted.extend_from_slice(b"\\n"),
            b'"' | b'\\' => quoted.extend_from_slice(&[b'\\', byte]),
            _ => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted
}

#[cfg(test)]
mod tests;
