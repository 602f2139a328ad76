//! A repository that ships: what was approved in it, what is sealed, and a push from it.

use serde_json::Value;

use crate::support::environment::{Environment, Run};

/// A repository with an approved `ship` checkpoint, and a gate that ran.
pub(crate) fn approved() -> Environment {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "run", "ship", "tests", "--", "true"])
        .exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(0);
    environment
}

pub(crate) fn reasons(environment: &Environment) -> String {
    environment.ckpt(&["gate", "check", "ship"]).exits(6).stdout
}

/// What `ckpt doctor` says is not sealed.
pub(crate) fn unsealed(environment: &Environment) -> Vec<String> {
    let report = environment.ckpt(&["doctor", "--json"]).json();
    let checks = report["checks"].as_array().unwrap().clone();
    let unsealed = checks.iter().filter(|check| check["topic"] == "unsealed");
    unsealed
        .map(|check| check["text"].as_str().unwrap().to_owned())
        .collect()
}

/// Copies the state of one repository into another, as a clone would bring it.
pub(crate) fn carry_over(from: &Environment, to: &Environment) {
    let copied = from
        .command("cp")
        .args(["-a", ".claude", to.root().to_str().unwrap()])
        .status();
    assert!(copied.unwrap().success());
}

pub(crate) fn without_seals(text: &str) -> String {
    let line = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        value.as_object_mut().unwrap().remove("seal");
        format!("{value}\n")
    };
    text.lines().map(line).collect()
}

/// A repository with somewhere to push to, and the hook that judges pushes.
pub(crate) fn pushing() -> Environment {
    let environment = approved();
    environment.git(&["init", "--quiet", "--bare", "../remote.git"]);
    environment.git(&["remote", "add", "origin", "../remote.git"]);
    environment
        .ckpt(&["init", "--pre-push", "--agent", "claude"])
        .exits(0);
    environment
}

pub(crate) fn push(environment: &Environment) -> Run {
    Run::of(environment.command("git").args(["push", "origin", "HEAD"]))
}

/// A repository with a checkpoint `ship/login`, one commit, and these settings of integrations.
pub(crate) fn integrated(settings: &Value) -> Environment {
    let environment = Environment::new().with_variable("TOKEN_OF_TEST", "t0ken");
    environment.write(".gitignore", "/.claude/state\n");
    environment.write(".claude/config/integrations.json", settings.to_string());
    environment.commit("Settings");
    environment.ckpt(&["start", "ship", "login"]).exits(0);
    environment
}

/// Writes the user's own settings.
pub(crate) fn set_for_user(environment: &Environment, settings: &Value) {
    let file = environment.user_settings();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, settings.to_string()).unwrap();
}

/// Allows a destination as the user would.
pub(crate) fn allow(environment: &Environment, name: &str) {
    environment
        .ckpt(&["notify", "allow", name, "--yes"])
        .exits(0);
}
