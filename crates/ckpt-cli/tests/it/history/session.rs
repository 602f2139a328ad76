//! `ckpt undo --session`.

use serde_json::Value;

use crate::support::environment::{AUTH, CKPT, Environment, Run};
use crate::support::pipeline::{begun, initialized};
use crate::support::strace::strace_works;

const ONE: &str = "7f3a1c22-aaaa-4bbb-8ccc-123456789012";
const TWO: &str = "91bb0000-aaaa-4bbb-8ccc-123456789012";
const PLAN: &str = "plans/260220-1149-login/plan.md";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n- [ ] Seed <!-- TASK: seed -->\n";
const GATED: &str = "\
workstreams:
  WS1: { gate: tests }
gates:
  tests: { command: 'true' }
";

/// Runs these lines in a session.
fn within(environment: &Environment, session: &str, lines: &[&str]) {
    for line in lines {
        let mut command = environment.command(CKPT);
        command
            .args(line.split(' '))
            .env("CLAUDE_CODE_SESSION_ID", session);
        Run::of(&mut command).exits(0);
    }
}

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

fn undone(environment: &Environment, line: &str, code: i32) -> Value {
    let words: Vec<&str> = line.split(' ').collect();
    environment.ckpt(&words).exits(code).json()
}

fn phase<'d>(document: &'d Value, name: &str) -> Option<&'d str> {
    document["phases"][name]["status"].as_str()
}

#[test]
fn all_changes_of_a_session_are_taken_back_and_those_of_others_stay() {
    let environment = Environment::started_with("research,build,test");
    let one = [
        "phase implement/auth research in_progress",
        "phase implement/auth research complete --summary First",
    ];
    within(&environment, ONE, &one);
    within(
        &environment,
        TWO,
        &["phase implement/auth build complete --summary Second"],
    );
    let told = undone(&environment, "undo implement/auth --session 7f3a --json", 0);
    assert_eq!(told["session"], ONE);
    let changes = told["undone"][0]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 2, "{told}");
    assert_eq!(changes[0]["revision"], 3);
    let document = environment.document("implement-auth");
    assert_eq!(phase(&document, "research"), Some("pending"));
    assert_eq!(phase(&document, "build"), Some("complete"));
    assert_eq!(
        document["state"]["completed_phases"],
        serde_json::json!(["build"])
    );
    let pending = document["state"]["pending_phases"].as_array().unwrap();
    assert!(pending.contains(&"research".into()), "{pending:?}");
    // A second time there is nothing left, and undo brings it all back.
    let again = run(&environment, "undo --session 7f3a1c22", 0);
    assert!(again.contains("nothing of this session is left"), "{again}");
    run(&environment, "undo implement/auth", 0);
    let document = environment.document("implement-auth");
    assert_eq!(phase(&document, "research"), Some("complete"));
}

#[test]
fn what_somebody_else_changed_again_is_named_and_nothing_is_written() {
    let environment = Environment::started_with("research,build");
    within(
        &environment,
        ONE,
        &["phase implement/auth research complete --summary First"],
    );
    let other = "phase implement/auth research complete --summary Better --by subagent:doc";
    within(&environment, TWO, &[other]);
    let before = environment.read(AUTH);
    let told = run(&environment, "undo --session 7f3a", 5);
    assert!(
        told.contains("nothing undone in implement/auth: revision 3 (phase research: complete")
            && told.contains("by subagent:doc) depends on revision 2 (phase research"),
        "{told}"
    );
    assert_eq!(environment.read(AUTH), before);
    let told = undone(&environment, "undo --session 7f3a --json", 5);
    assert_eq!(told["refused"][0]["later"]["revision"], 3);
    assert_eq!(told["undone"], serde_json::json!([]));
}

