//! Gates that were set here, which block whatever becomes of their files.

use std::fs;

use serde_json::Value;

use crate::support::environment::{AUTH, CKPT, Environment, Run};
use crate::support::strace::{MOST_CALLS, strace_works, tampered, was_tampered};
use crate::support::tree;

const DELETE: [&str; 3] = ["delete", "implement/auth", "--force"];
const BLOCK: [&str; 5] = ["gate", "set", "implement/auth", "--block", "no"];
const KILLED: &str = "signal=SIGKILL";

/// A repository in which the gate of a checkpoint blocks.
fn blocked() -> Environment {
    let environment = Environment::started();
    environment.ckpt(&BLOCK).exits(0);
    environment
}

/// The commands whose gates are noted.
fn notes(environment: &Environment) -> Vec<String> {
    let directory = environment.path(".git/ckpt/gated");
    let names = match directory.exists() {
        true => tree::names(&directory),
        false => Vec::new(),
    };
    let read = |name: String| fs::read_to_string(directory.join(name)).unwrap();
    names.into_iter().map(read).collect()
}

/// Takes the gate out of the file, as a pull may do.
fn ungate(environment: &Environment) {
    let mut document = environment.document("implement-auth");
    let gate = document
        .as_object_mut()
        .and_then(|root| root.remove("gate"));
    assert!(gate.is_some());
    environment.write(AUTH, document.to_string());
}

fn push(environment: &Environment) -> Run {
    let (head, zeros) = (environment.head(), "0".repeat(40));
    let refs = format!("refs/heads/main {head} refs/heads/main {zeros}\n");
    environment.ckpt_reading(refs, &["gate", "pre-push", "origin", "x"])
}

#[test]
fn wherever_a_deletion_is_cut_off_the_gate_of_what_is_left_blocks() {
    if !strace_works() {
        return;
    }
    for call in ["fsync", "unlink"] {
        for at in 1..=MOST_CALLS {
            let environment = blocked();
            tampered(&environment, &DELETE, call, &format!("{KILLED}:when={at}"));
            if !was_tampered(&environment) {
                assert!(at > 3, "only {at} of {call}");
                break;
            }
            let scene = format!("{call} {at}");
            if environment.path(AUTH).exists() {
                let document = environment.read(AUTH);
                ungate(&environment);
                let run = push(&environment);
                assert_eq!(run.code, Some(6), "{scene}: {run}");
                environment.write(AUTH, document);
            }
            let run = environment.ckpt(&DELETE);
            assert_eq!(run.code, Some(0), "{scene}: {run}");
            assert!(!environment.path(AUTH).exists(), "{scene}");
            assert!(notes(&environment).is_empty(), "{scene}");
        }
    }
}

#[test]
fn a_deletion_that_fails_leaves_the_gate_as_it_was() {
    if !strace_works() {
        return;
    }
    let environment = blocked();
    let full = tampered(&environment, &DELETE, "linkat", "error=ENOSPC:when=1+");
    assert_eq!(full.code, Some(1), "{full}");
    assert_eq!(notes(&environment), ["implement/auth"]);
    ungate(&environment);
    push(&environment).exits(6);
}

#[test]
fn a_damaged_archive_that_cannot_be_set_aside_leaves_the_gate_as_it_was() {
    if !strace_works() {
        return;
    }
    let environment = blocked();
    environment
        .ckpt(&["archive", "implement/auth", "--force"])
        .exits(0);
    let archive = "archive/command/implement-auth.zst";
    let mirror = environment.path(".git/ckpt/mirror");
    let copies = tree::contents(&mirror, |_| false).into_keys();
    let copy = copies.into_iter().find(|name| name.ends_with(archive));
    for path in [environment.state(archive), mirror.join(copy.unwrap())] {
        fs::write(path, "damaged").unwrap();
    }
    for call in ["rename", "renameat2"] {
        let run = tampered(&environment, &DELETE, call, "error=EIO:when=1+");
        assert_eq!(run.code, Some(1), "{run}");
        assert_eq!(notes(&environment), ["implement/auth"], "{call}");
    }
    environment.ckpt(&DELETE).exits(0);
    assert!(notes(&environment).is_empty());
}

#[test]
fn a_gate_that_only_a_person_may_let_go_blocks_after_a_deletion_that_was_cut_off() {
    let environment = blocked();
    let directory = environment.path(".git/ckpt/gated");
    let [name] = tree::names(&directory).try_into().unwrap();
    let note = fs::read(directory.join(&name)).unwrap();
    environment.ckpt(&DELETE).exits(0);
    // Its note is left, as after a kill before that was removed.
    fs::write(directory.join(&name), note).unwrap();
    environment
        .ckpt(&["config", "set", "--user", "approvals", "person"])
        .exits(0);
    let refused = environment.ckpt(&DELETE).exits(6);
    assert!(refused.stderr.contains("only a person"), "{refused}");
    assert_eq!(notes(&environment), ["implement/auth"]);
    push(&environment).exits(6);
}

