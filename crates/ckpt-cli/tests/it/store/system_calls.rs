//! Writers that die, or are refused, at each system call in turn.

use serde_json::Value;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::record;
use crate::support::strace::{CALLS, MOST_CALLS, strace_works, tampered, was_tampered};

/// A change and the state it starts from.
struct Scenario {
    prepare: fn(&Environment),
    change: &'static [&'static str],
}

const UPDATE: &[&str] = &[
    "phase",
    "implement/auth",
    "build",
    "complete",
    "--summary",
    "It works",
];

fn begun(environment: &Environment) {
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build"])
        .exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "build", "in_progress"])
        .exits(0);
}

fn nothing(_: &Environment) {}

fn finished(environment: &Environment) {
    begun(environment);
    environment
        .ckpt(&["complete", "implement/auth", "--force"])
        .exits(0);
}

fn corrupt(environment: &Environment) {
    begun(environment);
    environment.write(".claude/state/implement-auth.json", "{ torn");
}

/// What others can see of a checkpoint, without the members that every save sets; `None` if there is none yet.
fn visible(environment: &Environment) -> Option<Value> {
    let run = environment.ckpt(&["show", "implement/auth", "--json"]);
    if run.code == Some(3) {
        return None;
    }
    let mut shown = run.exits(0).json();
    let document = shown["document"].take();
    Some(without_stamps(document))
}

fn without_stamps(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.retain(|name, _| !name.ends_with("_at") && name != "seal");
        for (_, member) in object.iter_mut() {
            *member = without_stamps(member.take());
        }
    }
    value
}

/// Removes all state and prepares it again.
fn again(environment: &Environment, scenario: &Scenario) {
    let _ = std::fs::remove_dir_all(environment.path(".claude"));
    environment.without_copies();
    (scenario.prepare)(environment);
}

/// Asserts that the state is `old` or `new`, and that the next change works as if nothing had
/// happened.
fn assert_whole(environment: &Environment, old: &Option<Value>, new: &Option<Value>, when: &str) {
    let now = visible(environment);
    assert!(
        now == *old || now == *new,
        "{when}: neither old nor new: {now:?}"
    );
    environment
        .ckpt(&["phase", "implement/auth", "next", "complete"])
        .exits(0);
    record::assert_sound(environment, "implement-auth");
    assert_eq!(
        environment.read(".claude/state/.gitignore"),
        "*\n",
        "{when}"
    );
}

/// Kills the change at each system call in turn.
fn assert_survives_every_death(scenario: &Scenario) {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    let (old, new) = before_and_after(&environment, scenario);
    let mut deaths = 0;
    for call in CALLS {
        for count in 1..=MOST_CALLS {
            again(&environment, scenario);
            let how = format!("signal=KILL:when={count}");
            let run = tampered(&environment, scenario.change, call, &how);
            let when = format!("killed at {call} {count}");
            if run.code == Some(0) {
                assert_eq!(visible(&environment), new, "{when}");
                break;
            }
            assert_eq!(run.code, None, "{when}: {run}");
            deaths += 1;
            assert_whole(&environment, &old, &new, &when);
        }
    }
    eprintln!("{:?}: died {deaths} times", scenario.change);
    assert!(deaths > 20, "died only {deaths} times");
}

fn before_and_after(
    environment: &Environment,
    scenario: &Scenario,
) -> (Option<Value>, Option<Value>) {
    again(environment, scenario);
    let old = visible(environment);
    environment.ckpt(scenario.change).exits(0);
    (old, visible(environment))
}

#[test]
fn a_change_of_phase_that_dies_anywhere_leaves_the_old_or_the_new_state() {
    assert_survives_every_death(&Scenario {
        prepare: begun,
        change: UPDATE,
    });
}

#[test]
fn the_first_change_ever_that_dies_anywhere_leaves_nothing_or_the_new_state() {
    assert_survives_every_death(&Scenario {
        prepare: nothing,
        change: UPDATE,
    });
}

#[test]
fn a_start_that_dies_anywhere_leaves_nothing_or_the_new_state() {
    assert_survives_every_death(&Scenario {
        prepare: nothing,
        change: &["start", "implement", "auth"],
    });
}

#[test]
fn a_start_over_that_dies_anywhere_leaves_the_old_or_the_new_state() {
    assert_survives_every_death(&Scenario {
        prepare: finished,
        change: &["start", "implement", "auth", "--again"],
    });
}

#[test]
fn a_completion_that_dies_anywhere_leaves_the_old_or_the_new_state() {
    assert_survives_every_death(&Scenario {
        prepare: begun,
        change: &["complete", "implement/auth", "--force"],
    });
}

#[test]
fn a_gate_that_dies_anywhere_leaves_the_old_or_the_new_state() {
    assert_survives_every_death(&Scenario {
        prepare: begun,
        change: &["gate", "set", "implement/auth", "--block", "not yet"],
    });
}

const KEY: &str = ".git/ckpt/key";

/// Begins with a new key.
fn begun_with_a_key(environment: &Environment) {
    let _ = std::fs::remove_dir_all(environment.path(".git/ckpt"));
    begun(environment);
}

fn key_missing(environment: &Environment) {
    begun_with_a_key(environment);
    std::fs::remove_file(environment.path(KEY)).unwrap();
}

fn key_replaced(environment: &Environment) {
    begun_with_a_key(environment);
    environment.write(KEY, [7; 32]);
}

