//! `ckpt archive`, `ckpt unarchive`, `ckpt delete` and `ckpt gc`.

use std::fs;
use std::path::PathBuf;
use std::thread;

use crate::support::environment::{AUTH, CKPT, Environment, Run};
use crate::support::strace::strace_works;
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
    let still = environment.ckpt(&["show", "PRD-001"]).exits(0);
    assert_eq!(still.stdout, shown);
    let note = "Bring it back with: ckpt unarchive PRD-001\n";
    assert!(still.stderr.starts_with("note: PRD-001 was archived 20"));
    assert!(still.stderr.ends_with(note), "{}", still.stderr);
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
fn a_dry_run_by_name_moves_nothing() {
    let environment = Environment::started_with("build");
    let refused = run(&environment, "archive implement/auth --dry-run", 4);
    assert!(refused.contains("still in flight"), "{refused}");
    let line = "archive implement/auth --force --dry-run";
    assert_eq!(run(&environment, line, 0), "implement/auth\n");
    let report = environment.ckpt(&[
        "archive",
        "implement/auth",
        "--force",
        "--dry-run",
        "--json",
    ]);
    let report = report.exits(0).json();
    assert_eq!(report["would_archive"][0], "command:implement/auth");
    assert!(environment.path(AUTH).exists() && !environment.path(ARCHIVE).exists());
    for missing in [
        "implement/nothing",
        "plan:nothing",
        "pipeline:nothing",
        "nothing",
    ] {
        let refused = run(&environment, &format!("archive {missing}"), 3);
        assert!(refused.starts_with("error: no "), "{refused}");
        for option in ["", " --force"] {
            let line = format!("archive {missing} --dry-run{option}");
            assert_eq!(run(&environment, &line, 3), refused, "{line}");
        }
    }
    run(&environment, "archive --dry-run", 2);
    run(&environment, "archive implement/auth --older-than 1h", 2);
    run(&environment, "archive implement/auth --completed", 2);
}

/// Where the files are that reports of a checkpoint name.
fn named_files(environment: &Environment, key: &str) -> Vec<PathBuf> {
    let json = |command: &str| environment.ckpt(&[command, key, "--json"]).exits(0).json();
    let reports = [
        json("show")["path"].take(),
        json("validate")["documents"][0]["path"].take(),
    ];
    reports
        .iter()
        .map(|path| PathBuf::from(path.as_str().unwrap()))
        .collect()
}

#[test]
fn what_is_in_flight_is_said_to_be_archived_and_only_files_that_exist_are_named() {
    let environment = Environment::started_with("build");
    let history = ".claude/state/history/command/implement-auth.jsonl";
    let before = environment.read(history);
    for key in ["implement/auth", "design/theme"] {
        environment.ckpt(&["start", "design", "theme"]).exits(0);
        assert!(
            named_files(&environment, key)
                .iter()
                .all(|path| path.exists())
        );
    }
    run(&environment, "archive implement/auth --force", 0);
    let check = |how: &str| {
        let shown = environment.ckpt(&["show", "implement/auth"]).exits(0);
        assert!(shown.stdout.contains("in flight"), "{how}");
        assert!(
            shown
                .stderr
                .starts_with("note: implement/auth was archived 20"),
            "{how}: {}",
            shown.stderr
        );
        let report = environment
            .ckpt(&["show", "implement/auth", "--json"])
            .exits(0)
            .json();
        assert!(report["archived"]["at"].is_string(), "{how}");
        for path in named_files(&environment, "implement/auth") {
            assert_eq!(path, environment.path(ARCHIVE), "{how}");
        }
    };
    check("whole");
    environment.write(history, &before);
    check("cut off before the history was removed");
    run(&environment, "delete design/theme --force", 0);
    for path in named_files(&environment, "design/theme") {
        assert!(path.exists(), "{}", path.display());
    }
}

