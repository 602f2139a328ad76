//! Reading a pipeline checkpoint, in all the forms that are found.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use super::gates::is_no_pass;
use super::graph::Buckets;
use crate::document::{Kind, Node};
use crate::gate::{self, GateProof, Ground, Proof, Receipt, Trust};

/// Where a pipeline is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Nothing has been started.
    Initialized,
    /// Workstreams are running.
    InProgress,
    /// Somebody is to look at it.
    Paused,
    /// Something went wrong.
    Failed,
    /// All is done.
    Complete,
    /// Somebody else's word, kept as it is.
    Other(String),
}

impl Status {
    /// Reads a status in any of its spellings.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text {
            "initialized" => Self::Initialized,
            "in_progress" | "executing" | "in-progress" => Self::InProgress,
            "paused" | "approved" | "awaiting_approval" | "ready_for_approval" => Self::Paused,
            "failed" => Self::Failed,
            "complete" | "completed" | "COMPLETE" | "COMPLETED" => Self::Complete,
            other => Self::Other(other.to_owned()),
        }
    }

    /// How we write it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Initialized => "initialized",
            Self::InProgress => "in_progress",
            Self::Paused => "paused",
            Self::Failed => "failed",
            Self::Complete => "complete",
            Self::Other(other) => other,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// What the adversarial review says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The verdict, as it is written.
    pub verdict: String,
    /// Findings of the worst kind.
    pub p0: u64,
    /// Findings of the next kind.
    pub p1: u64,
    /// The how-manieth review it is.
    pub attempt: u64,
}

impl Review {
    /// Whether it forbids to start anything.
    #[must_use]
    pub fn blocks(&self) -> bool {
        self.verdict == "do_not_ship" && self.p0 > 0
    }
}

pub(super) const ID: [&str; 5] = ["prd", "prd_id", "id", "spec_id", "specId"];
pub(super) const TIME: [&str; 5] = [
    "timestamp",
    "updated_at",
    "last_updated",
    "completed_at",
    "created_at",
];
pub(super) const COMPLETED: &str = "completed_workstreams";
pub(super) const IN_PROGRESS: &str = "in_progress_workstreams";
pub(super) const PENDING: &str = "pending_workstreams";
pub(super) const DORMANT: &str = "dormant_workstreams";
/// Buckets of others for what is put off.
pub(super) const PUT_OFF: [&str; 3] = [DORMANT, "skipped_workstreams", "deferred_workstreams"];
pub(super) const FAILED: &str = "failed_workstreams";
pub(super) const GATES_PASSED: &str = "gates_passed";
pub(super) const GATES_PENDING: &str = "gates_pending";

/// A pipeline checkpoint that is read in place.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline<'d>(Node<'d>);

impl<'d> Pipeline<'d> {
    /// Looks at a document as a pipeline.
    #[must_use]
    pub fn new(root: Node<'d>) -> Self {
        Self(root)
    }

    /// Whether a document has the shape of a pipeline.
    #[must_use]
    pub fn is_one(root: Node<'_>) -> bool {
        let lists = [COMPLETED, IN_PROGRESS, PENDING, GATES_PASSED, GATES_PENDING];
        lists.iter().any(|list| root.get(list).is_some())
    }

