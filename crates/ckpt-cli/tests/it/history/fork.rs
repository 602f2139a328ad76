//! `ckpt fork` and `ckpt rename`.

use std::collections::BTreeMap;
use std::fs;

use crate::support::environment::{AUTH, Environment};
use crate::support::tree;

const PLAN: &str = "plans/260220-1149-login/plan.md";
const PHASE: &str = "plans/260220-1149-login/phase-02-more.md";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n";
const MORE: &str = "<!-- CHECKPOINT: more -->\n- [ ] Docs <!-- TASK: docs -->\n";
const SPEC: &str = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data, gate: tests }\n\
    gates:\n  tests: { command: \"true\" }\n---\n";
const LOGIN: &str = ".claude/state/implement-login.json";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

/// A checkpoint of each kind, all at work.
fn busy() -> Environment {
    let environment = Environment::started_with("build,test");
    run(&environment, "phase implement/auth build complete", 0);
    environment.write(PLAN, TEXT);
    environment.write(PHASE, MORE);
    run(&environment, "plan sync", 0);
    run(&environment, "plan done schema", 0);
    environment.write("spec.md", SPEC);
    environment.commit("specification");
    run(&environment, "pipeline init spec.md", 0);
    run(&environment, "pipeline start PRD-001 WS1", 0);
    run(&environment, "pipeline done PRD-001 WS1", 0);
    environment
}

/// All files, but for those of git and of locks.
fn state(environment: &Environment) -> BTreeMap<String, Vec<u8>> {
    tree::contents(environment.root(), |name| {
        name.starts_with(".git/") || name.ends_with(".lock")
    })
}

#[test]
fn a_fork_begins_with_where_it_came_from_and_goes_its_own_way() {
    let environment = busy();
    let said = run(&environment, "fork implement/auth implement/login", 0);
    assert_eq!(
        said,
        "implement/login is forked from implement/auth at revision 2\n"
    );
    run(&environment, "phase implement/login test complete", 0);
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("· test"), "{shown}");
    let log = run(&environment, "log implement/login", 0);
    assert!(
        log.contains("forked from implement/auth at revision 2-")
            && log.contains("its earlier history: ckpt log implement/auth"),
        "{log}"
    );
    let first = run(
        &environment,
        "fork implement/auth implement/first --at 1",
        0,
    );
    assert!(first.contains("at revision 1"), "{first}");
    let shown = run(&environment, "show implement/first", 0);
    assert!(shown.contains("· build"), "{shown}");
}

#[test]
fn a_plan_is_forked_with_all_its_markdown() {
    let environment = busy();
    run(&environment, "fork login 260221-0900-sso", 0);
    let copy = |path: &str| environment.read(&path.replace("260220-1149-login", "260221-0900-sso"));
    assert_eq!(copy(PLAN), environment.read(PLAN));
    assert_eq!(copy(PHASE), MORE);
    let before = state(&environment);
    let said = run(&environment, "plan sync --plan sso", 0);
    assert_eq!(said, "");
    let after = state(&environment);
    assert_eq!(before, after);
    run(&environment, "plan done docs --plan sso", 0);
    assert_eq!(environment.read(PHASE), MORE);
    run(&environment, "fork login 260222-0900-early --at 1", 0);
    let early = environment.read(&PLAN.replace("260220-1149-login", "260222-0900-early"));
    assert_eq!(early, TEXT);
}

#[test]
fn a_name_that_is_taken_is_named_and_nothing_is_written() {
    let environment = busy();
    run(&environment, "start implement login", 0);
    let before = state(&environment);
    for line in [
        "fork implement/auth implement/login",
        "rename implement/auth implement/login",
        "fork PRD-001 PRD-001",
        "fork login 260220-1149-login",
    ] {
        let said = run(&environment, line, 5);
        assert!(said.contains("already exists"), "{line}: {said}");
    }
    let said = run(&environment, "fork implement/auth plan:260221-0900-sso", 2);
    assert!(said.contains("another kind"), "{said}");
    let after = state(&environment);
    assert_eq!(before, after);
}

#[test]
fn a_command_gets_no_name_of_another_kind() {
    let environment = Environment::started();
    for line in ["fork implement/auth", "rename implement/auth"] {
        for new in ["PRD-5", "pipeline:x", "260220-1149-login", "plan:x"] {
            run(&environment, &format!("{line} {new}"), 2);
        }
    }
    assert_eq!(run(&environment, "list", 0).lines().count(), 1);
    run(&environment, "fork implement/auth command:PRD-5", 0);
}