#[test]
fn every_list_names_an_archive_that_does_not_say_what_it_holds() {
    let environment = Environment::started_with("build");
    run(&environment, "start design theme", 0);
    run(&environment, "archive implement/auth --force", 0);
    let whole = fs::read(environment.path(ARCHIVE)).unwrap();
    let lists = ["archive", "log", "log --search nobody-says-this", "list"];
    let check = |message: &str| {
        for line in lists {
            let told = run(&environment, line, 0);
            assert!(told.contains(message), "{line}: {told}");
            assert!(!told.contains("the archive is empty"), "{line}: {told}");
            let words: Vec<&str> = line.split(' ').chain(["--json"]).collect();
            let report = environment.ckpt(&words).exits(0).json();
            let unreadable = report["unreadable"][0].as_str().unwrap();
            assert!(unreadable.contains(message), "{line}: {unreadable}");
        }
        let doctor = run(&environment, "doctor", 1);
        let (what, next) = message.split_once(". ").unwrap();
        assert!(doctor.contains(what) && doctor.contains(next), "{doctor}");
        assert!(run(&environment, "log", 0).contains("design/theme"));
        assert!(run(&environment, "list", 0).contains("design/theme"));
    };
    let broken: [&[u8]; 3] = [b"", b"no archive", &whole[..whole.len() / 2]];
    for bytes in broken {
        fs::write(environment.path(ARCHIVE), bytes).unwrap();
        check(
            "implement-auth.zst is damaged. Restore it from its copy in the git directory with: ckpt recover",
        );
    }
    environment.without_copies();
    for bytes in broken {
        fs::write(environment.path(ARCHIVE), bytes).unwrap();
        check(
            "the archive of implement/auth is damaged, and no copy of it is whole. Free its name, and keep the file as it is, with: ckpt delete implement/auth",
        );
    }
    fs::write(environment.path(ARCHIVE), whole).unwrap();
    for line in lists {
        let told = run(&environment, line, 0);
        assert!(!told.contains("damaged"), "{line}: {told}");
    }
}

