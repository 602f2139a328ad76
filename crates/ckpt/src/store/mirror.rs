//! The mirror: a second copy of every history, in the git directory that all worktrees share.
//!
//! `git clean -fdx`, `rm -rf .claude` and `git worktree remove` delete a history; its copy stays. A history leads to
//! every content it names, so its copy brings the whole document back.
//!
//! * A copy holds the same bytes as its history, as far as it goes. It is written under the document's lock, and not
//!   synced: what it lacks after a power cut, or because the git directory could not be written, the next change adds.
//!   Only its removal is synced.
//! * If a history does not begin with its copy, it tells another story, and the copy is set aside and kept. A copy that
//!   has all that can be read of its history, and more, is what a damaged history is restored from: it goes on.
//! * Each worktree has a directory of its own, named by a random id. The id is in the worktree's own git directory, so
//!   it goes with the worktree, and another one with the same name gets another id.

mod agreement;

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::archive::archives_below;
use super::error::{Action, StoreError};
use super::replace::{create, fill, replace, sync_parent, temporary_path};
use crate::disk::{Disk, DiskFile, FileKind, Mode};
use crate::layout::{ARCHIVE, KeptAs, MIRROR_EARLIER, MIRROR_ROOT, TRASH};
use crate::seal::Sealer;
use crate::time::Timestamp;

use agreement::has_all_of;
pub(crate) use agreement::{Agreement, altered_lines, damaged_lines};

/// How many of the last bytes of a copy are compared with the history. A power cut leaves zeros at the end.
const COMPARED: u64 = 64;

/// How many bytes are copied at a time.
const BLOCK: u64 = 256 * 1024;

/// A copy that lacks more than this is left to `ckpt gc` and `ckpt doctor --fix`: a clone can bring a history of any
/// length, and a hook has no time.
const MOST_CAUGHT_UP: u64 = 64 * 1024 * 1024;

/// Where the copies of one worktree's histories are.
#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    /// The directory that holds one directory for each worktree.
    directory: PathBuf,
    /// The file with the worktree's id.
    id_file: PathBuf,
    /// The root of the worktree, for people.
    root: PathBuf,
    id: Arc<OnceLock<Option<WorktreeId>>>,
}

/// Finds the mirror; `None` if there is no place for one.
pub(crate) type MakeMirror = Arc<dyn Fn() -> Option<Mirror> + Send + Sync>;

/// A mirror that is looked for once somebody asks.
#[derive(Clone, Default)]
pub(crate) struct Mirrored {
    found: Arc<OnceLock<Option<Mirror>>>,
    make: Option<MakeMirror>,
}

impl fmt::Debug for Mirrored {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.found.fmt(formatter)
    }
}

impl Mirrored {
    /// The mirror that this finds.
    pub(crate) fn later(make: MakeMirror) -> Self {
        Self {
            found: Arc::default(),
            make: Some(make),
        }
    }

    /// This mirror.
    #[cfg(test)]
    pub(crate) fn at(mirror: Mirror) -> Self {
        let found = OnceLock::from(Some(mirror));
        Self {
            found: Arc::new(found),
            make: None,
        }
    }

    pub(super) fn get(&self) -> Option<&Mirror> {
        let found = self
            .found
            .get_or_init(|| self.make.as_ref().and_then(|make| make()));
        found.as_ref()
    }
}

/// The random name of a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct WorktreeId(String);

impl WorktreeId {
    fn random() -> Option<Self> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).ok()?;
        Some(Self(format!("{:016x}", u64::from_be_bytes(bytes))))
    }

    /// `None` if this is not an id.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_one = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// How much of a history its copy has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// All of it.
    Whole,
    /// All but this many bytes at the end.
    Behind(u64),
    /// It is the copy of another history.
    Other,
}

/// Whether a copy has followed its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Followed {
    /// It has.
    Yes,
    /// It lacks so much that it is left to `ckpt gc` and `ckpt doctor --fix`.
    TooFarBehind,
    /// This worktree has no place for copies.
    NoPlace,
}

