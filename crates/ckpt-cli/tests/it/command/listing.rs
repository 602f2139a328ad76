//! `list` and `status`: what they show, and what they leave out.

use serde_json::{Value, json};

use crate::support::environment::Environment;

#[test]
fn json_of_other_tools_is_not_listed() {
    let environment = Environment::moved_on();
    for (name, content) in [
        (
            "loop-state.json",
            r#"{ "iteration": 3, "max": 10, "active": true }"#,
        ),
        (
            "settings-local.json",
            r#"{ "permissions": { "allow": [] } }"#,
        ),
        (
            "todo-list.json",
            r#"[{ "content": "x", "status": "pending" }]"#,
        ),
        ("some-number.json", "7"),
        ("empty-object.json", "{}"),
        ("notes.txt", "not JSON at all"),
        (".hidden-state.json", "{ broken"),
    ] {
        environment.write(&format!(".claude/state/{name}"), content);
    }
    let run = environment.ckpt(&["list"]).exits(0);
    let keys: Vec<_> = run
        .stdout
        .lines()
        .map(|line| line.split('\t').next().unwrap())
        .collect();
    assert_eq!((keys, run.stderr.as_str()), (vec!["implement/auth"], ""));
    let listed = environment.ckpt(&["list", "--json"]).exits(0).json();
    let keys: Vec<_> = listed["checkpoints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["key"])
        .collect();
    assert_eq!(keys, ["command:implement/auth"]);
    assert_eq!(listed["unreadable"], json!([]));
    environment.ckpt(&["resume"]).exits(0);
    environment.ckpt(&["validate"]).exits(0);
}

#[test]
fn checkpoints_that_cannot_be_read_are_reported_beside_the_others() {
    let environment = Environment::moved_on();
    let broken = environment.write(".claude/state/ship-checkpoint.json", "{ broken");
    let reason = format!(
        "Checkpoint file exists but is corrupt: {}",
        broken.display()
    );
    let run = environment.ckpt(&["list"]).exits(0);
    assert!(run.stdout.starts_with("implement/auth\t"), "{run}");
    assert!(
        run.stderr.starts_with(&format!("warning: {reason}")),
        "{run}"
    );
    let listed = environment.ckpt(&["list", "--json"]).exits(0).json();
    assert!(
        listed["unreadable"][0]
            .as_str()
            .unwrap()
            .starts_with(&reason),
        "{listed}"
    );
    let status = environment.ckpt(&["status"]).exits(0).stdout;
    assert!(status.contains("implement/auth"), "{status}");
    assert!(
        status.contains(&format!("unreadable: {reason}")),
        "{status}"
    );
    let judged = environment.ckpt(&["validate", "--json"]).exits(4).json();
    let valid = |judged: &Value| judged["valid"].clone();
    let documents: Vec<_> = judged["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(valid)
        .collect();
    assert_eq!(documents, [true, false]);
}

#[test]
fn list_shows_key_state_progress_phase_and_time() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "implementation", "in_progress"])
        .exits(0);
    environment.ckpt(&["start", "ship"]).exits(0);
    environment.ckpt(&["complete", "ship", "--force"]).exits(0);
    environment.ckpt(&["start", "review"]).exits(0);
    environment
        .ckpt(&["abandon", "review", "--reason", "x"])
        .exits(0);
    let listed = environment
        .ckpt(&["list"])
        .exits(0)
        .stdout
        .replace('\t', " ");
    insta::assert_snapshot!(environment.normalised(&listed), @r"
    implement/auth in_flight 0/2 implementation [TIME]
    review abandoned 0/2 - [TIME]
    ship complete 0/3 - [TIME]
    ");
}

#[test]
fn status_shows_progress_phase_and_age() {
    let environment = Environment::moved_on();
    environment.ckpt(&["start", "ship"]).exits(0);
    environment.ckpt(&["complete", "ship", "--force"]).exits(0);
    let (old, new) = (environment.git(&["rev-parse", "HEAD~"]), environment.head());
    let status = environment.ckpt(&["status"]).exits(0).stdout;
    let status = status
        .replace(&old[..7], "[OLD]")
        .replace(&new[..7], "[NEW]");
    insta::assert_snapshot!(status, @r"
    implement/auth  █████░░░░░ 1/2  between phases  just now  stale: [OLD] -> [NEW]
    1 finished: ckpt status --all
    ");
    let all = environment.ckpt(&["status", "--all"]).exits(0).stdout;
    let ship = all.lines().find(|line| line.starts_with("ship ")).unwrap();
    assert!(ship.contains("complete "), "{all}");
    assert!(ship.ends_with("just now"), "{all}");
}
