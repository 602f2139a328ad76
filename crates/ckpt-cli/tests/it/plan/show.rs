//! What is shown of plans, alone and among all other checkpoints.

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::planned::{HALF_DONE, ID, OTHER, Planned, TEXT};

#[test]
fn show_and_next_say_how_far_the_plan_is_and_change_nothing() {
    let environment = Planned::new(HALF_DONE);
    let run = environment.ckpt(&["plan", "show"]).exits(0);
    insta::assert_snapshot!(run.stdout, @r"
    260220-1149-login  ███░░░░░░░ 1/3
    Setup  setup  █████░░░░░ 1/2
      · Create schema  schema
      ✓ Init  init
    Build  build  ░░░░░░░░░░ 0/1
      · Form  form
      ? Works  works
    ");
    let run = environment.ckpt(&["plan", "next", "-n", "5"]).exits(0);
    assert_eq!(
        run.stdout,
        "schema  Create schema  (setup)\nform  Form  (build)\n"
    );
    assert!(
        !environment
            .path("plans/260220-1149-login/.checkpoint")
            .exists()
    );
}

#[test]
fn a_plan_that_no_change_was_made_of_yet_is_shown_as_json_as_well_as_text() {
    let planned = Planned::new(TEXT);
    for command in [&["plan", "show"][..], &["show", ID]] {
        let run = planned.ckpt(command).exits(0);
        assert!(run.stdout.contains("0/5"), "{run}");
        let shown = planned
            .ckpt(&[command, &["--json"]].concat())
            .exits(0)
            .json();
        let state = shown.get("document").or(shown.get("state")).unwrap();
        assert_eq!(state["progress"]["totalTasks"], 5);
    }
}

#[test]
fn list_and_status_have_plans_beside_commands() {
    let planned = Planned::two();
    planned.ckpt(&["start", "implement", "auth"]).exits(0);
    planned.does(&["done", "schema", "roles", "--plan", ID]);
    let listed = planned.ckpt(&["list", "--json"]).exits(0).json();
    let entries = listed["checkpoints"].as_array().unwrap();
    let key = |entry: &Value| entry["key"].as_str().unwrap().to_owned();
    let mut keys: Vec<String> = entries.iter().map(key).collect();
    keys.sort_unstable();
    let expected = [
        "command:implement/auth".to_owned(),
        format!("plan:{ID}"),
        format!("plan:{OTHER}"),
    ];
    assert_eq!(keys, expected);
    let ours = entries.iter().find(|entry| key(entry).ends_with(ID));
    assert_eq!(ours.unwrap()["progress"], json!({ "done": 2, "total": 5 }));
    assert_eq!(ours.unwrap()["current_phase"], "build");
    for command in ["list", "status"] {
        let run = planned.ckpt(&[command]).exits(0);
        let line = run.stdout.lines().find(|line| line.contains(ID));
        assert!(line.is_some_and(|line| line.contains("2/5")), "{run}");
        assert!(run.stdout.contains("implement/auth"), "{run}");
    }
}

#[test]
fn a_finished_plan_leaves_status_unless_all_are_asked_for() {
    let planned = Planned::new("- [ ] One <!-- TASK: one -->\n");
    planned.does(&["done", "one"]);
    assert!(!planned.ckpt(&["status"]).exits(0).stdout.contains(ID));
    assert!(
        planned
            .ckpt(&["status", "--all"])
            .exits(0)
            .stdout
            .contains(ID)
    );
    assert!(planned.ckpt(&["list"]).exits(0).stdout.contains(ID));
}

#[test]
fn resume_shows_what_is_done_what_is_next_and_what_blocks_it() {
    let planned = Planned::worked();
    planned.does(&["block", "No key yet"]);
    let run = planned.ckpt(&["resume", ID]).exits(0);
    for part in [
        "2 of 5",
        "roles",
        "Make roles",
        "No key yet",
        "Late",
        "late note",
        "schema",
        "session",
    ] {
        assert!(run.stdout.contains(part), "no {part:?} in {run}");
    }
    let resumed = planned.ckpt(&["resume", ID, "--json"]).exits(0).json();
    assert!(
        resumed["text"]
            .as_str()
            .is_some_and(|text| text.contains("2 of 5"))
    );
}

#[test]
fn log_has_the_events_the_newest_first() {
    let planned = Planned::worked();
    let run = planned.ckpt(&["log", ID, "-n", "3"]).exits(0);
    let told = ["claimed", "noted: ", "decided: "];
    for (line, told) in run.stdout.lines().zip(told) {
        assert!(line.contains(told), "{run}");
    }
    let log = planned.ckpt(&["log", ID, "--json"]).exits(0).json();
    let entries = log["entries"].as_array().unwrap();
    assert_eq!(entries.len(), planned.lines().len());
    assert_eq!(entries[0]["event"], "task_claimed");
}

#[test]
fn validate_names_both_lines_of_a_repeated_id() {
    let planned =
        Planned::new("# P\n\n- [ ] a <!-- TASK: same -->\n\n- [x] b <!-- TASK: same -->\n");
    for command in [&["plan", "validate"][..], &["validate"], &["validate", ID]] {
        let run = planned.ckpt(command).exits(0);
        assert!(run.stdout.contains("same"), "{run}");
        assert!(
            run.stdout.contains('1') && run.stdout.contains('3'),
            "{run}"
        );
        planned.ckpt(&[command, &["--strict"]].concat()).exits(4);
        let judged = planned
            .ckpt(&[command, &["--json"]].concat())
            .exits(0)
            .json();
        assert_eq!(judged["documents"][0]["findings"][0]["severity"], "warning");
    }
    let shown = planned.does(&["show", "--json"]).json();
    assert_eq!(shown["state"]["progress"]["totalTasks"], 1);
    assert_eq!(
        shown["state"]["progress"]["completedTasks"], 0,
        "the first counts"
    );
}

#[test]
fn without_git_plans_work_as_well() {
    let environment = Environment::without_git();
    environment.write(&format!("plans/{ID}/plan.md"), TEXT);
    environment.ckpt(&["plan", "done", "schema"]).exits(0);
    let run = environment.ckpt(&["status"]).exits(0);
    assert!(run.stdout.contains("1/5"), "{run}");
}
