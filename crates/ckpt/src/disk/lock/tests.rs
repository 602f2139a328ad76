use super::*;

fn acquire(path: &Path, wait: Duration, holder: &str) -> Result<Lock, LockError> {
    let directory = path.parent().unwrap().join("held");
    let _ = std::fs::create_dir(&directory);
    acquire_in(path, &directory, wait, holder)
}

fn acquire_in(
    path: &Path,
    directory: &Path,
    wait: Duration,
    holder: &str,
) -> Result<Lock, LockError> {
    let subject = Subject {
        file: path,
        directory,
    };
    super::acquire(subject, wait, holder)
}

/// Where directories cannot be locked, this is all there is.
#[cfg(unix)]
#[test]
fn whoever_waited_for_a_lock_file_that_was_removed_does_not_hold_the_lock() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let nowhere = directory.path().join("nowhere");
    let wait = Duration::from_secs(60);
    let held = acquire_in(&path, &nowhere, wait, "first").unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| acquire_in(&path, &nowhere, wait, "second"));
        while !is_waited_for(&path) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::fs::remove_file(&path).unwrap();
        let third = acquire_in(&path, &nowhere, wait, "third").unwrap();
        drop(held);
        drop(third);
        // It does not hold the file that others lock now, and says so.
        let refused = second.join().unwrap().unwrap_err();
        assert!(refused.is_gone(), "{refused}");
    });
}

/// Whether somebody waits for a lock on this file.
#[cfg(unix)]
fn is_waited_for(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = format!(":{} ", std::fs::metadata(path).unwrap().ino());
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    let mut waiting = locks.lines().filter(|line| line.contains("->"));
    waiting.any(|line| line.contains(&inode))
}

#[cfg(unix)]
#[test]
fn a_lock_file_that_is_removed_under_its_holder_lets_nobody_else_in() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lock");
    let held = acquire(&path, Duration::ZERO, "first").unwrap();
    std::fs::remove_file(&path).unwrap();
    acquire(&path, Duration::from_millis(30), "second").unwrap_err();
    drop(held);
    acquire(&path, Duration::ZERO, "third").unwrap();
}

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
