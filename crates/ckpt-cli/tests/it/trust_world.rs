//! What lies around a repository: variables, git and its time, rules for git, pipes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::agent::{HISTORY, PLAN, PLAN_LOCK};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::process::{late_processes, processes_of_git};
use crate::support::shipping::approved;
use crate::support::{tool, tree};

#[test]
fn a_key_does_not_come_with_a_directory_outside_git() {
    let environment = Environment::without_git();
    let state = environment.path("state");
    let environment = environment.with_variable("XDG_STATE_HOME", &state);
    environment.ckpt(&["start", "ship"]).exits(0);
    assert!(!state.exists(), "nothing is kept there");
    assert!(environment.base().join("home/.local/state/ckpt").exists());
}

#[test]
fn the_demo_runs_no_hook_that_a_variable_brings() {
    let environment = Environment::new();
    let hooks = environment.path("template/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let hook = hooks.join("post-commit");
    fs::write(&hook, "#!/bin/sh\ntouch \"$RAN\"\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = environment.base().join("ran");
    let environment = environment
        .with_variable("GIT_TEMPLATE_DIR", "template")
        .with_variable("GIT_CONFIG_COUNT", "1")
        .with_variable("GIT_CONFIG_KEY_0", "core.hooksPath")
        .with_variable("GIT_CONFIG_VALUE_0", &hooks)
        .with_variable("RAN", &ran);
    environment.ckpt(&["demo"]).exits(0);
    assert!(!ran.exists());
}

#[test]
fn rules_that_only_look_like_rules_are_replaced() {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    let rules = ".claude/state/.gitignore";
    for written in [
        " *\n",
        "*\t\n",
        "\u{c}*\n",
        "*\n!*\n",
        "*\n!hooks.jsonl\n",
        "!*\n",
        "",
    ] {
        environment.write(rules, written);
        environment
            .ckpt(&["phase", "ship", "a", "in_progress"])
            .exits(0);
        assert_eq!(environment.read(rules), "*\n", "{written:?}");
    }
    fs::remove_file(environment.path(rules)).unwrap();
    fs::create_dir(environment.path(rules)).unwrap();
    let run = environment
        .ckpt(&["phase", "ship", "a", "complete"])
        .exits(1);
    assert!(run.stderr.contains(".gitignore"), "{run}");
}

#[test]
fn a_program_without_a_word_is_answered_with_nothing() {
    let environment = Environment::new();
    let event = json!({"hook_event_name": "preToolUse", "toolName": "bash"}).to_string();
    let run = environment.ckpt_reading(&event, &[]).exits(0);
    assert_eq!(run.stdout, "");
    // Whoever types it is told what there is.
    let run = environment.ckpt(&[]).exits(2);
    assert!(run.stderr.contains("Usage"), "{run}");
}

#[test]
fn hooks_that_run_out_of_time_leave_one_process() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = Environment::new().with_variable("CKPT_HOOK_DEADLINE_MS", "150");
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    let lock = PLAN_LOCK;
    let held = crate::support::agent::Held::lock(&environment, lock);
    environment.write(PLAN, "- [x] A <!-- TASK: a -->\n");
    let event = json!({
        "hook_event_name": "PostToolUse", "session_id": "s1", "cwd": environment.root(),
        "tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)},
    });
    for _ in 0..6 {
        environment
            .ckpt_reading(event.to_string(), &["hook", "claude"])
            .exits(0);
    }
    let late = || late_processes(environment.root());
    assert_eq!(late(), 1);
    drop(held);
    assert!(crate::support::agent::becomes(|| {
        environment.read(HISTORY).contains("task_completed")
    }));
    assert!(crate::support::agent::becomes(|| late() == 0));
    let waiting = fs::read_dir(environment.path(".git/ckpt/late")).unwrap();
    assert_eq!(waiting.count(), 1, "the lock alone");
    assert_eq!(
        environment.read(HISTORY).matches("task_completed").count(),
        1
    );
}

/// A repository with an approved gate, whose ignore rules keep git at work for ages.
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
fn git_that_takes_long_is_told_and_ended() {
    let environment = held_up(&[("CKPT_GIT_TIMEOUT_MS", "3000")]);
    for arguments in [
        &["gate", "check", "ship"][..],
        &["gate", "set", "ship", "--allow"],
    ] {
        let run = environment.ckpt(arguments).exits(1);
        assert!(
            run.stderr
                .contains("git add takes long; it is ended after 3 s"),
            "{run}"
        );
        assert!(run.stderr.contains("did not end within 3 s"), "{run}");
        assert!(run.stderr.contains("git_timeout_ms"), "{run}");
    }
    assert_eq!(processes_of_git(environment.root()), 0);
}

#[test]
fn a_hook_says_that_git_took_too_long_and_leaves_nothing_behind() {
    let environment = held_up(&[("CKPT_HOOK_DEADLINE_MS", "1200")]);
    let told = |event: Value| {
        let run = environment.ckpt_reading(event.to_string(), &["hook", "claude"]);
        run.exits(0).stdout
    };
    let prompt = told(json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": environment.root(),
        "prompt": "/ship",
    }));
    assert!(prompt.contains("cannot be told"), "{prompt}");
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

