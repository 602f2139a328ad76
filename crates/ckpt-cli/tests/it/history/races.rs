//! What is archived or deleted, and comes back, while somebody else uses its name.

use std::thread;
use std::time::Duration;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::strace::{strace_works, tampered};

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

/// Runs a command that waits before it takes its first lock, and others meanwhile.
fn delayed(environment: &Environment, change: &[&str], others: &[&str]) -> Run {
    thread::scope(|scope| {
        let late =
            scope.spawn(|| tampered(environment, change, "flock", "delay_enter=2000000:when=1"));
        thread::sleep(Duration::from_millis(500));
        for line in others {
            run(environment, line, 0);
        }
        late.join().expect("it runs")
    })
}

const WORKED: [&str; 2] = [
    "start implement auth --phases build",
    "phase implement/auth build complete --summary MARK",
];

fn begin(environment: &Environment) {
    for line in WORKED {
        run(environment, line, 0);
    }
}

#[test]
fn what_was_deleted_does_not_come_back_over_what_was_begun_meanwhile() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    begin(&environment);
    run(&environment, "delete implement/auth --force", 0);
    let back = delayed(
        &environment,
        &["unarchive", "implement/auth"],
        &["start implement auth --phases other"],
    );
    assert!(back.exits(5).reason().contains("is already there"));
    assert!(run(&environment, "show implement/auth", 0).contains("other"));
    run(&environment, "delete implement/auth --force", 0);
    let deleted = run(&environment, "archive", 0);
    let first = deleted.lines().min().expect("it is kept");
    let name = first.split('\t').next().expect("it has a name");
    run(&environment, &format!("unarchive {name}"), 0);
    assert!(run(&environment, "show implement/auth", 0).contains("MARK"));
}

#[test]
fn a_change_that_has_waited_brings_back_what_was_archived_meanwhile() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    run(&environment, "start design --phases a", 0);
    let mut others = WORKED.to_vec();
    others.push("archive implement/auth --force");
    let late = ["phase", "implement/auth", "test", "in_progress"];
    delayed(&environment, &late, &others).exits(0);
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("MARK") && shown.contains("test"), "{shown}");
    assert!(!run(&environment, "archive", 0).contains("implement/auth"));
}

#[test]
fn a_deletion_that_has_waited_deletes_what_is_there_and_nothing_is_lost() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    begin(&environment);
    run(&environment, "archive implement/auth --force", 0);
    let late = ["delete", "implement/auth", "--force"];
    let others = [
        "unarchive implement/auth",
        "delete implement/auth --force",
        "start implement auth --phases other",
    ];
    delayed(&environment, &late, &others);
    let log = run(&environment, "log --search MARK", 0);
    assert!(log.contains("MARK"), "{log}");
}

#[test]
fn an_older_deletion_does_not_come_back_into_the_rest_of_a_newer_one() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    begin(&environment);
    run(&environment, "delete implement/auth --force", 0);
    let list = run(&environment, "archive", 0);
    let older = list.split('\t').next().expect("it has a name").to_owned();
    run(&environment, "start implement auth --phases build", 0);
    run(
        &environment,
        "phase implement/auth build complete --summary NEWER",
        0,
    );
    // Killed once the document is gone, and its history is not.
    let newer = ["delete", "implement/auth", "--force"];
    tampered(&environment, &newer, "unlink", "signal=KILL:when=2");
    let history = environment.state("history/command/implement-auth.jsonl");
    let document = environment.state("implement-auth.json");
    assert!(history.exists() && !document.exists(), "it was cut off");
    let refused = environment.ckpt(&["unarchive", &older]).exits(5);
    assert!(refused.reason().contains("is already there"), "{refused}");
    run(&environment, "delete implement/auth --force", 0);
    run(&environment, &format!("unarchive {older}"), 0);
    for (text, is_its_own) in [("MARK", true), ("NEWER", false)] {
        let told = run(
            &environment,
            &format!("log implement/auth --search {text}"),
            0,
        );
        assert_eq!(told.contains("phase build"), is_its_own, "{told}");
    }
}

#[test]
fn changes_and_archivings_of_one_checkpoint_do_not_refuse_each_other() {
    let environment = Environment::new();
    begin(&environment);
    thread::scope(|scope| {
        for phase in ["build", "test"] {
            let environment = &environment;
            scope.spawn(move || {
                for round in 0..12 {
                    let summary = format!("{phase}-{round}");
                    let change = ["phase", "implement/auth", phase, "in_progress", "--summary"];
                    let change = [change.as_slice(), &[&summary]].concat();
                    environment.ckpt(&change).exits(0);
                }
            });
            scope.spawn(|| {
                for _ in 0..12 {
                    run(environment, "archive implement/auth --force", 0);
                    run(environment, "show implement/auth", 0);
                }
            });
        }
    });
    let log = run(&environment, "log implement/auth -n 1000 --json", 0);
    for phase in ["build", "test"] {
        let told = |round| log.contains(&format!("{phase}-{round}"));
        assert!((0..12).all(told), "{log}");
    }
}

#[test]
fn a_change_that_has_waited_for_a_renaming_begins_nothing_under_the_old_name() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    begin(&environment);
    let late = ["phase", "implement/auth", "test", "in_progress"];
    let late = delayed(
        &environment,
        &late,
        &["rename implement/auth implement/login"],
    );
    let refused = late.exits(3);
    assert!(
        refused.reason().contains("was renamed to implement/login"),
        "{refused}"
    );
    let list = run(&environment, "list", 0);
    assert!(!list.contains("implement/auth"), "{list}");
}

#[test]
fn a_renaming_that_is_killed_beside_another_change_is_finished() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    begin(&environment);
    thread::scope(|scope| {
        let killed = scope.spawn(|| {
            // It waits after it was noted, and dies before the old name is gone.
            let mut command = environment.command("strace");
            command.args(["-o", "/dev/null"]);
            command.args(["-e", "inject=linkat:delay_enter=1500000:when=3"]);
            command.args(["-e", "inject=unlink:signal=SIGKILL:when=1"]);
            Run::of(command.args([CKPT, "rename", "implement/auth", "implement/login"]))
        });
        thread::sleep(Duration::from_millis(500));
        assert!(environment.state("owed").exists(), "it is not noted");
        run(&environment, "start review ui", 0);
        killed.join().expect("it runs");
    });
    let list = run(&environment, "list", 0);
    assert!(
        list.contains("implement/login") && !list.contains("implement/auth"),
        "{list}"
    );
    assert!(!environment.state("implement-auth.json").exists());
}
