//! Checking a command checkpoint.

use std::collections::HashSet;

use super::{PhaseStatus, VERSION, summaries};
use crate::document::{Document, Kind, Node};
use crate::finding::{Finding, Findings, MOST_ALIKE, Severity};
use crate::gate::RECEIPTS;
use crate::handoff::RECORDS;
use crate::shape::{Member, Shape, not_null, optional, required};
use crate::standing::Newer;
use crate::sub_agents::AGENTS_SHAPE;
use crate::tokens::Limit;

/// Members that have defaults. A wrong one is only a warning: a save must not fail because of it.
const ROOT: &[Member] = &[
    optional("command", Shape::Text),
    optional("feature", Shape::Text),
    optional("issue", Shape::Text),
    optional("head_commit", Shape::Text),
    optional("started_at", Shape::Text),
    optional("updated_at", Shape::Text),
    optional("completed_at", Shape::Text),
    optional("abandoned_at", Shape::Text),
    optional("abandon_reason", Shape::Text),
    optional("receipts", RECEIPTS),
    optional("agents", AGENTS_SHAPE),
];

const STATE: &[Member] = &[
    optional("current_task", Shape::Text),
    optional("context_summary", Shape::Text),
];

const PHASE: &[Member] = &[
    optional("started_at", Shape::Text),
    optional("updated_at", Shape::Text),
    optional("context_summary", Shape::Text),
    not_null("files_created", Shape::List(&Shape::Text)),
    not_null("files_modified", Shape::List(&Shape::Text)),
    optional("error", Shape::Text),
    optional("handoffs", RECORDS),
];

const GATE: &[Member] = &[
    required("ship_allowed", Shape::Flag),
    required("blockers", Shape::List(&Shape::Text)),
    optional("head_commit", Shape::Text),
    optional("content", Shape::Text),
    optional("untracked", Shape::List(&Shape::Text)),
    optional("set_at", Shape::Text),
    optional("approved_by", Shape::Text),
    optional(
        "override",
        Shape::Object(&[
            required("reason", Shape::Text),
            required("by", Shape::Text),
            optional("at", Shape::Text),
            optional("head_commit", Shape::Text),
            optional("content", Shape::Text),
            optional("approved_by", Shape::Text),
        ]),
    ),
];

const MEMBER: (&str, Severity) = ("command.member", Severity::Warning);

/// Problems found in a document, read as a command checkpoint.
#[must_use]
pub fn judge(document: &Document, summary_limit: Limit) -> Vec<Finding> {
    let mut judge = Judge {
        findings: Findings::default(),
    };
    judge.root(document.root());
    for long in summaries::too_long(document.root(), summary_limit) {
        let message = long.error.to_string();
        judge
            .findings
            .error(long.text, "command.summary-limit", message);
    }
    judge.findings.0
}

struct Judge {
    findings: Findings,
}

impl Judge {
    fn root(&mut self, root: Node<'_>) {
        if root.kind() != Kind::Object {
            return self.findings.error(
                root,
                "command.object",
                "a checkpoint must be a JSON object",
            );
        }
        self.findings
            .repeated_members(root, "command.repeated-member");
        if root.get("command").is_none_or(Node::is_null) {
            self.findings
                .warning(root, "command.name", "\"command\" should name the command");
        }
        self.findings.members(root, ROOT, MEMBER);
        match root.get("version") {
            None => self.findings.error(
                root,
                "command.version",
                "\"version\" is missing: it must be 1",
            ),
            Some(version) if version.as_f64() != Some(1.0) => {
                let mut message =
                    format!("\"version\" must be the number 1, not {}", version.raw());
                if let Some(newer) = Newer::than(VERSION, version.raw()) {
                    message += &format!(": {newer}");
                }
                self.findings.error(version, "command.version", message);
            }
            Some(_) => {}
        }
        for name in ["started_at", "updated_at", "completed_at", "abandoned_at"] {
            self.findings.time(root, name, "command.time");
        }
        for name in ["started_at", "updated_at"] {
            if root.get(name).is_none() {
                let message = format!("\"{name}\" is missing; the next change adds it");
                self.findings.warning(root, "command.time", message);
            }
        }
        self.state(root);
        self.phases(root);
        if let Some(gate) = root.get("gate") {
            self.gate(gate);
        }
    }

