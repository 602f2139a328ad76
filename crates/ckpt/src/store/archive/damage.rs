//! Archives that are damaged: what is left of them, and what becomes of them.
//!
//! Of an archive and its copy in the mirror, whichever is whole restores the other one. If neither is, what can be read of
//! them is shown, and they can be set aside as they are.

use std::path::{Path, PathBuf};

use super::super::error::StoreError;
use super::super::files::{Author, FileStore};
use super::super::mirror::WorktreeId;
use super::super::packed::{ArchiveFlaw, Packed};
use super::super::replace::replace;
use super::{Group, archive_sealer, archives_below, flawed};
use crate::disk::Mode;
use crate::layout::{KeptAs, Place};
use crate::seal::{Domain, Sealer};

/// What is read of an archive that is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Salvage {
    /// Its copy in the git directory, which is whole.
    Copy,
    /// Its beginning, up to the damage.
    Beginning,
    /// Nothing.
    Nothing,
}

impl FileStore {
    /// Reads the archive of a document, or what can be read of it if that is enough; `None` if it is not archived. For
    /// showing only: what is brought back must be whole.
    pub(crate) fn read_what_is_left(
        &self,
        place: &Place,
        is_enough: impl Fn(&Packed) -> bool,
    ) -> Result<Option<Packed>, StoreError> {
        match self.is_archived(place) {
            true => self.read_what_is_left_of(place, &place.archive, is_enough),
            false => Ok(None),
        }
    }

    /// The same of any archive of a document.
    pub(crate) fn read_what_is_left_of(
        &self,
        place: &Place,
        archive: &Path,
        is_enough: impl Fn(&Packed) -> bool,
    ) -> Result<Option<Packed>, StoreError> {
        match self.read_packed(place, archive) {
            Err(
                error @ StoreError::Archive {
                    flaw: ArchiveFlaw::Damaged(_),
                    ..
                },
            ) => match self.beginning(place, archive)?.filter(is_enough) {
                Some(left) => Ok(Some(left)),
                None => Err(error),
            },
            read => read,
        }
    }

    fn beginning(&self, place: &Place, archive: &Path) -> Result<Option<Packed>, StoreError> {
        let seals = self.vault().seals_of_any_time();
        let read = self.read(archive)?;
        Ok(read.and_then(|bytes| {
            Packed::beginning(&bytes, archive_sealer(place, seals), place.sealer(seals))
        }))
    }

    /// What is wrong with the archive of a document, and what is read of it; `None` if it is whole, or not there.
    pub(crate) fn salvage(
        &self,
        place: &Place,
    ) -> Result<Option<(ArchiveFlaw, Salvage)>, StoreError> {
        match self.is_archived(place) {
            true => self.salvage_of(place, &place.archive),
            false => Ok(None),
        }
    }

    /// The same of any archive of a document.
    pub(crate) fn salvage_of(
        &self,
        place: &Place,
        archive: &Path,
    ) -> Result<Option<(ArchiveFlaw, Salvage)>, StoreError> {
        let Some(bytes) = self.read(archive)? else {
            return Ok(None);
        };
        let Err(flaw) = self.unpacked(place, &bytes) else {
            return Ok(None);
        };
        let salvage = match self.unpacked_or_copy(place, archive, &bytes) {
            Ok(_) => Salvage::Copy,
            Err(_) if self.beginning(place, archive)?.is_some() => Salvage::Beginning,
            Err(_) => Salvage::Nothing,
        };
        Ok(Some((flaw, salvage)))
    }

