//! People and programs elsewhere are told what happens: at least once, in order, signed, and only where the user allows
//! it.

mod answers;
mod crowd;
mod formats;
mod permission;
mod settings;

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::server::Server;

/// Longer than any message takes.
const PATIENCE: Duration = Duration::from_secs(90);

/// A secret that signs messages.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const SETTINGS: &str = ".claude/config/integrations.json";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A webhook `ops` of a server.
fn webhook(server: &Server) -> Value {
    json!({"name": "ops", "url": server.url("/hook"), "secret": "env:OPS_SECRET", "events": []})
}

/// A repository with these webhooks, none of which is allowed.
fn with_webhooks(webhooks: &Value) -> Environment {
    let environment = Environment::new().with_variable("OPS_SECRET", SECRET);
    environment.write(SETTINGS, json!({"webhooks": webhooks}).to_string());
    environment
}

/// A repository that tells a server everything.
fn told(server: &Server) -> Environment {
    let environment = with_webhooks(&json!([webhook(server)]));
    run(&environment, "notify allow ops --private --yes", 0);
    environment
}

/// The events that a server has heard of, each once, in order.
fn events(server: &Server) -> Vec<String> {
    let mut known = Vec::new();
    let mut events = Vec::new();
    for heard in server.heard().iter() {
        let id = heard.header("webhook-id").to_owned();
        if !known.contains(&id) {
            known.push(id);
            events.push(heard.json()["type"].as_str().unwrap().to_owned());
        }
    }
    events
}
