//! One plan in several worktrees: a claim in one of them is respected in all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::agent::{Agent, becomes};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::planned::{HISTORY, Planned, STATE, TEXT};
use crate::support::random::Random;
use crate::support::tree;
use crate::support::unprivileged::unprivileged;

/// A repository with a plan, and a second worktree with the same plan.
pub(super) struct Two {
    pub(super) planned: Planned,
    pub(super) tree: PathBuf,
}

impl Two {
    pub(super) fn new(text: &str) -> Self {
        let planned = Planned::new(text);
        planned.commit("plan");
        let tree = planned.linked_worktree();
        Self { planned, tree }
    }

    /// Runs `ckpt plan` in the first worktree.
    pub(super) fn here(&self, arguments: &[&str]) -> Run {
        self.planned.plan(arguments)
    }

    /// Runs `ckpt plan` in the second worktree.
    pub(super) fn there(&self, arguments: &[&str]) -> Run {
        self.planned
            .ckpt_in(&self.tree, &[&["plan"], arguments].concat())
    }

    /// A file of the plan in the second worktree.
    pub(super) fn file_there(&self, file: &str) -> PathBuf {
        self.tree.join(self.planned.name(file))
    }

    pub(super) fn stored_there(&self) -> Value {
        serde_json::from_slice(&fs::read(self.file_there(STATE)).unwrap()).unwrap()
    }

    /// Sets the time when an agent was last active in the second worktree, by hand.
    pub(super) fn last_heard_there(&self, agent: &str, time: &str) {
        let mut state = self.stored_there();
        state["agents"][agent]["lastActive"] = json!(time);
        fs::write(self.file_there(STATE), format!("{state:#}\n")).unwrap();
    }

    fn lock(&self) -> PathBuf {
        self.planned.path(".git/ckpt/claims.lock")
    }

    /// Holds the lock under which tasks are assigned.
    fn hold(&self) -> File {
        self.here(&["claim", "release", "--by", "team:0"]).exits(0);
        let file = File::options().read(true).write(true).open(self.lock());
        let file = file.unwrap();
        file.lock().unwrap();
        file
    }
}

#[test]
fn a_task_claimed_in_one_worktree_is_refused_and_skipped_in_the_other() {
    let two = Two::new(TEXT);
    two.there(&["claim", "schema", "--by", "subagent:db"])
        .exits(0);
    let refused = two.here(&["claim", "schema", "--by", "team:7"]).exits(5);
    assert!(
        refused
            .reason()
            .contains("\"schema\" is claimed by subagent:db in ../tree until 20"),
        "{refused}"
    );
    // The same name in another worktree is another agent.
    two.here(&["claim", "roles", "schema", "--by", "subagent:db"])
        .exits(5);
    let next = two.here(&["next", "-n", "9"]).exits(0);
    assert!(next.stdout.starts_with("roles"), "{next}");
    assert_eq!(
        next.stderr,
        "note: claimed elsewhere: schema by subagent:db in ../tree\n"
    );
    let next = two.here(&["next", "--json"]).exits(0).json();
    let claimed = &next["claimed_elsewhere"][0];
    assert_eq!(
        (&claimed["task"], &claimed["by"], &claimed["worktree"]),
        (&json!("schema"), &json!("subagent:db"), &json!("../tree"))
    );
    assert_eq!(next["claimed_by_others"], 1);
    // It is the same the other way round, and whoever gives it up frees it everywhere.
    let claimed = two.here(&["claim", "roles", "--json"]).exits(0).json();
    assert_eq!(claimed.get("scope"), None, "{claimed}");
    two.there(&["claim", "roles"]).exits(5);
    two.there(&["release", "schema", "--by", "subagent:db"])
        .exits(0);
    two.here(&["claim", "schema", "--by", "team:7"]).exits(0);
    assert_eq!(tree::mode(two.lock()), 0o600);
}

