//! Checking a pipeline checkpoint.

use std::collections::{HashMap, HashSet};

use super::change::split_gate;
use super::gates::{Requirement, Unmet};
use super::model::{
    Bucket, COMPLETED, FAILED, GATES_PASSED, GATES_PENDING, ID, IN_PROGRESS, PENDING, Pipeline,
    Status, TIME,
};
use super::reviews::MAX_REVIEWS;
use super::spec::Spec;
use crate::document::{Document, Kind, Node};
use crate::finding::{Finding, Findings, MOST_ALIKE, Severity};
use crate::gate::RECEIPTS;
use crate::handoff::RECORDS;
use crate::shape::{Member, Shape, optional, required};
use crate::sub_agents::AGENTS_SHAPE;
use crate::time::Timestamp;

/// Members that have defaults. A wrong one is only a warning: other tools write many shapes.
const MEMBERS: &[Member] = &[
    optional("prd", Shape::Text),
    optional("prd_title", Shape::Text),
    optional("current_phase", Shape::Whole),
    optional("aborted_at", Shape::Text),
    optional("timestamp", Shape::Text),
    optional(
        "execution_spec",
        Shape::Either(&[
            Shape::Text,
            Shape::Object(&[
                optional("path", Shape::Text),
                optional("hash", Shape::Text),
                optional("interrupted", Shape::List(&Shape::Text)),
            ]),
        ]),
    ),
    optional("receipts", RECEIPTS),
    optional("agents", AGENTS_SHAPE),
    optional("handoffs", RECORDS),
    optional("eslint_fixes", FIXES),
    optional("key_fixes", FIXES),
    optional("cleanup_done", Shape::List(&Shape::Text)),
];

const FIXES: Shape = Shape::List(&Shape::Object(&[
    required("file", Shape::Text),
    required("change", Shape::Text),
]));

/// A list of names, or of objects that contain one. Other tools also write maps.
const LIST: Shape = Shape::Either(&[
    Shape::List(&Shape::Either(&[
        Shape::Text,
        Shape::Object(&[optional("id", Shape::Text), optional("reason", Shape::Text)]),
    ])),
    Shape::Map(&Shape::Any),
]);

const ERROR: &[Member] = &[optional(
    "error",
    Shape::Either(&[
        Shape::Text,
        Shape::Object(&[
            optional("workstream", Shape::Text),
            required("message", Shape::SomeText),
            optional("file", Shape::Text),
            optional("line", Shape::Whole),
        ]),
    ]),
)];

const REVIEW: &[Member] = &[optional(
    "adversarial_review",
    Shape::Object(&[
        required(
            "verdict",
            Shape::Word(&["ship", "ship_with_gates", "do_not_ship", "overridden"]),
        ),
        required("p0_count", Shape::Whole),
        required("p1_count", Shape::Whole),
        required("attempt", Shape::Between(1, MAX_REVIEWS)),
        optional("findings_path", Shape::Text),
        optional("override_reason", Shape::Text),
    ]),
)];

/// Members that every pipeline has, and that readers can do without.
const EXPECTED: [&str; 8] = [
    "prd_title",
    "current_phase",
    COMPLETED,
    IN_PROGRESS,
    PENDING,
    "artifacts",
    GATES_PASSED,
    GATES_PENDING,
];

/// Problems found in a document, read as a pipeline with this specification.
#[must_use]
pub fn judge(document: &Document, spec: Option<&Spec>) -> Vec<Finding> {
    let root = document.root();
    let mut judge = Judge {
        findings: Findings::default(),
        root,
        pipeline: Pipeline::new(root),
    };
    if root.kind() != Kind::Object {
        judge.findings.error(
            root,
            "pipeline.object",
            "a checkpoint must be a JSON object",
        );
        return judge.findings.0;
    }
    judge.identity();
    judge.shapes();
    judge.review();
    judge.status();
    judge.lists();
    judge.by_status();
    judge.artifacts();
    if let Some(spec) = spec {
        judge.against(spec);
    }
    judge.findings.0
}

struct Judge<'d> {
    findings: Findings,
    root: Node<'d>,
    pipeline: Pipeline<Node<'d>>,
}

