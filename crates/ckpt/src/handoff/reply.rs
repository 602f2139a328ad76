//! A response, as far as it is recorded.

use super::vocabulary::{Decision, Status};
use crate::document::{Document, Node};

/// What a response says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The task.
    pub task: String,
    /// The kind of step, as it is written.
    pub phase: String,
    /// How far it came.
    pub status: Status,
    /// What is to be done now.
    pub decision: Decision,
    /// What to hand on.
    pub summary: String,
    /// What it cost, as it says.
    pub tokens_used: Option<u64>,
    /// What went wrong.
    pub issues: Vec<String>,
    /// Files that were made.
    pub created: Vec<String>,
    /// Files that were changed.
    pub modified: Vec<String>,
}

/// A response cannot be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the response has no usable \"{member}\"")]
pub struct ReplyError {
    /// What is missing.
    pub member: &'static str,
}

impl Reply {
    /// Reads a response that was judged.
    pub fn read(document: &Document) -> Result<Self, ReplyError> {
        let root = document.root();
        let text = |member: &'static str| {
            let text = root.get(member).and_then(Node::as_str);
            let text = text.filter(|text| !text.trim().is_empty());
            text.map(std::borrow::Cow::into_owned)
                .ok_or(ReplyError { member })
        };
        let findings = root.get("findings");
        let blocking = findings.and_then(|findings| findings.get("blocking_issues"));
        let issues = root.get("issues").into_iter().chain(blocking);
        Ok(Self {
            task: text("task_id")?,
            phase: text("phase")?,
            status: Status::read(&text("status")?).ok_or(ReplyError { member: "status" })?,
            decision: Decision::read(&text("decision")?)
                .ok_or(ReplyError { member: "decision" })?,
            summary: text("context_summary")?,
            tokens_used: root.get("tokens_used").and_then(Node::as_u64),
            issues: issues.flat_map(Node::items).map(in_words).collect(),
            created: paths(findings, "files_created"),
            modified: paths(findings, "files_modified"),
        })
    }

    /// Why it does not go on, where it does not: the issues, or else what was decided.
    #[must_use]
    pub fn blockers(&self) -> Vec<String> {
        if self.decision == Decision::Proceed {
            return Vec::new();
        }
        let prefix = self.blocker_prefix();
        if self.issues.is_empty() {
            return vec![format!("{prefix}{}: {}", self.decision, self.summary)];
        }
        let issues = self.issues.iter();
        issues
            .map(|issue| format!("{prefix}{}: {issue}", self.decision))
            .collect()
    }

    /// What the blockers of this task begin with.
    #[must_use]
    pub fn blocker_prefix(&self) -> String {
        format!("{} ", self.task)
    }
}

/// The paths in a list of objects that have one, or of paths alone.
fn paths(findings: Option<Node<'_>>, list: &str) -> Vec<String> {
    let list = findings.and_then(|findings| findings.get(list));
    let items = list.into_iter().flat_map(Node::items);
    let paths = items.filter_map(|item| item.as_str().or_else(|| item.get("path")?.as_str()));
    paths.map(std::borrow::Cow::into_owned).collect()
}

/// An issue: a text, or an object that has one.
fn in_words(issue: Node<'_>) -> String {
    let members = ["description", "message", "issue", "title"];
    let text = issue.as_str();
    let text = text.or_else(|| {
        members
            .iter()
            .find_map(|member| issue.get(member)?.as_str())
    });
    text.map_or_else(|| issue.value().to_compact(), std::borrow::Cow::into_owned)
}
