//! An in-memory disk that can lose power.
//!
//! It tracks both what a process sees and what has been synced. It can die at its n-th operation, as if the process had
//! been killed there, or fail that one operation. Afterwards it gives the image that the next process would find.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::lock::{Lock, LockError, Subject};
use super::{Disk, DiskDirectory, DiskFile, FileKind, FileStamp, Mode, Standing};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Directory,
    File(usize),
}

#[derive(Debug, Clone, Default)]
struct Inode {
    content: Vec<u8>,
    /// What a power cut leaves of it: nothing before the first sync.
    synced: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
struct State {
    inodes: Vec<Inode>,
    entries: BTreeMap<PathBuf, Entry>,
    synced_entries: BTreeMap<PathBuf, Entry>,
    operations: usize,
    trouble: Trouble,
    log: Vec<String>,
    can_exchange: bool,
    /// Contents that another program writes to a file just before it is exchanged; the next one is last.
    meddling: Vec<Vec<u8>>,
    /// Files that another program writes just before something gets a name.
    appearing: Vec<Appearing>,
    /// The files that were read as a whole.
    reads: Vec<PathBuf>,
    /// A file that cannot be opened now.
    unreadable: Option<PathBuf>,
    /// How often something was looked at.
    looks: usize,
    /// What another process does, and before which look.
    interruption: Option<(usize, Act)>,
}

/// What another process does.
type Act = fn(&SimulatedDisk);

#[derive(Debug, Clone)]
struct Appearing {
    before: PathBuf,
    file: PathBuf,
    content: Vec<u8>,
}

/// What goes wrong, and at which operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Trouble {
    #[default]
    None,
    /// The process dies before the n-th operation; a write is half done.
    DieAt(usize),
    /// The n-th operation fails; a write is half done.
    FailAt(usize, io::ErrorKind),
}

/// What survives when the machine stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crash {
    /// The process was killed: everything it did survives.
    Kill,
    /// Power was lost: only what was synced survives.
    PowerCut,
    /// Power was lost on a file system that writes names at once but data only on sync.
    PowerCutAfterNames,
}

impl Crash {
    pub(crate) const ALL: [Self; 3] = [Self::Kill, Self::PowerCut, Self::PowerCutAfterNames];
}

#[derive(Clone, Default)]
pub(crate) struct SimulatedDisk(Arc<Mutex<State>>);

impl fmt::Debug for SimulatedDisk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SimulatedDisk")
    }
}

