//! `ckpt recover`: one command for every kind of loss.

use std::fs;
use std::path::PathBuf;
use std::thread;

use crate::support::environment::{AUTH, Environment};
use crate::support::strace::{strace_works, tampered};

const PLAN: &str = "plans/260220-1149-login/plan.md";
const STATE: &str = "plans/260220-1149-login/.checkpoint";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n- [ ] Seed <!-- TASK: seed -->\n";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

/// A command and a plan, both at work.
fn busy() -> Environment {
    let environment = Environment::started_with("build");
    run(&environment, "phase implement/auth build complete", 0);
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    run(&environment, "plan done schema", 0);
    environment
}

fn remove(environment: &Environment, name: &str) {
    let path = environment.path(name);
    match path.is_dir() {
        true => fs::remove_dir_all(path).unwrap(),
        false => fs::remove_file(path).unwrap(),
    }
}

/// The path of a copy in the git directory.
fn copy_of(environment: &Environment, name: &str) -> PathBuf {
    let mirror = environment.path(".git/ckpt/mirror");
    let worktree = fs::read_dir(mirror).unwrap().next().unwrap().unwrap();
    worktree.path().join(name)
}

#[test]
fn status_says_that_what_there_was_is_missing() {
    let environment = Environment::started();
    remove(&environment, ".claude");
    assert_eq!(
        run(&environment, "status", 0),
        "Nothing in flight, but something is missing. Bring everything back with: ckpt recover\n"
    );
    run(&environment, "recover", 0);
    assert!(run(&environment, "status", 0).contains("implement/auth"));
}

#[test]
fn where_nothing_is_in_flight_what_a_worktree_left_is_offered() {
    let environment = Environment::new();
    let began = |worktree: &str, lines: &[&str]| {
        let path = format!("../{worktree}");
        environment.git(&["worktree", "add", "--quiet", &path]);
        let tree = environment.base().join(worktree);
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            environment.ckpt_in(&tree, &words).exits(0);
        }
        environment.git(&["worktree", "remove", "--force", &path]);
    };
    let first_lines = || {
        ["resume", "status"].map(|command| {
            let said = run(&environment, command, 0);
            said.lines().nth(1).unwrap_or_default().to_owned()
        })
    };
    began(
        "done",
        &["start design icons", "complete design/icons --force"],
    );
    assert_eq!(first_lines(), ["", ""], "nothing was in flight");
    began("site", &["start design theme"]);
    let offer = "which is gone: bring it back here with: ckpt recover design/theme";
    for line in first_lines() {
        assert!(line.starts_with("design/theme of the worktree "), "{line}");
        assert!(line.ends_with(offer), "{line}");
    }
    let report = environment.ckpt(&["resume", "--json"]).exits(0).json();
    assert!(report["text"].as_str().unwrap().contains(offer), "{report}");
    began("more", &["start design fonts"]);
    for line in first_lines() {
        assert!(
            line.contains("design/theme") && line.contains("design/fonts"),
            "{line}"
        );
        assert!(line.ends_with("with: ckpt recover KEY"), "{line}");
    }
    run(&environment, "recover design/theme", 0);
    for command in ["resume", "status"] {
        let said = run(&environment, command, 0);
        assert!(!said.contains("design/fonts"), "{said}");
    }
}

#[test]
fn a_plan_that_was_removed_is_missing_although_other_branches_have_it() {
    let environment = busy();
    environment.git(&["add", "plans"]);
    environment.git(&["commit", "--quiet", "--message", "Plan"]);
    environment.git(&["branch", "other"]);
    remove(&environment, "plans");
    let said = run(&environment, "recover", 0);
    assert!(said.contains("260220-1149-login is back"), "{said}");
    let shown = run(&environment, "plan show", 0);
    assert!(shown.contains("✓ Make the schema"), "{shown}");
}

