//! What the run of a gate proves, and where that is shown.

use std::process::Command;

use crate::support::environment::Environment;
use crate::support::pipeline::{
    assert_proof_is_shown, begun, checked, gate, pipeline, proof, receipt, with_gate,
};

#[test]
fn a_proof_holds_for_the_content_it_was_given_for_and_for_its_commit() {
    let environment = with_gate("echo tested");
    assert_eq!(checked(&environment), (Some(6), "missing".into()));
    environment.write("src/a.txt", "edited\n");
    let run = gate(&environment, &["run", "PRD-009", "tested", "--for", "WS1"]).exits(0);
    assert!(run.stderr.contains("tested\n"), "{run}");
    assert_eq!(checked(&environment), (Some(0), "proven".into()));
    environment.git(&["commit", "--quiet", "--all", "--message", "What was tested"]);
    assert_eq!(checked(&environment), (Some(0), "proven".into()));
    let resumed = environment
        .ckpt(&["pipeline", "resume", "PRD-009"])
        .exits(0);
    assert!(
        resumed.stdout.contains("Last gate passed: tested (WS1)"),
        "{resumed}"
    );
    environment.write("src/a.txt", "edited again\n");
    assert_eq!(checked(&environment), (Some(6), "older_content".into()));
    let receipt = receipt(&environment);
    assert_eq!(receipt["exit_code"], 0);
    assert_eq!(receipt["output_tail"], "tested\n");
    assert_eq!(receipt["by"], "main");
}

#[test]
fn a_claim_is_not_a_proof_unless_claims_are_accepted() {
    let environment = with_gate("true");
    gate(&environment, &["pass", "PRD-009", "tested", "--for", "WS1"]).exits(0);
    assert_eq!(checked(&environment), (Some(6), "claimed".into()));
    gate(&environment, &["check", "PRD-009", "--allow-claims"]).exits(0);
}

#[test]
fn a_gate_that_changes_files_proves_nothing_about_what_it_left() {
    let environment = with_gate("echo more >> src/a.txt");
    gate(&environment, &["run", "PRD-009", "tested", "--for", "WS1"]).exits(0);
    assert!(receipt(&environment)["content_after"].is_string());
    assert_eq!(checked(&environment), (Some(6), "older_content".into()));
}

#[test]
fn every_kind_of_proof_looks_different_everywhere() {
    let environment = with_gate("test ! -e ../fail");
    let run = ["run", "PRD-009", "tested", "--for", "WS1"];
    let shown = environment.ckpt(&["pipeline", "show"]).exits(0);
    assert!(
        shown.stdout.contains("  · gate tested (WS1): missing\n"),
        "{shown}"
    );
    gate(&environment, &["pass", "PRD-009", "tested", "--for", "WS1"]).exits(0);
    assert_proof_is_shown(
        &environment,
        "~",
        "claimed",
        "Gate \"tested (WS1)\" is only claimed to have passed, by main",
    );
    environment.write("src/a.txt", "edited\n");
    gate(&environment, &run).exits(0);
    let proven = "WS1 (proven: gate tested ran on this content)";
    assert_proof_is_shown(&environment, "✓", "proven", proven);
    environment.git(&["commit", "--quiet", "--all", "--message", "What was tested"]);
    assert_proof_is_shown(&environment, "✓", "proven", proven);
    environment.write("../fail", "");
    gate(&environment, &run).exits(6);
    assert_proof_is_shown(
        &environment,
        "✗",
        "failed",
        "Gate \"tested (WS1)\" failed, at ",
    );
}

#[test]
fn gates_of_commands_and_plans_are_shown_with_them() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "ship", "--phases", "a"])
        .exits(0);
    environment.write("plans/260220-1149-x/plan.md", "- [ ] A <!-- TASK: a -->\n");
    for key in ["ship", "260220-1149-x"] {
        environment
            .ckpt(&["gate", "run", key, "tests", "--", "true"])
            .exits(0);
        environment
            .ckpt(&["gate", "run", key, "lint", "--", "false"])
            .exits(6);
        let shown = environment.ckpt(&["show", key]).exits(0);
        assert!(
            shown
                .stdout
                .contains("✓ gate tests: proven\n✗ gate lint: failed\n"),
            "{shown}"
        );
        let resumed = environment.ckpt(&["resume", key]).exits(0);
        for told in [
            "\n- Gate lint failed, at ",
            "\n- Gate tests (proven: it ran on this content)\n",
        ] {
            assert!(resumed.stdout.contains(told), "{told}: {resumed}");
        }
    }
    let status = environment.ckpt(&["status"]).exits(0);
    assert_eq!(
        status.stdout.matches("gates: 1 proven, 1 failed\n").count(),
        2,
        "{status}"
    );
}

