//! No two surfaces disagree: random states, and what each surface says of their gates, items and checkpoints.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment};
use crate::support::event::{begin, event, tell};
use crate::support::random::Random;

const PLAN: &str = "plans/260101-0000-x/plan.md";

const SPEC: &str = "\
---
prd: PRD-009
workstreams:
  WS1: { name: Data, gate: lint }
  WS2: { name: Services, depends_on: [WS1], gate: lint }
  WS3: { name: Pages, depends_on: [WS2] }
gates:
  lint: { command: 'test ! -e broken' }
---
";

const TASKS: [&str; 4] = ["t1", "t2", "t3", "t4"];

/// How often each world is changed before its surfaces are compared, how often they are compared, and how many worlds
/// there are.
const CHANGES: usize = 4;
const COMPARISONS: usize = 6;
const WORLDS: usize = 8;

/// A repository with a checkpoint of each kind.
fn world() -> Environment {
    let environment = Environment::new();
    environment.write("docs/SPEC.md", SPEC);
    environment.write("src/a.txt", "0\n");
    let tasks = TASKS.map(|id| format!("- [ ] Do {id} <!-- TASK: {id} -->\n"));
    let (first, second) = tasks.split_at(2);
    environment.write(
        PLAN,
        format!(
            "# Plan\n\n## One\n<!-- CHECKPOINT: one -->\n{}\n## Two\n<!-- CHECKPOINT: two -->\n{}",
            first.concat(),
            second.concat()
        ),
    );
    environment.git(&["add", "--all"]);
    environment.git(&["commit", "--quiet", "--message", "Start"]);
    environment.ckpt(&["start", "ship"]).exits(0);
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment
        .ckpt(&["pipeline", "init", "docs/SPEC.md"])
        .exits(0);
    environment
}

/// Changes something. What is not possible now is refused and changes nothing.
fn change(environment: &Environment, random: &mut Random) {
    let ckpt = |arguments: &[&str]| drop(environment.ckpt(arguments));
    let task = TASKS[random.below(4) as usize];
    let phase = ["pre-flight", "commit", "push"][random.below(3) as usize];
    let workstream = ["WS1", "WS2", "WS3"][random.below(3) as usize];
    match random.below(29) {
        0 | 1 => ckpt(&[
            "phase",
            "ship",
            phase,
            "complete",
            "--summary",
            "It is done.",
        ]),
        2 => ckpt(&["phase", "ship", phase, "in_progress", "--task", "T1"]),
        3 => ckpt(&["phase", "ship", phase, "failed", "--error", "it broke"]),
        4 => ckpt(&["gate", "set", "ship", "--allow"]),
        5 => ckpt(&["gate", "set", "ship", "--block", "not yet"]),
        6 => ckpt(&["gate", "override", "ship", "--reason", "a hotfix"]),
        7 | 8 => ckpt(&[
            "gate", "run", "ship", "tests", "--", "test", "!", "-e", "broken",
        ]),
        9 => ckpt(&[
            "gate",
            "run",
            "plan:260101-0000-x",
            "tests",
            "--",
            "test",
            "!",
            "-e",
            "broken",
        ]),
        10 | 11 => ckpt(&["plan", "done", task]),
        12 => ckpt(&["plan", "undo", task]),
        13 => ckpt(&["plan", "claim", task]),
        14 => ckpt(&["plan", "block", &format!("{task}: not decided")]),
        15 => ckpt(&["plan", "note", &format!("{task}: wait for the others")]),
        16 => {
            let text = environment.read(PLAN);
            let edited = text.replace(&format!("- [x] Do {task}"), &format!("- [ ] Do {task}"));
            environment.write(PLAN, edited);
        }
        17 => {
            let text = environment.read(PLAN);
            let kept = text
                .lines()
                .filter(|line| !line.contains(&format!("Do {task}")));
            environment.write(PLAN, kept.collect::<Vec<_>>().join("\n") + "\n");
        }
        18 => ckpt(&["pipeline", "start", "PRD-009", workstream]),
        19 | 20 => ckpt(&["pipeline", "done", "PRD-009", workstream]),
        21 => ckpt(&[
            "pipeline", "gate", "run", "PRD-009", "lint", "--for", workstream,
        ]),
        22 => ckpt(&[
            "pipeline", "gate", "pass", "PRD-009", "lint", "--for", workstream,
        ]),
        23 => ckpt(&[
            "pipeline", "defer", "PRD-009", workstream, "--reason", "later",
        ]),
        24 => crash(environment, random, task),
        25 => stop(environment, random, task),
        26 => drop(environment.ckpt(&["ack", task])),
        27 => match random.below(3) {
            0 => drop(environment.write("broken", "")),
            1 => drop(std::fs::remove_file(environment.path("broken"))),
            _ => {
                ckpt(&["pipeline", "fixed", "PRD-009"]);
                ckpt(&["pipeline", "approve", "PRD-009"]);
            }
        },
        _ => {
            environment.write("src/a.txt", format!("{}\n", random.below(3)));
            if random.below(2) == 0 {
                environment.git(&["add", "--all"]);
                environment.git(&["commit", "--quiet", "--allow-empty", "--message", "Work"]);
            }
        }
    }
}

