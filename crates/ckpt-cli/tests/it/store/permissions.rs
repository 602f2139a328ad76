//! A file that may not be read or written is named, and the state stays as it was.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::refusal::{UPDATE, assert_refused, state_but_lock};
use crate::support::{tool, tree};

/// The user and group of nobody.
const NOBODY: u32 = 65534;

/// Whether the tests run as root, who ignores permissions: the owner of a new file shows it.
fn is_root(environment: &Environment) -> bool {
    let mine = environment.base().join("mine");
    let _ = fs::remove_file(&mine);
    fs::write(&mine, "").unwrap();
    fs::metadata(&mine).unwrap().uid() == 0
}

/// Runs `ckpt` as a user for whom permissions hold; `None` if that is not possible.
fn unprivileged(environment: &Environment, arguments: &[&str]) -> Option<Run> {
    if !is_root(environment) {
        return Some(environment.ckpt(arguments));
    }
    let identity = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    if !tool::works("setpriv", &[&identity[..], &["true"]].concat()) {
        return None;
    }
    // The user nobody may have no access to the build directory.
    let binary = environment.base().join("ckpt");
    if !binary.exists() {
        fs::copy(CKPT, &binary).unwrap();
        tree::set_mode(&binary, 0o755);
    }
    give_away(environment.base());
    let mut command = environment.command("setpriv");
    Some(Run::of(command.args(identity).arg(binary).args(arguments)))
}

fn give_away(path: &Path) {
    let metadata = fs::symlink_metadata(path).unwrap();
    if metadata.is_symlink() {
        return;
    }
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}

#[test]
fn a_state_directory_that_must_not_be_written() {
    let environment = Environment::started_with("build");
    let before = environment.document("implement-auth");
    tree::set_mode(environment.state(""), 0o500);
    let run = unprivileged(&environment, &UPDATE);
    tree::set_mode(environment.state(""), 0o700);
    let Some(run) = run else { return };
    assert_refused(run, &environment.path(".claude/state"));
    assert_eq!(environment.document("implement-auth"), before);
    unprivileged(&environment, &UPDATE).unwrap().exits(0);
    let status = &environment.document("implement-auth")["phases"]["build"]["status"];
    assert_eq!(status, "complete");
}

#[test]
fn a_repository_that_must_not_be_written() {
    let environment = Environment::new();
    tree::set_mode(environment.root(), 0o500);
    let run = unprivileged(&environment, &UPDATE);
    tree::set_mode(environment.root(), 0o700);
    let Some(run) = run else { return };
    assert_refused(run, &environment.path(".claude"));
    assert!(!environment.path(".claude").exists());
}

#[test]
fn a_history_that_must_not_be_written() {
    let environment = Environment::started_with("build");
    let history = environment.state("history/command/implement-auth.jsonl");
    tree::set_mode(&history, 0o400);
    let before = state_but_lock(&environment);
    let Some(run) = unprivileged(&environment, &UPDATE) else {
        return;
    };
    assert_refused(run, &history);
    assert_eq!(state_but_lock(&environment), before);
}

#[test]
fn a_document_that_must_not_be_read() {
    let environment = Environment::started_with("build");
    let document = environment.state("implement-auth.json");
    tree::set_mode(&document, 0o000);
    let runs = [
        &UPDATE[..],
        &["show", "implement/auth"],
        &["resume", "implement/auth"],
    ]
    .map(|arguments| unprivileged(&environment, arguments));
    let listed = unprivileged(&environment, &["list"]);
    tree::set_mode(&document, 0o600);
    for run in runs {
        let Some(run) = run else { return };
        assert_refused(run, &document);
    }
    let listed = listed.unwrap().exits(0);
    assert!(
        listed.stderr.contains(document.to_str().unwrap()),
        "{listed}"
    );
    assert_eq!(environment.history("implement-auth").len(), 1);
}

#[test]
fn a_state_directory_that_must_not_be_searched() {
    let environment = Environment::started_with("build");
    tree::set_mode(environment.state(""), 0o000);
    let run = unprivileged(&environment, &UPDATE);
    let listed = unprivileged(&environment, &["list"]);
    tree::set_mode(environment.state(""), 0o700);
    let (Some(run), Some(listed)) = (run, listed) else {
        return;
    };
    assert_refused(run, &environment.path(".claude/state"));
    assert_refused(listed, &environment.path(".claude/state"));
    assert_eq!(environment.history("implement-auth").len(), 1);
}
