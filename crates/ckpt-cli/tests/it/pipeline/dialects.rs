//! Checkpoints written by other tools keep their shape.

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::pipeline::{FILE, does, pipeline, stored, with_members};

#[test]
fn members_of_odd_shapes_keep_what_they_have() {
    for (members, operation, pointer, expected) in [
        (
            json!({"artifacts": ["a.ts", "b.ts"]}),
            &["done", "PRD-009", "WS1", "--artifact", "n.ts"][..],
            "/artifacts",
            json!(["a.ts", "b.ts", "n.ts"]),
        ),
        (
            json!({"artifacts": {"WS1": "single.ts"}}),
            &["done", "PRD-009", "WS1", "--artifact", "n.ts"],
            "/artifacts/WS1",
            json!(["single.ts", "n.ts"]),
        ),
        (
            json!({"execution_spec": "docs/x.md"}),
            &["done", "PRD-009", "WS1"],
            "/execution_spec",
            json!("docs/x.md"),
        ),
        (
            json!({"execution_spec": "docs/x.md"}),
            &["fail", "PRD-009", "WS1", "--message", "m"],
            "/execution_spec",
            json!({"path": "docs/x.md", "interrupted": ["WS1"]}),
        ),
        (
            json!({"dormant_workstreams": {"WS9": {"why": "later"}}}),
            &["defer", "PRD-009", "WS2", "--reason", "r"],
            "/dormant_workstreams",
            json!({"WS9": {"why": "later"}, "WS2": {"id": "WS2", "reason": "r"}}),
        ),
        (
            json!({"in_progress_workstreams": [{"id": "WS1", "agent": "be"}]}),
            &["done", "PRD-009", "WS1"],
            "/completed_workstreams",
            json!([{"id": "WS1", "agent": "be"}]),
        ),
        (
            json!({"pending_workstreams": [{"id": "WS2", "agent": "be"}]}),
            &["start", "PRD-009", "WS2", "--anyway"],
            "/in_progress_workstreams",
            json!(["WS1", {"id": "WS2", "agent": "be"}]),
        ),
        (
            json!({"in_progress_workstreams": [{"id": "WS1", "agent": "be"}]}),
            &["fail", "PRD-009", "WS1", "--message", "m"],
            "/pending_workstreams",
            json!([{"id": "WS1", "agent": "be"}, "WS2"]),
        ),
        (
            json!({"cleanup_done": "none"}),
            &["note", "PRD-009", "--cleanup", "logs"],
            "/cleanup_done",
            json!(["none", "logs"]),
        ),
        (
            json!({"failed_workstreams": ["WS8"]}),
            &["start", "PRD-009", "WS8", "--anyway"],
            "/in_progress_workstreams",
            json!(["WS1", "WS8"]),
        ),
        (
            json!({"gates_passed": {"lint": true, "types": false}}),
            &["gate", "fail", "PRD-009", "lint"],
            "/gates_passed",
            json!({"types": false}),
        ),
        (
            json!({"gates_passed": {"lint": true, "types": false}, "in_progress_workstreams": []}),
            &["gate", "pass", "PRD-009", "types"],
            "/gates_passed",
            json!({"lint": true, "types": true}),
        ),
    ] {
        let environment = with_members(&members);
        let run = pipeline(&environment, operation).exits(0);
        let found = stored(&environment).pointer(pointer).cloned();
        assert_eq!(found, Some(expected), "{members} {operation:?}: {run}");
    }
}

#[test]
fn what_a_map_calls_false_has_not_passed_and_a_failed_workstream_is_seen() {
    let members =
        json!({"gates_passed": {"lint": true, "types": false}, "failed_workstreams": ["WS8"]});
    let environment = with_members(&members);
    let shown = pipeline(&environment, &["show"]).exits(0);
    assert!(shown.stdout.contains("gate lint: claimed"), "{shown}");
    assert!(!shown.stdout.contains("types"), "{shown}");
    // Nobody knows what it depends on.
    assert!(
        shown
            .stdout
            .contains("· WS8  waits for its specification, which is not known"),
        "{shown}"
    );
}

