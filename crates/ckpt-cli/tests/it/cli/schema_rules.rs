//! Generated documents: what a schema rejects, the rules find, and the other way round.

use ckpt::handoff::{self, Terms};
use ckpt::tokens::Limit;
use ckpt::{Document, Finding, command, pipeline, plan};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::random::Random;
use crate::support::schema::schema;

/// How many documents of each kind are generated.
const DOCUMENTS: usize = 3_000;

/// Rules about what a schema cannot say: the meaning of members, and members that readers can do without.
const BEYOND_SCHEMAS: &[&str] = &[
    "command.missing",
    "command.name",
    "command.null-gate",
    "command.phase-listed-twice",
    "command.repeated-member",
    "command.summary-limit",
    "command.time",
    "handoff.legacy-name",
    "handoff.previous-summary-limit",
    "handoff.summary-limit",
    "pipeline.artifacts",
    "pipeline.complete-pending",
    "pipeline.error-required",
    "pipeline.error-text",
    "pipeline.error-unexpected",
    "pipeline.id",
    "pipeline.in-progress",
    "pipeline.map",
    "pipeline.missing",
    "pipeline.nothing-in-progress",
    "pipeline.overlap",
    "pipeline.override-reason",
    "pipeline.repeated",
    "pipeline.status-alias",
    "pipeline.time",
    "plan.missing",
    "plan.progress",
    "plan.time",
];

/// Every pointer into a value, and the value itself.
fn pointers(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut below = |name: String, child: &Value| {
        found.extend(
            pointers(child)
                .into_iter()
                .map(|rest| format!("/{name}{rest}")),
        );
    };
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(name, child)| below(name.replace('~', "~0").replace('/', "~1"), child)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(at, child)| below(at.to_string(), child)),
        _ => {}
    }
    found
}

/// Replaces or removes something, anywhere.
fn mutated(whole: &Value, random: &mut Random) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(3),
        json!(-1),
        json!(1.5),
        json!(1.0),
        json!(""),
        json!("x"),
        json!("failed"),
        json!("2026-01-29T10:30:00.000Z"),
        json!([]),
        json!([7]),
        json!(["a"]),
        json!([{"id": "a"}]),
        json!({}),
        json!({"a": 1}),
        json!({"a": {}}),
        json!({"message": "m"}),
    ];
    let mut document = whole.clone();
    for _ in 0..=random.below(2) {
        let all = pointers(&document);
        let pointer = &all[random.below(all.len() as u64) as usize];
        let (holder, name) = pointer.rsplit_once('/').unwrap_or(("", ""));
        let name = name.replace("~1", "/").replace("~0", "~");
        match document.pointer_mut(holder) {
            Some(Value::Object(members)) if random.below(4) == 0 => drop(members.remove(&name)),
            _ => {
                let value = &values[random.below(values.len() as u64) as usize];
                *document.pointer_mut(pointer).unwrap() = value.clone();
            }
        }
    }
    document
}

/// Compares a schema with rules over many documents like these.
fn compare(kind: &str, wholes: &[Value], judge: impl Fn(&Document) -> Vec<Finding>) {
    let validator: Validator = jsonschema::draft202012::new(&schema(kind)).unwrap();
    let mut random = Random::seeded();
    let mut rejected = 0;
    for number in 0..DOCUMENTS {
        let whole = &wholes[number % wholes.len()];
        let instance = match number < wholes.len() {
            true => whole.clone(),
            false => mutated(whole, &mut random),
        };
        let document = Document::parse(instance.to_string()).unwrap();
        let findings = judge(&document);
        let shapes: Vec<&Finding> = findings
            .iter()
            .filter(|finding| !BEYOND_SCHEMAS.contains(&finding.rule))
            .collect();
        let problems: Vec<String> = validator
            .iter_errors(&instance)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(
            problems.is_empty(),
            shapes.is_empty(),
            "{kind} {instance}\nschema: {problems:#?}\nrules: {shapes:#?}"
        );
        assert!(
            number >= wholes.len() || problems.is_empty(),
            "{problems:?}"
        );
        rejected += usize::from(!problems.is_empty());
    }
    assert!(rejected > DOCUMENTS / 3, "only {rejected} were wrong");
    assert!(rejected < DOCUMENTS * 9 / 10, "{rejected} were wrong");
}

