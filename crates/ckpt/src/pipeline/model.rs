//! Reading a pipeline checkpoint in all its known variants.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use super::graph::Buckets;
use super::reviews::Verdict;
use crate::document::{Kind, Tree};
use crate::gate::{self, ContentState, GateProof, Proof, Receipt, Trust};
use crate::standing::{Lifecycle, Progress};
use crate::voice::quote;

/// The status of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Nothing has been started.
    Initialized,
    /// Workstreams are running.
    InProgress,
    /// It waits for someone to review it.
    Paused,
    /// Something went wrong.
    Failed,
    /// Everything is done.
    Complete,
    /// A status written by another tool, kept unchanged.
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

    /// Our spelling.
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

/// The result of the adversarial review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The verdict, as written.
    pub verdict: String,
    /// The number of P0 findings, if it can be read.
    pub p0: Option<u64>,
    /// The number of P1 findings.
    pub p1: u64,
    /// The number of this review, from 1.
    pub attempt: u64,
    /// The path of the findings.
    pub findings_path: Option<String>,
    /// Why it is overridden.
    pub override_reason: Option<String>,
}

impl Review {
    /// Why it keeps workstreams from starting.
    #[must_use]
    pub fn objection(&self) -> Option<Objection> {
        match Verdict::read(&self.verdict) {
            Some(Verdict::Ship | Verdict::ShipWithGates) => None,
            Some(Verdict::DoNotShip) => match self.p0 {
                Some(0) => None,
                Some(p0) => Some(Objection::Findings(p0)),
                None => Some(Objection::UnknownFindings),
            },
            Some(Verdict::Overridden) if self.override_reason.is_some() => None,
            Some(Verdict::Overridden) => Some(Objection::NoReason),
            None => Some(Objection::UnknownVerdict(self.verdict.clone())),
        }
    }
}

/// Why a review keeps workstreams from starting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objection {
    /// It says not to ship, with this many P0 findings.
    Findings(u64),
    /// It says not to ship, and its number of P0 findings cannot be read.
    UnknownFindings,
    /// It is overridden, and nobody says why.
    NoReason,
    /// Its verdict is none of the four.
    UnknownVerdict(String),
}

impl fmt::Display for Objection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Findings(1) => write!(formatter, "do_not_ship, with 1 P0 finding"),
            Self::Findings(p0) => write!(formatter, "do_not_ship, with {p0} P0 findings"),
            Self::UnknownFindings => {
                write!(formatter, "do_not_ship, with P0 findings nobody can count")
            }
            Self::NoReason => write!(formatter, "overridden, without a reason"),
            Self::UnknownVerdict(verdict) => {
                write!(formatter, "{}, which is no verdict", quote(verdict))
            }
        }
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
pub(super) const FAILED: &str = "failed_workstreams";
pub(super) const GATES_PASSED: &str = "gates_passed";
pub(super) const GATES_PENDING: &str = "gates_pending";
pub(super) const ABORTED_AT: &str = "aborted_at";

/// Where a workstream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bucket {
    /// Done.
    Completed,
    /// Running.
    InProgress,
    /// Not started yet.
    Pending,
    /// Deferred.
    Dormant,
}

impl Bucket {
    /// The lists of workstreams and the bucket each stands for. We write the first three; the others are written by
    /// other tools.
    pub(super) const LISTS: [(&'static str, Self); 7] = [
        (COMPLETED, Self::Completed),
        (IN_PROGRESS, Self::InProgress),
        (PENDING, Self::Pending),
        (DORMANT, Self::Dormant),
        ("skipped_workstreams", Self::Dormant),
        ("deferred_workstreams", Self::Dormant),
        // A failed workstream has to be done again.
        (FAILED, Self::Pending),
    ];
}

impl fmt::Display for Bucket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Completed => "complete",
            Self::InProgress => "in progress",
            Self::Pending => "pending",
            Self::Dormant => "dormant",
        })
    }
}

/// A pipeline checkpoint, read from a document or a plain tree.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline<T>(T);