#[test]
fn a_task_that_somebody_is_at_work_on_in_another_worktree_is_ticked_only_by_force() {
    let two = Two::new(TEXT);
    two.there(&["claim", "schema", "--by", "subagent:db"])
        .exits(0);
    let refused = two.here(&["done", "schema"]).exits(5);
    assert!(
        refused
            .reason()
            .contains("claimed by subagent:db in ../tree, who is at work on it"),
        "{refused}"
    );
    assert!(refused.stderr.contains("--force"), "{refused}");
    two.here(&["done", "roles"]).exits(0);
    two.here(&["done", "schema", "--force"]).exits(0);
    two.there(&["done", "schema", "--by", "subagent:db"])
        .exits(0);
}

#[test]
fn a_task_that_is_done_in_another_worktree_can_be_claimed_with_a_warning() {
    let two = Two::new(TEXT);
    two.there(&["done", "schema"]).exits(0);
    let next = two.here(&["next"]).exits(0).stdout;
    assert!(next.contains("done in ../tree"), "{next}");
    let run = two.here(&["claim", "schema", "--json"]).exits(0);
    assert_eq!(
        run.stderr,
        "warning: schema is done in ../tree, branch side, and not merged here\n"
    );
    let done = &run.json()["done_elsewhere"];
    assert_eq!(
        done,
        &json!([{"task": "schema", "worktree": "../tree", "branch": "side"}])
    );
}

#[test]
fn a_claim_in_another_worktree_ends_with_its_session() {
    let two = Two::new(TEXT);
    let (agent, _) = Agent::begin(&two.planned, "A");
    let mut command = two.planned.command(CKPT);
    command.args(["plan", "claim", "schema"]);
    Run::of(command.env("CLAUDE_CODE_SESSION_ID", "A")).exits(0);
    two.there(&["claim", "schema"]).exits(5);
    agent.dies();
    two.there(&["claim", "schema"]).exits(0);
    // The session goes on, and has lost what it had claimed.
    let (_agent, _) = Agent::begin(&two.planned, "A");
    two.there(&["done", "schema"]).exits(0);
}

#[test]
fn a_claim_that_lapsed_in_another_worktree_is_free_and_stays_given_up() {
    let two = Two::new(TEXT);
    two.there(&["claim", "schema", "roles", "--by", "subagent:db"])
        .exits(0);
    two.last_heard_there("subagent:db", "2026-01-01T00:00:00.000Z");
    two.here(&["claim", "schema", "--by", "team:7"]).exits(0);
    // The one who was silent is heard from again.
    two.there(&["note", "back", "--by", "subagent:db"]).exits(0);
    let agent = two.stored_there()["agents"]["subagent:db"].clone();
    assert_eq!(agent["assignedTasks"], json!([]), "{agent}");
    let history = fs::read_to_string(two.file_there(HISTORY)).unwrap();
    let released =
        r#""event":"task_released","taskId":"schema","by":"subagent:db","reason":"lapsed""#;
    assert!(history.contains(released), "{history}");
    two.there(&["claim", "schema", "--by", "subagent:db"])
        .exits(5);
    two.there(&["claim", "roles", "--by", "subagent:db"])
        .exits(0);
}

#[test]
fn a_claim_counts_whatever_else_the_plan_of_its_worktree_says() {
    let two = Two::new(TEXT);
    let other = TEXT.replace("Create schema", "Write the schema").replace(
        "## Build",
        "## Build\n- [ ] Another <!-- TASK: another -->\n",
    );
    fs::write(two.file_there("plan.md"), other).unwrap();
    two.planned
        .git_in(&two.tree, &["commit", "--quiet", "-am", "other"]);
    two.there(&["claim", "schema", "another"]).exits(0);
    two.here(&["claim", "schema"]).exits(5);
    // Its plan is gone with a switch of branches, and whoever claimed the task may be at work in the meantime.
    two.planned
        .git_in(&two.tree, &["rm", "--quiet", "-r", "--cached", "plans"]);
    fs::remove_file(two.file_there("plan.md")).unwrap();
    two.here(&["claim", "schema"]).exits(5);
}

