//! Finding the root.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::{Environment, Repository, RepositoryError};
use super::sandbox::{Sandbox, discover, write};

fn with(start: &Path, environment: &Environment) -> Repository {
    Repository::discover(start, environment).unwrap()
}

#[test]
fn the_nearest_git_directory_upward_marks_the_root() {
    let sandbox = Sandbox::committed();
    let found = discover(&sandbox.repo().join("dir"));
    assert_eq!(found.root(), sandbox.repo());
    assert!(found.is_git());
    assert_eq!(found.git_dir(), Some(sandbox.repo().join(".git").as_path()));
    assert_eq!(found.common_dir(), found.git_dir());
}

#[test]
fn outside_git_the_start_is_the_root() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("a")).unwrap();
    let found = discover(&sandbox.path("a"));
    assert_eq!(found.root(), sandbox.path("a"));
    assert!(!found.is_git());
    assert_eq!((found.git_dir(), found.common_dir()), (None, None));
}

#[test]
fn a_start_that_does_not_exist_is_named() {
    let sandbox = Sandbox::empty();
    let error = Repository::discover(&sandbox.path("gone"), &Environment::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot find {}", sandbox.path("gone").display())
    );
}

#[test]
#[cfg(unix)]
fn a_start_behind_a_symbolic_link_belongs_to_where_it_really_is() {
    let sandbox = Sandbox::committed();
    std::os::unix::fs::symlink(sandbox.repo().join("dir"), sandbox.path("link")).unwrap();
    assert_eq!(discover(&sandbox.path("link")).root(), sandbox.repo());
}

#[test]
#[cfg(unix)]
fn a_symlinked_git_directory_marks_the_root() {
    let sandbox = Sandbox::committed();
    fs::rename(sandbox.repo().join(".git"), sandbox.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("elsewhere"), sandbox.repo().join(".git")).unwrap();
    let found = sandbox.discover();
    assert_eq!(found.root(), sandbox.repo());
    assert_eq!(found.head().unwrap().commit, Some(sandbox.head_by_git()));
}

#[test]
fn a_separate_git_directory_is_followed() {
    let sandbox = Sandbox::empty();
    sandbox.git_in(
        sandbox.top(),
        &["init", "-q", "--separate-git-dir", "store", "repo"],
    );
    let found = sandbox.discover();
    assert_eq!(found.root(), sandbox.repo());
    assert_eq!(found.git_dir(), Some(sandbox.path("store").as_path()));
}

#[test]
fn a_dangling_git_file_keeps_the_root_usable() {
    let sandbox = Sandbox::empty();
    write(&sandbox.path("repo/.git"), "gitdir: ../gone\n");
    write(&sandbox.path("repo/dir/file"), "");
    let found = discover(&sandbox.path("repo/dir"));
    assert_eq!(found.root(), sandbox.repo());
    assert!(!found.is_git());
    assert_eq!(
        found.broken_git(),
        Some(sandbox.repo().join(".git").as_path())
    );
    assert_eq!(found.head().unwrap(), super::super::Head::default());
    let error = found.content_digest(&[]).unwrap_err();
    assert!(
        matches!(error, RepositoryError::BrokenGit { .. }),
        "{error}"
    );
}

#[test]
fn a_git_directory_without_head_keeps_the_root_usable() {
    let sandbox = Sandbox::committed();
    fs::remove_file(sandbox.repo().join(".git/HEAD")).unwrap();
    let found = discover(&sandbox.repo().join("dir"));
    assert_eq!(found.root(), sandbox.repo());
    assert!(found.broken_git().is_some());
}

#[test]
fn an_empty_git_directory_is_looked_past() {
    let sandbox = Sandbox::committed();
    fs::create_dir(sandbox.repo().join("dir/.git")).unwrap();
    assert_eq!(discover(&sandbox.repo().join("dir")).root(), sandbox.repo());
}

#[test]
fn a_start_inside_the_git_directory_belongs_to_the_work_tree_around_it() {
    let sandbox = Sandbox::committed();
    assert_eq!(
        discover(&sandbox.repo().join(".git/refs")).root(),
        sandbox.repo()
    );
}

