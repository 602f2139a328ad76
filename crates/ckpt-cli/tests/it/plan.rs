//! Plans on the command line.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::environment::Environment;

const PLAN: &str = "\
# Login

## Setup
<!-- CHECKPOINT: setup -->
- [ ] Create schema <!-- TASK: schema -->
* [X] Init <!-- TASK: init -->

## Build
<!-- CHECKPOINT: build -->
1. [ ] Form <!-- TASK: form -->
- [ ] Works <!-- ACCEPT: works -->
";

const FILE: &str = "plans/260220-1149-login/plan.md";

fn with_plan() -> Environment {
    let environment = Environment::new();
    environment.write(FILE, PLAN);
    environment
}

#[test]
fn a_tick_changes_one_character_of_the_plan_and_git_sees_nothing_else() {
    let environment = with_plan();
    environment.git(&["add", "--all"]);
    environment.git(&["commit", "--quiet", "--message", "Plan"]);
    environment.ckpt(&["plan", "done", "form"]).exits(0);
    let expected = PLAN.replace("1. [ ] Form", "1. [x] Form");
    assert_eq!(environment.read(FILE), expected);
    let status = environment.git(&["status", "--porcelain"]);
    assert_eq!(status.trim(), format!("M {FILE}"));
}

#[test]
fn show_and_next_say_how_far_the_plan_is_and_change_nothing() {
    let environment = with_plan();
    let run = environment.ckpt(&["plan", "show"]).exits(0);
    insta::assert_snapshot!(run.stdout, @r"
    260220-1149-login  ███░░░░░░░ 1/3
    setup  █████░░░░░ 1/2
      · Create schema  schema
      ✓ Init  init
    build  ░░░░░░░░░░ 0/1
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
fn the_state_has_the_members_of_the_format() {
    let environment = with_plan();
    let run = environment
        .ckpt(&["plan", "done", "schema", "--by", "subagent:db"])
        .exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let state = environment.read("plans/260220-1149-login/.checkpoint/state.json");
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    let members: Vec<&String> = state.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "version",
            "planId",
            "planPath",
            "lastCheckpoint",
            "checksum",
            "progress",
            "phases",
            "currentPhase",
            "currentTask",
            "blockers",
            "decisions",
            "sessionNotes",
            "agents",
            "phaseFiles",
        ]
    );
    assert_eq!(state["progress"]["percentage"], serde_json::json!(66.7));
    assert_eq!(state["phases"]["setup"]["status"], "completed");
    assert_eq!(
        state["phases"]["setup"]["tasks"]["schema"]["completedBy"],
        "subagent:db"
    );
    assert_eq!(state["currentTask"], "form");
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let environment = with_plan();
    let run = environment.ckpt(&["plan", "done", "nope"]).exits(3);
    let expected = "error: no task \"nope\" in the plan. See what there is with: ckpt plan show\n";
    assert_eq!(run.stderr, expected);
    environment
        .ckpt(&["plan", "show", "--plan", "other"])
        .exits(3);
    environment
        .ckpt(&["plan", "show", "--plan", "../x"])
        .exits(2);
    assert_eq!(environment.read(FILE), PLAN);
    let empty = Environment::new();
    empty.ckpt(&["plan", "next"]).exits(3);
    for title in ["", "a --> b", "two\nlines"] {
        empty.ckpt(&["plan", "new", title]).exits(4);
    }
    let phase = ["phase", "plan:260220-1149-login", "build", "complete"];
    let run = empty.ckpt(&phase).exits(2);
    assert!(run.reason().contains("ckpt plan --plan ID"), "{run}");
    assert!(!empty.path("plans").exists());
}

#[test]
fn the_plan_worked_on_last_is_the_one_that_is_meant() {
    let environment = with_plan();
    environment.write("plans/260301-0900-other/plan.md", PLAN);
    let plan = |environment: &Environment| {
        let run = environment.ckpt(&["plan", "next", "--json"]).exits(0);
        run.json()["plan"].as_str().unwrap().to_owned()
    };
    assert_eq!(plan(&environment), "260301-0900-other");
    environment
        .ckpt(&["plan", "done", "form", "--plan", "260220-1149-login"])
        .exits(0);
    assert_eq!(plan(&environment), "260220-1149-login");
    let tasks = ["plan", "done", "schema", "--plan", "260220-1149-login"];
    environment.ckpt(&tasks).exits(0);
    assert_eq!(
        plan(&environment),
        "260301-0900-other",
        "the other one is finished"
    );
}

/// Twenty processes tick ten tasks each, while another one saves five times what it read before.
#[test]
fn twenty_processes_and_an_editor_lose_nothing_of_each_other() {
    let environment = Environment::new();
    let mut text = String::from("# Plan\n");
    for task in 0..200 {
        text += &format!("- [ ] Task <!-- TASK: t{task} -->\n");
    }
    let path = environment.write(FILE, &text);
    environment.ckpt(&["plan", "sync"]).exits(0);
    std::thread::scope(|scope| {
        for writer in 0..20 {
            let environment = &environment;
            scope.spawn(move || {
                for task in 0..10 {
                    let task = format!("t{}", writer * 10 + task);
                    environment.ckpt(&["plan", "done", &task]).exits(0);
                }
            });
        }
        scope.spawn(|| {
            for edit in 0..5 {
                let script = format!(
                    "cp plan.md .swp && sleep 0.05 && echo 'Edit {edit}' >> .swp && mv .swp plan.md"
                );
                let mut editor = Command::new("sh");
                editor
                    .args(["-c", &script])
                    .current_dir(path.parent().unwrap());
                assert!(editor.stdin(Stdio::null()).status().unwrap().success());
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    });
    environment.ckpt(&["plan", "sync"]).exits(0);
    let after = environment.read(FILE);
    for edit in 0..5 {
        assert!(
            after.contains(&format!("Edit {edit}\n")),
            "prose edit {edit} is lost"
        );
    }
    let history = environment.read("plans/260220-1149-login/.checkpoint/history.jsonl");
    let count = |event: &str, task: usize| {
        let needle = format!(r#""event":"{event}","taskId":"t{task}""#);
        history
            .lines()
            .filter(|line| line.contains(&needle))
            .count()
    };
    for task in 0..200 {
        let done = after.contains(&format!("- [x] Task <!-- TASK: t{task} -->"));
        assert_eq!(count("task_completed", task), 1, "t{task}");
        assert_eq!(count("task_reopened", task), usize::from(!done), "t{task}");
    }
}
