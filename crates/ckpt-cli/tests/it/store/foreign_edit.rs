//! What others do to the files is noticed, kept and recorded.

use serde_json::json;

use crate::support::environment::{AUTH, Environment};
use crate::support::fixture::Fixture;
use crate::support::record;

fn worked_on() -> Environment {
    let environment = Environment::started_with("plan,build");
    environment
        .ckpt(&["phase", "implement/auth", "plan", "complete"])
        .exits(0);
    environment
}

#[test]
fn an_edit_between_two_changes_is_recorded_and_kept() {
    let environment = worked_on();
    let edited = environment
        .read(AUTH)
        .replace("\"plan\": {", "\"plan\": { \"by hand\": true,");
    environment.write(AUTH, &edited);
    let report = environment.ckpt(&["phase", "implement/auth", "build", "complete", "--json"]);
    assert_eq!(report.exits(0).json()["absorbed_foreign_edit"], true);
    assert_eq!(
        environment.events("implement-auth"),
        [
            "1 checkpoint_started",
            "2 phase_updated",
            "3 external_edit",
            "4 phase_updated"
        ]
    );
    record::assert_consecutive(&environment.history("implement-auth"));
    let document = environment.document("implement-auth");
    assert_eq!(document["phases"]["plan"]["by hand"], true);
    let found = &environment.history("implement-auth")[2];
    assert_eq!(
        (&found["by"], &found["file"]),
        (&json!("ckpt"), &json!("implement-auth.json"))
    );
}

#[test]
fn a_document_with_a_foreign_edit_has_no_revision_until_the_next_change() {
    let environment = worked_on();
    let edited = environment.read(AUTH).replace("\"plan\"", "\"Plan\"");
    environment.write(AUTH, edited);
    let shown = environment
        .ckpt(&["show", "implement/auth", "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["revision"], json!(null));
}

#[test]
fn going_back_to_an_earlier_content_is_recorded_as_rewound() {
    let environment = worked_on();
    let earlier = environment.read(AUTH);
    for status in ["in_progress", "complete"] {
        environment
            .ckpt(&["phase", "implement/auth", "build", status])
            .exits(0);
    }
    environment.write(AUTH, &earlier);
    environment
        .ckpt(&["phase", "implement/auth", "build", "skipped"])
        .exits(0);
    let events = environment.events("implement-auth");
    assert_eq!(events[4..], ["5 rewound", "6 phase_updated"]);
    assert_eq!(environment.history("implement-auth")[4]["to_rev"], 2);
    let document = environment.document("implement-auth");
    assert_eq!(document["state"]["completed_phases"], json!(["plan"]));
}

#[test]
fn a_touched_file_with_the_same_content_is_not_an_edit() {
    let environment = worked_on();
    let same = environment.read(AUTH);
    environment.write(AUTH, same);
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    record::assert_sound(&environment, "implement-auth");
}

#[test]
fn a_document_that_was_there_before_its_history_is_adopted() {
    let environment = Environment::new();
    let fixture = Fixture::named("file-structure");
    fixture.place(&environment);
    environment
        .ckpt(&["phase", &fixture.key(), "implementation", "complete"])
        .exits(0);
    let stem = "implement-checkpoint-infrastructure";
    assert_eq!(environment.events(stem), ["1 adopted", "2 phase_updated"]);
    let adopted = &environment.history(stem)[0]["files"][format!("{stem}.json")]["content"];
    assert_eq!(adopted, fixture.text.as_str());
}

#[test]
fn log_shows_the_newest_first() {
    let environment = worked_on();
    environment
        .ckpt(&[
            "phase",
            "implement/auth",
            "build",
            "failed",
            "--error",
            "no",
            "--by",
            "team:x",
        ])
        .exits(0);
    let log = environment.ckpt(&["log", "implement/auth"]).exits(0).stdout;
    insta::assert_snapshot!(environment.normalised(&log), @r"
    3  [TIME]  phase build: pending → failed  by team:x
    2  [TIME]  phase plan: pending → complete  by main
    1  [TIME]  started  by main
    ");
    let one = environment.ckpt(&["log", "-n", "1"]).exits(0).stdout;
    assert_eq!(one.lines().count(), 1);
}