/// A session claims a task and dies.
fn crash(environment: &Environment, random: &mut Random, task: &str) {
    let session = format!("dead-{}", random.below(1_000));
    let mut agent = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    begin(environment, &session, agent.id());
    let mut claim = environment.command(CKPT);
    claim.args(["plan", "claim", task]);
    claim
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_SESSION_ID", &session);
    claim.env("CLAUDE_PID", agent.id().to_string());
    claim.output().unwrap();
    if random.below(2) == 0 {
        let start = json!({"agent_id": format!("lost-{session}"), "agent_type": "general-purpose"});
        let start = event(environment, &session, "SubagentStart", &start);
        tell(environment, "claude", &start);
    }
    agent.kill().unwrap();
    agent.wait().unwrap();
}

/// A sub-agent answers STOP or PROCEED.
fn stop(environment: &Environment, random: &mut Random, task: &str) {
    let (status, decision) = match random.below(2) {
        0 => ("blocked", "STOP"),
        _ => ("complete", "PROCEED"),
    };
    let reply = json!({
        "task_id": task, "phase": "write", "status": status, "decision": decision, "findings": {},
        "context_summary": "Nothing is written.", "issues": ["who decides?"],
    });
    begin(environment, "s1", std::process::id());
    let start = json!({"agent_id": task, "agent_type": "general-purpose"});
    tell(
        environment,
        "claude",
        &event(environment, "s1", "SubagentStart", &start),
    );
    let end = json!({
        "agent_id": task, "agent_type": "general-purpose", "stop_hook_active": false,
        "last_assistant_message": reply.to_string(),
    });
    tell(
        environment,
        "claude",
        &event(environment, "s1", "SubagentStop", &end),
    );
    let goodbye = event(environment, "s1", "SessionEnd", &json!({"reason": "other"}));
    tell(environment, "claude", &goodbye);
}

fn json_of(environment: &Environment, arguments: &[&str]) -> Value {
    environment.ckpt(&[arguments, &["--json"]].concat()).json()
}

/// What is known about each gate.
fn gates(of: &Value) -> BTreeMap<String, String> {
    let gates = of["gates"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    gates
        .map(|gate| (text(&gate["gate"]), text(&gate["proof"])))
        .collect()
}

fn facts<'r>(report: &'r Value, kind: &str) -> Vec<&'r Value> {
    let facts = report["facts"].as_array().unwrap().iter();
    facts.filter(|fact| fact["kind"] == kind).collect()
}

fn ids(facts: &[&Value]) -> BTreeSet<String> {
    let ids = facts
        .iter()
        .flat_map(|fact| fact["ids"].as_array().unwrap());
    ids.map(|id| id.as_str().unwrap().to_owned()).collect()
}

fn hazards(report: &Value) -> BTreeSet<String> {
    let hazards = facts(report, "hazard").into_iter();
    hazards
        .map(|fact| fact["hazard"].as_str().unwrap().to_owned())
        .collect()
}

/// The hazard that a gate is, by what is known about it.
fn hazard_of(proof: &str) -> Option<&'static str> {
    match proof {
        "failed" | "interrupted" => Some("gate_failed"),
        "older_content" => Some("gate_older"),
        "claimed" | "claimed_elsewhere" => Some("gate_claimed"),
        "running" => Some("gate_running"),
        _ => None,
    }
}