#[test]
fn a_bare_repository_is_not_looked_for() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["init", "-q", "--bare", "dir/bare.git"]);
    let found = discover(&sandbox.repo().join("dir/bare.git/refs"));
    assert_eq!(found.root(), sandbox.repo());
    sandbox.git_in(sandbox.top(), &["init", "-q", "--bare", "alone.git"]);
    let start = sandbox.path("alone.git/refs");
    let found = discover(&start);
    assert_eq!(found.root(), start);
    assert!(!found.is_git());
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_git_directory_is_looked_past() {
    let sandbox = Sandbox::committed();
    let pipe = sandbox.repo().join("dir/.git");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert_eq!(discover(&sandbox.repo().join("dir")).root(), sandbox.repo());
}

#[test]
fn a_bare_repository_with_a_given_work_tree_is_inside_git() {
    let sandbox = Sandbox::empty();
    sandbox.git_in(sandbox.top(), &["init", "-q", "--bare", "bare.git"]);
    fs::create_dir(sandbox.path("tree")).unwrap();
    let environment = Environment {
        git_dir: Some("../bare.git".into()),
        git_work_tree: Some(".".into()),
        ..Environment::default()
    };
    let found = with(&sandbox.path("tree"), &environment);
    assert_eq!(found.root(), sandbox.path("tree"));
    assert!(found.is_git());
    // Inside a repository it counts as content, which an archive may have brought.
    let environment = Environment {
        git_dir: Some("bare.git".into()),
        git_work_tree: Some(".".into()),
        ..Environment::default()
    };
    let error = Repository::discover(sandbox.top(), &environment).unwrap_err();
    assert!(matches!(
        error,
        RepositoryError::GitDirectoryIsContent { .. }
    ));
}

#[test]
fn a_configured_work_tree_above_is_refused() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["config", "core.worktree", "../.."]);
    assert_refused(&sandbox.repo(), sandbox.top());
    sandbox.git(&["config", "core.worktree", ".."]);
    assert_eq!(sandbox.discover().root(), sandbox.repo());
}

/// Asserts that the `.git` of `directory` is refused and its target named.
fn assert_refused(directory: &Path, expected: &Path) {
    let error = Repository::discover(directory, &Environment::default()).unwrap_err();
    match error {
        RepositoryError::AnotherWorkTree { dot_git, leads_to } => {
            assert_eq!(dot_git, directory.join(".git"));
            assert_eq!(leads_to, expected);
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_configured_work_tree_elsewhere_is_refused() {
    let sandbox = Sandbox::committed();
    fs::create_dir(sandbox.path("tree")).unwrap();
    sandbox.git(&["config", "core.worktree", "../../tree"]);
    assert_refused(&sandbox.repo(), &sandbox.path("tree"));
    let environment = Environment {
        git_work_tree: Some(sandbox.path("tree")),
        ..Environment::default()
    };
    assert_eq!(
        with(&sandbox.repo(), &environment).root(),
        sandbox.path("tree")
    );
}

#[test]
fn a_git_file_that_leads_to_another_repository_is_refused() {
    let sandbox = Sandbox::committed();
    write(&sandbox.path("other/.git"), "gitdir: ../repo/.git\n");
    assert_refused(&sandbox.path("other"), &sandbox.repo().join(".git"));
    // The git directory may agree.
    sandbox.git(&["config", "core.worktree", "../../other"]);
    assert_eq!(
        discover(&sandbox.path("other")).root(),
        sandbox.path("other")
    );
}

#[test]
#[cfg(unix)]
fn a_link_to_the_git_directory_of_another_repository_is_refused() {
    let sandbox = Sandbox::committed();
    fs::create_dir(sandbox.path("other")).unwrap();
    let link = sandbox.path("other/.git");
    std::os::unix::fs::symlink(sandbox.repo().join(".git"), link).unwrap();
    assert_refused(&sandbox.path("other"), &sandbox.repo().join(".git"));
}

#[test]
fn a_git_directory_that_shares_that_of_another_repository_is_refused() {
    let sandbox = Sandbox::committed();
    sandbox.git_in(sandbox.top(), &["init", "-q", "other"]);
    write(&sandbox.path("other/.git/commondir"), "../../repo/.git\n");
    assert_refused(&sandbox.path("other"), &sandbox.repo().join(".git"));
    // Nor does it help to claim to be a worktree.
    write(&sandbox.path("third/.git"), "gitdir: ../other/.git\n");
    assert_refused(&sandbox.path("third"), &sandbox.path("other/.git"));
}

#[test]
fn the_worktree_and_the_submodule_of_another_are_refused() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["worktree", "add", "-q", "../linked"]);
    write(
        &sandbox.path("other/.git"),
        "gitdir: ../repo/.git/worktrees/linked\n",
    );
    let store = sandbox.repo().join(".git/worktrees/linked");
    assert_refused(&sandbox.path("other"), &store);
    sandbox.git_in(sandbox.top(), &["clone", "-q", "repo", "module"]);
    sandbox.git(&["submodule", "--quiet", "add", "../module", "sub"]);
    write(
        &sandbox.path("other/.git"),
        "gitdir: ../repo/.git/modules/sub\n",
    );
    assert_refused(
        &sandbox.path("other"),
        &sandbox.repo().join(".git/modules/sub"),
    );
}

#[test]
fn a_worktree_that_was_moved_by_hand_is_found_once_it_is_repaired() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["worktree", "add", "-q", "../linked"]);
    fs::rename(sandbox.path("linked"), sandbox.path("moved")).unwrap();
    assert_refused(
        &sandbox.path("moved"),
        &sandbox.repo().join(".git/worktrees/linked"),
    );
    sandbox.git_in(&sandbox.path("moved"), &["worktree", "repair"]);
    let found = discover(&sandbox.path("moved"));
    assert_eq!(found.root(), sandbox.path("moved"));
    assert_eq!(
        found.common_dir(),
        Some(sandbox.repo().join(".git").as_path())
    );
}

