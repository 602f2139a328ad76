//! The work tree content that gates are judged against.

use super::super::{Depth, Workspace, WorkspaceError};
use crate::command::Content;
use crate::gate::{ContentState, uncounted};
use crate::repository::{ContentDigest, Head, RepositoryError};

impl Workspace {
    /// The digest of the content that an approval covers.
    pub fn content_digest(&self) -> Result<ContentDigest, RepositoryError> {
        self.repository.content_digest(&uncounted())
    }

    /// The content that can be approved now.
    pub fn content(&self) -> Result<Content, RepositoryError> {
        let listing = self.repository.content(&uncounted())?;
        self.keep_manifest(&listing);
        Ok(Content {
            digest: listing.digest,
            untracked: listing.untracked,
        })
    }

    /// The content at a glance: HEAD, without reading the files.
    pub(in crate::workspace) fn content_at_a_glance(&self) -> ContentState {
        self.content_state_at(&self.head())
    }

    /// The same, if HEAD is already known.
    pub(in crate::workspace) fn content_state_at(&self, head: &Head) -> ContentState {
        let commit = head.commit.as_ref();
        ContentState {
            head: commit.map(ToString::to_string),
            digest: None,
        }
    }

    /// The content that gates are judged against, if git may be asked and can tell.
    pub(in crate::workspace) fn content_within(&self, depth: Depth) -> ContentState {
        match depth {
            Depth::Full => self.content_state().ok(),
            Depth::WithoutGit => None,
        }
        .unwrap_or_else(|| self.content_at_a_glance())
    }

    /// The content that gates are judged against. Outside git it has no digest.
    pub(super) fn content_state(&self) -> Result<ContentState, WorkspaceError> {
        let digest = match self.repository.is_git() {
            true => Some(self.content_digest()?),
            false => None,
        };
        Ok(ContentState {
            digest,
            ..self.content_at_a_glance()
        })
    }
}