#[test]
fn a_plan_of_a_removed_worktree_comes_back_by_name() {
    let environment = busy();
    environment.git(&["add", "plans"]);
    environment.git(&["commit", "--quiet", "--message", "Plan"]);
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    environment
        .ckpt_in(&site, &["plan", "done", "seed"])
        .exits(0);
    environment.git(&["worktree", "remove", "--force", "../site"]);
    let said = run(&environment, "recover 260220-1149-login", 0);
    assert!(said.contains("another 260220-1149-login"), "{said}");
    run(&environment, "rename 260220-1149-login 260220-1149-mine", 0);
    let said = run(&environment, "recover 260220-1149-login", 0);
    assert!(said.contains("is back from the worktree"), "{said}");
    let shown = run(&environment, "plan show --plan 260220-1149-login", 0);
    assert!(shown.contains("✓ Seed"), "{shown}");
}

#[test]
fn our_own_change_is_no_edit_of_another_program_after_its_line_was_torn() {
    for has_copies in [true, false] {
        let environment = busy();
        let history = environment.state("history/command/implement-auth.jsonl");
        let whole = fs::read_to_string(&history).unwrap();
        fs::write(&history, &whole[..whole.len() - 100]).unwrap();
        if !has_copies {
            remove(&environment, ".git/ckpt/mirror");
        }
        run(&environment, "phase implement/auth test complete", 0);
        let told = run(&environment, "log implement/auth", 0);
        let scene = format!("with copies: {has_copies}\n{told}");
        assert!(!told.contains("edited by another program"), "{scene}");
        assert!(told.contains("phase test"), "{scene}");
        assert_eq!(told.contains("phase build"), has_copies, "{scene}");
    }
}

#[test]
fn either_command_brings_back_whatever_a_plan_has_lost() {
    let losses: [&[&str]; 4] = [
        &[PLAN],
        &[STATE],
        &["plans/260220-1149-login"],
        &["plans/260220-1149-login/.checkpoint/state.json"],
    ];
    for line in [
        "recover 260220-1149-login",
        "plan recover --plan 260220-1149-login",
        "recover",
    ] {
        for lost in losses {
            let environment = busy();
            let (text, history) = (
                environment.read(PLAN),
                environment.read(&format!("{STATE}/history.jsonl")),
            );
            for name in lost {
                remove(&environment, name);
            }
            run(&environment, line, 0);
            let scene = format!("{line}, {lost:?}");
            assert_eq!(environment.read(PLAN), text, "{scene}");
            let found = environment.read(&format!("{STATE}/history.jsonl"));
            assert!(found.starts_with(&history), "{scene}");
            let next = run(&environment, "plan next", 0);
            assert!(next.contains("seed"), "{scene}: {next}");
        }
    }
}

#[test]
fn a_plan_without_its_text_says_how_it_comes_back() {
    let environment = busy();
    remove(&environment, PLAN);
    let said = run(&environment, "plan done seed", 4);
    assert!(said.contains("ckpt recover 260220-1149-login"), "{said}");
}

#[test]
fn a_missing_archive_is_named_and_comes_back_by_name() {
    let environment = busy();
    run(&environment, "complete implement/auth", 0);
    run(&environment, "archive implement/auth", 0);
    remove(&environment, ".claude");
    for line in ["resume", "doctor", "list", "show implement/auth"] {
        let words: Vec<&str> = line.split(' ').collect();
        let run = environment.ckpt(&words);
        let said = run.stdout + &run.stderr;
        assert!(
            said.contains("missing") && said.contains("ckpt recover implement/auth"),
            "{line}: {said}"
        );
    }
    let listed = environment.ckpt(&["list", "--json"]).exits(0).json();
    assert_eq!(listed["missing"][0], "command:implement/auth");
    let said = run(&environment, "recover implement/auth", 0);
    assert!(said.contains("ckpt unarchive implement/auth"), "{said}");
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("✓ build"), "{shown}");
    assert!(!environment.path(AUTH).exists(), "it is archived");
    let said = run(&environment, "list", 0);
    assert!(!said.contains("missing"), "{said}");
}

