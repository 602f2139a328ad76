//! `ckpt log`

use crate::support::environment::Environment;

fn worked() -> Environment {
    let environment = Environment::started_with("research,build");
    for line in [
        "phase implement/auth research complete --summary Sessions-are-rows --by subagent:explore",
        "phase implement/auth build in_progress --task T2",
        "start review auth",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        environment.ckpt(&words).exits(0);
    }
    environment
}

/// The stories, without numbers and times.
fn stories(environment: &Environment, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let shown = environment.ckpt(&words).exits(0).stdout;
    let story = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words[2..].join(" ")
    };
    shown.lines().map(story).collect()
}

#[test]
fn everything_that_happened_is_told_in_words_newest_first() {
    let environment = worked();
    assert_eq!(
        stories(&environment, "log"),
        [
            "review/auth started by main",
            "implement/auth phase build: pending → in_progress (T2) by main",
            "implement/auth phase research: pending → complete by subagent:explore",
            "implement/auth started by main",
        ]
    );
    assert_eq!(
        stories(&environment, "log implement/auth -n 1"),
        ["phase build: pending → in_progress (T2) by main"]
    );
}

#[test]
fn entries_are_found_by_author_event_time_and_text() {
    let environment = worked();
    for (line, expected) in [
        ("log --by subagent", 1),
        ("log --by subagent:explore", 1),
        ("log --by sub", 0),
        ("log --event phase", 2),
        ("log --search SESSIONS-are", 1),
        ("log --search (t2)", 1),
        ("log --since @1h", 4),
        ("log --until @1h", 0),
        ("log --since 2026-01-01 --until 2126-01-01 -n 3", 3),
    ] {
        assert_eq!(stories(&environment, line).len(), expected, "{line}");
    }
    let wrong = environment.ckpt(&["log", "--since", "yesterday"]).exits(2);
    assert!(
        wrong.reason().contains("yesterday is not a time"),
        "{wrong}"
    );
}

#[test]
fn other_worktrees_are_told_with_their_names() {
    let environment = worked();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let start = ["-C", "../site", "start", "design", "theme"];
    environment.ckpt(&start).exits(0);
    let told = stories(&environment, "log");
    assert_eq!(told[0], "site: design/theme started by main");
    assert_eq!(told.len(), 5);
}

#[test]
fn json_has_the_lines_with_the_names_of_their_checkpoints() {
    let environment = worked();
    let report = environment.ckpt(&["log", "--json"]).exits(0).json();
    assert_eq!(report["key"], serde_json::Value::Null);
    assert_eq!(report["entries"][0]["checkpoint"], "review/auth");
    assert_eq!(report["entries"][1]["status"], "in_progress");
    assert_eq!(report["entries"][1]["was"], "pending");
}
