//! Documents in files: load, change, history.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::error::{Action, ChangeError, StoreError};
use super::layout::{
    CHECKPOINT_ENDING, Layout, PLAN_FILE, PLAN_STATE_DIRECTORY, PLAN_STATE_FILE, Place, PlaceFile,
    Role,
};
use super::replace::{fill, replace, replace_through, sync_parent, temporary_path};
use super::settle::{self, Settled};
use super::shared::{finish, rescue};
use super::snapshot::Snapshot;
use super::writing::Writing;
use crate::disk::lock::Lock;
use crate::disk::{Disk, DiskFile, FileKind, Mode, OsDisk};
use crate::document::Document;
use crate::hash::ContentHash;
use crate::history::{self, Entry, Epoch, Event, Revision, Tail, Transition};
use crate::seal::{Seals, Vault};
use crate::time::{Clock, Timestamp};

/// How long a change waits for the lock unless the settings say otherwise.
pub const LOCK_WAIT: Duration = Duration::from_secs(30);

/// Who makes a change, for history and for whoever waits for the lock.
#[derive(Debug, Clone)]
pub struct Author {
    /// `main`, `subagent:TYPE`, `team:ID`.
    pub by: String,
    /// What is being done, in a word.
    pub doing: String,
}

/// The store that keeps documents as files in a repository.
#[derive(Debug, Clone)]
pub struct FileStore {
    disk: Arc<dyn Disk>,
    layout: Layout,
    clock: Clock,
    lock_wait: Duration,
    vault: Vault,
    epochs: fn(Timestamp) -> Epoch,
    most_visited: usize,
    most_values: usize,
}

/// What a change wants to write.
#[derive(Debug)]
pub struct Proposal {
    /// What happened. None where it follows from what others did, and changes none of the files
    /// that they changed.
    pub events: Vec<Event>,
    /// Which files become what: the position of the file, and how its content changes.
    pub transitions: Vec<(usize, Transition)>,
    /// Files to write beside the documents first, such as a copy of something unreadable.
    pub beside: Vec<(PathBuf, Vec<u8>)>,
}

/// A change that is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The revision the document has now.
    pub revision: Revision,
    /// Whether files changed outside the store since its last change.
    pub absorbed_foreign_edit: bool,
}

impl FileStore {
    /// The store of a repository, on the real file system.
    #[must_use]
    pub fn new(root: &Path, clock: Clock) -> Self {
        Self::on(Arc::new(OsDisk::below(root)), root, clock)
    }

    /// The store of a repository, on some disk.
    #[must_use]
    pub fn on(disk: Arc<dyn Disk>, root: &Path, clock: Clock) -> Self {
        Self {
            disk,
            layout: Layout::new(root),
            clock,
            lock_wait: LOCK_WAIT,
            vault: Vault::nowhere(),
            epochs: Epoch::fresh,
            most_visited: usize::MAX,
            most_values: usize::MAX,
        }
    }

    /// Seals what it writes with the key of this vault.
    #[must_use]
    pub fn with_vault(mut self, vault: Vault) -> Self {
        self.vault = vault;
        self
    }

    /// Looks at no more files of one directory than this, and at no more names and values in all of them.
    #[must_use]
    pub(crate) fn visiting(mut self, files: Option<usize>, values: Option<usize>) -> Self {
        self.most_visited = files.unwrap_or(usize::MAX);
        self.most_values = values.unwrap_or(usize::MAX);
        self
    }

    /// The vault that holds the key.
    #[must_use]
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// Names epochs by the time, so that what is done again at the same time gives the same.
    #[cfg(test)]
    pub(crate) fn with_epochs_by_time(mut self) -> Self {
        self.epochs = Epoch::at;
        self
    }

    /// Waits this long for the lock.
    #[must_use]
    pub fn with_lock_wait(mut self, wait: Duration) -> Self {
        self.lock_wait = wait;
        self
    }

    /// Never enters these directories, whatever links lead there.
    #[must_use]
    pub(crate) fn outside_of(mut self, directories: Vec<PathBuf>) -> Self {
        self.layout.forbidden = directories;
        self
    }

