//! Checking a handoff.

use super::vocabulary::{Decision, ExpectedOutput, Kind, Mode, Phase, Status};
use crate::document::{Document, Kind as Shape, Node};
use crate::finding::{Finding, Findings, Severity};
use crate::shape::whole;
use crate::tokens::Limit;

/// How strictly to check a handoff.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Its kind; `None` to recognise it by its members.
    pub kind: Option<Kind>,
    /// The maximum length of its summary.
    pub limit: Limit,
    /// The severity of unknown words, and of findings of another shape.
    pub unknown: Severity,
    /// The severity of a response's summary that is too long. In a request it is always an error.
    pub long_response: Severity,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            kind: None,
            limit: Limit::default(),
            unknown: Severity::Warning,
            long_response: Severity::Warning,
        }
    }
}

impl Kind {
    /// The kind of a document, recognised by its members: a response has members that a request cannot have.
    #[must_use]
    pub fn of(root: Node<'_>) -> Self {
        let has = |names: &[&str]| names.iter().filter(|name| root.get(name).is_some()).count();
        let response = has(&[
            "status",
            "decision",
            "findings",
            "context_summary",
            "tokens_used",
        ]);
        let request = has(&["mode", "context", "instructions", "expected_output"]);
        match response > request {
            true => Self::Response,
            false => Self::Request,
        }
    }
}

/// Problems found in a handoff.
#[must_use]
pub fn judge(document: &Document, terms: &Terms) -> Vec<Finding> {
    let root = document.root();
    let mut judge = Judge {
        findings: Findings::default(),
        terms,
    };
    if root.kind() != Shape::Object {
        let message = format!(
            "a handoff must be a JSON object, not {}",
            root.kind().noun()
        );
        judge.findings.error(root, "handoff.object", message);
        return judge.findings.0;
    }
    judge
        .findings
        .repeated_members(root, "handoff.repeated-member");
    match terms.kind.unwrap_or_else(|| Kind::of(root)) {
        Kind::Request => judge.request(root),
        Kind::Response => judge.response(root),
    }
    judge.findings.0
}

/// The maximum number of findings reported for one list.
const MOST_FINDINGS: usize = 50;

/// Members of findings that may have any type.
const ANYTHING: [&str; 3] = ["relevance", "severity", "changes"];

struct Judge<'t> {
    findings: Findings,
    terms: &'t Terms,
}

/// What is required of a member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Must {
    BeThere,
    BeRightIfThere,
}

