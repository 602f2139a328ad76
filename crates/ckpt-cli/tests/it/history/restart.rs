//! `ckpt resume --auto`: a command is run again.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::environment::{AUTH, Environment, Run};
use crate::support::strace::{strace_works, tampered};

const PLAN: &str = "plans/260220-1149-login/plan.md";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n- [ ] Seed <!-- TASK: seed -->\n";
const SPEC: &str =
    "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n  WS2: { name: Pages }\n---\n";

fn run(environment: &Environment, line: &str) -> Run {
    let words: Vec<&str> = line.split(' ').collect();
    environment.ckpt(&words)
}

fn with_pipeline_and_plan() -> Environment {
    let environment = Environment::started_with("research,build");
    environment.write("spec.md", SPEC);
    environment.write(PLAN, TEXT);
    for line in [
        "pipeline init spec.md",
        "pipeline start PRD-001 WS1",
        "plan sync",
        "plan done schema",
    ] {
        run(&environment, line).exits(0);
    }
    environment
}

#[test]
fn a_command_that_never_began_is_told_how_to_start_and_nothing_is_created() {
    let environment = Environment::new();
    for (line, start) in [
        ("implement auth", "ckpt start implement auth"),
        ("implement", "ckpt start implement FEATURE"),
        ("implement/auth", "ckpt start implement auth"),
        ("build", "ckpt pipeline init SPEC"),
        ("plan", "ckpt plan new TITLE --from FILE"),
        ("build PRD-009", "ckpt pipeline init SPEC"),
        ("plan 260220-1149-login", "ckpt plan new TITLE --from FILE"),
    ] {
        let said = run(&environment, &format!("resume --auto {line}")).exits(3);
        assert_eq!(
            said.stdout,
            format!("Nothing to resume. Start it with: {start}\n")
        );
        let report = run(&environment, &format!("resume --auto {line} --json"))
            .exits(3)
            .json();
        assert_eq!(report["resume"], "fresh");
        assert_eq!(report["start"], start);
        assert_eq!(report["healed"], json!([]));
    }
    assert!(!environment.path(".claude").exists());
    run(&environment, "resume implement auth").exits(2);
    run(&environment, "resume --auto").exits(2);
}

#[test]
fn what_was_abandoned_is_taken_up_by_the_command_of_its_kind() {
    let environment = with_pipeline_and_plan();
    for (key, typed, start) in [
        ("PRD-001", "build PRD-001", "ckpt pipeline fixed PRD-001"),
        (
            "260220-1149-login",
            "plan 260220-1149-login",
            "ckpt plan use 260220-1149-login",
        ),
        (
            "implement/auth",
            "implement auth",
            "ckpt start implement auth --again",
        ),
    ] {
        run(&environment, &format!("abandon {key} --reason later")).exits(0);
        let report = run(&environment, &format!("resume --auto {typed} --json")).exits(3);
        assert_eq!(report.json()["start"], start);
        let words = start.strip_prefix("ckpt ").unwrap();
        run(&environment, words).exits(0);
        run(&environment, &format!("resume --auto {typed}")).exits(0);
    }
}

#[test]
fn an_aborted_pipeline_is_taken_up_by_its_name_and_by_the_word_for_pipelines() {
    let environment = with_pipeline_and_plan();
    run(&environment, "abandon PRD-001 --reason later").exits(0);
    for typed in ["PRD-001", "build"] {
        let said = run(&environment, &format!("resume --auto {typed}")).exits(3);
        let expected = "Nothing to resume. Start it with: ckpt pipeline fixed PRD-001\n";
        assert_eq!(said.stdout, expected);
    }
    let said = run(&environment, "pipeline init spec.md").exits(0);
    assert!(
        said.stdout.starts_with("PRD-001 already exists\n")
            && said.stdout.contains("ckpt pipeline fixed PRD-001"),
        "{said}"
    );
}

