//! What has changed around a piece of work.

use std::collections::BTreeMap;

use proptest::prelude::*;

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
    let found = found.unwrap().commits;
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
    let found = found.unwrap();
    assert_eq!(found.commits, []);
    assert!(found.is_ancestor);
}

#[test]
fn an_old_copy_is_recognised_by_the_commit_that_it_undoes() {
    let sandbox = Sandbox::committed();
    for (content, subject) in [("one", "First"), ("two", "Second"), ("three", "Third")] {
        sandbox.write("dir/a.txt", content);
        sandbox.commit(subject);
    }
    let repository = sandbox.discover();
    let undoes = |content: &str| {
        sandbox.write("dir/a.txt", content);
        repository.undoes("dir/a.txt").unwrap()
    };
    assert_eq!(undoes("two").as_deref(), Some("Third"));
    assert_eq!(undoes("one").as_deref(), Some("Second"));
    assert_eq!(undoes("three"), None, "as committed");
    assert_eq!(undoes("four"), None, "new");
    assert_eq!(undoes(""), None, "an empty file says nothing");
    sandbox.write("new.txt", "one");
    assert_eq!(repository.undoes("new.txt").unwrap(), None);
}

#[test]
fn a_commit_of_somebody_else_says_what_it_takes_back() {
    let sandbox = Sandbox::committed();
    sandbox.write("a.txt", "before");
    sandbox.commit("Before");
    sandbox.write("a.txt", "after");
    sandbox.commit("Change it");
    let since = sandbox.head_by_git();
    sandbox.git(&["switch", "--quiet", "--create", "theirs"]);
    sandbox.write("a.txt", "before");
    sandbox.commit("Take it back\n\nIt broke the build.");
    sandbox.write("b.txt", "b");
    sandbox.commit("Another");
    sandbox.git(&["switch", "--quiet", "-"]);
    // The reflog does not say that they were made here.
    for _ in 0..2 {
        sandbox.git(&["reflog", "delete", "HEAD@{1}"]);
    }
    sandbox.git(&["merge", "--quiet", "--ff-only", "theirs"]);
    let found = sandbox.discover().foreign_commits(&since, 10).unwrap();
    let found = found.unwrap().commits;
    let told: Vec<_> = found
        .iter()
        .map(|commit| (commit.subject.as_str(), commit.takes_back.as_deref()))
        .collect();
    assert_eq!(
        told,
        [("Another", None), ("Take it back", Some("Change it"))]
    );
    assert_eq!(found[1].body, "It broke the build.");
}

#[test]
fn a_file_is_left_out_where_git_knows_its_directory() {
    let sandbox = Sandbox::committed();
    sandbox.write("db/a.sql", "a");
    sandbox.commit("Add it");
    sandbox.write("db/b.sql", "b");
    sandbox.write("dist/app.js", "c");
    let repository = sandbox.discover();
    let is_left_out = |name: &str| repository.is_left_out(name, &[]).unwrap();
    assert!(!is_left_out("db/a.sql"));
    assert!(is_left_out("db/b.sql"));
    assert!(!is_left_out("dist/app.js"), "all of dist is ignored");
    let excluded = [crate::repository::Exclusion::of("db")];
    assert!(!repository.is_left_out("db/b.sql", &excluded).unwrap());
    assert!(repository.branch_tip("none").is_none());
    let head = repository.head().unwrap();
    assert_eq!(repository.branch_tip(&head.branch.unwrap()), head.commit);
}

#[test]
fn a_process_that_lives_long_can_ask_again_later() {
    let sandbox = Sandbox::committed();
    let since = sandbox.head_by_git();
    let repository = sandbox.discover();
    let ask = || repository.foreign_commits(&since, 10).unwrap().unwrap();
    assert!(ask().is_ancestor);
    std::thread::sleep(std::time::Duration::from_millis(3_200));
    assert!(ask().is_ancestor);
}

#[test]
fn the_branch_of_a_file_is_found_among_many() {
    let sandbox = Sandbox::committed();
    for number in 0..30 {
        sandbox.git(&["branch", &format!("b{number}")]);
    }
    sandbox.git(&["switch", "--quiet", "--create", "feature/x"]);
    sandbox.write("plans/a/plan.md", "a");
    sandbox.write("plans/b/other.md", "b");
    sandbox.commit("Plan");
    sandbox.git(&["switch", "--quiet", "-"]);
    let repository = sandbox.discover();
    let branch = |name: &str| repository.branch_with(name).unwrap();
    assert_eq!(branch("plans/a/plan.md").as_deref(), Some("feature/x"));
    assert_eq!(branch("plans/b/plan.md"), None);
    assert_eq!(branch("plans/c/plan.md"), None);
    // Where HEAD has it too, it is only gone from the work tree.
    sandbox.git(&["switch", "--quiet", "--create", "feature/y", "feature/x"]);
    std::fs::remove_dir_all(sandbox.repo().join("plans")).unwrap();
    let branch = sandbox.discover().branch_with("plans/a/plan.md").unwrap();
    assert_eq!(branch, None);
}

/// Commits on branches that part and merge, each of which changes some of a few files.
fn tangled(choices: &[u8]) -> Sandbox {
    let sandbox = Sandbox::committed();
    let mut branches = vec!["main".to_owned()];
    sandbox.git(&["branch", "--move", "main"]);
    for (number, choice) in choices.iter().enumerate() {
        let other = branches[usize::from(*choice) % branches.len()].clone();
        match choice % 5 {
            0 => {
                let name = format!("b{number}");
                sandbox.git(&["switch", "--quiet", "--create", &name]);
                branches.push(name);
            }
            1 => drop(sandbox.git(&["switch", "--quiet", &other])),
            2 => drop(sandbox.git(&[
                "merge",
                "--quiet",
                "--no-edit",
                "--strategy-option=ours",
                &other,
            ])),
            _ => {
                let file = ["a", "b/c", "b/d/e", "f"][usize::from(*choice) % 4];
                sandbox.write(file, &format!("{number}"));
                sandbox.commit(&format!("Change {number}"));
            }
        }
    }
    sandbox
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_head_has_beyond_a_commit_is_what_git_says(choices in prop::collection::vec(any::<u8>(), 4..24), pick in any::<usize>()) {
        let sandbox = tangled(&choices);
        sandbox.git(&["reflog", "expire", "--expire=all", "--all"]);
        let all = sandbox.git(&["rev-list", "--all"]);
        let all: Vec<&str> = all.lines().collect();
        let since = all[pick % all.len()];
        let found = sandbox.discover().foreign_commits(&since.parse().unwrap(), 1_000).unwrap();
        let found = found.unwrap();
        let range = format!("{since}..HEAD");
        let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for id in sandbox.git(&["rev-list", "--no-merges", &range]).lines() {
            let files = sandbox.git(&["show", "--format=", "--name-only", "--no-renames", id]);
            let mut files: Vec<String> = files.lines().map(str::to_owned).collect();
            files.sort();
            expected.insert(id.to_owned(), files);
        }
        let told = found.commits.into_iter().map(|mut commit| {
            commit.files.sort();
            (commit.id.to_string(), commit.files)
        });
        prop_assert_eq!(told.collect::<BTreeMap<_, _>>(), expected);
        let base = sandbox.git(&["merge-base", since, "HEAD"]);
        prop_assert_eq!(found.is_ancestor, base.trim() == since);
    }
}
