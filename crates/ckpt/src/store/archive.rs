//! Moving a document and its history into the archive, and back.
//!
//! At every instant the document is whole in its place, or whole in the archive. The archive is written and read back
//! before anything is removed. The document goes first: an archive counts only while the document is not there. Bringing
//! it back writes the document last, for the same reason.

mod damage;

use std::io;
use std::path::{Path, PathBuf};

pub use damage::Salvage;

use super::error::{Action, StoreError};
use super::files::{Author, FileStore, read_if_there};
use super::mirror::WorktreeId;
use super::packed::{self, ArchiveFlaw, Label, Packed, Unpacked};
use super::replace::{replace, sync_parent};
use super::shared::{Shared, Swap};
use crate::disk::lock::Lock;
use crate::disk::{Disk, DiskFile, Mode};
use crate::history::{self, Event, EventName, Revision};
use crate::layout::{ARCHIVE, KeptAs, Place, Role, TRASH};
use crate::seal::{Domain, Sealer, Seals, Unsealed};

/// What becomes of a document that is archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Its state goes; files that people write too stay where they are.
    Archived,
    /// All its files go, into this archive.
    Deleted(PathBuf),
    /// All its files go, into this archive, because it has this name now.
    Renamed(PathBuf, String),
}

impl Fate {
    /// The archive that a document goes into.
    pub(crate) fn archive<'f>(&'f self, place: &'f Place) -> &'f Path {
        match self {
            Self::Archived => &place.archive,
            Self::Deleted(path) | Self::Renamed(path, _) => path,
        }
    }

    /// Whether the files that people write too go with it.
    pub(crate) fn takes_all(&self) -> bool {
        !matches!(self, Self::Archived)
    }

    /// The last line of its history.
    fn event(&self) -> Event {
        match self {
            Self::Archived => Event::new(EventName::Archived),
            Self::Deleted(_) => Event::new(EventName::Deleted),
            Self::Renamed(_, to) => Event::new(EventName::Renamed).with("to", to.as_str()),
        }
    }
}

/// A file beside a document that is archived with it, such as a backup. It is not part of its history.
pub(crate) type Beside = PathBuf;

/// Looks for something of a document in one place.
pub(crate) type Look<'l, T> = &'l dyn Fn() -> Result<Option<T>, StoreError>;

/// The archives of what was deleted or renamed, or those of everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Archived,
    Deleted,
}

impl Group {
    /// Its directory among the archives.
    fn directory(self) -> &'static str {
        match self {
            Self::Archived => "",
            Self::Deleted => TRASH,
        }
    }
}

/// Whether the archive of a document is asked for.
pub(crate) type Wanted<'w> = &'w dyn Fn(&KeptAs) -> bool;

/// How often a document may move between its place and its archive while it is read.
const MOST_MOVES: usize = 8;

impl FileStore {
    /// Whether a document is in the archive, and not in its place.
    pub(crate) fn is_archived(&self, place: &Place) -> bool {
        self.is_there(&place.archive) && !self.is_there(&place.document().path)
    }

    /// Reads the archive of a document; `None` if it is not archived.
    pub(crate) fn read_archive(&self, place: &Place) -> Result<Option<Packed>, StoreError> {
        match self.is_archived(place) {
            true => self.read_packed(place, &place.archive),
            false => Ok(None),
        }
    }