#[test]
fn what_was_renamed_or_is_in_another_worktree_is_not_started_again() {
    let environment = Environment::started();
    let tree = environment.linked_worktree();
    let start = ["start", "design", "theme"];
    environment.ckpt_in(&tree, &start).exits(0);
    run(&environment, "rename implement/auth implement/login").exits(0);
    let there = format!("ckpt -C {} show design/theme", tree.display());
    for (typed, told, next) in [
        (
            "implement auth",
            "implement/auth was renamed to implement/login",
            "ckpt show implement/login",
        ),
        (
            "design theme",
            "design/theme is in another worktree",
            &*there,
        ),
    ] {
        let said = run(&environment, &format!("resume --auto {typed}")).exits(3);
        assert!(
            said.stdout.contains(told) && said.stdout.contains(next),
            "{said}"
        );
        assert!(!said.stdout.contains("Start it with"), "{said}");
        let report = run(&environment, &format!("resume --auto {typed} --json")).exits(3);
        assert_eq!(report.json()["start"], Value::Null);
    }
}

#[test]
fn a_command_may_be_called_like_the_word_for_a_kind() {
    let environment = Environment::new();
    run(&environment, "start build shop").exits(0);
    let report = run(&environment, "resume --auto build shop --json").exits(0);
    assert_eq!(report.json()["focus"]["key"], "command:build/shop");
}

#[test]
fn the_one_checkpoint_in_flight_is_resumed_whatever_its_kind() {
    let environment = with_pipeline_and_plan();
    for (line, next) in [
        ("implement", "ckpt phase implement/auth research"),
        ("implement auth", "ckpt phase implement/auth research"),
        ("implement/auth", "ckpt phase implement/auth research"),
        ("build", "WS1"),
        ("build PRD-001", "WS1"),
        ("PRD-001", "WS1"),
        ("plan", "ckpt plan done seed"),
        ("plan login", "ckpt plan done seed"),
        ("260220-1149-login", "ckpt plan done seed"),
    ] {
        let said = run(&environment, &format!("resume --auto {line}"));
        assert_eq!(said.code, Some(0), "{line}: {said}");
        let next_line = said.stdout.find("\nNEXT\n").map(|at| &said.stdout[at..]);
        assert!(
            next_line.is_some_and(|rest| rest.contains(next)),
            "{line}: {said}"
        );
        assert!(
            said.stdout.starts_with("ckpt:"),
            "nothing was healed: {said}"
        );
    }
    let report = run(&environment, "resume --auto implement --json")
        .exits(0)
        .json();
    assert_eq!(report["resume"], "resumed");
    assert_eq!(report["focus"]["key"], "command:implement/auth");
    assert!(report["text"].as_str().unwrap().contains("NEXT"));
}

#[test]
fn several_in_flight_are_named_and_a_feature_chooses_one() {
    let environment = Environment::started();
    run(&environment, "start implement sso").exits(0);
    let said = run(&environment, "resume --auto implement").exits(5);
    assert!(
        said.stderr.contains("implement/auth") && said.stderr.contains("implement/sso"),
        "{said}"
    );
    run(&environment, "resume --auto implement sso").exits(0);
    run(&environment, "complete implement/sso --force").exits(0);
    let report = run(&environment, "resume --auto implement --json")
        .exits(0)
        .json();
    assert_eq!(report["focus"]["key"], "command:implement/auth");
}

#[test]
fn what_is_complete_is_said_to_be_and_stays_in_the_archive() {
    let environment = Environment::started();
    run(&environment, "complete implement/auth --force").exits(0);
    for is_archived in [false, true] {
        if is_archived {
            run(&environment, "archive implement/auth").exits(0);
        }
        let said = run(&environment, "resume --auto implement auth").exits(8);
        let expected = "implement/auth is complete already. \
                        Take it up again with: ckpt start implement auth --again\n";
        assert_eq!(said.stdout, expected);
        let report = run(&environment, "resume --auto implement auth --json")
            .exits(8)
            .json();
        assert_eq!(report["resume"], "complete");
        run(&environment, "resume --auto implement sso").exits(3);
    }
    run(&environment, "resume --auto implement").exits(8);
    assert!(!environment.path(AUTH).exists());
    run(&environment, "start implement sso").exits(0);
    run(&environment, "abandon implement/sso --reason no").exits(0);
    let said = run(&environment, "resume --auto implement sso").exits(3);
    assert!(
        said.stdout.contains("ckpt start implement sso --again"),
        "{said}"
    );
}

