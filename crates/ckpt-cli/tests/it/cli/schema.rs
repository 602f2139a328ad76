//! The schemas say what the program reads and writes.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::fixture::Fixture;
use crate::support::schema::{problems, schema};

#[test]
fn every_kind_is_printed_in_every_form() {
    let environment = Environment::without_git();
    for kind in [
        "command",
        "pipeline",
        "plan-state",
        "history",
        "recovery",
        "handoff-request",
        "handoff-response",
        "output",
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
        for (format, ending) in [
            ("json-schema", "schema.json"),
            ("typescript", "d.ts"),
            ("markdown", "md"),
        ] {
            let run = environment
                .ckpt(&["schema", kind, "--format", format])
                .exits(0);
            let file = std::fs::read_to_string(folder.join(format!("{kind}.{ending}"))).unwrap();
            assert_eq!(run.stdout, file, "{kind} {format}");
        }
        let schema = schema(kind);
        assert!(jsonschema::meta::is_valid(&schema), "{kind}");
    }
    environment.ckpt(&["schema", "poem"]).exits(2);
}

#[test]
fn the_document_of_command_checkpoints_has_all_its_parts() {
    let run = Environment::without_git()
        .ckpt(&["schema", "command", "--format", "markdown"])
        .exits(0);
    for part in [
        "export interface UnifiedCheckpoint {",
        "| start | branch, issue-creation | No |",
        "| ship | pre-flight, commit, push | Yes |",
        "| `skipped` |",
        "## Enforcement Rules",
        "## Example",
    ] {
        assert!(run.stdout.contains(part), "{part}: {run}");
    }
    for command in [
        "start",
        "design",
        "reconcile",
        "research",
        "implement",
        "ship",
        "review",
    ] {
        assert!(
            run.stdout.contains(&format!("\n| {command} | ")),
            "{command}"
        );
    }
}

/// What the rules find wrong, the schema rejects, and the other way round. The length of summaries is only for the rules.
#[test]
fn the_schema_of_command_checkpoints_agrees_with_the_rules() {
    let schema = schema("command");
    let environment = Environment::without_git();
    let mut documents: Vec<(String, String)> = Fixture::all()
        .iter()
        .map(|fixture| (fixture.name.clone(), fixture.text.clone()))
        .collect();
    let good = json!({
        "command": "implement", "version": 1,
        "state": {"current_phase": null, "completed_phases": ["a"], "pending_phases": []},
        "phases": {"a": {"status": "complete"}},
    });
    assert_eq!(problems(&schema, &good), Vec::<String>::new());
    for (pointer, broken) in [
        ("/version", json!(2)),
        ("/version", json!("1")),
        ("/state", json!([])),
        ("/state/current_phase", json!(7)),
        ("/state/completed_phases", json!("a")),
        ("/state/pending_phases", json!([1])),
        ("/phases", json!([])),
        ("/phases/a", json!("done")),
        ("/phases/a/status", json!("done")),
    ] {
        let mut document = good.clone();
        *document.pointer_mut(pointer).unwrap() = broken;
        assert!(!problems(&schema, &document).is_empty(), "{document}");
        documents.push((pointer.to_owned(), document.to_string()));
    }
    for (name, text) in documents {
        let text = text.trim_start_matches('\u{feff}').to_owned();
        environment.write("document.json", &text);
        let report = environment
            .ckpt(&["validate", "document.json", "--json"])
            .json();
        let Ok(instance) = serde_json::from_str::<Value>(&text) else {
            // Its numbers are too large for this reader.
            assert_eq!(name, "numbers");
            continue;
        };
        let found = problems(&schema, &instance);
        let findings = report["documents"][0]["findings"].as_array().unwrap();
        let severe = findings
            .iter()
            .filter(|finding| finding["severity"] == "error");
        let severe: Vec<&Value> = severe
            .filter(|finding| finding["rule"] != "command.summary-limit")
            .collect();
        assert_eq!(
            found.is_empty(),
            severe.is_empty(),
            "{name}: {found:?} {severe:?}"
        );
    }
}

#[test]
fn the_schema_of_pipelines_takes_what_is_found_and_what_is_written() {
    let schema = schema("pipeline");
    for good in [
        json!({"status": "in_progress"}),
        json!({"prd_id": "PRD-1", "status": "COMPLETED", "artifacts": ["x"], "gates_passed": {"lint": true}}),
        json!({"prd": "PRD-1", "status": "failed", "error": "words", "dormant_workstreams": [{"id": "C", "more": 1}]}),
        json!({"prd": "PRD-1", "status": "paused", "execution_spec": "docs/x.md", "unknown": [1]}),
    ] {
        assert_eq!(problems(&schema, &good), Vec::<String>::new(), "{good}");
    }
    for broken in [
        json!([]),
        json!({"prd": "PRD-1"}),
        json!({"status": "odd"}),
        json!({"status": "failed", "error": {"file": "a"}}),
        json!({"status": "paused", "completed_workstreams": "WS1"}),
        json!({"status": "paused", "pending_workstreams": [7]}),
        json!({"status": "paused", "adversarial_review": {"verdict": "maybe", "p0_count": 0, "p1_count": 0, "attempt": 1}}),
        json!({"status": "paused", "receipts": {"lint": {"kind": "run", "result": "fine", "by": "x"}}}),
    ] {
        assert!(!problems(&schema, &broken).is_empty(), "{broken}");
    }
    let environment = Environment::new();
    environment.write("s.md", "---\nprd: PRD-009\nworkstreams: { A: { gate: t }, B: {} }\ngates: { t: { command: 'true' } }\n---\n");
    for arguments in [
        &["init", "s.md"][..],
        &["start", "PRD-009", "A", "B"],
        &["gate", "run", "PRD-009", "t", "--for", "A"],
        &["done", "PRD-009", "A", "--artifact", "x.ts"],
        &["note", "PRD-009", "--key-fix", "a: b"],
        &["review", "do_not_ship", "--p0", "1"],
        &[
            "fail",
            "PRD-009",
            "B",
            "--message",
            "m",
            "--file",
            "f",
            "--line",
            "3",
        ],
    ] {
        environment
            .ckpt(&[&["pipeline"], arguments].concat())
            .exits(0);
        let file = environment.read(".claude/skills/build-pipeline/checkpoints/PRD-009.json");
        let written = serde_json::from_str(&file).unwrap();
        assert_eq!(
            problems(&schema, &written),
            Vec::<String>::new(),
            "{arguments:?}"
        );
    }
}

