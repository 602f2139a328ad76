//! The hook log, and pipes that a hook does not wait for.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::support::agent::{Agent, LOG, PLAN, THREE_TASKS, occurrences, planned, ticked};
use crate::support::environment::CKPT;
use crate::support::event::edited;

#[test]
fn the_log_is_rotated_before_it_grows_large() {
    let environment = ticked();
    environment.write(LOG, "x".repeat(300_000));
    edited(&environment, PLAN);
    assert!(environment.read(LOG).len() < 1000);
    assert_eq!(
        environment.read(".claude/state/hooks.jsonl.1").len(),
        300_000
    );
}

#[test]
fn a_log_that_is_a_link_or_a_pipe_is_left_alone_and_nobody_waits_for_an_event_that_does_not_end() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    let log = environment.path(LOG);
    std::fs::remove_file(&log).unwrap();
    std::os::unix::fs::symlink(environment.path("../outside.log"), &log).unwrap();
    agent.shell("true");
    assert!(!environment.path("../outside.log").exists());
    std::fs::remove_file(&log).unwrap();
    for pipe in [LOG, ".claude/config/ckpt.json"] {
        let path = environment.path(pipe);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        agent.shell("true");
        std::fs::remove_file(&path).unwrap();
    }
    for verb in [&["hook", "claude"][..], &["statusline"]] {
        let mut command = environment.command(CKPT);
        let mut child = command
            .args(verb)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut ended = |_: u32| {
            std::thread::sleep(Duration::from_millis(25));
            child
                .try_wait()
                .unwrap()
                .is_some_and(|status| status.success())
        };
        assert!((0..600).any(&mut ended), "{verb:?}");
    }
    // Nor for a transcript that is a pipe.
    let pipe = environment.path("../pipe.jsonl");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    agent.hook("PreCompact", &json!({"transcript_path": pipe}));
    assert_eq!(occurrences(&environment, "notes_replaced"), 1);
}