    /// Brings back an archive that is missing or damaged here, from its copy. `false` if it is whole, or if the document is
    /// in its place.
    pub(crate) fn recover_archive(
        &self,
        place: &Place,
        author: &Author,
        id: &WorktreeId,
        below: &Path,
    ) -> Result<bool, StoreError> {
        let Some(mirror) = self.mirror() else {
            return Ok(false);
        };
        let path = self.archives().join(below);
        if !self.is_beyond_use(below, self.read(&path)?.as_deref()) {
            return Ok(false);
        }
        if let Some(reason) = self.vault().failure() {
            return Err(StoreError::Unchecked(reason.clone()));
        }
        let _lock = self.lock(place, author)?;
        let is_taken = path == place.archive && self.is_there(&place.document().path);
        let present = self.read(&path)?;
        if is_taken || !self.is_beyond_use(below, present.as_deref()) {
            return Ok(false);
        }
        // It may have been deleted while we waited.
        let Some(copy) = mirror.read_archive(self.disk(), id, below) else {
            return Ok(false);
        };
        if !self.may_replace(below, &copy, present.as_deref()) {
            let flaw = ArchiveFlaw::Damaged("so is its copy in the git directory".to_owned());
            return Err(flawed(&path, flaw));
        }
        let path = self.directories().prepare_state_file(self.disk(), &path)?;
        let flaw = present.and_then(|bytes| self.flaw(below, &bytes));
        if flaw == Some(ArchiveFlaw::Unsealed) {
            self.set_aside(&path, &self.aside(place))?;
        }
        replace(self.disk(), &path, &copy, Mode::Private)?;
        if mirror.id(self.disk()).as_ref() != Some(id) {
            // That of a worktree that is gone has a copy in this one now.
            let _ = mirror.keep_archive(self.disk(), below, &copy);
        }
        Ok(true)
    }

    /// Whether an archive is missing, or no version of ckpt can use it here.
    fn is_beyond_use(&self, below: &Path, bytes: Option<&[u8]>) -> bool {
        let flaw = bytes.map(|bytes| self.flaw(below, bytes));
        !matches!(flaw, Some(None | Some(ArchiveFlaw::Newer)))
    }

    /// Whether the copy of an archive may take its place. Where nothing is, it only has to be undamaged.
    fn may_replace(&self, below: &Path, copy: &[u8], present: Option<&[u8]>) -> bool {
        match self.flaw(below, copy) {
            None => true,
            Some(ArchiveFlaw::Damaged(_)) => false,
            Some(ArchiveFlaw::Newer | ArchiveFlaw::Unsealed) => present.is_none(),
        }
    }

    /// The archives that are damaged, or are not the ones that were archived here.
    pub(crate) fn damaged_archives(&self) -> Vec<PathBuf> {
        self.flawed_archives(|below, flaw| match flaw {
            ArchiveFlaw::Damaged(_) => true,
            ArchiveFlaw::Unsealed => self.has_own_copy(below),
            ArchiveFlaw::Newer => false,
        })
    }

    /// The archives that were not archived here, or with a key that is lost.
    pub(crate) fn unsealed_archives(&self) -> Vec<PathBuf> {
        self.flawed_archives(|below, flaw| match flaw {
            ArchiveFlaw::Unsealed => !self.has_own_copy(below),
            ArchiveFlaw::Damaged(_) | ArchiveFlaw::Newer => false,
        })
    }

    /// The archives whose beginning does not say what they hold. Those of what was deleted are in nobody's way.
    pub(crate) fn headless_archives(&self) -> Vec<PathBuf> {
        let mut found = self.archives_of(Group::Archived, &|_| true);
        // What cannot be read now may be whole.
        found.retain(|path| matches!(self.own_label_of(path), Ok(None)));
        found
    }

    fn flawed_archives(&self, is_wanted: impl Fn(&Path, ArchiveFlaw) -> bool) -> Vec<PathBuf> {
        let directory = self.archives();
        let Some(resolved) = self.resolved(&directory) else {
            return Vec::new();
        };
        let mut found = archives_below(self.disk(), &resolved);
        found.retain(|below| {
            let bytes = self.disk().read(&resolved.join(below));
            let flaw = bytes.ok().and_then(|bytes| self.flaw(below, &bytes));
            flaw.is_some_and(|flaw| is_wanted(below, flaw))
        });
        found.iter().map(|below| directory.join(below)).collect()
    }

    /// Whether an archive has a copy that was made here, whole or not.
    fn has_own_copy(&self, below: &Path) -> bool {
        let copy = self.copy_of_archive(&self.archives().join(below));
        copy.is_some_and(|copy| self.flaw(below, &copy) != Some(ArchiveFlaw::Unsealed))
    }

