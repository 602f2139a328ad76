//! What has changed since a commit.

use std::fs;
use std::time::{Duration, SystemTime};

use super::super::{CommitId, Drift, Environment, Repository, RepositoryError};
use super::sandbox::{Sandbox, discover};

fn drift(sandbox: &Sandbox, since: &CommitId, files: &[&str]) -> Drift {
    let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    sandbox.discover().drift(since, &files).unwrap()
}

#[test]
fn nothing_moved_since_head_of_a_clean_tree() {
    let sandbox = Sandbox::committed();
    let moved = drift(
        &sandbox,
        &sandbox.head_by_git(),
        &["file", "dir/other", "never"],
    );
    assert_eq!((moved.commits, moved.left_behind), (Some(0), 0));
    assert!(moved.changed_files.is_empty());
    assert!(!moved.has_diverged());
}

#[test]
fn commits_and_changed_files_are_counted_to_the_work_tree() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    sandbox.write("committed", "x");
    sandbox.write("dir/other", "changed");
    sandbox.commit("second");
    sandbox.commit("third");
    sandbox.write("staged", "x");
    sandbox.git(&["add", "staged"]);
    sandbox.write("untracked", "x");
    sandbox.write("unasked", "x");
    sandbox.remove("file");
    let asked = [
        "untracked",
        "staged",
        "file",
        "dir/other",
        "committed",
        "never",
    ];
    let moved = drift(&sandbox, &since, &asked);
    assert_eq!((moved.commits, moved.left_behind), (Some(2), 0));
    assert_eq!(moved.changed_files, &asked[..5]);
}

#[test]
fn a_change_that_was_undone_does_not_count() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    sandbox.write("file", "other");
    sandbox.commit("second");
    sandbox.write("file", "one\n");
    assert!(drift(&sandbox, &since, &["file"]).changed_files.is_empty());
}

#[test]
fn ignored_files_do_not_count() {
    let sandbox = Sandbox::committed();
    sandbox.write(".gitignore", "*.log\n");
    let since = sandbox.commit("second");
    sandbox.write("a.log", "x");
    assert!(drift(&sandbox, &since, &["a.log"]).changed_files.is_empty());
}

#[test]
fn a_touched_file_is_not_a_change_and_the_index_stays_as_it_is() {
    let sandbox = Sandbox::committed();
    let file = fs::File::options()
        .write(true)
        .open(sandbox.repo().join("file"))
        .unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(1000))
        .unwrap();
    let before = sandbox.git_files();
    assert!(
        drift(&sandbox, &sandbox.head_by_git(), &["file"])
            .changed_files
            .is_empty()
    );
    assert!(sandbox.git_files() == before);
}

#[test]
fn a_rewritten_history_leaves_commits_behind() {
    let sandbox = Sandbox::committed();
    sandbox.commit("second");
    let since = sandbox.commit("third");
    sandbox.git(&["reset", "-q", "--hard", "HEAD~2"]);
    sandbox.commit("other");
    let moved = drift(&sandbox, &since, &[]);
    assert_eq!((moved.commits, moved.left_behind), (Some(1), 2));
    assert!(moved.has_diverged());
}

#[test]
fn an_unborn_branch_leaves_every_commit_behind() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    sandbox.git(&["checkout", "-q", "--orphan", "fresh"]);
    let moved = drift(&sandbox, &since, &["file"]);
    assert_eq!((moved.commits, moved.left_behind), (Some(0), 1));
    assert!(moved.changed_files.is_empty());
}

#[test]
fn of_a_commit_that_git_does_not_know_nothing_is_known() {
    let sandbox = Sandbox::committed();
    let tree = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
    for unknown in ["0".repeat(40), "a".repeat(64), tree] {
        let moved = drift(&sandbox, &unknown.parse().unwrap(), &["file"]);
        assert_eq!(moved, Drift::default());
        assert_eq!(moved.commits, None);
    }
}

#[test]
fn paths_may_be_relative_or_absolute_and_are_reported_once_relative_to_the_root() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    sandbox.write("file", "changed");
    sandbox.write("dir/other", "changed");
    let absolute = sandbox.repo().join("file");
    let asked = [
        absolute.to_str().unwrap(),
        "./file",
        "dir/../dir/other",
        "file",
        "/etc/passwd",
        "../x",
        ".",
        "",
    ];
    assert_eq!(
        drift(&sandbox, &since, &asked).changed_files,
        ["file", "dir/other"]
    );
}

#[test]
fn a_directory_is_changed_when_something_below_it_is() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    sandbox.write("dir-b/x", "new");
    sandbox.write("sub/deep/x", "new");
    assert_eq!(
        drift(&sandbox, &since, &["dir/", "dir-b/", "sub"]).changed_files,
        ["dir-b", "sub"]
    );
}

#[test]
fn names_that_look_like_options_or_patterns_are_names() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    let odd = [
        "--output=x",
        ":(top)file",
        "*",
        "new\nline",
        "ü b",
        "[d]ir",
        "tab\t\"quote\"",
    ];
    for name in odd {
        sandbox.write(name, "x");
    }
    sandbox.git(&["add", "--", "new\nline"]);
    assert_eq!(drift(&sandbox, &since, &odd).changed_files, odd);
    sandbox.remove("*");
    assert!(
        drift(&sandbox, &since, &["*", "[f]ile"])
            .changed_files
            .is_empty()
    );
}

#[test]
fn thousands_of_files_can_be_asked_about() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    sandbox.write("file", "changed");
    sandbox.write("new", "x");
    let mut asked: Vec<String> = (0..20_000)
        .map(|number| format!("some/long/path/file{number}"))
        .collect();
    asked.extend(["file".to_owned(), "new".to_owned()]);
    assert_eq!(
        sandbox
            .discover()
            .drift(&since, &asked)
            .unwrap()
            .changed_files,
        ["file", "new"]
    );
}

#[test]
fn below_a_given_root_paths_are_relative_to_it() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    sandbox.write("dir/other", "changed");
    sandbox.write("file", "changed");
    let environment = Environment {
        git_root: Some(sandbox.repo().join("dir")),
        ..Environment::default()
    };
    let found = Repository::discover(sandbox.top(), &environment).unwrap();
    let asked = ["other".to_owned(), "file".to_owned(), "../file".to_owned()];
    assert_eq!(
        found.drift(&since, &asked).unwrap().changed_files,
        ["other"]
    );
}

#[test]
fn a_conflict_is_reported_once() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    super::digest_layouts::conflict(&sandbox);
    assert_eq!(drift(&sandbox, &since, &["file"]).changed_files, ["file"]);
}

#[test]
fn outside_git_there_is_no_drift_to_measure() {
    let sandbox = Sandbox::empty();
    let error = discover(sandbox.top())
        .drift(&"0".repeat(40).parse().unwrap(), &[])
        .unwrap_err();
    assert!(matches!(error, RepositoryError::NotGit { .. }), "{error}");
}
