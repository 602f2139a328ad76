//! Where to resume: what is in flight, and what has changed since it was saved.

use serde_json::json;

use crate::support::agent::without_introduction;
use crate::support::environment::Environment;

fn worked_on() -> Environment {
    let environment = Environment::new();
    environment.write("src/a.rs", "a\n");
    environment.write("src/b.rs", "b\n");
    environment.commit("files");
    let phase = [
        "phase",
        "implement/auth",
        "build",
        "in_progress",
        "--created",
        "src/a.rs",
        "--modified",
        "src/b.rs",
        "--created",
        "src/c.rs",
    ];
    environment.ckpt(&phase).exits(0);
    environment
}

#[test]
fn a_checkpoint_of_another_commit_is_stale_in_these_words() {
    let environment = worked_on();
    let saved = environment.head();
    let current = environment.commit("on");
    let message = format!(
        "Checkpoint is stale (saved at {}, current HEAD is {})",
        &saved[..7],
        &current[..7]
    );
    let shown = environment
        .ckpt(&["show", "implement/auth"])
        .exits(0)
        .stdout;
    assert_eq!(shown.lines().nth(1), Some(message.as_str()));
    let report = environment
        .ckpt(&["show", "implement/auth", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        report["stale"],
        json!({ "saved": saved, "current": current })
    );
    let listed = environment.ckpt(&["list"]).exits(0).stdout;
    assert!(listed.starts_with("implement/auth\tstale\t"), "{listed}");
}

#[test]
fn a_checkpoint_of_this_commit_is_not_stale_and_a_change_makes_it_so() {
    let environment = worked_on();
    environment.commit("on");
    environment.ckpt(&["resume", "--fail-if-stale"]).exits(7);
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    environment.ckpt(&["resume", "--fail-if-stale"]).exits(0);
    let report = environment
        .ckpt(&["show", "implement/auth", "--json"])
        .exits(0)
        .json();
    assert_eq!(report["stale"], json!(null));
}

#[test]
fn drift_names_the_commits_and_the_files_that_changed() {
    let environment = worked_on();
    environment.write("src/a.rs", "changed\n");
    environment.commit("one");
    environment.write("other.rs", "not named by the checkpoint\n");
    environment.commit("two");
    environment.write("src/c.rs", "new and not committed\n");
    let report = environment
        .ckpt(&["resume", "--drift", "--json"])
        .exits(0)
        .json();
    let expected = json!({
        "commits": 2,
        "left_behind": 0,
        "changed_files": ["src/a.rs", "src/c.rs"],
    });
    assert_eq!(report["drift"], expected);
    let text = environment.ckpt(&["resume", "--drift"]).exits(0).stdout;
    assert!(
        text.contains("src/a.rs") && text.contains("src/c.rs"),
        "{text}"
    );
}

#[test]
fn drift_tells_when_history_was_rewritten() {
    let environment = worked_on();
    environment.git(&["reset", "--quiet", "--hard", "HEAD~"]);
    environment.commit("another way");
    let report = environment
        .ckpt(&["resume", "--drift", "--json"])
        .exits(0)
        .json();
    let drift = &report["drift"];
    assert_eq!(
        (&drift["commits"], &drift["left_behind"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn drift_is_computed_only_on_request() {
    let environment = worked_on();
    environment.commit("on");
    let report = environment.ckpt(&["resume", "--json"]).exits(0).json();
    assert_eq!(report.get("drift"), None);
}

#[test]
fn a_brief_keeps_within_its_budget() {
    let environment = worked_on();
    let long = vec!["context"; 480].join(" ");
    for phase in ["one", "two", "three"] {
        environment
            .ckpt(&[
                "phase",
                "implement/auth",
                phase,
                "complete",
                "--summary",
                &long,
            ])
            .exits(0);
    }
    for budget in [60, 200, 300, 1_000] {
        let run = environment
            .ckpt(&["resume", "--json", "--budget", &budget.to_string()])
            .exits(0);
        let report = run.json();
        let text = report["text"].as_str().unwrap();
        // Hazards and the next step are always shown, however small the budget.
        let tokens = report["tokens"].as_u64().unwrap();
        assert!(tokens <= budget.max(210), "{budget}: {tokens} tokens");
        assert!(text.contains("\nNEXT\n"), "{text}");
        assert!(text.contains("Record NEXT with: ckpt phase"), "{text}");
    }
}

#[test]
fn resume_with_nothing_in_flight_says_so_in_one_line() {
    let environment = Environment::new();
    let run = environment.ckpt(&["resume"]).exits(0);
    assert_eq!(
        run.stdout,
        "Nothing in flight. Start with: ckpt plan new TITLE --from FILE for a list of steps, or ckpt start COMMAND [FEATURE] for a command\n"
    );
    assert_eq!(run.stderr, "");
    let report = environment.ckpt(&["resume", "--json"]).exits(0).json();
    assert_eq!(report["in_flight"], json!([]));
}

#[test]
fn the_checkpoint_that_the_branch_is_about_comes_first() {
    let environment = Environment::new();
    for feature in ["auth", "login"] {
        environment.ckpt(&["start", "implement", feature]).exits(0);
    }
    let first = |environment: &Environment| environment.ckpt(&["resume"]).exits(0).stdout;
    assert!(without_introduction(&first(&environment)).starts_with("In focus: implement/login,"));
    environment.git(&["switch", "--quiet", "--create", "feature/BAS-6-auth"]);
    assert!(without_introduction(&first(&environment)).starts_with("In focus: implement/auth,"));
    environment.git(&["switch", "--quiet", "--create", "author"]);
    assert!(without_introduction(&first(&environment)).starts_with("In focus: implement/login,"));
}