#[test]
fn a_configured_work_tree_that_is_gone_does_not_hide_the_root() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["config", "core.worktree", "../../gone"]);
    assert_eq!(sandbox.discover().root(), sandbox.repo());
}

#[test]
fn git_dir_alone_makes_the_start_the_root_as_in_git() {
    let sandbox = Sandbox::committed();
    let environment = Environment {
        git_dir: Some("../.git".into()),
        ..Environment::default()
    };
    let found = with(&sandbox.repo().join("dir"), &environment);
    assert_eq!(found.root(), sandbox.repo().join("dir"));
    assert_eq!(found.head().unwrap().commit, Some(sandbox.head_by_git()));
}

#[test]
fn a_git_dir_that_is_none_is_an_error_that_names_it() {
    let sandbox = Sandbox::committed();
    let environment = Environment {
        git_dir: Some("gone".into()),
        ..Environment::default()
    };
    let error = Repository::discover(&sandbox.repo(), &environment).unwrap_err();
    let path = sandbox.repo().join("gone");
    assert_eq!(
        error.to_string(),
        format!(
            "GIT_DIR names {}, which is not a git directory: correct or unset it",
            path.display()
        )
    );
}

#[test]
fn git_work_tree_alone_moves_the_root() {
    let sandbox = Sandbox::committed();
    let environment = Environment {
        git_work_tree: Some("dir".into()),
        ..Environment::default()
    };
    let found = with(&sandbox.repo(), &environment);
    assert_eq!(found.root(), sandbox.repo().join("dir"));
    assert!(found.is_git());
}

#[test]
fn git_root_overrides_everything_and_keeps_head() {
    let sandbox = Sandbox::committed();
    let environment = Environment {
        git_root: Some(sandbox.repo().join("dir")),
        git_dir: Some("gone".into()),
        git_work_tree: Some("gone".into()),
        ..Environment::default()
    };
    let found = with(sandbox.top(), &environment);
    assert_eq!(found.root(), sandbox.repo().join("dir"));
    assert_eq!(found.head().unwrap().commit, Some(sandbox.head_by_git()));
}

