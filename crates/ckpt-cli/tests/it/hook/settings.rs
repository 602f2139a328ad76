//! Hooks whose settings cannot be read.

use serde_json::{Value, json};

use crate::support::agent::{Agent, LOG};
use crate::support::environment::Environment;

const PROJECT: &str = ".claude/config/ckpt.json";
const USER: &str = "../home/.config/ckpt/config.json";

/// A repository where a gate blocks shipping.
fn blocked() -> Environment {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--block", "2 tests fail"])
        .exits(0);
    environment
}

/// Why a push is denied; empty when it is not.
fn denial(environment: &Environment) -> String {
    let (agent, _) = Agent::begin(environment, "s1");
    let push = json!({"tool_name": "Bash", "tool_input": {"command": "git push"}});
    let answer = agent.hook("PreToolUse", &push).stdout;
    if answer.is_empty() {
        return answer;
    }
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    output["permissionDecisionReason"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn settings_that_cannot_be_read_do_not_let_a_push_past_a_gate_that_may_be_enforced() {
    for (files, is_denied) in [
        (vec![(PROJECT, "{ \"enforce_gates\": true, broken")], true),
        (vec![(PROJECT, "{ \"enforce_gates\": tr")], true),
        (vec![(PROJECT, "{ \"enforce_gates\": \"yes\" }")], true),
        (vec![(PROJECT, "[ \"enforce_gates\" ]")], true),
        (vec![(USER, "{ \"enforce_gates\": true, broken")], true),
        // A broken file may ask for gates to be enforced, so they are.
        (vec![(PROJECT, "{ broken")], true),
        (vec![(PROJECT, "{ \"enforce_gates\": false, broken")], true),
        (vec![(PROJECT, "{ \"summary_limit\": \"many\" }")], false),
        (
            vec![
                (PROJECT, "{ \"enforce_gates\": false }"),
                (USER, "{ \"enforce_gates\": true, broken"),
            ],
            true,
        ),
    ] {
        let environment = blocked();
        for (file, text) in &files {
            environment.write(file, text);
        }
        let denial = denial(&environment);
        assert_eq!(
            denial.contains("2 tests fail"),
            is_denied,
            "{files:?}: {denial}"
        );
        let doubt = "What guards shipping is on, because settings cannot be read: ";
        assert_eq!(denial.contains(doubt), is_denied, "{files:?}: {denial}");
        let log = environment.read(LOG);
        assert!(log.contains("\"error\":\""), "{files:?}: {log}");
        let report = environment.ckpt(&["doctor", "--json"]).exits(1).json();
        let checks = report["checks"].as_array().unwrap();
        let is_broken =
            |check: &&Value| check["topic"] == "settings" && check["verdict"] == "broken";
        let check = checks.iter().find(is_broken);
        let check = check.unwrap_or_else(|| panic!("{files:?}: {report}"));
        assert_eq!(check["verdict"], "broken");
        let advice = check["advice"].as_str().unwrap();
        assert_eq!(
            advice.contains("what guards shipping is on"),
            is_denied,
            "{files:?}: {advice}"
        );
    }
}

#[test]
fn what_can_be_read_of_settings_counts_where_the_rest_cannot() {
    for files in [
        vec![(
            PROJECT,
            "{ \"enforce_gates\": true, \"summary_limit\": \"many\" }",
        )],
        vec![(PROJECT, "{ broken"), (USER, "{ \"enforce_gates\": true }")],
    ] {
        let environment = blocked();
        for (file, text) in &files {
            environment.write(file, text);
        }
        let denial = denial(&environment);
        assert!(denial.contains("2 tests fail"), "{files:?}: {denial}");
        let is_doubtful = files.len() > 1;
        assert_eq!(
            denial.contains("settings cannot be read"),
            is_doubtful,
            "{files:?}: {denial}"
        );
    }
}

#[test]
fn a_settings_file_that_says_nothing_because_nobody_can_read_it_counts_as_strict() {
    let environment = blocked();
    std::fs::create_dir_all(environment.path(PROJECT)).unwrap();
    let denial = denial(&environment);
    assert!(denial.contains("2 tests fail"), "{denial}");
    assert!(denial.contains("ckpt.json: is a directory"), "{denial}");
    // It may say that a person has to approve, and no person did.
    std::fs::remove_dir(environment.path(PROJECT)).unwrap();
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    std::fs::create_dir_all(environment.path(PROJECT)).unwrap();
    let denial = self::denial(&environment);
    assert!(denial.contains("a person has to"), "{denial}");
    std::fs::remove_dir(environment.path(PROJECT)).unwrap();
    assert_eq!(self::denial(&environment), "");
}
