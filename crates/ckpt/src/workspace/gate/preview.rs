//! Recording the preview of a commit.

use super::super::{Workspace, WorkspaceError};
use crate::gate::{Preview, uncounted};
use crate::key::{CommandKey, Key};

impl Workspace {
    /// Records a preview that was waited for, as a receipt for the content of its commit.
    ///
    /// # Errors
    ///
    /// If there is no such checkpoint, or git does not know the commit.
    pub fn record_preview(
        &self,
        key: &CommandKey,
        preview: &Preview<'_>,
    ) -> Result<(), WorkspaceError> {
        let key = Key::from(key);
        let content = self
            .repository
            .commit_digest(preview.commit, &uncounted())?;
        let gate = Preview::gate();
        let receipt = preview.receipt(&content, &self.options.by);
        let receipt = self.sealed_receipt(&key, &gate, receipt);
        self.read(&key)?.record_gate(&gate, &receipt, None)
    }
}