#[test]
fn a_gate_over_files_is_proven_for_each_workstream_and_the_last_run_counts() {
    let environment = begun(
        "workstreams: { WS1: { outputs: [a.txt] }, WS2: { outputs: [b.txt] } }\nexecution_phases:\n  - { name: All, parallel: [WS1, WS2], gates: [exists] }\ngates:\n  exists: { command: 'ls {paths}' }\n",
    );
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "exists", "--for", "WS1"],
    )
    .exits(0);
    assert_eq!(proof(&environment), "missing");
    pipeline(&environment, &["gate", "run", "PRD-009", "exists"]).exits(6);
    assert_eq!(proof(&environment), "failed");
    environment.write("b.txt", "b\n");
    pipeline(&environment, &["fixed", "PRD-009"]).exits(0);
    pipeline(&environment, &["gate", "run", "PRD-009", "exists"]).exits(0);
    assert_eq!(proof(&environment), "proven");
    // The outputs of a deferred workstream are not looked for.
    std::fs::remove_file(environment.path("b.txt")).unwrap();
    pipeline(
        &environment,
        &["defer", "PRD-009", "WS2", "--reason", "later"],
    )
    .exits(0);
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "exists", "--for", "WS1"],
    )
    .exits(0);
    assert_eq!(proof(&environment), "proven");
}

#[test]
fn another_command_proves_nothing() {
    // Below `plans/`, so that the specification is not part of the content.
    let environment = Environment::new();
    let spec = |command: &str| {
        let text = format!(
            "---\nprd: PRD-009\nworkstreams: {{ WS1: {{ gate: t }} }}\ngates: {{ t: {{ command: '{command}' }} }}\n---\n"
        );
        environment.write("plans/SPEC.md", &text);
    };
    spec("false");
    pipeline(&environment, &["init", "plans/SPEC.md"]).exits(0);
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    environment
        .ckpt(&["gate", "run", "PRD-009", "t", "--", "true"])
        .exits(0);
    assert_eq!(proof(&environment), "older_content");
    spec("true");
    let run = ["gate", "run", "PRD-009", "t", "--for", "WS1"];
    let refused = pipeline(&environment, &run).exits(6);
    assert!(refused.reason().contains("has changed since"), "{refused}");
    pipeline(&environment, &["sync", "PRD-009"]).exits(0);
    pipeline(&environment, &run).exits(0);
    assert_eq!(proof(&environment), "proven");
    spec("false");
    assert_eq!(proof(&environment), "older_content");
}

#[test]
fn what_is_added_after_a_run_makes_its_proof_one_of_older_content() {
    let environment =
        begun("workstreams: { WS1: { gate: t } }\ngates: { t: { command: 'true' } }\n");
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    pipeline(
        &environment,
        &["gate", "run", "PRD-009", "t", "--for", "WS1"],
    )
    .exits(0);
    let shown = pipeline(&environment, &["show"]).exits(0);
    assert!(shown.stdout.contains("gate t (WS1): proven"), "{shown}");
    environment.write("new.txt", "n\n");
    environment.git(&["add", "new.txt"]);
    let shown = pipeline(&environment, &["show"]).exits(0);
    assert!(
        shown.stdout.contains("gate t (WS1): ran on older content"),
        "{shown}"
    );
}

#[test]
fn a_gate_that_changes_files_says_so() {
    let environment = begun(
        "workstreams: { WS1: { gate: t } }\ngates: { t: { command: 'echo more >> a.txt' } }\n",
    );
    environment.ckpt(&["start", "ship"]).exits(0);
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    for arguments in [
        &["pipeline", "gate", "run", "PRD-009", "t", "--for", "WS1"][..],
        &["gate", "run", "ship", "t", "--", "touch", "b.txt"],
    ] {
        let run = environment.ckpt(arguments).exits(0);
        assert!(run.stderr.contains("the gate changed files"), "{run}");
    }
    let run = environment.ckpt(&["gate", "run", "ship", "t", "--json", "--", "touch", "c.txt"]);
    assert_eq!(run.json()["changed_files"], true);
    let run = environment.ckpt(&["gate", "run", "ship", "t", "--json", "--", "true"]);
    assert_eq!(run.json()["changed_files"], false);
}

#[test]
fn outside_git_a_run_counts_only_as_a_claim() {
    let directory = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let ckpt = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ckpt"))
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", home.path())
            .current_dir(directory.path())
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let spec = "---\nprd: PRD-009\nworkstreams: { WS1: { gate: t } }\ngates: { t: { command: 'true' } }\n---\n";
    std::fs::write(directory.path().join("s.md"), spec).unwrap();
    for arguments in [
        &["pipeline", "init", "s.md"][..],
        &["pipeline", "start", "PRD-009", "WS1"],
        &["pipeline", "gate", "run", "PRD-009", "t", "--for", "WS1"],
    ] {
        assert_eq!(ckpt(arguments).0, Some(0), "{arguments:?}");
    }
    let check = ["pipeline", "gate", "check", "PRD-009"];
    assert_eq!(ckpt(&check), (Some(6), "t (WS1): claimed\n".to_owned()));
    assert_eq!(ckpt(&[&check[..], &["--allow-claims"]].concat()).0, Some(0));
}
