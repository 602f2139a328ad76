//! What can be done to the Markdown of a plan: the smallest edits that say it.

use super::outline::{Entry, Outline, Source};
use super::scan::ItemKind;
use crate::document::{Edit, ParseError, Splice};
use crate::key::PlanId;

/// A plan does not allow a change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no such plan.
    #[error("no plan {0}")]
    Missing(PlanId),
    /// There is such a plan already.
    #[error("plan {0} exists already")]
    Exists(PlanId),
    /// There is no such task or criterion.
    #[error("no {} {id:?} in the plan", match kind { ItemKind::Task => "task", ItemKind::Acceptance => "criterion" })]
    Unknown {
        /// What was looked for.
        kind: ItemKind,
        /// Its id.
        id: String,
    },
    /// A file of the plan is too long.
    #[error("{name} is too long: a plan has at most 4 GiB")]
    TooLong {
        /// The file.
        name: String,
    },
    /// A title that would not stay one line of text.
    #[error("a title is one line of text without \"-->\", and not empty")]
    Title,
    /// The state could not be read again.
    #[error("the state would be unreadable: {0}")]
    Unwritable(ParseError),
    /// The state is not what we know how to change.
    #[error("the state of the plan has version {0}, and this version of ckpt writes version 2")]
    UnsupportedVersion(String),
}

/// The text of a new plan that has only a title yet.
pub fn titled(title: &str) -> Result<String, Refusal> {
    let title = title.trim();
    if title.is_empty() || title.contains("-->") || title.contains(['\n', '\r']) {
        return Err(Refusal::Title);
    }
    Ok(format!("# {title}\n"))
}

/// Whether a box is ticked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    /// `[x]`
    Done,
    /// `[ ]`
    Open,
}

/// The edits that tick or untick these, by the position of the source. One character each, and none
/// for what is so already.
pub fn tick(
    sources: &[Source<'_>],
    outline: &Outline,
    kind: ItemKind,
    ids: &[String],
    to: Tick,
) -> Result<Vec<(usize, Edit)>, Refusal> {
    let mut splices: Vec<Vec<Splice>> = vec![Vec::new(); sources.len()];
    let mut ids: Vec<&String> = ids.iter().collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        let entry = match kind {
            ItemKind::Task => outline.task(id),
            ItemKind::Acceptance => outline.criterion(id),
        };
        let entry = entry.ok_or_else(|| Refusal::Unknown {
            kind,
            id: id.clone(),
        })?;
        if entry.done != (to == Tick::Done) {
            splices[entry.source].push(mark(sources[entry.source].text, entry, to));
        }
    }
    let edits = splices.into_iter().enumerate();
    let edits = edits.filter(|(_, splices)| !splices.is_empty());
    Ok(edits
        .map(|(source, splices)| (source, Edit::new(splices)))
        .collect())
}

fn mark(text: &[u8], entry: &Entry, to: Tick) -> Splice {
    // The mark is one character, which may take several bytes.
    let width = memchr::memchr(b']', &text[entry.mark..]).unwrap_or(1);
    Splice {
        offset: entry.mark,
        old: text[entry.mark..entry.mark + width].to_vec(),
        new: match to {
            Tick::Done => b"x".to_vec(),
            Tick::Open => b" ".to_vec(),
        },
    }
}
