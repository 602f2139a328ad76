//! Saving a whole document.

use serde_json::{Value, json};

use crate::support::environment::{AUTH, Environment, Run};
use crate::support::fixture::Fixture;

/// The document as somebody loads it, with its revision.
fn load(environment: &Environment) -> (Value, String) {
    let mut shown = environment
        .ckpt(&["show", "implement/auth", "--json"])
        .exits(0)
        .json();
    let revision = shown["revision"].as_str().unwrap().to_owned();
    (shown["document"].take(), revision)
}

fn save(environment: &Environment, document: &Value, base: Option<&str>) -> Run {
    let mut arguments = vec!["save", "implement/auth"];
    if let Some(base) = base {
        arguments.extend(["--base", base]);
    }
    environment.ckpt_reading(document.to_string(), &arguments)
}

#[test]
fn saving_an_unchanged_document_changes_only_what_every_save_stamps() {
    for fixture in Fixture::all() {
        let environment = Environment::new();
        let file = fixture.place(&environment);
        environment.git(&["add", "--force", &file]);
        environment.commit("the checkpoint");
        environment
            .ckpt_reading(&fixture.text, &["save", &fixture.key()])
            .exits(0);
        let saved = environment.read(&file);
        let document: Value = match fixture.name.as_str() {
            "numbers" => json!(null),
            _ => serde_json::from_str(saved.trim_start_matches('\u{feff}')).unwrap(),
        };
        let mut restored = saved.replace(
            &environment.head(),
            "d36b6b4a1e2f3c4d5e6f7a8b9c0d1e2f3a4b5c6d",
        );
        if let Some(time) = document["updated_at"].as_str() {
            restored = restored.replace(time, "2026-01-29T11:45:00.000Z");
        }
        match fixture.name.as_str() {
            // It had no commit before, and its time cannot be looked up with so large a number.
            "unknown-members" => {
                let head = "\"d36b6b4a1e2f3c4d5e6f7a8b9c0d1e2f3a4b5c6d\"";
                assert_eq!(restored.replace(head, "null"), fixture.text);
            }
            "numbers" => {
                let lines = |text: &str| {
                    text.lines()
                        .filter(|line| !line.contains("updated_at"))
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                };
                assert_eq!(lines(&restored), lines(&fixture.text));
            }
            name => assert_eq!(restored, fixture.text, "{name}"),
        }
    }
}

#[test]
fn saving_makes_a_checkpoint_where_there_is_none() {
    let environment = Environment::new();
    let document = json!({ "version": 1, "state": { "current_phase": null, "completed_phases": [], "pending_phases": [] }, "phases": {} });
    save(&environment, &document, None).exits(0);
    let saved = environment.document("implement-auth");
    assert!(saved["started_at"].is_string() && saved["updated_at"].is_string());
    assert_eq!(saved["head_commit"], environment.head());
}

#[test]
fn with_a_base_changes_of_both_sides_come_together() {
    let environment = Environment::started_with("plan,build");
    let (mut mine, base) = load(&environment);
    environment.complete_plan_phase("Planned");
    mine["phases"]["build"] = json!({ "status": "skipped" });
    mine["owner"] = json!("Ana");
    save(&environment, &mine, Some(&base)).exits(0);
    let merged = environment.document("implement-auth");
    assert_eq!(merged["phases"]["plan"]["context_summary"], "Planned");
    assert_eq!(merged["phases"]["build"], json!({ "status": "skipped" }));
    assert_eq!(merged["owner"], "Ana");
    assert_eq!(merged["state"]["completed_phases"], json!(["plan"]));
}

#[test]
fn with_a_base_a_removal_is_a_change_too() {
    let environment = Environment::started_with("plan,build");
    environment
        .ckpt(&["phase", "implement/auth", "plan", "failed", "--error", "x"])
        .exits(0);
    let (mut mine, base) = load(&environment);
    environment
        .ckpt(&["phase", "implement/auth", "build", "in_progress"])
        .exits(0);
    mine["phases"].as_object_mut().unwrap().remove("plan");
    save(&environment, &mine, Some(&base)).exits(0);
    let merged = environment.document("implement-auth");
    assert_eq!(merged["phases"].get("plan"), None);
    assert_eq!(merged["phases"]["build"]["status"], "in_progress");
}

