//! The content digest in every layout that a repository may have.

use std::fs;
use std::path::Path;

use super::super::{GitUse, Repository, RepositoryError};
use super::sandbox::{EXCLUDED, Sandbox, discover, exclusions, write};

/// Asserts that the digest survives committing the present content, but not a change.
fn holds_in(sandbox: &Sandbox, root: &Path) {
    let digest = || {
        discover(root)
            .content_digest(&exclusions(EXCLUDED))
            .unwrap()
    };
    write(&root.join("plans/tracked"), "first");
    let before = digest();
    sandbox.git_in(root, &["add", "-A"]);
    assert_eq!(digest(), before);
    sandbox.git_in(root, &["commit", "-q", "-m", "x"]);
    assert_eq!(digest(), before);
    write(&root.join("plans/tracked"), "second");
    assert_eq!(digest(), before);
    write(&root.join("another"), "x");
    assert_ne!(digest(), before);
}

fn append_config(sandbox: &Sandbox, settings: &[(&str, &str)]) {
    for (name, value) in settings {
        sandbox.git(&["config", name, value]);
    }
}

/// Leaves `file` in conflict.
pub(super) fn conflict(sandbox: &Sandbox) {
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("file", "side\n");
    sandbox.commit("side");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("file", "main\n");
    sandbox.commit("main");
    let merge = sandbox.try_git_in(&sandbox.repo(), &["merge", "-q", "side"]);
    assert!(!merge.status.success());
}

#[test]
fn on_an_unborn_branch() {
    let sandbox = Sandbox::unborn();
    let empty = sandbox.digest();
    assert_eq!(empty.as_str(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    sandbox.write("file", "x");
    assert_ne!(sandbox.digest(), empty);
    holds_in(&sandbox, &sandbox.repo());
}

#[test]
fn in_a_linked_worktree() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["worktree", "add", "-q", "../linked"]);
    assert_eq!(
        discover(&sandbox.path("linked"))
            .content_digest(&exclusions(EXCLUDED))
            .unwrap(),
        sandbox.digest()
    );
    holds_in(&sandbox, &sandbox.path("linked"));
}

#[test]
fn during_a_merge_conflict() {
    let sandbox = Sandbox::committed();
    conflict(&sandbox);
    holds_in(&sandbox, &sandbox.repo());
}

#[test]
fn with_a_submodule_whose_commit_counts() {
    let sandbox = Sandbox::committed();
    sandbox.git_in(sandbox.top(), &["clone", "-q", "repo", "other"]);
    sandbox.git(&["submodule", "--quiet", "add", "../other", "sub"]);
    let before = sandbox.digest();
    sandbox.commit("with submodule");
    assert_eq!(sandbox.digest(), before);
    sandbox.git_in(
        &sandbox.repo().join("sub"),
        &["commit", "-q", "--allow-empty", "-m", "x"],
    );
    assert_ne!(sandbox.digest(), before);
    holds_in(&sandbox, &sandbox.repo());
}

#[test]
fn inside_a_submodule() {
    let sandbox = Sandbox::committed();
    sandbox.git_in(sandbox.top(), &["clone", "-q", "repo", "other"]);
    sandbox.git(&["submodule", "--quiet", "add", "../other", "sub"]);
    holds_in(&sandbox, &sandbox.repo().join("sub"));
}

#[test]
fn with_sha256_ids() {
    let sandbox = Sandbox::empty();
    sandbox.git_in(
        sandbox.top(),
        &["init", "-q", "--object-format=sha256", "repo"],
    );
    sandbox.write("file", "x");
    assert_eq!(sandbox.digest().as_str().len(), 64);
    holds_in(&sandbox, &sandbox.repo());
}

