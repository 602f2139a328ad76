//! What a hook reads: each file of a plan once.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::support::agent::{PLAN, STATE, THREE_TASKS, planned, ticked};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::event::{edited, event};
use crate::support::strace::strace_works;

/// The files that a hook opens and reads, as strace sees it. One that it only syncs does not count.
fn opened(environment: &Environment, name: &str, members: &Value) -> Vec<String> {
    let trace = environment.base().join("trace");
    let mut command = environment.command("strace");
    let calls = "trace=openat,openat2,open,read,pread64,getdents64";
    command.args(["-e", calls, "-o"]);
    command.arg(&trace).args([CKPT, "hook", "claude"]);
    let event = event(environment, "s1", name, members);
    Run::reading(&mut command, event.to_string().as_bytes()).exits(0);
    let trace = std::fs::read_to_string(trace).unwrap();
    let mut open: HashMap<&str, &str> = HashMap::new();
    let mut read = Vec::new();
    for line in trace.lines() {
        let (call, rest) = line.split_once('(').unwrap_or_default();
        if call.starts_with("open") {
            // The last one of this number was closed.
            let number = line.rsplit(" = ").next().unwrap_or_default();
            open.insert(number, line);
        } else if let Some(line) = rest.split([',', ')']).next().and_then(|fd| open.remove(fd)) {
            read.push(line.to_owned());
        }
    }
    read
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
