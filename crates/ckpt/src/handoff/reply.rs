//! The parts of a response that are recorded.

use super::vocabulary::{Decision, Status};
use crate::document::{Document, Node, Object};
use crate::history::{Event, EventName};
use crate::shape::{Shape, optional, required};
use crate::time::Timestamp;

/// The shape of the responses that a checkpoint keeps, by task.
pub(crate) const RECORDS: Shape = Shape::Map(&Shape::Object(&[
    required("phase", Shape::Text),
    required("status", Shape::Word(&["complete", "partial", "blocked"])),
    required("decision", Shape::Word(&["PROCEED", "STOP", "CLARIFY"])),
    required("context_summary", Shape::Text),
    required("issues", Shape::List(&Shape::Text)),
    optional("tokens_used", Shape::Whole),
    required("at", Shape::Text),
    required("by", Shape::Text),
    optional("answeredAt", Shape::Text),
    optional("answer", Shape::Text),
]));

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The task.
    pub task: String,
    /// The kind of step, as written.
    pub phase: String,
    /// How far the task got.
    pub status: Status,
    /// What to do now.
    pub decision: Decision,
    /// The summary to pass on.
    pub summary: String,
    /// The tokens used, as reported.
    pub tokens_used: Option<u64>,
    /// What went wrong.
    pub issues: Vec<String>,
    /// The files created.
    pub created: Vec<String>,
    /// The files modified.
    pub modified: Vec<String>,
}

/// A response that cannot be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the response has no valid \"{member}\"")]
pub struct ReplyError {
    /// The missing member.
    pub member: &'static str,
}

impl Reply {
    /// Reads a response that was already checked.
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

    /// The event that records it in the history.
    pub(crate) fn event(&self) -> Event {
        Event::new(EventName::HandoffRecorded)
            .with("task", self.task.as_str())
            .with("status", self.status.as_str())
            .with("decision", self.decision.as_str())
    }

    /// The record to store.
    #[must_use]
    pub fn record(&self, by: &str, now: Timestamp) -> Object {
        let issues: Vec<&str> = self.issues.iter().map(String::as_str).collect();
        let mut record = Object::new();
        record.set("phase", self.phase.as_str());
        record.set("status", self.status.as_str());
        record.set("decision", self.decision.as_str());
        record.set("context_summary", self.summary.as_str());
        record.set("issues", issues);
        // Set even if absent, to replace the value of an earlier response.
        record.set("tokens_used", self.tokens_used);
        record.set("at", now);
        record.set("by", by);
        record
    }

    /// The blockers if the response does not say to proceed: its issues, or else its summary.
    #[must_use]
    pub fn blockers(&self) -> Vec<String> {
        if self.decision == Decision::Proceed {
            return Vec::new();
        }
        let Self { task, decision, .. } = self;
        let summary = std::slice::from_ref(&self.summary);
        let issues = match self.issues.is_empty() {
            true => summary,
            false => &self.issues,
        };
        let issues = issues.iter();
        issues
            .map(|issue| one_line(&format!("{task} {decision}: {issue}")))
            .collect()
    }

    /// Whether a blocker comes from an earlier response to the same task.
    #[must_use]
    pub fn is_own_blocker(&self, blocker: &str) -> bool {
        let task = one_line(&self.task);
        let rest = blocker.strip_prefix(&task);
        let rest = rest.and_then(|rest| rest.strip_prefix(' '));
        rest.is_some_and(|rest| {
            let mut stops = [Decision::Stop, Decision::Clarify].into_iter();
            stops.any(|decision| rest.starts_with(&format!("{decision}: ")))
        })
    }
}

/// The text on one line, safe inside a comment of a plan.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace("-->", "->")
}

/// The paths in a list of paths or of objects with a path.
fn paths(findings: Option<Node<'_>>, list: &str) -> Vec<String> {
    let list = findings.and_then(|findings| findings.get(list));
    let items = list.into_iter().flat_map(Node::items);
    let paths = items.filter_map(|item| item.as_str().or_else(|| item.get("path")?.as_str()));
    paths.map(std::borrow::Cow::into_owned).collect()
}

/// An issue: a text, or an object that contains one.
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