impl<'t, T: Tree<'t>> Pipeline<T> {
    /// Treats a tree as a pipeline.
    #[must_use]
    pub fn new(root: T) -> Self {
        Self(root)
    }

    /// Whether a document has the shape of a pipeline.
    #[must_use]
    pub fn is_one(root: T) -> bool {
        let lists = [COMPLETED, IN_PROGRESS, PENDING, GATES_PASSED, GATES_PENDING];
        lists.iter().any(|list| root.get(list).is_some())
    }

    fn first(self, names: &[&str]) -> Option<Cow<'t, str>> {
        names.iter().find_map(|name| self.0.text(name))
    }

    /// Its own id.
    #[must_use]
    pub fn id(self) -> Option<Cow<'t, str>> {
        self.first(&ID)
    }

    /// Every id that it declares. Other tools name the file by one and the specification by another.
    pub fn ids(self) -> impl Iterator<Item = Cow<'t, str>> {
        ID.iter().filter_map(move |name| self.0.text(name))
    }

    /// Its title.
    #[must_use]
    pub fn title(self) -> Option<Cow<'t, str>> {
        self.first(&["prd_title", "title", "name"])
    }

    /// Its status.
    #[must_use]
    pub fn status(self) -> Status {
        let status = self.0.text("status");
        Status::read(&status.unwrap_or(Cow::Borrowed("unknown")))
    }

    /// When it was last changed, as written.
    #[must_use]
    pub fn time(self) -> Option<Cow<'t, str>> {
        self.first(&TIME)
    }

    /// The number of the last completed phase.
    #[must_use]
    pub fn current_phase(self) -> u64 {
        let phase = self.0.get("current_phase").and_then(T::as_u64);
        phase.unwrap_or(0)
    }

    /// Its workstreams, by bucket.
    #[must_use]
    pub fn buckets(self) -> Buckets {
        let mut buckets = Buckets::default();
        for (list, bucket) in Bucket::LISTS {
            match list {
                FAILED => buckets.add_failed(self.names(list)),
                _ => buckets.list_mut(bucket).extend(self.names(list)),
            }
        }
        buckets
    }

    /// The bucket of a workstream.
    #[must_use]
    pub(super) fn bucket_of(self, workstream: &str) -> Option<Bucket> {
        let mut lists = Bucket::LISTS.into_iter();
        let found = lists.find(|(list, _)| self.has(list, workstream));
        found.map(|(_, bucket)| bucket)
    }

    /// The names in a list: strings, objects with an id, or the keys of a map.
    #[must_use]
    pub fn names(self, list: &str) -> Vec<String> {
        let Some(list) = self.0.get(list) else {
            return Vec::new();
        };
        if list.kind() == Kind::Object {
            let members = list.members().into_iter();
            return members.map(|(name, _)| name.into_owned()).collect();
        }
        let names = list.items().filter_map(entry_name);
        names.map(Cow::into_owned).collect()
    }

    /// Whether a list contains a name.
    pub(super) fn has(self, list: &str, name: &str) -> bool {
        let Some(list) = self.0.get(list) else {
            return false;
        };
        match list.kind() {
            Kind::Object => list.get(name).is_some(),
            _ => list
                .items()
                .any(|entry| entry_name(entry).is_some_and(|found| found == name)),
        }
    }

    /// The gates that passed, as `name (WS1)` or `name`.
    #[must_use]
    pub fn gates_passed(self) -> Vec<String> {
        let Some(map) = self.0.get(GATES_PASSED) else {
            return Vec::new();
        };
        if map.kind() != Kind::Object {
            let entries = map
                .items()
                .filter(|entry| entry.as_str().is_some() || says_passed(*entry));
            let names = entries.filter_map(entry_name);
            return names.map(Cow::into_owned).collect();
        }
        let members = map.members().into_iter();
        let passed = members.filter(|(_, value)| says_passed(*value));
        passed.map(|(name, _)| name.into_owned()).collect()
    }

    /// Whether an entry is among the gates that passed. A map may also contain gates that did not.
    pub(super) fn has_passed(self, entry: &str) -> bool {
        match self.0.get(GATES_PASSED) {
            Some(map) if map.kind() == Kind::Object => map.get(entry).is_some_and(says_passed),
            _ => self.gates_passed().iter().any(|passed| passed == entry),
        }
    }

    /// The gates that have not passed yet.
    #[must_use]
    pub fn gates_pending(self) -> Vec<String> {
        self.names(GATES_PENDING)
    }

    /// The error: its workstream and message.
    #[must_use]
    pub fn error(self) -> Option<(Option<Cow<'t, str>>, Cow<'t, str>)> {
        let error = self.0.get("error").filter(|error| !error.is_null())?;
        if let Some(message) = error.as_str() {
            return Some((None, message));
        }
        let workstream = error.text("workstream");
        let message = error.text("message");
        Some((workstream, message.unwrap_or(Cow::Borrowed("no message"))))
    }

    /// Where in the sources the error occurred.
    #[must_use]
    pub fn error_place(self) -> Option<String> {
        let error = self.0.get("error")?;
        let file = error.text("file")?;
        Some(match error.get("line").and_then(T::as_u64) {
            Some(line) => format!("{file}:{line}"),
            None => file.into_owned(),
        })
    }

    /// The result of the adversarial review.
    #[must_use]
    pub fn review(self) -> Option<Review> {
        let review = self.0.get("adversarial_review")?;
        let review = (!review.is_null()).then_some(review)?;
        let count = |name: &str| review.get(name).and_then(T::as_u64).unwrap_or(0);
        let reason = review.text("override_reason").map(Cow::into_owned);
        Some(Review {
            verdict: review.text("verdict").unwrap_or_default().into_owned(),
            override_reason: reason.filter(|reason| !reason.trim().is_empty()),
            p0: review.get("p0_count").and_then(T::as_u64),
            p1: count("p1_count"),
            attempt: count("attempt").max(1),
            findings_path: review.text("findings_path").map(Cow::into_owned),
        })
    }

    /// The path of its specification, relative to the root.
    #[must_use]
    pub fn spec_path(self) -> Option<Cow<'t, str>> {
        let spec = self.0.get("execution_spec")?;
        spec.as_str().or_else(|| spec.text("path"))
    }

    /// The hash of its specification when it was last accepted.
    #[must_use]
    pub fn spec_hash(self) -> Option<Cow<'t, str>> {
        self.0.get("execution_spec")?.text("hash")
    }

    /// The receipts of its gates, by `name (WS1)` or `name`. That of a run that passed says nothing any more once the gate
    /// has to pass again, because its workstream does.
    pub(super) fn receipts(self, trust: Trust<'_>) -> Vec<(String, Receipt<T>)> {
        let passed: HashSet<String> = self.gates_passed().into_iter().collect();
        let mut receipts = gate::receipts(self.0, trust);
        receipts.retain(|(entry, receipt)| !receipt.says_passed() || passed.contains(entry));
        receipts
    }

    /// What is known about its gates. A pass without a receipt counts as a claim.
    #[must_use]
    pub fn proofs(self, content: &ContentState, trust: Trust<'_>) -> Vec<GateProof> {
        let receipts = self.receipts(trust).into_iter();
        let mut proofs: Vec<GateProof> = receipts
            .map(|(gate, receipt)| GateProof {
                gate,
                proof: receipt.proof(content),
            })
            .collect();
        let mut known: HashSet<String> = proofs.iter().map(|known| known.gate.clone()).collect();
        for gate in self.gates_passed() {
            if known.insert(gate.clone()) {
                let proof = Proof::Claimed;
                proofs.push(GateProof { gate, proof });
            }
        }
        proofs
    }

    /// How many workstreams are complete.
    #[must_use]
    pub fn progress(self) -> Progress {
        let buckets = self.buckets();
        let done = buckets.completed.len();
        Progress {
            done,
            total: done + buckets.in_progress.len() + buckets.pending.len(),
        }
    }

    /// Whether anything is left to do.
    #[must_use]
    pub fn lifecycle(self) -> Lifecycle {
        match self.status() {
            Status::Complete => Lifecycle::Complete,
            Status::Failed if self.0.text(ABORTED_AT).is_some() => Lifecycle::Abandoned,
            _ => Lifecycle::InFlight,
        }
    }

    /// Why it was aborted, if it was.
    #[must_use]
    pub fn aborted(self) -> Option<String> {
        let is_aborted = self.lifecycle() == Lifecycle::Abandoned;
        is_aborted.then(|| {
            self.error()
                .map_or_else(String::new, |(_, why)| why.into_owned())
        })
    }

    /// What is recorded about workstreams, besides their buckets.
    #[must_use]
    pub fn records(self) -> HashMap<String, WorkstreamRecord> {
        let mut records: HashMap<String, WorkstreamRecord> = HashMap::new();
        let lists = Bucket::LISTS.into_iter();
        for list in lists.filter_map(|(list, _)| self.0.get(list)) {
            let named = match list.kind() {
                Kind::Object => list.members(),
                _ => list
                    .items()
                    .filter_map(|entry| Some((entry_name(entry)?, entry)))
                    .collect(),
            };
            for (name, entry) in named {
                if let Some(reason) = entry.text("reason") {
                    let record = records.entry(name.into_owned()).or_default();
                    record.reason.get_or_insert(reason.into_owned());
                }
            }
        }
        let handoffs = self.0.get("handoffs").map(T::members);
        for (name, handoff) in handoffs.unwrap_or_default() {
            if let Some(summary) = handoff.text("context_summary") {
                let record = records.entry(name.into_owned()).or_default();
                record.summary = Some(summary.into_owned());
            }
        }
        if let Some(all) = self.0.get("artifacts") {
            for (name, _) in all.members() {
                let artifacts = all.texts(&name).into_iter().map(Cow::into_owned).collect();
                let record = records.entry(name.into_owned()).or_default();
                record.artifacts = artifacts;
            }
        }
        records
    }

    /// The notes about the run, in the order of their lists.
    #[must_use]
    pub fn notes(self) -> Vec<String> {
        let lists = ["key_fixes", "eslint_fixes", "cleanup_done"];
        let entries = lists.iter().filter_map(|list| self.0.get(list));
        let entries = entries.flat_map(T::items);
        let note = |entry: T| match (entry.text("file"), entry.text("change")) {
            (Some(file), Some(change)) => Some(format!("{file}: {change}")),
            _ => Some(entry.as_str()?.into_owned()),
        };
        entries.filter_map(note).collect()
    }

    /// The workstreams that were running when something went wrong.
    #[must_use]
    pub fn interrupted(self) -> Vec<String> {
        let spec = self.0.get("execution_spec");
        spec.map_or_else(Vec::new, |spec| Pipeline(spec).names("interrupted"))
    }
}

/// What a pipeline records about a workstream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkstreamRecord {
    /// Why it was deferred.
    pub reason: Option<String>,
    /// The summary of its last response.
    pub summary: Option<String>,
    /// The files it produced.
    pub artifacts: Vec<String>,
}

/// The name of a list entry.
pub(super) fn entry_name<'t, T: Tree<'t>>(entry: T) -> Option<Cow<'t, str>> {
    let members = ["id", "name", "workstream", "gate"];
    entry
        .as_str()
        .or_else(|| members.iter().find_map(|member| entry.text(member)))
}

/// Whether a value in a map of gates means that the gate passed.
fn says_passed<'t>(value: impl Tree<'t>) -> bool {
    let words = ["false", "failed", "fail", "pending", "skipped", "no"];
    match value.as_str() {
        Some(word) => !words.iter().any(|no| word.eq_ignore_ascii_case(no)),
        None if value.kind() == Kind::Object => {
            let members = ["passed", "status", "result"];
            let mut said = members.iter().filter_map(|member| value.get(member));
            said.all(says_passed)
        }
        None => !matches!(value.kind(), Kind::Null | Kind::False),
    }
}