fn key_unreadable(environment: &Environment) {
    key_missing(environment);
    std::fs::create_dir(environment.path(KEY)).unwrap();
}

#[test]
fn a_change_whose_key_is_gone_and_that_dies_anywhere_leaves_the_old_or_the_new_state() {
    for prepare in [key_missing, key_replaced, key_unreadable] {
        assert_survives_every_death(&Scenario {
            prepare,
            change: UPDATE,
        });
    }
}

#[test]
fn a_change_that_dies_while_it_restores_a_corrupt_file_leaves_nothing_behind() {
    if !strace_works() {
        return;
    }
    let scenario = Scenario {
        prepare: corrupt,
        change: UPDATE,
    };
    let environment = Environment::new();
    for call in CALLS {
        for count in 1..=MOST_CALLS {
            again(&environment, &scenario);
            let how = format!("signal=KILL:when={count}");
            if tampered(&environment, scenario.change, call, &how).code == Some(0) {
                break;
            }
            let when = format!("killed at {call} {count}");
            let next = environment.ckpt(&["phase", "implement/auth", "next", "complete"]);
            assert_eq!(next.code, Some(0), "{when}: {next}");
            record::assert_consecutive(&environment.history("implement-auth"));
            assert_eq!(record::litter(&environment), [""; 0], "{when}");
            let phases = &environment.document("implement-auth")["phases"];
            assert_eq!(phases["next"]["status"], "complete", "{when}");
            assert!(phases.get("build").is_some(), "{when}: {phases}");
        }
    }
}

/// Lets each use of a system call fail in turn, and returns the number of changes that failed.
fn assert_survives_every_failure(scenario: &Scenario, call: &str, error: &str) -> usize {
    let environment = Environment::new();
    let (old, new) = before_and_after(&environment, scenario);
    let mut refused = 0;
    for count in 1..=MOST_CALLS {
        again(&environment, scenario);
        let how = format!("error={error}:when={count}");
        let run = tampered(&environment, scenario.change, call, &how);
        let when = format!("{call} {how}");
        if run.code == Some(0) {
            assert_eq!(visible(&environment), new, "{when}");
            match was_tampered(&environment) {
                // What only serves a message, like the note in the lock file, may fail.
                true => continue,
                false => break,
            }
        }
        refused += 1;
        let run = run.exits(1);
        let root = environment.root().to_str().unwrap();
        assert!(run.reason().starts_with("error: "), "{when}: {run}");
        assert!(run.reason().contains(root), "{when}: no path in {run}");
        assert_eq!(run.stderr.lines().count(), 1, "{when}: {run}");
        assert_whole(&environment, &old, &new, &when);
    }
    refused
}

#[test]
fn a_change_that_is_refused_anything_says_which_path_and_leaves_the_old_or_the_new_state() {
    if !strace_works() {
        return;
    }
    let scenario = Scenario {
        prepare: begun,
        change: UPDATE,
    };
    let failures = [
        ("write", "ENOSPC"),
        ("fdatasync", "EIO"),
        ("fsync", "EIO"),
        ("rename", "ENOSPC"),
        ("flock", "ENOLCK"),
        ("fchmod", "EPERM"),
    ];
    let refused =
        failures.map(|(call, error)| assert_survives_every_failure(&scenario, call, error));
    // The note in the lock file is the write that may fail.
    assert_eq!(refused, [2, 2, 1, 1, 1, 1]);
}

#[test]
fn a_first_change_that_is_refused_anything_says_which_path_and_leaves_nothing_or_the_new_state() {
    if !strace_works() {
        return;
    }
    let scenario = Scenario {
        prepare: nothing,
        change: UPDATE,
    };
    let failures = [
        ("write", "ENOSPC"),
        ("fdatasync", "EIO"),
        ("fsync", "EIO"),
        ("mkdir", "ENOSPC"),
        ("linkat", "EACCES"),
    ];
    for (call, error) in failures {
        let refused = assert_survives_every_failure(&scenario, call, error);
        assert!(refused > 0, "{call} never failed");
    }
}

#[test]
fn where_a_file_cannot_be_named_afterwards_it_is_created_all_the_same() {
    if !strace_works() {
        return;
    }
    let scenario = Scenario {
        prepare: nothing,
        change: UPDATE,
    };
    let environment = Environment::new();
    let (_, new) = before_and_after(&environment, &scenario);
    again(&environment, &scenario);
    let run = tampered(&environment, UPDATE, "linkat", "error=EPERM:when=1+");
    run.exits(0);
    assert!(was_tampered(&environment));
    assert_eq!(visible(&environment), new);
    assert_eq!(record::litter(&environment), [""; 0]);
}

/// Lines without a seal would be given up by a later recovery.
#[test]
fn a_key_that_cannot_be_read_at_the_moment_is_not_done_without() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    begun(&environment);
    let before = environment.document("implement-auth");
    let key = environment.path(".git/ckpt/key");
    let mut command = environment.command("strace");
    command.args(["-o", "/dev/null", "-P"]).arg(&key);
    command.args(["-e", "inject=openat:error=EIO", CKPT]);
    let run = Run::of(command.args(UPDATE)).exits(1);
    assert!(run.stderr.contains("ckpt/key cannot be read"), "{run}");
    assert!(
        run.stderr.contains("Nothing was changed; try again"),
        "{run}"
    );
    assert_eq!(environment.document("implement-auth"), before);
}
