//! Tools do what the commands of the same name do, and answer as they say.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::mcp::Client;

const PLAN: &str = "plans/260220-1149-login/plan.md";

fn planned() -> Environment {
    let environment = Environment::new();
    environment.write(
        PLAN,
        "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n- [ ] Schema <!-- TASK: schema -->\n- [ ] Roles <!-- TASK: roles -->\n",
    );
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment
}

/// A client that compares each structured result with what its tool says about it.
struct Strict {
    client: Client,
    schemas: HashMap<String, Value>,
}

impl Strict {
    fn new(environment: &Environment) -> Self {
        let mut client = Client::new(environment);
        let listed = client.request("tools/list", &json!({})).unwrap();
        let tools = listed["tools"].as_array().unwrap().iter();
        let schemas = tools.map(|tool| {
            let name = tool["name"].as_str().unwrap().to_owned();
            (name, tool["outputSchema"].clone())
        });
        Self {
            schemas: schemas.collect(),
            client,
        }
    }

    fn done(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.client.done(tool, arguments);
        let schema = jsonschema::validator_for(&self.schemas[tool]).unwrap();
        let wrong: Vec<String> = schema
            .iter_errors(&result)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(wrong, [""; 0], "{tool} {arguments}: {result}");
        result
    }
}

#[test]
fn every_tool_answers_as_its_schema_says() {
    let environment = planned();
    let mut client = Strict::new(&environment);
    let started = client.done(
        "start",
        &json!({ "command": "implement", "feature": "auth", "phases": ["build", "test"] }),
    );
    assert_eq!(started["total"], 2);
    let build = json!({ "key": "implement/auth", "phase": "build", "status": "complete", "summary": "Built.", "created": ["a.rs"] });
    let built = client.done("phase", &build);
    assert_eq!(built["next"], "Start phase test of implement/auth.");
    assert_eq!(
        built["record_with"],
        "ckpt phase implement/auth test complete --summary SUMMARY"
    );
    let document = environment.document("implement-auth");
    assert_eq!(document["phases"]["build"]["context_summary"], "Built.");

    assert!(
        client.done("resume", &json!({}))["brief"]
            .as_str()
            .unwrap()
            .contains("NEXT")
    );
    let about = client.done("resume", &json!({ "key": "implement/auth" }));
    assert_eq!(about["next"], "Start phase test of implement/auth.");
    let status = client.done("status", &json!({ "all": true }));
    assert_eq!(status["checkpoints"].as_array().unwrap().len(), 2);
    let log = client.done("log", &json!({ "key": "implement/auth", "limit": 1 }));
    assert_eq!(log["entries"][0]["event"], "phase_updated");
    assert_eq!(log["entries"][0]["details"]["phase"], "build");

    let next = client.done("plan", &json!({ "action": "next" }));
    assert_eq!(next["open"], json!(["schema: Schema", "roles: Roles"]));
    client.done(
        "plan",
        &json!({ "action": "claim", "tasks": ["roles"], "by": "team:a" }),
    );
    client.done(
        "plan",
        &json!({ "action": "release", "tasks": ["roles"], "by": "team:a" }),
    );
    for (action, text) in [
        ("note", "Roles come from the old table"),
        ("block", "roles: no access yet"),
        ("unblock", "no access"),
    ] {
        client.done("plan", &json!({ "action": action, "text": text }));
    }
    client.done(
        "plan",
        &json!({ "action": "decide", "text": "SQLite", "reason": "one writer" }),
    );
    let done = client.done(
        "plan",
        &json!({ "action": "done", "tasks": ["schema", "roles"] }),
    );
    assert_eq!((&done["done"], &done["total"]), (&json!(2), &json!(2)));
    let undone = client.done("plan", &json!({ "action": "undo", "tasks": ["roles"] }));
    assert_eq!(undone["done"], 1);
    assert!(environment.read(PLAN).contains("- [x] Schema"));
    assert!(environment.read(PLAN).contains("- [ ] Roles"));

    let request = client.done(
        "handoff",
        &json!({
            "action": "new", "key": "implement/auth", "task": "T7", "phase": "write", "mode": "code",
            "instructions": "Add logout.", "files": ["a.rs"], "constraints": ["no new table"],
        }),
    );
    let text = request["request"].to_string();
    let checked = client.done("handoff", &json!({ "action": "check", "text": text }));
    assert_eq!(checked["valid"], true);
    let response = json!({
        "task_id": "T7", "phase": "write", "status": "blocked", "decision": "STOP", "findings": {},
        "context_summary": "No way to end a session.", "issues": ["no delete"],
    });
    let text = format!("I could not go on.\n{response}");
    let recorded = client.done(
        "handoff",
        &json!({ "action": "reply", "key": "implement/auth", "text": text }),
    );
    assert!(
        recorded["findings"][0]
            .as_str()
            .unwrap()
            .contains("T7 STOP")
    );

    let checked = client.done(
        "gate",
        &json!({ "action": "check", "key": "implement/auth" }),
    );
    assert_eq!(checked["passes"], false);
    let closed = client.done(
        "close",
        &json!({ "key": "implement/auth", "abandon": "replaced" }),
    );
    assert_eq!(closed["key"], "implement/auth");
}

