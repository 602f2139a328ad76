//! What a hook reads: each file of a plan once.

use serde_json::{Value, json};

use crate::support::agent::{PLAN, STATE, THREE_TASKS, planned, ticked};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::event::{edited, event};
use crate::support::strace::strace_works;

/// The files that a hook opens to read them, as strace sees it.
fn opened(environment: &Environment, name: &str, members: &Value) -> Vec<String> {
    let trace = environment.base().join("trace");
    let mut command = environment.command("strace");
    command.args(["-f", "-e", "trace=openat,openat2,open", "-o"]);
    command.arg(&trace).args([CKPT, "hook", "claude"]);
    let event = event(environment, "s1", name, members);
    Run::reading(&mut command, event.to_string().as_bytes()).exits(0);
    let trace = std::fs::read_to_string(trace).unwrap();
    let reads = trace.lines().filter(|line| line.contains("O_RDONLY"));
    // A call that failed does not count: nothing was read.
    let reads = reads.filter(|line| !line.contains(" = -1 "));
    reads.map(str::to_owned).collect()
}

fn times(opened: &[String], file: &str) -> usize {
    let name = format!("{}\"", file.rsplit('/').next().unwrap());
    opened.iter().filter(|line| line.contains(&name)).count()
}

#[test]
fn an_edit_reads_each_file_of_its_plan_once() {
    if !strace_works() {
        return;
    }
    let environment = planned(THREE_TASKS);
    edited(&environment, PLAN);
    let text = environment.read(PLAN);
    environment.write(PLAN, text.replacen("[ ]", "[x]", 1));
    let members = json!({"tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}});
    let opened = opened(&environment, "PostToolUse", &members);
    for file in [PLAN, STATE] {
        assert_eq!(times(&opened, file), 1, "{file}: {opened:#?}");
    }
}

#[test]
fn the_start_of_a_session_reads_each_file_of_a_plan_once() {
    if !strace_works() {
        return;
    }
    let environment = ticked();
    edited(&environment, PLAN);
    let opened = opened(&environment, "SessionStart", &json!({"source": "startup"}));
    for file in [PLAN, STATE] {
        assert_eq!(times(&opened, file), 1, "{file}: {opened:#?}");
    }
}
