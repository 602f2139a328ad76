//! Handoffs on the command line.

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::handoff::{REQUEST, response};

fn stored(environment: &Environment) -> Value {
    let text = environment.read(".claude/state/implement-auth.json");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_handoff_is_checked_alone_and_in_prose() {
    let environment = Environment::new();
    environment.write("request.json", REQUEST);
    let run = environment
        .ckpt(&["handoff", "check", "request.json"])
        .exits(0);
    insta::assert_snapshot!(run.stdout, @r#"
    warning[handoff.legacy-name] line 5, /context/previous_findings: "previous_findings" is called "previous_summary" now: ckpt handoff fix
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
    error[handoff.unknown-value] line 4, /decision: "decision" is "proceed", and should be one of PROCEED, STOP, CLARIFY
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
            "more than one JSON block, such as on lines 1, 10",
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
fn a_request_is_mended_in_place_and_nothing_else_changes() {
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
fn a_response_is_recorded_and_what_it_stops_at_blocks_until_it_goes_on() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build,test"])
        .exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "build", "in_progress"])
        .exits(0);
    let reply = ["handoff", "reply", "implement/auth"];
    let stop = response("STOP", &json!(["no key", {"description": "bad port"}]));
    let run = environment
        .ckpt_reading(format!("Sorry:\n{stop}\n"), &reply)
        .exits(0);
    assert!(run.stderr.contains("blocked: T002 STOP: no key"), "{run}");
    let state = stored(&environment);
    let phase = &state["phases"]["build"];
    assert_eq!(phase["status"], "in_progress");
    assert_eq!(phase["context_summary"], "Tokens work.");
    assert_eq!(phase["files_created"], json!(["src/b.rs"]));
    assert_eq!(phase["files_modified"], json!(["src/a.rs"]));
    assert_eq!(phase["handoffs"]["T002"]["decision"], "STOP");
    assert_eq!(state["gate"]["ship_allowed"], false);
    assert_eq!(
        state["gate"]["blockers"],
        json!(["T002 STOP: no key", "T002 STOP: bad port"])
    );
    let resumed = environment.ckpt(&["resume"]).exits(0);
    assert!(
        resumed
            .stdout
            .contains("Gate blocked: \"T002 STOP: no key\"; \"T002 STOP: bad port\""),
        "{resumed}"
    );
    environment
        .ckpt(&["gate", "check", "implement/auth"])
        .exits(6);

    let go = response("PROCEED", &json!([]));
    let reply_and_complete = [&reply[..], &["--complete"]].concat();
    environment.ckpt_reading(&go, &reply_and_complete).exits(0);
    let state = stored(&environment);
    assert_eq!(state["gate"]["blockers"], json!([]));
    assert_eq!(state["phases"]["build"]["status"], "complete");
    assert_eq!(
        state["phases"]["build"]["handoffs"]["T002"]["decision"],
        "PROCEED"
    );
    let log = environment.ckpt(&["log", "implement/auth"]).exits(0).stdout;
    assert!(log.contains("handoff_recorded"), "{log}");
}

#[test]
fn a_response_that_breaks_the_rules_is_not_recorded() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let before = stored(&environment);
    let reply = ["handoff", "reply", "implement/auth"];
    for text in [
        response("MAYBE", &json!([])),
        response("PROCEED", &json!([])).replace("Tokens work.", &"word ".repeat(501)),
        REQUEST.to_owned(),
    ] {
        environment.ckpt_reading(&text, &reply).exits(4);
        assert_eq!(stored(&environment), before);
    }
    let go = response("PROCEED", &json!([]));
    environment
        .ckpt_reading(&go, &["handoff", "reply", "implement/other"])
        .exits(3);
}

#[test]
fn responses_are_recorded_on_plans_and_pipelines_too() {
    let environment = Environment::new();
    environment.write("plans/260220-1149-x/plan.md", "- [ ] A <!-- TASK: a -->\n");
    let stop = response("CLARIFY", &json!(["which port?"]));
    environment
        .ckpt_reading(&stop, &["handoff", "reply", "260220-1149-x"])
        .exits(0);
    let resumed = environment.ckpt(&["resume", "260220-1149-x"]).exits(0);
    assert!(
        resumed.stdout.contains("T002 CLARIFY: which port?"),
        "{resumed}"
    );
    let go = response("PROCEED", &json!([]));
    environment
        .ckpt_reading(&go, &["handoff", "reply", "260220-1149-x"])
        .exits(0);
    let resumed = environment.ckpt(&["resume", "260220-1149-x"]).exits(0);
    assert!(!resumed.stdout.contains("Blocked"), "{resumed}");
    assert!(
        resumed.stdout.contains("T002 (PROCEED): Tokens work."),
        "{resumed}"
    );

    environment.write(
        "spec.md",
        "---\nprd: PRD-009\nworkstreams: { T002: {}, T003: {} }\n---\n",
    );
    for arguments in [
        &["init", "spec.md"][..],
        &["start", "PRD-009", "T002", "T003"],
    ] {
        environment
            .ckpt(&[&["pipeline"], arguments].concat())
            .exits(0);
    }
    environment
        .ckpt_reading(&go, &["handoff", "reply", "PRD-009"])
        .exits(0);
    let file = ".claude/skills/build-pipeline/checkpoints/PRD-009.json";
    let state: Value = serde_json::from_str(&environment.read(file)).unwrap();
    assert_eq!(state["completed_workstreams"], json!(["T002"]));
    assert_eq!(state["artifacts"]["T002"], json!(["src/b.rs", "src/a.rs"]));
    let stop = stop.replace("T002", "T003");
    environment
        .ckpt_reading(&stop, &["handoff", "reply", "PRD-009"])
        .exits(0);
    let state: Value = serde_json::from_str(&environment.read(file)).unwrap();
    assert_eq!(state["status"], "failed");
    assert_eq!(state["error"]["message"], "T003 CLARIFY: which port?");
}

