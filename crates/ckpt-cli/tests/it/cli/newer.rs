//! Files of a newer `ckpt`: they are shown as far as possible, with a word about it, and nothing in them is lost.

use serde_json::{Value, json};

use crate::support::agent::{Agent, THREE_TASKS, planned};
use crate::support::environment::{AUTH, Environment};
use crate::support::pipeline;
use crate::support::planned::{HALF_DONE, HISTORY, ID, Planned, RECOVERY, STATE};

/// What is said about a file of this version.
fn said(version: u64) -> String {
    let own = env!("CARGO_PKG_VERSION");
    format!(
        "written by a newer ckpt (version {version}); upgrade ckpt, which is {own} here, to change it"
    )
}

/// A checkpoint of version 2, with members that nobody knows yet, in a format of its own.
fn command_of_version_2() -> (Environment, String) {
    let environment = Environment::started_with("plan,build");
    let text = environment.read(AUTH).replace(
        "\"version\": 1,",
        "\"version\": 2,\n\t\"lanes\" : { \"x\":[1.0,2e3] },",
    );
    assert!(text.contains("lanes"));
    environment.write(AUTH, &text);
    (environment, text)
}

#[test]
fn a_checkpoint_of_a_newer_version_is_shown_and_every_reader_says_so() {
    let (environment, text) = command_of_version_2();
    for arguments in [
        &["show", "implement/auth"][..],
        &["status"],
        &["list"],
        &["resume"],
        &["validate"],
        &["doctor"],
    ] {
        let run = environment.ckpt(arguments);
        let all = run.stdout.clone() + &run.stderr;
        assert!(all.contains("implement/auth"), "{arguments:?}: {run}");
        assert!(all.contains(&said(2)), "{arguments:?}: {run}");
    }
    let raw = environment.ckpt(&["show", "implement/auth", "--raw"]);
    assert_eq!(raw.exits(0).stdout, text);
    let brief = environment.ckpt(&["resume"]).exits(0).stdout;
    assert!(
        brief.contains("Upgrade ckpt: a newer one wrote implement/auth."),
        "{brief}"
    );
    assert!(!brief.contains("Record NEXT with"), "{brief}");
}

#[test]
fn a_checkpoint_of_a_newer_version_is_never_changed() {
    let (environment, text) = command_of_version_2();
    for arguments in [
        &["phase", "implement/auth", "plan", "complete"][..],
        &["complete", "implement/auth"],
        &["abandon", "implement/auth", "--reason", "x"],
        &["start", "implement", "auth"],
        &["start", "implement", "auth", "--again"],
        &["gate", "set", "implement/auth", "--allow"],
        &["gate", "run", "implement/auth", "tests", "--", "true"],
        &["undo", "implement/auth"],
        &["restore", "implement/auth", "1"],
    ] {
        let run = environment.ckpt(arguments).exits(4);
        assert!(
            run.stderr.contains("schema version: 2 (expected 1)"),
            "{arguments:?}: {run}"
        );
        assert!(run.stderr.contains("a newer ckpt"), "{arguments:?}: {run}");
        assert_eq!(environment.read(AUTH), text, "{arguments:?}");
    }
    let older = text.replace("\"version\": 2", "\"version\": 1");
    environment
        .ckpt_reading(older, &["save", "implement/auth"])
        .exits(4);
    assert_eq!(environment.read(AUTH), text);
}

/// A plan whose state has version 3 and members that nobody knows yet.
fn plan_of_version_3() -> (Planned, String) {
    let planned = Planned::new(HALF_DONE);
    planned.ckpt(&["plan", "sync"]).exits(0);
    let state = planned.text(STATE);
    let state = state.replace("\"version\": 2,", "\"version\": 3,\n\t\"lanes\" : [1.0],");
    assert!(state.contains("lanes"));
    planned.put(STATE, &state);
    (planned, state)
}

#[test]
fn a_plan_with_a_newer_state_is_shown_from_its_markdown_and_every_reader_says_so() {
    let (planned, state) = plan_of_version_3();
    for arguments in [
        &["plan", "show"][..],
        &["plan", "next"],
        &["plan", "validate"],
        &["show", ID],
        &["status"],
        &["list"],
        &["resume"],
        &["validate"],
    ] {
        let run = planned.ckpt(arguments);
        let all = run.stdout.clone() + &run.stderr;
        assert!(all.contains(&said(3)), "{arguments:?}: {run}");
    }
    let shown = planned.ckpt(&["plan", "show"]).exits(0).stdout;
    assert!(
        shown.contains("1/3") && shown.contains("Create schema"),
        "{shown}"
    );
    let report = planned.ckpt(&["plan", "show", "--json"]).exits(0).json();
    let stored: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(report["state"], stored);
    assert!(!planned.ckpt(&["validate"]).stdout.contains("plan.behind"));
    // What people tick counts, even while the state stays behind.
    planned.put("plan.md", HALF_DONE.replace("- [ ] Create", "- [x] Create"));
    let shown = planned.ckpt(&["plan", "show"]).exits(0).stdout;
    assert!(shown.contains("2/3"), "{shown}");
    assert_eq!(planned.text(STATE), state);
}