#[test]
fn a_plan_loses_the_lines_of_a_session_and_no_others() {
    let environment = Environment::new();
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    within(
        &environment,
        ONE,
        &["plan done schema", "plan decide Postgres", "plan note mine"],
    );
    within(
        &environment,
        TWO,
        &[
            "plan done seed",
            "plan edit seed Plant",
            "plan note theirs",
            "plan block waits",
        ],
    );
    run(&environment, "undo 260220-1149-login --session 7f3a", 0);
    let text = environment.read(PLAN);
    assert!(
        text.contains("[ ] Make") && text.contains("[x] Plant"),
        "{text}"
    );
    assert!(
        !text.contains("DECISION") && text.contains("BLOCKER: waits"),
        "{text}"
    );
    let state = environment.read("plans/260220-1149-login/.checkpoint/state.json");
    assert!(
        state.contains("\"theirs\"") && !state.contains("Postgres"),
        "{state}"
    );
    run(&environment, "plan edit seed Sow", 0);
    let told = run(&environment, "undo --session 91bb", 5);
    assert!(
        told.contains("nothing undone in 260220-1149-login"),
        "{told}"
    );
    assert!(told.contains("(task seed: edited, by "), "{told}");
}

#[test]
fn a_box_that_somebody_else_opened_again_is_theirs() {
    let environment = Environment::new();
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    within(&environment, ONE, &["plan done schema seed"]);
    within(&environment, TWO, &["plan undo seed"]);
    let before = environment.read(PLAN);
    let told = run(&environment, "undo --session 7f3a", 5);
    assert!(
        told.contains("revision 4 (task seed: open again, by ")
            && told.contains("depends on revision 3 (task schema: done"),
        "{told}"
    );
    assert_eq!(environment.read(PLAN), before);
    run(&environment, "undo --session 91bb", 0);
    run(&environment, "undo --session 7f3a", 0);
    assert_eq!(environment.read(PLAN), TEXT);
}

#[test]
fn every_task_that_was_taken_back_is_named_up_to_three() {
    let environment = Environment::new();
    let boxes = ["a", "b", "c", "d", "e"].map(|id| format!("- [ ] Do {id} <!-- TASK: {id} -->\n"));
    environment.write(PLAN, format!("{TEXT}{}", boxes.concat()));
    run(&environment, "plan sync", 0);
    within(&environment, ONE, &["plan done schema seed"]);
    let named = "undone in 260220-1149-login: task schema: done, task seed: done\n";
    let told = run(&environment, "undo --session 7f3a", 0);
    assert!(told.contains(named), "{told}");
    within(&environment, ONE, &["plan done a b c d e"]);
    let told = run(&environment, "undo 260220-1149-login", 0);
    let named = "task a: done, task b: done, task c: done and 2 more\n";
    assert!(told.contains(named), "{told}");
}

#[test]
fn a_pipeline_loses_the_workstreams_of_a_session_and_no_others() {
    let environment = initialized();
    within(
        &environment,
        ONE,
        &["pipeline start PRD-009 WS1", "pipeline done PRD-009 WS1"],
    );
    within(
        &environment,
        TWO,
        &["pipeline start PRD-009 WS2", "pipeline start PRD-009 WS3"],
    );
    within(&environment, ONE, &["pipeline done PRD-009 WS3"]);
    run(&environment, "undo --session 91bb", 5);
    let told = run(&environment, "undo PRD-009 --session 7f3a", 5);
    assert!(told.contains("workstream WS2: started"), "{told}");
    run(&environment, "undo PRD-009", 0);
    run(&environment, "undo PRD-009 --session 91bb", 0);
    run(&environment, "undo PRD-009 --session 7f3a", 0);
    let shown = run(&environment, "diff PRD-009", 0);
    assert!(shown.contains("workstream WS1: done → pending"), "{shown}");
    assert!(!shown.contains("WS2") && !shown.contains("WS3"), "{shown}");
}

#[test]
fn a_gate_has_to_pass_again_whichever_way_its_workstream_goes_back() {
    for back in ["restore PRD-009 1", "undo PRD-009 --session 7f3a"] {
        let environment = begun(GATED);
        within(
            &environment,
            ONE,
            &["pipeline start PRD-009 WS1", "pipeline done PRD-009 WS1"],
        );
        within(
            &environment,
            TWO,
            &["pipeline gate run PRD-009 tests --for WS1"],
        );
        run(&environment, "pipeline gate check PRD-009", 0);
        run(&environment, back, 0);
        for line in ["pipeline start PRD-009 WS1", "pipeline done PRD-009 WS1"] {
            let shown = run(&environment, "show PRD-009", 0);
            assert!(!shown.contains("proven"), "{back}: {shown}");
            run(&environment, "pipeline gate check PRD-009", 6);
            run(&environment, line, 0);
        }
        run(&environment, "pipeline gate check PRD-009", 6);
        run(&environment, "complete PRD-009", 4);
        run(&environment, "pipeline gate run PRD-009 tests --for WS1", 0);
        run(&environment, "pipeline gate check PRD-009", 0);
        run(&environment, "complete PRD-009", 0);
    }
}

