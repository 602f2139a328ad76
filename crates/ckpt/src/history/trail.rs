//! Following a file through a history.

use super::{FileChange, Transition};
use crate::hash::ContentHash;

/// What a file holds, change by change, as far as they lead from one content to the next.
///
/// Following compares only what the changes say of themselves. Whether it led to what they say is checked when somebody
/// looks: hashing every content on the way would take nearly all of the time.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    content: Option<Vec<u8>>,
    /// What the last change says it led to.
    hash: Option<ContentHash>,
    lost: bool,
}

impl Trail {
    /// Takes the next change in.
    pub fn follow(&mut self, change: &FileChange) {
        let is_edit = matches!(change.transition, Transition::Edit(_));
        if is_edit && !change.is_change() && !self.lost && self.hash == change.from {
            return;
        }
        let mut before = self.content.take();
        // A file that was not there before is followed from nothing, whatever came before that.
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
        // Whole content brings a lost trail back.
        let whole = matches!(change.transition, Transition::Content(_));
        self.lost = true;
        if (fits || whole)
            && let Some(after) = change.edited(before.as_deref())
        {
            self.content = change.to.map(|_| after);
            self.hash = change.to;
            self.lost = false;
        }
    }

    /// What the file holds and its hash, where the trail is not lost and there is a file.
    pub(super) fn into_content(self) -> Option<(Vec<u8>, ContentHash)> {
        self.content().flatten()?;
        self.content.zip(self.hash)
    }

    /// What the file holds: `None` where the trail is lost, `Some(None)` where there is no file.
    #[must_use]
    pub fn content(&self) -> Option<Option<&[u8]>> {
        let content = self.content.as_deref();
        (!self.lost && content.map(ContentHash::of) == self.hash).then_some(content)
    }
}