#[test]
fn the_archive_of_a_worktree_that_is_gone_comes_back_by_name() {
    let environment = Environment::started();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    for line in ["start design theme", "archive design/theme --force"] {
        let words: Vec<&str> = line.split(' ').collect();
        environment.ckpt_in(&site, &words).exits(0);
    }
    environment.git(&["worktree", "remove", "--force", "../site"]);
    for line in ["recover", "doctor"] {
        let said = run(&environment, line, 0);
        assert!(said.contains("ckpt recover design/theme"), "{line}: {said}");
    }
    let report = environment.ckpt(&["recover", "design/theme", "--json"]);
    let report = report.exits(0).json();
    assert_eq!(report["brought_back"][0]["archived"], true);
    assert!(report["brought_back"][0]["worktree"].is_string());
    run(&environment, "unarchive design/theme", 0);
    run(&environment, "show design/theme", 0);
}

#[test]
fn what_was_deleted_says_how_it_comes_back() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    run(&environment, "delete login --force", 0);
    for command in ["show", "log", "resume", "recover", "diff", "rename"] {
        for name in ["implement/auth", "260220-1149-login"] {
            let line = match command {
                "rename" => format!("rename {name} {name}-2"),
                _ => format!("{command} {name}"),
            };
            let is_read = ["show", "log", "diff"].contains(&command);
            let said = run(&environment, &line, if is_read { 0 } else { 3 });
            assert!(
                said.contains("was deleted") && said.contains(&format!("ckpt unarchive {name}")),
                "{line}: {said}"
            );
        }
    }
    run(&environment, "start implement auth", 0);
    let said = run(&environment, "show implement/auth", 0);
    assert!(!said.contains("deleted"), "{said}");
}

#[test]
fn what_another_process_brings_back_is_said_to_be_there() {
    for _ in 0..5 {
        let environment = busy();
        remove(&environment, ".claude");
        let recovered = thread::scope(|scope| {
            let recover = || environment.ckpt(&["recover", "implement/auth"]);
            let recovering = [scope.spawn(recover), scope.spawn(recover)];
            recovering.map(|recovering| recovering.join().unwrap())
        });
        let said: Vec<String> = recovered
            .iter()
            .map(|run| format!("{}{}", run.stdout, run.stderr))
            .collect();
        let back = said.iter().filter(|said| said.contains("is back")).count();
        assert_eq!(back, 1, "{said:?}");
    }
}

#[test]
fn a_dry_run_of_archiving_is_an_object_too() {
    let environment = busy();
    run(&environment, "complete implement/auth", 0);
    let words = ["archive", "--completed", "--dry-run", "--json"];
    let report = environment.ckpt(&words).exits(0).json();
    assert_eq!(report["format"], 1);
    assert_eq!(report["would_archive"][0], "command:implement/auth");
}

#[test]
fn where_nothing_is_found_what_is_missing_is_named() {
    let environment = busy();
    environment.write(
        "spec.md",
        "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n",
    );
    run(&environment, "pipeline init spec.md", 0);
    environment.git(&["clean", "-ffdxq"]);
    let plan = "ckpt recover 260220-1149-login";
    for (line, code, told) in [
        ("plan show", 3, plan),
        ("plan list", 0, plan),
        ("plan done schema", 3, plan),
        ("pipeline next", 3, "ckpt recover PRD-001"),
        ("pipeline show", 3, "ckpt recover PRD-001"),
        ("log", 0, "ckpt recover implement/auth"),
        ("archive", 0, "ckpt recover implement/auth"),
    ] {
        let said = run(&environment, line, code);
        assert!(
            said.contains("missing") && said.contains(told),
            "{line}: {said}"
        );
    }
    run(&environment, "start design theme", 0);
    let said = environment.ckpt(&["status"]).exits(0);
    assert!(said.stdout.contains("design/theme"), "{said}");
    assert!(
        said.stderr.contains("ckpt recover implement/auth"),
        "{said}"
    );
}

const SPEC: &str = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n";

