//! What was seen holds exactly as long as the same would be found.

use std::fs;

use super::super::{Environment, Evidence};
use super::sandbox::{Sandbox, discover, write};

#[test]
fn what_was_seen_holds_until_another_repository_would_be_found() {
    type Change = fn(&Sandbox);
    let changes: [(&str, Change); 6] = [
        ("a repository in between", |sandbox| {
            sandbox.git(&["init", "--quiet", "dir"]);
        }),
        ("one without a work tree", |sandbox| {
            sandbox.git(&["init", "--quiet", "--bare", "dir"]);
        }),
        ("a file that leads elsewhere", |sandbox| {
            write(&sandbox.repo().join("dir/.git"), "gitdir: /nowhere\n");
        }),
        ("another work tree", |sandbox| {
            sandbox.git(&["config", "core.worktree", "/"]);
        }),
        ("settings that were edited in place", |sandbox| {
            let config = sandbox.repo().join(".git/config");
            let text = fs::read_to_string(&config).unwrap();
            fs::write(config, text + "\n[core]\n\tbare = true\n").unwrap();
        }),
        ("no repository", |sandbox| {
            fs::remove_dir_all(sandbox.repo().join(".git")).unwrap();
        }),
    ];
    for (name, change) in changes {
        let sandbox = Sandbox::committed();
        let evidence = seen(&sandbox).unwrap();
        assert!(evidence.holds(), "{name}");
        change(&sandbox);
        assert!(!evidence.holds(), "{name}");
    }
}

#[test]
fn a_commit_by_itself_changes_nothing_about_where_the_repository_is() {
    let sandbox = Sandbox::committed();
    let root = discover(&sandbox.repo().join("dir")).root().to_owned();
    write(&sandbox.repo().join("dir/new"), "new");
    let evidence = seen(&sandbox).unwrap();
    assert!(evidence.holds(), "files that git does not know of");
    sandbox.git(&["commit", "--quiet", "--allow-empty", "--message=more"]);
    assert_eq!(discover(&sandbox.repo().join("dir")).root(), root);
}

#[test]
fn where_only_a_search_can_tell_there_is_no_evidence() {
    let outside = Sandbox::empty();
    let found = discover(&outside.path("."));
    assert_eq!(found.evidence(found.root(), &Environment::default()), None);

    let sandbox = Sandbox::committed();
    let found = discover(&sandbox.repo());
    let named = Environment {
        git_root: Some(sandbox.repo()),
        ..Environment::default()
    };
    assert_eq!(found.evidence(&sandbox.repo(), &named), None);
    assert_eq!(
        found.evidence(&outside.path("."), &Environment::default()),
        None
    );

    sandbox.git(&["worktree", "add", "--quiet", "../linked"]);
    let linked = sandbox.path("linked");
    let found = discover(&linked);
    assert_eq!(found.root(), linked);
    assert_eq!(found.evidence(&linked, &Environment::default()), None);
}

fn seen(sandbox: &Sandbox) -> Option<Evidence> {
    let start = sandbox.repo().join("dir");
    discover(&start).evidence(&start, &Environment::default())
}
