//! Standard output: no colours and no control characters, and what happens when it cannot be written.

use std::fs::File;
use std::process::Stdio;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::tool;

#[test]
fn nothing_is_coloured_without_a_terminal() {
    let environment = Environment::worked_on();
    environment.write(".claude/state/ship-checkpoint.json", "{ broken");
    for arguments in [
        &["list"][..],
        &["show", "implement/auth"],
        &["status", "--all"],
        &["resume"],
        &["validate"],
        &["log", "implement/auth"],
        &["gate", "check", "implement/auth"],
        &["config"],
        &["--help"],
        &["show", "missing"],
        &["no-such-command"],
    ] {
        let run = environment.ckpt(arguments);
        assert!(!run.stdout.contains('\u{1b}'), "{arguments:?}: {run}");
        assert!(!run.stderr.contains('\u{1b}'), "{arguments:?}: {run}");
    }
}

#[test]
fn text_written_by_others_cannot_control_the_terminal() {
    let environment = Environment::worked_on();
    let nasty = "\u{1b}[2J\u{1b}]0;owned\u{7}\r";
    let phase = [
        "phase",
        "implement/auth",
        nasty,
        "failed",
        "--error",
        nasty,
        "--task",
        nasty,
    ];
    environment.ckpt(&phase).exits(0);
    for arguments in [
        &["list"][..],
        &["show"],
        &["status"],
        &["resume"],
        &["log"],
        &["validate"],
    ] {
        let run = environment.ckpt(arguments);
        let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        assert!(!run.stdout.contains(steers), "{arguments:?}: {run:?}");
        assert!(!run.stderr.contains(steers), "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_not_an_error() {
    let environment = Environment::started();
    for arguments in [
        &["log"][..],
        &["show"],
        &["--help"],
        &["completions", "bash"],
        &["list", "--json"],
    ] {
        let mut command = environment.command(CKPT);
        command
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let run: Run = child.wait_with_output().unwrap().into();
        assert_eq!(
            (run.code, run.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let environment = Environment::started();
    if !tool::works("test", &["-c", "/dev/full"]) {
        return;
    }
    let full = File::options().write(true).open("/dev/full").unwrap();
    for arguments in [&["show"][..], &["list", "--json"], &["resume"]] {
        let mut command = environment.command(CKPT);
        command.args(arguments).stdout(full.try_clone().unwrap());
        let run = Run::of(&mut command);
        assert_eq!(run.code, Some(1), "{arguments:?}: {run}");
        assert!(
            run.reason()
                .starts_with("error: cannot write to standard output"),
            "{run}"
        );
    }
}