#[test]
fn with_a_base_a_true_conflict_is_refused_and_nothing_changes() {
    let environment = Environment::started_with("plan,build");
    let (mut mine, base) = load(&environment);
    environment.complete_plan_phase("Theirs");
    let before = environment.read(AUTH);
    mine["phases"]["plan"] = json!({ "status": "complete", "context_summary": "Mine" });
    let run = save(&environment, &mine, Some(&base)).exits(5);
    assert!(
        run.reason()
            .starts_with("error: Checkpoint changed since it was loaded. "),
        "{run}"
    );
    assert!(
        run.reason().contains("/phases/plan/context_summary"),
        "{run}"
    );
    assert_eq!(environment.read(AUTH), before);
    assert_eq!(environment.history("implement-auth").len(), 2);
}

#[test]
fn the_same_change_on_both_sides_is_not_a_conflict() {
    let environment = Environment::started_with("plan,build");
    let (mut mine, base) = load(&environment);
    let (mut theirs, _) = load(&environment);
    for document in [&mut mine, &mut theirs] {
        document["owner"] = json!("Ana");
    }
    save(&environment, &theirs, None).exits(0);
    save(&environment, &mine, Some(&base)).exits(0);
    assert_eq!(environment.document("implement-auth")["owner"], "Ana");
}

#[test]
fn a_base_that_is_still_current_is_taken_as_it_is() {
    let environment = Environment::started_with("plan,build");
    let (mut mine, base) = load(&environment);
    mine["owner"] = json!("Ana");
    save(&environment, &mine, Some(&base)).exits(0);
    save(&environment, &mine, Some(&base)).exits(0);
    let number = base.split('-').next().unwrap();
    save(&environment, &mine, Some(number)).exits(0);
}

#[test]
fn a_foreign_edit_since_the_base_is_merged_like_any_other_change() {
    let environment = Environment::started_with("plan,build");
    let (mut mine, base) = load(&environment);
    let edited = environment
        .read(AUTH)
        .replace("\"phases\": {", "\"by hand\": 1, \"phases\": {");
    environment.write(AUTH, edited);
    mine["owner"] = json!("Ana");
    save(&environment, &mine, Some(&base)).exits(0);
    let merged = environment.document("implement-auth");
    assert_eq!(
        (&merged["by hand"], &merged["owner"]),
        (&json!(1), &json!("Ana"))
    );
}

#[test]
fn without_a_base_the_last_write_wins_and_the_history_keeps_what_was_there() {
    let environment = Environment::started_with("plan,build");
    let (mine, _) = load(&environment);
    environment.complete_plan_phase("Overwritten");
    save(&environment, &mine, None).exits(0);
    let phases = &environment.document("implement-auth")["phases"];
    assert_eq!(phases["plan"], json!({"status": "pending"}));
    let last = environment.history("implement-auth").pop().unwrap();
    assert_eq!(last["event"], "checkpoint_saved");
    assert!(last.to_string().contains("Overwritten"), "{last}");
}

#[test]
fn a_document_that_breaks_the_rules_is_not_saved() {
    let environment = Environment::started_with("plan,build");
    let before = environment.read(AUTH);
    for (pointer, value) in [
        ("phases", json!([])),
        ("state", json!("done")),
        ("phases", json!({ "a": { "status": "sleeping" } })),
    ] {
        let (mut mine, _) = load(&environment);
        mine[pointer] = value;
        let run = save(&environment, &mine, None).exits(4);
        assert!(
            run.reason()
                .starts_with("error: the document breaks the rule command."),
            "{run}"
        );
    }
    assert_eq!(environment.read(AUTH), before);
}
