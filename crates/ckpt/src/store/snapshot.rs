//! A document's files as the next change would find them.

use super::error::{Action, StoreError};
use super::files::FileStore;
use super::mirror::Coverage;
use super::packed::Unpacked;
use super::settle::{self, Foreign, Settled};
use crate::disk::DiskFile;
use crate::hash::ContentHash;
use crate::history::{self, Revision};
use crate::layout::{Place, Role};
use crate::seal::Seals;
use crate::time::Timestamp;

/// A document's files as a change finds them.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The content of each file; `None` if it does not exist.
    pub contents: Vec<Option<Vec<u8>>>,
    /// The time of the change.
    pub now: Timestamp,
    /// The document's revision before the change; `None` before the first.
    pub revision: Option<Revision>,
    /// Files that others have changed since the last change.
    pub foreign: Vec<Foreign>,
    /// The last revision in the history, if it never took effect.
    pub aborted: Option<Revision>,
    /// Whether the last change was interrupted, and is yet to be finished or taken back.
    pub is_interrupted: bool,
    /// Whether the document was gone from its place since the last change, and was brought back.
    pub is_brought_back: bool,
    /// Whether the history does not lead to the files, so that a new one begins with the next change.
    pub is_adopted: bool,
    hashes: Vec<Option<ContentHash>>,
}

impl Snapshot {
    pub(super) fn of(settled: &Settled, contents: Vec<Option<Vec<u8>>>, now: Timestamp) -> Self {
        Self {
            contents,
            now,
            revision: settled.revision(),
            foreign: settled.foreign().to_vec(),
            aborted: settled.aborted().cloned(),
            is_interrupted: settled.aborted().is_some() || !settled.unfinished().is_empty(),
            is_brought_back: settled.is_brought_back,
            is_adopted: settled.is_adopted(),
            hashes: settled.hashes().to_vec(),
        }
    }

    /// Whether both snapshots show the same state, whenever they were taken.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.contents == other.contents
            && self.revision == other.revision
            && self.foreign == other.foreign
            && self.aborted == other.aborted
    }

    /// The hash of a file's current or next content. Files are large compared with the rest of a change, so a known
    /// hash is reused.
    pub(crate) fn hash(&self, position: usize, content: &[u8]) -> ContentHash {
        let own = self.contents.get(position).and_then(Option::as_deref);
        match self.hashes.get(position).copied().flatten() {
            Some(hash) if own == Some(content) => hash,
            _ => ContentHash::of(content),
        }
    }

    /// Adopts content that another program has written; `None` if it removed the file.
    pub(super) fn put(&mut self, position: usize, content: Option<Vec<u8>>) {
        self.hashes[position] = content.as_deref().map(ContentHash::of);
        self.contents[position] = content;
        self.foreign
            .retain(|foreign| foreign.position != Some(position));
    }

    /// Prepends `count` files that do not exist.
    pub(crate) fn behind(mut self, count: usize) -> Self {
        self.contents.splice(0..0, (0..count).map(|_| None));
        self.hashes.splice(0..0, (0..count).map(|_| None));
        self
    }
}

impl FileStore {
    /// The files as the next change would find them. Takes no lock and writes nothing: what an interrupted change left
    /// undone is finished in memory.
    pub(crate) fn snapshot(&self, place: &Place) -> Result<Snapshot, StoreError> {
        let mut snapshot = self.glance(place)?;
        if !snapshot.foreign.is_empty() {
            // A change committed between two of our reads looks like a foreign edit, so read once more.
            snapshot = self.glance(place)?;
        }
        Ok(snapshot)
    }

    fn glance(&self, place: &Place) -> Result<Snapshot, StoreError> {
        let contents = place.files.iter().map(|file| self.read(&file.path));
        let mut contents = contents.collect::<Result<Vec<_>, _>>()?;
        let history = self.history(place)?;
        let settled = self.settled(place, history.as_deref(), &contents, self.vault().seals())?;
        for (position, content) in settled.unfinished() {
            contents[*position] = Some(content.clone());
        }
        Ok(Snapshot::of(&settled, contents, self.now()))
    }