#[test]
fn a_pipeline_is_taken_through_its_workstreams() {
    let environment = Environment::new();
    environment.write(
        "spec.md",
        "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data, gate: tests }\n  WS2: { name: Pages, depends_on: [WS1] }\n  WS3: { name: Later }\ngates:\n  tests: { command: \"echo fine\" }\n---\n",
    );
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    environment
        .ckpt(&["pipeline", "review", "PRD-001", "ship"])
        .exits(0);
    let mut client = Strict::new(&environment);
    let on = |action: &str, more: Value| {
        let mut arguments = json!({ "action": action, "id": "PRD-001" });
        let (Value::Object(all), Value::Object(more)) = (&mut arguments, more) else {
            unreachable!()
        };
        all.extend(more);
        arguments
    };
    let next = client.done("pipeline", &on("next", json!({})));
    assert_eq!(next["ready"], json!(["WS1", "WS3"]));
    client.done(
        "pipeline",
        &on(
            "defer",
            json!({ "workstreams": ["WS3"], "reason": "later" }),
        ),
    );
    client.done("pipeline", &on("start", json!({ "workstreams": ["WS1"] })));
    client.done(
        "pipeline",
        &on(
            "fail",
            json!({ "workstreams": ["WS1"], "reason": "no disk" }),
        ),
    );
    client.done("pipeline", &on("fixed", json!({})));
    client.done("pipeline", &on("start", json!({ "workstreams": ["WS1"] })));
    client.done(
        "pipeline",
        &on(
            "done",
            json!({ "workstreams": ["WS1"], "artifacts": ["data.sql"] }),
        ),
    );
    let checked = client.done("gate", &json!({ "action": "check", "key": "PRD-001" }));
    assert_eq!(checked["passes"], false);
    let ran = client.done(
        "gate",
        &json!({ "action": "run", "key": "PRD-001", "gate": "tests", "workstream": "WS1" }),
    );
    assert_eq!(
        (&ran["passes"], &ran["output"]),
        (&json!(true), &json!("fine\n"))
    );
    let checked = client.done("gate", &json!({ "action": "check", "key": "PRD-001" }));
    assert_eq!(checked["gates"], json!(["tests (WS1): proven"]));
    let next = client.done("pipeline", &on("next", json!({})));
    assert_eq!(next["ready"], json!(["WS2"]));
}

#[test]
fn an_error_says_what_is_wrong_and_what_to_do() {
    let environment = planned();
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build"])
        .exits(0);
    let mut client = Client::new(&environment);
    let rows = [
        (
            "phase",
            json!({ "key": "implement/auth", "phase": "biuld", "status": "complete" }),
            "implement/auth has no phase biuld. Did you mean build? If it is really new, add --new",
        ),
        (
            "phase",
            json!({ "key": "implement/auth", "phase": "build", "status": "done" }),
            "phase: status: unknown value `done`, expected one of `pending`, `in_progress`, `complete`, `failed`, `skipped`. Nothing was done.",
        ),
        (
            "plan",
            json!({ "action": "done" }),
            "plan: the action done needs \"tasks\". Nothing was done.",
        ),
        (
            "plan",
            json!({ "action": "done", "task": "schema" }),
            "plan: task: unknown field `task`, expected one of `action`, `tasks`, `text`, `reason`, `plan`, `by`. Nothing was done.",
        ),
        (
            "resume",
            json!({ "key": "implement/nothing" }),
            "no checkpoint implement/nothing. List all checkpoints with: ckpt list",
        ),
        (
            "close",
            json!({ "key": "implement/auth" }),
            "implement/auth is not done: phase build is open. Finish or skip them; or complete it anyway with --force",
        ),
    ];
    let before = environment.files();
    for (tool, arguments, message) in rows {
        assert_eq!(
            client.refused(tool, &arguments),
            message,
            "{tool} {arguments}"
        );
    }
    assert_eq!(environment.files(), before);
}

#[test]
fn a_value_is_never_taken_for_an_option() {
    let environment = planned();
    let mut client = Client::new(&environment);
    let noted = "--clear";
    client.done("plan", &json!({ "action": "note", "text": noted }));
    client.done(
        "plan",
        &json!({ "action": "decide", "text": "-x", "reason": "--phase=setup" }),
    );
    let state = environment.read("plans/260220-1149-login/.checkpoint/state.json");
    assert!(state.contains("\"--clear\""), "{state}");
    assert!(state.contains("--phase=setup"), "{state}");
    let message = client.refused("plan", &json!({ "action": "done", "tasks": ["--force"] }));
    assert!(message.contains("--force"), "{message}");
    client.done(
        "phase",
        &json!({ "key": "implement/auth", "phase": "build", "status": "failed", "error": "-", "summary": "-" }),
    );
    let document = environment.document("implement-auth");
    assert_eq!(document["phases"]["build"]["context_summary"], "-");
    assert_eq!(document["phases"]["build"]["error"], "-");
}

#[test]
fn reading_changes_nothing() {
    let environment = Environment::new();
    let before = environment.files();
    let mut client = Client::new(&environment);
    client.done("resume", &json!({}));
    client.done("status", &json!({}));
    client.done("log", &json!({}));
    client.refused("plan", &json!({ "action": "next" }));
    client.request("resources/list", &json!({})).unwrap();
    client
        .request("resources/read", &json!({ "uri": "ckpt://resume" }))
        .unwrap();
    assert_eq!(client.leave(), Some(0));
    assert_eq!(environment.files(), before);
}
