//! A change on disk reaches whoever has subscribed to it, whoever made it.

use std::fs;

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment};
use crate::support::mcp::Client;

const UPDATED: &str = "notifications/resources/updated";
const PLAN: &str = "plans/260220-1149-login/plan.md";
const TEXT: &str = "<!-- CHECKPOINT: a -->\n- [ ] One <!-- TASK: one -->\n";

fn subscribe(client: &mut Client, uri: &str) {
    client
        .request("resources/subscribe", &json!({ "uri": uri }))
        .unwrap();
    // Answered when the watch stands: what comes after it is seen.
}

#[test]
fn a_change_by_another_process_reaches_the_client() {
    let environment = Environment::started_with("build");
    let mut client = Client::new(&environment);
    subscribe(&mut client, "ckpt://implement/auth");
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    assert_eq!(
        client.told(UPDATED),
        json!({ "uri": "ckpt://implement/auth" })
    );
}

#[test]
fn state_that_appears_later_and_edits_by_hand_reach_the_client() {
    let environment = Environment::new();
    let mut client = Client::new(&environment);
    subscribe(&mut client, "ckpt://status");
    environment.write(PLAN, TEXT);
    assert_eq!(client.told(UPDATED), json!({ "uri": "ckpt://status" }));
    environment.ckpt(&["plan", "sync"]).exits(0);
    client.told(UPDATED);
    // An editor writes a new file and renames it.
    let path = environment.path(PLAN);
    fs::write(path.with_extension("new"), TEXT.replace("[ ]", "[x]")).unwrap();
    fs::rename(path.with_extension("new"), &path).unwrap();
    client.told(UPDATED);
}

#[test]
fn nothing_is_told_after_the_client_has_unsubscribed() {
    let environment = Environment::started_with("build,test");
    let mut client = Client::new(&environment);
    subscribe(&mut client, "ckpt://implement/auth");
    subscribe(&mut client, "ckpt://resume");
    let gone = json!({ "uri": "ckpt://implement/auth" });
    client.request("resources/unsubscribe", &gone).unwrap();
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    assert_eq!(client.told(UPDATED), json!({ "uri": "ckpt://resume" }));
    environment
        .ckpt(&["phase", "implement/auth", "test", "in_progress"])
        .exits(0);
    assert_eq!(client.told(UPDATED), json!({ "uri": "ckpt://resume" }));
}

#[test]
fn a_client_of_the_newer_era_listens_with_one_request() {
    let environment = Environment::started_with("build");
    let mut client = Client::without_greeting(environment.command(CKPT).arg("mcp"), None);
    let mut wanted = json!({
        "notifications": { "resourceSubscriptions": ["ckpt://implement/auth", "file:///etc/passwd"] },
    });
    wanted["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    let id = client.ask("subscriptions/listen", &wanted);
    let accepted: Value = client.told("notifications/subscriptions/acknowledged");
    assert_eq!(
        accepted["notifications"]["resourceSubscriptions"],
        json!(["ckpt://implement/auth"])
    );
    // The acknowledgement is sent before the server begins to watch.
    std::thread::sleep(std::time::Duration::from_millis(500));
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    let told = client.told(UPDATED);
    assert_eq!(told["uri"], "ckpt://implement/auth");
    assert_eq!(told["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    client.notify("notifications/cancelled", &json!({ "requestId": id }));
    assert_eq!(client.leave(), Some(0));
}
