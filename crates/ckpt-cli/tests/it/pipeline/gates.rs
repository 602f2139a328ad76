//! What a gate does to its pipeline.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::pipeline::{
    FILE, begun, checked, gate, pipeline, stored, with_gate, with_members,
};

#[test]
fn the_result_of_a_run_is_kept_although_a_sibling_failed_in_the_meantime() {
    for (command, code, proof) in [("exit 0", 0, "proven"), ("exit 1", 6, "failed")] {
        let environment = begun(&format!(
            "workstreams: {{ WS1: {{ gate: slow }}, WS2: {{}} }}\ngates:\n  slow: {{ command: 'touch ../begun; while ! test -e ../go; do sleep 0.01; done; {command}' }}\n"
        ));
        pipeline(&environment, &["start", "PRD-009", "WS1", "WS2"]).exits(0);
        let mut child = Command::new(env!("CARGO_BIN_EXE_ckpt"))
            .args(["pipeline", "gate", "run", "PRD-009", "slow", "--for", "WS1"])
            .current_dir(environment.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let is_begun = |_: u32| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            environment.path("../begun").exists()
        };
        assert!((0..3000).any(is_begun));
        pipeline(&environment, &["fail", "PRD-009", "WS2", "--message", "m"]).exits(0);
        environment.write("../go", "");
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let state = stored(&environment);
        assert_eq!(state["status"], "failed");
        assert_eq!(state["error"]["message"], "m");
        let report = pipeline(&environment, &["gate", "check", "PRD-009", "--json"]).json();
        assert_eq!(report["gates"][0]["proof"], proof);
        std::fs::remove_file(environment.path("../go")).unwrap();
    }
}

#[test]
fn a_pipeline_is_not_complete_while_a_gate_is_pending() {
    let environment = begun(
        "workstreams: { WS1: {} }\nexecution_phases:\n  - { name: A, parallel: [WS1], gates: [q] }\ngates: { q: { command: 'true' } }\n",
    );
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    pipeline(&environment, &["done", "PRD-009", "WS1"]).exits(0);
    let run = pipeline(&environment, &["complete", "PRD-009"]).exits(4);
    assert!(run.stderr.contains("gate q is pending"), "{run}");
    pipeline(&environment, &["gate", "run", "PRD-009", "q"]).exits(0);
    pipeline(&environment, &["gate", "fail", "PRD-009", "q"]).exits(0);
    assert_eq!(stored(&environment)["gates_passed"], json!([]));
    pipeline(&environment, &["fixed", "PRD-009"]).exits(0);
    pipeline(&environment, &["complete", "PRD-009"]).exits(4);
    pipeline(&environment, &["gate", "run", "PRD-009", "q"]).exits(0);
    pipeline(&environment, &["complete", "PRD-009"]).exits(0);

    let environment = with_members(&json!({
        "status": "complete", "in_progress_workstreams": [], "pending_workstreams": [], "gates_pending": ["q"],
    }));
    let run = environment
        .ckpt(&["validate", "PRD-009", "--strict"])
        .exits(4);
    assert!(run.stdout.contains("gate q is still pending"), "{run}");
}

#[test]
fn the_gates_of_what_was_put_off_are_not_waited_for() {
    let environment =
        begun("workstreams: { WS1: {}, WS2: { gate: q } }\ngates: { q: { command: 'false' } }\n");
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    pipeline(&environment, &["done", "PRD-009", "WS1"]).exits(0);
    pipeline(
        &environment,
        &["defer", "PRD-009", "WS2", "--reason", "later"],
    )
    .exits(0);
    pipeline(&environment, &["gate", "check", "PRD-009"]).exits(0);
    pipeline(&environment, &["complete", "PRD-009"]).exits(0);
}

#[test]
fn a_gate_that_fails_is_recorded_and_stops_the_pipeline() {
    for (command, ending) in [
        ("echo no; exit 3", "exit code 3"),
        ("no-such-command-anywhere", "exit code 127"),
        ("kill -9 $$", "ended by signal 9"),
    ] {
        let environment = with_gate(command);
        let run = gate(&environment, &["run", "PRD-009", "tested", "--for", "WS1"]).exits(6);
        assert!(run.stdout.contains(ending), "{command}: {run}");
        let state: serde_json::Value = serde_json::from_str(&environment.read(FILE)).unwrap();
        assert_eq!(state["status"], "failed", "{command}");
        assert_eq!(state["receipts"]["tested (WS1)"]["result"], "failed");
        assert_eq!(checked(&environment).1, "failed");
    }
}

