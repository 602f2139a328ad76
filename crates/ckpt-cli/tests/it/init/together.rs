//! Several programs change the same settings at once: nothing that any of them saved is lost.

use std::fs;
use std::thread::scope;

use serde_json::Value;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::strace::{strace_works, tampered, was_tampered};

const SETTINGS: &str = ".claude/config/ckpt.json";

fn settings(environment: &Environment) -> Value {
    serde_json::from_str(&environment.read(SETTINGS)).unwrap()
}

#[test]
fn settings_that_are_set_at_once_are_all_kept() {
    let environment = Environment::new();
    let names = ["summary_limit", "resume_budget", "lock_timeout_ms"];
    for round in 1..=5 {
        let value = format!("{}", 300 + round);
        scope(|scope| {
            for name in names {
                let (environment, value) = (&environment, &value);
                scope.spawn(move || environment.ckpt(&["config", "set", name, value]).exits(0));
            }
        });
        let settings = settings(&environment);
        for name in names {
            assert_eq!(settings[name], 300 + round, "{name}: {settings}");
        }
    }
}

#[test]
fn what_an_editor_saves_meanwhile_stays() {
    let environment = Environment::new();
    environment.write(SETTINGS, "{\n  \"saved\": 0\n}\n");
    let path = environment.path(SETTINGS);
    scope(|scope| {
        let ours = scope.spawn(|| {
            for round in 0..30 {
                let value = format!("{}", 300 + round);
                let run = environment.ckpt(&["config", "set", "summary_limit", &value]);
                assert!(matches!(run.code, Some(0 | 5)), "{run}");
            }
        });
        for save in 1.. {
            if ours.is_finished() {
                break;
            }
            let new = path.with_extension("new");
            let mut text = settings(&environment);
            text["saved"] = save.into();
            fs::write(&new, text.to_string()).unwrap();
            fs::rename(&new, &path).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(3));
            assert_eq!(settings(&environment)["saved"], save);
        }
    });
}

/// `git config` reads the configuration, and writes it again under a lock of its own.
#[test]
fn what_git_configures_meanwhile_stays_and_so_does_what_we_do() {
    let environment = Environment::new();
    let mut configured = 0;
    scope(|scope| {
        let ours = scope.spawn(|| {
            for _ in 0..10 {
                for command in [&["init", "--agent", "claude"][..], &["init", "--uninstall"]] {
                    environment.ckpt(command).exits(0);
                    let config = environment.read(".git/config");
                    let is_there = config.contains("[merge \"ckpt-plan\"]");
                    assert_eq!(is_there, command.len() == 3, "{config}");
                }
            }
        });
        while !ours.is_finished() {
            let value = format!("{configured}");
            let mut git = environment.command("git");
            let run = Run::of(git.args(["config", "--add", "test.value", &value]));
            // Git does not wait for the lock; it gives up at once and changes nothing.
            assert!(
                run.code == Some(0) || run.stderr.contains("could not lock config file"),
                "{run}"
            );
            configured += usize::from(run.code == Some(0));
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    });
    assert_eq!(
        environment
            .git(&["config", "--get-all", "test.value"])
            .lines()
            .count(),
        configured
    );
}

#[test]
fn two_that_set_up_the_same_repository_leave_what_one_would() {
    let alone = Environment::new();
    alone.ckpt(&["init", "--agent", "claude"]).exits(0);
    let environment = Environment::new();
    let before = environment.files();
    for _ in 0..5 {
        scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| environment.ckpt(&["init", "--agent", "claude"]).exits(0));
            }
        });
        let names = |environment: &Environment| -> Vec<String> {
            environment.files().into_keys().collect()
        };
        assert_eq!(names(&environment), names(&alone));
        environment.ckpt(&["init", "--uninstall"]).exits(0);
        assert_eq!(environment.files(), before);
    }
}

#[test]
fn a_stale_lock_of_git_is_named() {
    let environment = Environment::new();
    environment.write(".git/config.lock", "");
    let run = Run::of(
        environment
            .command(CKPT)
            .args(["init", "--agent", "claude"]),
    )
    .exits(5);
    assert!(run.reason().contains("config.lock exists"), "{run}");
    assert!(run.reason().contains("remove that file"), "{run}");
    fs::remove_file(environment.path(".git/config.lock")).unwrap();
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
}

#[test]
fn a_kill_while_a_setting_is_changed_leaves_no_litter_once_it_is_set_again() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    environment
        .ckpt(&["config", "set", "resume_budget", "900"])
        .exits(0);
    let set = ["config", "set", "summary_limit", "400"];
    for call in ["renameat2", "unlink", "linkat", "fsync", "fdatasync"] {
        for at in 1..4 {
            environment
                .ckpt(&["config", "set", "summary_limit", "300"])
                .exits(0);
            tampered(&environment, &set, call, &format!("signal=KILL:when={at}"));
            if !was_tampered(&environment) {
                break;
            }
            assert_eq!(settings(&environment)["resume_budget"], 900, "{call} {at}");
            environment.ckpt(&set).exits(0);
            assert_eq!(settings(&environment)["summary_limit"], 400, "{call} {at}");
            let names = fs::read_dir(environment.path(".claude/config")).unwrap();
            assert_eq!(names.count(), 1, "{call} {at}");
        }
    }
}

#[test]
fn a_kill_after_new_settings_are_hidden_from_git_leaves_no_litter_once_it_runs_again() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    let set_up = ["init", "--agent", "claude"];
    tampered(&environment, &set_up, "unlink", "signal=KILL:when=1");
    assert!(was_tampered(&environment));
    environment.ckpt(&set_up).exits(0);
    let names = fs::read_dir(environment.path(".git/info")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["exclude"]);
}
