//! Checking a pipeline checkpoint.

use std::collections::{HashMap, HashSet};

use super::change::split_gate;
use super::model::{
    Bucket, COMPLETED, FAILED, GATES_PASSED, GATES_PENDING, ID, IN_PROGRESS, PENDING, Pipeline,
    Status, TIME,
};
use super::spec::Spec;
use crate::document::{Document, Kind, Node};
use crate::finding::{Finding, Findings, MOST_ALIKE};
use crate::time::Timestamp;

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
                self.findings.warning(node, "pipeline.status", message);
            }
            _ => {}
        }
    }

    fn lists(&mut self) {
        let mut seen: HashMap<String, &'static str> = HashMap::new();
        for (list, _) in Bucket::LISTS {
            let Some(node) = self.root.get(list) else {
                if [COMPLETED, IN_PROGRESS, PENDING].contains(&list) {
                    self.findings.warning(
                        self.root,
                        "pipeline.bucket",
                        format!("\"{list}\" is missing"),
                    );
                }
                continue;
            };
            if node.kind() != Kind::Array {
                let message = format!("\"{list}\" should be a list, not {}", node.kind().noun());
                self.findings.warning(node, "pipeline.bucket", message);
            }
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
            if let Some(node) = self.root.get(list)
                && !matches!(node.kind(), Kind::Array | Kind::Object)
            {
                let message = format!("\"{list}\" should be a list, not {}", node.kind().noun());
                self.findings.warning(node, "pipeline.gates", message);
            }
        }
    }

    fn by_status(&mut self) {
        let status = self.pipeline.status();
        let buckets = self.pipeline.buckets();
        let error = self.root.get("error").filter(|error| !error.is_null());
        match status {
            Status::InProgress if buckets.in_progress.is_empty() => {
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
        let passed = self.pipeline.gates_passed();
        let passed = passed.iter().map(|entry| split_gate(entry).0.to_owned());
        let mut gates: HashSet<String> = passed.collect();
        gates.extend(self.pipeline.gates_pending());
        let wanted: HashSet<String> = spec.gates.iter().map(|gate| gate.name.clone()).collect();
        let mut differing: Vec<&String> = gates.symmetric_difference(&wanted).collect();
        differing.sort_unstable();
        if !differing.is_empty() {
            let names: Vec<&str> = differing.into_iter().map(String::as_str).collect();
            let message = format!(
                "these gates are either not in the specification or missing from the checkpoint: {}",
                names.join(", ")
            );
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