#[test]
fn the_schemas_of_plans_take_what_is_written_and_reject_what_is_broken() {
    let environment = Environment::new();
    let text = "## One\n<!-- CHECKPOINT: one -->\n- [x] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n- [ ] C <!-- ACCEPT: c -->\n<!-- DECISION: D -->\n<!-- BLOCKER: E -->\n";
    environment.write("plans/260220-1149-x/plan.md", text);
    for arguments in [
        &["sync"][..],
        &["claim", "b"],
        &["decide", "Use it", "--reason", "r"],
        &["note", "n"],
        &["done", "b"],
        &["undo", "b"],
        &["done", "b"],
        &["undo", "b"],
    ] {
        environment
            .ckpt(&[&["plan"], arguments, &["--by", "subagent:x"]].concat())
            .exits(0);
    }
    let read = |name: &str| environment.read(&format!("plans/260220-1149-x/.checkpoint/{name}"));
    let state: Value = serde_json::from_str(&read("state.json")).unwrap();
    let (state_schema, recovery_schema) = (schema("plan-state"), schema("recovery"));
    assert_eq!(problems(&state_schema, &state), Vec::<String>::new());
    let recovery: Value = serde_json::from_str(&read("recovery.json")).unwrap();
    assert_eq!(problems(&recovery_schema, &recovery), Vec::<String>::new());
    for (pointer, broken) in [
        ("/version", json!(1)),
        ("/planId", json!(7)),
        ("/phases", json!([])),
        ("/phases/one/status", json!("odd")),
        ("/blockers", json!("x")),
        ("/currentTask", json!(7)),
        ("/agents", json!([])),
        ("/progress", json!(null)),
        ("/phases", json!(null)),
        ("/decisions", json!(null)),
    ] {
        let mut wrong = state.clone();
        *wrong.pointer_mut(pointer).unwrap() = broken;
        assert!(!problems(&state_schema, &wrong).is_empty(), "{pointer}");
        let wrong = json!({"savedAt": "2026-01-29T10:30:00Z", "reason": "x", "state": wrong});
        assert!(!problems(&recovery_schema, &wrong).is_empty(), "{pointer}");
    }
    let schema = schema("history");
    for line in read("history.jsonl").lines() {
        let line = serde_json::from_str(line).unwrap();
        assert_eq!(problems(&schema, &line), Vec::<String>::new(), "{line}");
    }
    for broken in [
        json!({"event": "x"}),
        json!({"ts": 1, "event": "x"}),
        json!({"ts": "t", "event": "x", "rev": "1"}),
    ] {
        assert!(!problems(&schema, &broken).is_empty(), "{broken}");
    }
}

#[test]
fn the_schemas_of_handoffs_agree_with_strict_rules() {
    let environment = Environment::without_git();
    let request = json!({
        "task_id": "T", "phase": "write", "mode": "code",
        "context": {"feature": "f", "relevant_files": ["a"], "previous_summary": null},
        "instructions": "i", "expected_output": "files_changed",
    });
    let response = json!({
        "task_id": "T", "phase": "write", "status": "complete", "decision": "PROCEED",
        "findings": {"files_created": [{"path": "a", "purpose": "p"}]}, "context_summary": "s", "issues": [],
    });
    let mut cases = vec![("request", request.clone()), ("response", response.clone())];
    for (kind, whole, pointer, broken) in [
        ("request", &request, "/task_id", json!("")),
        ("request", &request, "/phase", json!("x")),
        ("request", &request, "/mode", json!(null)),
        ("request", &request, "/context", json!("x")),
        ("request", &request, "/context/feature", json!(1)),
        ("request", &request, "/context/relevant_files", json!([1])),
        ("request", &request, "/context/previous_summary", json!([])),
        ("request", &request, "/expected_output", json!("x")),
        ("response", &response, "/status", json!("done")),
        ("response", &response, "/decision", json!("proceed")),
        ("response", &response, "/findings", json!([])),
        ("response", &response, "/findings/files_created", json!({})),
        (
            "response",
            &response,
            "/findings/files_created/0",
            json!({"path": "a"}),
        ),
        ("response", &response, "/context_summary", json!(null)),
        ("response", &response, "/issues", json!("x")),
    ] {
        let mut wrong = whole.clone();
        *wrong.pointer_mut(pointer).unwrap() = broken;
        cases.push((kind, wrong));
    }
    for (kind, instance) in cases {
        let found = problems(&schema(&format!("handoff-{kind}")), &instance);
        let arguments = ["handoff", "check", "--strict", "--enforce", "--kind", kind];
        let judged = environment.ckpt_reading(instance.to_string(), &arguments);
        assert_eq!(
            found.is_empty(),
            judged.code == Some(0),
            "{instance}: {found:?} {judged}"
        );
    }
}
