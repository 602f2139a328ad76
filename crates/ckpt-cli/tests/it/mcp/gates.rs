//! Gates that run for a while: their progress is told, and they can be cancelled.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::environment::Environment;
use crate::support::mcp::Client;

#[test]
fn what_a_gate_prints_is_told_as_progress() {
    let environment = Environment::started_with("build");
    let mut client = Client::new(&environment);
    let command = "echo one; sleep 0.3; echo two; exit 1";
    let id = client.ask(
        "tools/call",
        &json!({
            "name": "gate",
            "arguments": { "action": "run", "key": "implement/auth", "gate": "tests", "command": command },
            "_meta": { "progressToken": "t1" },
        }),
    );
    let first = client.told("notifications/progress");
    assert_eq!(
        (&first["progressToken"], &first["message"]),
        (&json!("t1"), &json!("one"))
    );
    let second = client.told("notifications/progress");
    assert_eq!(second["message"], "two");
    assert!(second["progress"].as_f64() > first["progress"].as_f64());
    let ran = client.answer(id).unwrap()["structuredContent"].take();
    assert_eq!(ran["passes"], false);
    assert_eq!(ran["output"], "one\ntwo\n");
    assert_eq!(ran["reasons"], json!(["exit code 1"]));
}

/// A client that runs a gate which would sleep for long, in a child of its own.
struct Sleeping {
    client: Client,
    /// The request.
    id: u64,
    /// A file that only the end of the sleep writes.
    over: String,
}

impl Sleeping {
    fn begin(environment: &Environment) -> Self {
        let mut client = Client::new(environment);
        let path = |name: &str| environment.base().join(name);
        let (begun, over) = (path("begun"), path("over").display().to_string());
        let command = format!(
            "(sleep 60; echo > {over}) & echo > {}; wait",
            begun.display()
        );
        let id = client.ask(
            "tools/call",
            &json!({
                "name": "gate",
                "arguments": { "action": "run", "key": "implement/auth", "gate": "tests", "command": command },
            }),
        );
        let deadline = Instant::now() + PATIENCE;
        while !begun.exists() {
            assert!(Instant::now() < deadline);
            std::thread::sleep(Duration::from_millis(10));
        }
        Self { client, id, over }
    }
}

/// How long anything may take on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

fn assert_interrupted(environment: &Environment, over: &str) {
    let checked = environment
        .ckpt(&["gate", "check", "implement/auth", "--json"])
        .json();
    assert_eq!(checked["gates"][0]["proof"], "interrupted", "{checked}");
    let found = std::process::Command::new("pgrep")
        .args(["-f", over])
        .output();
    if let Ok(found) = found {
        assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    }
}

#[test]
fn a_gate_ends_with_its_client() {
    let environment = Environment::started_with("build");
    let Sleeping { client, over, .. } = Sleeping::begin(&environment);
    assert_eq!(client.leave(), Some(0));
    assert_interrupted(&environment, &over);
}

#[test]
fn a_gate_ends_with_its_server() {
    let environment = Environment::started_with("build");
    let Sleeping {
        mut client, over, ..
    } = Sleeping::begin(&environment);
    client.end();
    assert_interrupted(&environment, &over);
}

#[test]
fn a_gate_that_is_cancelled_ends_with_all_that_it_started() {
    let environment = Environment::started_with("build");
    let Sleeping {
        mut client,
        id,
        over,
    } = Sleeping::begin(&environment);
    client.notify("notifications/cancelled", &json!({ "requestId": id }));
    // The receipt says so as soon as nothing runs any more.
    let deadline = Instant::now() + PATIENCE;
    let check = json!({ "action": "check", "key": "implement/auth" });
    while client.done("gate", &check)["gates"] != json!(["tests: interrupted"]) {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_interrupted(&environment, &over);
    assert_eq!(client.leave(), Some(0));
}
