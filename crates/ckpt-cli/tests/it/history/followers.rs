//! Followers are told everything that happens, in order and at least once, whatever is killed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::environment::{CKPT, Environment};
use crate::support::process::without_workers;
use crate::support::strace::{CALLS, MOST_CALLS, strace_works, tampered, was_tampered};
use crate::support::tree;
use crate::support::unprivileged::{is_root, unprivileged};

/// Longer than any worker takes.
const PATIENCE: Duration = Duration::from_secs(20);

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

/// A repository with a follower `audit`, and the file that it appends to.
fn followed() -> (Environment, PathBuf) {
    let environment = Environment::new();
    let file = environment.base().join("audit.jsonl");
    run(&environment, "followers add audit --to ../audit.jsonl", 0);
    (environment, file)
}

/// The lines of a follower's file. One that was cut off is no line.
fn told(file: &PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// What a line says besides where it is from.
fn bare(line: &Value) -> Value {
    let mut line = line.clone();
    for name in ["checkpoint", "worktree"] {
        line.as_object_mut().unwrap().remove(name);
    }
    line
}

/// The lines of each checkpoint, each once, in the order in which they were told first.
fn by_checkpoint(lines: &[Value]) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in lines {
        let about = line["checkpoint"].as_str().unwrap().to_owned();
        let known = found.entry(about).or_default();
        let line = bare(line);
        if !known.contains(&line) {
            known.push(line);
        }
    }
    found
}