/// What a document itself says is done.
fn done_in(shown: &Value) -> BTreeSet<String> {
    let document = &shown["document"];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match shown["key"].as_str().unwrap().split_once(':').unwrap().0 {
        "command" => document["state"]["completed_phases"]
            .as_array()
            .unwrap()
            .iter()
            .map(text)
            .collect(),
        "pipeline" => document["completed_workstreams"]
            .as_array()
            .unwrap()
            .iter()
            .map(text)
            .collect(),
        _ => {
            let phases = document["phases"].as_object().unwrap().values();
            let tasks = phases.flat_map(|phase| phase["tasks"].as_object().unwrap());
            let done = tasks.filter(|(_, task)| task["done"] == true);
            done.map(|(id, _)| id.clone()).collect()
        }
    }
}

fn compare(environment: &Environment) {
    let status = json_of(environment, &["status"]);
    let list = json_of(environment, &["list"]);
    let resumed = json_of(environment, &["resume"]);
    let summaries = status["worktrees"][0]["checkpoints"].as_array().unwrap();
    for summary in summaries {
        let key = summary["key"].as_str().unwrap();
        let said = |text: &str| format!("{key}: {text}\n{summary:#}");
        let shown = json_of(environment, &["show", key]);
        assert_eq!(gates(&shown), gates(summary), "{}", said("show and status"));
        assert_eq!(
            shown["ship"],
            summary["ship"],
            "{}",
            said("show and status")
        );

        let listed = list["checkpoints"].as_array().unwrap().iter();
        let listed = listed.clone().find(|listed| listed["key"] == key).unwrap();
        for member in ["lifecycle", "progress", "current_phase", "current_task"] {
            assert_eq!(
                listed[member],
                summary[member],
                "{}",
                said("list and status")
            );
        }
        for (gate, proof) in gates(listed) {
            let here = &gates(summary)[&gate];
            let is_open =
                proof == "not_checked" && ["proven", "older_content"].contains(&here.as_str());
            assert!(is_open || proof == *here, "{}", said("list and status"));
        }

        if key.starts_with("command:") {
            let check = environment.ckpt(&["gate", "check", key, "--json"]);
            let verdict = check.json();
            if summary.get("ship").is_some() {
                for (name, value) in summary["ship"].as_object().unwrap() {
                    assert_eq!(verdict[name], *value, "{}", said("gate check and status"));
                }
            }
            let passes = ["allowed", "overridden"].contains(&verdict["verdict"].as_str().unwrap());
            check.exits(if passes { 0 } else { 6 });
        }
        if key.starts_with("pipeline:") && summary["lifecycle"] == "in_flight" {
            let check = environment.ckpt(&["pipeline", "gate", "check", "PRD-009", "--json"]);
            let proofs = gates(summary);
            let all = proofs.values().all(|proof| proof == "proven");
            check.exits(if all { 0 } else { 6 });
        }
        if summary["lifecycle"] == "in_flight" {
            let about = json_of(environment, &["resume", key]);
            told(summary, &shown, &about);
        }
    }
    let in_flight = resumed["in_flight"].as_array().unwrap();
    for summary in in_flight {
        assert!(
            summaries.contains(summary),
            "resume and status: {summary:#}"
        );
    }
    status_line(environment, &resumed, in_flight.len());
    hook_context(environment);
}

/// What `resume` tells about one checkpoint, beside what `status` and `show` say of it.
fn told(summary: &Value, shown: &Value, report: &Value) {
    let said = |text: &str| format!("{text}\n{summary:#}\n{report:#}");
    let focus = &report["focus"];
    for member in ["key", "progress", "lifecycle"] {
        assert_eq!(focus[member], summary[member], "{}", said(member));
    }
    let done = done_in(shown);
    let proven = gates(summary)
        .into_iter()
        .filter(|(_, proof)| proof == "proven");
    let proven: BTreeSet<String> = proven.map(|(gate, _)| gate).collect();
    let told = ids(&facts(report, "done"));
    let told: BTreeSet<String> = told.into_iter().filter(|id| !proven.contains(id)).collect();
    assert_eq!(told, done, "{}", said("done"));
    let next = ids(&facts(report, "next"));
    assert!(next.is_disjoint(&done), "{}", said("next is done"));
    assert!(
        ids(&facts(report, "open")).is_disjoint(&done),
        "{}",
        said("open is done")
    );

    let gate_hazards = facts(report, "hazard").into_iter().filter(|fact| {
        let hazard = fact["hazard"].as_str().unwrap();
        ["gate_failed", "gate_older", "gate_claimed", "gate_running"].contains(&hazard)
    });
    let name = |fact: &Value| {
        let ids = fact["ids"].as_array().unwrap();
        let ids: Vec<&str> = ids.iter().map(|id| id.as_str().unwrap()).collect();
        match ids.split_first().unwrap() {
            (gate, []) => (*gate).to_owned(),
            (gate, about) => format!("{gate} ({})", about.join(", ")),
        }
    };
    let told: BTreeMap<String, String> = gate_hazards
        .map(|fact| (name(fact), fact["hazard"].as_str().unwrap().to_owned()))
        .collect();
    let expected: BTreeMap<String, String> = gates(summary)
        .into_iter()
        .filter_map(|(gate, proof)| Some((gate, hazard_of(&proof)?.to_owned())))
        .collect();
    assert_eq!(told, expected, "{}", said("gates"));

    let hazards = hazards(report);
    let has = |hazard: &str| hazards.contains(hazard);
    match summary["ship"]["verdict"].as_str() {
        None | Some("allowed") => {
            assert!(
                !has("gate_void") && !has("gate_blocked"),
                "{}",
                said("ship")
            );
        }
        Some("blocked") => {
            assert!(has("gate_void") || has("gate_blocked"), "{}", said("ship"));
        }
        Some("overridden") => assert!(has("gate_overridden"), "{}", said("ship")),
        Some(other) => panic!("{}", said(other)),
    }
}