    fn first(self, names: &[&str]) -> Option<Cow<'d, str>> {
        names.iter().find_map(|name| self.0.get(name)?.as_str())
    }

    /// The id that it gives itself.
    #[must_use]
    pub fn id(self) -> Option<Cow<'d, str>> {
        self.first(&ID)
    }

    /// What it is called.
    #[must_use]
    pub fn title(self) -> Option<Cow<'d, str>> {
        self.first(&["prd_title", "title", "name"])
    }

    /// Where it is.
    #[must_use]
    pub fn status(self) -> Status {
        let status = self.0.get("status").and_then(Node::as_str);
        Status::read(&status.unwrap_or(Cow::Borrowed("unknown")))
    }

    /// When it was last changed, as it is written.
    #[must_use]
    pub fn time(self) -> Option<Cow<'d, str>> {
        self.first(&TIME)
    }

    /// The number of the last phase that is done.
    #[must_use]
    pub fn current_phase(self) -> u64 {
        let phase = self.0.get("current_phase").and_then(Node::as_u64);
        phase.unwrap_or(0)
    }

    /// Which workstream is where.
    #[must_use]
    pub fn buckets(self) -> Buckets {
        let all = |lists: &[&str]| lists.iter().flat_map(|list| self.names(list)).collect();
        let buckets = Buckets {
            completed: self.names(COMPLETED),
            in_progress: self.names(IN_PROGRESS),
            pending: self.names(PENDING),
            dormant: all(&PUT_OFF),
        };
        buckets.with_failed(self.names(FAILED))
    }

    /// The names in a list: strings, or objects with an id; or the names of a map.
    #[must_use]
    pub fn names(self, list: &str) -> Vec<String> {
        let Some(node) = self.0.get(list) else {
            return Vec::new();
        };
        if node.kind() == Kind::Object {
            let members = node.members().into_iter();
            return members.map(|(name, _)| name.into_owned()).collect();
        }
        node.items().filter_map(entry_name).collect()
    }

    /// The gates that passed, as `name (WS1)` or `name`.
    #[must_use]
    pub fn gates_passed(self) -> Vec<String> {
        let Some(map) = self.0.get(GATES_PASSED) else {
            return Vec::new();
        };
        if map.kind() != Kind::Object {
            return self.names(GATES_PASSED);
        }
        let members = map.members().into_iter();
        let passed = members.filter(|(_, value)| match value.as_str() {
            Some(word) => !is_no_pass(&word),
            None => !value.is_null() && value.as_bool() != Some(false),
        });
        passed.map(|(name, _)| name.into_owned()).collect()
    }

    /// The gates that did not pass yet.
    #[must_use]
    pub fn gates_pending(self) -> Vec<String> {
        self.names(GATES_PENDING)
    }

    /// What went wrong: the workstream and the message.
    #[must_use]
    pub fn error(self) -> Option<(Option<Cow<'d, str>>, Cow<'d, str>)> {
        let error = self.0.get("error").filter(|error| !error.is_null())?;
        if let Some(message) = error.as_str() {
            return Some((None, message));
        }
        let workstream = error.get("workstream").and_then(Node::as_str);
        let message = error.get("message").and_then(Node::as_str);
        Some((workstream, message.unwrap_or(Cow::Borrowed("no message"))))
    }

    /// Where in the sources it went wrong.
    #[must_use]
    pub fn error_place(self) -> Option<String> {
        let error = self.0.get("error")?;
        let file = error.get("file")?.as_str()?;
        Some(match error.get("line").and_then(Node::as_u64) {
            Some(line) => format!("{file}:{line}"),
            None => file.into_owned(),
        })
    }

    /// What the adversarial review says.
    #[must_use]
    pub fn review(self) -> Option<Review> {
        let review = self.0.get("adversarial_review")?;
        let count = |name: &str| review.get(name).and_then(Node::as_u64).unwrap_or(0);
        Some(Review {
            verdict: review.get("verdict")?.as_str()?.into_owned(),
            p0: count("p0_count"),
            p1: count("p1_count"),
            attempt: count("attempt").max(1),
        })
    }

    /// The path of its specification, seen from the root.
    #[must_use]
    pub fn spec_path(self) -> Option<Cow<'d, str>> {
        let spec = self.0.get("execution_spec")?;
        spec.as_str().or_else(|| spec.get("path")?.as_str())
    }

    /// The hash of its specification when it was last taken over.
    #[must_use]
    pub fn spec_hash(self) -> Option<Cow<'d, str>> {
        self.0.get("execution_spec")?.get("hash")?.as_str()
    }

    /// What is kept of how gates came to pass or fail, by `name (WS1)` or `name`.
    pub(super) fn receipts(self, trust: Trust<'_>) -> Vec<(String, Receipt<'d>)> {
        gate::receipts(self.0, trust)
    }

    /// What is known of its gates. A pass that came without a receipt was somebody's word.
    #[must_use]
    pub fn proofs(self, ground: &Ground, trust: Trust<'_>) -> Vec<GateProof> {
        let mut proofs = gate::proofs(self.0, ground, trust);
        let mut known: HashSet<String> = proofs.iter().map(|known| known.gate.clone()).collect();
        for gate in self.gates_passed() {
            if known.insert(gate.clone()) {
                let proof = Proof::Claimed;
                proofs.push(GateProof { gate, proof });
            }
        }
        proofs
    }

    /// The workstreams that were running when something went wrong.
    #[must_use]
    pub fn interrupted(self) -> Vec<String> {
        let list = self.0.get("execution_spec");
        let list = list.and_then(|spec| spec.get("interrupted"));
        let items = list.into_iter().flat_map(Node::items);
        items.filter_map(entry_name).collect()
    }
}

fn entry_name(node: Node<'_>) -> Option<String> {
    if let Some(name) = node.as_str() {
        return Some(name.into_owned());
    }
    let members = ["id", "name", "workstream", "gate"];
    let name = members.iter().find_map(|member| node.get(member)?.as_str());
    name.map(Cow::into_owned)
}