#[test]
fn a_plan_with_a_newer_state_is_never_changed() {
    let (planned, state) = plan_of_version_3();
    let history = planned.text(HISTORY);
    for arguments in [
        &["plan", "done", "schema"][..],
        &["plan", "undo", "init"],
        &["plan", "accept", "works"],
        &["plan", "note", "x"],
        &["plan", "decide", "x"],
        &["plan", "block", "x"],
        &["plan", "claim", "schema"],
        &["plan", "mark"],
        &["plan", "sync"],
        &["plan", "recover"],
    ] {
        let run = planned.ckpt(arguments).exits(4);
        assert!(
            run.stderr.contains("schema version: 3 (expected 2)"),
            "{arguments:?}: {run}"
        );
        assert_eq!(planned.text(STATE), state, "{arguments:?}");
        assert_eq!(planned.text("plan.md"), HALF_DONE, "{arguments:?}");
        assert_eq!(planned.text(HISTORY), history, "{arguments:?}");
    }
}

#[test]
fn a_newer_backup_is_not_written_over_when_the_state_is_lost() {
    let planned = Planned::new(HALF_DONE);
    planned.ckpt(&["plan", "sync"]).exits(0);
    let state: Value = serde_json::from_str(&planned.text(STATE)).unwrap();
    let mut newer = state;
    newer["version"] = json!(3);
    let backup = json!({"savedAt": "2026-01-01T00:00:00.000Z", "reason": "x", "state": newer});
    planned.put(RECOVERY, backup.to_string());
    planned.put(STATE, "garbage");
    planned.ckpt(&["plan", "done", "schema"]).exits(4);
    assert_eq!(planned.text(RECOVERY), backup.to_string());
    assert_eq!(planned.text(STATE), "garbage");
    planned.ckpt(&["plan", "show"]).exits(0);
}

#[test]
fn unknown_events_and_members_of_a_history_are_shown_and_kept() {
    let environment = Environment::started_with("plan,build");
    let file = ".claude/state/history/command/implement-auth.jsonl";
    let history = environment.read(file);
    let line = history.lines().last().unwrap();
    let mut newer: Value = serde_json::from_str(line).unwrap();
    newer["event"] = json!("lane_opened");
    newer["lane"] = json!({"name": "x", "width": 1.5});
    newer.as_object_mut().unwrap().remove("files");
    let newer = newer.to_string();
    environment.write(file, format!("{history}{newer}\n"));
    let log = environment.ckpt(&["log", "implement/auth"]).exits(0).stdout;
    assert!(log.contains("lane_opened"), "{log}");
    environment
        .ckpt(&["phase", "implement/auth", "plan", "complete"])
        .exits(0);
    let after = environment.read(file);
    assert!(after.starts_with(&format!("{history}{newer}\n")), "{after}");
    let log = environment.ckpt(&["log", "implement/auth"]).exits(0).stdout;
    assert!(
        log.contains("lane_opened") && log.contains("phase plan: pending → complete"),
        "{log}"
    );
    environment.ckpt(&["resume"]).exits(0);
}

#[test]
fn unknown_members_of_a_checkpoint_or_a_pipeline_survive_every_change() {
    let environment = pipeline::initialized();
    let text = environment.read(pipeline::FILE);
    let lanes = "\n\t\"lanes\" : { \"x\":[1.0,2e3,{}] ,\"ü\":null},";
    environment.write(pipeline::FILE, text.replacen('{', &format!("{{{lanes}"), 1));
    for arguments in [
        &["start", "PRD-009", "WS1"][..],
        &["done", "PRD-009", "WS1"],
        &["gate", "run", "PRD-009", "schema-validation"],
        &["note", "PRD-009", "--cleanup", "x"],
        &["abort", "PRD-009", "--reason", "x"],
    ] {
        let arguments = [&["pipeline"], arguments].concat();
        environment.ckpt(&arguments).exits(0);
        assert!(
            environment.read(pipeline::FILE).contains(lanes),
            "{arguments:?}"
        );
    }
    let environment = Environment::started_with("plan,build");
    let text = environment.read(AUTH);
    environment.write(AUTH, text.replacen('{', &format!("{{{lanes}"), 1));
    environment
        .ckpt(&["phase", "implement/auth", "plan", "complete"])
        .exits(0);
    environment
        .ckpt(&["complete", "implement/auth", "--force"])
        .exits(0);
    assert!(environment.read(AUTH).contains(lanes));
}

#[test]
fn settings_of_a_newer_version_are_named_and_kept() {
    let environment = Environment::started();
    let file = ".claude/config/ckpt.json";
    environment.write(
        file,
        "{\n  \"lane_width\" : 1.50,\n  \"summary_limit\": 400\n}\n",
    );
    let run = environment.ckpt(&["status"]).exits(0);
    assert!(run.stderr.contains("lane_width"), "{run}");
    environment
        .ckpt(&["config", "set", "summary_limit", "300"])
        .exits(0);
    let text = environment.read(file);
    assert_eq!(
        text,
        "{\n  \"lane_width\" : 1.50,\n  \"summary_limit\": 300\n}\n"
    );
}

#[test]
fn unknown_members_of_a_session_record_are_kept() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    let file = ".claude/state/sessions/s1.json";
    let mut record: Value = serde_json::from_str(&environment.read(file)).unwrap();
    record["lanes"] = json!({"x": [1, "two", null]});
    environment.write_session("s1", &record);
    agent.hook(
        "UserPromptSubmit",
        &json!({"prompt": "go on", "prompt_id": "p1"}),
    );
    let after: Value = serde_json::from_str(&environment.read(file)).unwrap();
    assert_eq!(after["lanes"], json!({"x": [1, "two", null]}));
    assert_eq!(after["last_prompt"], json!("p1"));
}
