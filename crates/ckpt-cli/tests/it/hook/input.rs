//! Whatever is on standard input, the agent can continue.

use serde_json::json;

use crate::support::agent::{LOG, ticked};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::event::event;

#[test]
fn on_any_error_the_agent_continues_and_the_log_says_why() {
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
fn a_program_without_a_word_is_answered_with_nothing() {
    let environment = Environment::new();
    let event = json!({"hook_event_name": "preToolUse", "toolName": "bash"}).to_string();
    let run = environment.ckpt_reading(&event, &[]).exits(0);
    assert_eq!(run.stdout, "");
    // A person who types it sees the usage.
    let run = environment.ckpt(&[]).exits(2);
    assert!(run.stderr.contains("Usage"), "{run}");
}

/// Agents write the bytes of such a path as they are, or replace them.
#[test]
fn a_path_that_is_not_text_is_no_obstacle() {
    use std::os::unix::ffi::OsStrExt;

    let environment = Environment::new();
    let name = std::ffi::OsStr::from_bytes(b"not\xfftext");
    let root = environment.base().join(name);
    std::fs::create_dir_all(root.join("plans/260220-1149-login")).unwrap();
    environment.git_in(&root, &["init", "--quiet"]);
    let plan = root.join("plans/260220-1149-login/plan.md");
    let text = "# A\n<!-- CHECKPOINT: a -->\n- [ ] b <!-- TASK: b -->\n";
    std::fs::write(&plan, text).unwrap();
    environment.ckpt_in(&root, &["plan", "sync"]).exits(0);
    std::fs::write(&plan, text.replace("[ ]", "[x]")).unwrap();
    let mut event =
        br#"{"hook_event_name": "PostToolUse", "session_id": "s1", "tool_name": "Edit", "cwd": ""#
            .to_vec();
    event.extend(root.as_os_str().as_bytes());
    event.extend(br#"", "tool_input": {"file_path": ""#);
    event.extend(plan.as_os_str().as_bytes());
    event.extend(br#""}}"#);
    let mut command = environment.command(CKPT);
    command.args(["hook", "claude"]).current_dir(&root);
    Run::reading(&mut command, &event).exits(0);
    let state = std::fs::read_to_string(plan.with_file_name(".checkpoint/state.json")).unwrap();
    assert!(state.contains("\"percentage\": 100"), "{state}");
}
