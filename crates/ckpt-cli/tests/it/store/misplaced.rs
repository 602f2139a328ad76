//! A directory, file or pipe in the wrong place is named, and no command waits for it.

use std::fs;
use std::process::Stdio;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::refusal::{UPDATE, assert_refused, state_but_lock};
use crate::support::shipping::approved;

#[test]
fn a_file_in_the_place_of_the_state_directory() {
    let environment = Environment::new();
    environment.write(".claude/state", "mine\n");
    assert_refused(
        environment.ckpt(&UPDATE),
        &environment.path(".claude/state"),
    );
    assert_refused(
        environment.ckpt(&["start", "ship"]),
        &environment.path(".claude/state"),
    );
    assert_eq!(environment.read(".claude/state"), "mine\n");
}

#[test]
fn a_file_in_the_place_of_the_directory_around_it() {
    let environment = Environment::new();
    environment.write(".claude", "mine\n");
    assert_refused(environment.ckpt(&UPDATE), &environment.path(".claude"));
    assert_eq!(environment.read(".claude"), "mine\n");
}

#[test]
fn a_directory_in_the_place_of_the_document() {
    let environment = Environment::started_with("build");
    fs::remove_file(environment.state("implement-auth.json")).unwrap();
    environment.write(".claude/state/implement-auth.json/keep", "mine\n");
    let before = state_but_lock(&environment);
    assert_refused(
        environment.ckpt(&UPDATE),
        &environment.state("implement-auth.json"),
    );
    assert_refused(
        environment.ckpt(&["show", "implement/auth"]),
        &environment.state("implement-auth.json"),
    );
    assert_eq!(state_but_lock(&environment), before);
}

#[test]
fn a_directory_in_the_place_of_the_history() {
    let environment = Environment::started_with("build");
    let history = environment.state("history/command/implement-auth.jsonl");
    fs::remove_file(&history).unwrap();
    fs::create_dir(&history).unwrap();
    let before = state_but_lock(&environment);
    assert_refused(environment.ckpt(&UPDATE), &history);
    assert_eq!(state_but_lock(&environment), before);
}

#[test]
fn a_directory_in_the_place_of_the_temporary_file() {
    let environment = Environment::started_with("build");
    let temporary = environment.state(".implement-auth.json.ckpt-tmp");
    fs::create_dir(&temporary).unwrap();
    let before = environment.document("implement-auth");
    assert_refused(environment.ckpt(&UPDATE), &temporary);
    assert_eq!(environment.document("implement-auth"), before);
    fs::remove_dir(&temporary).unwrap();
    environment.ckpt(&UPDATE).exits(0);
}

#[test]
fn a_directory_in_the_place_of_the_lock() {
    let environment = Environment::started_with("build");
    let lock = environment.state("locks/command.lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let before = state_but_lock(&environment);
    assert_refused(environment.ckpt(&UPDATE), &lock);
    assert_eq!(state_but_lock(&environment), before);
}

#[test]
fn nobody_waits_for_a_pipe() {
    let environment = approved();
    for name in [
        ".claude/config/ckpt.json",
        ".claude/state/implement-auth.json",
        ".claude/state/locks/late.lock",
        ".claude/state/hooks.jsonl",
        ".claude/settings.json",
    ] {
        let path = environment.path(name);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = environment.command("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
    }
    for arguments in [
        &["status"][..],
        &["doctor"],
        &["list"],
        &["init", "--dry-run"],
    ] {
        let mut command = environment.command("timeout");
        command.args(["10", CKPT]).args(arguments);
        let run = Run::of(command.stdin(Stdio::null()));
        assert_ne!(run.code, Some(124), "{arguments:?}: {run}");
    }
}
