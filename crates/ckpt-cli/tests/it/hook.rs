//! Hooks, as agents call them.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::agent::{
    HISTORY, Held, LOG, PLAN, STATE, becomes, completions, copies, ticked, without_introduction,
};
use crate::support::environment::{CKPT, Environment};
use crate::support::event::{begin, edited, event, hook};
use crate::support::tool;

fn files(environment: &Environment) -> Vec<String> {
    let output = Command::new("find")
        .arg(".")
        .current_dir(environment.path(""))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut files: Vec<String> = text
        .lines()
        .filter(|line| !line.starts_with("./.git/"))
        .map(str::to_owned)
        .collect();
    files.sort();
    files
}

#[test]
fn where_nothing_is_kept_nothing_is_written_and_nothing_is_said() {
    let environment = Environment::new();
    let before = files(&environment);
    for (name, members) in [
        ("SessionStart", json!({"source": "startup"})),
        (
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ),
        ("SessionEnd", json!({"reason": "clear"})),
    ] {
        assert_eq!(hook(&environment, name, &members).stdout, "");
    }
    assert_eq!(files(&environment), before);
}

#[test]
fn a_session_begins_with_where_the_work_stands() {
    let environment = ticked();
    for source in ["startup", "resume", "clear", "compact", "fork"] {
        let run = hook(&environment, "SessionStart", &json!({"source": source}));
        let answer = run.json();
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "SessionStart");
        let text = environment.ckpt(&["resume"]).exits(0).stdout;
        assert_eq!(output["additionalContext"], text.trim());
    }
    let cursor =
        json!({"hook_event_name": "sessionStart", "workspace_roots": [environment.path("")]})
            .to_string();
    let run = environment
        .ckpt_reading(cursor, &["hook", "cursor"])
        .exits(0);
    assert!(
        run.json()["additional_context"]
            .as_str()
            .unwrap()
            .contains("implement/auth"),
        "{run}"
    );
}

#[test]
fn the_checkpoint_that_the_branch_is_about_comes_first() {
    let environment = Environment::new();
    for feature in ["auth", "login"] {
        environment.ckpt(&["start", "implement", feature]).exits(0);
    }
    let first = |environment: &Environment| environment.ckpt(&["resume"]).exits(0).stdout;
    assert!(without_introduction(&first(&environment)).starts_with("implement/login"));
    environment.git(&["switch", "--quiet", "--create", "feature/BAS-6-auth"]);
    assert!(without_introduction(&first(&environment)).starts_with("implement/auth"));
    environment.git(&["switch", "--quiet", "--create", "author"]);
    assert!(without_introduction(&first(&environment)).starts_with("implement/login"));
}

#[test]
fn an_edit_of_a_plan_is_followed_once() {
    let environment = ticked();
    for _ in 0..3 {
        assert_eq!(edited(&environment, PLAN).stdout, "");
    }
    assert_eq!(completions(&environment), 1);
    let state: Value = serde_json::from_str(&environment.read(STATE)).unwrap();
    assert_eq!(state["progress"]["completedTasks"], 1);
    let log = environment.read(LOG);
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["agent"], &last["event"]),
        (&json!("claude"), &json!("PostToolUse"))
    );
    assert!(last["us"].is_u64() && last.get("error").is_none(), "{last}");
}

#[test]
fn what_a_sub_agent_ticks_is_its_own_and_the_shell_is_watched() {
    let environment = ticked();
    let members = json!({"tool_name": "Bash", "tool_input": {"command": "sed -i ..."}, "agent_id": "d", "agent_type": "fullstack"});
    hook(&environment, "PostToolUse", &members);
    assert!(environment.read(HISTORY).contains("subagent:fullstack"));
    // Files of nobody's plan, of no plan, or that are not there change nothing.
    let before = environment.read(HISTORY);
    for file in [
        "README.md",
        "plans/260220-1149-x/../../README.md",
        "plans/x/deep/plan.md",
        "/etc/passwd",
        "plans",
    ] {
        edited(&environment, file);
    }
    assert_eq!(environment.read(HISTORY), before);
}

