//! Listing the work trees.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::Worktree;
use super::sandbox::{Sandbox, discover};

fn listed(start: &Path) -> Vec<(PathBuf, bool)> {
    let pair = |worktree: Worktree| (worktree.root, worktree.current);
    discover(start)
        .worktrees()
        .unwrap()
        .into_iter()
        .map(pair)
        .collect()
}

#[test]
fn a_repository_without_linked_worktrees_has_one() {
    let sandbox = Sandbox::committed();
    assert_eq!(
        listed(&sandbox.repo().join("dir")),
        [(sandbox.repo(), true)]
    );
}

#[test]
fn outside_git_the_root_is_the_only_one() {
    let sandbox = Sandbox::empty();
    assert_eq!(listed(sandbox.top()), [(sandbox.top().to_path_buf(), true)]);
}

#[test]
fn the_main_one_comes_first_and_the_current_one_is_marked() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["worktree", "add", "-q", "../b"]);
    sandbox.git(&["worktree", "add", "-q", "../a"]);
    let expected = |current: &str| {
        ["repo", "a", "b"]
            .map(|name| (sandbox.path(name), name == current))
            .to_vec()
    };
    for name in ["repo", "a", "b"] {
        assert_eq!(listed(&sandbox.path(name)), expected(name));
    }
}

#[test]
fn worktrees_that_are_gone_are_left_out() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["worktree", "add", "-q", "../a"]);
    sandbox.git(&["worktree", "add", "-q", "../b"]);
    fs::remove_dir_all(sandbox.path("a")).unwrap();
    assert_eq!(
        listed(&sandbox.repo()),
        [(sandbox.repo(), true), (sandbox.path("b"), false)]
    );
}

#[test]
fn worktrees_of_a_bare_repository_have_no_main_one() {
    let sandbox = Sandbox::committed();
    sandbox.git_in(
        sandbox.top(),
        &["clone", "-q", "--bare", "repo", "store.git"],
    );
    sandbox.git_in(
        &sandbox.path("store.git"),
        &["worktree", "add", "-q", "../a"],
    );
    assert_eq!(listed(&sandbox.path("a")), [(sandbox.path("a"), true)]);
}

#[test]
fn worktrees_of_a_submodule_know_its_main_one() {
    let sandbox = Sandbox::committed();
    sandbox.git_in(sandbox.top(), &["clone", "-q", "repo", "other"]);
    sandbox.git(&["submodule", "--quiet", "add", "../other", "sub"]);
    let sub = sandbox.repo().join("sub");
    sandbox.git_in(&sub, &["worktree", "add", "-q", "../../linked"]);
    assert_eq!(
        listed(&sandbox.path("linked")),
        [(sub, false), (sandbox.path("linked"), true)]
    );
}

#[test]
fn a_worktree_with_relative_links_is_found() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["worktree", "add", "-q", "../a"]);
    fs::write(
        sandbox.repo().join(".git/worktrees/a/gitdir"),
        "../../../../a/.git\n",
    )
    .unwrap();
    fs::write(sandbox.path("a/.git"), "gitdir: ../repo/.git/worktrees/a\n").unwrap();
    assert_eq!(
        listed(&sandbox.path("a")),
        [(sandbox.repo(), false), (sandbox.path("a"), true)]
    );
}

#[test]
fn per_worktree_configuration_does_not_hide_the_main_one() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["worktree", "add", "-q", "../a"]);
    sandbox.git(&["config", "extensions.worktreeConfig", "true"]);
    sandbox.git(&["config", "--unset", "core.bare"]);
    sandbox.git(&["config", "--worktree", "core.bare", "false"]);
    assert_eq!(
        listed(&sandbox.path("a")),
        [(sandbox.repo(), false), (sandbox.path("a"), true)]
    );
}
