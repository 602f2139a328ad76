//! Requests: checking, fixing and creating them.

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::handoff::{REQUEST, response};

#[test]
fn a_handoff_is_checked_alone_and_in_prose() {
    let environment = Environment::new();
    environment.write("request.json", REQUEST);
    let run = environment
        .ckpt(&["handoff", "check", "request.json"])
        .exits(0);
    insta::assert_snapshot!(run.stdout, @r#"
    warning[handoff.legacy-name] line 5, /context/previous_findings: "previous_findings" is now called "previous_summary"; rename it with: ckpt handoff fix
    request: valid
    "#);
    let prose = format!(
        "I did it:\n\n```json\n{}\n```\n",
        response("proceed", &json!([]))
    );
    let run = environment
        .ckpt_reading(&prose, &["handoff", "check"])
        .exits(4);
    insta::assert_snapshot!(run.stdout, @r#"
    response on lines 4 to 4
    error[handoff.unknown-value] line 4, /decision: "decision" is "proceed", but should be one of PROCEED, STOP, CLARIFY
    "#);
    let report = environment
        .ckpt_reading(&prose, &["handoff", "check", "-", "--json"])
        .exits(4)
        .json();
    assert_eq!(report["kind"], "response");
    assert_eq!(report["valid"], false);
    assert_eq!(
        report["block"],
        json!({"first_line": 4, "last_line": 4, "whole": false})
    );
    assert_eq!(report["findings"][0]["pointer"], "/decision");
    let unknown = REQUEST.replace("\"code\"", "\"hack\"");
    environment
        .ckpt_reading(&unknown, &["handoff", "check"])
        .exits(0);
    environment
        .ckpt_reading(&unknown, &["handoff", "check", "--strict"])
        .exits(4);
    let run = environment
        .ckpt_reading(REQUEST, &["handoff", "check", "--kind", "response"])
        .exits(4);
    assert!(run.stdout.contains("\"status\" is missing"), "{run}");
}

#[test]
fn texts_without_one_handoff_are_refused_with_the_reason() {
    let environment = Environment::new();
    for (text, expected) in [
        ("just words", "no JSON object in the text"),
        (
            &*format!("{REQUEST}\n{REQUEST}"),
            "more than one JSON block, for example on lines 1, 10",
        ),
        (
            &REQUEST[..60],
            "the JSON that begins on line 1 is broken: line 4, column ",
        ),
    ] {
        let run = environment
            .ckpt_reading(text, &["handoff", "check"])
            .exits(4);
        assert!(run.stderr.contains(expected), "{expected}: {run}");
    }
    environment
        .ckpt(&["handoff", "check", "missing.json"])
        .exits(3);
}

#[test]
fn summaries_over_the_limit_are_refused_or_warned_of() {
    let environment = Environment::new();
    let long = "word ".repeat(501);
    let request = REQUEST.replace("Found it.", &long);
    let run = environment
        .ckpt_reading(&request, &["handoff", "check"])
        .exits(4);
    assert!(
        run.stdout.contains("error[handoff.previous-summary-limit]"),
        "{run}"
    );
    let answer = response("PROCEED", &json!([])).replace("Tokens work.", &long);
    let run = environment
        .ckpt_reading(&answer, &["handoff", "check"])
        .exits(0);
    assert!(
        run.stdout
            .contains("Context summary exceeds 500 token limit (actual: 501 tokens)"),
        "{run}"
    );
    environment
        .ckpt_reading(&answer, &["handoff", "check", "--enforce"])
        .exits(4);
    let environment = environment.with_variable("CKPT_TOKEN_COUNTER", "o200k");
    let environment = environment.with_variable("CKPT_SUMMARY_LIMIT", "1");
    let run = environment
        .ckpt_reading(REQUEST, &["handoff", "check"])
        .exits(4);
    assert!(
        run.stdout
            .contains("exceeds 1 token limit (actual: 3 tokens) (counter: o200k)"),
        "{run}"
    );
}

#[test]
fn a_request_is_fixed_in_place_and_nothing_else_changes() {
    let environment = Environment::new();
    environment.write("request.json", REQUEST);
    let fixed = REQUEST.replace("previous_findings", "previous_summary");
    let run = environment
        .ckpt(&["handoff", "fix", "request.json"])
        .exits(0);
    assert_eq!(run.stdout, fixed);
    assert_eq!(environment.read("request.json"), REQUEST);
    environment
        .ckpt(&["handoff", "fix", "request.json", "--write"])
        .exits(0);
    assert_eq!(environment.read("request.json"), fixed);
    let both = fixed.replace("\"feature\"", "\"previous_findings\": \"x\", \"feature\"");
    environment
        .ckpt_reading(&both, &["handoff", "fix"])
        .exits(5);
}

#[test]
fn a_new_request_carries_what_the_last_phase_left() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "research,build"])
        .exits(0);
    let phase = [
        "phase",
        "implement/auth",
        "research",
        "complete",
        "--summary",
        "Found it.",
        "--created",
        "notes.md",
    ];
    environment.ckpt(&phase).exits(0);
    let new = [
        "handoff",
        "new",
        "--task",
        "T1",
        "--phase",
        "write",
        "--mode",
        "code",
        "--instructions",
        "Write it.",
        "--file",
        "src/a.rs",
        "--constraint",
        "no unsafe",
        "--from",
        "implement/auth",
    ];
    let request = environment.ckpt(&new).exits(0).stdout;
    let parsed: Value = serde_json::from_str(&request).unwrap();
    assert_eq!(
        parsed,
        json!({
            "task_id": "T1", "phase": "write", "mode": "code",
            "context": {
                "feature": "auth", "relevant_files": ["src/a.rs", "notes.md"], "constraints": ["no unsafe"],
                "previous_summary": "Found it.",
            },
            "instructions": "Write it.", "expected_output": "files_changed",
        })
    );
    environment
        .ckpt_reading(&request, &["handoff", "check", "--strict"])
        .exits(0);
    let from_stdin = [&new[..], &["--summary", "-"]].concat();
    let request = environment
        .ckpt_reading("As it was said.\n", &from_stdin)
        .exits(0)
        .stdout;
    assert!(
        request.contains("\"previous_summary\": \"As it was said.\""),
        "{request}"
    );
    let long = "word ".repeat(501);
    let run = environment
        .ckpt(&[&new[..], &["--summary", &long]].concat())
        .exits(4);
    assert!(run.stderr.contains("exceeds 500 token limit"), "{run}");

    environment.write("plans/260220-1149-x/plan.md", "- [ ] A <!-- TASK: a -->\n");
    let from_plan = [&new[..new.len() - 1], &["260220-1149-x"]].concat();
    let request = environment.ckpt(&from_plan).exits(0).stdout;
    assert!(request.contains("0 of 1 tasks done"), "{request}");
}

#[test]
fn links_are_followed_where_the_user_says_so_and_stay() {
    let environment = Environment::new();
    environment.write("real.json", REQUEST);
    std::os::unix::fs::symlink("real.json", environment.path("link.json")).unwrap();
    let fix = ["handoff", "fix", "link.json", "--write"];
    let run = environment.ckpt(&fix).exits(1);
    assert!(run.reason().contains("link.json"), "{run}");
    environment
        .ckpt(&["config", "set", "--user", "follow_symlinks", "true"])
        .exits(0);
    environment.ckpt(&fix).exits(0);
    assert!(environment.path("link.json").is_symlink());
    assert!(environment.read("real.json").contains("previous_summary"));
}