    fn state(&mut self, root: Node<'_>) {
        let Some(state) = root.get("state") else {
            return self
                .findings
                .error(root, "command.state", "\"state\" is missing");
        };
        if state.kind() != Kind::Object {
            return self
                .findings
                .error(state, "command.state", "\"state\" must be an object");
        }
        self.findings.members(state, STATE, MEMBER);
        if let Some(current) = state.get("current_phase")
            && !matches!(current.kind(), Kind::String | Kind::Null)
        {
            self.findings.error(
                current,
                "command.state",
                "\"current_phase\" must be a string or null",
            );
        }
        if state.get("current_phase").is_none() {
            let message = "\"current_phase\" is missing";
            self.findings.warning(state, "command.missing", message);
        }
        let mut names = HashSet::new();
        for list in ["completed_phases", "pending_phases"] {
            let Some(node) = state.get(list) else {
                self.findings
                    .warning(state, "command.missing", format!("\"{list}\" is missing"));
                continue;
            };
            if let Err(error) = node.strings() {
                self.findings.error(
                    node,
                    "command.state",
                    format!("\"{list}\" must be an array of strings ({error})"),
                );
                continue;
            }
            let before = self.findings.0.len();
            for item in node.items() {
                let name = item.as_str().unwrap_or_default();
                if !names.insert(name.clone()) && self.findings.0.len() - before < MOST_ALIKE {
                    let message = format!("phase \"{name}\" is listed twice");
                    self.findings
                        .warning(item, "command.phase-listed-twice", message);
                }
            }
        }
    }

    fn phases(&mut self, root: Node<'_>) {
        let Some(phases) = root.get("phases") else {
            return self
                .findings
                .error(root, "command.phases", "\"phases\" is missing");
        };
        if phases.kind() != Kind::Object {
            return self
                .findings
                .error(phases, "command.phases", "\"phases\" must be an object");
        }
        for (name, phase) in phases.members() {
            if phase.kind() != Kind::Object {
                self.findings.error(
                    phase,
                    "command.phases",
                    format!("phase \"{name}\" must be an object"),
                );
                continue;
            }
            self.status(&name, phase);
            self.findings.members(phase, PHASE, MEMBER);
            self.findings.time(phase, "started_at", "command.time");
            self.findings.time(phase, "updated_at", "command.time");
        }
    }

    fn status(&mut self, name: &str, phase: Node<'_>) {
        let status = phase.get("status");
        let known = status
            .and_then(Node::as_str)
            .and_then(|text| PhaseStatus::parse(&text));
        if known.is_none() {
            let found = status.map_or("nothing", Node::raw);
            let message = format!(
                "the status of phase \"{name}\" must be pending, in_progress, complete, failed or skipped, not {found}"
            );
            self.findings
                .error(status.unwrap_or(phase), "command.phase-status", message);
        }
    }

    /// Whether it counts is decided elsewhere: one that is malformed blocks.
    fn gate(&mut self, gate: Node<'_>) {
        match gate.kind() {
            Kind::Object => {
                let rule = ("command.gate", Severity::Warning);
                self.findings.members(gate, GATE, rule);
            }
            Kind::Null => {
                let message = "\"gate\" is null; a gate that is there has to be an object";
                self.findings.warning(gate, "command.null-gate", message);
            }
            _ => {
                let message = format!("\"gate\" must be an object, not {}", gate.raw());
                self.findings.warning(gate, "command.gate", message);
            }
        }
    }
}
