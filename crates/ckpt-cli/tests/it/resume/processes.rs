//! How many git processes a brief starts.

use serde_json::json;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::strace::strace_works;

const PLAN: &str = "plans/260101-0000-x/plan.md";

/// A repository in which a brief has to ask git for everything that it can ask for.
fn everything_moved(checkpoints: usize) -> Environment {
    let environment = Environment::new();
    environment.write("src/login.py", "def check_password(): ...\n");
    environment.commit("Check passwords");
    for number in 0..3 {
        environment.git(&[
            "switch",
            "--quiet",
            "--create",
            &format!("feature-{number}"),
        ]);
        let plan = PLAN.replace("-x/", &format!("-x{number}/"));
        environment.write(&plan, "- [ ] A <!-- TASK: a -->\n");
        let id = format!("260101-0000-x{number}");
        environment.ckpt(&["plan", "sync", "--plan", &id]).exits(0);
        environment.git(&["add", &plan]);
        environment.git(&["commit", "--quiet", "--message", "Plan"]);
        environment.git(&["switch", "--quiet", "main"]);
    }
    for number in 0..checkpoints {
        let feature = format!("f{number}");
        environment.ckpt(&["start", "implement", &feature]).exits(0);
    }
    environment.ckpt(&["start", "ship"]).exits(0);
    let summary = "Use check_password in src/login.py.";
    let phase = [
        "phase",
        "ship",
        "pre-flight",
        "complete",
        "--summary",
        summary,
    ];
    environment.ckpt(&phase).exits(0);
    environment
        .ckpt(&["gate", "run", "ship", "tests", "--", "true"])
        .exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    let other = environment.base().join("grace");
    let other = other.to_str().unwrap();
    environment.git(&["clone", "--quiet", ".", other]);
    std::fs::write(format!("{other}/src/login.py"), "def verify(): ...\n").unwrap();
    environment.git_in(
        other,
        &["commit", "--quiet", "--all", "--message", "Rename"],
    );
    environment.git(&["pull", "--quiet", other, "main"]);
    environment.write("new.txt", "");
    environment
}

#[test]
fn a_brief_starts_at_most_three_git_processes_whatever_there_is_to_ask() {
    if !strace_works() {
        return;
    }
    let environment = everything_moved(20);
    let event = json!({"session_id": "s1", "cwd": environment.path(""), "hook_event_name": "SessionStart", "source": "startup"});
    let trace = environment.base().join("trace");
    let mut command = environment.command("strace");
    command.args(["-f", "-e", "trace=execve", "-o"]).arg(&trace);
    command.args([CKPT, "hook", "claude"]);
    let said = Run::reading(&mut command, event.to_string().as_bytes())
        .exits(0)
        .stdout;
    for told in [
        "1 commit by others",
        "check_password",
        "new.txt",
        "is void",
        "on branch feature-2",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    let trace = std::fs::read_to_string(trace).unwrap();
    let started = trace
        .lines()
        .filter(|line| line.contains("[\"git\"") && line.ends_with("= 0"));
    assert_eq!(started.count(), 3, "{trace}");
}