    /// Opens a history for reading, in its place or in the archive; `None` if there is none.
    pub(crate) fn any_history(
        &self,
        place: &Place,
    ) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
        let has_history = |packed: &Packed| !packed.history.is_empty();
        let document = &place.document().path;
        self.in_place_or_archive(document, &|| self.history(place), &|| {
            let packed = match self.is_there(document) {
                // Somebody has put the document back. Its history goes on from there.
                true => self.read_packed(place, &place.archive).ok().flatten(),
                false => self.read_what_is_left(place, has_history)?,
            };
            let packed = packed.filter(has_history);
            Ok(packed.map(|packed| Box::new(Unpacked::new(packed.history)) as Box<dyn DiskFile>))
        })
    }

    /// Looks for something of the document at this path in its place, then in its archive. Readers take no lock, so a document that comes
    /// back from the archive between the two is looked for again.
    pub(crate) fn in_place_or_archive<T>(
        &self,
        document: &Path,
        in_place: Look<'_, T>,
        in_archive: Look<'_, T>,
    ) -> Result<Option<T>, StoreError> {
        for _ in 0..MOST_MOVES {
            if let Some(found) = in_place()? {
                return Ok(Some(found));
            }
            if let Some(found) = in_archive()? {
                return Ok(Some(found));
            }
            if !self.is_there(document) {
                break;
            }
        }
        Ok(None)
    }

    /// Opens the history in an archive; `None` if there is no such archive.
    pub(crate) fn history_in(
        &self,
        place: &Place,
        archive: &Path,
    ) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
        let packed = self.read_packed(place, archive)?;
        Ok(packed.map(|packed| Box::new(Unpacked::new(packed.history)) as Box<dyn DiskFile>))
    }

    pub(crate) fn read_packed(
        &self,
        place: &Place,
        path: &Path,
    ) -> Result<Option<Packed>, StoreError> {
        let Some(bytes) = self.read(path)? else {
            return Ok(None);
        };
        self.unpacked_or_copy(place, path, &bytes).map(Some)
    }

    /// Unpacks the bytes of an archive, or its copy if they cannot be used.
    pub(crate) fn unpacked_or_copy(
        &self,
        place: &Place,
        path: &Path,
        bytes: &[u8],
    ) -> Result<Packed, StoreError> {
        let sealer = archive_sealer(place, self.vault().seals_of_any_time());
        let unpacked = Packed::unpack(bytes, sealer).or_else(|flaw| {
            let copy = self.copy_of_archive(path);
            let copy = copy.and_then(|copy| Packed::unpack(&copy, sealer).ok());
            copy.ok_or(flaw)
        });
        unpacked.map_err(|flaw| flawed(path, flaw))
    }

    /// Unpacks the bytes of a document's archive.
    pub(crate) fn unpacked(&self, place: &Place, bytes: &[u8]) -> Result<Packed, ArchiveFlaw> {
        Packed::unpack(
            bytes,
            archive_sealer(place, self.vault().seals_of_any_time()),
        )
    }

    /// The copy of an archive in the mirror.
    fn copy_of_archive(&self, path: &Path) -> Option<Vec<u8>> {
        let mirror = self.mirror()?;
        mirror.read_archive(
            self.disk(),
            &mirror.id(self.disk())?,
            &self.in_archive(path)?,
        )
    }

    /// What an archive says about itself, or its copy if it is damaged. Its name has to fit that of its file.
    pub(crate) fn label_of(&self, path: &Path) -> Option<Label> {
        let own = self.own_label_of(path).ok().flatten();
        own.or_else(|| self.label_in(path, &self.copy_of_archive(path)?))
    }

    /// The same, without its copy.
    fn own_label_of(&self, path: &Path) -> Result<Option<Label>, StoreError> {
        let read = self.read_beginning(path, packed::MOST_BEGINNING)?;
        Ok(read.and_then(|bytes| self.label_in(path, &bytes)))
    }

    fn label_in(&self, path: &Path, bytes: &[u8]) -> Option<Label> {
        let (kept_as, _) = KeptAs::of_archive_below(&self.in_archive(path)?)?;
        packed::label(bytes).filter(|label| kept_as.is_of(&label.key))
    }

    /// The archives of the documents that are wanted: of those that were deleted, or of the others.
    pub(crate) fn archives_of(&self, group: Group, wanted: Wanted<'_>) -> Vec<PathBuf> {
        let directory = self.archives();
        let Some(resolved) = self.resolved(&directory) else {
            return Vec::new();
        };
        let below = archives_in(self.disk(), &resolved, group.directory());
        let is_wanted = |below: &PathBuf| {
            let kept_as = KeptAs::of_archive_below(below);
            kept_as.is_some_and(|(kept_as, _)| wanted(&kept_as))
        };
        let below = below.into_iter().filter(is_wanted);
        below.map(|below| directory.join(below)).collect()
    }

    /// What those archives say about themselves. Those that cannot be read are left out.
    pub(crate) fn labels(&self, group: Group, wanted: Wanted<'_>) -> Vec<(PathBuf, Label)> {
        let archives = self.archives_of(group, wanted).into_iter();
        let labelled = archives.filter_map(|path| {
            let label = self.label_of(&path)?;
            Some((path, label))
        });
        labelled.collect()
    }

    /// What was deleted, according to the archives here and the copies of those of a worktree. Those here count only with
    /// our seal: a clone can bring any number of them.
    pub(crate) fn tombstones(&self, id: Option<&WorktreeId>) -> Vec<Label> {
        let here = self.labels(Group::Deleted, &|_| true).into_iter();
        let ours = here.filter(|(path, _)| self.is_ours(path));
        let mut labels: Vec<Label> = ours.map(|(_, label)| label).collect();
        if let (Some(mirror), Some(id)) = (self.mirror(), id) {
            let names = mirror.archive_names(self.disk(), id).into_iter();
            let deleted = names.filter(|below| below.starts_with(TRASH));
            labels.extend(deleted.filter_map(|below| self.label_in_mirror(id, &below)));
        }
        labels
    }

    /// Whether we have sealed what an archive says about itself.
    fn is_ours(&self, path: &Path) -> bool {
        let below = self.in_archive(path);
        let Some((kept_as, _)) = below.and_then(|below| KeptAs::of_archive_below(&below)) else {
            return false;
        };
        let about = kept_as.sealed_name();
        let sealer = Sealer::new(self.vault().seals_of_any_time(), Domain::Archive, &about);
        let read = self.read_beginning(path, packed::MOST_BEGINNING);
        let read = read.ok().flatten();
        read.is_some_and(|bytes| packed::check_seal(&bytes, sealer).is_ok())
    }

    /// What the copy of an archive says about itself.
    pub(crate) fn label_in_mirror(&self, id: &WorktreeId, below: &Path) -> Option<Label> {
        let copy = self.mirror()?.read_archive(self.disk(), id, below)?;
        packed::label(&copy)
    }

    /// Refuses to go on while nothing can be sealed: an archive without a seal could not be used once there is a key.
    pub(crate) fn ensure_sealed(&self) -> Result<(), StoreError> {
        match self.vault().ensure_key() {
            Err(reason @ Unsealed::Unreadable { .. }) => Err(StoreError::Unchecked(reason.clone())),
            Err(reason @ (Unsealed::Malformed { .. } | Unsealed::Unwritable { .. })) => {
                Err(StoreError::Unsealable(reason.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Moves a document whose lock is held into the archive. `contents` are its files as they are.
    pub(super) fn archive(
        &self,
        (place, contents): (&Place, &[Option<Vec<u8>>]),
        author: &Author,
        mut label: Label,
        beside: &[Beside],
        fate: &Fate,
    ) -> Result<(), StoreError> {
        self.ensure_sealed()?;
        let archive = fate.archive(place);
        let mut packed = Packed {
            history: self.history_to_archive(place, author, &fate.event(), &mut label)?,
            label,
            files: Vec::new(),
            damaged: Vec::new(),
        };
        for (file, content) in place.files.iter().zip(contents) {
            packed
                .files
                .extend(content.clone().map(|content| (file.name.clone(), content)));
        }
        for path in beside {
            let content = read_if_there(self.disk(), path)?;
            packed
                .files
                .extend(content.map(|content| (file_name(path), content)));
        }
        self.keep(place, archive, &packed)?;
        let removed = self.remove_all(place, &packed, beside, fate);
        if let Err(StoreError::Contested { .. }) = removed {
            // It is whole in its place, and its archive is not the last word.
            self.forget_archive(archive)?;
        }
        removed?;
        self.drop_copy_of_history(place, archive);
        Ok(())
    }

    /// Drops the copy of the history of a document that is in its archive, and no longer in its place. Without a copy of the
    /// archive, that of the history stays.
    fn drop_copy_of_history(&self, place: &Place, archive: &Path) {
        let is_copied = || {
            let copy = self.copy_of_archive(archive);
            copy.is_some() && self.read(archive).ok() == Some(copy)
        };
        if let Some(mirror) = self.mirror()
            && let Some(id) = mirror.id(self.disk())
            && is_copied()
        {
            let _ = mirror.drop_copy(self.disk(), &id, &place.kept_as);
        }
    }

    /// The whole history, with a last line that says what becomes of it.
    fn history_to_archive(
        &self,
        place: &Place,
        author: &Author,
        event: &Event,
        label: &mut Label,
    ) -> Result<Vec<u8>, StoreError> {
        let read = |source| StoreError::history(&place.history, source);
        let Some(file) = self.open_history(&place.history)? else {
            return Ok(Vec::new());
        };
        let length = usize::try_from(file.length().map_err(read)?);
        let mut history = vec![0; length.map_err(|_| read(io::ErrorKind::FileTooLarge.into()))?];
        file.read_exact_at(&mut history, 0).map_err(read)?;
        let sealer = place.sealer(self.vault().seals_for_writing());
        if let Some(tail) = history::tail(&*file, sealer).map_err(read)? {
            let line = self.remark_after(&tail, author, event, sealer);
            history.extend_from_slice(line.as_bytes());
            label.revision = Some(Revision {
                number: tail.number,
                epoch: Some(tail.epoch),
            });
        }
        Ok(history)
    }

    /// Writes an archive and a copy in the mirror, and makes sure that it can be read back.
    fn keep(&self, place: &Place, archive: &Path, packed: &Packed) -> Result<(), StoreError> {
        let sealer = archive_sealer(place, self.vault().seals_for_writing());
        let failed = |source| StoreError::io(Action::Write, archive, source);
        let bytes = packed.pack(sealer).map_err(failed)?;
        let path = self
            .directories()
            .prepare_state_file(self.disk(), archive)?;
        let aside = self.aside(place);
        let is_again = self.is_archived_again(place, archive, packed);
        if !is_again {
            self.set_aside(&path, &aside)?;
        }
        replace(self.disk(), &path, &bytes, Mode::Private)?;
        let back = self.read_packed(place, archive)?;
        if back.as_ref() != Some(packed) {
            let flaw = ArchiveFlaw::Damaged("it is not what was written".to_owned());
            return Err(flawed(archive, flaw));
        }
        if let (Some(mirror), Some(below)) = (self.mirror(), self.in_archive(archive)) {
            let is_free = match is_again {
                true => Ok(()),
                false => mirror.set_archive_aside(self.disk(), &below, &aside, &bytes),
            };
            let _ = is_free.and_then(|()| mirror.keep_archive(self.disk(), &below, &bytes));
        }
        Ok(())
    }

    /// Whether an archive of the same document was written before and this was cut off then: only the line that says that it
    /// was archived differs.
    fn is_archived_again(&self, place: &Place, archive: &Path, packed: &Packed) -> bool {
        let Ok(Some(known)) = self.read_packed(place, archive) else {
            return false;
        };
        let before = before_last(&packed.history);
        !before.is_empty() && known.history.starts_with(before) && known.files == packed.files
    }

    /// Settles the archive of a document that is in its place, and whose lock is held. If the history there goes on from it,
    /// nothing is lost with it. Otherwise it goes among those that were deleted. One that cannot be used stays.
    pub(crate) fn settle_archive(&self, place: &Place) -> Result<(), StoreError> {
        // A clone can bring one of any size, which must not keep anybody from changing the document.
        if self.is_archived(place) || !self.is_ours(&place.archive) {
            return Ok(());
        }
        let Ok(Some(packed)) = self.read_packed(place, &place.archive) else {
            return Ok(());
        };
        let before = before_last(&packed.history);
        let history = self.read(&place.history)?.unwrap_or_default();
        if !before.is_empty() && history.starts_with(before) {
            return self.forget_archive(&place.archive);
        }
        let path = self
            .directories()
            .prepare_state_file(self.disk(), &place.archive)?;
        self.set_aside(&path, &self.aside(place))
    }

    /// Where an archive goes that makes way for another one of the same name: among those that were deleted now.
    fn aside(&self, place: &Place) -> PathBuf {
        let time = self.now().for_file_name();
        Path::new(TRASH).join(place.kept_as.deleted(&time))
    }

    /// Keeps the archive of an earlier checkpoint of the same name.
    fn set_aside(&self, path: &Path, aside: &Path) -> Result<(), StoreError> {
        if !self.exists(path)? {
            return Ok(());
        }
        let directory = self.archives();
        let aside = self
            .directories()
            .prepare_state_file(self.disk(), &directory.join(aside))?;
        let failed = |source| StoreError::io(Action::Replace, path, source);
        self.disk().rename_new(path, &aside).map_err(failed)?;
        sync_parent(self.disk(), &aside)?;
        sync_parent(self.disk(), path)
    }

    /// The directory of archives.
    fn archives(&self) -> PathBuf {
        self.directories().state().join(ARCHIVE)
    }

    /// The path of an archive, relative to the directory of archives.
    fn in_archive(&self, archive: &Path) -> Option<PathBuf> {
        let directory = self.archives();
        archive.strip_prefix(directory).ok().map(Path::to_owned)
    }

    /// Removes a document that is in its archive. Files that people write too go first, each only as it was archived. So
    /// whatever a crash leaves is not taken for a document of its own.
    fn remove_all(
        &self,
        place: &Place,
        packed: &Packed,
        beside: &[Beside],
        fate: &Fate,
    ) -> Result<(), StoreError> {
        if fate.takes_all() {
            self.take_shared(place, packed)?;
        }
        let own = place.files.iter().filter(|file| file.role == Role::Own);
        let mut gone: Vec<&Path> = own.map(|file| file.path.as_path()).collect();
        gone.push(&place.history);
        gone.extend(beside.iter().map(PathBuf::as_path));
        for path in gone {
            match self.disk().remove(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => {
                    removed.map_err(|source| StoreError::io(Action::Remove, path, source))?;
                    sync_parent(self.disk(), path)?;
                }
            }
        }
        if fate.takes_all() {
            self.directories().remove_empty(self.disk(), place);
        }
        Ok(())
    }

    /// Removes the files that people write too. If somebody saved one of them meanwhile, all of them stay.
    fn take_shared(&self, place: &Place, packed: &Packed) -> Result<(), StoreError> {
        let shared = Shared::new(self.disk(), self.lock_wait());
        let mut taken = Vec::new();
        for file in place.files.iter().filter(|file| file.role == Role::Shared) {
            let Some(archived) = packed.file(&file.name) else {
                continue;
            };
            if let Swap::Theirs(_) = shared.take(&file.path, archived, self.now())? {
                for (path, content) in taken {
                    let _: Swap = shared.create(path, content, Mode::Umask)?;
                }
                let path = file.path.clone();
                return Err(StoreError::Contested { path });
            }
            taken.push((&file.path, archived));
        }
        Ok(())
    }

    /// Finishes a removal that was cut off after the document went into this archive. Returns whether it was cut off.
    pub(crate) fn finish_removal(
        &self,
        place: &Place,
        author: &Author,
        archive: &Path,
        beside: &[Beside],
    ) -> Result<bool, StoreError> {
        if !self.is_cut_off(place, archive, beside)? {
            return Ok(false);
        }
        let _lock = self.lock(place, author)?;
        let place = &self.directories().prepare(self.disk(), place)?;
        let Some(packed) = self.read_packed(place, archive)? else {
            return Ok(false);
        };
        if !self.is_rest(place, &packed, beside)? {
            return Ok(false);
        }
        self.remove_all(place, &packed, beside, &Fate::Deleted(archive.to_owned()))?;
        self.drop_copy_of_history(place, archive);
        Ok(true)
    }

    /// Writes over a file that people write too, as one of them would. `false` if it has another content by now, which stays.
    pub(crate) fn hand_over(
        &self,
        path: &Path,
        text: &[u8],
        expected: &[u8],
    ) -> Result<bool, StoreError> {
        let shared = Shared::new(self.disk(), self.lock_wait());
        Ok(match shared.swap_in(path, text, expected, Mode::Umask)? {
            Swap::Done => true,
            Swap::Theirs(theirs) => theirs == text,
            Swap::Gone => false,
        })
    }

    /// Whether an archived document is back in its place, with all that its archive has. Then only its archive is left.
    pub(crate) fn is_back(&self, place: &Place, packed: &Packed) -> Result<bool, StoreError> {
        let history = self.read(&place.history)?.unwrap_or_default();
        if !history.starts_with(&packed.history) {
            return Ok(false);
        }
        let files = place.files.iter();
        let mut packed_files = files.filter_map(|file| Some((file, packed.file(&file.name)?)));
        packed_files.try_fold(true, |is_back, (file, content)| {
            Ok(is_back && self.read(&file.path)?.as_ref() == Some(content))
        })
    }

    /// Whether the removal of a document was cut off after it went into this archive.
    pub(crate) fn is_cut_off(
        &self,
        place: &Place,
        archive: &Path,
        beside: &[Beside],
    ) -> Result<bool, StoreError> {
        let files = place.files.iter().map(|file| &file.path);
        let mut left = files.chain([&place.history]).chain(beside);
        if !left.any(|path| self.is_there(path)) {
            return Ok(false);
        }
        match self.read_packed(place, archive)? {
            Some(packed) => self.is_rest(place, &packed, beside),
            None => Ok(false),
        }
    }

    /// Whether something of an archived document is left in its place, but not all, and nothing was changed since.
    fn is_rest(
        &self,
        place: &Place,
        packed: &Packed,
        beside: &[Beside],
    ) -> Result<bool, StoreError> {
        if !self.is_as_packed(place, packed)? {
            return Ok(false);
        }
        let mut present = Vec::new();
        for file in &place.files {
            let Some(content) = self.read(&file.path)? else {
                continue;
            };
            if packed.file(&file.name) != Some(&content) {
                return Ok(false);
            }
            present.push(file.name.as_str());
        }
        let is_beside = |name: &str| beside.iter().any(|path| file_name(path) == name);
        let mut names = packed.files.iter().map(|(name, _)| name.as_str());
        let is_less = names.any(|name| !present.contains(&name) && !is_beside(name));
        let mut others = beside.iter().chain([&place.history]);
        Ok(is_less && (!present.is_empty() || others.any(|path| self.is_there(path))))
    }

    /// Whether the history in the place of an archived document is its own, without a change since, or there is none.
    fn is_as_packed(&self, place: &Place, packed: &Packed) -> Result<bool, StoreError> {
        let Some(history) = self.read(&place.history)? else {
            return Ok(true);
        };
        if !is_own_history(&history, packed) {
            return Ok(false);
        }
        let sealer = place.sealer(self.vault().seals_of_any_time());
        let last = |history: &[u8]| {
            let tail = history::tail(&Unpacked::new(history.to_owned()), sealer);
            let tail = tail.map_err(|source| StoreError::history(&place.history, source))?;
            Ok::<_, StoreError>(tail.map(|tail| (tail.epoch, tail.number)))
        };
        Ok(history.len() <= packed.history.len() || last(&history)? == last(&packed.history)?)
    }

    /// Whether the history in the place of an archived document is its own, or there is none. It may be shorter (not yet
    /// archived) or longer (back again).
    pub(crate) fn has_no_other(&self, place: &Place, packed: &Packed) -> Result<bool, StoreError> {
        let history = self.read(&place.history)?;
        Ok(history.is_none_or(|history| is_own_history(&history, packed)))
    }

    /// Brings a document back from an archive. What is in its place stays as it is. If this is interrupted, doing it again
    /// finishes it.
    pub(crate) fn unarchive(
        &self,
        place: &Place,
        author: &Author,
        archive: &Path,
        beside: &[Beside],
    ) -> Result<Option<Revision>, StoreError> {
        let lock = self.lock(place, author)?;
        let place = &self.directories().prepare(self.disk(), place)?;
        let Some(packed) = self.read_packed(place, archive)? else {
            return Ok(None);
        };
        let revision = packed.label.revision.clone();
        self.put_back(place, author, packed, beside, &lock)?;
        if let Some(mirror) = self.mirror()
            && let Some(history) = self.open_history(&place.history)?
        {
            let sealer = place.sealer(self.vault().seals());
            let _ = mirror.complete(self.disk(), &place.kept_as, &*history, sealer, self.now());
        }
        self.forget_archive(archive)?;
        Ok(revision)
    }

    /// Writes what an archive holds: the history first and the document last.
    fn put_back(
        &self,
        place: &Place,
        author: &Author,
        packed: Packed,
        beside: &[Beside],
        _lock: &Lock,
    ) -> Result<(), StoreError> {
        let disk = self.disk();
        if !self.exists(&place.history)? && !packed.history.is_empty() {
            let packed_then = place.sealer(self.vault().seals_of_any_time());
            let sealer = place.sealer(self.vault().seals_for_writing());
            let mut history = packed.history;
            let unpacked = Unpacked::new(history.clone());
            let read = |source| StoreError::history(&place.history, source);
            if let Some(tail) = history::tail(&unpacked, packed_then).map_err(read)? {
                let event = Event::new(EventName::Unarchived);
                let line = self.remark_after(&tail, author, &event, sealer);
                history.extend_from_slice(line.as_bytes());
            }
            replace(disk, &place.history, &history, Mode::Private)?;
        }
        for (name, content) in &packed.files {
            if let Some(path) = beside.iter().find(|path| file_name(path) == *name)
                && !self.exists(path)?
            {
                replace(disk, path, content, Mode::Private)?;
            }
        }
        for file in &place.files {
            let packed = packed.files.iter().find(|(name, _)| *name == file.name);
            let Some((_, content)) = packed else {
                continue;
            };
            if self.exists(&file.path)? {
                continue;
            }
            match file.role {
                Role::Own => replace(disk, &file.path, content, place.mode)?,
                Role::Shared => {
                    let shared = Shared::new(disk, self.lock_wait());
                    let _: Swap = shared.create(&file.path, content, Mode::Umask)?;
                }
            }
        }
        Ok(())
    }

    /// Removes an archive for good, here and in the mirror. Another process may have done so.
    pub(crate) fn forget_archive(&self, archive: &Path) -> Result<(), StoreError> {
        // The copy goes first: while the archive is there, doing it again finishes it.
        self.drop_copy_of(archive);
        match self.disk().remove(archive) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(StoreError::io(Action::Remove, archive, source)),
            Ok(()) => sync_parent(self.disk(), archive),
        }
    }

    /// Drops the copy of an archive.
    fn drop_copy_of(&self, archive: &Path) {
        if let (Some(mirror), Some(below)) = (self.mirror(), self.in_archive(archive))
            && let Some(id) = mirror.id(self.disk())
        {
            let _ = mirror.drop_archive(self.disk(), &id, &below);
        }
    }

    /// Removes the copy of an archive for good. Another process may have done so.
    pub(crate) fn forget_copy(&self, id: &WorktreeId, below: &Path) -> Result<(), StoreError> {
        let Some(mirror) = self.mirror() else {
            return Ok(());
        };
        match mirror.drop_archive(self.disk(), id, below) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            dropped => dropped.map_err(|source| StoreError::io(Action::Remove, below, source)),
        }
    }
}

/// Whether a history is that of an archived document: what of it had been written when it was archived, or what it has been
/// since it came back.
fn is_own_history(history: &[u8], packed: &Packed) -> bool {
    let has_come_back = !packed.history.is_empty() && history.starts_with(&packed.history);
    has_come_back || packed.history.starts_with(history)
}

/// A history without its last line, which says that it was archived.
fn before_last(history: &[u8]) -> &[u8] {
    let lines = history.strip_suffix(b"\n").unwrap_or(history);
    let end = memchr::memrchr(b'\n', lines).map_or(0, |end| end + 1);
    &history[..end]
}

fn archive_sealer<'s>(place: &'s Place, seals: &'s Seals) -> Sealer<'s> {
    Sealer::new(seals, Domain::Archive, &place.about)
}

fn flawed(path: &Path, flaw: ArchiveFlaw) -> StoreError {
    let path = path.to_owned();
    StoreError::Archive { path, flaw }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The archives below a directory, by their paths in it.
pub(super) fn archives_below(disk: &dyn Disk, directory: &Path) -> Vec<PathBuf> {
    if !matches!(disk.inspect(directory), Ok(Some(_))) {
        return Vec::new();
    }
    let groups = [Group::Archived, Group::Deleted].into_iter();
    let found = groups.flat_map(|group| archives_in(disk, directory, group.directory()));
    found.collect()
}

/// The archives in one group below a directory, by their paths in the directory.
fn archives_in(disk: &dyn Disk, directory: &Path, group: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for kind in KeptAs::KINDS {
        let below = Path::new(group).join(kind);
        let opened = disk.open_directory(&directory.join(&below));
        let names = opened.and_then(|opened| opened.names()).unwrap_or_default();
        let names = names.iter().filter_map(|name| name.to_str());
        let archives = names.filter(|name| KeptAs::of_archive(kind, name).is_some());
        found.extend(archives.map(|name| below.join(name)));
    }
    found.sort_by_cached_key(|below| (KeptAs::of_archive_below(below), below.clone()));
    found
}