#[test]
fn what_is_archived_already_is_said_in_one_object_too() {
    let environment = Environment::started_with("build");
    run(&environment, "archive implement/auth --force", 0);
    for (line, list) in [
        ("archive implement/auth --json", "archived"),
        ("archive implement/auth --dry-run --json", "would_archive"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let run = environment.ckpt(&words).exits(0);
        assert!(run.stderr.contains("is archived already"), "{line}");
        assert!(run.json()[list].as_array().unwrap().is_empty(), "{line}");
    }
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
fn where_nothing_else_is_there_what_is_in_the_archive_is_named() {
    let environment = finished();
    run(&environment, "archive --completed", 0);
    let plan = "Bring it back with: ckpt unarchive 260220-1149-login; or create one with: ckpt plan new TITLE";
    let none = run(&environment, "plan next", 3);
    assert_eq!(
        none,
        format!("error: no plan found, but 260220-1149-login is in the archive. {plan}\n")
    );
    let none = run(&environment, "plan list", 0);
    assert!(none.ends_with(&format!("{plan}\n")), "{none}");
    let none = run(&environment, "pipeline next", 3);
    assert!(
        none.contains("PRD-001 is in the archive. Bring it back with: ckpt unarchive PRD-001;"),
        "{none}"
    );
    run(&environment, "plan undo schema --plan login", 0);
    run(&environment, "plan use login", 0);
    run(&environment, "archive login --force", 0);
    let chosen = run(&environment, "plan next", 3);
    assert!(
        chosen.contains("is in the archive. Bring it back with: ckpt unarchive 260220-1149-login,"),
        "{chosen}"
    );
    run(&environment, "plan use login", 0);
    run(&environment, "plan next", 0);
    run(&environment, "archive login --force", 0);
    environment.write("plans/260221-0900-two/plan.md", TEXT);
    run(&environment, "plan done schema --plan two", 0);
    run(&environment, "archive --completed", 0);
    run(&environment, "plan use --none", 0);
    let several = run(&environment, "plan next", 3);
    assert!(
        several.contains("2 are in the archive. See them with: ckpt archive;"),
        "{several}"
    );
}

#[test]
fn a_plan_that_is_deleted_or_renamed_leaves_no_empty_directory() {
    for (line, back) in [
        ("delete 260220-1149-login", "unarchive login"),
        (
            "rename 260220-1149-login plan:260220-1149-sign-in",
            "rename sign-in plan:260220-1149-login",
        ),
    ] {
        let environment = finished();
        let directory = environment.path("plans/260220-1149-login");
        run(&environment, line, 0);
        assert!(!directory.exists(), "{line}");
        run(&environment, back, 0);
        assert!(environment.path(PLAN).exists(), "{back}");
        assert_eq!(
            environment.read("plans/260220-1149-login/.checkpoint/.gitignore"),
            "*\n"
        );
        // What is the user's stays.
        environment.write("plans/260220-1149-login/sketch.txt", "a box");
        run(&environment, line, 0);
        assert_eq!(tree::contents(&directory, |_| false).len(), 1, "{line}");
        run(&environment, back, 0);
        environment.write("plans/260220-1149-login/.checkpoint/mine.txt", "a box");
        run(&environment, line, 0);
        assert!(directory.join(".checkpoint/mine.txt").exists(), "{line}");
    }
}

#[test]
fn a_refused_change_leaves_an_archived_checkpoint_in_the_archive() {
    let environment = finished();
    run(&environment, "archive --completed", 0);
    run(&environment, "archive design/theme --force", 0);
    let archive = environment.path(".claude/state/archive");
    let before = tree::listing(&archive);
    for (line, code) in [
        ("phase implement/auth buidl complete", 3),
        ("phase implement/auth build perhaps", 2),
        ("complete implement/auth", 0),
        ("restore implement/auth 99", 3),
        ("undo --session nobody", 3),
        ("undo design/theme", 3),
        // Nothing would change.
        ("restore design/theme 1", 0),
        ("delete design/theme", 4),
        ("rename design/theme implement/auth", 5),
        ("rename design/theme plan:theme", 2),
        ("pipeline gate pass PRD-001 nope", 8),
        ("pipeline start PRD-001 WS9", 8),
        ("restore PRD-001 99", 3),
        ("plan done nope --plan 260220-1149-login", 3),
        ("restore 260220-1149-login 99", 3),
    ] {
        run(&environment, line, code);
        tree::assert_unchanged(&archive, &before, line);
    }
    for bad in ["{\"command\":", "{\"command\":\"design\"}"] {
        let save = environment.ckpt_reading(bad, &["save", "implement/auth"]);
        save.exits(4);
        tree::assert_unchanged(&archive, &before, bad);
    }
    run(&environment, "undo implement/auth", 0);
    assert!(environment.path(AUTH).exists() && !environment.path(ARCHIVE).exists());
}

#[test]
fn what_is_deleted_can_be_brought_back_until_gc_removes_it() {
    let environment = finished();
    run(&environment, "delete 260220-1149-login", 0);
    assert!(!environment.path(PLAN).exists());
    run(&environment, "delete implement/auth", 0);
    assert!(run(&environment, "recover", 0).contains("nothing is missing"));
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

/// Damages an archive and the copy of it.
fn damage_both(environment: &Environment) -> Vec<u8> {
    let mut damaged = fs::read(environment.path(ARCHIVE)).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x10;
    fs::write(environment.path(ARCHIVE), &damaged).unwrap();
    fs::write(copy_of_archive(environment), &damaged).unwrap();
    damaged
}

fn copy_of_archive(environment: &Environment) -> PathBuf {
    let mirror = environment.path(".git/ckpt/mirror");
    let mut copies = tree::names(&mirror).into_iter();
    let copy = copies.find(|name| name.ends_with("archive/command/implement-auth.zst"));
    mirror.join(copy.unwrap())
}

#[test]
fn an_archive_that_nothing_restores_is_named_and_its_name_can_be_freed() {
    let environment = finished();
    run(&environment, "archive implement/auth", 0);
    let damaged = damage_both(&environment);
    for (line, code) in [
        ("recover", 0),
        ("recover implement/auth", 4),
        ("doctor", 1),
        ("doctor --fix", 1),
    ] {
        let said = run(&environment, line, code);
        assert!(
            said.contains("the archive of implement/auth is damaged, and no copy of it is whole"),
            "{line}: {said}"
        );
        assert!(
            said.contains("ckpt delete implement/auth"),
            "{line}: {said}"
        );
        assert!(!said.contains("nothing is missing"), "{line}: {said}");
    }
    let said = run(&environment, "start implement auth", 4);
    assert!(said.contains("ckpt recover"), "{said}");
    let deleted = environment.ckpt(&["delete", "implement/auth", "--json"]);
    let deleted = deleted.exits(0).json();
    let kept = deleted["kept_damaged"].as_str().unwrap();
    assert!(kept.contains("/archive/trash/command/"), "{kept}");
    assert_eq!(fs::read(environment.path(kept)).unwrap(), damaged);
    assert!(!environment.path(ARCHIVE).exists());
    run(&environment, "start implement auth", 0);
    let said = run(&environment, "doctor", 0);
    assert!(
        said.contains("healthy") && said.contains("the archive of implement/auth@20"),
        "{said}"
    );
    fs::remove_file(environment.path(kept)).unwrap();
    let said = run(&environment, "doctor", 0);
    assert!(
        !said.contains("damaged") && !said.contains("missing"),
        "{said}"
    );
    let copies = tree::names(&environment.path(".git/ckpt/mirror"));
    let aside = copies
        .iter()
        .filter(|name| name.contains("archive/trash/command/"));
    assert_eq!(aside.count(), 1, "{copies:?}");
}

#[test]
fn an_archive_that_is_gone_and_whose_copy_is_damaged_can_be_given_up() {
    let environment = finished();
    run(&environment, "archive implement/auth", 0);
    damage_both(&environment);
    fs::remove_file(environment.path(ARCHIVE)).unwrap();
    for (line, code) in [("recover", 0), ("recover implement/auth", 4), ("doctor", 0)] {
        let said = run(&environment, line, code);
        assert!(
            said.contains("is missing, and its copy is damaged")
                && said.contains("ckpt delete implement/auth"),
            "{line}: {said}"
        );
    }
    run(&environment, "delete implement/auth", 0);
    let said = run(&environment, "recover", 0);
    assert!(said.contains("nothing is missing"), "{said}");
}

#[test]
fn a_damaged_archive_or_copy_is_restored_from_the_other_one() {
    for line in ["recover", "doctor --fix", "recover implement/auth"] {
        for is_copy in [false, true] {
            if is_copy && line.ends_with("auth") {
                continue;
            }
            let environment = finished();
            run(&environment, "archive implement/auth", 0);
            let (archive, copy) = (environment.path(ARCHIVE), copy_of_archive(&environment));
            let whole = fs::read(&archive).unwrap();
            damage_both(&environment);
            let intact = match is_copy {
                true => &archive,
                false => &copy,
            };
            fs::write(intact, &whole).unwrap();
            let said = run(&environment, "doctor", i32::from(!is_copy));
            assert!(said.contains("implement-auth.zst"), "{said}");
            assert_eq!(said.contains("the copy of"), is_copy, "{said}");
            run(&environment, line, 0);
            assert_eq!(fs::read(&archive).unwrap(), whole, "{line}, {is_copy}");
            assert_eq!(fs::read(&copy).unwrap(), whole, "{line}, {is_copy}");
        }
    }
}

#[test]
fn a_gate_that_a_person_must_remove_stays_when_its_archive_is_damaged() {
    let environment = Environment::started_with("build");
    run(&environment, "config set --user approvals person", 0);
    run(&environment, "gate set implement/auth --block no", 0);
    run(&environment, "archive implement/auth --force", 0);
    let damaged = damage_both(&environment);
    let said = run(&environment, "delete implement/auth", 6);
    assert!(said.contains("only a person"), "{said}");
    assert_eq!(fs::read(environment.path(ARCHIVE)).unwrap(), damaged);
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
    assert!(said.contains("archived elsewhere"), "{said}");
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
    // Another tool begins one of the same name.
    environment.write(
        AUTH,
        r#"{"version": 1, "command": "implement", "feature": "auth", "by": "another"}"#,
    );
    finish("second");
    // It was only in the git directory by then.
    run(&environment, "recover", 0);
    let everything = run(&environment, "archive", 0);
    assert_eq!(everything.lines().count(), 2, "{everything}");
    run(&environment, "rename implement/auth implement/auth-2", 0);
    run(&environment, "delete implement/auth-2", 0);
    run(&environment, "unarchive implement/auth", 0);
    // It also writes a file in the place of an archived one.
    run(&environment, "archive implement/auth", 0);
    environment.write(
        AUTH,
        r#"{"version": 1, "command": "implement", "feature": "auth"}"#,
    );
    run(&environment, "complete implement/auth --force", 0);
    let log = run(&environment, "log implement/auth", 0);
    assert!(
        log.contains("edited by another program") && log.contains("found as it was"),
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

#[test]
fn nothing_is_archived_while_the_key_cannot_be_read() {
    if !strace_works() {
        return;
    }
    let environment = Environment::started();
    let before = environment.document("implement-auth");
    let key = environment.path(".git/ckpt/key");
    for change in ["archive", "delete"] {
        let mut command = environment.command("strace");
        command.args(["-o", "/dev/null", "-P"]).arg(&key);
        command.args(["-e", "inject=openat,?openat2:error=EACCES", CKPT]);
        let run = Run::of(command.args([change, "implement/auth", "--force"])).exits(1);
        assert!(run.stderr.contains("ckpt/key cannot be read"), "{run}");
        assert_eq!(environment.document("implement-auth"), before, "{change}");
        assert!(!environment.state("archive").exists(), "{change}");
    }
}

#[test]
fn a_document_that_somebody_has_put_back_has_the_history_of_its_archive() {
    let environment = finished();
    let document = environment.read(AUTH);
    let before = run(&environment, "log implement/auth", 0);
    run(&environment, "archive implement/auth", 0);
    environment.write(AUTH, &document);
    let log = run(&environment, "log implement/auth", 0);
    assert!(log.ends_with(&before), "{log}");
    run(&environment, "phase implement/auth more complete --new", 0);
    let log = run(&environment, "log implement/auth", 0);
    assert!(log.ends_with(&before), "{log}");
}
