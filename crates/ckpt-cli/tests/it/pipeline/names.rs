//! Pipelines whose files have one name and declare another, in all the ways that other tools write them.

use serde_json::{Map, Value, json};

use crate::support::environment::Environment;

const DIRECTORY: &str = ".claude/skills/build-pipeline/checkpoints";

fn put(environment: &Environment, stem: &str, document: &Value) {
    environment.write(&format!("{DIRECTORY}/{stem}.json"), document.to_string());
}

fn stored(environment: &Environment, stem: &str) -> Value {
    serde_json::from_str(&environment.read(&format!("{DIRECTORY}/{stem}.json"))).unwrap()
}

/// The members in which a pipeline declares an id, those that hold its time, and spellings of a status.
const IDS: [&str; 5] = ["prd", "prd_id", "id", "spec_id", "specId"];
const TIMES: [&str; 5] = [
    "timestamp",
    "updated_at",
    "last_updated",
    "completed_at",
    "created_at",
];
const STATUSES: [&str; 7] = [
    "initialized",
    "in_progress",
    "in-progress",
    "executing",
    "paused",
    "awaiting_approval",
    "ready_for_approval",
];

/// A pipeline with its file's name and all the names that it declares.
fn made(number: usize) -> (String, Vec<String>, Value) {
    let stem = match number % 4 {
        0 => format!("PRD-{number:03}"),
        1 => format!("EXEC-{number:03}"),
        2 => format!("GAP-{number:03}A"),
        _ => format!("EXECUTION-SPEC-PERF-{number:03}"),
    };
    let mut document = Map::new();
    let mut names = vec![stem.clone()];
    // Some declare nothing, some the name of their file, some another, and some several.
    let member = IDS[number % IDS.len()];
    match number % 6 {
        0 => {}
        1 => {
            document.insert(member.to_owned(), json!(stem));
        }
        2 | 3 => {
            let other = format!("FIB-RT-EXC-{number:03}");
            document.insert(member.to_owned(), json!(other));
            names.push(other);
        }
        _ => {
            let other = format!("FIB-RT-EXC-{number:03}");
            document.insert("id".to_owned(), json!(stem));
            document.insert("prd".to_owned(), json!(other));
            names.push(other);
        }
    }
    document.insert(
        TIMES[number % TIMES.len()].to_owned(),
        json!("2026-01-29T10:30:00Z"),
    );
    let status = STATUSES[number % STATUSES.len()];
    document.insert("status".to_owned(), json!(status));
    let is_running = matches!(status, "in_progress" | "in-progress" | "executing");
    let one = match number % 3 {
        0 => json!("WS1"),
        1 => json!({"id": "WS1", "agent": "be"}),
        _ => json!({"id": "WS1"}),
    };
    let (running, pending) = match is_running {
        true => (json!([one]), json!(["WS2"])),
        false => (json!([]), json!([one, "WS2"])),
    };
    document.insert("in_progress_workstreams".to_owned(), running);
    document.insert("pending_workstreams".to_owned(), pending);
    if number.is_multiple_of(2) {
        document.insert("gates_passed".to_owned(), json!({"lint": true}));
    }
    document.insert(format!("custom_{number}"), json!({"kept": [1, 2.50, null]}));
    (stem, names, Value::Object(document))
}

#[test]
fn a_hundred_and_thirty_pipelines_are_shown_judged_and_changed_by_every_name() {
    let environment = Environment::new();
    let all: Vec<_> = (0..130).map(made).collect();
    for (stem, _, document) in &all {
        put(&environment, stem, document);
    }
    let mut changed = 0;
    for (number, (stem, names, before)) in all.iter().enumerate() {
        for name in names {
            let shown = environment.ckpt(&["pipeline", "show", name]).exits(0);
            assert!(shown.stdout.contains(stem), "{name}: {shown}");
            let judged = environment
                .ckpt(&["validate", name, "--json"])
                .exits(0)
                .json();
            assert_eq!(judged["valid"], true, "{name}: {judged}");
            let note = format!("note {number}");
            environment
                .ckpt(&["pipeline", "note", name, "--cleanup", &note])
                .exits(0);
            changed += 1;
        }
        let after = stored(&environment, stem);
        let notes = after["cleanup_done"].as_array().unwrap();
        assert_eq!(notes.len(), names.len(), "{stem}");
        let before = before.as_object().unwrap();
        for (member, value) in before
            .iter()
            .filter(|(name, _)| !TIMES.contains(&name.as_str()))
        {
            assert_eq!(&after[member], value, "{stem}: {member}");
        }
    }
    assert!(changed > 200, "{changed}");
    let low = environment
        .ckpt(&["pipeline", "show", "fib-rt-exc-002"])
        .exits(0);
    assert!(low.stdout.contains("GAP-002A"), "{low}");
}

