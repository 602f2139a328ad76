use super::*;

fn held(root: &Path, home: Option<&Path>, path: &Path) -> bool {
    Extent::of(root, None, home).holds(path)
}

#[test]
fn what_a_clone_may_have_brought_is_not_the_users_own() {
    let base = tempfile::tempdir().unwrap();
    let base = base.path().canonicalize().unwrap();
    let (clone, inner) = (base.join("clone"), base.join("clone/inner"));
    let home = base.join("home");
    for directory in [&inner, &home, &clone.join(".git")] {
        std::fs::create_dir_all(directory).unwrap();
    }
    for (path, expected) in [
        (clone.join("a"), true),
        (inner.join("a"), true),
        (home.join("a"), false),
        (home.join("../clone/a"), true),
        (PathBuf::from("a"), true),
        (PathBuf::from("../home/a"), true),
        (PathBuf::from("/dev/null"), false),
    ] {
        assert_eq!(held(&clone, Some(&home), &path), expected, "{path:?}");
        assert_eq!(held(&inner, Some(&home), &path), expected, "{path:?}");
    }
}

#[test]
fn a_home_directory_that_is_a_repository_is_the_users_own() {
    let base = tempfile::tempdir().unwrap();
    let home = base.path().canonicalize().unwrap();
    let clone = home.join("clone");
    for directory in [&home, &clone] {
        std::fs::create_dir_all(directory.join(".git")).unwrap();
    }
    let settings = home.join(".config");
    assert!(!held(&home, Some(&home), &settings));
    assert!(!held(&clone, Some(&home), &settings));
    assert!(held(&clone, Some(&home), &clone.join("a")));
    // Only the system decides what is a home directory.
    assert!(held(&home, None, &settings));
}

#[test]
fn no_variable_makes_a_clone_a_home_directory() {
    let here = std::env::current_dir().unwrap();
    for variable in [".", "..", "/proc/self/cwd", "/dev/fd/../cwd"] {
        assert_ne!(home(Some(Path::new(variable))), Some(here.clone()));
    }
}
