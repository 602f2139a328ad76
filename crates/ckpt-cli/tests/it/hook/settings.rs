//! Hooks whose settings are broken.

use serde_json::{Value, json};

use crate::support::agent::{Agent, LOG, planned};
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
fn broken_settings_let_no_push_past_a_gate() {
    for files in [
        vec![(PROJECT, "{ \"enforce_gates\": true, broken")],
        vec![(PROJECT, "{ \"enforce_gates\": tr")],
        vec![(PROJECT, "{ \"enforce_gates\": \"yes\" }")],
        vec![(PROJECT, "[ \"enforce_gates\" ]")],
        vec![(USER, "{ \"enforce_gates\": true, broken")],
        vec![(PROJECT, "{ broken")],
        vec![(PROJECT, "{ \"enforce_gates\": false, broken")],
        vec![(PROJECT, "{ \"summary_limit\": \"many\" }")],
        vec![(
            PROJECT,
            "{ \"enforce_gates\": false, \"summary_limit\": \"many\" }",
        )],
        vec![(
            PROJECT,
            "{ \"enforce_gates\": true, \"summary_limit\": \"many\" }",
        )],
        // Whatever another file says.
        vec![
            (PROJECT, "{ \"enforce_gates\": false }"),
            (USER, "{ \"enforce_gates\": true, broken"),
        ],
        vec![
            (PROJECT, "{ broken"),
            (USER, "{ \"enforce_gates\": false }"),
        ],
        vec![(PROJECT, "{ broken"), (USER, "{ \"enforce_gates\": true }")],
    ] {
        let environment = blocked();
        for (file, text) in &files {
            environment.write(file, text);
        }
        let denial = denial(&environment);
        assert!(denial.contains("2 tests fail"), "{files:?}: {denial}");
        let doubt = "Gates are enforced because the settings are invalid: ";
        assert!(denial.contains(doubt), "{files:?}: {denial}");
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
        assert!(advice.contains("gates are enforced"), "{files:?}: {advice}");
    }
}

#[test]
fn nothing_of_a_broken_file_counts_and_other_files_do() {
    let unfinished = "{ \"continue_unfinished\": true }";
    let broken = "{ \"continue_unfinished\": true, \"summary_limit\": \"many\" }";
    for (project, user, is_nudged) in [
        ("{}", unfinished, true),
        ("{ broken", unfinished, true),
        ("{}", broken, false),
    ] {
        let environment = planned("- [ ] First <!-- TASK: first -->\n");
        environment.write(PROJECT, project);
        environment.write(USER, user);
        let (agent, _) = Agent::begin(&environment, "s1");
        let answer = agent
            .hook(
                "Stop",
                &json!({"stop_hook_active": false, "background_tasks": []}),
            )
            .stdout;
        assert_eq!(
            answer.contains("block"),
            is_nudged,
            "{project} {user}: {answer}"
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
