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

/// A client that runs a gate which would sleep for long, and a file that only the end of that sleep writes.
fn sleeping(environment: &Environment) -> (Client, String) {
    let mut client = Client::new(environment);
    let (begun, over) = (
        environment.base().join("begun"),
        environment.base().join("over"),
    );
    let command = format!(
        "echo > {}; sleep 60; echo > {}",
        begun.display(),
        over.display()
    );
    client.ask(
        "tools/call",
        &json!({
            "name": "gate",
            "arguments": { "action": "run", "key": "implement/auth", "gate": "tests", "command": command },
        }),
    );
    let deadline = Instant::now() + Duration::from_secs(60);
    while !begun.exists() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    (client, over.display().to_string())
}

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
    let (client, over) = sleeping(&environment);
    assert_eq!(client.leave(), Some(0));
    assert_interrupted(&environment, &over);
}

#[test]
fn a_gate_ends_with_its_server() {
    let environment = Environment::started_with("build");
    let (mut client, over) = sleeping(&environment);
    client.end();
    assert_interrupted(&environment, &over);
}

#[test]
fn a_gate_that_is_cancelled_ends_with_all_that_it_started() {
    let environment = Environment::started_with("build");
    let mut client = Client::new(&environment);
    let (begun, over) = (
        environment.base().join("begun"),
        environment.base().join("over"),
    );
    let command = format!(
        "(sleep 60; echo late > {}) & echo begun > {}; wait",
        over.display(),
        begun.display()
    );
    let id = client.ask(
        "tools/call",
        &json!({
            "name": "gate",
            "arguments": { "action": "run", "key": "implement/auth", "gate": "tests", "command": command },
        }),
    );
    let deadline = Instant::now() + Duration::from_secs(60);
    while !begun.exists() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    client.notify("notifications/cancelled", &json!({ "requestId": id }));
    // The receipt says so as soon as nothing runs any more.
    loop {
        let checked = client.done(
            "gate",
            &json!({ "action": "check", "key": "implement/auth" }),
        );
        if checked["gates"] == json!(["tests: interrupted"]) {
            break;
        }
        assert!(Instant::now() < deadline, "{checked}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let sleeping = std::process::Command::new("pgrep")
        .args(["-f", over.to_str().unwrap()])
        .output();
    if let Ok(sleeping) = sleeping {
        assert_eq!(String::from_utf8_lossy(&sleeping.stdout), "");
    }
    assert_eq!(client.leave(), Some(0));
}
