//! Plans on the command line.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::environment::Environment;
use crate::support::planned::{HALF_DONE, Planned};

const FILE: &str = "plans/260220-1149-login/plan.md";

#[test]
fn a_tick_changes_one_character_of_the_plan_and_git_sees_nothing_else() {
    let environment = Planned::new(HALF_DONE);
    environment.git(&["add", "--all"]);
    environment.git(&["commit", "--quiet", "--message", "Plan"]);
    environment.ckpt(&["plan", "done", "form"]).exits(0);
    let expected = HALF_DONE.replace("1. [ ] Form", "1. [x] Form");
    assert_eq!(environment.markdown(), expected);
    let status = environment.git(&["status", "--porcelain"]);
    assert_eq!(status.trim(), format!("M {}", environment.name("plan.md")));
}

#[test]
fn show_and_next_say_how_far_the_plan_is_and_change_nothing() {
    let environment = Planned::new(HALF_DONE);
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
    let environment = Planned::new(HALF_DONE);
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
    let environment = Planned::new(HALF_DONE);
    let run = environment.ckpt(&["plan", "done", "nope"]).exits(3);
    let expected = "error: no task \"nope\" in the plan. See what there is with: ckpt plan show; give ids to checkboxes without one with: ckpt plan mark\n";
    assert_eq!(run.stderr, expected);
    environment
        .ckpt(&["plan", "show", "--plan", "other"])
        .exits(3);
    environment
        .ckpt(&["plan", "show", "--plan", "../x"])
        .exits(2);
    assert_eq!(environment.markdown(), HALF_DONE);
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
    let environment = Planned::new(HALF_DONE);
    environment.write("plans/260301-0900-other/plan.md", HALF_DONE);
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

/// When a tick was asked for and when it was acknowledged.
struct Ticked {
    task: usize,
    asked: Instant,
    acknowledged: Instant,
}

/// What an editor saved, and between which moments it replaced the file.
struct Saved {
    text: String,
    from: Instant,
    to: Instant,
}

fn has_tick(text: &str, task: usize) -> bool {
    text.contains(&format!("- [x] Task <!-- TASK: t{task} -->"))
}

/// Twenty processes tick ten tasks each, while another one saves five times what it read before. What
/// it overwrote is reported, and nothing else is lost.
#[test]
fn twenty_processes_and_an_editor_lose_nothing_of_each_other() {
    let environment = Environment::new();
    let mut text = String::from("# Plan\n");
    for task in 0..200 {
        text += &format!("- [ ] Task <!-- TASK: t{task} -->\n");
    }
    let path = environment.write(FILE, &text);
    environment.ckpt(&["plan", "sync"]).exits(0);
    let (ticks, saves) = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..20)
            .map(|writer| {
                let environment = &environment;
                scope.spawn(move || tick_ten(environment, writer))
            })
            .collect();
        let editor = scope.spawn(|| save_five_times(path.parent().unwrap()));
        let ticks = writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap());
        (ticks.collect::<Vec<Ticked>>(), editor.join().unwrap())
    });
    environment.ckpt(&["plan", "sync"]).exits(0);
    let after = environment.read(FILE);
    for edit in 0..5 {
        let line = format!("Edit {edit}\n");
        assert!(after.contains(&line), "prose edit {edit} is lost");
    }
    let history = environment.read("plans/260220-1149-login/.checkpoint/history.jsonl");
    let count = |needle: &str| history.lines().filter(|line| line.contains(needle)).count();
    for tick in ticks {
        let task = tick.task;
        let by = task / 10;
        let completed = format!(r#""event":"task_completed","taskId":"t{task}","by":"team:{by}""#);
        assert_eq!(count(&completed), 1, "t{task}");
        let any = format!(r#""event":"task_completed","taskId":"t{task}""#);
        assert_eq!(count(&any), 1, "t{task}");
        let reopened = count(&format!(r#""event":"task_reopened","taskId":"t{task}""#));
        assert_eq!(reopened, usize::from(!has_tick(&after, task)), "t{task}");
        let without = || saves.iter().filter(|saved| !has_tick(&saved.text, task));
        if without().any(|saved| tick.acknowledged < saved.from) {
            assert_eq!(reopened, 1, "t{task} was overwritten");
        }
        if reopened > 0 {
            let overwritten = without().any(|saved| tick.asked < saved.to);
            assert!(overwritten, "t{task} was lost by nobody's save");
        }
    }
}

fn tick_ten(environment: &Environment, writer: usize) -> Vec<Ticked> {
    let by = format!("team:{writer}");
    let tick = |task: usize| {
        let asked = Instant::now();
        let name = format!("t{task}");
        environment
            .ckpt(&["plan", "done", &name, "--by", &by])
            .exits(0);
        Ticked {
            task,
            asked,
            acknowledged: Instant::now(),
        }
    };
    (writer * 10..writer * 10 + 10).map(tick).collect()
}

/// Saves as editors do: reads, lets its user type, writes beside and renames.
fn save_five_times(directory: &Path) -> Vec<Saved> {
    let plan = directory.join("plan.md");
    let beside = directory.join(".swp");
    let save = |edit: u32| {
        let text = format!("{}Edit {edit}\n", std::fs::read_to_string(&plan).unwrap());
        std::thread::sleep(Duration::from_millis(50));
        std::fs::write(&beside, &text).unwrap();
        let from = Instant::now();
        let moved = Command::new("mv").arg(&beside).arg(&plan).status();
        assert!(moved.unwrap().success());
        let to = Instant::now();
        std::thread::sleep(Duration::from_millis(50));
        Saved { text, from, to }
    };
    (0..5).map(save).collect()
}
