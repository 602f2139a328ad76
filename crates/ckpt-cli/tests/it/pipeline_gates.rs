//! Gates of pipelines that are run: what they prove, and how they end.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::environment::Environment;
use crate::support::pipeline::{FILE, assert_proof_is_shown, checked, gate, receipt, with_gate};
use crate::support::tool;

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
        resumed.stdout.contains("tested (WS1): unchecked"),
        "{resumed}"
    );
    environment.write("src/a.txt", "edited again\n");
    assert_eq!(checked(&environment), (Some(6), "stale".into()));
    let receipt = receipt(&environment);
    assert_eq!(receipt["exit_code"], 0);
    assert_eq!(receipt["output_tail"], "tested\n");
    assert_eq!(receipt["by"], "main");
}

#[test]
fn a_claim_is_no_proof_unless_it_is_taken_for_one() {
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
    assert_eq!(checked(&environment), (Some(6), "stale".into()));
}

#[test]
fn paths_are_the_outputs_of_the_workstream_as_words() {
    let environment = with_gate("printf '%s|' {paths}");
    gate(&environment, &["run", "PRD-009", "tested", "--for", "WS1"]).exits(0);
    assert_eq!(
        receipt(&environment)["output_tail"],
        "src/a.txt|src/b c.txt|"
    );
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
fn a_gate_that_hangs_is_ended_with_all_it_started() {
    let environment = with_gate("sleep 3000 & echo $! > ../child.pid; sleep 3000");
    let run = gate(
        &environment,
        &["run", "PRD-009", "tested", "--for", "WS1", "--timeout", "1"],
    );
    assert_eq!(run.code, Some(6), "{run}");
    assert!(run.stdout.contains("it took too long"), "{run}");
    let child = environment.read("../child.pid");
    assert!(is_gone(child.trim()), "{child}");
}

fn is_gone(process: &str) -> bool {
    (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
        stat.map_or(true, |stat| stat.contains(") Z"))
    })
}

fn start(environment: &Environment) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_ckpt"))
        .args([
            "pipeline", "gate", "run", "PRD-009", "tested", "--for", "WS1",
        ])
        .current_dir(environment.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until the gate's command has begun.
fn wait_for(environment: &Environment, file: &str) {
    let there = |_: u32| {
        std::thread::sleep(Duration::from_millis(10));
        environment.path(file).exists()
    };
    assert!((0..3000).any(there));
}

#[test]
fn an_interrupt_ends_the_gate_and_leaves_the_pipeline_as_it_was() {
    let environment = with_gate("echo $$ > ../child.pid; touch ../begun; sleep 3000");
    let mut child = start(&environment);
    wait_for(&environment, "../begun");
    let id = i32::try_from(child.id()).unwrap();
    let status = Command::new("kill")
        .args(["-INT", &id.to_string()])
        .status();
    assert!(status.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(6));
    assert!(is_gone(environment.read("../child.pid").trim()));
    let state: serde_json::Value = serde_json::from_str(&environment.read(FILE)).unwrap();
    assert_eq!(state["status"], "in_progress");
    assert_eq!(checked(&environment).1, "interrupted");
}

#[test]
fn a_gate_whose_process_was_killed_is_said_to_be_interrupted() {
    let environment =
        with_gate("test -e ../again && exit; echo $$ > ../child.pid; touch ../begun; sleep 3000");
    let mut child = start(&environment);
    wait_for(&environment, "../begun");
    assert_eq!(checked(&environment).1, "running");
    assert_proof_is_shown(&environment, "▶", "running");
    // No lock is held meanwhile.
    environment
        .ckpt(&["pipeline", "note", "PRD-009", "--cleanup", "meanwhile"])
        .exits(0);
    child.kill().unwrap();
    child.wait().unwrap();
    let run = environment
        .ckpt(&["pipeline", "resume", "PRD-009", "--continue"])
        .exits(0);
    assert!(run.stdout.contains("tested (WS1): interrupted"), "{run}");
    assert_proof_is_shown(&environment, "!", "interrupted");
    // What it left behind does not disturb the next run.
    environment.write("../again", "");
    gate(&environment, &["run", "PRD-009", "tested", "--for", "WS1"]).exits(0);
    assert!(is_gone(environment.read("../child.pid").trim()));
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
    assert_proof_is_shown(&environment, "~", "claimed");
    environment.write("src/a.txt", "edited\n");
    gate(&environment, &run).exits(0);
    assert_proof_is_shown(&environment, "✓", "proven");
    environment.git(&["commit", "--quiet", "--all", "--message", "What was tested"]);
    assert_proof_is_shown(&environment, "?", "unchecked");
    environment.write("../fail", "");
    gate(&environment, &run).exits(6);
    assert_proof_is_shown(&environment, "✗", "failed");
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
        assert!(
            resumed
                .stdout
                .contains("\nGates: tests proven, lint failed.\n"),
            "{resumed}"
        );
    }
    let status = environment.ckpt(&["status"]).exits(0);
    assert_eq!(
        status.stdout.matches("gates: 1 proven, 1 failed\n").count(),
        2,
        "{status}"
    );
}