#[test]
fn a_gate_that_two_workstreams_share_has_to_pass_for_each_of_them() {
    let environment = begun(
        "workstreams: { WS1: { gate: q }, WS2: { gate: q }, WS3: { gate: q } }\ngates: { q: { command: 'true' } }\n",
    );
    let pending = || stored(&environment)["gates_pending"].clone();
    assert_eq!(pending(), json!(["q"]));
    for workstream in ["WS1", "WS2"] {
        pipeline(&environment, &["start", "PRD-009", workstream]).exits(0);
        pipeline(&environment, &["done", "PRD-009", workstream]).exits(0);
    }
    pipeline(
        &environment,
        &["gate", "pass", "PRD-009", "q", "--for", "WS1"],
    )
    .exits(0);
    assert_eq!(pending(), json!(["q (WS2)", "q (WS3)"]));
    let run = pipeline(
        &environment,
        &["gate", "pass", "PRD-009", "q", "--for", "WS3"],
    )
    .exits(4);
    assert!(
        run.stderr
            .contains("gate q is for WS3, which was not started"),
        "{run}"
    );
    // Without a workstream it would be for WS3 too.
    pipeline(&environment, &["gate", "pass", "PRD-009", "q"]).exits(4);
    pipeline(
        &environment,
        &["defer", "PRD-009", "WS3", "--reason", "later"],
    )
    .exits(0);
    assert_eq!(pending(), json!(["q (WS2)"]));
    pipeline(
        &environment,
        &["gate", "pass", "PRD-009", "q", "--for", "WS3"],
    )
    .exits(4);
    let run = pipeline(&environment, &["complete", "PRD-009"]).exits(4);
    assert!(run.stderr.contains("gate q (WS2) is pending"), "{run}");
    assert!(!run.stderr.contains("WS3"), "{run}");
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "q", "--for", "WS2"],
    )
    .exits(0);
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "q", "--for", "WS1"],
    )
    .exits(0);
    pipeline(&environment, &["complete", "PRD-009"]).exits(0);
    pipeline(&environment, &["gate", "check", "PRD-009"]).exits(0);
    pipeline(&environment, &["validate", "PRD-009", "--strict"]).exits(0);
}

#[test]
fn a_bare_name_that_another_tool_wrote_means_every_workstream() {
    let environment = begun(
        "workstreams: { WS1: { gate: q }, WS2: { gate: q } }\ngates: { q: { command: 'true' } }\n",
    );
    let mut state = stored(&environment);
    state["status"] = json!("paused");
    state["completed_workstreams"] = json!(["WS1", "WS2"]);
    state["pending_workstreams"] = json!([]);
    state["gates_passed"] = json!(["q (WS1)"]);
    state["gates_pending"] = json!([]);
    environment.write(FILE, state.to_string());
    let run = pipeline(&environment, &["complete", "PRD-009"]).exits(4);
    assert!(run.stderr.contains("gate q (WS2) is pending"), "{run}");
    let run = pipeline(&environment, &["validate", "PRD-009"]).exits(0);
    let told = "gate q (WS2) has neither passed nor is it pending";
    assert!(run.stdout.contains(told), "{run}");
    pipeline(&environment, &["sync", "PRD-009"]).exits(0);
    assert_eq!(stored(&environment)["gates_pending"], json!(["q (WS2)"]));
}

#[test]
fn a_failure_without_a_workstream_names_none() {
    let environment = begun(
        "workstreams: { WS1: { gate: q }, WS2: { gate: q }, WS3: { gate: r } }\ngates: { q: { command: 'true' }, r: { command: 'true' } }\n",
    );
    pipeline(&environment, &["start", "PRD-009", "WS1", "WS2", "WS3"]).exits(0);
    pipeline(&environment, &["gate", "fail", "PRD-009", "q"]).exits(0);
    let after = stored(&environment);
    assert_eq!(
        after["in_progress_workstreams"],
        json!(["WS3"]),
        "it has another gate"
    );
    pipeline(&environment, &["done", "PRD-009", "WS3"]).exits(0);
    assert_eq!(
        stored(&environment)["error"],
        json!({"message": "gate q failed"})
    );
    pipeline(&environment, &["fixed", "PRD-009"]).exits(0);
    // Only WS3 has this one.
    pipeline(&environment, &["gate", "fail", "PRD-009", "r"]).exits(0);
    let error = &stored(&environment)["error"];
    assert_eq!(
        *error,
        json!({"workstream": "WS3", "message": "gate r failed"})
    );
    pipeline(&environment, &["validate", "PRD-009"]).exits(0);
    pipeline(&environment, &["fixed", "PRD-009"]).exits(0);
    pipeline(
        &environment,
        &["abort", "PRD-009", "--reason", "superseded"],
    )
    .exits(0);
    assert_eq!(
        stored(&environment)["error"],
        json!({"message": "superseded"})
    );
}

#[test]
fn what_an_object_says_has_not_passed_has_not() {
    let spec = "workstreams: { WS1: { gate: q } }\ngates: { q: { command: 'true' } }\n";
    for passed in [
        json!({"q (WS1)": {"passed": false}}),
        json!({"q": {"status": "FAILED"}}),
        json!([{"id": "q", "passed": false}]),
        json!([{"gate": "q (WS1)", "result": "failed"}]),
    ] {
        let environment = begun(spec);
        let mut state = stored(&environment);
        state["status"] = json!("paused");
        state["completed_workstreams"] = json!(["WS1"]);
        state["pending_workstreams"] = json!([]);
        state["gates_passed"] = passed.clone();
        state["gates_pending"] = json!([]);
        environment.write(FILE, state.to_string());
        let run = pipeline(&environment, &["complete", "PRD-009"]);
        assert_eq!(run.code, Some(4), "{passed}: {run}");
    }
}

#[test]
fn without_a_specification_a_pass_takes_only_its_own_entry_away() {
    let environment = with_members(&json!({
        "gates_pending": ["q (WS1)", "q (WS2)", "r"], "completed_workstreams": ["WS1", "WS2"],
        "in_progress_workstreams": [], "pending_workstreams": [], "status": "paused",
    }));
    pipeline(
        &environment,
        &["gate", "pass", "PRD-009", "q", "--for", "WS1"],
    )
    .exits(0);
    assert_eq!(
        stored(&environment)["gates_pending"],
        json!(["q (WS2)", "r"])
    );
}
