//! Whatever is on standard input, the agent can continue.

use serde_json::json;

use crate::support::agent::{LOG, ticked};
use crate::support::environment::Environment;
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
