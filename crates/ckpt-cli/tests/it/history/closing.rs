//! `ckpt complete` and `ckpt abandon`, for every kind.

use std::fs;

use crate::support::environment::Environment;

const PLAN: &str = "plans/260220-1149-login/plan.md";
const STATE: &str = "plans/260220-1149-login/.checkpoint/state.json";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n- [ ] Seed <!-- TASK: seed -->\n\
    - [ ] It works <!-- ACCEPT: works -->\n";
const SPEC: &str = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data, gate: tests }\n  \
    WS2: { name: Pages }\ngates:\n  tests: { command: \"true\" }\n---\n";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

/// A repository with a plan that has tasks to do.
fn planned() -> Environment {
    let environment = Environment::new();
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    environment
}

/// What every surface says about the plan: its lifecycle in `list`, whether `status`, the status line and the brief have it
/// as work, and whether it is the current plan.
fn surfaces(environment: &Environment) -> (String, [bool; 4]) {
    let listed = environment.ckpt(&["list", "--json"]).exits(0).json();
    let summary = &listed["checkpoints"][0];
    let lifecycle = summary["lifecycle"].as_str().unwrap_or_default().to_owned();
    let status = run(environment, "status", 0).contains("260220-1149-login");
    let line = environment
        .ckpt_reading("{}", &["statusline"])
        .exits(0)
        .stdout;
    let brief = environment.ckpt(&["resume", "--json"]).exits(0).json();
    let is_focus = brief["focus"]["key"] == "plan:260220-1149-login";
    let is_active = environment.ckpt(&["plan", "use"]).code == Some(0);
    let as_work = [status, line.contains("login"), is_focus, is_active];
    (lifecycle, as_work)
}

#[test]
fn a_plan_with_something_open_is_completed_only_by_force() {
    let environment = planned();
    let before = environment.read(PLAN);
    let refused = run(&environment, "complete login", 4);
    assert!(
        refused.contains("task schema, task seed, criterion works are open")
            && refused.contains("--force"),
        "{refused}"
    );
    assert_eq!(surfaces(&environment), ("in_flight".into(), [true; 4]));
    assert_eq!(run(&environment, "complete login --force", 0), "");
    assert_eq!(environment.read(PLAN), before);
    assert_eq!(surfaces(&environment), ("complete".into(), [false; 4]));
    let archived = run(&environment, "archive --completed", 0);
    assert!(archived.contains("is archived"), "{archived}");
}

#[test]
fn a_finished_plan_is_completed_quietly_and_nothing_changes() {
    let environment = planned();
    run(&environment, "plan done schema seed", 0);
    run(&environment, "plan accept works", 0);
    let before = fs::read(environment.path(STATE)).unwrap();
    assert_eq!(run(&environment, "complete 260220-1149-login", 0), "");
    assert_eq!(fs::read(environment.path(STATE)).unwrap(), before);
    let refused = run(&environment, "abandon login --reason late", 8);
    assert!(refused.contains("already complete"), "{refused}");
}

#[test]
fn an_abandoned_plan_is_no_work_on_any_surface_and_says_why() {
    let environment = planned();
    let before = environment.read(PLAN);
    run(&environment, "plan use login", 0);
    run(&environment, "abandon login --reason too-slow", 0);
    assert_eq!(environment.read(PLAN), before);
    assert_eq!(surfaces(&environment), ("abandoned".into(), [false; 4]));
    run(&environment, "start design theme", 0);
    let brief = run(&environment, "resume", 0);
    assert!(brief.contains("was abandoned: \"too-slow\""), "{brief}");
    let next = run(&environment, "plan next --plan login", 0);
    assert!(
        next.contains("abandoned: \"too-slow\"") && next.contains("ckpt plan use"),
        "{next}"
    );
    let shown = run(&environment, "show login", 0);
    assert!(shown.contains("abandoned: too-slow"), "{shown}");
    let log = run(&environment, "log login -n 1", 0);
    assert!(log.contains("abandoned: \"too-slow\""), "{log}");
    let missing = run(&environment, "plan next", 3);
    assert!(missing.contains("every plan is closed"), "{missing}");
    let collected = run(&environment, "archive --completed --dry-run", 0);
    assert_eq!(collected, "260220-1149-login\n");
}

#[test]
fn a_tick_a_new_task_an_edit_or_the_choice_takes_a_closed_plan_up_again() {
    for line in [
        "plan done schema --plan login",
        "plan add More --plan login",
        "plan use login",
    ] {
        let environment = planned();
        run(&environment, "abandon login --reason no", 0);
        run(&environment, line, 0);
        assert_eq!(
            surfaces(&environment),
            ("in_flight".into(), [true; 4]),
            "{line}"
        );
        let log = run(&environment, "log login", 0);
        assert!(log.contains("reopened"), "{line}: {log}");
    }
    let environment = planned();
    run(&environment, "abandon login --reason no", 0);
    environment.write(PLAN, TEXT.replace("[ ] Seed", "[x] Seed"));
    // Before anything is recorded, too.
    assert_eq!(surfaces(&environment), ("in_flight".into(), [true; 4]));
}

#[test]
fn what_keeps_the_records_of_a_closed_plan_does_not_take_it_up() {
    let environment = planned();
    run(&environment, "abandon login --reason no", 0);
    run(&environment, "plan note Remember --plan login", 0);
    run(&environment, "plan sync --plan login", 0);
    environment.write(PLAN, format!("{TEXT}\nMore words.\n"));
    run(&environment, "plan sync --plan login", 0);
    assert_eq!(surfaces(&environment), ("abandoned".into(), [false; 4]));
}

#[test]
fn a_state_that_was_lost_comes_back_closed() {
    let environment = planned();
    run(&environment, "abandon login --reason too-slow", 0);
    environment.write(STATE, "{ torn");
    run(&environment, "plan sync --plan login", 0);
    assert_eq!(surfaces(&environment).0, "abandoned");
    fs::remove_dir_all(environment.path("plans/260220-1149-login/.checkpoint")).unwrap();
    run(&environment, "recover login", 0);
    assert_eq!(surfaces(&environment), ("abandoned".into(), [false; 4]));
    // With nothing but a backup and the history.
    fs::remove_file(environment.path(STATE)).unwrap();
    run(&environment, "plan note Later --plan login", 0);
    assert_eq!(surfaces(&environment).0, "abandoned");
}

#[test]
fn a_pipeline_is_completed_and_abandoned_like_any_other() {
    let environment = Environment::new();
    environment.write("spec.md", SPEC);
    run(&environment, "pipeline init spec.md", 0);
    run(&environment, "pipeline start PRD-001 WS1", 0);
    let refused = run(&environment, "complete PRD-001", 4);
    assert!(refused.contains("PRD-001 is not done"), "{refused}");
    let refused = run(&environment, "complete PRD-001 --force", 6);
    assert!(
        refused.contains("gates of PRD-001 are pending") && refused.contains("tests"),
        "{refused}"
    );
    run(&environment, "pipeline done PRD-001 WS1", 0);
    run(&environment, "pipeline gate run PRD-001 tests", 0);
    run(&environment, "complete PRD-001", 4);
    let done = run(&environment, "complete PRD-001 --force", 0);
    assert!(done.contains("PRD-001 is complete"), "{done}");
    let shown = run(&environment, "show PRD-001 --json", 0);
    assert!(
        shown.contains("not done when the pipeline was completed"),
        "{shown}"
    );
    run(&environment, "pipeline reopen PRD-001", 0);
    run(&environment, "abandon PRD-001 --reason too-large", 0);
    run(&environment, "start design theme", 0);
    let brief = run(&environment, "resume", 0);
    assert!(
        brief.contains("PRD-001 was abandoned: \"too-large\""),
        "{brief}"
    );
    let listed = run(&environment, "list", 0);
    assert!(listed.contains("abandoned"), "{listed}");
}

/// What a checkpoint says, without the times that every change of a plan updates.
fn content(environment: &Environment, file: &str) -> String {
    let text = environment.read(file);
    let lines = text.lines();
    let times = ["\"lastCheckpoint\"", "\"lastActive\""];
    let lines = lines.filter(|line| !times.iter().any(|time| line.contains(time)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn undo_of_undo_closes_a_checkpoint_again_and_says_so() {
    const AUTH: &str = ".claude/state/implement-auth.json";
    const PIPELINE: &str = ".claude/skills/build-pipeline/checkpoints/PRD-001.json";
    for (begin, close, file, ended) in [
        (vec![], "complete login --force", STATE, "complete"),
        (vec![], "abandon login --reason no", STATE, "abandoned"),
        (
            vec!["plan accept works"],
            "plan done schema seed",
            STATE,
            "complete",
        ),
        (
            vec!["start implement auth --phases build"],
            "complete implement/auth --force",
            AUTH,
            "complete",
        ),
        (
            vec!["start implement auth --phases build"],
            "abandon implement/auth --reason no",
            AUTH,
            "abandoned",
        ),
        (
            vec![
                "pipeline init spec.md",
                "pipeline start PRD-001 WS1",
                "pipeline done PRD-001 WS1",
                "pipeline gate run PRD-001 tests",
            ],
            "complete PRD-001 --force",
            PIPELINE,
            "complete",
        ),
    ] {
        let environment = planned();
        environment.write("spec.md", SPEC);
        for line in begin {
            run(&environment, line, 0);
        }
        let open = content(&environment, file);
        run(&environment, close, 0);
        let closed = content(&environment, file);
        run(&environment, "undo", 0);
        for _ in 0..2 {
            assert_eq!(content(&environment, file), open, "{close}");
            let said = run(&environment, "undo", 0);
            assert!(said.contains(&format!("; it is {ended} again\n")), "{said}");
            assert_eq!(content(&environment, file), closed, "{close}");
            let said = run(&environment, "undo", 0);
            assert!(said.contains("; it is in flight again\n"), "{said}");
        }
    }
}

#[test]
fn what_happened_since_a_completion_was_undone_keeps_it_open() {
    let environment = Environment::started_with("build");
    run(&environment, "complete implement/auth --force", 0);
    run(&environment, "undo implement/auth", 0);
    run(&environment, "gate set implement/auth --block no", 0);
    run(&environment, "undo implement/auth", 4);
    run(&environment, "phase implement/auth build in_progress", 0);
    run(&environment, "undo implement/auth", 0);
    run(&environment, "undo implement/auth", 0);
    run(&environment, "gate check implement/auth", 6);
    // Taking it up is nothing that undo may take back.
    let environment = Environment::started_with("build");
    run(&environment, "complete implement/auth --force", 0);
    run(&environment, "phase implement/auth build in_progress", 0);
    let refused = run(&environment, "undo implement/auth", 4);
    assert!(
        refused.contains("ckpt complete implement/auth"),
        "{refused}"
    );
}