#[test]
fn a_file_that_is_not_an_object_is_reported_as_such() {
    for content in ["[1]", "null"] {
        let environment = Environment::new();
        environment.write(FILE, content);
        let run = environment.ckpt(&["resume"]).exits(0);
        assert!(!run.stdout.contains("all workstreams are done"), "{run}");
        assert!(
            run.stderr.contains("a checkpoint must be a JSON object"),
            "{run}"
        );
        let run = environment.ckpt(&["validate", "PRD-009"]).exits(4);
        assert!(run.stdout.contains("pipeline.object"), "{run}");
    }
}

/// Each oddity that is found in the wild, alone.
fn oddities() -> Vec<(&'static str, String)> {
    let unknown: String = (0..50)
        .map(|n| format!("  \"field_{n}\" : {{\"a\":  {n}}},\n"))
        .collect();
    let with = |members: &str| {
        format!(
            "{{\n  {members}\"completed_workstreams\": [\"A\"],\n  \"in_progress_workstreams\": [ \"B\" ],\n  \"pending_workstreams\": []\n}}\n"
        )
    };
    vec![
        (
            "nothing says what it is",
            with("\"status\": \"in_progress\", "),
        ),
        (
            "prd_id",
            with("\"prd_id\":\"PRD-009\", \"status\": \"in_progress\", "),
        ),
        (
            "two statuses",
            with("\"status\": \"paused\", \"status\":  \"executing\", "),
        ),
        (
            "artifacts as a list",
            with("\"status\": \"in_progress\", \"artifacts\": [ \"x.ts\",\"y.ts\" ], "),
        ),
        (
            "artifacts as objects",
            with(
                "\"status\": \"in_progress\", \"artifacts\": {\"A\": {\"files\":  [\"x\"], \"n\": 1.0}}, ",
            ),
        ),
        (
            "gates as a map",
            with("\"status\": \"in-progress\", \"gates_passed\": {\"lint\" :true}, "),
        ),
        (
            "dormant objects",
            with(
                "\"status\": \"in_progress\", \"dormant_workstreams\": [{ \"id\":\"C\", \"why\": \"later\" }], ",
            ),
        ),
        (
            "unknown members",
            with(&format!("\"status\": \"in_progress\",\n{unknown}  ")),
        ),
        (
            "all on one line",
            with("\"prd\":\"PRD-009\",\"status\":\"in_progress\",").replace('\n', ""),
        ),
        (
            "another word for complete",
            with("\"status\": \"COMPLETED\", ").replace("[ \"B\" ]", "[]"),
        ),
    ]
}

/// The members of an object as they are spelled, without those that completing a workstream changes.
fn spelled(text: &str) -> Vec<String> {
    let members: serde_json::Map<String, Value> = serde_json::from_str(text).unwrap();
    let changed = [
        "completed_workstreams",
        "in_progress_workstreams",
        "timestamp",
        "cleanup_done",
        "status",
    ];
    let raw: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(text).unwrap();
    let kept = members
        .keys()
        .filter(|name| !changed.contains(&name.as_str()));
    kept.map(|name| raw[name].get().to_owned()).collect()
}

