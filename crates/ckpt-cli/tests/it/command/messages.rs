//! The exact messages that the format prescribes.

use serde_json::json;

use crate::support::environment::{AUTH, Environment, Run};

fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

/// Asserts that the first line says this, perhaps followed by a hint.
#[track_caller]
fn assert_says(run: &Run, message: &str) {
    let said = run.reason().strip_prefix("error: ").unwrap_or_default();
    let rest = said.strip_prefix(message);
    let ends = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(". "));
    assert!(ends, "{run}\nshould say: {message}");
}

#[test]
fn a_summary_of_500_tokens_is_accepted() {
    let phase = ["phase", "implement/auth", "a", "--summary", &words(500)];
    Environment::started().ckpt(&phase).exits(0);
}

#[test]
fn a_summary_of_501_tokens_is_rejected_and_the_file_stays() {
    let environment = Environment::started();
    let before = environment.read(AUTH);
    let phase = [
        "phase",
        "implement/auth",
        "build it",
        "complete",
        "--summary",
        &words(501),
    ];
    let run = environment.ckpt(&phase).exits(4);
    assert_says(
        &run,
        "Phase \"build it\" Context summary exceeds 500 token limit (actual: 501 tokens)",
    );
    assert_eq!(environment.read(AUTH), before);
    assert_eq!(environment.history("implement-auth").len(), 1);
}

#[test]
fn a_summary_of_the_whole_state_that_is_too_long_is_rejected() {
    let environment = Environment::started();
    let before = environment.read(AUTH);
    let mut document = environment.document("implement-auth");
    document["state"]["context_summary"] = json!(words(612));
    let run = environment
        .ckpt_reading(document.to_string(), &["save", "implement/auth"])
        .exits(4);
    assert_says(
        &run,
        "Context summary exceeds 500 token limit (actual: 612 tokens)",
    );
    assert_eq!(environment.read(AUTH), before);
}

#[test]
fn a_limit_of_the_settings_is_named_in_the_message() {
    let environment = Environment::started().with_variable("CKPT_SUMMARY_LIMIT", "3");
    let run = environment.ckpt(&[
        "phase",
        "implement/auth",
        "a",
        "--summary",
        "one two three four",
    ]);
    assert_says(
        &run.exits(4),
        "Phase \"a\" Context summary exceeds 3 token limit (actual: 4 tokens)",
    );
}

#[test]
fn a_corrupt_file() {
    let environment = Environment::started();
    let path = environment.write(AUTH, "{ \"command\": ");
    let message = format!("Checkpoint file exists but is corrupt: {}", path.display());
    for arguments in [
        &["show", "implement/auth"][..],
        &["resume", "implement/auth"],
        &["gate", "check", "implement/auth"],
    ] {
        let run = environment.ckpt(arguments).exits(4);
        assert!(
            run.reason().starts_with(&format!("error: {message}")),
            "{run}"
        );
    }
}

#[test]
fn a_file_system_that_refuses() {
    let environment = Environment::started();
    let document = environment.read(AUTH);
    let path = environment.path(AUTH);
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    for (arguments, what) in [
        (&["show", "implement/auth"][..], "load checkpoint"),
        (&["resume", "implement/auth"], "load checkpoint"),
        (
            &["phase", "implement/auth", "a", "complete"],
            "update phase",
        ),
        (&["save", "implement/auth"], "save checkpoint"),
        (&["complete", "implement/auth"], "save checkpoint"),
    ] {
        let run = environment.ckpt_reading(&document, arguments).exits(1);
        let message = format!("error: Failed to {what}: ");
        assert!(run.reason().starts_with(&message), "{run}");
        assert!(run.reason().contains(path.to_str().unwrap()), "{run}");
    }
}

#[test]
fn an_unsupported_version_on_disk_is_never_overwritten() {
    for (version, shown) in [
        (json!(2), "2"),
        (json!("1"), "1"),
        (json!(null), "null"),
        (json!(1.5), "1.5"),
    ] {
        let environment = Environment::started();
        let mut document = environment.document("implement-auth");
        let valid = document.to_string();
        document["version"] = version;
        environment.write(AUTH, document.to_string());
        let message = format!("Unsupported checkpoint schema version: {shown} (expected 1)");
        for arguments in [
            &["phase", "implement/auth", "a", "complete"][..],
            &["complete", "implement/auth"],
            &["abandon", "implement/auth", "--reason", "x"],
            &["gate", "set", "implement/auth", "--allow"],
            &["start", "implement", "auth", "--again"],
        ] {
            assert_says(&environment.ckpt(arguments).exits(4), &message);
        }
        let run = environment
            .ckpt_reading(valid, &["save", "implement/auth"])
            .exits(4);
        assert_says(&run, &message);
        assert_eq!(environment.read(AUTH), document.to_string());
        let shown = environment
            .ckpt(&["show", "implement/auth", "--json"])
            .exits(0)
            .json();
        assert_eq!(shown["findings"][0]["rule"], "command.version");
    }
}

#[test]
fn a_document_of_another_version_cannot_be_saved() {
    let environment = Environment::started();
    let before = environment.read(AUTH);
    for (version, shown) in [
        (Some(json!(2)), "2"),
        (Some(json!("1")), "1"),
        (None, "undefined"),
    ] {
        let mut document = environment.document("implement-auth");
        match version {
            Some(version) => document["version"] = version,
            None => drop(document.as_object_mut().unwrap().remove("version")),
        }
        let run = environment.ckpt_reading(document.to_string(), &["save", "implement/auth"]);
        let message =
            format!("Cannot save checkpoint with unsupported schema version: {shown} (expected 1)");
        assert_says(&run.exits(4), &message);
    }
    assert_eq!(environment.read(AUTH), before);
}

#[test]
fn nothing_to_complete() {
    let run = Environment::new()
        .ckpt(&["complete", "implement/auth"])
        .exits(3);
    assert_says(&run, "Cannot complete checkpoint: no checkpoint found");
}

#[test]
fn names_without_a_usable_character() {
    let environment = Environment::new();
    let feature = "Feature name must contain valid characters";
    let command = "Command name is required and must contain valid characters";
    for (arguments, message) in [
        (&["start", "implement", ".."][..], feature),
        (&["start", "implement", ""], feature),
        (&["phase", "implement/", "a", "complete"], feature),
        (&["phase", "implement/***", "a", "complete"], feature),
        (&["start", ""], command),
        (&["start", "???", "x"], command),
        (&["phase", "/auth", "a", "complete"], command),
    ] {
        assert_says(&environment.ckpt(arguments).exits(2), message);
    }
    assert!(!environment.path(".claude").exists());
}
