//! Pipelines: repositories that have one, and ways to look at it.

use serde_json::{Value, json};

use crate::support::environment::{Environment, Run};

pub(crate) const FILE: &str = ".claude/skills/build-pipeline/checkpoints/PRD-009.json";

pub(crate) const SPEC: &str = "\
---
prd: PRD-009
prd_title: Cashier Workflows
workstreams:
  WS1: { name: Database Layer }
  WS2: { name: Service Layer, executor: backend, depends_on: [WS1] }
  WS3: { name: Route Handlers, depends_on: [WS1] }
  WS4: { name: Hooks, depends_on: [WS2, WS3] }
execution_phases:
  - { name: Data, parallel: [WS1], gates: [schema-validation] }
  - { name: Services, parallel: [WS2, WS3], gates: [type-check] }
  - { name: UI, parallel: [WS4] }
gates:
  schema-validation: { command: 'true' }
  type-check: { command: 'true' }
---
# Cashier
";

/// A repository with this specification.
pub(crate) fn specified(spec: &str) -> Environment {
    let environment = Environment::new();
    environment.write("docs/SPEC.md", spec);
    environment
}

/// A pipeline of four workstreams that was just initialized.
pub(crate) fn initialized() -> Environment {
    let environment = specified(SPEC);
    environment
        .ckpt(&["pipeline", "init", "docs/SPEC.md"])
        .exits(0);
    environment
}

/// A pipeline with these members in its specification, committed and initialized.
pub(crate) fn begun(spec: &str) -> Environment {
    let environment = Environment::new();
    environment.write("docs/SPEC.md", format!("---\nprd: PRD-009\n{spec}---\n"));
    environment.write("a.txt", "a\n");
    environment.git(&["add", "--all"]);
    environment.git(&["commit", "--quiet", "--message", "Start"]);
    environment
        .ckpt(&["pipeline", "init", "docs/SPEC.md"])
        .exits(0);
    environment
}

/// A checkpoint of a pipeline in progress, with these members.
pub(crate) fn with_members(members: &Value) -> Environment {
    let environment = Environment::new();
    let mut all = json!({
        "prd": "PRD-009", "status": "in_progress", "completed_workstreams": [],
        "in_progress_workstreams": ["WS1"], "pending_workstreams": ["WS2"],
        "gates_passed": [], "gates_pending": [], "timestamp": "2026-01-29T10:30:00.000Z",
    });
    let all = all.as_object_mut().unwrap();
    all.extend(members.as_object().unwrap().clone());
    environment.write(FILE, serde_json::to_string_pretty(all).unwrap());
    environment
}

/// A pipeline with one workstream done, and the gate `tested` with this command.
pub(crate) fn with_gate(command: &str) -> Environment {
    let environment = Environment::new();
    let spec = format!(
        "---\nprd: PRD-009\nworkstreams:\n  WS1: {{ outputs: [src/a.txt, 'src/b c.txt (NEW)'], gate: tested }}\ngates:\n  tested:\n    commands:\n      - {}\n---\n",
        serde_json::to_string(command).unwrap()
    );
    environment.write("docs/SPEC.md", &spec);
    environment.write("src/a.txt", "a\n");
    environment.git(&["add", "--all"]);
    environment.git(&["commit", "--quiet", "--message", "Start"]);
    for arguments in [
        &["init", "docs/SPEC.md"][..],
        &["start", "PRD-009", "WS1"],
        &["done", "PRD-009", "WS1"],
    ] {
        let mut all = vec!["pipeline"];
        all.extend(arguments);
        environment.ckpt(&all).exits(0);
    }
    environment
}

/// Runs `ckpt pipeline`.
pub(crate) fn pipeline(environment: &Environment, arguments: &[&str]) -> Run {
    let mut all = vec!["pipeline"];
    all.extend(arguments);
    environment.ckpt(&all)
}

/// Runs `ckpt pipeline`, which must succeed.
pub(crate) fn does(environment: &Environment, arguments: &[&str]) {
    let mut all = vec!["pipeline"];
    all.extend(arguments);
    environment.ckpt(&all).exits(0);
}

/// Runs `ckpt pipeline gate`.
pub(crate) fn gate(environment: &Environment, arguments: &[&str]) -> Run {
    let mut all = vec!["pipeline", "gate"];
    all.extend(arguments);
    environment.ckpt(&all)
}

/// The checkpoint of the pipeline.
pub(crate) fn stored(environment: &Environment) -> Value {
    serde_json::from_str(&environment.read(FILE)).unwrap()
}

/// The receipt of the gate of [`with_gate`].
pub(crate) fn receipt(environment: &Environment) -> Value {
    stored(environment)["receipts"]["tested (WS1)"].clone()
}

/// What is known of the first gate.
pub(crate) fn proof(environment: &Environment) -> String {
    let report = pipeline(environment, &["gate", "check", "PRD-009", "--json"]).json();
    report["gates"][0]["proof"].as_str().unwrap().to_owned()
}

/// How `ckpt pipeline gate check` ends, and what it says of the first gate.
pub(crate) fn checked(environment: &Environment) -> (Option<i32>, String) {
    let run = gate(environment, &["check", "PRD-009", "--json"]);
    let report = run.json();
    (
        run.code,
        report["gates"][0]["proof"].as_str().unwrap().to_owned(),
    )
}

/// Asserts that this proof is shown wherever the pipeline is, in the brief with these words.
pub(crate) fn assert_proof_is_shown(environment: &Environment, sign: &str, word: &str, told: &str) {
    for (arguments, expected) in [
        (&["status"][..], format!("gates: 1 {word}\n")),
        (&["resume"], told.to_owned()),
        (
            &["pipeline", "show"],
            format!("  {sign} gate tested (WS1): {word}\n"),
        ),
    ] {
        let run = environment.ckpt(arguments).exits(0);
        assert!(run.stdout.contains(&expected), "{expected:?}: {run}");
    }
    for (arguments, pointer) in [
        (["list", "--json"], "/checkpoints/0/gates/0/proof"),
        (
            ["status", "--json"],
            "/worktrees/0/checkpoints/0/gates/0/proof",
        ),
        (["resume", "--json"], "/in_flight/0/gates/0/proof"),
    ] {
        let report = environment.ckpt(&arguments).exits(0).json();
        let found = report.pointer(pointer).and_then(|found| found.as_str());
        // A list compares no content, and says so.
        let expected = match (arguments[0], word) {
            ("list", "proven") => "not_checked",
            _ => word,
        };
        assert_eq!(found, Some(expected), "{arguments:?}: {report}");
    }
}
