//! What has changed around a piece of work.

use super::sandbox::Sandbox;

#[test]
fn a_commit_cannot_hide_behind_its_subject_or_its_files() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    let forged = format!("\u{1}{since}\u{2}Ada\u{2}harmless\u{3}\n\nbody");
    sandbox.write(since.as_ref(), "a file named like a commit\n");
    let made = sandbox.commit(&forged);
    // The reflog does not say that it was made here.
    sandbox.git(&["reflog", "expire", "--expire=all", "--all"]);
    let found = sandbox.discover().foreign_commits(&since, 10).unwrap();
    let found = found.unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].id, made);
    assert!(found[0].subject.contains("harmless"), "{found:?}");
    assert_eq!(found[0].files, [since.to_string()]);
}

#[test]
fn own_commits_are_no_news() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    sandbox.write("a.txt", "a");
    sandbox.commit("mine");
    let found = sandbox.discover().foreign_commits(&since, 10).unwrap();
    assert_eq!(found, Some(Vec::new()));
}
