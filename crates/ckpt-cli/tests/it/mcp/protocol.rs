//! Both eras of the protocol, and everything that is no tool.

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment};
use crate::support::mcp::Client;

/// What every request of the newer era carries.
fn modern(mut parameters: Value) -> Value {
    parameters["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    parameters
}

#[test]
fn a_client_of_the_newer_era_is_answered_without_a_greeting() {
    let environment = Environment::started_with("build");
    let mut client = Client::without_greeting(environment.command(CKPT).arg("mcp"), None);
    let found = client
        .request("server/discover", &modern(json!({})))
        .unwrap();
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    assert!(versions.contains(&json!("2025-11-25")), "{found}");
    let listed = client.request("tools/list", &modern(json!({}))).unwrap();
    assert_eq!(listed["tools"].as_array().unwrap().len(), 10);
    assert_eq!(listed["resultType"], "complete");
    let call = json!({ "name": "resume", "arguments": {} });
    let called = client.request("tools/call", &modern(call)).unwrap();
    assert_eq!(
        called["structuredContent"]["next"],
        "Start phase build of implement/auth."
    );
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn resources_are_the_brief_the_status_and_each_checkpoint() {
    let environment = Environment::started_with("build");
    let mut client = Client::new(&environment);
    let listed = client.request("resources/list", &json!({})).unwrap();
    let uris: Vec<&str> = listed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        uris,
        [
            "ckpt://resume",
            "ckpt://status",
            "ckpt://command/implement/auth"
        ]
    );
    let mut read = |uri: &str| {
        let read = client.request("resources/read", &json!({ "uri": uri }));
        read.map(|mut read| read["contents"][0].take())
    };
    for uri in uris
        .iter()
        .chain(&["ckpt://implement/auth", "ckpt://implement%2Fauth"])
    {
        let content = read(uri).unwrap();
        let text = content["text"].as_str().unwrap();
        assert!(text.contains("implement/auth"), "{uri}: {text}");
        assert_eq!(content["uri"], *uri);
    }
    for (uri, reason) in [
        ("ckpt://implement/nothing", "there is no checkpoint"),
        ("ckpt://../../etc/passwd", "must contain valid characters"),
        ("file:///etc/passwd", "is not a resource of ckpt"),
    ] {
        let error = read(uri).unwrap_err();
        assert_eq!(error["code"], -32002, "{uri}: {error}");
        assert!(
            error["message"].as_str().unwrap().contains(reason),
            "{uri}: {error}"
        );
    }
}

#[test]
fn prompts_are_resume_and_the_seven_commands() {
    let environment = Environment::new();
    let mut client = Client::new(&environment);
    let listed = client.request("prompts/list", &json!({})).unwrap();
    let names: Vec<&str> = listed["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap())
        .collect();
    let commands = [
        "start",
        "design",
        "reconcile",
        "research",
        "implement",
        "ship",
        "review",
    ];
    assert_eq!(names, [&["resume"], &commands[..]].concat());
    for name in names {
        let asked = json!({ "name": name, "arguments": { "arguments": "auth --resume" } });
        let got = client.request("prompts/get", &asked).unwrap();
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(
            text.contains("The user typed: auth --resume"),
            "{name}: {text}"
        );
        assert!(text.contains("ckpt "), "{name}: {text}");
    }
    let error = client.request("prompts/get", &json!({ "name": "nothing" }));
    assert_eq!(error.unwrap_err()["code"], -32602);
}

#[test]
fn an_unknown_tool_is_an_error_of_the_protocol() {
    let environment = Environment::new();
    let mut client = Client::new(&environment);
    let error = client.request("tools/call", &json!({ "name": "nothing" }));
    assert_eq!(error.unwrap_err()["code"], -32602);
}

#[test]
fn the_server_ends_with_its_client() {
    let environment = Environment::new();
    assert_eq!(Client::new(&environment).leave(), Some(0));
}
