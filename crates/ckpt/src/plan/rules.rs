//! Checking a plan's Markdown and state.

use super::outline::Outline;
use super::scan::{ItemKind, StrayReason};
use super::state::VERSION;
use crate::document::{Document, Kind, Node};
use crate::finding::{Finding, Findings, Severity};
use crate::gate::RECEIPTS;
use crate::shape::{Member, Shape, not_null, optional, required};
use crate::standing::Newer;
use crate::sub_agents::AGENTS_SHAPE;

/// The members of a state, besides its version.
const STATE: &[Member] = &[
    not_null("planId", Shape::Text),
    not_null("planPath", Shape::Text),
    not_null("lastCheckpoint", Shape::Text),
    not_null("checksum", Shape::Text),
    not_null(
        "progress",
        Shape::Object(&[
            not_null("totalTasks", Shape::Whole),
            not_null("completedTasks", Shape::Whole),
            not_null("percentage", Shape::Number(0.0, 100.0)),
        ]),
    ),
    not_null("phases", Shape::Map(&PHASE)),
    optional("currentPhase", Shape::Text),
    optional("currentTask", Shape::Text),
    not_null("blockers", Shape::List(&Shape::Text)),
    not_null(
        "decisions",
        Shape::List(&Shape::Object(&[
            optional("time", Shape::Text),
            not_null("decision", Shape::Text),
            optional("reason", Shape::Text),
            optional("by", Shape::Text),
        ])),
    ),
    optional("sessionNotes", Shape::Text),
    not_null("agents", AGENTS_SHAPE),
    optional("phaseFiles", Shape::Map(&Shape::Text)),
    optional("receipts", RECEIPTS),
    optional(
        "closed",
        Shape::Object(&[
            required("status", Shape::Word(&["complete", "abandoned"])),
            optional("at", Shape::Text),
            optional("by", Shape::Text),
            optional("reason", Shape::Text),
        ]),
    ),
];

const PHASE: Shape = Shape::Object(&[
    required(
        "status",
        Shape::Word(&["pending", "in_progress", "completed"]),
    ),
    optional("startedAt", Shape::Text),
    optional("completedAt", Shape::Text),
    not_null(
        "tasks",
        Shape::Map(&Shape::Object(&[
            not_null("done", Shape::Flag),
            optional("completedAt", Shape::Text),
            optional("completedBy", Shape::Text),
        ])),
    ),
    not_null(
        "acceptance",
        Shape::Map(&Shape::Object(&[
            not_null("met", Shape::Flag),
            optional("verifiedAt", Shape::Text),
        ])),
    ),
]);

/// Members that every state has, and that readers can do without.
const EXPECTED: [&str; 12] = [
    "planId",
    "planPath",
    "lastCheckpoint",
    "checksum",
    "progress",
    "phases",
    "currentPhase",
    "currentTask",
    "blockers",
    "decisions",
    "sessionNotes",
    "agents",
];

/// Problems found in the Markdown of a plan. `files` are the names of its sources.
#[must_use]
pub fn judge_markdown(outline: &Outline, files: &[String]) -> Vec<Finding> {
    let name = |source: usize| files.get(source).map_or("", String::as_str);
    let mut findings: Vec<Finding> = outline
        .clashes
        .iter()
        .map(|clash| {
            let (first, again) = (clash.first, clash.again);
            let message = format!(
                "\"{}\" is already on line {} of {}; that one counts, and this one is ignored",
                clash.id,
                first.1,
                name(first.0)
            );
            let place = (name(again.0), again.1);
            Finding::in_text(place, Severity::Warning, "plan.repeated-id", message)
        })
        .collect();
    findings.extend(outline.strays.iter().map(|stray| {
        let message = match stray.why {
            StrayReason::NoCheckbox(kind) => format!(
                "\"{}\" has no checkbox at the beginning of its line, so it is not tracked; write {} on a line of its own, as: - [ ] TEXT <!-- {}: ID -->",
                stray.id,
                match kind {
                    ItemKind::Task => "a task",
                    ItemKind::Acceptance => "a criterion",
                },
                kind.marker(),
            ),
            StrayReason::BadId => format!(
                "\"{}\" is not a valid id: use letters, digits, \"_\", \"-\" and dots",
                stray.id
            ),
        };
        let place = (name(stray.source), stray.line);
        Finding::in_text(place, Severity::Warning, "plan.stray-marker", message)
    }));
    let unmarked = outline.untracked.iter().filter(|found| !found.is_marked);
    let unmarked: Vec<_> = unmarked.collect();
    if let Some(first) = unmarked.first() {
        let message = format!(
            "{} not counted; add ids with: ckpt plan mark",
            match unmarked.len() {
                1 => "1 checkbox has no id and is".to_owned(),
                count => format!("{count} checkboxes have no id and are"),
            }
        );
        let place = (name(first.source), first.line);
        findings.push(Finding::in_text(
            place,
            Severity::Warning,
            "plan.untracked",
            message,
        ));
    }
    if outline.tasks().next().is_none() && outline.untracked.is_empty() {
        let message = "the plan has no tasks; write one as: - [ ] TEXT <!-- TASK: ID -->";
        let place = (name(0), 1);
        findings.push(Finding::in_text(
            place,
            Severity::Warning,
            "plan.no-tasks",
            message,
        ));
    }
    findings
}