/// A repository without everything that git does not have.
fn without_its_state(environment: &Environment) {
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    fs::remove_dir_all(environment.path("plans")).unwrap();
}

#[test]
fn what_is_complete_is_found_when_its_archive_is_missing() {
    let environment = with_pipeline_and_plan();
    let plan = "260220-1149-login";
    run(&environment, "pipeline done PRD-001 WS1").exits(0);
    for key in ["implement/auth", "PRD-001", plan] {
        run(&environment, &format!("complete {key} --force")).exits(0);
        run(&environment, &format!("archive {key}")).exits(0);
    }
    without_its_state(&environment);
    for (line, key) in [
        ("implement", "implement/auth"),
        ("build", "PRD-001"),
        ("plan", plan),
    ] {
        let said = run(&environment, &format!("resume --auto {line}")).exits(8);
        let told = format!("{key} is complete already.");
        assert!(said.stdout.starts_with(&told), "{said}");
    }
    for (line, key) in [
        ("implement auth", "implement/auth"),
        ("PRD-001", "PRD-001"),
        ("plan 260220-1149-login", plan),
    ] {
        let said = run(&environment, &format!("resume --auto {line}")).exits(8);
        let back =
            format!("the archive of {key} was missing; it is back\n{key} is complete already.");
        assert!(said.stdout.starts_with(&back), "{said}");
        let report = run(&environment, &format!("resume --auto {line} --json")).exits(8);
        assert_eq!(report.json()["healed"], json!([]), "{key}");
        let listed = run(&environment, "archive").exits(0);
        assert!(listed.stdout.contains(key), "{listed}");
    }
}

#[test]
fn what_is_complete_and_missing_is_found_by_the_word_for_its_kind() {
    let environment = with_pipeline_and_plan();
    run(&environment, "complete implement/auth --force").exits(0);
    run(&environment, "complete 260220-1149-login --force").exits(0);
    without_its_state(&environment);
    for (line, key) in [
        ("implement", "implement/auth"),
        ("plan", "260220-1149-login"),
    ] {
        let said = run(&environment, &format!("resume --auto {line}")).exits(8);
        assert!(said.stdout.starts_with(key), "{said}");
    }
    run(&environment, "start implement auth --again").exits(0);
    run(&environment, "resume --auto implement").exits(0);
}

#[test]
fn a_command_whose_checkpoints_are_complete_is_told_the_newest_unless_one_is_in_flight() {
    let environment = with_pipeline_and_plan();
    run(&environment, "start implement sso").exits(0);
    run(&environment, "complete implement/auth --force").exits(0);
    let report = run(&environment, "resume --auto implement --json").exits(0);
    assert_eq!(report.json()["focus"]["key"], "command:implement/sso");
    run(&environment, "complete implement/sso --force").exits(0);
    run(&environment, "pipeline done PRD-001 WS1").exits(0);
    run(&environment, "complete PRD-001 --force").exits(0);
    run(&environment, "complete 260220-1149-login --force").exits(0);
    for (line, told) in [
        (
            "implement",
            "implement/sso is complete already. Take it up again with: ckpt start implement sso --again; \
             start another with: ckpt start implement FEATURE\n",
        ),
        (
            "build",
            "PRD-001 is complete already. Take it up again with: ckpt pipeline reopen PRD-001; \
             start another with: ckpt pipeline init SPEC\n",
        ),
        (
            "plan",
            "260220-1149-login is complete already. Start another with: ckpt plan new TITLE --from FILE\n",
        ),
    ] {
        let said = run(&environment, &format!("resume --auto {line}")).exits(8);
        assert_eq!(said.stdout, told);
        run(&environment, "archive --completed").exits(0);
        run(&environment, "unarchive implement/sso").exits(0);
        let said = run(&environment, &format!("resume --auto {line}")).exits(8);
        assert_eq!(said.stdout, told, "in the archive");
    }
    let report = run(&environment, "resume --auto implement --json").exits(8);
    assert_eq!(report.json()["resume"], "complete");
}

