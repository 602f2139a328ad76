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
    /// Applies the next change.
    pub fn follow(&mut self, change: &FileChange) {
        let is_edit = matches!(change.transition, Transition::Edit(_));
        if is_edit && !change.is_change() && !self.lost && self.hash == change.from {
            return;
        }
        let mut before = self.content.take();
        // A file that did not exist before starts from nothing, whatever came earlier.
        let begins = change.from.is_none() && change.is_change();
        if begins {
            before = None;
        }
        let fits = begins || (!self.lost && self.hash == change.from);
        if let (true, Some(content), Some(_), Transition::Edit(edit)) =
            (fits, &mut before, change.to, &change.transition)
            && edit.apply_in_place(content)
        {
            self.content = before;
            self.hash = change.to;
            return;
        }
        // Whole content recovers a lost trail.
        let whole = change.content_after();
        self.lost = true;
        let edited = || fits.then(|| change.edited(before.as_deref())).flatten();
        if let Some(after) = whole.map(<[u8]>::to_vec).or_else(edited) {
            self.content = change.to.map(|_| after);
            self.hash = change.to;
            self.lost = false;
        }
    }

    /// The content and its hash; `None` if the trail is lost or the file does not exist.
    pub(super) fn into_content(self) -> Option<(Vec<u8>, ContentHash)> {
        self.content().flatten()?;
        self.content.zip(self.hash)
    }

    /// The content: `None` if the trail is lost, `Some(None)` if the file does not exist.
    #[must_use]
    pub fn content(&self) -> Option<Option<&[u8]>> {
        let content = self.content.as_deref();
        (!self.lost && content.map(ContentHash::of) == self.hash).then_some(content)
    }
}