/// Problems found in the state of a plan.
#[must_use]
pub fn judge_state(document: &Document) -> Vec<Finding> {
    let mut judge = Judge {
        findings: Findings::default(),
    };
    judge.state(document.root());
    judge.findings.0
}

/// Problems found in the backup of a state.
#[must_use]
pub fn judge_backup(document: &Document) -> Vec<Finding> {
    let mut judge = Judge {
        findings: Findings::default(),
    };
    let root = document.root();
    judge.findings.time(root, "savedAt", "plan.time");
    let members = [
        optional("savedAt", Shape::Text),
        optional("reason", Shape::Text),
    ];
    judge
        .findings
        .members(root, &members, ("plan.member", Severity::Error));
    match root.get("state") {
        Some(state) => judge.state(state),
        None => judge
            .findings
            .error(root, "plan.state", "\"state\" is missing"),
    }
    judge.findings.0
}

struct Judge {
    findings: Findings,
}

impl Judge {
    fn state(&mut self, root: Node<'_>) {
        if root.kind() != Kind::Object {
            return self.findings.error(
                root,
                "plan.state",
                "the state of a plan must be a JSON object",
            );
        }
        match root.get("version") {
            Some(version) if version.as_u64() == Some(VERSION) => {}
            Some(version) => {
                let mut message =
                    format!("\"version\" must be the number 2, not {}", version.raw());
                if let Some(newer) = Newer::than(VERSION, version.raw()) {
                    message += &format!(": {newer}");
                }
                self.findings.error(version, "plan.version", message);
            }
            None => {
                self.findings
                    .error(root, "plan.version", "\"version\" is missing: it must be 2");
            }
        }
        self.expect(root, &EXPECTED);
        self.findings
            .members(root, STATE, ("plan.member", Severity::Error));
        self.findings.time(root, "lastCheckpoint", "plan.time");
        let (mut done, mut total) = (0, 0);
        let phases = root.get("phases").map(Node::members).unwrap_or_default();
        for (_, phase) in &phases {
            let (phase_done, phase_total) = self.phase(*phase);
            done += phase_done;
            total += phase_total;
        }
        if let Some(progress) = root.get("progress") {
            let members = ["totalTasks", "completedTasks", "percentage"];
            self.expect(progress, &members);
        }
        if let Some(progress) = root.get("progress").filter(|_| !phases.is_empty()) {
            let says = |name: &str| progress.get(name).and_then(Node::as_u64);
            if says("completedTasks") != Some(done) || says("totalTasks") != Some(total) {
                let message = format!(
                    "\"progress\" is wrong: {done} of {total} tasks are done in the phases"
                );
                self.findings.warning(progress, "plan.progress", message);
            }
        }
        let agents = root.get("agents").map(Node::members).unwrap_or_default();
        for (_, agent) in agents {
            let members = ["type", "assignedTasks", "completedTasks", "lastActive"];
            self.expect(agent, &members);
            self.findings.time(agent, "lastActive", "plan.time");
        }
        let decisions = root.get("decisions").into_iter().flat_map(Node::items);
        for decision in decisions {
            self.expect(decision, &["time", "decision"]);
            self.findings.time(decision, "time", "plan.time");
        }
    }

    /// Checks a phase; returns how many tasks are done, and how many there are.
    fn phase(&mut self, phase: Node<'_>) -> (u64, u64) {
        self.expect(phase, &["tasks", "acceptance"]);
        self.findings.time(phase, "startedAt", "plan.time");
        self.findings.time(phase, "completedAt", "plan.time");
        let (mut done, mut total) = (0, 0);
        for (_, task) in phase.get("tasks").map(Node::members).unwrap_or_default() {
            total += 1;
            self.expect(task, &["done"]);
            done += u64::from(task.get("done").and_then(Node::as_bool) == Some(true));
            self.findings.time(task, "completedAt", "plan.time");
        }
        let acceptance = phase.get("acceptance").map(Node::members);
        for (_, criterion) in acceptance.unwrap_or_default() {
            self.expect(criterion, &["met"]);
            self.findings.time(criterion, "verifiedAt", "plan.time");
        }
        (done, total)
    }

    /// Reports members that are missing and that readers can do without.
    fn expect(&mut self, node: Node<'_>, names: &[&str]) {
        if node.kind() != Kind::Object {
            return;
        }
        for name in names.iter().filter(|name| node.get(name).is_none()) {
            let message = format!("\"{name}\" is missing");
            self.findings.warning(node, "plan.missing", message);
        }
    }
}
