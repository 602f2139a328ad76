//! What is checked out.

use std::fs;

use proptest::prelude::{ProptestConfig, any, prop, prop_assert_eq, proptest};

use super::super::{CommitId, Head, RepositoryError};
use super::sandbox::{Sandbox, discover};

fn head(sandbox: &Sandbox) -> Head {
    sandbox.discover().head().unwrap()
}

fn on(branch: &str, commit: Option<CommitId>) -> Head {
    Head {
        commit,
        branch: Some(branch.to_owned()),
    }
}

fn set_head(sandbox: &Sandbox, content: &str) {
    fs::write(sandbox.repo().join(".git/HEAD"), content).unwrap();
}

#[test]
fn a_branch_and_its_commit_are_reported() {
    let sandbox = Sandbox::committed();
    assert_eq!(head(&sandbox), on("main", Some(sandbox.head_by_git())));
}

#[test]
fn a_branch_without_commits_has_no_commit() {
    assert_eq!(head(&Sandbox::unborn()), on("main", None));
}

#[test]
fn a_detached_head_has_no_branch() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["checkout", "-q", "--detach"]);
    let commit = Some(sandbox.head_by_git());
    assert_eq!(
        head(&sandbox),
        Head {
            commit,
            branch: None
        }
    );
}

#[test]
fn outside_git_there_is_neither() {
    assert_eq!(
        discover(Sandbox::empty().top()).head().unwrap(),
        Head::default()
    );
}

#[test]
fn packed_refs_are_read_and_loose_ones_win() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["tag", "-a", "-m", "x", "v1"]);
    sandbox.git(&["branch", "x/main"]);
    sandbox.git(&["pack-refs", "--all"]);
    assert!(!sandbox.repo().join(".git/refs/heads/main").exists());
    assert_eq!(head(&sandbox), on("main", Some(sandbox.head_by_git())));
    let second = sandbox.commit("second");
    assert_eq!(head(&sandbox), on("main", Some(second)));
}

#[test]
fn an_unborn_branch_beside_a_branch_below_its_name_has_no_commit() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["branch", "topic/one"]);
    sandbox.git(&["symbolic-ref", "HEAD", "refs/heads/topic"]);
    assert_eq!(head(&sandbox), on("topic", None));
    sandbox.git(&["symbolic-ref", "HEAD", "refs/heads/main/below"]);
    assert_eq!(head(&sandbox), on("main/below", None));
}

#[test]
fn symbolic_refs_are_followed_for_five_hops_and_no_more() {
    let sandbox = Sandbox::committed();
    let commit = sandbox.head_by_git();
    let heads = sandbox.repo().join(".git/refs/heads");
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "main")] {
        fs::write(heads.join(from), format!("ref: refs/heads/{to}\n")).unwrap();
    }
    set_head(&sandbox, "ref: refs/heads/a\n");
    assert_eq!(head(&sandbox), on("main", Some(commit)));
    fs::write(heads.join("d"), "ref: refs/heads/a\n").unwrap();
    let error = sandbox.discover().head().unwrap_err();
    assert!(matches!(error, RepositoryError::RefLoop { .. }), "{error}");
}

#[test]
fn refs_that_leave_the_refs_directory_are_refused() {
    let sandbox = Sandbox::committed();
    for name in [
        "refs/../../secret",
        "/etc/passwd",
        "refs/heads/./x",
        "refs//x",
        "HEAD",
        "refs/a\\..\\b",
    ] {
        set_head(&sandbox, &format!("ref: {name}\n"));
        let error = sandbox.discover().head().unwrap_err();
        assert!(
            matches!(error, RepositoryError::UnsafeRef { .. }),
            "{name}: {error}"
        );
    }
}

#[test]
fn garbage_in_head_is_an_error_that_names_the_file() {
    let sandbox = Sandbox::committed();
    for garbage in ["", "\n", "main\n", "0123456789\n", "\0\0\0\0"] {
        set_head(&sandbox, garbage);
        let error = sandbox.discover().head().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{} holds neither a commit id nor a ref: check it with `git fsck`",
                sandbox.repo().join(".git/HEAD").display()
            )
        );
    }
}

#[test]
fn an_empty_branch_file_is_an_error_that_names_it() {
    let sandbox = Sandbox::committed();
    let path = sandbox.repo().join(".git/refs/heads/main");
    fs::write(&path, "").unwrap();
    let error = sandbox.discover().head().unwrap_err().to_string();
    assert!(error.starts_with(path.to_str().unwrap()), "{error}");
}

