//! Gates that hooks report and enforce.

use serde_json::{Value, json};

use crate::support::agent::{Agent, FOUR_TASKS, THREE_TASKS, context, planned};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::event::hook;

#[test]
fn a_blocking_gate_is_reported_and_on_request_enforced() {
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
fn the_verdict_for_shipping_is_that_of_gate_check() {
    let environment = planned(THREE_TASKS);
    environment.write("a", "1");
    environment.git(&["add", "-A"]);
    environment.git(&["commit", "-qm", "a"]);
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["config", "set", "enforce_gates", "true"])
        .exits(0);
    let (agent, _) = Agent::begin(&environment, "s1");
    let verdict = || {
        context(&agent.hook(
            "UserPromptSubmit",
            &json!({"prompt": "/ship to production"}),
        ))
    };
    let push = || {
        agent
            .hook(
                "PreToolUse",
                &json!({"tool_name": "Bash", "tool_input": {"command": "git push"}}),
            )
            .stdout
    };
    let check = || environment.ckpt(&["gate", "check", "ship"]).code;
    assert_eq!(check(), Some(6));
    assert!(
        verdict().contains("The gate of ship blocks shipping"),
        "{}",
        verdict()
    );
    assert!(push().contains("deny"));
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.commit("what was approved");
    assert_eq!((check(), push().as_str()), (Some(0), ""));
    assert!(verdict().starts_with("No gate"), "{}", verdict());
    environment.write("a", "2");
    assert_eq!(check(), Some(6));
    assert!(
        verdict().contains("the content has changed"),
        "{}",
        verdict()
    );
    // A push sends commits, and the last one is what was approved.
    assert_eq!(push(), "");
    environment.commit("something else");
    assert!(push().contains("deny"));
}

#[test]
fn a_gate_that_cannot_be_read_or_judged_in_time_blocks() {
    let environment = planned(FOUR_TASKS);
    environment
        .ckpt(&["config", "set", "enforce_gates", "true"])
        .exits(0);
    environment.ckpt(&["start", "ship", "rel"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship/rel", "--block", "nope"])
        .exits(0);
    let (agent, _) = Agent::begin(&environment, "A");
    environment.write(".claude/state/ship-rel.json", "{");
    let push = json!({"tool_name": "Bash", "tool_input": {"command": "git push"}});
    let denied = agent.hook("PreToolUse", &push).stdout;
    assert!(
        denied.contains("deny") && denied.contains("ship-rel"),
        "{denied}"
    );
    let told = context(&agent.hook("UserPromptSubmit", &json!({"prompt": "/ship"})));
    assert!(told.contains("cannot be read"), "{told}");
}

#[test]
fn a_push_is_denied_if_the_gate_cannot_be_read_or_checked() {
    let environment = planned(FOUR_TASKS);
    // These are the user's settings, because those of the project are part of the content.
    let settings = |text: &str| {
        let file = environment.user_settings();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    settings("{\"enforce_gates\": true}");
    environment.ckpt(&["start", "ship"]).exits(0);
    let push = |path: &std::path::Path| {
        let event = json!({"session_id": "s", "cwd": environment.path(""), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}});
        let mut command = environment.command(CKPT);
        command.args(["hook", "claude"]).env("PATH", path);
        let run = Run::reading(&mut command, event.to_string().as_bytes()).exits(0);
        let answer = match run.stdout.is_empty() {
            true => Value::Null,
            false => run.json(),
        };
        let reason = &answer["hookSpecificOutput"]["permissionDecisionReason"];
        reason.as_str().unwrap_or_default().to_owned()
    };
    let path = std::env::var_os("PATH").unwrap();
    let (programs, nowhere) = (path.as_ref(), environment.path("../nowhere"));
    let gate = |verdict: &[&str]| {
        environment
            .ckpt(&[&["gate", "set", "ship"], verdict].concat())
            .exits(0)
    };
    gate(&["--allow"]);
    assert_eq!(push(programs), "");
    // Without git, nobody can tell whether the content is still what was approved.
    let denied = push(&nowhere);
    assert!(denied.contains("Could not check whether"), "{denied}");
    // A broken file may say that a person has to approve, so one has to; the file is named.
    for broken in [
        "{\"enforce_gates\": true, \"token_counter\": 3}",
        "{\"enforce_gates\": tr",
    ] {
        settings("{}");
        gate(&["--allow"]);
        settings(broken);
        let denied = push(programs);
        assert!(
            denied.contains("a person has to") && denied.contains("config.json"),
            "{denied}"
        );
        settings("{}");
        gate(&["--block", "not yet"]);
        settings(broken);
        let denied = push(programs);
        assert!(
            denied.contains("not yet") && denied.contains("config.json"),
            "{denied}"
        );
    }
    settings("{}");
    assert_eq!(push(programs), "", "nobody wants it enforced");
}

#[test]
fn a_push_that_cannot_be_judged_in_time_is_denied() {
    use std::os::unix::fs::PermissionsExt;
    let environment = planned(FOUR_TASKS);
    environment
        .ckpt(&["config", "set", "enforce_gates", "true"])
        .exits(0);
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    // Looking at the content takes longer than the deadline.
    environment.write("../slow/git", "#!/bin/sh\nsleep 20\n");
    let slow = environment.path("../slow");
    std::fs::set_permissions(slow.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let event = json!({"session_id": "s", "cwd": environment.path(""), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}});
    let mut command = environment.command(CKPT);
    command.args(["hook", "claude"]);
    command.env("PATH", format!("{}:{path}", slow.display()));
    command.env("CKPT_HOOK_DEADLINE_MS", "500");
    let run = Run::reading(&mut command, event.to_string().as_bytes()).exits(0);
    let output = &run.json()["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    let reason = output["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("Could not check whether"), "{reason}");
    assert!(reason.contains("did not finish within"), "{reason}");
}