#[test]
fn a_pipeline_or_a_plan_that_is_missing_is_found_by_its_name_alone() {
    for key in ["PRD-001", "260220-1149-login", "login"] {
        for line in [
            "archive --force KEY",
            "delete --force KEY",
            "rename KEY OTHER",
            "fork KEY OTHER",
            "abandon KEY --reason Later",
            "complete --force KEY",
            "undo KEY",
            "restore KEY 1",
        ] {
            let environment = busy();
            environment.write("spec.md", SPEC);
            run(&environment, "pipeline init spec.md", 0);
            run(&environment, "pipeline start PRD-001 WS1", 0);
            remove(&environment, ".claude");
            remove(&environment, "plans");
            let new = match key {
                "PRD-001" => "PRD-002",
                _ => "260220-1149-other",
            };
            let line = line.replace("KEY", key).replace("OTHER", new);
            let words: Vec<&str> = line.split(' ').collect();
            let done = environment.ckpt(&words);
            let said = done.stdout.clone() + &done.stderr;
            assert!(!said.contains("no checkpoint"), "{line}: {said}");
            assert!(said.contains("was missing, and is back"), "{line}: {said}");
        }
    }
}

#[test]
fn whatever_changes_a_deleted_pipeline_or_plan_says_what_became_of_it() {
    let environment = busy();
    environment.write("spec.md", SPEC);
    run(&environment, "pipeline init spec.md", 0);
    run(&environment, "delete PRD-001 --force", 0);
    run(&environment, "rename login 260220-1149-entry", 0);
    for line in [
        "archive KEY",
        "delete KEY",
        "rename KEY OTHER",
        "fork KEY OTHER",
        "abandon KEY --reason Later",
        "complete KEY",
        "undo KEY",
        "restore KEY 1",
        "recover KEY",
    ] {
        for (key, other, became) in [
            ("PRD-001", "PRD-002", "PRD-001 was deleted 20"),
            (
                "260220-1149-login",
                "260220-1149-other",
                "260220-1149-login was renamed to 260220-1149-entry 20",
            ),
        ] {
            let line = line.replace("KEY", key).replace("OTHER", other);
            let said = run(&environment, &line, 3);
            assert!(said.contains(became), "{line}: {said}");
        }
    }
}

#[test]
fn what_has_left_its_history_behind_comes_back_by_name() {
    let environment = busy();
    environment.write("spec.md", SPEC);
    run(&environment, "pipeline init spec.md", 0);
    let file = ".claude/skills/build-pipeline/checkpoints/PRD-001.json";
    let before = environment.read(file);
    remove(&environment, file);
    let said = run(&environment, "recover", 0);
    assert!(said.contains("nothing is missing"), "{said}");
    for line in [
        "show PRD-001",
        "pipeline show PRD-001",
        "pipeline start PRD-001 WS1",
        "resume --auto build",
        "resume --auto build PRD-001",
    ] {
        let said = run(&environment, line, 3);
        let back =
            "PRD-001 is not here, but its history is. Bring it back with: ckpt recover PRD-001";
        assert!(said.contains(back), "{line}: {said}");
    }
    let said = run(&environment, "recover PRD-001", 0);
    assert!(said.contains("PRD-001 is back, at revision 1"), "{said}");
    assert_eq!(environment.read(file), before);

    let text = environment.read(PLAN);
    remove(&environment, PLAN);
    remove(&environment, &format!("{STATE}/state.json"));
    let said = run(&environment, "show 260220-1149-login", 3);
    assert!(said.contains("ckpt recover 260220-1149-login"), "{said}");
    run(&environment, "recover 260220-1149-login", 0);
    assert_eq!(environment.read(PLAN), text);
}

const ABANDON: &str = "abandon review/old --reason=no";

/// An archived checkpoint whose archive is missing.
fn without_archive(end: &str) -> Environment {
    let environment = busy();
    run(&environment, "start review old", 0);
    run(&environment, end, 0);
    run(&environment, "archive review/old", 0);
    remove(&environment, ".claude");
    environment
}