#[test]
fn the_filters_of_the_user_run_and_those_of_a_repository_do_not() {
    let environment = Environment::new();
    let settings = environment.base().join("gitconfig");
    let environment = environment.with_variable("GIT_CONFIG_GLOBAL", &settings);
    let program = environment.base().join("filter");
    fs::write(&program, "#!/bin/sh\necho \"$1\" >> \"$0.ran\"\ncat\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    let ran = || fs::read_to_string(environment.base().join("filter.ran")).unwrap_or_default();
    let name = |scope: &str, filter: &str, value: &str| {
        let key = format!("filter.{filter}.clean");
        environment.git(&["config", scope, &key, &format!("{program} {value}")]);
    };
    name("--global", "own", "own");
    name("--local", "own", "replaced");
    name("--local", "foreign", "foreign");
    environment.write(
        ".gitattributes",
        "*.own filter=own\n*.foreign filter=foreign\n",
    );
    environment.write("a.own", "x\n");
    environment.write("a.foreign", "x\n");
    environment.ckpt(&["start", "ship"]).exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(6);
    assert_eq!(ran(), "own\n");
    let doctor = environment.ckpt(&["doctor"]).stdout;
    let expected = "only this repository names them: foreign\n";
    assert!(doctor.contains(expected), "{doctor}");
    let wanted = ["config", "set", "repository_filters", "true"];
    let refused = environment.ckpt(&wanted).exits(4);
    assert!(refused.stderr.contains("--user"), "{refused}");
    environment
        .ckpt(&[&wanted[..], &["--user"]].concat())
        .exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(6);
    assert!(ran().contains("foreign"), "{}", ran());
}

#[test]
fn git_is_told_to_pass_over_what_comes_with_a_history_too() {
    let other = Environment::new();
    other.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    other.ckpt(&["plan", "sync"]).exits(0);
    let environment = Environment::new();
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.write(HISTORY, other.read(HISTORY));
    environment.write("plans/260220-1149-x/.checkpoint/.gitignore", "");
    environment.write(".claude/state/.gitignore", "!*\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.ckpt(&["start", "ship"]).exits(0);
    let status = environment.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(status, format!("?? {PLAN}\n"));
    for name in ["history.jsonl", "state.json"] {
        let path = environment
            .path("plans/260220-1149-x/.checkpoint")
            .join(name);
        assert_eq!(tree::mode(path), 0o600, "{name}");
    }
}

#[test]
fn nobody_waits_for_a_pipe() {
    let environment = approved();
    for name in [
        ".claude/config/ckpt.json",
        ".claude/state/implement-auth.json",
        ".claude/state/locks/late.lock",
        ".claude/state/hooks.jsonl",
        ".claude/settings.json",
    ] {
        let path = environment.path(name);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = environment.command("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
    }
    for arguments in [
        &["status"][..],
        &["doctor"],
        &["list"],
        &["init", "--dry-run"],
    ] {
        let mut command = environment.command("timeout");
        command.args(["10", CKPT]).args(arguments);
        let run = Run::of(command.stdin(Stdio::null()));
        assert_ne!(run.code, Some(124), "{arguments:?}: {run}");
    }
}
