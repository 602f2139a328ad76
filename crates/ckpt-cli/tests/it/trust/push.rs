//! What may be pushed, and the git hook that checks it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::agent::PLAN;
use crate::support::environment::CKPT;
use crate::support::shipping::{approved, push, pushing};
use crate::support::tree;

#[test]
fn a_push_is_judged_by_the_commits_that_are_pushed() {
    let environment = pushing();
    environment.write("new.rs", "fn main() {}\n");
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    // The work tree is what was approved, and what is pushed is not.
    let refused = push(&environment);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("blocks the push"), "{refused}");
    assert!(refused.stderr.contains("new.rs"), "{refused}");
    environment.commit("what was approved");
    let allowed = push(&environment);
    assert_eq!(allowed.code, Some(0), "{allowed}");
    // Uncommitted files are not pushed.
    environment.write("new.rs", "fn main() { more() }\n");
    let again = push(&environment);
    assert_eq!(again.code, Some(0), "{again}");
    environment.commit("what nobody approved");
    assert_ne!(push(&environment).code, Some(0));
    // Code among the plans counts, the plan itself does not.
    environment.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.commit("a plan");
    assert_eq!(push(&environment).code, Some(0));
    environment.write("plans/260220-1149-x/tool.rs", "fn main() {}\n");
    environment.commit("code");
    assert_ne!(push(&environment).code, Some(0));
}

#[test]
fn a_replaced_commit_is_judged_by_what_is_pushed() {
    let environment = pushing();
    assert_eq!(push(&environment).code, Some(0));
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("what nobody approved");
    environment.git(&["replace", "HEAD", "HEAD~1"]);
    assert_ne!(push(&environment).code, Some(0));
}

#[test]
fn what_git_would_not_say_about_a_push_lets_nothing_pass() {
    let environment = approved();
    let (head, zeros) = (environment.head(), "0".repeat(40));
    for (input, code) in [
        (
            format!("HEAD@{{1 day ago}} {head} refs/heads/x {zeros}\n"),
            0,
        ),
        (format!("{head}\n"), 2),
        (format!("refs/heads/main {head}\n"), 2),
        ("\n".to_owned(), 2),
    ] {
        let run = environment.ckpt_reading(&input, &["gate", "pre-push"]);
        let run = run.exits(code);
        assert_eq!(run.stderr.contains("the pushed refs"), code == 2, "{run}");
    }
}

#[test]
fn an_existing_hook_is_still_called_and_is_restored_byte_for_byte() {
    let environment = approved();
    environment.git(&["init", "--quiet", "--bare", "../remote.git"]);
    environment.git(&["remote", "add", "origin", "../remote.git"]);
    let theirs = "#!/bin/sh\ncat > ../seen\necho \"$@\" >> ../seen\n";
    let hook = ".git/hooks/pre-push";
    environment.write(hook, theirs);
    tree::set_mode(environment.path(hook), 0o711);
    let before = tree::contents(&environment.path(".git/hooks"), |_| false);
    for _ in 0..2 {
        environment
            .ckpt(&["init", "--pre-push", "--agent", "claude"])
            .exits(0);
    }
    assert_eq!(push(&environment).code, Some(0));
    let seen = environment.read("../seen");
    assert!(seen.contains("refs/heads/main"), "{seen}");
    assert!(seen.contains("origin ../remote.git"), "{seen}");
    // If the hook that was there refuses, so does ours.
    environment.write(".git/hooks/pre-push.before-ckpt", "#!/bin/sh\nexit 1\n");
    environment.commit("more");
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    assert_ne!(push(&environment).code, Some(0));
    environment.write(".git/hooks/pre-push.before-ckpt", theirs);
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(
        tree::contents(&environment.path(".git/hooks"), |_| false),
        before
    );
    assert_eq!(tree::mode(environment.path(hook)), 0o711);
}