fn receipt() -> Value {
    json!({
        "kind": "run", "result": "passed", "command": "true", "started_at": "2026-01-29T10:30:00.000Z",
        "duration_ms": 3, "exit_code": 0, "ending": "exit code 0", "head_commit": "abc", "content": "def",
        "output_bytes": 4, "output_digest": "d", "output_tail": "ok", "by": "main",
    })
}

fn recorded_handoff() -> Value {
    json!({
        "phase": "write", "status": "complete", "decision": "PROCEED", "context_summary": "s", "issues": ["i"],
        "tokens_used": 7, "at": "2026-01-29T10:30:00.000Z", "by": "main", "answeredAt": "2026-01-29T10:30:00.000Z",
        "answer": "a",
    })
}

fn agents() -> Value {
    json!({"a1": {
        "type": "x", "assignedTasks": ["a"], "completedTasks": ["b"], "lastActive": "2026-01-29T10:30:00.000Z",
        "session": "s", "startedAt": "2026-01-29T10:30:00.000Z", "endedAt": "2026-01-29T10:30:00.000Z",
        "claimedTasks": ["a"], "asked": "t", "died": true, "files": ["f"], "handoff": {"x": 1}, "lastWords": "w",
    }})
}

#[test]
fn command_checkpoints() {
    let time = "2026-01-29T10:30:00.000Z";
    let whole = json!({
        "command": "ship", "feature": "f", "version": 1, "head_commit": "abc", "started_at": time, "updated_at": time,
        "completed_at": time, "abandoned_at": time, "abandon_reason": "r",
        "state": {
            "current_phase": "b", "completed_phases": ["a"], "pending_phases": ["c"], "current_task": "T2",
            "context_summary": "s",
        },
        "phases": {
            "a": {
                "status": "complete", "started_at": time, "updated_at": time, "context_summary": "s",
                "files_created": ["x"], "files_modified": ["y"], "handoffs": {"t": recorded_handoff()},
            },
            "b": {"status": "failed", "error": "e"},
        },
        "gate": {
            "ship_allowed": true, "blockers": ["b"], "head_commit": "abc", "content": "def", "untracked": ["u"], "set_at": time,
            "approved_by": "person",
            "override": {"reason": "r", "by": "main", "at": time, "head_commit": "abc", "content": "d", "approved_by": "person"},
        },
        "receipts": {"lint": receipt()}, "agents": agents(),
    });
    compare("command", &[whole], |document| {
        command::judge(document, Limit::default())
    });
}

#[test]
fn pipelines() {
    let time = "2026-01-29T10:30:00.000Z";
    let whole = json!({
        "prd": "PRD-009", "prd_title": "t", "current_phase": 1, "status": "failed", "completed_workstreams": ["WS1"],
        "in_progress_workstreams": [], "pending_workstreams": ["WS2"],
        "dormant_workstreams": [{"id": "WS3", "reason": "r"}], "artifacts": {"WS1": ["f"]},
        "gates_passed": ["lint (WS1)"], "gates_pending": ["lint (WS2)"], "timestamp": time,
        "error": {"workstream": "WS2", "message": "m", "file": "f", "line": 3},
        "adversarial_review": {
            "verdict": "overridden", "p0_count": 1, "p1_count": 0, "attempt": 2, "findings_path": "p",
            "override_reason": "r",
        },
        "execution_spec": {"path": "p", "hash": "h", "interrupted": ["WS2"]},
        "eslint_fixes": [{"file": "f", "change": "c"}], "key_fixes": [{"file": "f", "change": "c"}],
        "cleanup_done": ["c"], "receipts": {"lint (WS1)": receipt()}, "handoffs": {"WS1": recorded_handoff()},
        "agents": agents(),
    });
    let dialect = json!({
        "prd_id": "PRD-1", "status": "COMPLETED", "artifacts": ["x"], "gates_passed": {"lint": true},
        "failed_workstreams": ["A"], "deferred_workstreams": {"B": 1}, "skipped_workstreams": [{"name": "C"}],
        "error": "words", "execution_spec": "docs/x.md",
    });
    compare("pipeline", &[whole, dialect], |document| {
        pipeline::judge(document, None)
    });
}

