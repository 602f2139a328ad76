use super::*;

#[test]
fn a_lock_that_is_held_is_reported_with_its_holder() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let held = acquire(&path, Duration::from_secs(1), "phase").unwrap();
    let error = acquire(&path, Duration::from_millis(30), "x").unwrap_err();
    let expected = format!(
        "{} is locked by process {} (phase); gave up after 30 ms",
        path.display(),
        std::process::id()
    );
    assert_eq!(error.to_string(), expected);
    drop(held);
    acquire(&path, Duration::ZERO, "x").unwrap();
}

#[test]
fn a_grant_after_the_deadline_is_released_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let held = acquire(&path, Duration::ZERO, "first").unwrap();
    acquire(&path, Duration::from_millis(5), "second").unwrap_err();
    drop(held);
    acquire(&path, Duration::from_secs(10), "third").unwrap();
}

#[cfg(unix)]
#[test]
fn a_symlink_in_the_place_of_the_lock_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    std::os::unix::fs::symlink(directory.path().join("elsewhere"), &path).unwrap();
    assert!(matches!(
        acquire(&path, Duration::ZERO, "x"),
        Err(LockError::Io { .. })
    ));
    assert!(!directory.path().join("elsewhere").exists());
}