#[test]
fn where_ckpt_is_gone_a_push_passes_with_a_warning() {
    let environment = pushing();
    let hook = environment.read(".git/hooks/pre-push");
    environment.write(".git/hooks/pre-push", hook.replace(CKPT, "/nowhere/ckpt"));
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("what nobody approved");
    let pushed = push(&environment);
    assert_eq!(pushed.code, Some(0), "{pushed}");
    assert!(pushed.stderr.contains("ckpt is not installed"), "{pushed}");
}

#[test]
fn a_directory_of_hooks_that_others_may_share_needs_consent() {
    let environment = approved();
    environment.git(&["config", "core.hooksPath", "shared-hooks"]);
    let run = environment
        .ckpt(&["init", "--pre-push", "--agent", "claude"])
        .exits(4);
    assert!(run.reason().contains("core.hooksPath"), "{run}");
    assert!(!environment.path("shared-hooks").exists());
    environment
        .ckpt(&[
            "init",
            "--pre-push",
            "--into-hooks-path",
            "--agent",
            "claude",
        ])
        .exits(0);
    assert!(environment.path("shared-hooks/pre-push").exists());
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert!(!environment.path("shared-hooks").exists());
    // Git expands the path, and so do we.
    environment.git(&["config", "core.hooksPath", "~/hooks"]);
    let into = [
        "init",
        "--pre-push",
        "--into-hooks-path",
        "--agent",
        "claude",
    ];
    environment.ckpt(&into).exits(0);
    assert!(environment.base().join("home/hooks/pre-push").exists());
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert!(!environment.base().join("home/hooks/pre-push").exists());
}

#[test]
fn a_hook_that_a_worktree_made_which_is_gone_can_still_be_undone() {
    let environment = pushing();
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    environment.write(".git/hooks/pre-push", "#!/bin/sh\nexit 0\n");
    let hook = environment.path(".git/hooks/pre-push");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let tree = environment.linked_worktree();
    let init = ["init", "--pre-push", "--agent", "claude"];
    environment.ckpt_in(&tree, &init).exits(0);
    assert!(environment.read(".git/hooks/pre-push").contains("ckpt"));
    // While the worktree exists, the hook is its own.
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert!(environment.read(".git/hooks/pre-push").contains("ckpt"));
    environment.git(&["worktree", "remove", "--force", tree.to_str().unwrap()]);
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(
        environment.read(".git/hooks/pre-push"),
        "#!/bin/sh\nexit 0\n"
    );
    assert_eq!(tree::mode(&hook) & 0o111, 0o111);
    assert!(!environment.path(".git/hooks/pre-push.before-ckpt").exists());
}

#[test]
fn deletions_and_pushes_of_nothing_pass() {
    let environment = approved();
    environment.write("new.rs", "x");
    let zeros = "0".repeat(40);
    let deletion = format!("(delete) {zeros} refs/heads/old {zeros}\n");
    for input in ["", &deletion] {
        environment
            .ckpt_reading(input, &["gate", "pre-push"])
            .exits(0);
    }
    let head = environment.head();
    let pushed = format!("refs/heads/main {head} refs/heads/main {zeros}\n");
    environment
        .ckpt_reading(&pushed, &["gate", "pre-push"])
        .exits(0);
    let other = environment.commit("other");
    environment
        .ckpt_reading(pushed.replace(&head, &other), &["gate", "pre-push"])
        .exits(6);
}

#[test]
fn a_variable_does_not_lead_the_hook_of_git_elsewhere() {
    for root in ["not-there", "lib", "/"] {
        let environment = pushing();
        fs::create_dir(environment.path("lib")).unwrap();
        environment
            .ckpt(&["gate", "set", "ship", "--block", "two tests fail"])
            .exits(0);
        environment.commit("more");
        let environment = environment.with_variable("GIT_ROOT", root);
        let run = push(&environment);
        assert_ne!(run.code, Some(0), "{root}: {run}");
    }
}
