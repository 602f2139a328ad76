//! `--json`: one object on standard output, and nothing else there.

use serde_json::{Value, json};

use crate::support::environment::{Environment, Run};
use crate::support::fixture::Fixture;

/// The object, which must begin with its format.
#[track_caller]
fn object(run: &Run) -> Value {
    assert!(run.stdout.starts_with("{\"format\":1,"), "{run}");
    let value = run.json();
    assert!(value.is_object());
    value
}

#[test]
fn every_command_prints_one_object_with_its_format() {
    let environment = Environment::worked_on();
    for arguments in [
        &["list"][..],
        &["show"],
        &["show", "implement/auth"],
        &["status"],
        &["status", "--all"],
        &["resume"],
        &["resume", "implement/auth", "--drift"],
        &["validate"],
        &["validate", "implement/auth"],
        &["log"],
        &["log", "implement/auth", "-n", "1"],
        &["gate", "show", "implement/auth"],
        &["config"],
        &["config", "list"],
        &["config", "get", "summary_limit"],
        &["tokens", "README.md"],
        &["start", "implement", "auth"],
        &["phase", "implement/auth", "validation", "in_progress"],
        &["gate", "set", "implement/auth", "--allow"],
        &["gate", "check", "implement/auth"],
        &["gate", "override", "implement/auth", "--reason", "x"],
        &["config", "set", "summary_limit", "400"],
        &["complete", "implement/auth", "--force"],
        &["start", "implement", "auth", "--again"],
        &["abandon", "implement/auth", "--reason", "x"],
    ] {
        let run = environment.ckpt(&[arguments, &["--json"]].concat());
        assert_eq!(run.code, Some(0), "{arguments:?}: {run}");
        object(&run);
        assert_eq!(run.stderr, "", "{arguments:?}");
    }
    let document = environment.read(".claude/state/implement-auth.json");
    object(
        &environment
            .ckpt_reading(document, &["save", "implement/auth", "--json"])
            .exits(0),
    );
}

#[test]
fn reading_an_empty_repository_prints_objects_too() {
    let environment = Environment::without_git();
    for arguments in [
        &["list"][..],
        &["status"],
        &["resume"],
        &["validate"],
        &["config"],
    ] {
        let run = environment.ckpt(&[arguments, &["--json"]].concat());
        object(&run.exits(0));
    }
}

#[test]
fn every_document_can_be_shown_as_json() {
    let environment = Environment::without_git();
    for fixture in Fixture::all() {
        let run = environment.ckpt(&["show", "--json", fixture.path.to_str().unwrap()]);
        let run = run.exits(0);
        // A number may be too large for other readers, so the text is compared. A carriage return could control a
        // terminal, so it is left out.
        let text = fixture.text.trim_start_matches('\u{feff}').trim();
        let text = text.replace('\r', "");
        assert!(run.stdout.contains(&text), "{}: {run}", fixture.name);
        assert!(
            run.stdout.starts_with("{\"format\":1,"),
            "{}: {run}",
            fixture.name
        );
    }
}

#[test]
fn an_error_is_an_object_as_well() {
    let environment = Environment::worked_on();
    environment
        .ckpt(&["complete", "implement/auth", "--force"])
        .exits(0);
    environment.write("broken.json", "{");
    for (arguments, kind, exit) in [
        (&["show", "implement/other"][..], "not_found", 3),
        (&["resume", "implement/auth"], "already_complete", 8),
        (&["validate", "broken.json"], "invalid", 4),
        (&["phase", "implement/", "a"], "usage", 2),
        (
            &["phase", "implement/auth/x", "a", "--summary-file", "none"],
            "not_found",
            3,
        ),
        (
            &["phase", "implement/auth/x", "a", "--summary-file", "."],
            "failed",
            1,
        ),
        (&["start", "implement", "auth"], "already_complete", 8),
    ] {
        let run = environment
            .ckpt(&[arguments, &["--json"]].concat())
            .exits(exit);
        let error = &object(&run)["error"];
        assert_eq!(
            (&error["kind"], &error["exit"]),
            (&json!(kind), &json!(exit)),
            "{run}"
        );
        let message = error["message"].as_str().unwrap();
        assert!(
            run.reason().starts_with(&format!("error: {message}")),
            "{run}"
        );
    }
}

#[test]
fn wrong_usage_is_an_object_as_well() {
    let environment = Environment::worked_on();
    for arguments in [
        &["--json", "no-such-command"][..],
        &["phase", "implement/auth", "a", "sleeping", "--json"],
        &["abandon", "implement/auth", "--json"],
    ] {
        let run = environment.ckpt(arguments).exits(2);
        let error = &object(&run)["error"];
        assert_eq!(
            (&error["kind"], &error["exit"]),
            (&json!("usage"), &json!(2)),
            "{run}"
        );
    }
}

#[test]
fn a_change_reports_its_revision() {
    let environment = Environment::worked_on();
    let phase = [
        "phase",
        "implement/auth",
        "validation",
        "in_progress",
        "--json",
    ];
    let mut report = object(&environment.ckpt(&phase).exits(0));
    let revision = report["revision"].take();
    assert!(revision.as_str().unwrap().starts_with("3-"), "{revision}");
    let expected = json!({
        "format": 1,
        "key": "command:implement/auth",
        "revision": null,
        "created": false,
        "absorbed_foreign_edit": false,
        "findings": [],
    });
    assert_eq!(report, expected);
    let shown = object(
        &environment
            .ckpt(&["show", "implement/auth", "--json"])
            .exits(0),
    );
    assert_eq!(shown["revision"], revision);
}

#[test]
fn resume_reports_where_the_work_stands() {
    let environment = Environment::worked_on();
    let mut report = object(&environment.ckpt(&["resume", "--json"]).exits(0));
    let mut summary = report["in_flight"][0].take();
    assert!(summary["updated_at"].take().is_string());
    let expected = json!({
        "key": "command:implement/auth",
        "lifecycle": "in_flight",
        "progress": { "done": 1, "total": 2 },
        "current_phase": null,
        "current_task": null,
        "failed_phases": [],
        "updated_at": null,
        "stale": null,
        "gates": [],
        "trouble": null,
    });
    assert_eq!(summary, expected);
    let expected = json!({
        "key": "command:implement/auth",
        "unit": "phases",
        "lifecycle": "in_flight",
        "progress": { "done": 1, "total": 2 },
    });
    assert_eq!(report["focus"], expected);
    let expected = json!([
        {
            "kind": "next",
            "key": "command:implement/auth",
            "ids": ["validation"],
            "source": "checkpoint",
            "text": "Start phase validation of implement/auth.",
            "command": "ckpt phase implement/auth validation complete --summary SUMMARY",
        },
        {
            "kind": "done",
            "key": "command:implement/auth",
            "ids": ["implementation"],
            "source": "checkpoint",
            "text": "implementation (reported)",
            "details": ["It works"],
        },
    ]);
    assert_eq!(report["facts"], expected);
    let text = environment.ckpt(&["resume"]).exits(0).stdout;
    assert_eq!(report["text"], text);
}
