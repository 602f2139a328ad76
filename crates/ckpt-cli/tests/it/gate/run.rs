//! Running a gate's command, and ending it together with everything it started.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::environment::Environment;
use crate::support::pipeline::{
    FILE, assert_proof_is_shown, begun, checked, gate, pipeline, receipt, with_gate,
};
use crate::support::tool;

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
fn a_gate_whose_process_was_killed_is_reported_as_interrupted() {
    let environment =
        with_gate("test -e ../again && exit; echo $$ > ../child.pid; touch ../begun; sleep 3000");
    let mut child = start(&environment);
    wait_for(&environment, "../begun");
    assert_eq!(checked(&environment).1, "running");
    assert_proof_is_shown(
        &environment,
        "▶",
        "running",
        "Wait for gate \"tested (WS1)\", which is running.",
    );
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
    assert_proof_is_shown(
        &environment,
        "!",
        "interrupted",
        "Gate \"tested (WS1)\" was interrupted, at ",
    );
    // What it left behind does not disturb the next run.
    environment.write("../again", "");
    gate(&environment, &["run", "PRD-009", "tested", "--for", "WS1"]).exits(0);
    assert!(is_gone(environment.read("../child.pid").trim()));
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
    let expected = format!("{}{erased}{}{erased}", clock(1), clock(2));
    assert!(printed.contains(&expected), "{printed:?}");
    assert!(printed.contains(&format!("{erased}some")), "{printed:?}");
    // The elapsed time is not shown inside a line that the gate has begun.
    let (_, after) = printed.split_once("half").unwrap();
    assert!(!after.contains("has been running"), "{printed:?}");
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
        for event in [": started", ": passed", ": failed"] {
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
    assert!(
        shown.stdout.contains("tests: ran on older content"),
        "{shown}"
    );
    environment
        .ckpt(&["gate", "run", "nothing", "tests", "--", "true"])
        .exits(3);
}

#[test]
fn quotes_around_all_paths_neither_join_nor_open_them() {
    let environment = begun(
        "workstreams: { WS1: { outputs: ['$(touch ../pwned)', 'b c.txt'], gate: t } }\ngates: { t: { command: 'printf \"%s|\" \"{paths}\"' } }\n",
    );
    pipeline(&environment, &["start", "PRD-009", "WS1"]).exits(0);
    let run = pipeline(
        &environment,
        &["gate", "run", "PRD-009", "t", "--for", "WS1"],
    )
    .exits(0);
    assert!(run.stderr.contains("$(touch ../pwned)|b c.txt|"), "{run}");
    assert!(!environment.path("../pwned").exists());
}