#[test]
#[cfg(unix)]
fn a_symlinked_head_names_its_branch() {
    let sandbox = Sandbox::committed();
    let commit = sandbox.head_by_git();
    let link = sandbox.repo().join(".git/HEAD");
    for (target, expected) in [("main", Some(commit)), ("unborn", None)] {
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(format!("refs/heads/{target}"), &link).unwrap();
        assert_eq!(head(&sandbox), on(target, expected));
    }
}

#[test]
fn a_worktree_has_its_own_head_and_shares_branches() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["worktree", "add", "-q", "-b", "topic/a", "../linked"]);
    let linked = discover(&sandbox.path("linked"));
    assert_eq!(
        linked.head().unwrap(),
        on("topic/a", Some(sandbox.head_by_git()))
    );
    sandbox.git(&["pack-refs", "--all"]);
    assert_eq!(
        linked.head().unwrap(),
        on("topic/a", Some(sandbox.head_by_git()))
    );
    assert_eq!(head(&sandbox).branch.as_deref(), Some("main"));
}

#[test]
fn a_ref_of_one_worktree_is_read_from_that_worktree() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["worktree", "add", "-q", "../linked"]);
    let linked = sandbox.path("linked");
    sandbox.git_in(&linked, &["commit", "-q", "--allow-empty", "-m", "x"]);
    sandbox.git_in(&linked, &["update-ref", "refs/worktree/mine", "HEAD"]);
    sandbox.git_in(&linked, &["symbolic-ref", "HEAD", "refs/worktree/mine"]);
    let commit = sandbox.git_in(&linked, &["rev-parse", "HEAD"]).parse().ok();
    assert_eq!(
        discover(&linked).head().unwrap(),
        Head {
            commit,
            branch: None
        }
    );
}

#[test]
fn sha256_repositories_have_longer_ids() {
    let sandbox = Sandbox::empty();
    sandbox.git_in(
        sandbox.top(),
        &["init", "-q", "-b", "main", "--object-format=sha256", "repo"],
    );
    let commit = sandbox.commit("first");
    assert_eq!(commit.as_str().len(), 64);
    assert_eq!(head(&sandbox), on("main", Some(commit)));
}

#[test]
fn reftable_repositories_are_read_through_git() {
    let sandbox = Sandbox::empty();
    let init = sandbox.try_git_in(
        sandbox.top(),
        &["init", "-q", "-b", "main", "--ref-format=reftable", "repo"],
    );
    if !init.status.success() {
        // Git before 2.45 cannot create one.
        return;
    }
    assert_eq!(head(&sandbox), on("main", None));
    let commit = sandbox.commit("first");
    assert_eq!(head(&sandbox), on("main", Some(commit.clone())));
    sandbox.git(&["worktree", "add", "-q", "-b", "topic", "../linked"]);
    assert_eq!(
        discover(&sandbox.path("linked")).head().unwrap(),
        on("topic", Some(commit.clone()))
    );
    sandbox.git(&["checkout", "-q", "--detach"]);
    let expected = Head {
        commit: Some(commit),
        branch: None,
    };
    assert_eq!(head(&sandbox), expected);
}

#[test]
fn a_commit_id_is_a_full_lower_case_id_and_nothing_else() {
    let id = "0123456789abcdef0123456789abcdef01234567";
    let commit = CommitId::parse(id).unwrap();
    assert_eq!(commit.to_string(), id);
    assert_eq!(commit.short(), "0123456");
    assert_eq!(serde_json::to_string(&commit).unwrap(), format!("\"{id}\""));
    assert!(CommitId::parse(&"a".repeat(64)).is_ok());
    let long = "a".repeat(41);
    for text in [
        "",
        "HEAD",
        "--output=x",
        "0123456",
        &id.to_uppercase(),
        &id[1..],
        &long,
        &format!("{id}\n"),
    ] {
        let error = CommitId::parse(text).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_in_head_and_packed_refs_give_an_answer_and_never_a_panic(
        head in prop::collection::vec(any::<u8>(), 0..80),
        packed in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let sandbox = Sandbox::empty();
        let git_dir = sandbox.repo().join(".git");
        fs::create_dir_all(git_dir.join("objects")).unwrap();
        fs::write(git_dir.join("HEAD"), &head).unwrap();
        fs::write(git_dir.join("packed-refs"), &packed).unwrap();
        if let Ok(found) = sandbox.discover().head() {
            prop_assert_eq!(found.commit.is_some() || found.branch.is_some(), true);
        }
    }
}