#[test]
fn claims_of_a_worktree_that_is_gone_do_not_count() {
    let two = Two::new(TEXT);
    two.there(&["claim", "schema"]).exits(0);
    two.here(&["claim", "schema"]).exits(5);
    fs::remove_dir_all(&two.tree).unwrap();
    let run = two.here(&["claim", "schema"]).exits(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_repository_with_one_worktree_and_a_directory_outside_git_have_no_such_lock() {
    let planned = Planned::new(TEXT);
    planned.does(&["claim", "schema"]);
    planned.does(&["done", "schema"]);
    assert!(!planned.path(".git/ckpt/claims.lock").exists());
    let outside = Environment::without_git();
    outside.write("plans/260220-1149-login/plan.md", TEXT);
    outside.ckpt(&["plan", "claim", "schema"]).exits(0);
    let names = tree::names(outside.base());
    assert!(
        !names.iter().any(|name| name.contains("claims.lock")),
        "{names:?}"
    );
}

#[test]
fn whoever_waits_for_a_claim_in_vain_is_told_who_holds_the_lock() {
    let two = Two::new(TEXT);
    let held = two.hold();
    let claim = |by: &str| {
        let mut command = two.planned.command(CKPT);
        command.args(["plan", "claim", "schema", "--by", by]);
        Run::of(command.env("CKPT_LOCK_TIMEOUT_MS", "200"))
    };
    let refused = claim("team:1").exits(5);
    let holder = format!("{} is locked by process ", two.lock().display());
    assert!(refused.reason().contains(&holder), "{refused}");
    assert!(
        refused
            .reason()
            .contains("(plan claim); gave up after 200 ms"),
        "{refused}"
    );
    let doctor = two.planned.ckpt(&["doctor"]).stdout;
    assert!(doctor.contains("claims.lock"), "{doctor}");
    // Nothing else waits.
    two.here(&["done", "roles"]).exits(0);
    two.here(&["next"]).exits(0);
    two.here(&["note", "free"]).exits(0);
    two.here(&["release", "release", "--by", "team:0"]).exits(0);
    drop(held);
    claim("team:1").exits(0);
}

#[test]
fn a_hook_that_cannot_assign_tasks_now_does_so_later() {
    let two = Two::new(TEXT);
    let held = two.hold();
    let (agent, _) = Agent::begin(&two.planned, "A");
    let begin = Instant::now();
    agent.spawns("h1", "coder", "do schema");
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?}",
        begin.elapsed()
    );
    // One without tasks does not wait.
    agent.spawns("h2", "coder", "look around");
    assert_eq!(
        two.planned.stored()["agents"]["h2"]["assignedTasks"],
        json!([])
    );
    assert!(two.planned.stored()["agents"].get("h1").is_none());
    drop(held);
    assert!(becomes(|| {
        two.planned.stored()["agents"]["h1"]["assignedTasks"] == json!(["schema"])
    }));
}

#[test]
fn a_sub_agent_is_not_given_what_is_claimed_in_another_worktree() {
    let two = Two::new(TEXT);
    two.there(&["claim", "schema", "--by", "team:9"]).exits(0);
    two.here(&["sync"]).exits(0);
    let (agent, _) = Agent::begin(&two.planned, "A");
    agent.spawns("h1", "coder", "do schema and roles");
    let started = two.planned.events("subagent_started");
    assert_eq!(started[0]["tasks"], json!(["roles"]));
    assert_eq!(started[0]["held"], json!({"schema": "team:9 in ../tree"}));
    two.there(&["claim", "roles"]).exits(5);
}