/// The lines of a history.
fn recorded(environment: &Environment, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(environment.state("history").join(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn events(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect()
}

#[test]
fn a_change_is_told_in_the_background() {
    let (environment, file) = followed();
    run(&environment, "start implement auth --phases a,b", 0);
    run(&environment, "phase implement/auth a complete", 0);
    wait_until("it is told", || told(&file).len() == 2);
    let lines = told(&file);
    assert_eq!(events(&lines), ["checkpoint_started", "phase_updated"]);
    assert_eq!(lines[0]["checkpoint"], "command:implement/auth");
    wait_until("its report is kept", || {
        run(&environment, "followers", 0).contains("told everything, last told just now")
    });
    // What happened before is told on request.
    run(
        &environment,
        "followers add again --to ../again.jsonl --all",
        0,
    );
    let again = environment.base().join("again.jsonl");
    wait_until("it is told from the beginning", || told(&again) == lines);
    let mode = tree::mode(&file);
    assert_eq!(mode, 0o600);
}

#[test]
fn changes_in_linked_worktrees_and_by_hooks_are_told_too() {
    let (environment, file) = followed();
    let tree = environment.linked_worktree();
    environment
        .ckpt_in(&tree, &["start", "review", "ui"])
        .exits(0);
    wait_until("the worktree is told", || told(&file).len() == 1);
    let plan = "plans/260220-1149-login/plan.md";
    environment.write(plan, "# Login\n- [ ] Form <!-- TASK: form -->\n");
    run(&environment, "plan sync", 0);
    environment.write(plan, "# Login\n- [x] Form <!-- TASK: form -->\n");
    let event = format!(
        r#"{{"hook_event_name": "PostToolUse", "session_id": "s1", "cwd": {root:?}, "tool_name": "Edit",
        "tool_input": {{"file_path": {path:?}}}}}"#,
        root = environment.root(),
        path = environment.path(plan)
    );
    environment
        .ckpt_reading(event, &["hook", "claude"])
        .exits(0);
    wait_until("the hook is told", || {
        events(&told(&file)).contains(&"task_completed")
    });
    let worktrees: Vec<Value> = told(&file)
        .iter()
        .map(|line| line["worktree"].clone())
        .collect();
    assert_ne!(worktrees.first(), worktrees.last());
}

#[test]
fn a_worker_that_is_killed_at_any_system_call_loses_nothing() {
    if !strace_works() {
        return;
    }
    let (environment, file) = followed();
    let _guards = without_workers(&environment);
    run(&environment, "start implement auth --phases a,b", 0);
    run(&environment, "followers run audit --once", 0);
    run(&environment, "phase implement/auth a complete", 0);
    run(&environment, "start ship", 0);
    let followers = environment.path(".git/ckpt/followers");
    let kept = environment.base().join("kept");
    tree::copy(&followers, &kept);
    let before = fs::read(&file).unwrap();
    let expected = BTreeMap::from([
        (
            "command:implement/auth".to_owned(),
            recorded(&environment, "command/implement-auth.jsonl"),
        ),
        (
            "command:ship".to_owned(),
            recorded(&environment, "command/ship-checkpoint.jsonl"),
        ),
    ]);
    let mut kills = 0;
    for call in CALLS {
        for at in 1..MOST_CALLS {
            fs::remove_dir_all(&followers).unwrap();
            tree::copy(&kept, &followers);
            fs::write(&file, &before).unwrap();
            let how = format!("signal=SIGKILL:when={at}");
            let line = ["followers", "run", "audit", "--once"];
            tampered(&environment, &line, call, &how);
            if !was_tampered(&environment) {
                break;
            }
            kills += 1;
            run(&environment, "followers run audit --once", 0);
            let lines = told(&file);
            assert_eq!(by_checkpoint(&lines), expected, "{call} {at}");
            assert!(lines.len() <= 5, "{call} {at}: {lines:#?}");
        }
    }
    assert!(kills > 40, "only {kills} kills");
}

#[test]
fn a_change_is_told_although_one_before_it_died_while_it_looked_for_a_worker() {
    if !strace_works() {
        return;
    }
    let (environment, file) = followed();
    run(&environment, "start implement auth --phases a,b", 0);
    wait_until("it is told", || told(&file).len() == 1);
    // The worker is gone then.
    drop(without_workers(&environment));
    let workers = environment.path(".git/ckpt/followers/.workers");
    let worker = fs::read_dir(workers).unwrap().next().unwrap().unwrap();
    let mut strace = environment.command("strace");
    strace.arg("-o").arg(environment.base().join("trace"));
    strace.arg("-P").arg(worker.path().join("lock"));
    strace.args(["-e", "trace=write,close"]);
    strace.args(["-e", "inject=write,close:delay_enter=3000000:when=1"]);
    strace.arg(CKPT);
    strace.args(["phase", "implement/auth", "a", "complete"]);
    let mut strace = strace.stderr(Stdio::null()).spawn().unwrap();
    wait_until("it is recorded", || {
        recorded(&environment, "command/implement-auth.jsonl").len() == 2
    });
    // It has found out by then whether a worker is at work, and is held up.
    thread::sleep(Duration::from_millis(500));
    run(&environment, "phase implement/auth b complete", 0);
    let children = format!("/proc/{0}/task/{0}/children", strace.id());
    let dying = fs::read_to_string(children).unwrap();
    let mut kill = environment.command("kill");
    assert!(
        kill.args(["-KILL", dying.trim()])
            .status()
            .unwrap()
            .success()
    );
    strace.wait().unwrap();
    wait_until("both are told", || told(&file).len() == 3);
}

#[test]
fn a_worker_stays_while_another_process_tells_its_follower() {
    let (environment, file) = followed();
    run(&environment, "start implement auth --phases a,b", 0);
    wait_until("it is told", || told(&file).len() == 1);
    let cursors = environment.path(".git/ckpt/followers/audit");
    let cursors = fs::read_dir(cursors).unwrap().next().unwrap().unwrap();
    let lock = File::open(cursors.path().join("lock")).unwrap();
    lock.lock().unwrap();
    run(&environment, "phase implement/auth a complete", 0);
    // Longer than a worker stays that has nothing to tell.
    thread::sleep(Duration::from_secs(3));
    assert_eq!(told(&file).len(), 1);
    drop(lock);
    wait_until("it is told then", || told(&file).len() == 2);
}

/// A process that tells `audit` until it is killed.
fn teller(environment: &Environment) -> Child {
    let mut command = environment.command(CKPT);
    command.args(["followers", "run", "audit"]);
    command.stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn what_a_crowd_does_arrives_in_order_although_workers_are_killed() {
    let (environment, file) = followed();
    run(&environment, "start implement auth --phases a,b,c,d", 0);
    run(&environment, "start review ui --phases a,b,c,d", 0);
    thread::scope(|scope| {
        for (writer, phase) in ["a", "b", "c", "d"].into_iter().enumerate() {
            let environment = &environment;
            scope.spawn(move || {
                let key = ["implement/auth", "review/ui"][writer % 2];
                for round in 0..25 {
                    let summary = format!("round {round}");
                    let update = ["phase", key, phase, "in_progress", "--summary", &summary];
                    environment.ckpt(&update).exits(0);
                }
            });
        }
        for round in 0..10 {
            let mut teller = teller(&environment);
            thread::sleep(Duration::from_millis(20 + 15 * round));
            teller.kill().unwrap();
            teller.wait().unwrap();
        }
    });
    run(&environment, "phase review/ui a complete", 0);
    let expected = BTreeMap::from([
        (
            "command:implement/auth".to_owned(),
            recorded(&environment, "command/implement-auth.jsonl"),
        ),
        (
            "command:review/ui".to_owned(),
            recorded(&environment, "command/review-ui.jsonl"),
        ),
    ]);
    wait_until("everything is told", || {
        by_checkpoint(&told(&file)) == expected
    });
    // Only what was in flight when a teller died is told twice.
    let lines = told(&file);
    let once: usize = expected.values().map(Vec::len).sum();
    assert!(lines.len() <= once * 2, "{} lines for {once}", lines.len());
}

#[test]
fn a_reader_that_goes_away_gets_the_rest_later() {
    let environment = Environment::started_with("a,b");
    run(&environment, "followers add pipe --all", 0);
    for summary in ["one", "two", "three"] {
        let line = format!("phase implement/auth a in_progress --summary {summary}");
        run(&environment, &line, 0);
    }
    let mut command = environment.command(CKPT);
    let mut child = command
        .args(["followers", "run", "pipe"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    assert!(first.contains("checkpoint_started"), "{first}");
    drop(reader);
    run(&environment, "phase implement/auth a complete", 0);
    wait_until("it ends", || child.try_wait().unwrap().is_some());
    let rest = run(&environment, "followers run pipe --once", 0);
    assert!(rest.contains(r#""status":"complete""#), "{rest}");
    assert_eq!(run(&environment, "followers run pipe --once", 0), "");
}

#[test]
fn json_is_one_object_with_all_lines() {
    let environment = Environment::started_with("a,b");
    run(&environment, "followers add pipe --all", 0);
    run(&environment, "followers add audit --to ../audit.jsonl", 0);
    let _guards = without_workers(&environment);
    run(&environment, "phase implement/auth a complete", 0);
    let once = |name: &str| {
        let line = ["followers", "run", name, "--once", "--json"];
        environment.ckpt(&line).exits(0).json()
    };
    let endless = environment.ckpt(&["followers", "run", "pipe", "--json"]);
    let endless = endless.exits(2).json();
    let hint = endless["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("Add --once"), "{hint}");
    let report = once("pipe");
    let lines = report["told"].as_array().unwrap();
    assert_eq!(events(lines), ["checkpoint_started", "phase_updated"]);
    assert_eq!(lines[0]["checkpoint"], "command:implement/auth");
    let recorded = recorded(&environment, "command/implement-auth.jsonl");
    assert_eq!(lines.iter().map(bare).collect::<Vec<_>>(), recorded);
    assert_eq!(report["lines"], 2);
    let report = once("pipe");
    assert_eq!(
        (&report["lines"], &report["told"]),
        (&0.into(), &Value::Array(Vec::new()))
    );
    // What goes to a file is only counted.
    let report = once("audit");
    assert_eq!(
        (&report["lines"], &report["told"]),
        (&1.into(), &Value::Null)
    );
}

#[test]
fn an_object_that_nobody_reads_is_not_told() {
    let environment = Environment::started_with("a,b");
    run(&environment, "followers add pipe --all", 0);
    let mut command = environment.command(CKPT);
    command.args(["followers", "run", "pipe", "--once", "--json"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert!(command.stdout(writer).status().unwrap().success());
    let told = run(&environment, "followers run pipe --once", 0);
    assert!(told.contains("checkpoint_started"), "{told}");
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_nothing_is_lost() {
    let environment = Environment::started_with("a,b");
    let directory = environment.base().join("logs");
    fs::create_dir(&directory).unwrap();
    run(
        &environment,
        "followers add audit --to ../logs/audit.jsonl",
        0,
    );
    fs::remove_dir_all(&directory).unwrap();
    run(&environment, "phase implement/auth a complete", 0);
    wait_until("the failure is noted", || {
        run(&environment, "followers", 0).contains("failed at")
    });
    let shown = run(&environment, "followers", 0);
    assert!(shown.contains("1 line behind"), "{shown}");
    assert!(shown.contains("No such file or directory"), "{shown}");
    let doctor = environment.ckpt(&["doctor"]);
    assert!(
        doctor.stdout.contains("audit could not be told"),
        "{}",
        doctor.stdout
    );
    fs::create_dir(&directory).unwrap();
    run(&environment, "followers run audit --once", 0);
    let lines = told(&directory.join("audit.jsonl"));
    assert_eq!(events(&lines), ["phase_updated"]);
    let shown = run(&environment, "followers", 0);
    assert!(shown.contains("told everything"), "{shown}");
    assert!(!shown.contains("failed"), "{shown}");
}

#[test]
fn where_the_git_directory_cannot_be_written_changes_succeed_and_the_reason_is_told() {
    let (environment, file) = followed();
    run(&environment, "start implement auth --phases a,b", 0);
    wait_until("it is told", || told(&file).len() == 1);
    let git = environment.path(".git/ckpt");
    if is_root(&environment) && unprivileged(&environment, &["list"]).is_none() {
        eprintln!("skipped: cannot run as another user");
        return;
    }
    wait_until("the worker is gone", || {
        without_workers(&environment);
        true
    });
    let modes = tree::make_read_only(&git);
    let change = ["phase", "implement/auth", "a", "complete"];
    let changed = unprivileged(&environment, &change).unwrap();
    let mut shown = String::new();
    for _ in 0..200 {
        let run = unprivileged(&environment, &["followers"]).unwrap();
        shown = run.stdout + &run.stderr;
        if shown.contains("failed at") {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    tree::restore_modes(&modes);
    changed.exits(0);
    assert!(shown.contains("1 line behind"), "{shown}");
    assert!(shown.contains("Permission denied"), "{shown}");
}

#[test]
fn what_was_archived_or_deleted_meanwhile_is_told_all_the_same() {
    let environment = Environment::started_with("a,b");
    run(&environment, "followers add slow", 0);
    run(&environment, "phase implement/auth a complete", 0);
    run(&environment, "archive implement/auth --force", 0);
    run(&environment, "unarchive implement/auth", 0);
    run(&environment, "delete implement/auth --force", 0);
    run(&environment, "start implement auth", 0);
    let told = run(&environment, "followers run slow --once", 0);
    let lines: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected = [
        "phase_updated",
        "archived",
        "unarchived",
        "deleted",
        "checkpoint_started",
    ];
    assert_eq!(events(&lines), expected);
}

#[test]
fn mistakes_are_named() {
    let (environment, _) = followed();
    let missing = run(&environment, "followers run nobody --once", 3);
    assert!(
        missing.contains("no follower nobody. There are: audit"),
        "{missing}"
    );
    let taken = run(&environment, "followers add audit", 5);
    assert!(taken.contains("ckpt followers remove audit"), "{taken}");
    run(&environment, "followers add Audit", 2);
    let unwritable = run(
        &environment,
        "followers add other --to ../none/audit.jsonl",
        1,
    );
    assert!(unwritable.contains("cannot append to"), "{unwritable}");
    for inside in [
        "audit.jsonl",
        ".git/config",
        ".claude/state/ship-checkpoint.json",
    ] {
        let line = format!("followers add inside --to {inside}");
        let refused = run(&environment, &line, 2);
        assert!(refused.contains("is in the repository"), "{refused}");
    }
    run(&environment, "followers remove audit", 0);
    let none = run(&environment, "followers", 0);
    assert!(none.contains("nobody follows this repository"), "{none}");
}

#[test]
fn a_clone_brings_no_follower() {
    let (environment, file) = followed();
    let target = environment.base().join("clone");
    let target = target.to_str().unwrap();
    environment.git(&["clone", "--quiet", ".", target]);
    environment.ckpt_in(target, &["start", "ship"]).exits(0);
    let shown = environment.ckpt_in(target, &["followers"]).exits(0);
    assert!(shown.stderr.contains("nobody follows"), "{}", shown.stderr);
    thread::sleep(Duration::from_millis(200));
    assert!(told(&file).is_empty());
}

#[test]
fn the_list_counts_what_is_to_be_told_in_every_worktree() {
    let environment = Environment::started_with("a,b");
    run(&environment, "followers add pipe", 0);
    let tree = environment.linked_worktree();
    environment
        .ckpt_in(&tree, &["start", "review", "ui"])
        .exits(0);
    run(&environment, "phase implement/auth a complete", 0);
    let shown = run(&environment, "followers", 0);
    assert!(shown.contains("2 lines behind in 2 checkpoints"), "{shown}");
    run(&environment, "followers run pipe --once", 0);
    let report = environment.ckpt(&["followers", "--json"]).exits(0).json();
    let pipe = &report["followers"][0];
    assert_eq!(pipe["behind"], 1);
    assert_eq!(pipe["elsewhere"][0]["behind"], 1);
    // The command that it names tells the rest.
    let shown = run(&environment, "followers", 0);
    let line = shown.lines().find(|line| line.contains("tell it with: "));
    let command = line.and_then(|line| line.split("ckpt ").nth(1)).unwrap();
    let told = run(&environment, command, 0);
    assert!(told.contains("command:review/ui"), "{told}");
    let shown = run(&environment, "followers", 0);
    assert!(shown.contains("told everything"), "{shown}");
}

#[test]
fn what_is_left_in_the_mirror_after_the_state_was_removed_is_counted_and_told() {
    let environment = Environment::started_with("a,b");
    run(&environment, "start ship", 0);
    run(&environment, "followers add pipe", 0);
    run(&environment, "phase implement/auth a complete", 0);
    run(&environment, "delete ship --force", 0);
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    let shown = run(&environment, "followers", 0);
    assert!(shown.contains("2 lines behind in 2 checkpoints"), "{shown}");
    let told = run(&environment, "followers run pipe --once", 0);
    assert_eq!(told.lines().count(), 2, "{told}");
    for event in ["phase_updated", "deleted"] {
        assert!(told.contains(event), "{told}");
    }
    let shown = run(&environment, "followers", 0);
    assert!(shown.contains("told everything"), "{shown}");
    run(&environment, "recover", 0);
    let told = run(&environment, "followers run pipe --once", 0);
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("recovered"), "{told}");
}

#[test]
fn what_a_worktree_left_that_is_gone_is_told_under_its_key_and_filtered() {
    let environment = Environment::new();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    run(
        &environment,
        "followers add f --checkpoint implement/auth",
        0,
    );
    for line in ["start ship", "start implement auth", "start review x"] {
        let words: Vec<&str> = line.split(' ').collect();
        environment.ckpt_in(&site, &words).exits(0);
    }
    environment.git(&["worktree", "remove", "--force", "../site"]);
    let told = environment
        .ckpt(&["followers", "run", "f", "--once"])
        .exits(0);
    let lines: Vec<Value> = told
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 1, "{told}");
    assert_eq!(lines[0]["checkpoint"], "command:implement/auth");
}

#[test]
fn a_checkpoint_that_is_not_there_yet_can_be_followed() {
    let environment = Environment::new();
    let said = run(&environment, "followers add f --checkpoint PRD-001", 0);
    assert!(said.contains("there is no pipeline:PRD-001 yet"), "{said}");
    environment.write(
        "spec.md",
        "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n",
    );
    run(&environment, "pipeline init spec.md", 0);
    let told = run(&environment, "followers run f --once", 0);
    assert!(told.contains("pipeline:PRD-001"), "{told}");
}
