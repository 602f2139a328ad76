//! Who may approve, and who may drop a gate.

use std::fs;

use serde_json::json;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::shipping::{approved, push, pushing, reasons};
use crate::support::tool;

#[test]
fn a_gate_outlives_its_checkpoint_until_it_is_given_up_here() {
    let environment = pushing();
    environment
        .ckpt(&["gate", "set", "ship", "--block", "two tests fail"])
        .exits(0);
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("more");
    let complete = {
        let other = Environment::new();
        other.ckpt(&["start", "ship", "--phases", "a"]).exits(0);
        other.ckpt(&["phase", "ship", "a", "complete"]).exits(0);
        other.ckpt(&["complete", "ship"]).exits(0);
        other.document("ship-checkpoint").to_string()
    };
    for content in [Some("{}"), Some(&complete), None] {
        let file = environment.path(".claude/state/ship-checkpoint.json");
        match content {
            Some(content) => fs::write(file, content).unwrap(),
            None => {
                fs::remove_file(file).unwrap();
                environment.without_copies();
            }
        }
        let run = push(&environment);
        assert_ne!(run.code, Some(0), "{content:?}: {run}");
        assert!(
            run.stderr
                .contains("no one entitled to do so has completed or abandoned it"),
            "{run}"
        );
    }
    environment
        .ckpt(&["abandon", "ship", "--reason", "it is gone"])
        .exits(0);
    push(&environment).exits(0);
    environment
        .ckpt(&["abandon", "ship", "--reason", "again"])
        .exits(3);
}

#[test]
fn if_a_person_has_to_approve_nobody_else_can() {
    let environment = approved();
    environment
        .ckpt(&["config", "set", "--user", "approvals", "person"])
        .exits(0);
    // What a script approved before no longer counts.
    let blocked = reasons(&environment);
    assert!(blocked.contains("a person has to"), "{blocked}");
    let refused = environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(6);
    assert!(
        refused.reason().contains("there is no terminal to ask at"),
        "{refused}"
    );
    environment
        .ckpt(&["gate", "override", "ship", "--reason", "x"])
        .exits(6);
    environment
        .ckpt(&["gate", "set", "ship", "--block", "anybody may block"])
        .exits(0);
    if !tool::works("script", &["--version"]) {
        return;
    }
    let typed = |word: &str, variable: Option<&str>| {
        let line = format!("{CKPT} gate set ship --allow");
        let mut command = environment.command("script");
        command.args(["-qec", &line, "/dev/null"]);
        if let Some(variable) = variable {
            command.env(variable, "1");
        }
        Run::reading(&mut command, format!("{word}\n").as_bytes())
    };
    assert_eq!(typed("yes", None).code, Some(6));
    assert_eq!(typed("approve", Some("CLAUDECODE")).code, Some(6));
    assert_eq!(typed("approve", None).code, Some(0));
    let checked = environment.ckpt(&["gate", "check", "ship"]).exits(0);
    assert!(checked.stdout.contains("approved by person"), "{checked}");
    let report = environment
        .ckpt(&["gate", "check", "ship", "--json"])
        .exits(0)
        .json();
    assert_eq!(report["approved_by"], "person");
}

#[test]
fn what_a_pull_has_completed_is_not_ended_by_another_change() {
    let environment = pushing();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let block = ["gate", "set", "implement/auth", "--block", "two tests fail"];
    environment.ckpt(&block).exits(0);
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("more");
    let mut document = environment.document("implement-auth");
    document["completed_at"] = json!("2026-01-01T00:00:00.000Z");
    environment.write(".claude/state/implement-auth.json", document.to_string());
    for command in [
        &block[..],
        &["gate", "run", "implement/auth", "tests", "--", "true"],
    ] {
        environment.ckpt(command);
        let run = push(&environment);
        assert_ne!(run.code, Some(0), "{command:?}: {run}");
    }
}

#[test]
fn if_a_person_has_to_approve_nobody_else_can_remove_a_gate() {
    let environment = pushing();
    environment
        .ckpt(&["config", "set", "--user", "approvals", "person"])
        .exits(0);
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let gate = ["gate", "set", "implement/auth", "--block", "two tests fail"];
    environment.ckpt(&gate).exits(0);
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("more");
    for command in [
        &["start", "implement", "auth", "--again"][..],
        &["complete", "implement/auth"],
        &["abandon", "implement/auth", "--reason", "x"],
        &["abandon", "implement/auth", "--reason", "again"],
    ] {
        environment.ckpt(command);
        let run = push(&environment);
        assert_ne!(run.code, Some(0), "{command:?}: {run}");
        assert!(run.stderr.contains("implement/auth"), "{command:?}: {run}");
    }
}

#[test]
fn an_agent_that_approves_is_named() {
    let environment = Environment::new().with_variable("CLAUDECODE", "1");
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    let checked = environment.ckpt(&["gate", "check", "ship"]).exits(0);
    assert!(
        checked.stdout.contains("approved by agent:claude"),
        "{checked}"
    );
    environment.write("new.rs", "x");
    environment
        .ckpt(&["gate", "override", "ship", "--reason", "agreed"])
        .exits(0);
    let checked = environment.ckpt(&["gate", "check", "ship"]).exits(0);
    let expected = "overridden by main (agent:claude): agreed";
    assert!(checked.stdout.contains(expected), "{checked}");
    let shown = environment.ckpt(&["gate", "show", "ship", "--json"]).json();
    assert_eq!(shown["override"]["approved_by"], "agent:claude");
}