    /// An archived document as the next change would find it. `None` if it is not archived, or one of its files that
    /// people write too is gone: bringing that back is a change.
    pub(crate) fn archived_snapshot(&self, place: &Place) -> Result<Option<Snapshot>, StoreError> {
        let Some(packed) = self.read_archive(place)? else {
            return Ok(None);
        };
        let mut contents = Vec::with_capacity(place.files.len());
        for file in &place.files {
            let archived = packed.file(&file.name);
            let content = match file.role {
                Role::Own => archived.cloned(),
                Role::Shared => self.read(&file.path)?,
            };
            if content.is_none() && archived.is_some() {
                return Ok(None);
            }
            contents.push(content);
        }
        let history = Unpacked::new(packed.history);
        let settled = self.settled(place, Some(&history), &contents, self.vault().seals())?;
        Ok(Some(Snapshot {
            is_brought_back: true,
            ..Snapshot::of(&settled, contents, self.now())
        }))
    }

    pub(super) fn settled(
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
        let fresh_epoch = || self.fresh_epoch();
        settle::settle(tail, history, &place.files, contents, fresh_epoch).map_err(failed)
    }

    /// What was found, or the beginning of a new history if the next number may have been given out before: this one has
    /// higher numbers than its last change, because lines were moved or repeated, or its last lines may be lost.
    pub(super) fn unless_overtaken(
        &self,
        settled: Settled,
        place: &Place,
        history: Option<&dyn DiskFile>,
        contents: &[Option<Vec<u8>>],
    ) -> Result<Settled, StoreError> {
        let Some(history) = history else {
            return Ok(settled);
        };
        let failed = |source| StoreError::io(Action::Read, &place.history, source);
        let sealer = place.sealer(self.vault().seals_for_writing());
        let is_overtaken = settled.is_overtaken(history, sealer).map_err(failed)?;
        let is_cut = || {
            Ok::<_, StoreError>(
                self.may_be_cut(&settled, place, contents)?
                    || self.is_before_its_copy(&settled, place, history)?,
            )
        };
        match is_overtaken || is_cut()? {
            true => Ok(settled.begun_again(&place.files, contents, self.fresh_epoch())),
            false => Ok(settled),
        }
    }

    /// Whether the copy of a history goes on with later revisions, although the document is as the history left it: both
    /// were put back together, as from a backup.
    fn is_before_its_copy(
        &self,
        settled: &Settled,
        place: &Place,
        history: &dyn DiskFile,
    ) -> Result<bool, StoreError> {
        let failed = |source| StoreError::io(Action::Read, &place.history, source);
        let Some(copy) = self.copy_of(place) else {
            return Ok(false);
        };
        if settled.is_adopted()
            || copy.length().map_err(failed)? <= history.length().map_err(failed)?
        {
            return Ok(false);
        }
        let sealer = place.sealer(self.vault().seals_for_writing());
        let last = history::tail(&*copy, sealer).map_err(failed)?;
        let is_later = last.is_some_and(|last| settled.is_before(last.number, &last.epoch));
        Ok(is_later && !self.is_owed(&place.kept_as))
    }

    /// The copy of a history, if there is one that can be read.
    pub(crate) fn copy_of(&self, place: &Place) -> Option<Box<dyn DiskFile>> {
        let mirror = self.mirror()?;
        let id = mirror.id(self.disk())?;
        mirror.open(self.disk(), &id, &place.kept_as).ok()?
    }

    /// Whether the last lines of a history may be lost, cut off where a line ends: its document is not as the last one
    /// left it, and its copy does not show that nothing came after it. Where there can be no copy, nothing ever could. A
    /// change that was interrupted is itself the last one.
    fn may_be_cut(
        &self,
        settled: &Settled,
        place: &Place,
        contents: &[Option<Vec<u8>>],
    ) -> Result<bool, StoreError> {
        if settled.aborted().is_some() || !settled.unfinished().is_empty() {
            return Ok(false);
        }
        let foreign = settled.foreign().iter();
        let mut changed = foreign.filter_map(|foreign| foreign.position);
        if !changed.any(|at| place.files[at].role == Role::Own && contents[at].is_some()) {
            return Ok(false);
        }
        Ok(match self.coverage(place)? {
            Some(Coverage::Behind(_)) => !self.is_owed(&place.kept_as),
            Some(Coverage::Other) => true,
            Some(Coverage::Whole) | None => false,
        })
    }
}