#[test]
fn a_session_is_found_by_the_beginning_of_its_id_and_its_creation_stays() {
    let environment = Environment::new();
    within(
        &environment,
        ONE,
        &[
            "start implement auth",
            "phase implement/auth build complete",
        ],
    );
    within(
        &environment,
        &format!("{ONE}0"),
        &["phase implement/auth test complete"],
    );
    let told = run(&environment, "undo --session 7f", 5);
    assert!(told.contains("several sessions begin with 7f"), "{told}");
    let told = run(&environment, "undo --session nobody", 3);
    assert!(
        told.contains("no session nobody has changed anything"),
        "{told}"
    );
    let before = environment.read(AUTH);
    let told = run(&environment, &format!("undo --session {ONE}"), 4);
    assert!(
        told.contains("was created by these changes")
            && told.contains("Delete it with: ckpt delete implement/auth --force"),
        "{told}"
    );
    assert_eq!(environment.read(AUTH), before);
}

#[test]
fn what_is_archived_is_undone_and_what_was_deleted_is_named() {
    let lines = [
        "phase implement/auth research complete --summary First",
        "phase implement/login research complete --summary First",
        "phase implement/pay research complete --summary First",
    ];
    let environment = Environment::started_with("research,build");
    for line in [
        "start implement login --phases research",
        "start implement pay --phases research",
    ] {
        run(&environment, line, 0);
    }
    within(&environment, ONE, &lines);
    run(&environment, "archive implement/auth --force", 0);
    run(&environment, "delete implement/login --force", 0);
    run(&environment, "rename implement/pay implement/paid", 0);
    let told = run(&environment, "undo --session 7f3a", 0);
    assert!(
        told.contains("undone in implement/auth: phase research"),
        "{told}"
    );
    for reason in ["implement/login was deleted", "implement/pay was renamed"] {
        assert!(told.contains(reason), "{told}");
    }
    // By now there is nothing else.
    let told = run(&environment, "undo --session 7f3a", 3);
    assert!(told.contains("implement/login was deleted"), "{told}");
    let document = environment.document("implement-auth");
    assert_eq!(phase(&document, "research"), Some("pending"));
}

/// Loses the history, which comes back from its copy: the next change begins a new epoch.
fn begin_epoch(environment: &Environment) {
    let history = environment.path(".claude/state/history/command/implement-auth.jsonl");
    std::fs::remove_file(history).unwrap();
    run(environment, "recover", 0);
}

#[test]
fn changes_of_a_session_in_an_earlier_epoch_are_taken_back_too() {
    let environment = Environment::started_with("research,build,test");
    let before = environment.document("implement-auth");
    within(
        &environment,
        ONE,
        &["phase implement/auth research complete"],
    );
    begin_epoch(&environment);
    within(&environment, ONE, &["phase implement/auth test complete"]);
    within(&environment, TWO, &["phase implement/auth build complete"]);
    let told = undone(&environment, "undo --session 7f3a --json", 0);
    let exact = |at: usize| told["undone"][0]["changes"][at]["exact"].as_str().unwrap();
    let (newer, older) = (exact(0), exact(1));
    assert!(newer.starts_with("2-") && older.starts_with("2-"), "{told}");
    assert_ne!(newer, older);
    let log = environment.ckpt(&["log", "implement/auth", "-n", "1", "--json"]);
    let log = log.exits(0).json();
    assert_eq!(
        log["entries"][0]["exact"],
        serde_json::json!([newer, older])
    );
    let document = environment.document("implement-auth");
    for name in ["research", "test"] {
        assert_eq!(document["phases"][name], before["phases"][name]);
    }
    assert_eq!(phase(&document, "build"), Some("complete"));
    let again = run(&environment, "undo --session 7f3a", 0);
    assert!(again.contains("nothing of this session is left"), "{again}");
}