#[test]
fn what_was_deleted_comes_back_with_its_gate_noted() {
    let environment = blocked();
    environment.ckpt(&DELETE).exits(0);
    assert!(notes(&environment).is_empty());
    environment.ckpt(&["unarchive", "implement/auth"]).exits(0);
    assert_eq!(notes(&environment), ["implement/auth"]);
    ungate(&environment);
    push(&environment).exits(6);
}

#[test]
fn a_deletion_that_was_cut_off_is_taken_back_with_its_gate_noted() {
    let environment = blocked();
    let name = ".claude/state/history/command/implement-auth.jsonl";
    let history = environment.read(name);
    environment.ckpt(&DELETE).exits(0);
    // Its history is left, as after a kill before that was removed.
    environment.write(name, history);
    environment.ckpt(&["unarchive", "implement/auth"]).exits(0);
    assert_eq!(notes(&environment), ["implement/auth"]);
}

#[test]
fn what_is_over_keeps_the_note_of_its_gate_in_the_archive_and_back() {
    let environment = blocked();
    // A pull says that it is complete.
    let mut document = environment.document("implement-auth");
    document["completed_at"] = Value::from("2026-01-29T10:30:00.000Z");
    environment.write(AUTH, document.to_string());
    for line in [
        ["archive", "implement/auth"],
        ["unarchive", "implement/auth"],
    ] {
        environment.ckpt(&line).exits(0);
        assert_eq!(notes(&environment), ["implement/auth"], "{line:?}");
    }
}

#[test]
fn the_note_of_a_gate_is_whole_wherever_setting_it_is_cut_off() {
    if !strace_works() {
        return;
    }
    for call in ["write", "fsync", "linkat"] {
        for at in 1..=MOST_CALLS {
            let environment = Environment::started();
            tampered(&environment, &BLOCK, call, &format!("{KILLED}:when={at}"));
            if !was_tampered(&environment) {
                break;
            }
            let scene = format!("{call} {at}");
            let noted = notes(&environment);
            assert!(
                noted.is_empty() || noted == ["implement/auth"],
                "{scene}: {noted:?}"
            );
            environment.ckpt(&BLOCK).exits(0);
            assert_eq!(notes(&environment), ["implement/auth"], "{scene}");
        }
    }
}

#[test]
fn a_note_of_a_gate_that_lacks_its_name_is_written_again() {
    let environment = blocked();
    let directory = environment.path(".git/ckpt/gated");
    let [name] = tree::names(&directory).try_into().unwrap();
    for torn in ["", "implement/au"] {
        fs::write(directory.join(&name), torn).unwrap();
        // What is torn names no other command.
        environment.ckpt(&BLOCK).exits(0);
        assert_eq!(notes(&environment), ["implement/auth"], "{torn:?}");
    }
    ungate(&environment);
    push(&environment).exits(6);
}

#[test]
fn a_torn_note_of_a_gate_blocks_no_other_command() {
    let environment = blocked();
    let directory = environment.path(".git/ckpt/gated");
    let [name] = tree::names(&directory).try_into().unwrap();
    fs::write(directory.join(name), "implement/au").unwrap();
    let refused = push(&environment).exits(6);
    assert!(!refused.stderr.contains("implement/au "), "{refused}");
}

#[test]
fn a_gate_that_was_set_is_noted_durably() {
    if !strace_works() {
        return;
    }
    let environment = Environment::started();
    let trace = environment.base().join("trace");
    let mut command = environment.command("strace");
    command.arg("-y").arg("-o").arg(&trace);
    command.args(["-e", "trace=fsync,fdatasync,linkat,rename", CKPT]);
    Run::of(command.args(BLOCK)).exits(0);
    let trace = fs::read_to_string(trace).unwrap();
    let synced = trace.lines().filter(|line| line.contains("sync("));
    let of_notes = synced.filter(|line| line.contains("ckpt/gated"));
    assert_eq!(of_notes.count(), 2, "{trace}");
}

#[test]
fn a_change_without_a_gate_does_not_look_at_the_notes() {
    if !strace_works() {
        return;
    }
    let environment = Environment::started();
    let trace = environment.base().join("trace");
    let mut command = environment.command("strace");
    command
        .arg("-o")
        .arg(&trace)
        .args(["-e", "trace=%file", CKPT]);
    let change = ["phase", "implement/auth", "implementation", "complete"];
    Run::of(command.args(change)).exits(0);
    let trace = fs::read_to_string(trace).unwrap();
    assert!(!trace.contains("ckpt/gated"), "{trace}");
}
