//! Checking a command checkpoint.

use std::collections::HashSet;

use super::{PhaseStatus, summaries};
use crate::document::{Document, Kind, Node};
use crate::finding::{Finding, Findings, MOST_ALIKE};
use crate::tokens::Limit;

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
        if root.get("command").and_then(Node::as_str).is_none() {
            self.findings
                .warning(root, "command.name", "\"command\" should name the command");
        }
        self.optional_text(root, "feature", "command.feature");
        self.optional_text(root, "head_commit", "command.head-commit");
        match root.get("version") {
            None => self.findings.error(
                root,
                "command.version",
                "\"version\" is missing: it must be 1",
            ),
            Some(version) if version.as_f64() != Some(1.0) => {
                let message = format!("\"version\" must be the number 1, not {}", version.raw());
                self.findings.error(version, "command.version", message);
            }
            Some(_) => {}
        }
        for name in ["started_at", "updated_at", "completed_at", "abandoned_at"] {
            self.time(root, name);
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

    fn optional_text(&mut self, node: Node<'_>, name: &str, rule: &'static str) {
        if let Some(value) = node.get(name)
            && !matches!(value.kind(), Kind::String | Kind::Null)
        {
            let message = format!(
                "\"{name}\" should be a string or null, not {}",
                value.kind().noun()
            );
            self.findings.warning(value, rule, message);
        }
    }

    /// Unlike other times, those of commands may be null.
    fn time(&mut self, node: Node<'_>, name: &str) {
        if !node.get(name).is_some_and(Node::is_null) {
            self.findings.time(node, name, "command.time");
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
        self.summary(state);
        if let Some(current) = state.get("current_phase")
            && !matches!(current.kind(), Kind::String | Kind::Null)
        {
            self.findings.error(
                current,
                "command.state",
                "\"current_phase\" must be a string or null",
            );
        }
        let mut names = HashSet::new();
        for list in ["completed_phases", "pending_phases"] {
            let Some(node) = state.get(list) else {
                self.findings
                    .warning(state, "command.state", format!("\"{list}\" is missing"));
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
            self.summary(phase);
            self.time(phase, "started_at");
            self.time(phase, "updated_at");
            for list in ["files_created", "files_modified"] {
                if let Some(node) = phase.get(list)
                    && let Err(error) = node.strings()
                {
                    self.findings.warning(
                        node,
                        "command.files",
                        format!("\"{list}\" should list paths ({error})"),
                    );
                }
            }
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

    fn summary(&mut self, holder: Node<'_>) {
        let Some(summary) = holder.get("context_summary") else {
            return;
        };
        if !matches!(summary.kind(), Kind::String | Kind::Null) {
            self.findings.warning(
                summary,
                "command.summary",
                "\"context_summary\" should be a string",
            );
        }
    }

    fn gate(&mut self, gate: Node<'_>) {
        let allowed = gate.get("ship_allowed").and_then(Node::as_bool);
        let blockers = gate
            .get("blockers")
            .is_some_and(|list| list.strings().is_ok());
        if allowed.is_none() || !blockers {
            let message = "a gate needs \"ship_allowed\" (true or false) and \"blockers\" (an array of strings); this one blocks";
            self.findings.warning(gate, "command.gate", message);
        }
    }
}