fn plan_state() -> Value {
    let time = "2026-01-29T10:30:00.000Z";
    json!({
        "version": 2, "planId": "260220-1149-x", "planPath": "/p", "lastCheckpoint": time, "checksum": "sha256:ab",
        "progress": {"totalTasks": 2, "completedTasks": 1, "percentage": 50},
        "phases": {"one": {
            "status": "in_progress", "startedAt": time, "completedAt": time,
            "tasks": {"a": {"done": true, "completedAt": time, "completedBy": "main"}, "b": {"done": false}},
            "acceptance": {"c": {"met": true, "verifiedAt": time}},
        }},
        "currentPhase": "one", "currentTask": "b", "blockers": ["x"],
        "decisions": [{"time": time, "decision": "d", "reason": "r", "by": "main"}], "sessionNotes": "n",
        "agents": agents(), "phaseFiles": {"phase-01-x.md": "sha256:cd"}, "receipts": {"lint": receipt()},
    })
}

#[test]
fn plan_states() {
    compare("plan-state", &[plan_state()], plan::judge_state);
}

#[test]
fn backups_of_plans() {
    let whole = json!({"savedAt": "2026-01-29T10:30:00.000Z", "reason": "r", "rev": "1", "state": plan_state()});
    compare("recovery", &[whole], plan::judge_backup);
}

#[test]
fn handoffs() {
    let request = json!({
        "task_id": "T", "phase": "write", "mode": "code",
        "context": {
            "feature": "f", "spec_path": "p", "relevant_files": ["a"], "constraints": ["c"], "previous_summary": "s",
        },
        "instructions": "i", "expected_output": "files_changed",
    });
    let findings = [
        (
            "research",
            json!({
                "existing_implementations": [{"file": "f", "description": "d", "relevance": 1}],
                "conflicts": [{"type": "t", "description": "d", "severity": "high"}],
                "patterns_found": [{"file": "f", "pattern": "p", "recommendation": "r"}], "recommendations": ["r"],
            }),
        ),
        (
            "write",
            json!({
                "files_created": [{"path": "a", "purpose": "p"}], "files_modified": [{"path": "a", "changes": ["c"]}],
                "tests_written": [{"path": "a", "test_count": 2, "coverage_areas": ["x"]}],
                "implementation_notes": ["n"],
            }),
        ),
        (
            "validate",
            json!({
                "checks": {"types": true}, "overall_passed": true, "blocking_issues": [], "warnings": ["w"],
            }),
        ),
        (
            "parallel",
            json!({
                "results": [{}],
                "aggregation": {"total": 2, "passed": 1, "failed": 1, "rule": "all", "overall_passed": false},
            }),
        ),
    ];
    let responses: Vec<Value> = findings
        .into_iter()
        .map(|(phase, findings)| json!({
            "task_id": "T", "phase": phase, "status": "complete", "decision": "PROCEED", "findings": findings,
            "context_summary": "s", "tokens_used": 3, "issues": ["i"],
        }))
        .collect();
    for (kind, wholes) in [
        (handoff::Kind::Request, vec![request]),
        (handoff::Kind::Response, responses),
    ] {
        let terms = Terms {
            kind: Some(kind),
            ..Terms::default()
        };
        compare(&format!("handoff-{kind}"), &wholes, |document| {
            handoff::judge(document, &terms)
        });
    }
}