    /// Why an archive, by its path in the directory of archives, cannot be used; `None` if it can.
    fn flaw(&self, below: &Path, bytes: &[u8]) -> Option<ArchiveFlaw> {
        let kept_as = KeptAs::of_archive_below(below);
        let about = kept_as.map(|(kept_as, _)| kept_as.sealed_name());
        let about = about.unwrap_or_default();
        let sealer = Sealer::new(self.vault().seals_of_any_time(), Domain::Archive, &about);
        Packed::unpack(bytes, sealer).err()
    }

    /// The copies of archives that are damaged while the archives are whole, by their paths in the archive.
    pub(crate) fn damaged_copies(&self) -> Vec<PathBuf> {
        let own = self
            .mirror()
            .and_then(|mirror| Some((mirror, mirror.id(self.disk())?)));
        let Some((mirror, id)) = own else {
            return Vec::new();
        };
        let mut found = mirror.archive_names(self.disk(), &id);
        found.retain(|below| {
            let copy = mirror.read_archive(self.disk(), &id, below);
            copy.is_some_and(|copy| self.is_beyond_use(below, Some(&copy)))
                && self.whole_archive(below).is_some()
        });
        found
    }

    /// Restores the damaged copy of an archive from it. Returns whether there was anything to restore.
    pub(crate) fn mend_copy_of_archive(
        &self,
        place: &Place,
        author: &Author,
        below: &Path,
    ) -> Result<bool, StoreError> {
        let _lock = self.lock(place, author)?;
        match (self.mirror(), self.whole_archive(below)) {
            (Some(mirror), Some(bytes)) => mirror
                .keep_archive(self.disk(), below, &bytes)
                .map(|()| true),
            _ => Ok(false),
        }
    }

    /// The bytes of an archive that is whole.
    fn whole_archive(&self, below: &Path) -> Option<Vec<u8>> {
        let bytes = self.read(&self.archives().join(below)).ok()??;
        self.flaw(below, &bytes).is_none().then_some(bytes)
    }

    /// Moves an archive that cannot be used, and a copy that cannot either, among those that were deleted, with their bytes
    /// as they are. Returns where the archive is then, or its copy without one; `None` if it can be used, or there is neither.
    pub(crate) fn set_unusable_aside(
        &self,
        place: &Place,
        author: &Author,
    ) -> Result<Option<PathBuf>, StoreError> {
        if !self.is_unusable(place)? {
            return Ok(None);
        }
        let _lock = self.lock(place, author)?;
        if !self.is_unusable(place)? {
            return Ok(None);
        }
        let aside = self.aside(place);
        // The copy goes first: without its archive it would count as missing.
        let copy = match (self.mirror(), self.in_archive(&place.archive)) {
            (Some(mirror), Some(below)) => mirror.move_archive(self.disk(), &below, &aside)?,
            _ => None,
        };
        if !self.is_there(&place.archive) {
            return Ok(copy);
        }
        let path = self
            .directories()
            .prepare_state_file(self.disk(), &place.archive)?;
        self.set_aside(&path, &aside)?;
        Ok(Some(self.archives().join(aside)))
    }

    /// Whether a document is in the archive, and neither its archive nor the copy can be used. What a newer version wrote
    /// can be, by that version.
    pub(crate) fn is_unusable(&self, place: &Place) -> Result<bool, StoreError> {
        if self.is_there(&place.document().path) {
            return Ok(false);
        }
        let own = self.read(&place.archive)?;
        let copy = self.copy_of_archive(&place.archive);
        let sealer = archive_sealer(place, self.vault().seals_of_any_time());
        let is_usable = |bytes: &Vec<u8>| {
            matches!(
                Packed::unpack(bytes, sealer),
                Ok(_) | Err(ArchiveFlaw::Newer)
            )
        };
        let mut kept = [own, copy].into_iter().flatten().peekable();
        Ok(kept.peek().is_some() && !kept.any(|bytes| is_usable(&bytes)))
    }
}
