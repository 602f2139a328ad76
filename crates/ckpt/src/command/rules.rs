//! Judging a command checkpoint.

use super::PhaseStatus;
use crate::document::{Document, Kind, Node};
use crate::finding::{Finding, Severity};
use crate::time::Timestamp;
use crate::tokens;

/// Everything that is wrong or odd about a document, as a command checkpoint.
#[must_use]
pub fn judge(document: &Document, summary_limit: usize) -> Vec<Finding> {
    let mut judge = Judge {
        findings: Vec::new(),
        limit: summary_limit,
    };
    judge.root(document.root());
    judge.findings
}

struct Judge {
    findings: Vec<Finding>,
    limit: usize,
}

impl Judge {
    fn error(&mut self, node: Node<'_>, rule: &'static str, message: impl Into<String>) {
        self.findings
            .push(Finding::at(node, Severity::Error, rule, message));
    }

    fn warning(&mut self, node: Node<'_>, rule: &'static str, message: impl Into<String>) {
        self.findings
            .push(Finding::at(node, Severity::Warning, rule, message));
    }

    fn root(&mut self, root: Node<'_>) {
        if root.kind() != Kind::Object {
            return self.error(root, "command.object", "a checkpoint is a JSON object");
        }
        self.repeated_keys(root);
        if root.get("command").and_then(Node::as_str).is_none() {
            self.warning(root, "command.name", "\"command\" should name the command");
        }
        self.optional_text(root, "feature", "command.feature");
        self.optional_text(root, "head_commit", "command.head-commit");
        match root.get("version") {
            None => self.error(
                root,
                "command.version",
                "\"version\" is missing: it must be 1",
            ),
            Some(version) if version.as_f64() != Some(1.0) => {
                let message = format!("\"version\" must be the number 1, not {}", version.raw());
                self.error(version, "command.version", message);
            }
            Some(_) => {}
        }
        for name in ["started_at", "updated_at", "completed_at", "abandoned_at"] {
            self.time(root, name);
        }
        for name in ["started_at", "updated_at"] {
            if root.get(name).is_none() {
                let message = format!("\"{name}\" is missing; the next change adds it");
                self.warning(root, "command.time", message);
            }
        }
        self.state(root);
        self.phases(root);
        if let Some(gate) = root.get("gate") {
            self.gate(gate);
        }
    }

    fn repeated_keys(&mut self, root: Node<'_>) {
        let members: Vec<_> = root.all_members().collect();
        if members.len() == root.members().len() {
            return;
        }
        let mut seen = std::collections::HashSet::new();
        for (key, _) in members {
            let name = key.as_str().unwrap_or_default();
            if !seen.insert(name.clone()) {
                let message = format!("\"{name}\" stands here twice; the last one counts");
                self.warning(key, "command.repeated-member", message);
            }
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
            self.warning(value, rule, message);
        }
    }

    fn time(&mut self, node: Node<'_>, name: &str) {
        let Some(value) = node.get(name) else { return };
        let readable = value
            .as_str()
            .is_some_and(|text| Timestamp::parse(&text).is_some());
        if !readable && !value.is_null() {
            let message = format!("\"{name}\" is not an ISO 8601 time: {}", value.raw());
            self.warning(value, "command.time", message);
        }
    }

    fn state(&mut self, root: Node<'_>) {
        let Some(state) = root.get("state") else {
            return self.error(root, "command.state", "\"state\" is missing");
        };
        if state.kind() != Kind::Object {
            return self.error(state, "command.state", "\"state\" must be an object");
        }
        self.summary(state);
        if let Some(current) = state.get("current_phase")
            && !matches!(current.kind(), Kind::String | Kind::Null)
        {
            self.error(
                current,
                "command.state",
                "\"current_phase\" must be a string or null",
            );
        }
        let mut names = Vec::new();
        for list in ["completed_phases", "pending_phases"] {
            let Some(node) = state.get(list) else {
                self.warning(state, "command.state", format!("\"{list}\" is missing"));
                continue;
            };
            if let Err(error) = node.strings() {
                self.error(
                    node,
                    "command.state",
                    format!("\"{list}\" must be an array of strings ({error})"),
                );
                continue;
            }
            for item in node.items() {
                let name = item.as_str().unwrap_or_default();
                if names.contains(&name) {
                    let message = format!("phase \"{name}\" is listed twice");
                    self.warning(item, "command.phase-listed-twice", message);
                }
                names.push(name);
            }
        }
    }

    fn phases(&mut self, root: Node<'_>) {
        let Some(phases) = root.get("phases") else {
            return self.error(root, "command.phases", "\"phases\" is missing");
        };
        if phases.kind() != Kind::Object {
            return self.error(phases, "command.phases", "\"phases\" must be an object");
        }
        for (name, phase) in phases.members() {
            if phase.kind() != Kind::Object {
                self.error(
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
                    self.warning(
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
            self.error(status.unwrap_or(phase), "command.phase-status", message);
        }
    }

    fn summary(&mut self, holder: Node<'_>) {
        let Some(summary) = holder.get("context_summary") else {
            return;
        };
        match summary.as_str() {
            Some(text) => {
                if let Err(too_long) = tokens::check(&text, self.limit) {
                    self.error(summary, "command.summary-limit", too_long.to_string());
                }
            }
            None if summary.is_null() => {}
            None => self.warning(
                summary,
                "command.summary",
                "\"context_summary\" should be a string",
            ),
        }
    }

    fn gate(&mut self, gate: Node<'_>) {
        let allowed = gate.get("ship_allowed").and_then(Node::as_bool);
        let blockers = gate
            .get("blockers")
            .is_some_and(|list| list.strings().is_ok());
        if allowed.is_none() || !blockers {
            let message = "a gate has \"ship_allowed\" (true or false) and \"blockers\" (an array of strings); this one blocks";
            self.warning(gate, "command.gate", message);
        }
    }
}
