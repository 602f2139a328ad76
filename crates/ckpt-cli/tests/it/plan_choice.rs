//! Which plan is meant, and plans among all other checkpoints.

use serde_json::{Value, json};

use crate::support::environment::{Environment, Run};
use crate::support::planned::{ID, OTHER, Planned, TEXT};
use crate::support::tree;

/// The plan that a command takes for the one that is meant.
#[track_caller]
fn meant(planned: &Planned) -> String {
    let next = planned.does(&["next", "--json"]).json();
    next["plan"].as_str().unwrap().to_owned()
}

/// Runs `ckpt` with a plan named by the environment.
fn with_active(planned: &Planned, value: &str, directory: &str, arguments: &[&str]) -> Run {
    let mut command = planned.command(crate::support::environment::CKPT);
    command
        .current_dir(planned.path(directory))
        .env("CK_ACTIVE_PLAN", value)
        .args(arguments);
    Run::of(&mut command)
}

#[test]
fn the_plan_that_was_chosen_is_meant_until_the_choice_is_taken_back() {
    let planned = Planned::two();
    assert_eq!(
        meant(&planned),
        OTHER,
        "the highest id, as none was worked on"
    );
    planned.does(&["use", ID]);
    assert_eq!(meant(&planned), ID);
    planned.does(&["done", "schema", "--plan", OTHER]);
    assert_eq!(meant(&planned), ID, "whatever was worked on later");
    planned.does(&["use", "--none"]);
    assert_eq!(meant(&planned), OTHER);
    planned.does(&["use", "--none"]);
    planned.plan(&["use", "nope"]).exits(3);
    planned.plan(&["use", "../x"]).exits(2);
    assert_eq!(meant(&planned), OTHER, "a choice that was refused is none");
    assert_eq!(planned.git(&["status", "--porcelain", ".claude"]), "");
}

#[test]
fn a_choice_that_is_gone_is_not_silently_another_plan() {
    let planned = Planned::two();
    planned.does(&["use", ID]);
    std::fs::remove_dir_all(planned.path(&planned.name(""))).unwrap();
    let run = planned.plan(&["done", "schema"]);
    let other = planned.read(&format!("plans/{OTHER}/plan.md"));
    assert!(
        other == TEXT || run.stderr.contains(ID),
        "another plan was ticked and nothing said: {run}"
    );
}

#[test]
fn the_environment_names_the_plan_by_id_or_path() {
    let planned = Planned::two();
    planned.does(&["use", OTHER]);
    planned.write("sub/file", "");
    let root = planned.root().to_str().unwrap().to_owned();
    let values = [
        ID.to_owned(),
        format!("plans/{ID}"),
        format!("plans/{ID}/"),
        format!("./plans/{ID}"),
        format!("plans/{ID}/plan.md"),
        format!("{root}/plans/{ID}"),
        format!("{root}/plans/{ID}/plan.md"),
    ];
    for value in values {
        let run = with_active(&planned, &value, "", &["plan", "next", "--json"]);
        assert_eq!(run.exits(0).json()["plan"], ID, "{value}");
    }
    let below = format!("../plans/{ID}");
    let run = with_active(&planned, &below, "sub", &["plan", "next", "--json"]);
    assert_eq!(run.exits(0).json()["plan"], ID);
    let run = with_active(
        &planned,
        ID,
        "",
        &["plan", "next", "--plan", OTHER, "--json"],
    );
    assert_eq!(run.exits(0).json()["plan"], OTHER, "a flag is above it");
    let run = with_active(&planned, "", "", &["plan", "next", "--json"]);
    assert_eq!(run.exits(0).json()["plan"], OTHER, "empty is not set");
}

#[test]
fn a_name_in_the_environment_that_leads_nowhere_never_means_another_plan() {
    let planned = Planned::two();
    planned.write("docs/elsewhere/plan.md", TEXT);
    std::fs::create_dir(planned.base().join("outside")).unwrap();
    let outside = planned.base().join("outside/plan.md");
    std::fs::write(&outside, TEXT).unwrap();
    let before = tree::listing(planned.base());
    for value in ["nope", "../x", "plans/nope", outside.to_str().unwrap()] {
        let run = with_active(&planned, value, "", &["plan", "done", "schema"]);
        assert!(matches!(run.code, Some(2..=4)), "{value}: {run}");
        let last = value.rsplit('/').find(|part| *part != "plan.md").unwrap();
        assert!(run.stderr.contains(last), "{value}: {run}");
        tree::assert_unchanged(planned.base(), &before, value);
    }
}

/// Whoever ticks the last task by mistake takes it back with the next command.
#[test]
fn the_plan_just_finished_is_still_meant_when_there_is_no_other() {
    let planned = Planned::new("- [ ] One <!-- TASK: one -->\n");
    planned.does(&["done", "one"]);
    let run = planned.does(&["next"]);
    assert!(run.stdout.contains("All tasks are done"), "{run}");
    planned.does(&["show"]);
    planned.does(&["sync"]);
    planned.does(&["undo", "one"]);
    assert_eq!(planned.markdown(), "- [ ] One <!-- TASK: one -->\n");
}

