//! Where state is stored: from sub-directories, in worktrees, outside git.

use serde_json::{Value, json};

use crate::support::environment::Environment;

#[test]
fn outside_git_everything_works_in_the_current_directory() {
    let environment = Environment::without_git();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let document = environment.document("implement-auth");
    assert_eq!(document["head_commit"], json!(null));
    for arguments in [
        &["phase", "implement/auth", "implementation", "complete"][..],
        &["resume", "--drift", "--fail-if-stale"],
        &["status"],
        &["list"],
        &["show"],
        &["log"],
        &["complete", "implement/auth", "--force"],
    ] {
        environment.ckpt(arguments).exits(0);
    }
}

#[test]
fn a_sub_directory_belongs_to_its_repository() {
    let environment = Environment::new();
    environment.write("src/deep/x", "");
    environment
        .ckpt_in("src/deep", &["start", "implement", "auth"])
        .exits(0);
    assert!(environment.state("implement-auth.json").is_file());
    assert!(!environment.path("src/deep/.claude").exists());
    let listed = environment.ckpt_in("src", &["list"]).exits(0).stdout;
    assert!(listed.starts_with("implement/auth\t"), "{listed}");
}

#[test]
fn another_directory_can_be_named() {
    let environment = Environment::new();
    let root = environment.root().to_str().unwrap();
    environment
        .ckpt_in(
            environment.base(),
            &["-C", root, "start", "implement", "auth"],
        )
        .exits(0);
    assert!(environment.state("implement-auth.json").is_file());
    let run = environment.ckpt(&["-C", "missing", "list"]).exits(3);
    assert!(run.reason().contains("missing"), "{run}");
}

#[test]
fn files_are_named_relative_to_the_directory_that_was_named() {
    let environment = Environment::new();
    environment.write("sub/summary.txt", "from sub\n");
    environment.write(
        "sub/c.json",
        r#"{ "command": "x", "version": 1, "state": {}, "phases": {} }"#,
    );
    environment
        .ckpt(&["-C", "sub", "tokens", "summary.txt"])
        .exits(0);
    environment
        .ckpt(&["-C", "sub", "validate", "c.json"])
        .exits(0);
    let phase = [
        "-C",
        "sub",
        "phase",
        "implement/auth",
        "a",
        "--summary-file",
        "summary.txt",
    ];
    environment.ckpt(&phase).exits(0);
}

#[test]
fn git_root_in_the_environment_overrides_git() {
    let environment = Environment::new();
    let elsewhere = environment.base().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let environment = environment.with_variable("GIT_ROOT", &elsewhere);
    environment
        .ckpt(&["start", "design", "test-feature"])
        .exits(0);
    assert!(
        elsewhere
            .join(".claude/state/design-test-feature.json")
            .is_file()
    );
    assert!(!environment.path(".claude").exists());
}

#[test]
fn a_linked_worktree_has_its_own_state_and_status_shows_both() {
    let environment = Environment::new();
    let tree = environment.linked_worktree();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    environment.ckpt_in(&tree, &["start", "review"]).exits(0);
    assert!(tree.join(".claude/state/review-checkpoint.json").is_file());
    assert!(!environment.state("review-checkpoint.json").exists());
    environment
        .ckpt_in(&tree, &["show", "implement/auth"])
        .exits(3);

    for (directory, current) in [
        (environment.root(), "command:implement/auth"),
        (tree.as_path(), "command:review"),
    ] {
        let report = environment
            .ckpt_in(directory, &["status", "--json"])
            .exits(0)
            .json();
        let trees = report["worktrees"].as_array().unwrap();
        let keys = |tree: &Value| {
            (
                tree["current"] == true,
                tree["checkpoints"][0]["key"].clone(),
            )
        };
        let mut seen: Vec<_> = trees.iter().map(keys).collect();
        seen.sort_by_key(|(current, _)| !current);
        assert_eq!(seen.len(), 2);
        assert_eq!(seen[0], (true, json!(current)));
        assert!(!seen[1].0);
        let text = environment.ckpt_in(directory, &["status"]).exits(0).stdout;
        assert!(
            text.contains("implement/auth") && text.contains("review"),
            "{text}"
        );
    }
    assert_eq!(environment.git_in(&tree, &["status", "--porcelain"]), "");
}
