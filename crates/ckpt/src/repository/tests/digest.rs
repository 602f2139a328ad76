//! What changes the content digest and what does not.

use std::fs;
use std::thread;
use std::time::{Duration, SystemTime};

use super::super::{Environment, Exclusion, Repository, RepositoryError};
use super::sandbox::{EXCLUDED, Sandbox, discover, exclusions, write};

#[test]
fn committing_the_present_content_keeps_it() {
    let sandbox = Sandbox::committed();
    sandbox.write("file", "changed\n");
    sandbox.write("new", "x");
    sandbox.remove("dir/other");
    let before = sandbox.digest();
    sandbox.commit("second");
    assert_eq!(sandbox.digest(), before);
    assert_eq!(before.as_str(), sandbox.git(&["rev-parse", "HEAD^{tree}"]));
    assert_eq!(
        serde_json::to_string(&before).unwrap(),
        format!("\"{before}\"")
    );
}

#[test]
fn what_is_staged_makes_no_difference() {
    let sandbox = Sandbox::committed();
    sandbox.write("file", "half\n");
    sandbox.write("new", "half\n");
    sandbox.git(&["add", "-A"]);
    sandbox.write("file", "half\nwhole\n");
    sandbox.write("new", "half\nwhole\n");
    let partially = sandbox.digest();
    sandbox.git(&["reset", "-q"]);
    assert_eq!(sandbox.digest(), partially);
    sandbox.git(&["add", "-N", "new"]);
    assert_eq!(sandbox.digest(), partially);
    sandbox.commit("second");
    assert_eq!(sandbox.digest(), partially);
}

#[test]
fn every_change_of_content_name_or_mode_changes_it() {
    let sandbox = Sandbox::committed();
    let mut seen = vec![sandbox.digest()];
    let mut now = |what: &str| {
        let digest = sandbox.digest();
        assert!(!seen.contains(&digest), "{what}");
        seen.push(digest);
    };
    sandbox.write("file", "One\n");
    now("same length");
    sandbox.write("new", "");
    now("new empty file");
    fs::rename(sandbox.repo().join("new"), sandbox.repo().join("renamed")).unwrap();
    now("rename");
    sandbox.remove("dir/other");
    now("deletion");
    sandbox.write("dir/other/deep", "x");
    now("a directory where a file was");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        fs::set_permissions(
            sandbox.repo().join("file"),
            fs::Permissions::from_mode(0o755),
        )
        .unwrap();
        now("execute bit");
        sandbox.remove("renamed");
        symlink("file", sandbox.repo().join("renamed")).unwrap();
        now("a link where a file was");
    }
}

#[test]
fn ignored_and_excluded_paths_do_not_change_it() {
    let sandbox = Sandbox::committed();
    sandbox.write(".gitignore", "*.log\n");
    let before = sandbox.digest();
    sandbox.write("a.log", "x");
    sandbox.write(".claude/state/x.json", "x");
    sandbox.write("plans/one/plan.md", "x");
    assert_eq!(sandbox.digest(), before);
    sandbox.commit("tracked now");
    assert_eq!(sandbox.digest(), before);
    sandbox.write("plans/one/plan.md", "changed");
    sandbox.git(&["add", "-A"]);
    sandbox.write("plans/one/plan.md", "changed again");
    assert_eq!(sandbox.digest(), before);
    sandbox.remove("plans/one/plan.md");
    assert_eq!(sandbox.digest(), before);
    sandbox.write("plans.md", "not excluded");
    assert_ne!(sandbox.digest(), before);
}

#[test]
fn a_tracked_file_counts_although_it_is_ignored() {
    let sandbox = Sandbox::committed();
    sandbox.write(".gitignore", "*.log\n");
    sandbox.write("kept.log", "x");
    sandbox.git(&["add", "-f", "kept.log"]);
    let before = sandbox.digest();
    sandbox.commit("second");
    assert_eq!(sandbox.digest(), before);
    sandbox.write("kept.log", "y");
    assert_ne!(sandbox.digest(), before);
}