#[test]
fn a_key_may_carry_its_kind_or_not() {
    let planned = Planned::new(TEXT);
    planned.does(&["done", "schema"]);
    let full = format!("plan:{ID}");
    for command in ["show", "resume", "log", "validate"] {
        let short = planned.ckpt(&[command, ID]).exits(0);
        let long = planned.ckpt(&[command, &full]).exits(0);
        assert!(!short.stdout.is_empty(), "{command}: {short}");
        assert_eq!(
            short.stdout.contains("schema"),
            long.stdout.contains("schema")
        );
        planned.ckpt(&[command, "plan:nope"]).exits(3);
        planned.ckpt(&[command, "nope"]).exits(3);
    }
}

#[test]
fn a_name_that_a_command_and_a_plan_share_must_be_said_in_full() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    planned.ckpt(&["start", ID]).exits(0);
    for command in ["show", "resume", "log", "validate"] {
        let run = planned.ckpt(&[command, ID]).exits(2);
        assert!(run.reason().contains(&format!("plan:{ID}")), "{run}");
        assert!(run.reason().contains(&format!("command:{ID}")), "{run}");
    }
    let shown = planned
        .ckpt(&["show", &format!("plan:{ID}"), "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["document"]["planId"], ID);
    let shown = planned
        .ckpt(&["show", &format!("command:{ID}"), "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["document"]["command"], ID);
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
fn resume_says_what_is_done_what_is_next_and_what_stands_in_the_way() {
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
    let events: Vec<&str> = run
        .stdout
        .lines()
        .map(|line| line.split_whitespace().nth(2).unwrap())
        .collect();
    assert_eq!(events, ["task_claimed", "note_added", "decision_recorded"]);
    let log = planned.ckpt(&["log", ID, "--json"]).exits(0).json();
    let entries = log["entries"].as_array().unwrap();
    assert_eq!(entries.len(), planned.lines().len());
    assert_eq!(entries[0]["event"], "task_claimed");
}

#[test]
fn validate_names_both_lines_of_an_id_that_stands_there_twice() {
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

/// A plan with a record of the older tool beside it.
fn with_legacy(content: &str) -> Planned {
    let planned = Planned::new(TEXT);
    planned.put(".memory/progress.json", content);
    planned
}

#[test]
fn a_clear_record_of_the_older_tool_is_taken_over_once_and_never_written() {
    let content = r#"{ "schema": true, "form": true, "roles": false }"#;
    let planned = with_legacy(content);
    planned.does(&["sync"]);
    assert_eq!(planned.task("setup", "schema")["done"], true);
    assert_eq!(planned.task("build", "form")["done"], true);
    assert_eq!(planned.task("setup", "roles")["done"], false);
    assert_eq!(planned.stored()["progress"]["completedTasks"], 2);
    assert_eq!(planned.text(".memory/progress.json"), content);
    planned.does(&["undo", "schema"]);
    planned.put(
        ".memory/progress.json",
        r#"{ "release": true, "schema": true }"#,
    );
    planned.does(&["sync"]);
    assert_eq!(planned.task("setup", "schema")["done"], false, "only once");
    assert_eq!(planned.task("ship", "release")["done"], false, "only once");
    assert_eq!(
        planned.text(".memory/progress.json"),
        r#"{ "release": true, "schema": true }"#
    );
}

#[test]
fn a_plan_that_has_a_state_takes_nothing_over() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    planned.put(".memory/progress.json", r#"{ "schema": true }"#);
    planned.does(&["sync"]);
    assert_eq!(planned.task("setup", "schema")["done"], false);
    assert_eq!(planned.markdown(), TEXT);
}

#[test]
fn an_unclear_record_of_the_older_tool_is_reported_and_left_alone() {
    for content in [
        "{ torn",
        "[]",
        "42",
        r#"{ "schema": "perhaps" }"#,
        r#"{ "x": { "y": 1 } }"#,
    ] {
        let planned = with_legacy(content);
        let run = planned.does(&["sync"]);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("progress.json"), "{content}: {run}");
        assert_eq!(
            planned.stored()["progress"]["completedTasks"],
            0,
            "{content}"
        );
        assert_eq!(planned.markdown(), TEXT, "{content}");
        assert_eq!(planned.text(".memory/progress.json"), content);
    }
}

#[test]
fn without_git_plans_work_as_well() {
    let environment = Environment::without_git();
    environment.write(&format!("plans/{ID}/plan.md"), TEXT);
    environment.ckpt(&["plan", "done", "schema"]).exits(0);
    let run = environment.ckpt(&["status"]).exits(0);
    assert!(run.stdout.contains("1/5"), "{run}");
}