#[test]
fn only_a_name_that_two_files_claim_is_ambiguous_and_their_files_tell_them_apart() {
    let environment = Environment::new();
    let pipeline = |id: &str, prd: &str| json!({"id": id, "prd": prd, "status": "paused", "pending_workstreams": ["WS1"]});
    put(&environment, "PRD-004", &pipeline("PRD-004", "PRD-004"));
    put(&environment, "PRD-003", &pipeline("PRD-003", "PRD-004"));
    for line in [
        &["pipeline", "show", "PRD-004"][..],
        &["pipeline", "note", "PRD-004", "--cleanup", "x"],
        &["show", "PRD-004"],
    ] {
        let run = environment.ckpt(line).exits(5);
        for file in ["PRD-003", "PRD-004"] {
            assert!(run.reason().contains(file), "{run}");
        }
    }
    for name in ["PRD-003", "PRD-003.json"] {
        let note = ["pipeline", "note", name, "--cleanup", "first"];
        environment.ckpt(&note).exits(0);
    }
    let note = ["pipeline", "note", "PRD-004.json", "--cleanup", "second"];
    environment.ckpt(&note).exits(0);
    assert_eq!(
        stored(&environment, "PRD-003")["cleanup_done"],
        json!(["first", "first"])
    );
    assert_eq!(
        stored(&environment, "PRD-004")["cleanup_done"],
        json!(["second"])
    );
}

#[test]
fn a_specification_is_found_by_any_of_the_names_and_init_makes_no_second_file() {
    let environment = Environment::new();
    let spec = "---\nprd: FIB-001\nworkstreams:\n  WS1: { name: Data }\n  WS2: { name: Pages, depends_on: [WS1] }\n---\n";
    environment.write("docs/spec.md", spec);
    let document = json!({"id": "EXEC-065", "prd": "FIB-001", "status": "paused", "pending_workstreams": ["WS1", "WS2"]});
    put(&environment, "EXEC-065", &document);
    let next = environment.ckpt(&["pipeline", "next", "EXEC-065"]).exits(0);
    assert_eq!(next.stdout, "WS1: Data\n");
    let init = environment
        .ckpt(&["pipeline", "init", "docs/spec.md"])
        .exits(0);
    assert!(init.stdout.contains("already exists"), "{init}");
    environment
        .ckpt(&["pipeline", "sync", "FIB-001", "docs/spec.md"])
        .exits(0);
    environment
        .ckpt(&["pipeline", "start", "FIB-001", "ws1"])
        .exits(0);
    let files = environment.files();
    let pipelines = files
        .keys()
        .filter(|name| name.starts_with(DIRECTORY) && name.ends_with(".json"));
    let pipelines: Vec<_> = pipelines.collect();
    assert_eq!(pipelines.len(), 1, "{pipelines:?}");
}

#[test]
fn a_phase_may_say_that_its_workstreams_run_side_by_side() {
    let environment = Environment::new();
    let spec = "---\nprd: PRD-001\nworkstreams:\n  A: {}\n  B: {}\n  C: {}\nexecution_phases:\n  - { name: One, parallel: true, workstreams: [A, B], gates: [lint] }\n  - { name: Two, parallel: false, workstreams: [C] }\n---\n";
    environment.write("spec.md", spec);
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    let next = environment.ckpt(&["pipeline", "next", "PRD-001"]).exits(0);
    assert_eq!(next.stdout, "A\nB\n");
}

#[test]
fn a_start_and_its_end_leave_no_warning() {
    let environment = Environment::new();
    environment.write(
        "spec.md",
        "---\nprd: PRD-001\nprd_title: T\nworkstreams:\n  A: {}\n  B: {}\n---\n",
    );
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    environment
        .ckpt(&["pipeline", "review", "PRD-001", "ship"])
        .exits(0);
    for step in [&["start", "PRD-001", "A"][..], &["done", "PRD-001", "A"]] {
        let run = environment.ckpt(&[&["pipeline"], step].concat()).exits(0);
        assert_eq!(run.stderr, "", "{step:?}");
        let judged = environment.ckpt(&["validate", "PRD-001"]).exits(0);
        assert!(!judged.stdout.contains("warning"), "{judged}");
    }
}