/// A copy that is open for appending, its path, and the range of the history that it lacks.
type Behind = (Box<dyn DiskFile>, PathBuf, Range<u64>);

impl Mirror {
    /// The mirror in this directory, for the worktree whose id is in `id_file`. Nothing need exist yet.
    #[must_use]
    pub(crate) fn new(directory: PathBuf, id_file: PathBuf, root: &Path) -> Self {
        Self {
            directory,
            id_file,
            root: root.to_owned(),
            id: Arc::default(),
        }
    }

    /// The id of this worktree; `None` if nothing was ever copied here.
    pub(crate) fn id(&self, disk: &dyn Disk) -> Option<WorktreeId> {
        self.known_id(disk).ok().flatten()
    }

    /// The id of this worktree; an error if it cannot be read now.
    pub(crate) fn known_id(&self, disk: &dyn Disk) -> io::Result<Option<WorktreeId>> {
        if let Some(Some(id)) = self.id.get() {
            return Ok(Some(id.clone()));
        }
        read_id(disk, &self.id_file)
    }

    /// The directory that holds one directory for each worktree.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// A path beside the mirror, where no clone can bring anything.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.directory.with_file_name(name)
    }

    /// The id of this worktree, which gets one if it has none; `None` if it cannot get one, or the one that it has cannot be
    /// read.
    pub(crate) fn own_id(&self, disk: &dyn Disk) -> Option<&WorktreeId> {
        let id = self.id.get_or_init(|| match read_id(disk, &self.id_file) {
            Ok(None) => self.make_id(disk).ok(),
            known => known.ok().flatten(),
        });
        id.as_ref()
    }

    fn make_id(&self, disk: &dyn Disk) -> Result<WorktreeId, StoreError> {
        let id = WorktreeId::random().ok_or_else(|| {
            let source = io::Error::other("the system has no randomness");
            StoreError::io(Action::Create, &self.id_file, source)
        })?;
        let failed = |source| StoreError::io(Action::Create, &self.id_file, source);
        make_directories(disk, self.id_file.parent().unwrap_or(&self.id_file)).map_err(failed)?;
        let bytes = id.as_str().as_bytes();
        if create(disk, &self.id_file, bytes, Mode::Private)? {
            return Ok(id);
        }
        // Another process makes one too, or this file system has no files without a name. Nothing replaces an id.
        let temporary = self.id_file.with_extension(id.as_str());
        fill(disk, &temporary, bytes, Mode::Private)?;
        let named = match disk.rename_new(&temporary, &self.id_file) {
            Err(error) => match read_id(disk, &self.id_file).map_err(failed)? {
                Some(made) => {
                    disk.remove(&temporary).map_err(failed)?;
                    return Ok(made);
                }
                // What is there is none.
                None if error.kind() == io::ErrorKind::AlreadyExists => {
                    disk.rename(&temporary, &self.id_file)
                }
                None => Err(error),
            },
            done => done,
        };
        named.map_err(failed)?;
        sync_parent(disk, &self.id_file).map(|()| id)
    }

    fn worktree(&self, id: &WorktreeId) -> PathBuf {
        self.directory.join(id.as_str())
    }

    /// The path of the copy of a history.
    pub(crate) fn copy(&self, id: &WorktreeId, kept_as: &KeptAs) -> PathBuf {
        self.worktree(id).join(kept_as.history())
    }

    /// Brings the copy of a history up to date. `added` is what was appended to the history just now. A copy that lacks
    /// very much is left alone.
    pub(super) fn follow(
        &self,
        disk: &dyn Disk,
        kept_as: &KeptAs,
        (history, added): (&dyn DiskFile, &[u8]),
        sealer: Sealer<'_>,
        now: Timestamp,
    ) -> Result<Followed, StoreError> {
        let length = added.len() as u64;
        let up_to = self.up_to(disk, kept_as, (history, length), sealer, now)?;
        let Some((mut copy, path, lacking)) = up_to else {
            return Ok(Followed::NoPlace);
        };
        let failed = |source| StoreError::io(Action::Write, &path, source);
        match lacking.end - lacking.start {
            length if length == added.len() as u64 => copy.write(added),
            length if length > MOST_CAUGHT_UP => return Ok(Followed::TooFarBehind),
            _ => carry(history, lacking, &mut *copy),
        }
        .map_err(failed)?;
        Ok(Followed::Yes)
    }

    /// Brings the copy of a history up to date, however much it lacks.
    pub(super) fn complete(
        &self,
        disk: &dyn Disk,
        kept_as: &KeptAs,
        history: &dyn DiskFile,
        sealer: Sealer<'_>,
        now: Timestamp,
    ) -> Result<Followed, StoreError> {
        let up_to = self.up_to(disk, kept_as, (history, 0), sealer, now)?;
        let Some((mut copy, path, lacking)) = up_to else {
            return Ok(Followed::NoPlace);
        };
        let failed = |source| StoreError::io(Action::Write, &path, source);
        carry(history, lacking, &mut *copy).map_err(failed)?;
        Ok(Followed::Yes)
    }

    /// Replaces the copy of a history by the history as it is.
    pub(super) fn restore(
        &self,
        disk: &dyn Disk,
        kept_as: &KeptAs,
        history: &dyn DiskFile,
    ) -> Result<(), StoreError> {
        let Some(id) = self.id(disk) else {
            return Ok(());
        };
        let path = self.copy(&id, kept_as);
        let temporary = temporary_path(&path);
        let write = || {
            let mut file = disk.create(&temporary, Mode::Private)?;
            carry(history, 0..history.length()?, &mut *file)?;
            file.sync()?;
            disk.rename(&temporary, &path)
        };
        write().map_err(|source| {
            let _ = disk.remove(&temporary);
            StoreError::io(Action::Write, &path, source)
        })
    }

    /// The copy of a history, opened for appending, and what it lacks. `added` is the length of what was appended to the
    /// history just now. `None` if this worktree has no place for copies.
    fn up_to(
        &self,
        disk: &dyn Disk,
        kept_as: &KeptAs,
        (history, added): (&dyn DiskFile, u64),
        sealer: Sealer<'_>,
        now: Timestamp,
    ) -> Result<Option<Behind>, StoreError> {
        let Some(id) = self.own_id(disk) else {
            return Ok(None);
        };
        let path = self.copy(id, kept_as);
        let failed = |source| StoreError::io(Action::Write, &path, source);
        let mut copy = match disk.open_append(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.begin(disk, id, &path).map_err(failed)?
            }
            opened => opened.map_err(failed)?,
        };
        let (mut kept, length) = (
            copy.length().map_err(failed)?,
            history.length().map_err(failed)?,
        );
        if !is_beginning(&*copy, kept, history, length).map_err(failed)? {
            let before = length - added.min(length);
            // A copy that ends alike has followed it so far: reading both throughout is left to ckpt recover.
            let is_known = kept > before
                && before >= COMPARED
                && is_same_before((&*copy, kept), (history, before)).map_err(failed)?;
            if is_known || has_all_of(&*copy, history, before, sealer).map_err(failed)? {
                // The history is damaged, and its copy is what it can be restored from.
                return Ok(Some((copy, path, before..length)));
            }
            drop(copy);
            self.set_aside(disk, id, kept_as, now).map_err(failed)?;
            copy = disk.create(&path, Mode::Private).map_err(failed)?;
            kept = 0;
        }
        Ok(Some((copy, path, kept..length)))
    }

    /// Begins the copy of a history.
    fn begin(
        &self,
        disk: &dyn Disk,
        id: &WorktreeId,
        path: &Path,
    ) -> io::Result<Box<dyn DiskFile>> {
        make_directories(disk, path.parent().unwrap_or(path))?;
        let root = self.worktree(id).join(MIRROR_ROOT);
        if disk.inspect(&root)?.is_none() {
            let mut file = disk.create(&root, Mode::Private)?;
            file.write(self.root.as_os_str().as_encoded_bytes())?;
        }
        disk.create(path, Mode::Private)
    }

    /// Keeps the copy of a history that was lost under another name.
    fn set_aside(
        &self,
        disk: &dyn Disk,
        id: &WorktreeId,
        kept_as: &KeptAs,
        now: Timestamp,
    ) -> io::Result<()> {
        let aside = self.worktree(id).join(MIRROR_EARLIER);
        let aside = aside.join(kept_as.history_until(&now.for_file_name()));
        make_directories(disk, aside.parent().unwrap_or(&aside))?;
        disk.rename(&self.copy(id, kept_as), &aside)
    }

    /// Keeps the copy of another archive that had this name, as where the archive itself was lost.
    pub(super) fn set_archive_aside(
        &self,
        disk: &dyn Disk,
        below: &Path,
        aside: &Path,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let known = self
            .id(disk)
            .and_then(|id| self.read_archive(disk, &id, below));
        match known.is_some_and(|known| known != bytes) {
            true => self.move_archive(disk, below, aside).map(drop),
            false => Ok(()),
        }
    }

    /// Gives the copy of an archive another name. Returns where it is then; `None` if there is no copy.
    pub(super) fn move_archive(
        &self,
        disk: &dyn Disk,
        below: &Path,
        aside: &Path,
    ) -> Result<Option<PathBuf>, StoreError> {
        let Some(id) = self.id(disk) else {
            return Ok(None);
        };
        let archives = self.worktree(&id).join(ARCHIVE);
        let (path, aside) = (archives.join(below), archives.join(aside));
        let failed = |source| StoreError::io(Action::Replace, &path, source);
        self.check_unobstructed(disk).map_err(failed)?;
        if disk.inspect(&path).map_err(failed)?.is_none() {
            return Ok(None);
        }
        make_directories(disk, aside.parent().unwrap_or(&aside)).map_err(failed)?;
        disk.rename(&path, &aside).map_err(failed)?;
        Ok(Some(aside))
    }

    /// Keeps a copy of an archive, durably.
    pub(super) fn keep_archive(
        &self,
        disk: &dyn Disk,
        below: &Path,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let nowhere = || io::Error::other("this worktree has no place for copies");
        let failed = |source| StoreError::io(Action::Write, below, source);
        let id = self.own_id(disk).ok_or_else(|| failed(nowhere()))?;
        self.check_unobstructed(disk).map_err(failed)?;
        let path = self.worktree(id).join(ARCHIVE).join(below);
        make_directories(disk, path.parent().unwrap_or(&path)).map_err(failed)?;
        replace(disk, &path, bytes, Mode::Private)
    }

    /// The copy of an archive.
    pub(crate) fn read_archive(
        &self,
        disk: &dyn Disk,
        id: &WorktreeId,
        below: &Path,
    ) -> Option<Vec<u8>> {
        disk.read(&self.archive(id, below)).ok()
    }

    /// The path of the copy of an archive.
    pub(crate) fn archive(&self, id: &WorktreeId, below: &Path) -> PathBuf {
        self.worktree(id).join(ARCHIVE).join(below)
    }

    /// Drops the copy of an archive.
    pub(super) fn drop_archive(
        &self,
        disk: &dyn Disk,
        id: &WorktreeId,
        below: &Path,
    ) -> io::Result<()> {
        self.check_unobstructed(disk)?;
        remove_durably(disk, &self.archive(id, below))
    }

    /// Drops the copy of a history.
    pub(crate) fn drop_copy(
        &self,
        disk: &dyn Disk,
        id: &WorktreeId,
        kept_as: &KeptAs,
    ) -> io::Result<()> {
        self.check_unobstructed(disk)?;
        remove_durably(disk, &self.copy(id, kept_as))
    }

    /// The copies of a worktree's archives, by their paths in the archive.
    pub(crate) fn archive_names(&self, disk: &dyn Disk, id: &WorktreeId) -> Vec<PathBuf> {
        archives_below(disk, &self.worktree(id).join(ARCHIVE))
    }

    /// How much of a history its copy has. A history that was never copied is behind by all of it.
    pub(super) fn coverage(
        &self,
        disk: &dyn Disk,
        kept_as: &KeptAs,
        history: &dyn DiskFile,
    ) -> io::Result<Coverage> {
        let copy = match self.id(disk) {
            Some(id) => self.open(disk, &id, kept_as)?,
            None => None,
        };
        let Some(copy) = copy else {
            return Ok(Coverage::Behind(history.length()?));
        };
        // The copy first: whoever appends meanwhile appends to the history before the copy.
        let kept = copy.length()?;
        let length = history.length()?;
        Ok(match is_beginning(&*copy, kept, history, length)? {
            false => Coverage::Other,
            true if kept == length => Coverage::Whole,
            true => Coverage::Behind(length - kept),
        })
    }

    /// Opens the copy of a history; `None` if there is none.
    pub(crate) fn open(
        &self,
        disk: &dyn Disk,
        id: &WorktreeId,
        kept_as: &KeptAs,
    ) -> io::Result<Option<Box<dyn DiskFile>>> {
        match disk.open(&self.copy(id, kept_as)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            // What is behind a link is no copy.
            Err(_) if !self.obstacles(disk, &[kept_as]).is_empty() => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// What is in the way of the copies of this worktree: a symbolic link, or anything else that is no directory, where one of its
    /// directories belongs. Nothing is followed there. Of these histories, the copies themselves are looked at too.
    pub(crate) fn obstacles(&self, disk: &dyn Disk, histories: &[&KeptAs]) -> Vec<PathBuf> {
        let is_at = |path: &Path, is_fine: fn(&FileKind) -> bool| matches!(disk.inspect(path), Ok(Some(kind)) if !is_fine(&kind));
        let is_directory: fn(&FileKind) -> bool = |kind| matches!(kind, FileKind::Directory);
        if is_at(&self.directory, is_directory) {
            return vec![self.directory.clone()];
        }
        let Some(id) = self.id(disk) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let worktree = self.worktree(&id);
        let below = directories_below().map(|below| worktree.join(below));
        for path in std::iter::once(worktree.clone()).chain(below) {
            let is_behind = found.iter().any(|other| path.starts_with(other));
            if !is_behind && is_at(&path, is_directory) {
                found.push(path);
            }
        }
        let copies = histories.iter().map(|kept_as| self.copy(&id, kept_as));
        let copies = copies.filter(|path| !found.iter().any(|other| path.starts_with(other)));
        let linked = copies.filter(|path| is_at(path, |kind| matches!(kind, FileKind::File(_))));
        let linked: Vec<PathBuf> = linked.collect();
        found.extend(linked);
        found
    }

    /// Refuses to write where something is in the way.
    fn check_unobstructed(&self, disk: &dyn Disk) -> io::Result<()> {
        match self.obstacles(disk, &[]).first() {
            Some(path) => Err(io::Error::other(format!(
                "{} is no directory",
                path.display()
            ))),
            None => Ok(()),
        }
    }

    /// The worktrees that have copies, whether they still exist or not.
    pub(crate) fn worktrees(&self, disk: &dyn Disk) -> Vec<WorktreeId> {
        let names = disk.directories(&self.directory).unwrap_or_default();
        let mut ids: Vec<_> = names
            .iter()
            .filter_map(|name| WorktreeId::parse(name.to_str()?))
            .collect();
        ids.sort_unstable();
        ids
    }

    /// The histories of which a worktree has copies.
    pub(crate) fn copies(&self, disk: &dyn Disk, id: &WorktreeId) -> Vec<KeptAs> {
        let mut found = Vec::new();
        for kind in KeptAs::KINDS {
            let directory = self.worktree(id).join(kind);
            let opened = disk.open_directory(&directory);
            let names = opened.and_then(|opened| opened.names());
            let names = names.unwrap_or_default();
            found.extend(
                names
                    .iter()
                    .filter_map(|name| KeptAs::of_history(kind, name.to_str()?)),
            );
        }
        found.sort_unstable();
        found
    }

    /// The root that a worktree had when its first copy was made.
    pub(crate) fn root_of(&self, disk: &dyn Disk, id: &WorktreeId) -> Option<PathBuf> {
        let root = disk.read(&self.worktree(id).join(MIRROR_ROOT)).ok()?;
        Some(PathBuf::from(String::from_utf8(root).ok()?))
    }
}

/// The directories in that of a worktree, each after the one that it is in.
fn directories_below() -> impl Iterator<Item = PathBuf> {
    let archive = PathBuf::from(ARCHIVE);
    let trash = archive.join(TRASH);
    let of_kinds = |group: &Path| KeptAs::KINDS.map(|kind| group.join(kind));
    let [histories, archives, deleted] = [Path::new(""), &archive, &trash].map(of_kinds);
    let groups = histories.into_iter().chain([archive, trash]);
    groups.chain(archives).chain(deleted)
}

/// Removes a copy. One that a power cut brought back would be taken for what is left of something that was lost, once the
/// archive of what was deleted is gone.
fn remove_durably(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    disk.remove(path)?;
    disk.sync_directory(path.parent().unwrap_or(path))
}

/// The id in a file; `None` if there is none.
pub(crate) fn read_id(disk: &dyn Disk, file: &Path) -> io::Result<Option<WorktreeId>> {
    match disk.read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        content => Ok(WorktreeId::parse(&String::from_utf8_lossy(&content?))),
    }
}

