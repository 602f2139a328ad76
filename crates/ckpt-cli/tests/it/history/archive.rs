//! `ckpt archive`, `ckpt unarchive`, `ckpt delete` and `ckpt gc`.

use std::fs;
use std::thread;

use crate::support::environment::{AUTH, Environment};
use crate::support::tree;

const PLAN: &str = "plans/260220-1149-login/plan.md";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n";
const SPEC: &str = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n";

const ARCHIVE: &str = ".claude/state/archive/command/implement-auth.zst";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

/// A repository with a finished checkpoint of each kind, and one that is in flight.
fn finished() -> Environment {
    let environment = Environment::started_with("build");
    run(&environment, "phase implement/auth build complete", 0);
    run(&environment, "complete implement/auth", 0);
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    run(&environment, "plan done schema", 0);
    environment.write("spec.md", SPEC);
    run(&environment, "pipeline init spec.md", 0);
    run(&environment, "pipeline start PRD-001 WS1", 0);
    run(&environment, "pipeline done PRD-001 WS1", 0);
    run(&environment, "pipeline complete PRD-001", 0);
    run(&environment, "start design theme", 0);
    environment
}

#[test]
fn finished_checkpoints_of_every_kind_are_archived_and_read_as_before() {
    let environment = finished();
    let log = run(&environment, "log implement/auth", 0);
    let shown = run(&environment, "show PRD-001", 0);
    let difference = run(&environment, "diff implement/auth 1 2", 0);
    let kept = run(&environment, "archive --completed --older-than 1h", 0);
    assert!(kept.contains("nothing to archive"), "{kept}");
    let planned = run(&environment, "archive --completed --dry-run", 0);
    assert_eq!(planned, "implement/auth\nPRD-001\n260220-1149-login\n");
    let done = run(&environment, "archive --completed", 0);
    assert_eq!(done.lines().count(), 3, "{done}");
    assert!(!environment.path(AUTH).exists() && environment.path(ARCHIVE).exists());
    assert!(environment.path(PLAN).exists());
    let listed = run(&environment, "list", 0);
    assert!(
        listed.starts_with("design/theme") && listed.lines().count() == 1,
        "{listed}"
    );
    let archived = run(&environment, "log implement/auth", 0);
    assert!(
        archived.ends_with(&log) && archived.contains("archived"),
        "{archived}"
    );
    assert_eq!(run(&environment, "show PRD-001", 0), shown);
    assert_eq!(run(&environment, "diff implement/auth 1 2", 0), difference);
    let plan = run(&environment, "show login", 0);
    assert!(plan.contains("schema"), "{plan}");
    let everything = run(&environment, "archive", 0);
    assert_eq!(everything.lines().count(), 3, "{everything}");
}

#[test]
fn what_is_in_flight_is_archived_only_by_name_and_by_force() {
    let environment = Environment::started_with("build");
    let refused = run(&environment, "archive implement/auth", 4);
    assert!(
        refused.contains("still in flight") && refused.contains("--force"),
        "{refused}"
    );
    assert!(environment.path(AUTH).exists());
    run(&environment, "archive implement/auth --force", 0);
    assert!(!environment.path(AUTH).exists());
    let missing = run(&environment, "archive implement/nothing", 3);
    assert!(missing.contains("no checkpoint"), "{missing}");
}

#[test]
fn a_change_brings_an_archived_checkpoint_back() {
    let environment = finished();
    run(&environment, "archive --completed", 0);
    let taken = run(&environment, "start implement auth", 8);
    assert!(taken.contains("already complete"), "{taken}");
    run(
        &environment,
        "phase implement/auth more in_progress --new",
        0,
    );
    assert!(environment.path(AUTH).exists() && !environment.path(ARCHIVE).exists());
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("✓ build"), "{shown}");
}

