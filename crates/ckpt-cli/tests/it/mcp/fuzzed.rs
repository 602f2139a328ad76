//! Whatever a client sends, the server goes on.

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::mcp::Client;
use crate::support::random::Random;

/// Messages to begin with. However they are damaged, their id is none of the numbers that the client itself counts.
fn messages() -> Vec<String> {
    let message = |method: &str, parameters: Value| {
        json!({ "jsonrpc": "2.0", "id": "theirs", "method": method, "params": parameters })
            .to_string()
    };
    vec![
        message("tools/list", json!({})),
        message("tools/call", json!({ "name": "plan", "arguments": { "action": "next" } })),
        message("tools/call", json!({ "name": "status", "arguments": { "all": true } })),
        message("resources/read", json!({ "uri": "ckpt://implement/auth" })),
        message("resources/subscribe", json!({ "uri": "ckpt://status" })),
        message("prompts/get", json!({ "name": "implement", "arguments": { "arguments": "x" } })),
        message("completion/complete", json!({ "ref": {}, "argument": {} })),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "theirs" } }).to_string(),
        json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }).to_string(),
        "[]".to_owned(),
        "null".to_owned(),
        "{}".to_owned(),
        "\u{feff}{}".to_owned(),
        "[".repeat(5_000),
        format!("{{\"a\":\"{}\"}}", "x".repeat(1_000_000)),
    ]
}

/// A message with a few bytes changed, removed, doubled or swapped for others.
fn damaged(message: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = message.as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.index(bytes.len() + 1);
        match random.below(4) {
            0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            _ => {
                let piece = ["null", "-1", "\"\"", "{", "1e400", "\\u0000", "true"];
                let piece = piece[random.index(piece.len())];
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes.retain(|byte| *byte != b'\n');
    bytes
}

#[test]
fn the_server_survives_whatever_it_is_sent() {
    let environment = Environment::started_with("build");
    let before = environment.document("implement-auth");
    let mut client = Client::new(&environment);
    let mut random = Random::seeded();
    let messages = messages();
    for round in 0..600 {
        let message = &messages[random.index(messages.len())];
        client.send(&damaged(message, &mut random));
        if round % 20 == 0 {
            let status = client.done("status", &json!({}));
            assert_eq!(status["checkpoints"][0]["key"], "command:implement/auth");
        }
    }
    assert_eq!(client.leave(), Some(0));
    assert_eq!(environment.document("implement-auth"), before);
}

#[test]
fn a_request_that_cannot_be_read_is_answered_too() {
    let environment = Environment::started_with("build");
    let mut client = Client::new(&environment);
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let long = "x".repeat(17 * 1024 * 1024);
    for (parameters, code) in [
        (deep, -32700),
        (format!("{{\"a\":\"{long}\"}}"), -32600),
        ("[]".to_owned(), -32602),
        ("{\"_meta\":5}".to_owned(), -32602),
        ("{\"name\":5}".to_owned(), -32602),
        ("{\"name\":\"plan\",\"arguments\":[]}".to_owned(), -32602),
    ] {
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{parameters}}}"
        );
        assert!(client.send(line.as_bytes()));
        let error = client.answer(77).unwrap_err();
        assert_eq!(error["code"], code, "{error}");
    }
    // JavaScript cuts strings in the middle of a character.
    let line = br#"{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{"name":"phase","arguments":{"key":"implement/auth","phase":"build","status":"failed","error":"cut \ud83d"}}}"#;
    assert!(client.send(line));
    client.answer(78).unwrap();
    let document = environment.document("implement-auth");
    assert_eq!(document["phases"]["build"]["error"], "cut \u{fffd}");
}
