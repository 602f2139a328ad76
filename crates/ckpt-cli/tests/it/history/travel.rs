//! `ckpt show --at`, `ckpt restore` and `ckpt undo`.

use crate::support::environment::{AUTH, Environment};

const PLAN: &str = "plans/260220-1149-login/plan.md";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n- [ ] Seed <!-- TASK: seed -->\n";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

fn worked() -> Environment {
    let environment = Environment::started_with("research,build");
    run(
        &environment,
        "phase implement/auth research complete --summary First",
        0,
    );
    run(&environment, "phase implement/auth build in_progress", 0);
    environment
}

fn planned() -> Environment {
    let environment = Environment::new();
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    run(&environment, "plan done schema --by subagent:data", 0);
    run(&environment, "plan done seed", 0);
    environment
}

#[test]
fn a_checkpoint_is_shown_as_it_was_at_a_revision_or_a_time() {
    let environment = worked();
    let shown = run(&environment, "show implement/auth --at 2", 0);
    assert!(
        shown.contains("✓ research") && shown.contains("· build"),
        "{shown}"
    );
    let raw = run(&environment, "show implement/auth --at @0s --raw", 0);
    assert_eq!(raw, environment.read(AUTH));
    let gone = run(&environment, "show implement/auth --at @1h", 3);
    assert!(gone.contains("has nothing recorded at"), "{gone}");
    let gone = run(&environment, "show implement/auth --at 99", 3);
    assert!(gone.contains("ckpt log"), "{gone}");
}

#[test]
fn restoring_is_a_new_revision_and_leads_back_to_the_byte() {
    let environment = worked();
    let before = environment.read(AUTH);
    run(&environment, "restore implement/auth 1", 0);
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("· research"), "{shown}");
    run(&environment, "restore implement/auth 3", 0);
    assert_eq!(environment.read(AUTH), before);
    let events = environment.events("implement-auth");
    assert_eq!(events[3..], ["4 restored", "5 restored"]);
    let same = run(&environment, "restore implement/auth 3", 0);
    assert!(same.contains("nothing was changed"), "{same}");
}

#[test]
fn undo_takes_the_last_change_back_and_undo_of_undo_brings_it_again() {
    let environment = worked();
    let before = environment.read(AUTH);
    let said = run(&environment, "undo", 0);
    assert_eq!(
        said,
        "undone in implement/auth: phase build: pending → in_progress\n"
    );
    assert_ne!(environment.read(AUTH), before);
    run(&environment, "undo implement/auth", 0);
    assert_eq!(environment.read(AUTH), before);
    let fresh = Environment::started();
    let refused = run(&fresh, "undo implement/auth", 3);
    assert!(refused.contains("nothing comes before"), "{refused}");
    let refused = run(&Environment::new(), "undo", 3);
    assert!(refused.contains("nothing to undo"), "{refused}");
}

/// Otherwise an agent could undo what a person decided, or a gate that failed.
#[test]
fn approvals_and_gates_are_never_taken_back() {
    let environment = worked();
    run(&environment, "gate set implement/auth --allow", 0);
    run(&environment, "gate set implement/auth --block no", 0);
    let refused = run(&environment, "undo implement/auth", 4);
    assert!(
        refused.contains("cannot be taken back: shipping blocked"),
        "{refused}"
    );
    run(&environment, "restore implement/auth 4", 0);
    run(&environment, "gate check implement/auth", 6);
    run(&environment, "gate run implement/auth tests -- false", 6);
    run(&environment, "undo implement/auth", 4);
    let shown = run(&environment, "gate show implement/auth", 0);
    assert!(shown.contains("tests"), "{shown}");
}

#[test]
fn the_ticks_of_a_plan_are_restored_by_single_characters() {
    let environment = planned();
    let done = environment.read(PLAN);
    // People have edited the text since.
    let edited = done.replace("# Login", "# Log in, really");
    environment.write(PLAN, &edited);
    run(&environment, "restore 260220-1149-login 1", 0);
    assert_eq!(environment.read(PLAN), edited.replace("[x]", "[ ]"));
    run(&environment, "undo 260220-1149-login", 0);
    assert_eq!(environment.read(PLAN), edited);
    let state = run(&environment, "plan show --json", 0);
    assert!(
        state.contains("\"completedBy\":\"subagent:data\""),
        "{state}"
    );
    let said = run(&environment, "undo 260220-1149-login", 0);
    assert!(said.starts_with("undone in 260220-1149-login: "), "{said}");
}

#[test]
fn undo_of_a_plan_takes_only_the_last_tick_back() {
    let environment = planned();
    let said = run(&environment, "undo 260220-1149-login", 0);
    assert!(said.contains("task seed: done"), "{said}");
    let text = environment.read(PLAN);
    assert!(
        text.contains("[x] Make") && text.contains("[ ] Seed"),
        "{text}"
    );
    run(&environment, "plan note later", 0);
    let refused = run(&environment, "undo 260220-1149-login", 4);
    assert!(refused.contains("noted: later"), "{refused}");
}

#[test]
fn a_pipeline_is_restored_too() {
    let environment = Environment::new();
    let spec =
        "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n  WS2: { name: Pages }\n---\n";
    environment.write("spec.md", spec);
    run(&environment, "pipeline init spec.md", 0);
    run(&environment, "pipeline review PRD-001 ship", 0);
    run(&environment, "pipeline start PRD-001 WS1", 0);
    run(&environment, "pipeline done PRD-001 WS1", 0);
    let said = run(&environment, "undo PRD-001", 0);
    assert_eq!(said, "undone in PRD-001: workstream WS1: done\n");
    let next = run(&environment, "pipeline show PRD-001 --json", 0);
    assert!(
        next.contains("\"in_progress_workstreams\":[\"WS1\"]") || next.contains("WS1"),
        "{next}"
    );
    run(&environment, "validate PRD-001", 0);
    run(&environment, "pipeline done PRD-001 WS1", 0);
}