/// Whether a history begins with what its copy holds, going by the end of the copy.
fn is_beginning(
    copy: &dyn DiskFile,
    kept: u64,
    history: &dyn DiskFile,
    length: u64,
) -> io::Result<bool> {
    Ok(kept <= length && is_same_before((copy, kept), (history, kept))?)
}

/// Whether two files have the same bytes before these offsets: a seal, as a rule.
fn is_same_before(one: (&dyn DiskFile, u64), other: (&dyn DiskFile, u64)) -> io::Result<bool> {
    let size = one.1.min(other.1).min(COMPARED);
    let bytes = |(file, end): (&dyn DiskFile, u64)| {
        let mut bytes = [0; COMPARED as usize];
        let compared = ..usize::try_from(size).unwrap_or_default();
        file.read_exact_at(&mut bytes[compared], end - size)?;
        Ok::<_, io::Error>(bytes)
    };
    Ok(bytes(one)? == bytes(other)?)
}

/// Copies a range of bytes to the end of another file.
pub(super) fn carry(
    from: &dyn DiskFile,
    range: Range<u64>,
    to: &mut dyn DiskFile,
) -> io::Result<()> {
    let mut block = Vec::new();
    let mut offset = range.start;
    while offset < range.end {
        let size = (range.end - offset).min(BLOCK);
        block.resize(usize::try_from(size).unwrap_or_default(), 0);
        from.read_exact_at(&mut block, offset)?;
        to.write(&block)?;
        offset += size;
    }
    Ok(())
}

/// Creates a private directory with its parents.
pub(crate) fn make_directories(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    if disk.inspect(path)?.is_some() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_directories(disk, parent)?;
    }
    match disk.create_directory(path, Mode::Private) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }?;
    // The copies are not synced, but whether they exist at all should not be left to chance.
    sync_parent(disk, path).map_err(|error| io::Error::other(error.to_string()))
}

#[cfg(test)]
mod tests;