#[test]
fn a_brief_is_shown_when_the_ground_has_moved_but_the_exit_code_says_so() {
    let environment = with_pipeline_and_plan();
    environment.commit("moved on");
    let said = run(&environment, "resume --auto implement").exits(7);
    assert!(said.stdout.contains("\nNEXT\n"), "{said}");
    let report = run(&environment, "resume --auto implement --json")
        .exits(7)
        .json();
    assert_eq!(report["resume"], "stale");
    let phase = "phase implement/auth research in_progress";
    run(&environment, phase).exits(0);
    run(&environment, "resume --auto implement").exits(0);
    for (restart, change) in [
        (
            "resume --auto PRD-001",
            "pipeline note PRD-001 --cleanup later",
        ),
        ("resume --auto plan", "plan note later"),
    ] {
        let said = run(&environment, restart).exits(7);
        assert!(
            said.stdout.starts_with("Since this was saved, commits"),
            "{said}"
        );
        assert!(said.stdout.contains("\nNEXT\n"), "{restart}: {said}");
        run(&environment, change).exits(0);
        run(&environment, restart).exits(0);
    }
}

#[test]
fn the_command_that_is_printed_acknowledges_the_commits_of_the_checkpoint_that_was_named() {
    let environment = with_pipeline_and_plan();
    // It is worked on last, so it is in focus.
    run(&environment, "start review ui").exits(0);
    environment.commit("moved on");
    for name in ["implement/auth", "PRD-001", "260220-1149-login"] {
        let restart = format!("resume --auto {name}");
        let said = run(&environment, &restart).exits(7);
        let first = said.stdout.lines().next().unwrap();
        let command = first.split("ckpt ").nth(1).unwrap();
        assert_eq!(command, format!("ack commits {name}"));
        run(&environment, command).exits(0);
        run(&environment, &restart).exits(0);
        run(&environment, command).exits(3);
    }
    run(&environment, "resume --auto review").exits(7);
    environment.commit("moved on again");
    run(&environment, "resume --auto PRD-001").exits(7);
}

/// What was healed, in words.
fn healed(environment: &Environment, line: &str) -> Vec<(String, String)> {
    let report = run(environment, &format!("resume --auto {line} --json"))
        .exits(0)
        .json();
    let healed = report["healed"].as_array().unwrap().iter();
    let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    healed
        .map(|one| (text(one, "key"), text(one, "what")))
        .collect()
}

fn one(key: &str, what: &str) -> Vec<(String, String)> {
    vec![(key.to_owned(), what.to_owned())]
}

#[test]
fn a_change_that_is_under_way_is_no_interrupted_one() {
    if !strace_works() {
        return;
    }
    let environment = Environment::started_with("a,b");
    thread::scope(|scope| {
        let late = scope.spawn(|| {
            let change = ["phase", "implement/auth", "a", "complete"];
            tampered(
                &environment,
                &change,
                "rename",
                "delay_enter=1500000:when=1",
            )
        });
        thread::sleep(Duration::from_millis(500));
        assert_eq!(healed(&environment, "implement"), []);
        late.join().expect("it runs").exits(0);
    });
}

