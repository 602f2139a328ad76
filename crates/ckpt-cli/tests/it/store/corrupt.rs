//! A file that is no longer JSON: kept, reported, restored.

use std::fs;

use serde_json::json;

use crate::support::environment::{AUTH, Environment};
use crate::support::strace::{MOST_CALLS, strace_works, tampered, was_tampered};
use crate::support::{record, tree};

fn copies(environment: &Environment) -> Vec<String> {
    let mut names = tree::names(&environment.state(""));
    names.retain(|name| name.starts_with("implement-auth.json.corrupt-"));
    names
}

fn worked_on() -> Environment {
    let environment = Environment::started_with("plan,build");
    environment.complete_plan_phase("Planned");
    environment
}

#[test]
fn the_next_change_keeps_a_copy_and_restores_the_last_recorded_state() {
    for damage in [
        "",
        "{ \"command\": \"impl",
        "\0\0\0\0",
        "<<<<<<< HEAD\n",
        "{} {}",
    ] {
        let environment = worked_on();
        environment.write(AUTH, damage);
        environment.ckpt(&["show", "implement/auth"]).exits(4);
        assert_eq!(environment.read(AUTH), damage);

        let run = environment
            .ckpt(&["phase", "implement/auth", "build", "complete"])
            .exits(0);
        let copies = copies(&environment);
        assert_eq!(copies.len(), 1, "{damage:?}");
        assert_eq!(
            environment.read(&format!(".claude/state/{}", copies[0])),
            damage
        );
        let expected = format!(
            "warning: command:implement/auth was unreadable and is kept as {}; \
             its last recorded state was restored from history\n",
            environment.state(&copies[0]).display()
        );
        assert_eq!(run.stderr, expected);
        let document = environment.document("implement-auth");
        assert_eq!(document["phases"]["plan"]["context_summary"], "Planned");
        assert_eq!(
            document["state"]["completed_phases"],
            json!(["plan", "build"])
        );
        record::assert_consecutive(&environment.history("implement-auth"));
    }
}

#[test]
fn the_copy_is_named_by_the_time_without_colons() {
    let environment = worked_on();
    environment.write(AUTH, "{");
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    let name = copies(&environment).pop().unwrap();
    let time = name.strip_prefix("implement-auth.json.corrupt-").unwrap();
    assert!(
        time.starts_with("20") && time.ends_with('Z') && !time.contains(':'),
        "{name}"
    );
}

#[test]
fn without_a_history_the_next_change_starts_afresh_and_still_keeps_a_copy() {
    let environment = Environment::new();
    environment.write(AUTH, "{ never ours");
    let report = environment.ckpt(&["phase", "implement/auth", "build", "complete", "--json"]);
    let report = report.exits(0);
    let copies = copies(&environment);
    assert_eq!(copies.len(), 1);
    assert_eq!(
        environment.read(&format!(".claude/state/{}", copies[0])),
        "{ never ours"
    );
    assert_eq!(
        report.json()["moved_aside"],
        environment.state(&copies[0]).to_str().unwrap()
    );
    assert!(
        report.stderr.contains("nothing could be restored"),
        "{report}"
    );
    assert_eq!(
        environment.document("implement-auth")["state"]["completed_phases"],
        json!(["build"])
    );
}

#[test]
fn a_lost_history_starts_a_new_epoch() {
    let environment = worked_on();
    let epoch =
        |environment: &Environment| environment.history("implement-auth")[0]["epoch"].clone();
    let first = epoch(&environment);
    fs::remove_dir_all(environment.state("history")).unwrap();
    environment.without_copies();
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    assert_eq!(
        environment.events("implement-auth"),
        ["1 adopted", "2 phase_updated"]
    );
    assert_ne!(epoch(&environment), first);
    let phases = environment.document("implement-auth")["state"]["completed_phases"].clone();
    assert_eq!(phases, json!(["plan", "build"]));
    let document = environment.read(AUTH);
    let base = format!("2-{}", first.as_str().unwrap());
    environment
        .ckpt_reading(document, &["save", "implement/auth", "--base", &base])
        .exits(3);
}

#[test]
fn a_torn_last_line_of_history_is_skipped() {
    let environment = worked_on();
    let history = environment.state("history/command/implement-auth.jsonl");
    let whole = fs::read_to_string(&history).unwrap();
    fs::write(&history, format!("{whole}{{\"ts\":\"2026-01-29T10:3")).unwrap();
    let log = environment
        .ckpt(&["log", "implement/auth", "--json"])
        .exits(0)
        .json();
    assert_eq!(log["entries"].as_array().unwrap().len(), 2);
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    let text = fs::read_to_string(&history).unwrap();
    assert!(text.starts_with(&whole));
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["rev"], &last["event"]),
        (&json!(3), &json!("phase_updated"))
    );
}

#[test]
fn a_deleted_document_starts_over_and_is_distinguished_from_a_crash() {
    let environment = worked_on();
    fs::remove_file(environment.path(AUTH)).unwrap();
    environment.without_copies();
    environment.ckpt(&["show", "implement/auth"]).exits(3);
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    record::assert_consecutive(&environment.history("implement-auth"));
    assert_eq!(
        record::count(&environment, "implement-auth", "external_edit"),
        1
    );
    assert_eq!(
        environment.document("implement-auth")["state"]["completed_phases"],
        json!(["build"])
    );
}

#[test]
fn a_change_that_needs_what_was_lost_says_that_it_is_corrupt() {
    let environment = Environment::new();
    let path = environment.write(AUTH, "{ never ours");
    let message = format!("Checkpoint file exists but is corrupt: {}", path.display());
    for arguments in [
        &["complete", "implement/auth"][..],
        &["abandon", "implement/auth", "--reason", "x"],
        &["gate", "set", "implement/auth", "--block", "x"],
        &["gate", "override", "implement/auth", "--reason", "x"],
    ] {
        let run = environment.ckpt(arguments).exits(4);
        assert!(run.reason().contains(&message), "{run}");
        assert_eq!(environment.read(AUTH), "{ never ours");
    }
}

#[test]
fn a_history_that_cannot_be_read_is_not_given_up() {
    if !strace_works() {
        return;
    }
    let mut refused = 0;
    for count in 1..=MOST_CALLS {
        let environment = worked_on();
        environment.write(AUTH, "{ torn");
        let change = ["phase", "implement/auth", "build", "complete"];
        let how = format!("error=EIO:when={count}");
        let run = tampered(&environment, &change, "pread64", &how);
        if run.code == Some(0) {
            let document = environment.document("implement-auth");
            assert_eq!(
                document["phases"]["plan"]["context_summary"], "Planned",
                "EIO at pread64 {count}"
            );
            if !was_tampered(&environment) {
                break;
            }
        } else if run.code == Some(1) {
            assert_eq!(environment.read(AUTH), "{ torn");
            refused += 1;
        } else {
            // The loader of shared libraries reads files too.
            assert_eq!(run.code, Some(127), "{run}");
        }
    }
    assert!(refused > 1, "only {refused} reads were refused");
}