#[test]
fn a_change_of_an_earlier_epoch_that_stays_is_named_exactly() {
    let environment = Environment::started_with("research");
    let line = "phase implement/auth research complete --summary";
    within(&environment, ONE, &[&format!("{line} First")]);
    let shown = environment.ckpt(&["show", "implement/auth", "--json"]);
    let shown = shown.exits(0).json();
    let exact = shown["revision"].as_str().unwrap();
    begin_epoch(&environment);
    within(&environment, TWO, &[&format!("{line} Better")]);
    let told = run(&environment, "undo --session 7f3a", 5);
    assert!(
        told.contains("revision 2 (phase research: complete")
            && told.contains(&format!("depends on revision {exact} (phase research")),
        "{told}"
    );
}

#[test]
fn a_conflict_counts_for_the_exit_code_beside_what_was_deleted() {
    let environment = Environment::started_with("research,build");
    run(&environment, "start implement login --phases research", 0);
    let first = "research complete --summary First";
    for name in ["auth", "login"] {
        within(
            &environment,
            ONE,
            &[&format!("phase implement/{name} {first}")],
        );
    }
    within(
        &environment,
        TWO,
        &["phase implement/auth research complete --summary Better"],
    );
    run(&environment, "delete implement/login --force", 0);
    let told = run(&environment, "undo --session 7f3a", 5);
    assert!(told.contains("implement/login was deleted"), "{told}");
}

#[test]
fn the_last_change_of_all_may_be_that_of_an_archived_checkpoint() {
    let environment = Environment::started_with("research");
    run(&environment, "start implement login --phases research", 0);
    run(&environment, "phase implement/auth research in_progress", 0);
    run(&environment, "archive implement/auth --force", 0);
    let told = run(&environment, "undo", 0);
    assert!(
        told.contains("undone in implement/auth: phase research"),
        "{told}"
    );
    let document = environment.document("implement-auth");
    assert_eq!(phase(&document, "research"), Some("pending"));
}

#[test]
fn an_approval_of_a_session_stays_and_is_not_told_as_undone() {
    let environment =
        Environment::started_with("build").with_variable("CLAUDE_CODE_SESSION_ID", "s-own");
    environment
        .ckpt(&["gate", "set", "implement/auth", "--allow"])
        .exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    let undone = environment
        .ckpt(&["undo", "implement/auth", "--session", "s-own"])
        .exits(0);
    assert!(undone.stdout.contains("phase build"), "{undone}");
    assert!(!undone.stdout.contains("approved"), "{undone}");
    assert_eq!(
        undone.stderr,
        "stays in implement/auth: shipping approved\n"
    );
    // It is named although nothing else is left.
    let again = environment.ckpt(&["undo", "--session", "s-own", "--json"]);
    let again = again.exits(0).json();
    assert_eq!(
        again["staying"][0]["changes"][0]["what"],
        "shipping approved"
    );
    assert_eq!(again["undone"], serde_json::json!([]));
}

#[test]
fn what_never_took_effect_is_not_taken_back() {
    if !strace_works() {
        return;
    }
    let environment = Environment::started_with("a,b");
    within(&environment, ONE, &["phase implement/auth a in_progress"]);
    let mut command = environment.command("strace");
    command.env("CLAUDE_CODE_SESSION_ID", ONE);
    command.args([
        "-o",
        "/dev/null",
        "-e",
        "inject=rename:signal=SIGKILL:when=1",
    ]);
    let died = Run::of(command.args([CKPT, "phase", "implement/auth", "b", "complete"]));
    assert_eq!(died.code, None, "{died}");
    let told = undone(&environment, "undo implement/auth --session 7f3a --json", 0);
    assert!(!told.to_string().contains("phase b"), "{told}");
    let shown = environment
        .ckpt(&["show", "implement/auth"])
        .exits(0)
        .stdout;
    assert!(!shown.contains('✓') && !shown.contains('▶'), "{shown}");
}