impl Judge<'_> {
    fn identity(&mut self) {
        match self.pipeline.id() {
            None => {
                let message = format!(
                    "no id: none of {} is set; the file name is used",
                    ID.join(", ")
                );
                self.findings.warning(self.root, "pipeline.id", message);
            }
            Some(id) if !is_canonical(&id) => {
                let message = format!("\"{id}\" is not of the form PRD-001");
                self.findings.warning(self.root, "pipeline.id", message);
            }
            Some(_) => {}
        }
        self.findings
            .repeated_members(self.root, "pipeline.repeated-member");
        match self.pipeline.time() {
            None => {
                let message = format!(
                    "no time of the last change: none of {} is set",
                    TIME.join(", ")
                );
                self.findings.warning(self.root, "pipeline.time", message);
            }
            Some(time) if Timestamp::parse(&time).is_none() => {
                let message = format!("\"{time}\" is not an ISO 8601 time");
                self.findings.warning(self.root, "pipeline.time", message);
            }
            Some(_) => {}
        }
    }

    fn shapes(&mut self) {
        for name in EXPECTED {
            let (node, what) = match self.root.get(name) {
                None => (self.root, "missing"),
                Some(member) if member.is_null() => (member, "null"),
                Some(_) => continue,
            };
            let message = format!("\"{name}\" is {what}");
            self.findings.warning(node, "pipeline.missing", message);
        }
        let severe = Severity::Error;
        let findings = &mut self.findings;
        findings.members(self.root, MEMBERS, ("pipeline.member", Severity::Warning));
        findings.members(self.root, ERROR, ("pipeline.error", severe));
        findings.members(self.root, REVIEW, ("pipeline.review", severe));
    }

    fn review(&mut self) {
        let review = self.root.get("adversarial_review");
        let Some(review) = review.filter(|review| review.kind() == Kind::Object) else {
            return;
        };
        let reason = review.get("override_reason").and_then(Node::as_str);
        let is_given = reason.is_some_and(|reason| !reason.trim().is_empty());
        let verdict = review.get("verdict").and_then(Node::as_str);
        if verdict.as_deref() == Some("overridden") && !is_given {
            let message = "a review that is overridden needs \"override_reason\"";
            self.findings
                .error(review, "pipeline.override-reason", message);
        }
    }

    fn status(&mut self) {
        let Some(node) = self.root.get("status") else {
            return self
                .findings
                .error(self.root, "pipeline.status", "\"status\" is missing");
        };
        let status = self.pipeline.status();
        match (&status, node.as_str()) {
            (Status::Other(_), _) | (_, None) => {
                let message = format!(
                    "\"status\" must be initialized, in_progress, paused, failed or complete, not {}",
                    node.raw()
                );
                self.findings.error(node, "pipeline.status", message);
            }
            (known, Some(written)) if written != known.as_str() => {
                let message = format!("\"{written}\" is read as {known}");
                self.findings
                    .warning(node, "pipeline.status-alias", message);
            }
            _ => {}
        }
    }

    fn lists(&mut self) {
        let mut seen: HashMap<String, &'static str> = HashMap::new();
        for (list, _) in Bucket::LISTS {
            let Some(node) = self.root.get(list).filter(|node| !node.is_null()) else {
                continue;
            };
            self.list(node, list);
            let before = self.findings.0.len();
            for name in self.pipeline.names(list) {
                match seen.get(&name) {
                    Some(_) if self.findings.0.len() - before >= MOST_ALIKE => {}
                    Some(other) if *other == list => {
                        let message = format!("{name} is in \"{list}\" more than once");
                        self.findings.error(node, "pipeline.repeated", message);
                    }
                    // A failed workstream is also listed as pending.
                    Some(_) if list == FAILED => {}
                    Some(other) => {
                        let message = format!("{name} is in \"{other}\" and in \"{list}\"");
                        self.findings.error(node, "pipeline.overlap", message);
                    }
                    None => drop(seen.insert(name, list)),
                }
            }
        }
        for list in [GATES_PASSED, GATES_PENDING] {
            if let Some(node) = self.root.get(list).filter(|node| !node.is_null()) {
                self.list(node, list);
            }
        }
    }

    fn list(&mut self, node: Node<'_>, name: &'static str) {
        let rule = ("pipeline.list", Severity::Error);
        self.findings
            .members(self.root, &[optional(name, LIST)], rule);
        if node.kind() == Kind::Object {
            let message = format!("\"{name}\" should be an array, not an object");
            self.findings.warning(node, "pipeline.map", message);
        }
    }

    fn by_status(&mut self) {
        let status = self.pipeline.status();
        let buckets = self.pipeline.buckets();
        let error = self.root.get("error").filter(|error| !error.is_null());
        match status {
            // Between a completion and what comes next, nothing is running.
            Status::InProgress
                if buckets.in_progress.is_empty() && buckets.completed.is_empty() =>
            {
                let message = "status is in_progress, but no workstream is running";
                self.findings
                    .warning(self.root, "pipeline.nothing-in-progress", message);
            }
            Status::InProgress | Status::Other(_) => {}
            _ if !buckets.in_progress.is_empty() => {
                let message = format!(
                    "status is {status}, but {} is still in progress",
                    buckets.in_progress.join(", ")
                );
                self.findings
                    .error(self.root, "pipeline.in-progress", message);
            }
            _ => {}
        }
        if let Some(error) = error.filter(|error| error.kind() == Kind::String) {
            let message = "\"error\" should be an object with \"workstream\" and \"message\"";
            self.findings.warning(error, "pipeline.error-text", message);
        }
        match (&status, error) {
            (Status::Failed, None) => {
                let message = "status is failed, but \"error\" does not say what went wrong";
                self.findings
                    .error(self.root, "pipeline.error-required", message);
            }
            (Status::Failed, Some(_)) | (_, None) => {}
            (_, Some(error)) => {
                let message = format!("status is {status}, but \"error\" is set");
                self.findings
                    .warning(error, "pipeline.error-unexpected", message);
            }
        }
        let gates = self.pipeline.gates_pending().into_iter();
        let pending = buckets.pending.into_iter();
        let pending = pending.chain(gates.map(|gate| format!("gate {gate}")));
        let pending: Vec<String> = pending.collect();
        if status == Status::Complete && !pending.is_empty() {
            let message = format!(
                "status is complete, but {} is still pending",
                pending.join(", ")
            );
            self.findings
                .warning(self.root, "pipeline.complete-pending", message);
        }
    }

    fn artifacts(&mut self) {
        let Some(artifacts) = self.root.get("artifacts") else {
            return;
        };
        if artifacts.kind() != Kind::Object {
            let message = format!(
                "\"artifacts\" should be a map, not {}",
                artifacts.kind().noun()
            );
            return self
                .findings
                .warning(artifacts, "pipeline.artifacts", message);
        }
        let buckets = self.pipeline.buckets();
        let known = buckets.completed.iter().chain(&buckets.dormant);
        let known: HashSet<&str> = known.map(String::as_str).collect();
        for (name, files) in artifacts.members() {
            if !known.contains(name.as_ref()) {
                let message = format!("{name} has artifacts but is not complete");
                self.findings.warning(files, "pipeline.artifacts", message);
            }
        }
    }

    fn against(&mut self, spec: &Spec) {
        let buckets = self.pipeline.buckets();
        let active = [&buckets.completed, &buckets.in_progress, &buckets.pending];
        let listed: HashSet<&String> = active.into_iter().flatten().collect();
        let known: HashSet<&String> = spec.workstreams.iter().map(|ws| &ws.id).collect();
        let dormant: HashSet<&String> = buckets.dormant.iter().collect();
        let missing: Vec<&str> = spec
            .workstreams
            .iter()
            .filter(|ws| !listed.contains(&ws.id) && !dormant.contains(&ws.id))
            .map(|ws| ws.id.as_str())
            .collect();
        if !missing.is_empty() {
            let message = format!(
                "{} is in the specification but in no list; add it with: ckpt pipeline sync",
                missing.join(", ")
            );
            self.findings
                .error(self.root, "pipeline.missing-workstream", message);
        }
        let mut extra: Vec<&str> = listed
            .difference(&known)
            .map(|name| name.as_str())
            .collect();
        extra.sort_unstable();
        if !extra.is_empty() {
            let message = format!("{} is not in the specification", extra.join(", "));
            self.findings
                .error(self.root, "pipeline.extra-workstream", message);
        }
        self.gates_against(spec);
    }

    /// Compares the gates that passed and that are pending with those of the specification.
    fn gates_against(&mut self, spec: &Spec) {
        let (passed, pending) = (self.pipeline.gates_passed(), self.pipeline.gates_pending());
        let listed = passed.iter().chain(&pending);
        let mut extra: Vec<&str> = listed.map(|entry| split_gate(entry).0).collect();
        extra.retain(|gate| spec.gate(gate).is_none());
        extra.sort_unstable();
        extra.dedup();
        let unmet = Unmet::of(spec, self.pipeline);
        let is_pending = |gate: &Requirement| {
            let mut pending = pending.iter().map(|entry| split_gate(entry));
            pending.any(|(name, of)| {
                let of = of.unwrap_or_default();
                let mut named = of.split(", ");
                name == gate.gate
                    && (of.is_empty() || named.any(|of| gate.workstreams.iter().any(|ws| ws == of)))
            })
        };
        let missing = unmet.all().filter(|gate| !is_pending(gate));
        let missing: Vec<String> = missing.map(Requirement::entry).collect();
        let open: HashSet<&str> = unmet.all().map(|gate| gate.gate.as_str()).collect();
        let both = pending.iter().filter(|entry| {
            let gate = split_gate(entry).0;
            !open.contains(gate) && unmet.requires(gate)
        });
        let both: Vec<&str> = both.map(String::as_str).collect();
        let told = [
            (extra.join(", "), "is not a gate of the specification"),
            (
                missing.join(", "),
                "has neither passed nor is it pending; add it with: ckpt pipeline sync",
            ),
            (
                both.join(", "),
                "has passed, but is listed as pending; remove it with: ckpt pipeline sync",
            ),
        ];
        for (names, what) in told.into_iter().filter(|(names, _)| !names.is_empty()) {
            let message = format!("gate {names} {what}");
            self.findings.warning(self.root, "pipeline.gates", message);
        }
    }
}

/// Whether an id is of the form `PRD-001`.
#[must_use]
pub fn is_canonical(id: &str) -> bool {
    let digits = id.strip_prefix("PRD-");
    digits
        .is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
