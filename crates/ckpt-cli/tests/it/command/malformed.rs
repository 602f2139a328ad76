//! Documents that are deep, long or malformed: refused or read, never a panic.

use serde_json::json;

use crate::support::environment::{AUTH, Environment};

/// A checkpoint with one more member.
fn document_with(member: &str) -> String {
    format!(
        r#"{{ "command": "implement", "feature": "auth", "version": 1, "state": {{}}, "phases": {{}}, "more": {member} }}"#
    )
}

#[test]
fn nesting_beyond_the_limit_is_refused() {
    let environment = Environment::started();
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    environment.write(AUTH, document_with(&deep(100)));
    environment.ckpt(&["show", "implement/auth"]).exits(0);
    for depth in [200, 1_000_000] {
        environment.write(AUTH, document_with(&deep(depth)));
        environment.ckpt(&["show", "implement/auth"]).exits(4);
        let run =
            environment.ckpt_reading(document_with(&deep(depth)), &["save", "implement/auth"]);
        run.exits(4);
    }
}

#[test]
fn ten_thousand_members_are_handled() {
    let environment = Environment::started();
    let members: Vec<String> = (0..10_000).map(|n| format!("\"k{n}\": {n}")).collect();
    let members = format!("{{ {} }}", members.join(", "));
    environment.write(AUTH, document_with(&members));
    environment
        .ckpt(&["phase", "implement/auth", "a", "complete"])
        .exits(0);
    assert_eq!(
        environment.document("implement-auth")["more"]["k9999"],
        9999
    );
}

#[test]
fn odd_characters_survive_or_are_refused() {
    let environment = Environment::started();
    for text in [
        r#""\ud83d""#,
        r#""\ude00\ud83d""#,
        r#""\u0000""#,
        "\"\u{202e}\u{feff}\"",
        "\"\t\"",
        "1e999999",
        "-",
        "01",
        "NaN",
        "[1,]",
        "\"\\x\"",
    ] {
        environment.write(AUTH, document_with(text));
        let shown = environment.ckpt(&["show", "implement/auth", "--raw"]);
        shown.assert_no_panic(text);
        let run = environment
            .ckpt(&["phase", "implement/auth", "a", "complete"])
            .exits(0);
        run.assert_no_panic(text);
        if shown.code == Some(0) {
            assert!(environment.read(AUTH).contains(text), "{text}");
        }
        for arguments in [
            &["show"][..],
            &["show", "--json"],
            &["resume"],
            &["list"],
            &["validate"],
        ] {
            environment.ckpt(arguments).assert_no_panic(text);
        }
    }
}

#[test]
fn bytes_that_are_not_text_are_kept_aside() {
    let environment = Environment::started();
    environment.write(AUTH, b"{ \"command\": \"\xff\xfe\" }");
    environment.ckpt(&["show", "implement/auth"]).exits(4);
    environment
        .ckpt(&["phase", "implement/auth", "a", "complete"])
        .exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "b", "complete"])
        .exits(0);
    let phases = environment.document("implement-auth")["state"]["completed_phases"].clone();
    assert_eq!(phases, json!(["a", "b"]));
}

#[test]
fn members_of_the_wrong_type_stop_no_reader() {
    for document in [
        r#"{ "version": 1, "state": null, "phases": null }"#,
        r#"{ "version": 1, "state": { "current_phase": 7, "completed_phases": "x" }, "phases": [] }"#,
        r#"{ "version": 1, "command": 1, "feature": {}, "head_commit": [], "state": {}, "phases": { "a": 1, "b": { "status": 5 } } }"#,
        r#"{ "version": 1, "updated_at": "yesterday", "started_at": 5, "state": {}, "phases": { "a": { "files_created": [1] } }, "gate": 5 }"#,
    ] {
        let environment = Environment::new();
        environment.write(AUTH, document);
        for arguments in [
            &["show", "implement/auth"][..],
            &["show", "implement/auth", "--json"],
            &["resume", "implement/auth", "--drift"],
            &["status"],
            &["list"],
            &["validate"],
            &["gate", "check", "implement/auth"],
            &["phase", "implement/auth", "a", "complete"],
            &["complete", "implement/auth"],
        ] {
            let run = environment.ckpt(arguments);
            run.assert_no_panic(document);
            assert_ne!(run.code, Some(1), "{document}: {arguments:?}: {run}");
        }
    }
}