    /// Follows symbolic links.
    #[must_use]
    pub fn following_symlinks(mut self, follow: bool) -> Self {
        self.layout.follow_symlinks = follow;
        self
    }

    /// Where documents lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// The content of one file, resolved safely. Takes no lock and writes nothing.
    pub fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
        // Mostly no link leads there, and one step shows it. Whatever else it is, is told by looking at each step.
        match self.disk.read_without_links(path) {
            Ok(Some(content)) => return Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Ok(None) | Err(_) => {}
        }
        let Some(path) = self.layout.resolve(self.disk(), path)? else {
            return Ok(None);
        };
        read_if_there(self.disk(), &path)
    }

    /// The first bytes of one file, at most so many.
    pub(crate) fn read_beginning(
        &self,
        path: &Path,
        length: usize,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(path) = self.layout.resolve(self.disk(), path)? else {
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

    /// Durably writes a small file of the state that is no document: the last one to write wins.
    pub(crate) fn put(&self, file: &Path, content: &[u8]) -> Result<(), StoreError> {
        self.update(file, |_| Some(content.to_vec()))
    }

    /// Where a path leads; `None` where nothing lies there, or where a link is in the way that is not followed.
    pub(crate) fn resolved(&self, path: &Path) -> Option<PathBuf> {
        self.layout.resolve(self.disk(), path).ok().flatten()
    }

    /// Adds a line to a log in the directory for state, if that is there.
    pub(crate) fn add_to_log(
        &self,
        name: &str,
        line: &[u8],
        longest: u64,
    ) -> Result<(), StoreError> {
        let disk = self.disk();
        let Some(directory) = self.layout.resolve(disk, &self.layout.state_directory())? else {
            return Ok(());
        };
        let path = directory.join(name);
        let failed = |source| StoreError::io(Action::Write, &path, source);
        let open = |path: &Path| match disk.open_append(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                disk.create(path, Mode::Private)
            }
            opened => opened,
        };
        let mut file = open(&path).map_err(failed)?;
        if file.length().map_err(failed)? > longest {
            let before = path.with_extension("jsonl.1");
            disk.rename(&path, &before).map_err(failed)?;
            file = open(&path).map_err(failed)?;
        }
        file.write(line).map_err(failed)
    }

    /// Writes and syncs a file in the directory for state, and takes it away again.
    pub(crate) fn probe(&self, bytes: usize) -> Result<(), StoreError> {
        let disk = self.disk();
        let file = self.layout.state_directory().join("probe");
        let path = temporary_path(&self.layout.prepare_file(disk, &file)?);
        let filled = fill(disk, &path, &vec![b' '; bytes], Mode::Private);
        let _ = disk.remove(&path);
        filled
    }

    /// Durably changes a small file of the state that is no document, under its lock. `None` leaves it as it is.
    pub(crate) fn update(
        &self,
        file: &Path,
        change: impl FnOnce(Option<Vec<u8>>) -> Option<Vec<u8>>,
    ) -> Result<(), StoreError> {
        let disk = self.disk();
        let _lock = self.lock_state_file(file)?;
        let path = self.layout.prepare_state_file(disk, file)?;
        match change(read_if_there(disk, &path)?) {
            Some(content) => replace(disk, &path, &content, Mode::Private),
            None => Ok(()),
        }
    }

    /// Removes a small file of the state that is no document, under its lock, if its content says so.
    pub(crate) fn remove_if(
        &self,
        file: &Path,
        is_done_with: impl FnOnce(Vec<u8>) -> bool,
    ) -> Result<(), StoreError> {
        let _lock = self.lock_state_file(file)?;
        if self.read(file)?.is_some_and(is_done_with) {
            let removed = self.disk().remove(file);
            removed.map_err(|source| StoreError::io(Action::Replace, file, source))?;
        }
        Ok(())
    }

    fn lock_state_file(&self, file: &Path) -> Result<Lock, StoreError> {
        let disk = self.disk();
        let lock = self
            .layout
            .prepare_state_file(disk, &self.layout.lock_of(file))?;
        Ok(disk.lock(&lock, self.lock_wait, "write")?)
    }

    /// The revision of a document whose own file has this content. `None` without history, or
    /// when the file was changed outside the store since.
    pub fn revision(&self, place: &Place, content: &[u8]) -> Result<Option<Revision>, StoreError> {
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

    /// Reads every document of one directory, in the order of their names, one after the other
    /// into the same memory. A file that cannot be read is handed over as an error.
    pub fn visit(
        &self,
        directory: &Path,
        mut visit: impl FnMut(&str, Result<&Document, StoreError>),
    ) -> Result<(), StoreError> {
        let Some(directory) = self.layout.resolve(self.disk(), directory)? else {
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
                // A symbolic link is not opened like this: it is followed only where it may be.
                buffer = self.read(&path())?.unwrap_or_default();
                Ok(buffer.len())
            });
            let parsed = read.and_then(|length| {
                let parsed = document.reparse(&buffer[..length], left);
                let values = match parsed {
                    Ok(()) => document.values(),
                    // As many as there can be.
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
        let history = self.history(place)?;
        let sealer = place.sealer(self.vault.seals());
        let tail = history.map(|history| history::tail(&*history, sealer));
        Ok(tail.transpose().map_err(read)?.flatten())
    }

    /// The files in the same directory whose names start with `prefix`.
    pub(crate) fn beside(&self, file: &Path, prefix: &OsStr) -> Vec<PathBuf> {
        let Some(directory) = file.parent() else {
            return Vec::new();
        };
        let resolved = self.layout.resolve(self.disk(), directory).ok().flatten();
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

    /// The names in the directory of plans that have a plan in them, or the state of one, in order: at most so many, the
    /// last ones.
    pub(crate) fn plan_directories(
        &self,
        most: Option<usize>,
    ) -> Result<Vec<OsString>, StoreError> {
        let plans = self.layout.plans_directory();
        let Some(resolved) = self.layout.resolve(self.disk(), &plans)? else {
            return Ok(Vec::new());
        };
        let failed = |source| StoreError::io(Action::Read, &resolved, source);
        let mut names = self.disk.directories(&resolved).map_err(failed)?;
        names.sort_unstable();
        let mut found = Vec::new();
        for name in names.into_iter().rev() {
            if most.is_some_and(|most| found.len() >= most) {
                break;
            }
            let plan = resolved.join(&name);
            let state = plan.join(PLAN_STATE_DIRECTORY).join(PLAN_STATE_FILE);
            let is_there = |file: &Path| self.disk.inspect(file).is_ok_and(|kind| kind.is_some());
            if is_there(&plan.join(PLAN_FILE)) || is_there(&state) {
                found.push(name);
            }
        }
        found.reverse();
        Ok(found)
    }

    /// Opens a history for reading; `None` when there is none.
    pub fn history(&self, place: &Place) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
        match self.layout.resolve(self.disk(), &place.history)? {
            Some(path) => open_if_there(self.disk(), &path),
            None => Ok(None),
        }
    }

    /// Changes a document: takes the lock, settles what a crashed change left, lets `decide` say
    /// what to write, records it, writes it. `Ok(None)` when there was nothing to write.
    ///
    /// When this returns a [`Committed`], the change survives a crash and a power cut. When it
    /// returns an error, the files are as they were, but for two cases: if only the last sync
    /// fails, the new content may be there already; and if a later file of several fails, the next
    /// change finishes what the first one began.
    pub fn change<E: std::error::Error + 'static>(
        &self,
        place: &Place,
        author: &Author,
        decide: impl Fn(&Snapshot) -> Result<Option<Proposal>, E>,
    ) -> Result<Option<Committed>, ChangeError<E>> {
        let disk = self.disk();
        if !self.layout.exists(disk, place)? {
            // A change that is refused, or that has nothing to say, makes no directories.
            let snapshot = self.snapshot(place)?;
            if decide(&snapshot).map_err(ChangeError::Refused)?.is_none() {
                return Ok(None);
            }
        }
        let lock = self.layout.prepare_lock(disk, place)?;
        let _lock = disk
            .lock(&lock, self.lock_wait, &author.doing)
            .map_err(StoreError::from)?;
        let place = self.layout.prepare(disk, place)?;
        let seals = self.vault.seals_for_writing();
        let (contents, files) = self.settled_files(&place, seals)?;
        let snapshot = Snapshot {
            revision: files.settled.revision(),
            contents,
            foreign: files.settled.foreign().to_vec(),
            aborted: files.settled.aborted().cloned(),
            hashes: files.settled.hashes().to_vec(),
            now: (self.clock)(),
        };
        let Some(proposal) = decide(&snapshot).map_err(ChangeError::Refused)? else {
            if files.settled.only_aborted() {
                let sealer = place.sealer(seals);
                let (_, lines) = files.settled.lines(snapshot.now, author, &[], &[], sealer);
                self.append(&place, &lines)?;
            }
            return Ok(None);
        };
        if files.settled.is_adopted() {
            self.layout.make_private(disk, &place)?;
        }
        for (path, content) in &proposal.beside {
            // Under the temporary name of the document, which the next change would reuse.
            let temporary = temporary_path(&place.document().path);
            replace_through(disk, &temporary, path, content, place.mode)?;
        }
        let absorbed_foreign_edit = files.settled.found_foreign_edit();
        let writing = Writing::new(self, &place, author, files, snapshot.contents.clone());
        let revision = writing.carry_out(snapshot, proposal, decide)?;
        Ok(Some(Committed {
            revision,
            absorbed_foreign_edit,
        }))
    }

    /// The files as the next change would find them, without a lock and without writing: what a
    /// crashed change left is brought to its end in memory.
    pub fn snapshot(&self, place: &Place) -> Result<Snapshot, StoreError> {
        let mut snapshot = self.glance(place)?;
        if !snapshot.foreign.is_empty() {
            // A change that was written between two of our reads looks like somebody's edit.
            snapshot = self.glance(place)?;
        }
        Ok(snapshot)
    }

    fn glance(&self, place: &Place) -> Result<Snapshot, StoreError> {
        let contents = place.files.iter().map(|file| self.read(&file.path));
        let mut contents = contents.collect::<Result<Vec<_>, _>>()?;
        let history = self.history(place)?;
        let seals = self.vault.seals();
        let settled = self.settled(place, history.as_deref(), &contents, seals)?;
        for (position, content) in settled.unfinished() {
            contents[*position] = Some(content.clone());
        }
        Ok(Snapshot {
            contents,
            now: (self.clock)(),
            revision: settled.revision(),
            foreign: settled.foreign().to_vec(),
            aborted: settled.aborted().cloned(),
            hashes: settled.hashes().to_vec(),
        })
    }

    fn settled(
        &self,
        place: &Place,
        history: Option<&dyn DiskFile>,
        contents: &[Option<Vec<u8>>],
        seals: &Seals,
    ) -> Result<Settled, StoreError> {
        let failed = |source| StoreError::io(Action::Read, &place.history, source);
        let sealer = place.sealer(seals);
        let tail = history.map(|history| history::tail(history, sealer));
        let tail = tail.transpose().map_err(failed)?.flatten();
        let fresh_epoch = || (self.epochs)((self.clock)());
        settle::settle(tail, history, &place.files, contents, fresh_epoch).map_err(failed)
    }

    /// Reads the files and brings them to the end of the last change. What they hold then.
    fn settled_files(
        &self,
        place: &Place,
        seals: &Seals,
    ) -> Result<(Contents, SettledFiles), StoreError> {
        let disk = self.disk();
        let mut contents = Vec::with_capacity(place.files.len());
        let mut modes = Vec::with_capacity(place.files.len());
        for file in &place.files {
            contents.push(read_if_there(disk, &file.path)?);
        }
        let history = open_if_there(disk, &place.history)?;
        let settled = self.settled(place, history.as_deref(), &contents, seals)?;
        for file in &place.files {
            modes.push(self.mode(place, file, settled.is_adopted())?);
        }
        for (position, file) in place.files.iter().enumerate() {
            if file.role == Role::Shared {
                let intended = settled.intended(position).unwrap_or_default();
                rescue(
                    disk,
                    &file.path,
                    history.as_deref(),
                    intended,
                    (self.clock)(),
                )?;
            }
        }
        for (position, content) in settled.unfinished() {
            let file = &place.files[*position];
            let present = contents[*position].as_deref();
            finish(disk, file, content, present, modes[*position])?;
            contents[*position] = Some(content.clone());
        }
        Ok((contents, SettledFiles { modes, settled }))
    }

    /// Who may read a file once it is written: as before, but what is taken over from others becomes private where what we
    /// write ourselves is.
    fn mode(&self, place: &Place, file: &PlaceFile, is_adopted: bool) -> Result<Mode, StoreError> {
        let failed = |source| StoreError::io(Action::Inspect, &file.path, source);
        let mode = match file.role {
            Role::Own => place.mode,
            Role::Shared => Mode::Umask,
        };
        Ok(match self.disk.inspect(&file.path).map_err(failed)? {
            Some(FileKind::File(bits)) if is_adopted && mode == Mode::Private => {
                Mode::Exactly(bits & 0o700)
            }
            Some(FileKind::File(bits)) => Mode::Exactly(bits),
            _ => mode,
        })
    }

    /// Records something that changes no file, unless the last line says it already. It belongs to
    /// the last revision; without a history there is nothing to add to.
    pub(crate) fn remark(
        &self,
        place: &Place,
        author: &Author,
        event: &Event,
    ) -> Result<(), StoreError> {
        let disk = self.disk();
        if self.history(place)?.is_none() {
            return Ok(());
        }
        let lock = self.layout.prepare_lock(disk, place)?;
        let _lock = disk.lock(&lock, self.lock_wait, &author.doing)?;
        let place = self.layout.prepare(disk, place)?;
        let failed = |source| StoreError::io(Action::Read, &place.history, source);
        let Some(history) = open_if_there(disk, &place.history)? else {
            return Ok(());
        };
        let seals = self.vault.seals_for_writing();
        let sealer = place.sealer(seals);
        let Some(tail) = history::tail(&*history, sealer).map_err(failed)? else {
            return Ok(());
        };
        let mut lines = history::Backward::new(&*history).map_err(failed)?;
        let last = lines.next().transpose().map_err(failed)?;
        if last.is_some_and(|last| last.event().as_deref() == Some(event.name)) {
            return Ok(());
        }
        let mut line = String::new();
        if tail.cut_short {
            line.push('\n');
        }
        let entry = Entry {
            time: (self.clock)(),
            number: tail.number,
            epoch: &tail.epoch,
            by: &author.by,
            files: &[],
        };
        history::write_line(&mut line, event, entry, sealer);
        self.append(&place, &line)
    }

    /// Adds lines to the history and makes them durable.
    pub(super) fn append(&self, place: &Place, lines: &str) -> Result<(), StoreError> {
        let failed = |source| StoreError::io(Action::Write, &place.history, source);
        let (mut file, is_new) = match self.disk.open_append(&place.history) {
            Ok(file) => (file, false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (
                self.disk
                    .create(&place.history, Mode::Private)
                    .map_err(failed)?,
                true,
            ),
            Err(error) => return Err(failed(error)),
        };
        file.write(lines.as_bytes()).map_err(failed)?;
        file.sync().map_err(failed)?;
        if is_new {
            sync_parent(self.disk(), &place.history)?;
        }
        Ok(())
    }
}

/// So many bytes take as long to read as a value.
const BYTES_OF_A_VALUE: usize = 64;

/// What the files of a document hold, each in its place; `None` where there is none.
type Contents = Vec<Option<Vec<u8>>>;

/// The files of a document, brought to the end of the last change.
pub(super) struct SettledFiles {
    pub(super) modes: Vec<Mode>,
    pub(super) settled: Settled,
}

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
