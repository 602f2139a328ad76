//! A repository that is set up for an agent, and what `ckpt doctor` says of it.

use serde_json::Value;

use crate::support::environment::Environment;

pub(crate) fn set_up() -> Environment {
    let environment = Environment::new();
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    environment
}

/// The checks with a verdict, as topic and text.
pub(crate) fn checks(report: &Value, verdict: &str) -> Vec<(String, String)> {
    let checks = report["checks"].as_array().unwrap().iter();
    let text = |check: &Value, name: &str| check[name].as_str().unwrap().to_owned();
    checks
        .filter(|check| check["verdict"] == verdict)
        .map(|check| (text(check, "topic"), text(check, "text")))
        .collect()
}

pub(crate) fn examined(environment: &Environment, code: i32) -> Value {
    environment.ckpt(&["doctor", "--json"]).exits(code).json()
}