#[test]
fn what_is_deleted_can_be_brought_back_until_gc_removes_it() {
    let environment = finished();
    run(&environment, "delete 260220-1149-login", 0);
    assert!(!environment.path(PLAN).exists());
    run(&environment, "delete implement/auth", 0);
    assert!(run(&environment, "recover", 0).contains("nothing is missing"));
    run(&environment, "log implement/auth", 3);
    // A new one of the same name is in the way.
    run(&environment, "start implement auth", 0);
    let refused = run(&environment, "unarchive implement/auth", 5);
    assert!(refused.contains("already there"), "{refused}");
    run(&environment, "delete implement/auth --force", 0);
    run(&environment, "unarchive login", 0);
    assert!(environment.read(PLAN).contains("- [x] Make the schema"));
    // The one that was deleted last comes back first.
    run(&environment, "unarchive implement/auth", 0);
    let log = run(&environment, "log implement/auth", 0);
    assert!(!log.contains("completed"), "{log}");
    let kept = run(&environment, "gc", 0);
    assert!(kept.contains("nothing to do"), "{kept}");
}

#[test]
fn a_damaged_archive_is_named_and_nothing_is_changed() {
    let environment = finished();
    run(&environment, "archive --completed", 0);
    let path = environment.path(ARCHIVE);
    let whole = fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 0x10;
    fs::write(&path, &damaged).unwrap();
    // Its copy in the git directory is read instead.
    let log = run(&environment, "log implement/auth", 0);
    assert!(log.contains("completed"), "{log}");
    for line in [
        "log implement/auth",
        "show implement/auth",
        "diff implement/auth 1 2",
    ] {
        let said = run(&environment, line, 0);
        assert!(
            said.contains("is damaged; this is its copy"),
            "{line}: {said}"
        );
    }
    let said = run(&environment, "doctor", 1);
    assert!(said.contains("implement-auth.zst is damaged"), "{said}");
    let mirror = environment.path(".git/ckpt/mirror");
    let copies = tree::names(&mirror);
    let is_copy = |name: &&String| name.ends_with("archive/command/implement-auth.zst");
    let copy = mirror.join(copies.iter().find(is_copy).unwrap());
    fs::write(&copy, &damaged).unwrap();
    let said = run(&environment, "unarchive implement/auth", 4);
    assert!(
        said.contains("implement-auth.zst") && said.contains("damaged"),
        "{said}"
    );
    assert_eq!(fs::read(&path).unwrap(), damaged);
    let listed = run(&environment, "list", 0);
    assert!(listed.contains("design/theme"), "{listed}");
    fs::write(&copy, &whole).unwrap();
    run(&environment, "recover", 0);
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn an_archive_that_came_with_a_clone_is_not_unpacked() {
    let environment = finished();
    run(&environment, "archive implement/auth", 0);
    let other = Environment::new();
    run(&other, "start design theme", 0);
    let bytes = fs::read(environment.path(ARCHIVE)).unwrap();
    other.write(ARCHIVE, bytes);
    let said = run(&other, "unarchive implement/auth", 4);
    assert!(said.contains("not archived here"), "{said}");
    assert!(!other.path(AUTH).exists());
}

#[test]
fn a_gate_that_blocks_is_not_deleted_by_an_agent_where_a_person_must_approve() {
    let environment = Environment::started_with("build");
    run(&environment, "config set --user approvals person", 0);
    run(&environment, "gate set implement/auth --block no", 0);
    let said = run(&environment, "delete implement/auth --force", 6);
    assert!(said.contains("only a person"), "{said}");
    assert!(environment.path(AUTH).exists());
}

#[test]
fn gc_archives_what_has_been_finished_for_long() {
    let environment = finished();
    run(&environment, "config set --user archive_after_days 0", 0);
    assert!(run(&environment, "gc", 0).contains("nothing to do"));
    run(&environment, "config set --user archive_after_days 1", 0);
    let old = environment
        .read(AUTH)
        .replace("\"updated_at\": \"20", "\"updated_at\": \"19");
    environment.write(AUTH, old);
    let planned = run(&environment, "gc --dry-run", 0);
    assert!(
        planned.contains("would archive implement/auth"),
        "{planned}"
    );
    assert!(environment.path(AUTH).exists());
    run(&environment, "gc", 0);
    assert!(!environment.path(AUTH).exists() && environment.path(ARCHIVE).exists());
}

#[test]
fn the_archive_of_an_earlier_checkpoint_of_the_same_name_is_kept() {
    let environment = Environment::new();
    let finish = |summary: &str| {
        run(&environment, "start implement auth --phases build", 0);
        let update = [
            "phase",
            "implement/auth",
            "build",
            "complete",
            "--summary",
            summary,
        ];
        environment.ckpt(&update).exits(0);
        run(&environment, "complete implement/auth", 0);
        run(&environment, "archive implement/auth", 0);
    };
    finish("precious");
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    finish("second");
    // It was only in the git directory by then.
    run(&environment, "recover", 0);
    let everything = run(&environment, "archive", 0);
    assert_eq!(everything.lines().count(), 2, "{everything}");
    run(&environment, "rename implement/auth implement/auth-2", 0);
    run(&environment, "delete implement/auth-2", 0);
    run(&environment, "unarchive implement/auth", 0);
    // Another tool writes a file in the place of an archived one.
    run(&environment, "archive implement/auth", 0);
    environment.write(
        AUTH,
        r#"{"version": 1, "command": "implement", "feature": "auth"}"#,
    );
    run(&environment, "complete implement/auth --force", 0);
    let log = run(&environment, "log implement/auth", 0);
    assert!(
        log.contains("edited by another program") && log.contains("started"),
        "{log}"
    );
}

#[test]
fn a_checkout_that_puts_an_archived_document_back_loses_no_history() {
    let environment = finished();
    environment.git(&["add", "--force", ".claude/skills"]);
    environment.commit("pipelines");
    run(&environment, "archive PRD-001", 0);
    let before = run(&environment, "log PRD-001", 0);
    environment.git(&["checkout", "--", "."]);
    run(&environment, "archive --completed", 0);
    let after = run(&environment, "log PRD-001", 0);
    for line in before.lines() {
        let told = line.split_once('Z').unwrap().1;
        assert!(
            after.contains(told.trim_start_matches("  ").trim()),
            "{after}"
        );
    }
}

#[test]
fn what_is_archived_is_renamed_deleted_and_told_with_everything_else() {
    let environment = finished();
    run(&environment, "archive --completed", 0);
    let log = run(&environment, "log", 0);
    assert!(
        log.contains("implement/auth") && log.contains("PRD-001"),
        "{log}"
    );
    run(&environment, "rename implement/auth implement/other", 0);
    let shown = run(&environment, "show implement/other", 0);
    assert!(shown.contains("✓ build"), "{shown}");
    run(&environment, "delete PRD-001", 0);
    let everything = run(&environment, "archive", 0);
    assert!(everything.contains("PRD-001"), "{everything}");
}

#[test]
fn a_change_that_waits_while_its_checkpoint_is_archived_loses_nothing() {
    let environment = Environment::started_with("build,test");
    for round in 0..20 {
        let summary = format!("round {round}");
        thread::scope(|scope| {
            let environment = &environment;
            scope.spawn(move || {
                let update = ["phase", "implement/auth", "build", "in_progress"];
                environment
                    .ckpt(&[&update[..], &["--summary", &summary]].concat())
                    .exits(0);
            });
            // It may come first, or last.
            environment.ckpt(&["archive", "implement/auth", "--force"]);
        });
        let log = run(&environment, "log implement/auth -n 1000", 0);
        let updates = log.lines().filter(|line| line.contains("build")).count();
        assert_eq!(updates, round + 1, "{log}");
    }
}
