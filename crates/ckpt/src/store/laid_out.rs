//! A disk on which the files of an archive lie in their places. For reading only: whatever would change it is refused.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::packed::{Packed, Unpacked};
use crate::disk::lock::{Lock, LockError, Subject};
use crate::disk::{Disk, DiskDirectory, DiskFile, FileKind, Mode, Standing};
use crate::layout::Place;

/// A disk, and the files that lie over it.
#[derive(Debug)]
pub(super) struct LaidOut {
    under: Arc<dyn Disk>,
    files: BTreeMap<PathBuf, Laid>,
}

/// What lies over a file of the disk.
#[derive(Debug)]
enum Laid {
    Content(Vec<u8>),
    /// The file is not seen.
    Nothing,
    /// Its content cannot be read from the archive any more.
    Damaged,
}

impl LaidOut {
    /// What an archive holds, instead of the document that is in its place now.
    pub(super) fn over(under: Arc<dyn Disk>, now: &Place, then: &Place, packed: Packed) -> Self {
        let hidden = now.files.iter().map(|file| &file.path);
        let hidden = hidden.chain([&now.archive]).cloned();
        let mut files: BTreeMap<_, _> = hidden.map(|path| (path, Laid::Nothing)).collect();
        let contents = packed.files.into_iter();
        let contents = contents.map(|(name, content)| (name, Laid::Content(content)));
        let damaged = packed.damaged.into_iter().map(|name| (name, Laid::Damaged));
        for (name, laid) in contents.chain(damaged) {
            if let Some(file) = then.files.iter().find(|file| file.name == name) {
                files.insert(file.path.clone(), laid);
            }
        }
        files.insert(then.history.clone(), Laid::Content(packed.history));
        Self { under, files }
    }

    /// The content of a file that lies over the disk. The outer `None` means that the disk has to be asked.
    fn laid(&self, path: &Path) -> Option<io::Result<&Vec<u8>>> {
        Some(match self.files.get(path)? {
            Laid::Content(content) => Ok(content),
            Laid::Nothing => Err(io::ErrorKind::NotFound.into()),
            Laid::Damaged => Err(damaged()),
        })
    }

    /// The files that lie over the disk, by their paths in a directory.
    fn below<'d>(&'d self, directory: &'d Path) -> impl Iterator<Item = &'d Path> {
        let there = self.files.iter();
        let there = there.filter(|(_, laid)| !matches!(laid, Laid::Nothing));
        there.filter_map(move |(path, _)| path.strip_prefix(directory).ok())
    }
}

fn damaged() -> io::Error {
    let kind = io::ErrorKind::InvalidData;
    io::Error::new(kind, "it is damaged in the archive")
}

fn refused<T>() -> io::Result<T> {
    Err(io::ErrorKind::ReadOnlyFilesystem.into())
}

impl Disk for LaidOut {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.laid(path) {
            Some(found) => found.cloned(),
            None => self.under.read(path),
        }
    }

    fn read_without_links(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        match self.laid(path) {
            Some(found) => found.cloned().map(Some),
            None => self.under.read_without_links(path),
        }
    }

    fn read_unless_written(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        match self.laid(path) {
            Some(found) => found.cloned().map(Some),
            None => self.under.read_unless_written(path),
        }
    }

    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>> {
        let under = self.under.open_directory(path);
        let mut own = BTreeMap::new();
        for name in self.below(path).filter(|below| below.iter().count() == 1) {
            let content = self.laid(&path.join(name)).and_then(Result::ok);
            own.insert(name.as_os_str().to_owned(), content.cloned());
        }
        let hidden = self.files.keys().filter(|file| file.parent() == Some(path));
        let hidden = hidden.filter_map(|file| Some(file.file_name()?.to_owned()));
        match under {
            Err(error) if own.is_empty() => Err(error),
            under => Ok(Box::new(LaidOutDirectory {
                under: under.ok(),
                own,
                hidden: hidden.collect(),
            })),
        }
    }

    fn directories(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let below = self.below(path).filter(|below| below.iter().count() > 1);
        let own: Vec<OsString> = below
            .filter_map(|below| Some(below.iter().next()?.to_owned()))
            .collect();
        let mut names = match self.under.directories(path) {
            Err(error) if own.is_empty() => return Err(error),
            names => names.unwrap_or_default(),
        };
        names.extend(own);
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        match self.laid(path) {
            Some(found) => Ok(Box::new(Unpacked::new(found?.clone()))),
            None => self.under.open(path),
        }
    }

    fn inspect(&self, path: &Path) -> io::Result<Option<FileKind>> {
        let standing = Standing {
            bits: 0o600,
            owner: None,
        };
        match self.laid(path) {
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Some(_) => Ok(Some(FileKind::File(standing))),
            None if self.below(path).next().is_some() => Ok(Some(FileKind::Directory)),
            None => self.under.inspect(path),
        }
    }

    fn age(&self, path: &Path) -> io::Result<Option<Duration>> {
        match self.laid(path) {
            Some(_) => Ok(None),
            None => self.under.age(path),
        }
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.under.resolve(path)
    }

    fn open_append(&self, _: &Path) -> io::Result<Box<dyn DiskFile>> {
        refused()
    }

    fn create(&self, _: &Path, _: Mode) -> io::Result<Box<dyn DiskFile>> {
        refused()
    }

    fn create_directory(&self, _: &Path, _: Mode) -> io::Result<()> {
        refused()
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn rename_new(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn exchange(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove_directory(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn sync_file(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn lock(&self, subject: Subject<'_>, _: Duration, _: &str) -> Result<Lock, LockError> {
        Err(LockError::Io {
            path: subject.file.to_owned(),
            source: io::ErrorKind::ReadOnlyFilesystem.into(),
        })
    }
}

/// A directory, and the files that lie over those in it.
struct LaidOutDirectory {
    under: Option<Box<dyn DiskDirectory>>,
    /// Their contents; `None` for one that is damaged.
    own: BTreeMap<OsString, Option<Vec<u8>>>,
    hidden: Vec<OsString>,
}

impl DiskDirectory for LaidOutDirectory {
    fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = match &self.under {
            Some(under) => under.names()?,
            None => Vec::new(),
        };
        names.retain(|name| !self.hidden.contains(name));
        names.extend(self.own.keys().cloned());
        Ok(names)
    }

    fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match (self.own.get(name), &self.under) {
            (Some(Some(content)), _) => {
                buffer.clone_from(content);
                Ok(content.len())
            }
            (Some(None), _) => Err(damaged()),
            (None, Some(under)) => under.read_into(name, buffer),
            (None, None) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}