#[test]
fn sixty_four_hooks_at_once_complete_a_task_once() {
    let environment = ticked();
    let event = event(
        &environment,
        "s1",
        "PostToolUse",
        &json!({"tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}}),
    );
    environment.write("../event.json", event.to_string());
    let children: Vec<_> = (0..64)
        .map(|_| {
            environment
                .command(CKPT)
                .args(["hook", "claude"])
                .stdin(std::fs::File::open(environment.path("../event.json")).unwrap())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    // One that could not get the lock in time leaves the rest to the next.
    edited(&environment, PLAN);
    assert_eq!(completions(&environment), 1);
}

#[test]
fn whatever_is_wrong_the_agent_goes_on_and_the_log_says_why() {
    let environment = ticked();
    for input in [
        "",
        "{",
        "[]",
        "null",
        "{\"hook_event_name\": 7}",
        "\u{0}\u{1}",
    ] {
        let run = environment
            .ckpt_reading(input, &["hook", "claude"])
            .exits(0);
        assert_eq!(
            (run.stdout.as_str(), run.stderr.as_str()),
            ("", ""),
            "{input:?}"
        );
    }
    assert!(
        environment
            .read(LOG)
            .contains("\"error\":\"line 1, column 2: ")
    );
    for arguments in [
        &["hook"][..],
        &["hook", "nobody"],
        &["hook", "claude", "--flag"],
        &["hook", "--json"],
    ] {
        let run = environment.ckpt_reading("{}", arguments).exits(0);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
    let outside = json!({"hook_event_name": "SessionStart", "cwd": "/"}).to_string();
    assert_eq!(
        environment
            .ckpt_reading(outside, &["hook", "claude"])
            .exits(0)
            .stdout,
        ""
    );
    let huge = event(
        &environment,
        "s1",
        "PostToolUse",
        &json!({"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": "y".repeat(50_000_000)}),
    );
    environment
        .ckpt_reading(huge.to_string(), &["hook", "claude"])
        .exits(0);
    assert!(
        environment
            .ckpt(&["hook", "--help"])
            .exits(0)
            .stdout
            .contains("hook claude")
    );
}

#[test]
fn a_store_that_somebody_holds_does_not_hold_the_agent() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = ticked();
    let locks = Command::new("find")
        .args([".", "-name", "*.lock"])
        .current_dir(environment.path(""))
        .output()
        .unwrap();
    let locks = String::from_utf8(locks.stdout).unwrap();
    let holders: Vec<Held> = locks
        .lines()
        .map(|lock| Held::lock(&environment, lock))
        .collect();
    let begin = Instant::now();
    edited(&environment, PLAN);
    // The platforms give a hook at least a second and a half; a machine that is busy takes its share.
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?}",
        begin.elapsed()
    );
    assert!(
        environment.read(LOG).contains("\"error\":"),
        "{}",
        environment.read(LOG)
    );
    assert_eq!(completions(&environment), 0);
    drop(holders);
    // What it left is done by a process that nobody waits for.
    assert!(becomes(|| completions(&environment) == 1));
}

#[test]
fn the_log_begins_anew_before_it_grows_large() {
    let environment = ticked();
    environment.write(LOG, "x".repeat(300_000));
    edited(&environment, PLAN);
    assert!(environment.read(LOG).len() < 1000);
    assert_eq!(
        environment.read(".claude/state/hooks.jsonl.1").len(),
        300_000
    );
}

#[test]
fn a_session_that_ended_without_a_word_is_noticed_once_and_live_ones_are_not_taken_for_it() {
    let environment = ticked();
    edited(&environment, PLAN);
    let mut agent = Command::new("sleep").arg("60").spawn().unwrap();
    begin(&environment, "s1", agent.id());
    // Two sessions at the same time are nothing special.
    let second = begin(&environment, "s2", std::process::id());
    assert!(
        second.contains("Another session of claude has been live since"),
        "{second}"
    );
    assert!(!environment.read(HISTORY).contains("session_crash"));
    agent.kill().unwrap();
    agent.wait().unwrap();
    let third = begin(&environment, "s3", std::process::id());
    assert!(third.contains("ended without a word"), "{third}");
    let fourth = begin(&environment, "s4", std::process::id());
    assert!(!fourth.contains("ended without a word"), "{fourth}");
    let history = environment.read(HISTORY);
    let events: Vec<&str> = history
        .lines()
        .filter(|line| line.contains("\"event\":\"session_"))
        .collect();
    assert_eq!(events.len(), 2, "{events:?}");
    // No copy was made yet, so none is named.
    assert!(
        events[0].contains("\"event\":\"session_crash\",\"lastKnownState\":\"state.json\""),
        "{events:?}"
    );
    assert!(
        events[1].contains(
            "\"event\":\"session_recovered\",\"from\":\"state.json\",\"tasksRestored\":1"
        ),
        "{events:?}"
    );
}

#[test]
fn a_session_that_says_goodbye_has_not_crashed() {
    let environment = ticked();
    let mut agent = Command::new("sleep").arg("60").spawn().unwrap();
    begin(&environment, "../../s1", agent.id());
    let records = std::fs::read_dir(environment.path(".claude/state/sessions")).unwrap();
    let names: Vec<_> = records.map(|entry| entry.unwrap().file_name()).collect();
    let records = names.iter().filter(|name| *name != ".gitignore");
    assert_eq!(records.count(), 1, "{names:?}");
    hook(
        &environment,
        "SessionEnd",
        &json!({"session_id": "../../s1", "reason": "other"}),
    );
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert!(!begin(&environment, "s2", std::process::id()).contains("ended without a word"));
}

#[test]
fn a_gate_that_blocks_is_told_and_where_it_is_wanted_enforced() {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--block", "2 tests fail"])
        .exits(0);
    let push = json!({"tool_name": "Bash", "tool_input": {"command": "cd x && git push"}});
    let ship = json!({"prompt": "/ship now"});
    let told = hook(&environment, "UserPromptSubmit", &ship).json();
    let context = told["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert!(
        context.contains("The gate of ship blocks shipping: \"2 tests fail\""),
        "{context}"
    );
    assert_eq!(
        hook(&environment, "UserPromptSubmit", &json!({"prompt": "ship"})).stdout,
        ""
    );
    assert_eq!(hook(&environment, "PreToolUse", &push).stdout, "");
    environment
        .ckpt(&["config", "set", "enforce_gates", "true"])
        .exits(0);
    let denied = hook(&environment, "PreToolUse", &push).json();
    let output = &denied["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    assert!(
        output["permissionDecisionReason"]
            .as_str()
            .unwrap()
            .contains("2 tests fail"),
        "{denied}"
    );
    let status = json!({"tool_name": "Bash", "tool_input": {"command": "git status"}});
    assert_eq!(hook(&environment, "PreToolUse", &status).stdout, "");
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    // What is pushed is what was committed, and that is not what was approved.
    let denied = hook(&environment, "PreToolUse", &push).stdout;
    assert!(
        denied.contains("are not in the commit: .claude/config/ckpt.json"),
        "{denied}"
    );
    let commit =
        json!({"tool_name": "Bash", "tool_input": {"command": "git commit -am x && git push"}});
    assert_eq!(hook(&environment, "PreToolUse", &commit).stdout, "");
    environment.commit("what was approved");
    assert_eq!(hook(&environment, "PreToolUse", &push).stdout, "");
}

#[test]
fn every_fifth_prompt_compaction_and_goodbye_leave_a_copy() {
    let environment = ticked();
    begin(&environment, "s1", std::process::id());
    for number in 1..=11 {
        let prompt = json!({"prompt": "go on", "prompt_id": format!("p{number}")});
        // Two hooks for the same prompt count once.
        hook(&environment, "UserPromptSubmit", &prompt);
        hook(&environment, "UserPromptSubmit", &prompt);
    }
    assert_eq!(copies(&environment), ["prompts", "prompts"]);
    hook(&environment, "PreCompact", &json!({"trigger": "auto"}));
    hook(&environment, "SessionEnd", &json!({"reason": "other"}));
    assert_eq!(
        copies(&environment),
        ["prompts", "prompts", "pre_compact", "session_end"]
    );
    let recovery: Value =
        serde_json::from_str(&environment.read("plans/260220-1149-x/.checkpoint/recovery.json"))
            .unwrap();
    assert_eq!(recovery["reason"], "session_end");
    assert_eq!(recovery["state"]["progress"]["completedTasks"], 1);
    // It has ended: that is told once. Whoever goes on talking has begun another.
    hook(&environment, "SessionEnd", &json!({"reason": "other"}));
    assert_eq!(copies(&environment).len(), 4);
    for _ in 0..5 {
        hook(&environment, "UserPromptSubmit", &json!({"prompt": "x"}));
    }
    assert_eq!(copies(&environment).len(), 5);
}