#[test]
fn a_missing_archive_is_back_before_its_checkpoint_is_begun_anew() {
    let environment = without_archive(ABANDON);
    let said = run(&environment, "start review old", 0);
    assert!(
        said.contains("review/old was missing, and is back"),
        "{said}"
    );
    let log = run(&environment, "log review/old", 0);
    assert!(log.contains("brought back from the archive"), "{log}");
    assert!(log.contains("abandoned"), "{log}");
    let said = run(&environment, "start review new --json", 0);
    assert!(!said.contains("recovered"), "{said}");
}

#[test]
fn a_change_that_is_refused_leaves_the_archive_that_it_brought_back() {
    let environment = without_archive("complete review/old --force");
    let said = run(&environment, "start review old", 8);
    assert!(
        said.contains("review/old was missing, and is back"),
        "{said}"
    );
    assert!(run(&environment, "archive", 0).contains("review/old"));
}

#[test]
fn a_missing_archive_is_unarchived_by_its_name() {
    let environment = without_archive(ABANDON);
    run(&environment, "unarchive review/old", 0);
    let log = run(&environment, "log review/old", 0);
    assert!(log.contains("abandoned"), "{log}");
}

#[test]
fn a_line_that_cannot_be_read_is_not_carried_into_the_copy() {
    for (key, history, copy) in [
        (
            "implement/auth",
            ".claude/state/history/command/implement-auth.jsonl",
            "command/implement-auth.jsonl",
        ),
        (
            "260220-1149-login",
            &format!("{STATE}/history.jsonl"),
            "plan/260220-1149-login.jsonl",
        ),
    ] {
        for line in ["recover", &format!("recover {key}")] {
            let environment = busy();
            let whole = environment.read(history);
            environment.write(history, format!("{whole}garbage\n"));
            let said = run(&environment, line, 0);
            assert!(
                said.contains(&format!("the history of {key} is back")),
                "{said}"
            );
            let mirror = environment.path(".git/ckpt/mirror");
            let mut ids = fs::read_dir(mirror).unwrap();
            let id = ids.find_map(|id| Some(id.unwrap().path()).filter(|id| id.is_dir()));
            let copied = fs::read_to_string(id.unwrap().join(copy)).unwrap();
            let restored = environment.read(history);
            assert!(restored.starts_with(&whole) && copied.starts_with(&whole));
            assert!(!restored.contains("garbage") && !copied.contains("garbage"));
            let said = run(&environment, &format!("recover {key}"), 0);
            assert!(
                said.contains("is not damaged; nothing was changed"),
                "{said}"
            );
        }
    }
}

#[test]
fn what_a_damaged_copy_leads_to_is_brought_back_and_a_copy_that_leads_nowhere_is_named() {
    let environment = busy();
    run(&environment, "phase implement/auth test complete", 0);
    let copy = copy_of(&environment, "command/implement-auth.jsonl");
    let damaged = fs::read_to_string(&copy).unwrap();
    let count = damaged.lines().count();
    let last = damaged.lines().last().unwrap();
    fs::write(&copy, damaged.replace(last, "torn")).unwrap();
    remove(&environment, ".claude");
    let told = run(&environment, "recover implement/auth", 0);
    assert!(
        told.contains(&format!("at revision {}", count - 1)),
        "{told}"
    );
    assert!(
        told.contains(&format!("is damaged: line {count}")),
        "{told}"
    );
    for garbage in ["", "garbage\n"] {
        fs::write(&copy, garbage).unwrap();
        remove(&environment, ".claude");
        for (line, code) in [("recover", 0), ("recover implement/auth", 4), ("doctor", 0)] {
            let told = run(&environment, line, code);
            let named = told.contains("implement-auth is missing, and nothing can be rebuilt");
            assert!(named, "{line}: {told}");
            assert!(!told.contains("nothing is missing"), "{told}");
        }
        run(&environment, "start implement/auth", 0);
        run(&environment, "recover", 0);
    }
}

