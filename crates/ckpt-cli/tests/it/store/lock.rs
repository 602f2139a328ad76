//! A store whose lock is held.

use std::fs::File;
use std::time::{Duration, Instant};

use crate::support::environment::Environment;

fn started() -> Environment {
    Environment::started().with_variable("CKPT_LOCK_TIMEOUT_MS", "200")
}

fn hold(environment: &Environment) -> File {
    let path = environment.state("locks/command.lock");
    let file = File::options().read(true).write(true).open(path).unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn a_change_gives_up_after_the_time_set_and_names_the_holder() {
    let environment = started();
    let before = environment.read(".claude/state/implement-auth.json");
    let held = hold(&environment);
    let started = Instant::now();
    let run = environment
        .ckpt(&["phase", "implement/auth", "a", "complete"])
        .exits(5);
    assert!(started.elapsed() >= Duration::from_millis(200));
    let lock = environment.state("locks/command.lock");
    let holder = format!("{} is locked by process ", lock.display());
    assert!(run.reason().contains(&holder), "{run}");
    assert!(
        run.reason().contains("(start); gave up after 200 ms."),
        "{run}"
    );
    assert_eq!(
        environment.read(".claude/state/implement-auth.json"),
        before
    );
    drop(held);
    environment
        .ckpt(&["phase", "implement/auth", "a", "complete"])
        .exits(0);
}

#[test]
fn reads_do_not_wait() {
    let environment = started().with_variable("CKPT_LOCK_TIMEOUT_MS", "60000");
    let _held = hold(&environment);
    for arguments in [
        &["list"][..],
        &["show", "implement/auth"],
        &["status"],
        &["resume"],
        &["validate"],
        &["log", "implement/auth"],
    ] {
        let started = Instant::now();
        environment.ckpt(arguments).exits(0);
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "{arguments:?} waited"
        );
    }
}

#[test]
fn a_waiting_change_continues_as_soon_as_it_can() {
    let environment = started().with_variable("CKPT_LOCK_TIMEOUT_MS", "60000");
    let held = hold(&environment);
    std::thread::scope(|scope| {
        let waiting =
            scope.spawn(|| environment.ckpt(&["phase", "implement/auth", "a", "complete"]));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!waiting.is_finished());
        drop(held);
        waiting.join().unwrap().exits(0);
    });
}

#[test]
fn the_lock_file_is_never_taken_away() {
    let environment = started();
    let inode = |environment: &Environment| {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(environment.state("locks/command.lock"))
            .unwrap()
            .ino()
    };
    let before = inode(&environment);
    environment
        .ckpt(&["phase", "implement/auth", "a", "complete"])
        .exits(0);
    assert_eq!(inode(&environment), before);
}