impl SimulatedDisk {
    /// A disk with one directory.
    pub(crate) fn with_root(root: &Path) -> Self {
        let disk = Self::default();
        {
            let mut state = disk.state();
            state.can_exchange = true;
            state.entries.insert(root.to_owned(), Entry::Directory);
            state.synced_entries = state.entries.clone();
        }
        disk
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// How many changing operations were made.
    pub(crate) fn operations(&self) -> usize {
        self.state().operations
    }

    /// The files that were read as a whole, in order.
    pub(crate) fn reads(&self) -> Vec<PathBuf> {
        self.state().reads.clone()
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.state().log.clone()
    }

    /// Makes another program write these contents in turn, each just before an exchange.
    pub(crate) fn meddle_with(&self, contents: &[&str]) {
        let contents = contents
            .iter()
            .rev()
            .map(|content| content.as_bytes().to_vec());
        self.state().meddling = contents.collect();
    }

    fn meddle(&self, path: &Path) {
        let content = self.state().meddling.pop();
        if let Some(content) = content {
            self.put(path, &content);
        }
    }

    /// Makes another program create this file just before something else gets its name.
    pub(crate) fn let_appear(&self, path: &Path, content: &str) {
        self.let_save(path, content, path);
    }

    /// Makes another program write this file just before something gets the name `before`.
    pub(crate) fn let_save(&self, file: &Path, content: &str, before: &Path) {
        self.state().appearing.push(Appearing {
            before: before.to_owned(),
            file: file.to_owned(),
            content: content.as_bytes().to_vec(),
        });
    }

    fn appear(&self, path: &Path) {
        let mut state = self.state();
        let due = state.appearing.extract_if(.., |one| one.before == path);
        let due: Vec<Appearing> = due.collect();
        drop(state);
        for Appearing { file, content, .. } in due {
            self.put(&file, &content);
        }
    }

    /// Makes another process do something just before the n-th look from now on, be it at a name or into a file.
    pub(crate) fn interrupt(&self, at: usize, act: Act) {
        let mut state = self.state();
        state.interruption = Some((state.looks + at, act));
    }

    /// Whether the other process has not done it yet.
    pub(crate) fn is_uninterrupted(&self) -> bool {
        self.state().interruption.is_some()
    }

    /// How often something was looked at.
    pub(crate) fn looks(&self) -> usize {
        self.state().looks
    }

    /// Makes opening a file fail, as where a process has too many files open; `None` makes all readable again.
    pub(crate) fn make_unreadable(&self, path: Option<&Path>) {
        self.state().unreadable = path.map(Path::to_owned);
    }

    fn look(&self) {
        let mut state = self.state();
        let look = state.looks;
        state.looks += 1;
        let due = state.interruption.take_if(|(at, _)| *at == look);
        drop(state);
        if let Some((_, act)) = due {
            act(self);
        }
    }

    /// Disables the exchange, as on a file system without it.
    pub(crate) fn without_exchange(&self) {
        self.state().can_exchange = false;
    }

    /// Durably writes a file behind the store's back.
    pub(crate) fn put(&self, path: &Path, content: &[u8]) {
        let mut state = self.state();
        for parent in path
            .ancestors()
            .skip(1)
            .take_while(|parent| parent.parent().is_some())
        {
            state.entries.insert(parent.to_owned(), Entry::Directory);
            state
                .synced_entries
                .insert(parent.to_owned(), Entry::Directory);
        }
        let inode = state.inodes.len();
        state.inodes.push(Inode {
            content: content.to_vec(),
            synced: content.to_vec(),
        });
        state.entries.insert(path.to_owned(), Entry::File(inode));
        state
            .synced_entries
            .insert(path.to_owned(), Entry::File(inode));
    }

    /// Durably removes a directory with everything in it, behind the store's back.
    pub(crate) fn wipe(&self, directory: &Path) {
        let mut state = self.state();
        state.entries.retain(|path, _| !path.starts_with(directory));
        state
            .synced_entries
            .retain(|path, _| !path.starts_with(directory));
    }

    /// Writes a file behind the store's back, as a new file that is not synced.
    pub(crate) fn put_unsynced(&self, path: &Path, content: &[u8]) {
        let mut state = self.state();
        let inode = state.inodes.len();
        state.inodes.push(Inode {
            content: content.to_vec(),
            synced: Vec::new(),
        });
        state.entries.insert(path.to_owned(), Entry::File(inode));
    }

    pub(crate) fn file_names(&self) -> Vec<PathBuf> {
        let state = self.state();
        let files = state
            .entries
            .iter()
            .filter(|(_, entry)| **entry != Entry::Directory);
        files.map(|(path, _)| path.clone()).collect()
    }

    /// A copy of this disk on which the given trouble will happen.
    pub(crate) fn copy(&self, trouble: Trouble) -> Self {
        let mut state = self.state().clone();
        (state.operations, state.trouble) = (0, trouble);
        state.log.clear();
        Self(Arc::new(Mutex::new(state)))
    }

    /// What the next process finds after a crash.
    pub(crate) fn after(&self, crash: Crash) -> Self {
        let mut state = self.state().clone();
        if crash == Crash::PowerCut {
            state.entries = state.synced_entries.clone();
        }
        for inode in &mut state.inodes {
            if crash == Crash::Kill {
                inode.synced.clone_from(&inode.content);
            } else {
                inode.content.clone_from(&inode.synced);
            }
        }
        // A file is lost if the entry of any directory above it was never synced.
        let entries = state.entries.clone();
        let reachable = |path: &Path| {
            let mut parents = path
                .ancestors()
                .skip(1)
                .take_while(|p| p.parent().is_some());
            parents.all(|parent| entries.get(parent) == Some(&Entry::Directory))
        };
        state.entries.retain(|path, _| reachable(path));
        state.synced_entries = state.entries.clone();
        (state.operations, state.trouble) = (0, Trouble::None);
        Self(Arc::new(Mutex::new(state)))
    }
}

impl State {
    /// Counts an operation, and fails if it must not happen.
    fn step(&mut self, what: &str, path: &Path) -> io::Result<()> {
        let number = self.operations;
        self.operations += 1;
        self.log.push(format!("{what} {}", path.display()));
        match self.trouble {
            Trouble::DieAt(at) if number >= at => Err(io::Error::other("dead")),
            Trouble::FailAt(at, kind) if number == at => Err(kind.into()),
            _ => Ok(()),
        }
    }