#[test]
fn the_protocol_is_written_extended_and_left_alone() {
    let environment = Environment::new();
    let path = ".claude/sub-agents/protocols/handoff.md";
    let doc = ["handoff", "doc", "--write", path];
    environment.ckpt(&doc).exits(0);
    let written = environment.read(path);
    assert_eq!(
        environment.ckpt(&["handoff", "doc"]).exits(0).stdout,
        written
    );
    let run = environment.ckpt(&doc).exits(0);
    assert!(run.stdout.contains("nothing to change"), "{run}");
    let old = written
        .replace(
            "  \"mode\": \"plan | code | ui | docs | eval | reconcile | research (required)\",\n",
            "",
        )
        .replace("previous_summary", "previous_findings");
    environment.write(path, old);
    let report = environment
        .ckpt(&[&doc[..], &["--json"]].concat())
        .exits(0)
        .json();
    assert_eq!(report["changes"].as_array().unwrap().len(), 2, "{report}");
    environment.write("README.md", "# Other\n");
    let run = environment
        .ckpt(&["handoff", "doc", "--write", "README.md"])
        .exits(4);
    assert!(run.stderr.contains("not a handoff protocol"), "{run}");
    assert_eq!(environment.read("README.md"), "# Other\n");
}

#[test]
fn a_reply_leaves_what_others_said_as_it_is() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build"])
        .exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "build", "failed", "--error", "e"])
        .exits(0);
    environment
        .ckpt(&[
            "gate",
            "set",
            "implement/auth",
            "--block",
            "T002 needs a review by Ann",
        ])
        .exits(0);
    environment
        .ckpt(&["gate", "override", "implement/auth", "--reason", "r"])
        .exits(0);
    let reply = ["handoff", "reply", "implement/auth", "--phase", "build"];
    environment
        .ckpt_reading(response("STOP", &json!(["x"])), &reply)
        .exits(0);
    let state = stored(&environment);
    assert_eq!(
        state["gate"]["blockers"],
        json!(["T002 needs a review by Ann", "T002 STOP: x"])
    );
    assert_eq!(state["gate"].get("override"), None);
    assert_eq!(state["phases"]["build"]["status"], "failed");
    let go = response("PROCEED", &json!([])).replace("\"tokens_used\":9,", "");
    environment.ckpt_reading(&go, &reply).exits(0);
    let state = stored(&environment);
    assert_eq!(
        state["gate"]["blockers"],
        json!(["T002 needs a review by Ann"])
    );
    assert_eq!(
        state["phases"]["build"]["handoffs"]["T002"]["tokens_used"],
        Value::Null
    );
    let complete = [&reply[..], &["--complete"]].concat();
    environment
        .ckpt_reading(response("STOP", &json!([])), &complete)
        .exits(4);

    environment.write(
        "plans/260220-1149-x/plan.md",
        "- [ ] A <!-- TASK: a -->\n<!-- BLOCKER: T002 waits for Ann -->\n",
    );
    environment
        .ckpt_reading(&go, &["handoff", "reply", "260220-1149-x"])
        .exits(0);
    assert!(
        environment
            .read("plans/260220-1149-x/plan.md")
            .contains("T002 waits for Ann")
    );
    environment
        .ckpt_reading(&go, &["handoff", "reply", "260220-1149-x", "--complete"])
        .exits(2);
}

#[test]
fn every_response_to_a_workstream_is_kept() {
    let environment = Environment::new();
    environment.write(
        "spec.md",
        "---\nprd: PRD-009\nworkstreams: { T002: {}, T003: {} }\n---\n",
    );
    for arguments in [
        &["init", "spec.md"][..],
        &["start", "PRD-009", "T002", "T003"],
    ] {
        environment
            .ckpt(&[&["pipeline"], arguments].concat())
            .exits(0);
    }
    let read = || -> Value {
        let file = environment.read(".claude/skills/build-pipeline/checkpoints/PRD-009.json");
        serde_json::from_str(&file).unwrap()
    };
    let reply = ["handoff", "reply", "PRD-009"];
    let partial = response("PROCEED", &json!([])).replace("\"complete\"", "\"partial\"");
    environment.ckpt_reading(&partial, &reply).exits(0);
    assert_eq!(
        read()["handoffs"]["T002"]["context_summary"],
        "Tokens work."
    );
    assert_eq!(read()["in_progress_workstreams"], json!(["T002", "T003"]));
    let stop = response("STOP", &json!(["a"]));
    environment.ckpt_reading(&stop, &reply).exits(0);
    environment
        .ckpt_reading(stop.replace("T002", "T003"), &reply)
        .exits(0);
    let state = read();
    assert_eq!(state["status"], "failed");
    assert_eq!(state["error"]["message"], "T002 STOP: a");
    assert_eq!(state["handoffs"]["T003"]["decision"], "STOP");
    environment
        .ckpt_reading(stop.replace("T002", "T9"), &reply)
        .exits(3);
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
