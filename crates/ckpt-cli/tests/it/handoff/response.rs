//! Responses, recorded on commands, plans and pipelines.

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::handoff::{REQUEST, response};
use crate::support::pipeline;

fn stored(environment: &Environment) -> Value {
    let text = environment.read(".claude/state/implement-auth.json");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_response_is_recorded_and_a_stop_blocks_until_the_task_proceeds() {
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
            .contains("A sub-agent stopped build: \"T002 STOP: no key; bad port\""),
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
    assert!(log.contains("reply on T002: STOP"), "{log}");
}

#[test]
fn a_response_that_breaks_the_rules_is_not_recorded() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let before = stored(&environment);
    let reply = ["handoff", "reply", "implement/auth"];
    for text in [response("MAYBE", &json!([])), REQUEST.to_owned()] {
        environment.ckpt_reading(&text, &reply).exits(4);
        assert_eq!(stored(&environment), before);
    }
    let go = response("PROCEED", &json!([]));
    environment
        .ckpt_reading(&go, &["handoff", "reply", "implement/other"])
        .exits(3);
}

#[test]
fn a_response_is_recorded_if_its_check_passes_and_a_long_summary_is_cut_in_the_phase_alone() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let long = format!("It works. Many {}", "word ".repeat(500));
    let text = response("PROCEED", &json!([])).replace("Tokens work.", long.trim());
    environment.write("long.json", &text);
    let check = ["handoff", "check", "long.json"];
    let reply = ["handoff", "reply", "implement/auth", "long.json"];
    for flag in ["--enforce", "--strict"] {
        for line in [&check[..], &reply] {
            environment.ckpt(&[line, &[flag]].concat()).exits(4);
        }
    }
    environment.ckpt(&check).exits(0);
    let run = environment.ckpt(&reply).exits(0);
    assert!(run.stderr.contains("handoff.summary-limit"), "{run}");
    let phases = &stored(&environment)["phases"];
    let phase = phases.as_object().unwrap().values();
    let mut phase = phase.filter(|phase| phase.get("handoffs").is_some());
    let phase = phase.next().unwrap();
    assert_eq!(phase["context_summary"], "It works.");
    assert_eq!(phase["handoffs"]["T002"]["context_summary"], long.trim());
    let chinese = response("PROCEED", &json!([])).replace("Tokens work.", &"字".repeat(2_000));
    environment.write("chinese.json", chinese);
    let check = ["handoff", "check", "chinese.json", "--enforce"];
    let run = environment.ckpt(&check).exits(4);
    assert!(run.stdout.contains("actual: 1500 tokens"), "{run}");
}

/// Starts a pipeline with the workstreams T002 and T003.
fn start_workstreams(environment: &Environment) {
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

    start_workstreams(&environment);
    environment
        .ckpt_reading(&go, &["handoff", "reply", "PRD-009"])
        .exits(0);
    let state = pipeline::stored(&environment);
    assert_eq!(state["completed_workstreams"], json!(["T002"]));
    assert_eq!(state["artifacts"]["T002"], json!(["src/b.rs", "src/a.rs"]));
    let stop = stop.replace("T002", "T003");
    environment
        .ckpt_reading(&stop, &["handoff", "reply", "PRD-009"])
        .exits(0);
    let state = pipeline::stored(&environment);
    assert_eq!(state["status"], "failed");
    assert_eq!(state["error"]["message"], "T003 CLARIFY: which port?");
}

#[test]
fn a_reply_leaves_what_others_recorded_unchanged() {
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
    start_workstreams(&environment);
    let read = || pipeline::stored(&environment);
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