    fn dead(&self) -> io::Result<()> {
        match self.trouble {
            Trouble::DieAt(at) if self.operations > at => Err(io::Error::other("dead")),
            _ => Ok(()),
        }
    }

    fn may_be_opened(&self, path: &Path) -> io::Result<()> {
        match self.unreadable.as_deref() == Some(path) {
            true => Err(io::Error::other("too many open files")),
            false => Ok(()),
        }
    }

    fn inode(&self, path: &Path) -> io::Result<usize> {
        match self.entries.get(path) {
            Some(Entry::File(inode)) => Ok(*inode),
            Some(Entry::Directory) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn parent_exists(&self, path: &Path) -> io::Result<()> {
        match path.parent().and_then(|parent| self.entries.get(parent)) {
            Some(Entry::Directory) => Ok(()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl Disk for SimulatedDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.look();
        let mut state = self.state();
        state.dead()?;
        state.may_be_opened(path)?;
        state.reads.push(path.to_owned());
        Ok(state.inodes[state.inode(path)?].content.clone())
    }

    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>> {
        Ok(Box::new(SimulatedDirectory(self.clone(), path.to_owned())))
    }

    fn directories(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.look();
        let state = self.state();
        let inside = state
            .entries
            .iter()
            .filter(|(entry, kind)| **kind == Entry::Directory && entry.parent() == Some(path));
        Ok(inside
            .filter_map(|(entry, _)| Some(entry.file_name()?.to_owned()))
            .collect())
    }

    fn stamp(&self, path: &Path) -> io::Result<Option<FileStamp>> {
        self.look();
        let state = self.state();
        let inode = state.inode(path)?;
        Ok(Some(FileStamp {
            identity: (0, inode as u64),
            length: state.inodes[inode].content.len() as u64,
            written: None,
        }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.look();
        let state = self.state();
        state.dead()?;
        state.may_be_opened(path)?;
        let (inode, path) = (state.inode(path)?, path.to_owned());
        let disk = self.clone();
        Ok(Box::new(SimulatedFile { disk, inode, path }))
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.open(path)
    }

    fn create(&self, path: &Path, _mode: Mode) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.state();
        state.step("create", path)?;
        state.parent_exists(path)?;
        let inode = match state.inode(path) {
            Ok(inode) => inode,
            Err(_) => {
                let inode = state.inodes.len();
                state.inodes.push(Inode::default());
                state.entries.insert(path.to_owned(), Entry::File(inode));
                inode
            }
        };
        state.inodes[inode].content.clear();
        let (disk, path) = (self.clone(), path.to_owned());
        Ok(Box::new(SimulatedFile { disk, inode, path }))
    }

    fn create_directory(&self, path: &Path, _mode: Mode) -> io::Result<()> {
        let mut state = self.state();
        state.step("mkdir", path)?;
        state.parent_exists(path)?;
        state.entries.insert(path.to_owned(), Entry::Directory);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.appear(to);
        let mut state = self.state();
        state.step("rename", to)?;
        let inode = state.inode(from)?;
        state.entries.remove(from);
        state.entries.insert(to.to_owned(), Entry::File(inode));
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.meddle(to);
        self.appear(to);
        if self.state().inode(to).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step("sync", path)?;
        let inode = state.inode(path)?;
        let inode = &mut state.inodes[inode];
        inode.synced.clone_from(&inode.content);
        Ok(())
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.meddle(other);
        let mut state = self.state();
        state.step("exchange", other)?;
        if !state.can_exchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let (first, second) = (state.inode(one)?, state.inode(other)?);
        state.entries.insert(one.to_owned(), Entry::File(second));
        state.entries.insert(other.to_owned(), Entry::File(first));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step("remove", path)?;
        state.inode(path)?;
        state.entries.remove(path);
        Ok(())
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step("rmdir", path)?;
        if state
            .entries
            .keys()
            .any(|entry| entry.parent() == Some(path))
        {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        state.entries.remove(path);
        Ok(())
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.step("sync directory", path)?;
        let inside = |entry: &Path| entry.parent() == Some(path);
        state.synced_entries.retain(|entry, _| !inside(entry));
        let live: Vec<_> = state
            .entries
            .iter()
            .map(|(path, entry)| (path.clone(), *entry))
            .collect();
        let now = live.into_iter().filter(|(entry, _)| inside(entry));
        state.synced_entries.extend(now);
        Ok(())
    }

    fn inspect(&self, path: &Path) -> io::Result<Option<FileKind>> {
        self.look();
        let state = self.state();
        state.dead()?;
        Ok(state.entries.get(path).map(|entry| match entry {
            Entry::Directory => FileKind::Directory,
            Entry::File(_) => FileKind::File(Standing {
                bits: 0o600,
                owner: None,
            }),
        }))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }

    fn lock(
        &self,
        _subject: Subject<'_>,
        _wait: Duration,
        _holder: &str,
    ) -> Result<Lock, LockError> {
        Ok(Lock::unshared())
    }
}

struct SimulatedDirectory(SimulatedDisk, PathBuf);

impl DiskDirectory for SimulatedDirectory {
    fn names(&self) -> io::Result<Vec<OsString>> {
        self.0.look();
        let names = self.0.file_names().into_iter();
        let inside = names.filter(|file| file.parent() == Some(&self.1));
        Ok(inside
            .filter_map(|file| Some(file.file_name()?.to_owned()))
            .collect())
    }

    fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>) -> io::Result<usize> {
        *buffer = self.0.read(&self.1.join(name))?;
        Ok(buffer.len())
    }
}

struct SimulatedFile {
    disk: SimulatedDisk,
    inode: usize,
    path: PathBuf,
}

impl DiskFile for SimulatedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        let alive = state.dead().is_ok();
        let allowed = state.step("write", &self.path);
        let written = match (&allowed, alive) {
            (Ok(()), _) => bytes.len(),
            (Err(_), true) => bytes.len() / 2,
            (Err(_), false) => 0,
        };
        state.inodes[self.inode]
            .content
            .extend_from_slice(&bytes[..written]);
        allowed
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.step("sync", &self.path)?;
        let inode = &mut state.inodes[self.inode];
        inode.synced.clone_from(&inode.content);
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        self.disk.look();
        Ok(self.disk.state().inodes[self.inode].content.len() as u64)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.disk.look();
        let state = self.disk.state();
        let start = usize::try_from(offset).unwrap();
        let content = &state.inodes[self.inode].content;
        let wanted = content.get(start..start + buffer.len());
        buffer.copy_from_slice(wanted.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}