#[test]
fn each_oddity_is_listed_shown_judged_and_resumable_and_an_edit_keeps_all_else() {
    for (name, text) in oddities() {
        let environment = Environment::new();
        environment.write(FILE, &text);
        let is_complete = text.contains("COMPLETED");
        let listed = environment.ckpt(&["list"]).exits(0);
        assert!(listed.stdout.starts_with("PRD-009\t"), "{name}: {listed}");
        for arguments in [
            &["show", "PRD-009"][..],
            &["pipeline", "show", "PRD-009"],
            &["log", "PRD-009"],
        ] {
            let run = environment.ckpt(arguments);
            assert!(matches!(run.code, Some(0 | 3)), "{name}: {run}");
        }
        let judged = environment.ckpt(&["validate", "PRD-009", "--json"]);
        assert!(
            judged.json()["documents"][0].get("unreadable").is_none(),
            "{name}: {judged}"
        );
        let resumed = pipeline(&environment, &["resume", "PRD-009", "--continue"]);
        assert_eq!(
            resumed.code,
            Some(if is_complete { 8 } else { 0 }),
            "{name}: {resumed}"
        );
        match is_complete {
            true => pipeline(&environment, &["note", "PRD-009", "--cleanup", "x"]).exits(0),
            false => pipeline(&environment, &["done", "PRD-009", "B"]).exits(0),
        };
        let after = environment.read(FILE);
        for member in spelled(&text) {
            assert!(
                after.contains(&member),
                "{name}: {member} is gone from {after}"
            );
        }
        // All other lines are as they were.
        let is_kept = |line: &&str| {
            !["workstreams", "status"]
                .iter()
                .any(|word| line.contains(word))
        };
        for line in text.lines().filter(is_kept).filter(|line| line.len() > 3) {
            assert!(after.contains(line), "{name}: {line} is gone from {after}");
        }
    }
}

/// What is found in the wild is listed, shown, judged and resumable, and an edit keeps its bytes.
#[test]
fn oddities_are_listed_shown_judged_and_edited_in_place() {
    let unknown: String = (0..50)
        .map(|n| format!("  \"field_{n}\": {{\"a\":  {n}}},\n"))
        .collect();
    let files = [
        ("GAP-1", "{\"status\": \"in_progress\", \"completed_workstreams\": [\"A\"], \"in_progress_workstreams\": [\"B\"], \"pending_workstreams\": []}\n".to_owned()),
        ("PRD-010", "{\"prd_id\":\"PRD-010\",\"status\":\"executing\",\"status\":\"in-progress\",\n \"completed_workstreams\":[ \"A\" ],\"in_progress_workstreams\":[\"B\"],\"pending_workstreams\":[],\n \"artifacts\": [\"x\"], \"gates_passed\": {\"lint\": true}}\n".to_owned()),
        ("PRD-011", format!("{{\n{unknown}  \"prd\": \"PRD-011\", \"status\": \"in_progress\",\n  \"completed_workstreams\": [{{\"id\":\"A\", \"note\": \"x\"}}], \"in_progress_workstreams\": [ \"B\" ],\n  \"pending_workstreams\": [], \"dormant_workstreams\": [{{\"id\": \"C\"}}], \"updated_at\": \"2025-12-11T10:00:00Z\"\n}}\n")),
    ];
    for (id, text) in files {
        let environment = Environment::new();
        let file = format!(".claude/skills/build-pipeline/checkpoints/{id}.json");
        environment.write(&file, &text);
        let listed = environment.ckpt(&["list"]).exits(0);
        assert!(
            listed.stdout.starts_with(&format!("{id}\tin_flight\t1/2")),
            "{listed}"
        );
        for arguments in [
            &["show", id][..],
            &["resume", id],
            &["pipeline", "show", id],
            &["pipeline", "next", id],
        ] {
            environment.ckpt(arguments).exits(0);
        }
        let judged = environment.ckpt(&["validate", id]);
        assert!(judged.code == Some(0) || judged.code == Some(4), "{judged}");
        environment
            .ckpt(&["pipeline", "resume", id, "--continue"])
            .exits(0);
        does(&environment, &["done", id, "B"]);
        let after = environment.read(&file);
        let kept: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("field_"))
            .collect();
        for line in kept {
            assert!(after.contains(line), "{line}");
        }
        let value: serde_json::Value = serde_json::from_str(&after).unwrap();
        assert_eq!(
            value["in_progress_workstreams"],
            serde_json::json!([]),
            "{id}"
        );
        assert_eq!(
            value["completed_workstreams"].as_array().unwrap().len(),
            2,
            "{id}"
        );
        let undone = environment.ckpt(&["log", id]).exits(0);
        assert!(undone.stdout.contains("found as it was"), "{undone}");
    }
}
