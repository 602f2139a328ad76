//! Following a file through a history.

use super::{FileChange, Transition};
use crate::hash::ContentHash;

/// What a file holds, change by change, as far as they lead from one content to the next.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    content: Option<Vec<u8>>,
    lost: bool,
}

impl Trail {
    /// Takes the next change in.
    pub fn follow(&mut self, change: &FileChange) {
        let before = self.content.take();
        let fits = !self.lost && before.as_deref().map(ContentHash::of) == change.from;
        // Whole content brings a lost trail back.
        let whole = matches!(change.transition, Transition::Content(_));
        match change.apply(before.as_deref()) {
            Some(after) if fits || whole => {
                self.content = after;
                self.lost = false;
            }
            _ => self.lost = true,
        }
    }

    /// What the file holds: `None` where the trail is lost, `Some(None)` where there is no file.
    #[must_use]
    pub fn content(&self) -> Option<Option<&[u8]>> {
        (!self.lost).then_some(self.content.as_deref())
    }
}