#[test]
#[cfg(unix)]
fn with_names_of_any_kind_inside_and_above() {
    let sandbox = Sandbox::empty();
    let odd = [
        "a b",
        "ünï",
        "new\nline",
        "\"quoted\"",
        "co:lon",
        "-dash",
        "back\\slash",
    ];
    for name in odd {
        let root = sandbox.path(name);
        fs::create_dir(&root).unwrap();
        sandbox.git_in(&root, &["init", "-q"]);
        for inner in odd {
            write(&root.join(inner).join(inner), "x");
        }
        holds_in(&sandbox, &root);
    }
}

#[test]
fn with_line_ending_conversion() {
    for (name, value) in [("core.autocrlf", "true"), ("core.autocrlf", "input")] {
        let sandbox = Sandbox::committed();
        sandbox.write("stored", "with\r\ncrlf\r\n");
        sandbox.commit("stored as it is");
        append_config(&sandbox, &[(name, value), ("core.safecrlf", "true")]);
        sandbox.write("stored", "with\r\ncrlf\r\nmore\r\n");
        sandbox.write("new", "mixed\r\nline\nends\r\n");
        let before = sandbox.digest();
        append_config(&sandbox, &[("core.safecrlf", "false")]);
        assert_eq!(sandbox.digest(), before);
        holds_in(&sandbox, &sandbox.repo());
    }
}

#[test]
fn with_a_clean_filter_that_only_the_repository_names() {
    let sandbox = Sandbox::committed();
    let filter = [
        ("filter.up=per.clean", "tr a-z A-Z"),
        ("filter.up=per.required", "true"),
    ];
    append_config(&sandbox, &filter);
    sandbox.write(".gitattributes", "*.up filter=up=per\n");
    sandbox.write("a.up", "text\n");
    let left_out = sandbox.discover();
    assert_eq!(left_out.filters_left_out().unwrap(), ["up=per"]);
    let run = sandbox.discover().using(GitUse {
        runs_repository_filters: true,
        ..GitUse::default()
    });
    assert!(run.filters_left_out().unwrap().is_empty());
    let digest =
        |repository: &Repository| repository.content_digest(&exclusions(EXCLUDED)).unwrap();
    let (as_it_is, filtered) = (digest(&left_out), digest(&run));
    assert_ne!(as_it_is, filtered);
    let commit = sandbox.commit("filtered");
    assert_eq!(sandbox.git(&["show", "HEAD:a.up"]), "TEXT");
    let committed = run.commit_digest(&commit, &exclusions(EXCLUDED)).unwrap();
    assert_eq!(committed, filtered);
}

#[test]
fn with_a_split_index_that_hides_a_file() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["update-index", "--assume-unchanged", "file"]);
    sandbox.git(&["update-index", "--split-index"]);
    let before = sandbox.digest();
    sandbox.write("file", "changed\n");
    assert_ne!(sandbox.digest(), before);
}

#[test]
fn with_submodules_that_are_missing_or_were_removed() {
    let sandbox = Sandbox::committed();
    sandbox.git_in(sandbox.top(), &["clone", "-q", "repo", "other"]);
    for name in ["empty", "removed"] {
        sandbox.git(&["submodule", "--quiet", "add", "../other", name]);
    }
    let commit = sandbox.commit("with submodules");
    let committed = sandbox.discover();
    let committed = committed
        .commit_digest(&commit, &exclusions(EXCLUDED))
        .unwrap();
    // A clone has an empty directory for a submodule that was not initialized.
    fs::remove_dir_all(sandbox.repo().join("empty")).unwrap();
    fs::create_dir(sandbox.repo().join("empty")).unwrap();
    assert_eq!(sandbox.digest(), committed);
    fs::remove_dir_all(sandbox.repo().join("removed")).unwrap();
    assert_ne!(sandbox.digest(), committed);
    holds_in(&sandbox, &sandbox.repo());
}