impl Judge<'_> {
    fn request(&mut self, root: Node<'_>) {
        self.text(root, "task_id", Must::BeThere);
        self.word(root, "phase", &names(Phase::ALL, Phase::as_str));
        self.word(root, "mode", &names(Mode::ALL, Mode::as_str));
        self.text(root, "instructions", Must::BeThere);
        let outputs = names(ExpectedOutput::ALL, ExpectedOutput::as_str);
        self.word(root, "expected_output", &outputs);
        let Some(context) = self.member(root, "context", Shape::Object, Must::BeThere) else {
            return;
        };
        self.findings
            .repeated_members(context, "handoff.repeated-member");
        self.text(context, "feature", Must::BeThere);
        self.text(context, "spec_path", Must::BeRightIfThere);
        self.texts(context, "relevant_files");
        self.texts(context, "constraints");
        let summary = self.text(context, "previous_summary", Must::BeRightIfThere);
        let legacy = self.text(context, "previous_findings", Must::BeRightIfThere);
        if let Some(legacy) = legacy {
            let message = match summary {
                None => {
                    "\"previous_findings\" is now called \"previous_summary\"; rename it with: ckpt handoff fix"
                }
                Some(_) => "\"previous_findings\" is ignored because \"previous_summary\" is set",
            };
            self.findings
                .warning(legacy, "handoff.legacy-name", message);
        }
        if let Some(node) = summary.or(legacy) {
            self.summary(node, "handoff.previous-summary-limit", Severity::Error);
        }
    }

    fn response(&mut self, root: Node<'_>) {
        self.text(root, "task_id", Must::BeThere);
        self.word(root, "phase", &names(Phase::ALL, Phase::as_str));
        self.needed_word(root, "status", &names(Status::ALL, Status::as_str));
        self.needed_word(root, "decision", &names(Decision::ALL, Decision::as_str));
        if let Some(summary) = self.text(root, "context_summary", Must::BeThere) {
            let severity = self.terms.long_response;
            self.summary(summary, "handoff.summary-limit", severity);
        }
        if let Some(tokens) = root.get("tokens_used").filter(|node| !node.is_null())
            && whole(tokens).is_none()
        {
            let message = format!(
                "\"tokens_used\" should be a whole number, not {}",
                tokens.raw()
            );
            self.push(tokens, Severity::Error, "handoff.type", message);
        }
        self.member(root, "issues", Shape::Array, Must::BeRightIfThere);
        let phase = root.get("phase").and_then(Node::as_str);
        let phase = phase.as_deref().and_then(Phase::read);
        if let Some(findings) = self.member(root, "findings", Shape::Object, Must::BeThere)
            && let Some(phase) = phase
        {
            self.findings_of(findings, phase);
        }
    }

    fn findings_of(&mut self, findings: Node<'_>, phase: Phase) {
        match phase {
            Phase::Research => {
                let file = &["file", "description", "relevance"];
                self.records(findings, "existing_implementations", file);
                self.records(findings, "conflicts", &["type", "description", "severity"]);
                let pattern = &["file", "pattern", "recommendation"];
                self.records(findings, "patterns_found", pattern);
                self.list(findings, "recommendations");
            }
            Phase::Write => {
                self.records(findings, "files_created", &["path", "purpose"]);
                self.records(findings, "files_modified", &["path", "changes"]);
                for test in self.records(findings, "tests_written", &["path"]) {
                    self.number(test, "test_count");
                    self.list_of_texts(test, "coverage_areas");
                }
                self.list(findings, "implementation_notes");
            }
            Phase::Validate => {
                self.shape(findings, "checks", Shape::Object);
                self.flag(findings, "overall_passed");
                self.list(findings, "blocking_issues");
                self.list(findings, "warnings");
            }
            Phase::Parallel => {
                self.list(findings, "results");
                if let Some(all) = self.shape(findings, "aggregation", Shape::Object) {
                    for count in ["total", "passed", "failed"] {
                        self.number(all, count);
                    }
                    self.shape(all, "rule", Shape::String);
                    self.flag(all, "overall_passed");
                }
            }
        }
    }

    /// A list of objects with these members. They must be strings, except a few that may have any type.
    fn records<'d>(&mut self, findings: Node<'d>, name: &str, members: &[&str]) -> Vec<Node<'d>> {
        let records = self.list(findings, name);
        for item in &records {
            if self.findings.0.len() > MOST_FINDINGS {
                break;
            }
            if item.kind() != Shape::Object {
                let wanted = members.join(", ");
                let found = item.kind().noun();
                let message =
                    format!("an entry of \"{name}\" must be an object with {wanted}, not {found}");
                self.odd(*item, message);
                continue;
            }
            let missing = members.iter().filter(|member| {
                let found = item.get(member);
                found.is_none_or(|found| found.is_null() && !ANYTHING.contains(member))
            });
            let missing: Vec<&str> = missing.copied().collect();
            if !missing.is_empty() {
                let message = format!("an entry of \"{name}\" lacks {}", missing.join(", "));
                self.odd(*item, message);
            }
            for member in members.iter().filter(|member| !ANYTHING.contains(member)) {
                self.shape(*item, member, Shape::String);
            }
        }
        let mut records = records;
        records.retain(|item| item.kind() == Shape::Object);
        records.truncate(MOST_FINDINGS);
        records
    }

    fn number(&mut self, node: Node<'_>, name: &str) {
        if let Some(found) = node.get(name).filter(|found| !found.is_null())
            && whole(found).is_none()
        {
            self.odd(found, format!("\"{name}\" should be a whole number"));
        }
    }

    fn flag(&mut self, node: Node<'_>, name: &str) {
        if let Some(found) = node.get(name).filter(|found| !found.is_null())
            && found.as_bool().is_none()
        {
            self.odd(found, format!("\"{name}\" should be true or false"));
        }
    }

    fn list_of_texts(&mut self, node: Node<'_>, name: &str) {
        let items = self.list(node, name).into_iter();
        let wrong = items
            .filter(|item| item.kind() != Shape::String)
            .take(MOST_FINDINGS);
        for item in wrong {
            self.odd(
                item,
                format!(
                    "\"{name}\" should be a list of strings, but this is {}",
                    item.kind().noun()
                ),
            );
        }
    }

    fn list<'d>(&mut self, findings: Node<'d>, name: &str) -> Vec<Node<'d>> {
        let list = self.shape(findings, name, Shape::Array);
        list.map(|list| list.items().collect()).unwrap_or_default()
    }

    fn shape<'d>(&mut self, findings: Node<'d>, name: &str, shape: Shape) -> Option<Node<'d>> {
        let node = findings.get(name).filter(|node| !node.is_null())?;
        if node.kind() == shape {
            return Some(node);
        }
        let message = format!(
            "\"{name}\" should be {}, not {}",
            shape.noun(),
            node.kind().noun()
        );
        self.odd(node, message);
        None
    }

    fn odd(&mut self, node: Node<'_>, message: impl Into<String>) {
        self.push(node, self.terms.unknown, "handoff.findings", message);
    }

    fn push(
        &mut self,
        node: Node<'_>,
        severity: Severity,
        rule: &'static str,
        message: impl Into<String>,
    ) {
        self.findings
            .0
            .push(Finding::at(node, severity, rule, message));
    }

    /// A member of this shape. `null` counts as absent.
    fn member<'d>(
        &mut self,
        node: Node<'d>,
        name: &str,
        shape: Shape,
        must: Must,
    ) -> Option<Node<'d>> {
        let Some(found) = node.get(name).filter(|found| !found.is_null()) else {
            if must == Must::BeThere {
                let message = format!("\"{name}\" is missing");
                self.findings.error(node, "handoff.required", message);
            }
            return None;
        };
        if found.kind() != shape {
            let message = format!(
                "\"{name}\" must be {}, not {}",
                shape.noun(),
                found.kind().noun()
            );
            self.findings.error(found, "handoff.type", message);
            return None;
        }
        Some(found)
    }

    /// A text. An empty text counts as missing if it is required.
    fn text<'d>(&mut self, node: Node<'d>, name: &str, must: Must) -> Option<Node<'d>> {
        let found = self.member(node, name, Shape::String, must)?;
        let is_empty = found.as_str().is_none_or(|text| text.trim().is_empty());
        if is_empty && must == Must::BeThere {
            let message = format!("\"{name}\" is empty");
            self.findings.error(found, "handoff.required", message);
            return None;
        }
        Some(found)
    }

    fn texts(&mut self, node: Node<'_>, name: &str) {
        let Some(list) = self.member(node, name, Shape::Array, Must::BeRightIfThere) else {
            return;
        };
        let wrong = list.items().filter(|item| item.kind() != Shape::String);
        for item in wrong.take(MOST_FINDINGS) {
            let message = format!(
                "\"{name}\" must be a list of strings, but this is {}",
                item.kind().noun()
            );
            self.findings.error(item, "handoff.type", message);
        }
    }

    /// One of these words; an unknown one may be a project's own.
    fn word(&mut self, node: Node<'_>, name: &str, words: &[&str]) {
        let severity = self.terms.unknown;
        self.one_of(node, name, words, severity);
    }

    /// One of these words and no other, because later steps depend on it.
    fn needed_word(&mut self, node: Node<'_>, name: &str, words: &[&str]) {
        self.one_of(node, name, words, Severity::Error);
    }

    fn one_of(&mut self, node: Node<'_>, name: &str, words: &[&str], severity: Severity) {
        let Some(found) = self.text(node, name, Must::BeThere) else {
            return;
        };
        let text = found.as_str().unwrap_or_default();
        if !words.contains(&text.as_ref()) {
            let message = format!(
                "\"{name}\" is \"{text}\", but should be one of {}",
                words.join(", ")
            );
            self.push(found, severity, "handoff.unknown-value", message);
        }
    }

    fn summary(&mut self, node: Node<'_>, rule: &'static str, severity: Severity) {
        let text = node.as_str().unwrap_or_default();
        if let Err(too_long) = self.terms.limit.check(&text) {
            self.push(node, severity, rule, too_long.to_string());
        }
    }
}

fn names<W: Copy>(words: &[W], name: fn(W) -> &'static str) -> Vec<&'static str> {
    words.iter().map(|word| name(*word)).collect()
}
