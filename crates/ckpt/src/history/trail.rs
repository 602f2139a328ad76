//! Following a file through a history.

use super::{FileChange, Transition};
use crate::hash::ContentHash;

/// The content of a file, change by change, as long as each change fits the one before.
///
/// Following only compares the hashes that the changes record. The content itself is verified when it is read: hashing
/// it at every step would take nearly all of the time.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    content: Option<Vec<u8>>,
    /// The hash that the last change recorded.
    hash: Option<ContentHash>,
    lost: bool,
}

impl Trail {
    /// Applies the next change. One that does not fit, because lines before it are missing or it was moved here, loses the
    /// trail until a later one fits again.
    pub fn follow(&mut self, change: &FileChange) {
        let is_edit = matches!(change.transition, Transition::Edit(_));
        let fits = self.hash == change.from && self.content.is_some() == self.hash.is_some();
        if is_edit && !change.is_change() && fits {
            self.lost = false;
            return;
        }
        // A file that did not exist before starts from nothing, whatever came earlier.
        let begins = change.from.is_none() && change.is_change();
        let whole = change.content_after();
        if !fits && !begins && whole.is_none() {
            self.lost = true;
            return;
        }
        let mut before = self.content.take().filter(|_| !begins);
        if let (true, Some(content), Some(_), Transition::Edit(edit)) =
            (fits && !begins, &mut before, change.to, &change.transition)
            && edit.apply_in_place(content)
        {
            self.content = before;
            self.hash = change.to;
            self.lost = false;
            return;
        }
        // Whole content recovers a lost trail.
        let edited = || change.edited(before.as_deref()).filter(|_| fits || begins);
        let after = whole.map(<[u8]>::to_vec).or_else(edited);
        self.lost = after.is_none();
        if after.is_some() {
            self.content = change.to.and(after);
            self.hash = change.to;
        }
    }

    /// The content and its hash; `None` if the trail is lost or the file does not exist.
    pub(super) fn into_content(self) -> Option<(Vec<u8>, ContentHash)> {
        self.content().flatten()?;
        self.content.zip(self.hash)
    }

    /// Whether the last change did not fit the ones before.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// The content: `None` if the trail is lost, `Some(None)` if the file does not exist.
    #[must_use]
    pub fn content(&self) -> Option<Option<&[u8]>> {
        let content = self.content.as_deref();
        (!self.lost && content.map(ContentHash::of) == self.hash).then_some(content)
    }
}