#[test]
fn what_leaves_the_process_group_of_a_gate_is_ended_as_well() {
    let environment = with_gate(
        "setsid sh -c 'echo $$ > ../child.pid; touch ../begun; exec sleep 3000' & while ! test -e ../begun; do sleep 0.01; done",
    );
    gate(&environment, &["run", "PRD-009", "tested", "--for", "WS1"]).exits(0);
    assert!(is_gone(environment.read("../child.pid").trim()));
}

/// `script` gives it a terminal.
#[test]
fn on_a_terminal_the_time_is_shown_while_a_gate_prints_nothing() {
    if !tool::works("script", &["--version"]) {
        return;
    }
    let environment = with_gate("sleep 2.2; echo some; sleep 1.2; printf half; sleep 1.2");
    let ckpt = env!("CARGO_BIN_EXE_ckpt");
    let command = format!("{ckpt} pipeline gate run PRD-009 tested --for WS1");
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("TERM", "xterm")
        .current_dir(environment.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let clock = |seconds: u32| format!("gate tested (WS1) has been running for 0:0{seconds}");
    let erased = "\r\u{1b}[2K";
    let expected = format!("{}{erased}{}{erased}some", clock(1), clock(2));
    assert!(printed.contains(&expected), "{printed:?}");
    // The line that the gate has begun is its own.
    assert!(!printed.contains(&clock(4)), "{printed:?}");
    assert!(printed.contains("half"), "{printed:?}");
}

/// A gigabyte of output passes through; only its end is kept.
#[test]
fn a_gate_that_prints_a_gigabyte_takes_little_memory() {
    let environment = with_gate("head -c 1000000000 /dev/zero; echo end");
    let mut child = start(&environment);
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(peak.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(most > 0 && most < 50_000, "{most} kB");
    let receipt = receipt(&environment);
    assert_eq!(receipt["output_bytes"], 1_000_000_004_u64);
    assert!(receipt["output_tail"].as_str().unwrap().ends_with("end\n"));
}

/// Any checkpoint can have gates that are run.
#[test]
fn a_command_is_run_as_a_gate_of_a_command_a_plan_and_a_pipeline() {
    let environment = with_gate("true");
    environment.ckpt(&["start", "ship"]).exits(0);
    environment.write("plans/260220-1149-x/plan.md", "- [ ] A <!-- TASK: a -->\n");
    for (key, gate) in [
        ("ship", "tests"),
        ("260220-1149-x", "tests"),
        ("PRD-009", "tested"),
    ] {
        let arguments = [
            "gate",
            "run",
            key,
            gate,
            "--",
            "sh",
            "-c",
            "echo 'it works'",
        ];
        let run = environment.ckpt(&arguments).exits(0);
        assert!(run.stderr.contains("it works"), "{key}: {run}");
        let failing = ["gate", "run", key, gate, "--", "false"];
        environment.ckpt(&failing).exits(6);
        let log = environment.ckpt(&["log", key, "-n", "20"]).exits(0).stdout;
        for event in ["gate_started", "gate_passed", "gate_failed"] {
            assert!(log.contains(event), "{key}: no {event} in {log}");
        }
    }
    environment
        .ckpt(&["gate", "run", "ship", "tests", "--", "true"])
        .exits(0);
    let shown = environment.ckpt(&["gate", "show", "ship"]).exits(0);
    assert!(shown.stdout.contains("tests: proven"), "{shown}");
    environment.write("src/a.txt", "other\n");
    let shown = environment.ckpt(&["gate", "show", "ship"]).exits(0);
    assert!(shown.stdout.contains("tests: stale"), "{shown}");
    environment
        .ckpt(&["gate", "run", "nothing", "tests", "--", "true"])
        .exits(3);
}