#[test]
fn edits_by_others_and_interrupted_changes_are_settled_first_and_once() {
    let environment = with_pipeline_and_plan();
    let pipeline = ".claude/skills/build-pipeline/checkpoints/PRD-001.json";
    for (path, line, key) in [
        (AUTH, "implement", "command:implement/auth"),
        (pipeline, "build", "pipeline:PRD-001"),
    ] {
        let text = environment.read(path);
        environment.write(path, text.replacen('{', "{\n  \"by_hand\": true,", 1));
        assert_eq!(healed(&environment, line), one(key, "absorbed"));
        assert_eq!(healed(&environment, line), []);
        assert!(environment.read(path).contains("by_hand"));
    }
    assert_eq!(
        environment.events("implement-auth").last().unwrap(),
        "2 external_edit"
    );
    environment.write(
        PLAN,
        environment.read(PLAN) + "- [ ] More <!-- TASK: more -->\n",
    );
    assert_eq!(
        healed(&environment, "plan"),
        one("plan:260220-1149-login", "absorbed")
    );
    assert_eq!(healed(&environment, "plan"), []);
    let before = environment.read(AUTH);
    let phase = "phase implement/auth research complete";
    run(&environment, phase).exits(0);
    environment.write(AUTH, before);
    assert_eq!(
        healed(&environment, "implement"),
        one("command:implement/auth", "settled")
    );
    assert_eq!(
        environment.events("implement-auth").last().unwrap(),
        "4 aborted"
    );
    assert_eq!(healed(&environment, "implement"), []);
}

#[test]
fn what_is_damaged_or_missing_is_back_before_the_brief() {
    let environment = with_pipeline_and_plan();
    let pipeline = ".claude/skills/build-pipeline/checkpoints/PRD-001.json";
    for (path, line, key) in [
        (AUTH, "implement", "command:implement/auth"),
        (AUTH, "implement auth", "command:implement/auth"),
        (pipeline, "build", "pipeline:PRD-001"),
    ] {
        let whole = environment.read(path);
        environment.write(path, &whole[..whole.len() / 2]);
        let said = run(&environment, &format!("resume --auto {line}")).exits(0);
        let first = said.stdout.lines().next().unwrap();
        assert!(
            first.contains("was damaged; its last recorded state is back"),
            "{said}"
        );
        assert!(said.stdout.contains("\nNEXT\n"), "{said}");
        assert_eq!(environment.read(path), whole, "{key}");
    }
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    fs::remove_dir_all(environment.path("plans")).unwrap();
    for (line, key) in [
        ("implement", "command:implement/auth"),
        ("PRD-001", "pipeline:PRD-001"),
        ("plan login", "plan:260220-1149-login"),
    ] {
        let line = line.replace("plan login", "260220-1149-login");
        assert_eq!(healed(&environment, &line), one(key, "brought_back"));
        assert_eq!(healed(&environment, &line), []);
    }
    assert!(environment.read(PLAN).contains("- [x] Make the schema"));
    fs::remove_file(environment.path(PLAN)).unwrap();
    let said = run(&environment, "resume --auto plan").exits(0);
    assert!(
        said.stdout.contains("- [ ] Seed") || said.stdout.contains("seed"),
        "{said}"
    );
    assert!(environment.path(PLAN).exists());
}

#[test]
fn what_a_worktree_left_that_is_gone_is_offered() {
    let environment = Environment::new();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    let start = ["start", "design", "theme"];
    environment.ckpt_in(&site, &start).exits(0);
    environment.git(&["worktree", "remove", "--force", "../site"]);
    let said = run(&environment, "resume --auto design theme").exits(3);
    assert!(said.stdout.contains("which is gone"), "{said}");
    assert!(said.stdout.contains("ckpt recover design/theme"), "{said}");
    assert!(!said.stdout.contains("Nothing to resume"), "{said}");
    run(&environment, "recover design/theme").exits(0);
    run(&environment, "resume --auto design THEME").exits(0);
}

#[test]
fn what_was_deleted_is_named_beside_a_fresh_start() {
    let environment = Environment::started();
    run(&environment, "delete implement/auth --force").exits(0);
    let said = run(&environment, "resume --auto implement auth").exits(3);
    assert!(said.stdout.contains("implement/auth was deleted"), "{said}");
    assert!(
        said.stdout.contains("ckpt unarchive implement/auth"),
        "{said}"
    );
    assert!(said.stdout.contains("ckpt start implement auth"), "{said}");
}
