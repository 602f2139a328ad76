//! The files of a document as a change finds them.

use super::settle::Foreign;
use crate::hash::ContentHash;
use crate::history::Revision;
use crate::time::Timestamp;

/// The files of a document as a change finds them.
#[derive(Debug)]
pub struct Snapshot {
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
    pub(super) hashes: Vec<Option<ContentHash>>,
}

impl Snapshot {
    /// The hash of what a file holds, or is about to. Files are large beside everything else that a change looks at, so
    /// each is hashed once.
    pub(crate) fn hash(&self, position: usize, content: &[u8]) -> ContentHash {
        let own = self.contents.get(position).and_then(Option::as_deref);
        match self.hashes.get(position).copied().flatten() {
            Some(hash) if own == Some(content) => hash,
            _ => ContentHash::of(content),
        }
    }

    /// Puts content into the place of a file.
    pub(super) fn put(&mut self, position: usize, content: Vec<u8>) {
        self.hashes[position] = Some(ContentHash::of(&content));
        self.contents[position] = Some(content);
    }

    /// Puts files in front that are not there.
    pub(crate) fn behind(mut self, count: usize) -> Self {
        self.contents.splice(0..0, (0..count).map(|_| None));
        self.hashes.splice(0..0, (0..count).map(|_| None));
        self
    }
}