#[test]
fn the_command_that_restores_a_damaged_file_works_as_it_is_written() {
    let environment = Environment::started();
    environment.write(AUTH, "garbage");
    let told = run(&environment, "recover", 0);
    let (_, command) = told.split_once("restore it with: ckpt ").unwrap();
    assert_eq!(command.trim_end(), "recover implement/auth");
    run(&environment, command.trim_end(), 0);
    run(&environment, "show implement/auth", 0);
}

#[test]
fn what_is_said_to_free_the_name_of_a_damaged_archive_can_be_typed() {
    let environment = Environment::started_with("build");
    run(&environment, "start ship", 0);
    for (typed, file) in [
        ("implement/auth", "implement-auth"),
        ("ship", "ship-checkpoint"),
    ] {
        run(&environment, &format!("archive {typed} --force"), 0);
        let name = format!("archive/command/{file}.zst");
        fs::write(environment.state(&name), "garbage").unwrap();
        fs::write(copy_of(&environment, &name), "garbage").unwrap();
        let said = run(&environment, "recover", 0);
        let advice = said.split("ckpt delete ").nth(1).unwrap();
        let word = advice.split_whitespace().next().unwrap();
        assert_eq!(word, typed);
        run(&environment, &format!("delete {word}"), 0);
    }
}

#[test]
fn what_nothing_restores_of_a_history_is_told_alike_by_recover_and_doctor() {
    let key = "260220-1149-login";
    let history = format!("{STATE}/history.jsonl");
    let differ = "different lines in the history and in its copy of";
    for (torn, words) in [
        (None, differ),
        (Some("torn\n"), "cannot be read"),
        (Some(""), "somebody has changed line 2 of"),
    ] {
        let environment = busy();
        run(&environment, "plan note first --plan login", 0);
        run(&environment, "plan note second --plan login", 0);
        let text = environment.read(&history);
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let altered = lines[1].replace("\"ts\":\"20", "\"ts\":\"19");
        match torn {
            None => lines.swap(1, 2),
            Some("") => lines[1] = &altered,
            Some(torn) => lines[1] = torn,
        }
        let damaged = lines.concat();
        environment.write(&history, &damaged);
        if torn.is_some() {
            let copy = copy_of(&environment, "plan/260220-1149-login.jsonl");
            fs::write(copy, &damaged).unwrap();
        }
        for line in ["recover", "recover login", "plan recover", "doctor"] {
            let told = run(&environment, line, 0);
            let told_of_it = told.contains(words) && told.contains(key);
            assert!(told_of_it, "{line}: {told}");
            assert!(told.contains("Nothing needs to be done"), "{line}: {told}");
            for denial in ["not damaged", "nothing is missing"] {
                assert!(!told.contains(denial), "{line}: {told}");
            }
        }
        assert_eq!(environment.read(&history), damaged);
    }
}

#[test]
fn what_was_cut_off_while_it_was_archived_or_deleted_is_told_as_it_is() {
    if !strace_works() {
        return;
    }
    let environment = busy();
    let archive = ["archive", "implement/auth", "--force"];
    let died = tampered(&environment, &archive, "unlink", "signal=SIGKILL:when=1");
    assert_eq!(died.code, None, "{died}");
    environment.ckpt(&archive).exits(0);
    let listed = run(&environment, "archive", 0);
    assert!(!listed.contains("deleted"), "{listed}");
    let delete = ["delete", "260220-1149-login", "--force"];
    let died = tampered(&environment, &delete, "unlink", "signal=SIGKILL:when=2");
    assert_eq!(died.code, None, "{died}");
    assert!(!environment.path(PLAN).exists());
    let said = run(&environment, "recover", 0);
    assert!(
        said.contains("the deletion of 260220-1149-login was cut off"),
        "{said}"
    );
    assert!(!said.contains("nothing is missing"), "{said}");
    run(&environment, "recover 260220-1149-login", 0);
    assert!(environment.path(PLAN).exists());
}