#[test]
fn no_approval_comes_along_and_a_forked_pipeline_runs_its_gates_after_it_is_accepted() {
    let environment = busy();
    run(&environment, "gate set implement/auth --allow", 0);
    run(&environment, "fork implement/auth implement/login", 0);
    run(&environment, "gate check implement/auth", 0);
    let said = run(&environment, "gate check implement/login", 6);
    assert!(!said.contains("allowed"), "{said}");
    run(&environment, "pipeline gate run PRD-001 tests", 0);
    run(&environment, "fork PRD-001 PRD-002", 0);
    let proofs = run(&environment, "show PRD-002", 0);
    assert!(!proofs.contains("proven"), "{proofs}");
    run(&environment, "pipeline gate run PRD-002 tests", 6);
    run(&environment, "pipeline sync PRD-002", 0);
    run(&environment, "pipeline gate run PRD-002 tests", 0);
}

#[test]
fn a_renamed_checkpoint_is_found_under_its_new_name_and_told_about_under_the_old_one() {
    let environment = busy();
    let said = run(&environment, "rename implement/auth implement/login", 0);
    assert_eq!(
        said,
        "implement/login was implement/auth; its earlier history: ckpt log implement/auth\n"
    );
    assert!(!environment.path(AUTH).exists() && environment.path(LOGIN).exists());
    let log = run(&environment, "log implement/login", 0);
    assert!(log.contains("ckpt log implement/auth"), "{log}");
    run(&environment, "rename implement/auth implement/login", 3);
    // The name is free again.
    run(&environment, "start implement auth", 0);
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("0/"), "{shown}");
}

#[test]
fn plans_and_pipelines_are_renamed_with_what_belongs_to_them() {
    let environment = busy();
    run(&environment, "plan use login", 0);
    run(&environment, "rename login 260220-1149-sso", 0);
    assert_eq!(run(&environment, "plan use", 0), "260220-1149-sso\n");
    assert!(!environment.path(PLAN).exists() && !environment.path(PHASE).exists());
    let next = run(&environment, "plan next", 0);
    assert!(next.contains("docs"), "{next}");
    run(&environment, "rename PRD-001 PRD-007", 0);
    let shown = run(&environment, "pipeline show PRD-007", 0);
    assert!(shown.contains("WS1"), "{shown}");
    let said = run(&environment, "recover", 0);
    assert!(said.contains("nothing is missing"), "{said}");
}

#[test]
fn a_gate_that_blocks_is_not_escaped_by_a_new_name_where_a_person_must_approve() {
    let environment = busy();
    run(&environment, "config set --user approvals person", 0);
    run(&environment, "gate set implement/auth --block no", 0);
    let said = run(&environment, "rename implement/auth implement/login", 6);
    assert!(said.contains("only a person"), "{said}");
    assert!(environment.path(AUTH).exists() && !environment.path(LOGIN).exists());
    run(&environment, "fork implement/auth implement/login", 0);
    run(&environment, "gate check implement/auth", 6);
}

#[test]
fn what_was_deleted_or_renamed_is_never_offered_as_lost() {
    for wipes in [false, true] {
        let environment = busy();
        run(&environment, "delete implement/auth --force", 0);
        run(&environment, "delete PRD-001 --force", 0);
        run(&environment, "delete login --force", 0);
        if wipes {
            fs::remove_dir_all(environment.path(".claude")).unwrap();
        }
        for line in ["resume", "doctor", "status"] {
            let words = [line];
            let run = environment.ckpt(&words);
            let said = run.stdout + &run.stderr;
            assert!(
                !said.contains("missing") && !said.contains("ckpt recover"),
                "{line}, {wipes}: {said}"
            );
        }
        let said = run(&environment, "recover", 0);
        assert!(
            !said.contains("implement/auth is back")
                && !said.contains("PRD-001 is back")
                && !said.contains("login is back"),
            "{wipes}: {said}"
        );
        run(&environment, "unarchive implement/auth", 0);
        run(&environment, "unarchive login", 0);
        run(&environment, "unarchive PRD-001", 0);
        assert!(environment.path(AUTH).exists() && environment.path(PLAN).exists());
    }
}

#[test]
fn a_block_is_not_shed_by_a_new_name() {
    let environment = busy();
    let block = ["gate", "set", "implement/auth", "--block", "no way"];
    environment.ckpt(&block).exits(0);
    let refused = run(&environment, "rename implement/auth implement/login", 6);
    assert!(
        refused.contains("something blocks in implement/auth"),
        "{refused}"
    );
    assert!(!environment.path(LOGIN).exists());
    run(&environment, "gate check implement/auth", 6);
    run(
        &environment,
        "pipeline review PRD-001 do_not_ship --p0 2",
        0,
    );
    run(&environment, "rename PRD-001 PRD-007", 6);
}