#[test]
fn excluded_paths_may_themselves_be_ignored() {
    let sandbox = Sandbox::committed();
    sandbox.write("plans/a", "x");
    sandbox.write(".claude/state/.gitignore", "*\n");
    sandbox.write(".gitignore", "/plans/\n.claude\n");
    let before = sandbox.digest();
    sandbox.write("plans/a", "y");
    sandbox.write(".claude/state/b", "y");
    assert_eq!(sandbox.digest(), before);
}

#[test]
fn excluded_paths_are_names_not_patterns() {
    let sandbox = Sandbox::committed();
    let odd = [
        "*",
        "!x",
        ":(top)",
        "a b/[c]",
        "ü",
        "-x",
        "back\\slash",
        "plans/",
        "q?",
    ];
    let digest = || {
        sandbox
            .discover()
            .content_digest(&exclusions(&odd))
            .unwrap()
    };
    let before = digest();
    for (round, tracked) in [(1, false), (2, true)] {
        for name in odd {
            sandbox.write(
                &format!("{}/inner", name.trim_end_matches('/')),
                &round.to_string(),
            );
        }
        assert_eq!(digest(), before, "tracked: {tracked}");
        sandbox.commit("odd names");
        assert_eq!(digest(), before);
    }
    sandbox.write("a b/c/inner", "x");
    assert_ne!(digest(), before);
}

#[test]
fn without_exclusions_everything_counts() {
    let sandbox = Sandbox::committed();
    sandbox.write("plans/a", "x");
    let digest = |excluded: &[&str]| {
        sandbox
            .discover()
            .content_digest(&exclusions(excluded))
            .unwrap()
    };
    assert_ne!(digest(&[]), digest(EXCLUDED));
    assert_eq!(digest(&[]), digest(&["", ".", "/"]));
}

#[test]
fn the_repository_is_not_touched() {
    let sandbox = Sandbox::committed();
    sandbox.write("plans/a", "tracked");
    sandbox.commit("second");
    sandbox.git(&["config", "core.splitIndex", "true"]);
    sandbox.git(&["config", "core.untrackedCache", "true"]);
    write(
        &sandbox.repo().join(".git/hooks/post-index-change"),
        "#!/bin/sh\necho ran > .git/hook-ran\n",
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let hook = sandbox.repo().join(".git/hooks/post-index-change");
        fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    sandbox.write("file", "changed");
    sandbox.write("new", "x");
    let before = sandbox.git_files();
    sandbox.digest();
    let after = sandbox.git_files();
    assert!(before.keys().eq(after.keys()));
    assert!(before == after);
}

#[test]
fn a_change_right_after_a_commit_is_seen_however_late_one_looks() {
    let sandbox = Sandbox::committed();
    // All within one second and with the same length: by git's clock the file did not change after it was added.
    let before = loop {
        let second = whole_second();
        sandbox.write("file", "aaa\n");
        sandbox.commit("second");
        let before = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
        sandbox.write("file", "bbb\n");
        if whole_second() == second {
            break before;
        }
    };
    thread::sleep(Duration::from_millis(1100));
    assert_ne!(sandbox.digest().as_str(), before);
}

fn whole_second() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

#[test]
fn outside_git_there_is_none() {
    let sandbox = Sandbox::empty();
    let error = discover(sandbox.top())
        .content_digest(&exclusions(EXCLUDED))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{} is not in a git work tree: run `git init` there, or work in a clone",
            sandbox.top().display()
        )
    );
}

#[test]
fn below_a_given_root_the_whole_work_tree_counts_without_that_roots_exclusions() {
    let sandbox = Sandbox::committed();
    let environment = Environment {
        git_root: Some(sandbox.repo().join("dir")),
        ..Environment::default()
    };
    let found = Repository::discover(sandbox.top(), &environment).unwrap();
    let digest = || found.content_digest(&exclusions(EXCLUDED)).unwrap();
    let before = digest();
    sandbox.write("dir/plans/a", "x");
    assert_eq!(digest(), before);
    sandbox.write("plans/a", "x");
    assert_ne!(digest(), before);
}

