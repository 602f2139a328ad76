//! A slow git is stopped, and the gate stays closed.

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::process::{late_processes, processes_of_git};

/// A repository with an approved gate, and ignore rules that keep git busy for ages.
fn held_up(variables: &[(&str, &str)]) -> Environment {
    let mut environment = Environment::new();
    for (name, value) in variables {
        environment = environment.with_variable(name, value);
    }
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.write(".gitignore", "**/a*/".repeat(25) + "b\n");
    environment.write(&("aaaaaaaa/".repeat(60) + "c"), "x");
    environment
}

#[test]
fn a_slow_git_is_reported_and_stopped() {
    let environment = held_up(&[("CKPT_GIT_TIMEOUT_MS", "3000")]);
    for arguments in [
        &["gate", "check", "ship"][..],
        &["gate", "set", "ship", "--allow"],
    ] {
        let run = environment.ckpt(arguments).exits(1);
        assert!(
            run.stderr
                .contains("git add is slow; it will be stopped after 3 s"),
            "{run}"
        );
        assert!(run.stderr.contains("did not finish within 3 s"), "{run}");
        assert!(run.stderr.contains("git_timeout_ms"), "{run}");
    }
    assert_eq!(processes_of_git(environment.root()), 0);
}

#[test]
fn a_hook_reports_that_git_took_too_long_and_leaves_nothing_behind() {
    let environment = held_up(&[("CKPT_HOOK_DEADLINE_MS", "1200")]);
    let told = |event: Value| {
        let run = environment.ckpt_reading(event.to_string(), &["hook", "claude"]);
        run.exits(0).stdout
    };
    let prompt = told(json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": environment.root(),
        "prompt": "/ship",
    }));
    assert!(prompt.contains("Could not check whether"), "{prompt}");
    environment
        .ckpt(&["config", "set", "enforce_gates", "true"])
        .exits(0);
    let push = told(json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": environment.root(),
        "tool_name": "Bash", "tool_input": {"command": "git commit -am x && git push"},
    }));
    assert!(push.contains("deny"), "{push}");
    assert_eq!(processes_of_git(environment.root()), 0);
    assert_eq!(late_processes(environment.root()), 0);
}
