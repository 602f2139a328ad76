//! `ckpt recover`: one command for every kind of loss.

use std::fs;
use std::thread;

use crate::support::environment::{AUTH, Environment};

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
            let said = run(&environment, &line, 3);
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