#[test]
fn what_a_killed_run_left_is_swept_later() {
    let sandbox = Sandbox::committed();
    let old = sandbox.repo().join(".git/ckpt-scratch-1-1-1");
    let recent = sandbox.repo().join(".git/ckpt-scratch-1-1-2");
    fs::create_dir(&old).unwrap();
    fs::create_dir(&recent).unwrap();
    let hours_ago = SystemTime::now() - Duration::from_secs(3 * 60 * 60);
    fs::File::open(&old)
        .unwrap()
        .set_modified(hours_ago)
        .unwrap();
    sandbox.digest();
    assert!(!old.exists());
    assert!(recent.exists());
}

#[test]
fn a_refusal_of_git_is_reported_and_leaves_nothing_behind() {
    let sandbox = Sandbox::committed();
    fs::write(sandbox.repo().join(".git/index"), "garbage").unwrap();
    let before = sandbox.git_files();
    let error = sandbox
        .discover()
        .content_digest(&exclusions(EXCLUDED))
        .unwrap_err();
    let RepositoryError::GitFailed { verb, message, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*verb, "update-index");
    assert!(message.contains("index"), "{message}");
    assert!(sandbox.git_files() == before);
}

/// Git refuses to work in another user's repository, because its configuration could run anything.
#[cfg(unix)]
#[test]
fn another_users_repository_is_refused_unless_git_is_told_that_it_is_safe() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: only root can give a repository away");
        return;
    }
    let sandbox = Sandbox::committed();
    let root = sandbox.repo();
    let chown = |path: &std::path::Path, uid| {
        std::os::unix::fs::chown(path, Some(uid), None).unwrap();
    };
    for name in ["", ".git", ".claude", "plans"] {
        let path = root.join(name);
        fs::create_dir_all(&path).unwrap();
        chown(&path, 12_345);
        let environment = Environment::default();
        let error = Repository::discover(&root, &environment).unwrap_err();
        assert!(error.to_string().contains("dubious ownership"), "{error}");
        let environment = Environment {
            sudo_uid: Some(12_345),
            ..environment
        };
        Repository::discover(&root, &environment).unwrap();
        chown(&path, 0);
    }
    discover(&root);
}

#[test]
fn a_commit_has_the_digest_of_a_work_tree_with_its_content() {
    let sandbox = Sandbox::committed();
    sandbox.write("plans/a/plan.md", "x");
    sandbox.write("plans/a/tool.rs", "x");
    let excluded = [Exclusion::of("plans").any().named("plan.md")];
    let repository = sandbox.discover();
    let listing = repository.content(&excluded).unwrap();
    let (approved, untracked) = (listing.digest, listing.untracked);
    assert_eq!(untracked, ["plans/a/tool.rs"]);
    let partly = sandbox.head_by_git();
    assert_ne!(
        repository.commit_digest(&partly, &excluded).unwrap(),
        approved
    );
    let whole = sandbox.commit("all of it");
    assert_eq!(
        repository.commit_digest(&whole, &excluded).unwrap(),
        approved
    );
    sandbox.write("plans/a/plan.md", "y");
    let moved = sandbox.commit("the plan moved");
    assert_eq!(
        repository.commit_digest(&moved, &excluded).unwrap(),
        approved
    );
    sandbox.write("plans/a/tool.rs", "y");
    let other = sandbox.commit("code moved");
    assert_ne!(
        repository.commit_digest(&other, &excluded).unwrap(),
        approved
    );
    let files = sandbox.git_files();
    repository.commit_digest(&other, &excluded).unwrap();
    assert!(sandbox.git_files() == files, "nothing is left behind");
}