fn status_line(environment: &Environment, resumed: &Value, in_flight: usize) {
    let input = json!({"cwd": environment.path("")}).to_string();
    let line = environment
        .ckpt_reading(input, &["statusline"])
        .exits(0)
        .stdout;
    let said = || format!("{line}\n{resumed:#}");
    let focus = &resumed["focus"];
    if focus.is_null() {
        assert_eq!(line, "");
        return;
    }
    let key = focus["key"].as_str().unwrap();
    let short = key.split_once(':').unwrap().1;
    let progress = &focus["progress"];
    let begins = format!("{short} {}/{}", progress["done"], progress["total"]);
    assert!(line.starts_with(&begins), "{}", said());
    let hazards = hazards(resumed);
    for (mark, kinds) in [
        (
            "· blocked",
            &["blocked", "stopped", "gate_blocked", "gate_void"][..],
        ),
        ("· failed", &["failed", "gate_failed"]),
        ("· trouble", &["plan_unusable"]),
    ] {
        // Whether an override or approval is for this content, a status line does not know, and says so.
        if mark == "· blocked" && line.contains("· gate not checked") {
            continue;
        }
        let expected = kinds.iter().any(|kind| hazards.contains(*kind));
        assert_eq!(line.contains(mark), expected, "{mark}: {}", said());
    }
    if let (Some((_, task)), true) = (line.split_once(" › "), key.starts_with("plan:")) {
        let task = task.split_whitespace().next().unwrap();
        let next = ids(&facts(resumed, "next"));
        assert!(next.is_empty() || next.contains(task), "{}", said());
    }
    let others = line
        .trim_end()
        .rsplit_once("· +")
        .map_or("0", |(_, others)| others);
    assert_eq!(others, (in_flight - 1).to_string(), "{}", said());
}

/// A new session is told what `resume` says: the same hazards, the same next step.
fn hook_context(environment: &Environment) {
    let text = environment.ckpt(&["resume"]).exits(0).stdout;
    let answer = begin(environment, "reader", std::process::id());
    let goodbye = event(
        environment,
        "reader",
        "SessionEnd",
        &json!({"reason": "other"}),
    );
    tell(environment, "claude", &goodbye);
    if text.starts_with("Nothing in flight") {
        return;
    }
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let context = answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    let important = |text: &str| {
        let begins = text.find("CHECK FIRST").or(text.find("NEXT")).unwrap();
        let ends = ["DONE, do", "DECIDED", "NOTES,", "OPEN AFTER", "ALSO"];
        let ends = ends
            .iter()
            .filter_map(|title| text.find(&format!("\n{title}")));
        text[begins..ends.min().unwrap_or(text.len())]
            .trim_end()
            .to_owned()
    };
    assert_eq!(important(context), important(&text));
}

#[test]
fn no_two_surfaces_disagree_about_gates_items_and_checkpoints() {
    let mut random = Random::seeded();
    for _ in 0..WORLDS {
        let environment = world();
        compare(&environment);
        for _ in 0..COMPARISONS {
            for _ in 0..CHANGES {
                change(&environment, &mut random);
            }
            compare(&environment);
        }
    }
}