#[test]
fn git_root_may_lie_outside_git_or_not_exist() {
    let sandbox = Sandbox::committed();
    for root in [sandbox.top().to_path_buf(), sandbox.path("not-yet")] {
        let environment = Environment {
            git_root: Some(root.clone()),
            ..Environment::default()
        };
        let found = with(&sandbox.repo(), &environment);
        assert_eq!(found.root(), root);
        assert!(!found.is_git());
    }
}

#[test]
fn empty_variables_count_as_unset() {
    let sandbox = Sandbox::committed();
    let environment = Environment {
        git_root: Some(PathBuf::new()),
        git_dir: Some(PathBuf::new()),
        git_work_tree: Some(PathBuf::new()),
        ceiling_directories: vec![PathBuf::new()],
        current_directory: Some(PathBuf::new()),
        home: Some(PathBuf::new()),
        sudo_uid: None,
    };
    assert_eq!(
        with(&sandbox.repo().join("dir"), &environment).root(),
        sandbox.repo()
    );
}

#[test]
#[cfg(unix)]
fn the_current_directory_leads_where_its_resolved_path_leads() {
    let sandbox = Sandbox::committed();
    let directory = sandbox.repo().join("dir").canonicalize().unwrap();
    let environment = Environment {
        current_directory: Some(directory.clone()),
        ..Environment::default()
    };
    let spelled = directory.join("./");
    for start in [&directory, &spelled] {
        let found = with(start, &environment);
        assert_eq!(found.root(), with(start, &Environment::default()).root());
        assert!(found.is_git());
    }
    let outside = Sandbox::empty();
    assert!(!with(&outside.path("."), &environment).is_git());
}

#[test]
fn the_search_does_not_climb_into_a_ceiling() {
    let sandbox = Sandbox::committed();
    fs::create_dir(sandbox.repo().join("dir/deep")).unwrap();
    let environment = |ceiling: &str| Environment {
        ceiling_directories: vec![sandbox.path(ceiling)],
        ..Environment::default()
    };
    let root_of = |start: &str, ceiling: &str| {
        with(&sandbox.path(start), &environment(ceiling))
            .root()
            .to_path_buf()
    };
    assert_eq!(
        root_of("repo/dir/deep", "repo"),
        sandbox.path("repo/dir/deep")
    );
    assert_eq!(
        root_of("repo/dir/deep", "repo/dir"),
        sandbox.path("repo/dir/deep")
    );
    assert_eq!(root_of("repo/dir/deep", ""), sandbox.repo());
    assert_eq!(
        root_of("repo/dir", "repo/dir"),
        sandbox.repo(),
        "a start in the ceiling is not held"
    );
    assert_eq!(
        root_of("repo", "repo"),
        sandbox.repo(),
        "the start itself is looked at"
    );
}

#[test]
#[cfg(unix)]
fn a_ceiling_behind_a_symbolic_link_holds_unless_an_empty_entry_precedes_it() {
    let sandbox = Sandbox::committed();
    std::os::unix::fs::symlink(sandbox.repo(), sandbox.path("link")).unwrap();
    let start = sandbox.repo().join("dir");
    let mut environment = Environment {
        ceiling_directories: vec![sandbox.path("link")],
        ..Environment::default()
    };
    assert_eq!(with(&start, &environment).root(), start);
    environment.ceiling_directories.insert(0, PathBuf::new());
    assert_eq!(with(&start, &environment).root(), sandbox.repo());
}

#[test]
fn a_submodule_is_a_root_of_its_own() {
    let sandbox = Sandbox::committed();
    sandbox.git_in(sandbox.top(), &["clone", "-q", "repo", "other"]);
    sandbox.git(&["submodule", "--quiet", "add", "../other", "sub"]);
    let found = discover(&sandbox.repo().join("sub/dir"));
    assert_eq!(found.root(), sandbox.repo().join("sub"));
    assert_eq!(
        found.git_dir(),
        Some(sandbox.repo().join(".git/modules/sub").as_path())
    );
    assert_eq!(found.head().unwrap().commit, Some(sandbox.head_by_git()));
    let from_git_dir = discover(&sandbox.repo().join(".git/modules/sub"));
    assert_eq!(from_git_dir.root(), sandbox.repo());
}