#[test]
fn with_a_sparse_checkout() {
    for sparse_index in ["false", "true"] {
        let sandbox = Sandbox::committed();
        sandbox.write("left/out", "x");
        sandbox.write("left/plans/x", "x");
        sandbox.write(".claude/state/tracked", "x");
        sandbox.commit("second");
        let whole = sandbox.digest();
        append_config(&sandbox, &[("index.sparse", sparse_index)]);
        sandbox.git(&["sparse-checkout", "set", "--cone", "dir"]);
        assert!(!sandbox.repo().join("left").exists());
        assert_eq!(sandbox.digest(), whole);
        sandbox.write("elsewhere/new", "outside the cone");
        assert_ne!(sandbox.digest(), whole);
    }
}

#[test]
fn with_files_that_git_was_told_not_to_look_at() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let sandbox = Sandbox::committed();
        let before = sandbox.digest();
        sandbox.git(&["update-index", flag, "file"]);
        assert_eq!(sandbox.digest(), before);
        sandbox.write("file", "a commit would not record this, but it is there");
        assert_ne!(sandbox.digest(), before);
        sandbox.write("file", "one\n");
        assert_eq!(sandbox.digest(), before);
        sandbox.remove("file");
        // Files outside a sparse checkout are still part of the next commit.
        let is_left_out = flag == "--skip-worktree";
        assert_eq!(sandbox.digest() == before, is_left_out);
        sandbox.write("dir/other", "changed");
        assert_ne!(sandbox.digest(), before);
    }
}

#[test]
fn with_every_kind_of_index() {
    let kinds: &[&[(&str, &str)]] = &[
        &[("core.splitIndex", "true")],
        &[("index.version", "4")],
        &[("index.version", "3")],
        &[("core.fsmonitor", "true")],
        &[("core.fsmonitor", "/nonexistent/hook")],
        &[("core.untrackedCache", "true")],
        &[("feature.manyFiles", "true")],
        &[("index.skipHash", "true")],
        &[("add.ignoreErrors", "true")],
    ];
    for settings in kinds {
        let sandbox = Sandbox::committed();
        append_config(&sandbox, settings);
        sandbox.write("plans/a", "x");
        sandbox.write("plants", "x");
        sandbox.git(&["update-index", "--force-write-index"]);
        sandbox.commit("written with these settings");
        holds_in(&sandbox, &sandbox.repo());
    }
}

#[test]
fn with_objects_borrowed_from_another_repository() {
    let sandbox = Sandbox::committed();
    sandbox.git_in(
        sandbox.top(),
        &["clone", "-q", "--shared", "repo", "borrower"],
    );
    holds_in(&sandbox, &sandbox.path("borrower"));
}

#[test]
fn with_a_repository_nested_in_the_work_tree() {
    let sandbox = Sandbox::committed();
    sandbox.git_in(sandbox.top(), &["clone", "-q", "repo", "repo/nested"]);
    holds_in(&sandbox, &sandbox.repo());
}

#[test]
#[cfg(unix)]
fn an_unreadable_file_is_an_error_that_names_it() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::committed();
    sandbox.write("secret", "x");
    let path = sandbox.repo().join("secret");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // Root can read everything.
        return;
    }
    let error = sandbox
        .discover()
        .content_digest(&exclusions(EXCLUDED))
        .unwrap_err();
    assert!(
        matches!(&error, RepositoryError::GitFailed { message, .. } if message.contains("secret")),
        "{error}"
    );
}

#[test]
#[cfg(unix)]
fn a_read_only_git_directory_is_worked_around_in_an_excluded_one() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::committed();
    sandbox.write(".claude/state/x", "x");
    let expected = sandbox.digest();
    let git_dir = sandbox.repo().join(".git");
    let mode = |bits| fs::set_permissions(&git_dir, fs::Permissions::from_mode(bits)).unwrap();
    mode(0o555);
    let digest = sandbox.discover().content_digest(&exclusions(EXCLUDED));
    mode(0o755);
    assert_eq!(digest.unwrap(), expected);
    assert_eq!(
        fs::read_dir(sandbox.repo().join(".claude/state"))
            .unwrap()
            .count(),
        1
    );
}
