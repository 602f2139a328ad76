//! Reading, and changes that are refused, leave no trace.

use crate::support::environment::Environment;
use crate::support::tree;

const READS: [&[&str]; 17] = [
    &["list"],
    &["list", "--json"],
    &["show"],
    &["show", "implement/auth"],
    &["show", "implement/auth", "--json"],
    &["show", "implement/auth", "--raw"],
    &["status"],
    &["status", "--all", "--json"],
    &["resume"],
    &["resume", "implement/auth"],
    &["resume", "--json"],
    &["validate"],
    &["validate", "implement/auth", "--strict"],
    &["log", "implement/auth"],
    &["log", "implement/auth", "--json"],
    &["config"],
    &["start", "--help"],
];

/// Commands that ask git, and need a scratch directory in the git directory for it.
const READS_WITH_GIT: [&[&str]; 3] = [
    &["resume", "--drift"],
    &["gate", "show", "implement/auth"],
    &["gate", "check", "implement/auth"],
];

#[track_caller]
fn assert_reads_change_nothing(environment: &Environment) {
    let before = tree::listing(environment.base());
    for arguments in READS {
        environment.ckpt(arguments);
        tree::assert_unchanged(environment.base(), &before, &format!("{arguments:?}"));
    }
    for arguments in READS_WITH_GIT {
        environment.ckpt(arguments);
        let mut changed = tree::changes(&before, &tree::listing(environment.base()));
        changed.retain(|name| name != "repository/.git");
        assert_eq!(changed, [""; 0], "{arguments:?}");
    }
}

#[test]
fn reading_changes_nothing_on_disk() {
    assert_reads_change_nothing(&Environment::moved_on());
}

#[test]
fn reading_changes_nothing_where_there_is_no_state_at_all() {
    assert_reads_change_nothing(&Environment::new());
    assert_reads_change_nothing(&Environment::without_git());
}

#[test]
fn reading_changes_nothing_after_a_foreign_edit_or_a_crash() {
    let environment = Environment::moved_on();
    let edited = environment
        .read(".claude/state/implement-auth.json")
        .replace("src/a.rs", "src/b.rs");
    environment.write(".claude/state/implement-auth.json", edited);
    environment.write(".claude/state/.implement-auth.json.ckpt-tmp", "half of");
    assert_reads_change_nothing(&environment);
    environment.write(".claude/state/implement-auth.json", "{ corrupt");
    assert_reads_change_nothing(&environment);
}

#[test]
fn a_change_that_is_refused_leaves_no_trace_where_there_is_no_state() {
    let environment = Environment::new();
    let before = tree::listing(environment.base());
    let long = vec!["word"; 501].join(" ");
    for arguments in [
        &["complete", "implement/auth"][..],
        &["abandon", "implement/auth", "--reason", "x"],
        &["phase", "implement/auth", "a", "--summary", &long],
        &["gate", "set", "ship", "--block", "x"],
        &["save", "implement/auth"],
    ] {
        let run = environment.ckpt_reading("{}", arguments);
        assert_ne!(run.code, Some(0), "{arguments:?}");
        tree::assert_unchanged(environment.base(), &before, &format!("{arguments:?}"));
    }
}