#[test]
fn a_claim_says_that_it_is_local_where_the_git_directory_cannot_be_written() {
    let two = Two::new(TEXT);
    two.there(&["claim", "roles", "--by", "team:9"]).exits(0);
    let git = two.planned.path(".git/ckpt");
    tree::set_mode(two.lock(), 0o400);
    tree::set_mode(&git, 0o500);
    let Some(run) = unprivileged(&two.planned, &["plan", "claim", "schema", "--json"]) else {
        return;
    };
    let run = run.exits(0);
    assert_eq!(
        run.stderr,
        "note: claimed here only: .git cannot be written, so other worktrees may claim it too\n"
    );
    assert_eq!(run.json()["scope"], "local");
    assert_eq!(two.planned.events("task_claimed")[0]["scope"], "local");
    // What can be seen is respected all the same.
    let refused = unprivileged(&two.planned, &["plan", "claim", "roles"]);
    refused.unwrap().exits(5);
}

#[test]
fn a_claim_says_that_it_is_local_where_the_main_worktree_cannot_be_found() {
    let planned = Planned::new(TEXT);
    planned.commit("plan");
    planned.git(&["init", "--quiet", "--separate-git-dir", "../elsewhere"]);
    let tree = planned.linked_worktree();
    let claim = |task: &str| planned.ckpt_in(&tree, &["plan", "claim", task]);
    let run = claim("schema").exits(0);
    assert_eq!(
        run.stderr,
        "note: claimed here only: the other worktrees cannot be found, so other worktrees may claim it too\n"
    );
    // The main worktree finds the others.
    planned.plan(&["claim", "schema"]).exits(5);
}

#[test]
fn a_lock_that_leads_elsewhere_is_not_used() {
    let two = Two::new(TEXT);
    two.here(&["sync"]).exits(0);
    let target = two.planned.base().join("target");
    symlink(&target, two.lock()).unwrap();
    let run = two.here(&["claim", "schema"]).exits(0);
    assert!(
        run.stderr.starts_with("note: claimed here only: .git"),
        "{run}"
    );
    assert!(!target.exists());
    fs::remove_file(two.lock()).unwrap();
    let pipe = Command::new("mkfifo").arg(two.lock()).status().unwrap();
    assert!(pipe.success());
    let run = two.here(&["claim", "roles"]).exits(0);
    assert!(
        run.stderr.starts_with("note: claimed here only: .git"),
        "{run}"
    );
}

#[test]
fn each_worktree_is_told_what_the_other_is_at() {
    let two = Two::new(TEXT);
    two.here(&["claim", "schema", "--by", "team:1"]).exits(0);
    two.there(&["claim", "roles", "--by", "team:2"]).exits(0);
    let root = two.planned.root().file_name().unwrap();
    let root = format!("../{}", root.to_str().unwrap());
    for (directory, own, other, task) in [
        (two.planned.root(), "../tree", "team:2", "roles"),
        (&two.tree, root.as_str(), "team:1", "schema"),
    ] {
        let brief = two.planned.ckpt_in(directory, &["resume"]).exits(0).stdout;
        assert!(brief.contains(&format!("worktree {own} (")), "{brief}");
        let mut not_now = brief.lines().filter(|line| line.contains("Not now"));
        let is_told =
            not_now.any(|line| line.contains(task) && line.contains(other) && line.contains(own));
        assert!(is_told, "{brief}");
        let status = two.planned.ckpt_in(directory, &["status"]).exits(0).stdout;
        let other = status.split("\nworktree ").nth(1).unwrap_or_default();
        let name = own.trim_start_matches("..");
        assert!(
            other.contains(name) && other.contains("260220-1149-login"),
            "{status}"
        );
    }
}

/// How many rounds the crowd plays, how many agents are in each worktree, and how many tasks there are.
const ROUNDS: usize = 3;
const AGENTS: usize = 10;
const TASKS: usize = 12;

