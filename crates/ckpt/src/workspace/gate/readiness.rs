//! What shipping needs, from what is known about a checkpoint and its repository.

use super::super::facts::{Ground, Trace};
use super::super::{Workspace, WorkspaceError};
use super::shipping::Shipped;
use crate::facts::Work;
use crate::gate::{self, ContentState, KnownPreview, Success, uncounted};
use crate::integrations;
use crate::key::{CommandKey, Key};
use crate::shipping::{Need, Shipping, readiness};

/// What the settings of integrations want.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// Whether a preview has to succeed; `None` if none is wanted.
    pub preview: Option<Success>,
    /// What is wrong with the settings.
    pub flaws: &'w [String],
}

impl Workspace {
    /// All that shipping a checkpoint needs. Reads only, and asks nobody but git.
    ///
    /// # Errors
    ///
    /// If there is no such checkpoint, or git fails.
    pub fn readiness(
        &self,
        key: &CommandKey,
        wanted: Wanted<'_>,
    ) -> Result<Vec<Need>, WorkspaceError> {
        let key = Key::from(key);
        let report = self.check_gate(&key)?;
        let content = ContentState {
            digest: report.content,
            ..self.content_at_a_glance()
        };
        let others = self.blocked_gates(Shipped::Head)?.into_iter();
        let others = others.filter(|blocked| blocked.name != key.short());
        let others: Vec<(String, Vec<String>)> = others
            .map(|blocked| (blocked.name, blocked.reasons))
            .collect();
        let (mut uncommitted, mut pushed) = (None, None);
        if self.repository.is_git() {
            uncommitted = Some(self.repository.uncommitted(&uncounted())?.changed);
            pushed = Some(self.repository.pushed()?);
        }
        Ok(readiness(&Shipping {
            work: &self.work_on(&key, &content)?,
            verdict: &report.verdict,
            others: &others,
            preview: self.known_preview(&key, &content)?.as_ref(),
            wanted: wanted.preview,
            uncommitted: uncommitted.as_deref(),
            pushed: pushed.as_ref(),
            branch: self.head().branch.as_deref(),
            commit: self.head().commit.as_ref().map(AsRef::as_ref),
            flaws: wanted.flaws,
            settings: integrations::FILE,
        }))
    }

    /// What a checkpoint says about its work, judged against this content.
    pub(super) fn work_on(
        &self,
        key: &Key,
        content: &ContentState,
    ) -> Result<Work, WorkspaceError> {
        self.read(key)?.work(&Ground {
            content,
            listing: None,
            trace: &Trace::default(),
            is_active: true,
        })
    }

    /// The preview of a checkpoint, judged against this content.
    pub(super) fn known_preview(
        &self,
        key: &Key,
        content: &ContentState,
    ) -> Result<Option<KnownPreview>, WorkspaceError> {
        let loaded = self.require(key)?;
        let about = key.sealed_name();
        let root = loaded.document.root();
        Ok(gate::preview(root, content, self.trust(&about)))
    }
}
