//! The receipt of a preview: how the deployment of a commit ended. It is bound to the content of that commit.

use super::receipt::{ContentState, Proof, receipts};
use super::{GateName, Trust};
use crate::document::{Object, Tree};
use crate::repository::{CommitId, ContentDigest};
use crate::time::Timestamp;

/// The name of the gate, and the kind of its receipt.
pub const PREVIEW: &str = "preview";

/// How the wait for a preview ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PreviewState {
    /// The preview is there.
    Ready,
    /// It could not be built.
    Failed,
    /// It was never built: the build was rejected.
    Rejected,
    /// Its build was stopped.
    Canceled,
    /// Its build was stopped because the branch went on.
    Superseded,
    /// No deployment appeared.
    NotFound,
    /// It was not ready in time.
    TimedOut,
}

impl PreviewState {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::Canceled => "canceled",
            Self::Superseded => "superseded",
            Self::NotFound => "not_found",
            Self::TimedOut => "timed_out",
        }
    }
}

/// Whether shipping needs a preview that succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Success {
    /// It does.
    Required,
    /// A failure is only a warning.
    Welcome,
}

/// A preview that was waited for.
#[derive(Debug, Clone, Copy)]
pub struct Preview<'p> {
    /// The commit.
    pub commit: &'p CommitId,
    /// How the wait ended.
    pub state: PreviewState,
    /// What happened, in words.
    pub ending: &'p str,
    /// Who was asked.
    pub provider: &'p str,
    /// Where the preview is.
    pub url: Option<&'p str>,
    /// The page that tells more.
    pub page: Option<&'p str>,
    /// Whether it has to succeed.
    pub success: Success,
    /// When the wait began.
    pub started: Timestamp,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

impl Preview<'_> {
    /// The name of its gate.
    #[must_use]
    pub fn gate() -> GateName {
        GateName {
            name: PREVIEW.to_owned(),
            workstream: None,
        }
    }

    /// Its receipt, for this content.
    pub(crate) fn receipt(&self, content: &ContentDigest, by: &str) -> Object {
        let result = match (self.state, self.success) {
            (PreviewState::Ready, _) => "passed",
            (_, Success::Required) => "failed",
            (_, Success::Welcome) => "tolerated",
        };
        let mut receipt = Object::new();
        receipt.set("kind", PREVIEW);
        receipt.set("result", result);
        receipt.set("state", self.state.as_str());
        receipt.set("provider", self.provider);
        receipt.set("commit", self.commit.as_str());
        for (name, address) in [("url", self.url), ("page", self.page)] {
            if let Some(address) = address {
                receipt.set(name, address);
            }
        }
        receipt.set("required", self.success == Success::Required);
        receipt.set("ending", self.ending);
        receipt.set("started_at", self.started);
        receipt.set("duration_ms", self.duration_ms);
        receipt.set("content", content.as_str());
        receipt.set("by", by);
        receipt
    }
}

/// What the receipt of a preview says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPreview {
    /// What it proves about the current content.
    pub proof: Proof,
    /// What happened, in words.
    pub ending: String,
    /// Where the preview is.
    pub url: Option<String>,
    /// The commit that it is of.
    pub commit: Option<String>,
}

/// The preview of a document. A gate of that name which was run is none.
#[must_use]
pub fn preview<'t>(
    document: impl Tree<'t>,
    present: &ContentState,
    trust: Trust<'_>,
) -> Option<KnownPreview> {
    let mut receipts = receipts(document, trust).into_iter();
    let (_, receipt) = receipts.find(|(name, _)| name == PREVIEW)?;
    receipt.is_preview().then(|| KnownPreview {
        proof: receipt.proof(present),
        ending: receipt.ending().unwrap_or_default().into_owned(),
        url: receipt.url().map(Into::into),
        commit: receipt.commit().map(Into::into),
    })
}
