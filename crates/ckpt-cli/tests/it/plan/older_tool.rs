//! What an older tool recorded is imported once.

use crate::support::planned::{Planned, TEXT};

/// A plan with a record of the older tool beside it.
fn with_legacy(content: &str) -> Planned {
    let planned = Planned::new(TEXT);
    planned.put(".memory/progress.json", content);
    planned
}

#[test]
fn a_clear_record_of_the_older_tool_is_imported_once_and_never_written() {
    let content = r#"{ "schema": true, "form": true, "roles": false }"#;
    let planned = with_legacy(content);
    planned.does(&["sync"]);
    assert_eq!(planned.task("setup", "schema")["done"], true);
    assert_eq!(planned.task("build", "form")["done"], true);
    assert_eq!(planned.task("setup", "roles")["done"], false);
    assert_eq!(planned.stored()["progress"]["completedTasks"], 2);
    assert_eq!(planned.text(".memory/progress.json"), content);
    planned.does(&["undo", "schema"]);
    planned.put(
        ".memory/progress.json",
        r#"{ "release": true, "schema": true }"#,
    );
    planned.does(&["sync"]);
    assert_eq!(planned.task("setup", "schema")["done"], false, "only once");
    assert_eq!(planned.task("ship", "release")["done"], false, "only once");
    assert_eq!(
        planned.text(".memory/progress.json"),
        r#"{ "release": true, "schema": true }"#
    );
}

#[test]
fn a_plan_that_has_a_state_takes_nothing_over() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    planned.put(".memory/progress.json", r#"{ "schema": true }"#);
    planned.does(&["sync"]);
    assert_eq!(planned.task("setup", "schema")["done"], false);
    assert_eq!(planned.markdown(), TEXT);
}

#[test]
fn an_ambiguous_record_of_the_older_tool_is_reported_and_left_alone() {
    for content in [
        "{ torn",
        "[]",
        "42",
        r#"{ "schema": "perhaps" }"#,
        r#"{ "x": { "y": 1 } }"#,
    ] {
        let planned = with_legacy(content);
        let run = planned.does(&["sync"]);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("progress.json"), "{content}: {run}");
        assert_eq!(
            planned.stored()["progress"]["completedTasks"],
            0,
            "{content}"
        );
        assert_eq!(planned.markdown(), TEXT, "{content}");
        assert_eq!(planned.text(".memory/progress.json"), content);
    }
}