#[test]
fn a_failing_gate_sends_back_only_the_workstream_it_was_run_for() {
    let environment = Environment::new();
    let spec =
        "---\nprd: PRD-001\nworkstreams:\n  A: { gate: lint }\n  B: { gate: lint }\n  C: {}\n---\n";
    environment.write("spec.md", spec);
    let does = |line: &[&str]| environment.ckpt(&[&["pipeline"], line].concat()).exits(0);
    does(&["init", "spec.md"]);
    does(&["start", "PRD-001", "A", "B", "C"]);
    does(&[
        "gate",
        "fail",
        "PRD-001",
        "lint",
        "--for",
        "A",
        "--message",
        "3 errors",
    ]);
    let after = stored(&environment, "PRD-001");
    assert_eq!(
        after["in_progress_workstreams"],
        json!(["B", "C"]),
        "{after}"
    );
    assert_eq!(after["pending_workstreams"], json!(["A"]));
    assert_eq!(after["status"], "in_progress", "others are running");
    does(&["done", "PRD-001", "B"]);
    does(&["done", "PRD-001", "C"]);
    let after = stored(&environment, "PRD-001");
    assert_eq!(after["status"], "failed", "{after}");
    assert_eq!(
        after["error"],
        json!({"workstream": "A", "message": "3 errors"})
    );
    assert!(!after.to_string().contains("failure_due"), "{after}");
    does(&["fixed", "PRD-001"]);
    does(&["start", "PRD-001", "A"]);
    does(&["done", "PRD-001", "A"]);
    assert_ne!(stored(&environment, "PRD-001")["status"], "failed");
}

#[test]
fn an_aborted_pipeline_is_over_until_it_is_taken_up_again() {
    let environment = Environment::new();
    environment.write("spec.md", "---\nprd: PRD-001\nworkstreams:\n  A: {}\n---\n");
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    environment
        .ckpt(&["pipeline", "abort", "PRD-001", "--reason", "superseded"])
        .exits(0);
    let status = environment.ckpt(&["status"]).exits(0);
    assert_eq!(
        status.stdout,
        "Nothing in flight.\n1 abandoned: ckpt status --all\n"
    );
    let brief = environment.ckpt(&["resume"]).exits(0);
    assert!(!brief.stdout.contains("NEXT\nFix"), "{brief}");
    environment.ckpt(&["pipeline", "fixed", "PRD-001"]).exits(0);
    let status = environment.ckpt(&["status"]).exits(0);
    assert!(status.stdout.starts_with("PRD-001"), "{status}");
}

#[test]
fn a_damaged_pipeline_is_named_with_the_command_that_brings_it_back() {
    let environment = Environment::new();
    environment.write("spec.md", "---\nprd: PRD-001\nworkstreams:\n  A: {}\n---\n");
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    let before = stored(&environment, "PRD-001");
    environment.write(&format!("{DIRECTORY}/PRD-001.json"), "{\"prd\": ");
    let recover = "ckpt recover PRD-001";
    for line in [
        &["pipeline", "show", "PRD-001"][..],
        &["pipeline", "start", "PRD-001", "A"],
    ] {
        let run = environment.ckpt(line);
        assert!(
            run.code == Some(0) || run.reason().contains(recover),
            "{run}"
        );
        if run.code == Some(0) {
            // A change restores it by itself; damage it again.
            environment.write(&format!("{DIRECTORY}/PRD-001.json"), "{\"prd\": ");
        }
    }
    let status = environment.ckpt(&["status"]).exits(0);
    assert!(
        status.stdout.contains("corrupt") && status.stdout.contains(recover),
        "{status}"
    );
    let run = environment.ckpt(&["recover", "PRD-001"]).exits(0);
    assert!(run.stderr.contains("restored"), "{run}");
    assert_eq!(stored(&environment, "PRD-001")["prd"], before["prd"]);
    environment.ckpt(&["recover", "PRD-001"]).exits(0);
}
