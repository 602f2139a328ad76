//! The files of a document, as the next change would find them.

use super::error::{Action, StoreError};
use super::files::FileStore;
use super::settle::{self, Foreign, Settled};
use crate::disk::DiskFile;
use crate::hash::ContentHash;
use crate::history::{self, Revision};
use crate::layout::Place;
use crate::seal::Seals;
use crate::time::Timestamp;

/// The files of a document as a change finds them.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The content of each file; `None` where there is none.
    pub contents: Vec<Option<Vec<u8>>>,
    /// The time of the change.
    pub now: Timestamp,
    /// The revision the document has before the change; `None` before the first.
    pub revision: Option<Revision>,
    /// What others did to the files since the last change.
    pub foreign: Vec<Foreign>,
    /// The last revision in the history, when it never took effect.
    pub aborted: Option<Revision>,
    /// The hash of each content.
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
            hashes: settled.hashes().to_vec(),
        }
    }

    /// Whether a change would find the same, whenever it looked.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.contents == other.contents
            && self.revision == other.revision
            && self.foreign == other.foreign
            && self.aborted == other.aborted
    }

    /// The hash of what a file holds, or is about to. Files are large beside everything else that a change looks at, so
    /// each is hashed once.
    pub(crate) fn hash(&self, position: usize, content: &[u8]) -> ContentHash {
        let own = self.contents.get(position).and_then(Option::as_deref);
        match self.hashes.get(position).copied().flatten() {
            Some(hash) if own == Some(content) => hash,
            _ => ContentHash::of(content),
        }
    }

    /// Takes over what somebody else has written.
    pub(super) fn put(&mut self, position: usize, content: Vec<u8>) {
        self.hashes[position] = Some(ContentHash::of(&content));
        self.contents[position] = Some(content);
        self.foreign
            .retain(|foreign| foreign.position != Some(position));
    }

    /// Puts files in front that are not there.
    pub(crate) fn behind(mut self, count: usize) -> Self {
        self.contents.splice(0..0, (0..count).map(|_| None));
        self.hashes.splice(0..0, (0..count).map(|_| None));
        self
    }
}

impl FileStore {
    /// The files as the next change would find them, without a lock and without writing: what a
    /// crashed change left is finished in memory.
    pub(crate) fn snapshot(&self, place: &Place) -> Result<Snapshot, StoreError> {
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
        let settled = self.settled(place, history.as_deref(), &contents, self.vault().seals())?;
        for (position, content) in settled.unfinished() {
            contents[*position] = Some(content.clone());
        }
        Ok(Snapshot::of(&settled, contents, self.now()))
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
}