/// Two worktrees with ten processes each, which claim every task of one plan at the same time. Some are killed.
#[test]
fn no_task_is_claimed_twice_by_twenty_agents_in_two_worktrees() {
    let mut text = String::from("# Plan\n");
    for task in 0..TASKS {
        text += &format!("- [ ] Task <!-- TASK: t{task} -->\n");
    }
    for _ in 0..ROUNDS {
        let two = Two::new(&text);
        two.here(&["sync"]).exits(0);
        two.there(&["sync"]).exits(0);
        let granted: Vec<(String, usize)> = std::thread::scope(|scope| {
            let agents = (0..2 * AGENTS).map(|agent| {
                let two = &two;
                scope.spawn(move || claim_all(two, agent))
            });
            let agents: Vec<_> = agents.collect();
            let granted = agents.into_iter().map(|agent| agent.join().unwrap());
            granted.flatten().collect()
        });
        check_claims(&two, &granted);
    }
}

/// Claims each task in turn; every fourth agent is killed in the middle of each. Returns what was acknowledged.
fn claim_all(two: &Two, agent: usize) -> Vec<(String, usize)> {
    let mut random = Random::seeded();
    let directory = match agent % 2 {
        0 => two.planned.root(),
        _ => two.tree.as_path(),
    };
    let by = format!("team:{agent}");
    let mut granted = Vec::new();
    for step in 0..TASKS {
        let task = (agent + step) % TASKS;
        let name = format!("t{task}");
        let mut command = two.planned.command(CKPT);
        command
            .args(["plan", "claim", &name, "--by", &by])
            .current_dir(directory);
        if agent % 4 == 3 {
            let mut child = command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_micros(random.below(12_000)));
            let _ = child.kill();
            if child.wait().unwrap().success() {
                granted.push((by.clone(), task));
            }
            continue;
        }
        let run = Run::of(&mut command);
        match run.code {
            Some(0) => granted.push((by.clone(), task)),
            _ => assert_eq!(run.code, Some(5), "{run}"),
        }
        assert!(!run.stderr.contains("claimed here only"), "{run}");
    }
    granted
}

/// Each task has one owner in both states together, at most one line in both histories together, and whoever was told
/// that it has the task has it.
fn check_claims(two: &Two, granted: &[(String, usize)]) {
    let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut recorded: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for directory in [two.planned.root(), two.tree.as_path()] {
        // The next change settles what a killed one left.
        let settle = ["plan", "note", "settled"];
        two.planned.ckpt_in(directory, &settle).exits(0);
        let read = |file: &str| fs::read_to_string(directory.join(two.planned.name(file))).unwrap();
        let state: Value = serde_json::from_str(&read(STATE)).unwrap();
        for (by, agent) in state["agents"].as_object().unwrap() {
            for task in agent["assignedTasks"].as_array().unwrap() {
                let owners = owners.entry(task.as_str().unwrap().to_owned());
                owners.or_default().insert(by.clone());
            }
        }
        for (task, by) in claimed_in(&read(HISTORY)) {
            recorded.entry(task).or_default().insert(by);
        }
    }
    assert_eq!(owners.len(), TASKS, "{owners:?}");
    assert!(owners.values().all(|of| of.len() == 1), "{owners:?}");
    assert_eq!(owners, recorded);
    for (by, task) in granted {
        assert!(owners[&format!("t{task}")].contains(by), "t{task} of {by}");
    }
}

/// The claims that a history records and that took effect.
fn claimed_in(history: &str) -> Vec<(String, String)> {
    let lines = history
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    let aborted: BTreeSet<String> = lines
        .iter()
        .filter(|line| line["event"] == "aborted")
        .map(|line| line["aborted"].to_string())
        .collect();
    let claims = lines
        .iter()
        .filter(|line| line["event"] == "task_claimed")
        .filter(|line| !aborted.contains(&line["rev"].to_string()));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    claims
        .map(|line| (text(&line["taskId"]), text(&line["by"])))
        .collect()
}
