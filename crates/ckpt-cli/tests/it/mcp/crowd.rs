//! Many clients and hooks at once.

use std::fmt::Write as _;
use std::thread::scope;

use serde_json::json;

use crate::support::environment::Environment;
use crate::support::mcp::Client;

const CROWD: usize = 20;
const PLAN: &str = "plans/260220-1149-login/plan.md";

#[test]
fn twenty_clients_and_twenty_hooks_lose_nothing() {
    let environment = Environment::new();
    let mut text = String::from("<!-- CHECKPOINT: a -->\n");
    for task in 0..2 * CROWD {
        writeln!(text, "- [ ] Task {task} <!-- TASK: t{task} -->").unwrap();
    }
    environment.write(PLAN, &text);
    environment.ckpt(&["plan", "sync"]).exits(0);
    scope(|scope| {
        for number in 0..CROWD {
            let environment = &environment;
            scope.spawn(move || {
                let mut client = Client::new(environment);
                let tasks = [format!("t{}", 2 * number), format!("t{}", 2 * number + 1)];
                for task in tasks {
                    client.done("plan", &json!({ "action": "done", "tasks": [task] }));
                }
                assert_eq!(client.leave(), Some(0));
            });
            scope.spawn(move || {
                let event = json!({
                    "hook_event_name": "PostToolUse", "session_id": format!("s{number}"),
                    "cwd": environment.root(), "tool_name": "Edit",
                    "tool_input": { "file_path": environment.path(PLAN) },
                });
                for _ in 0..3 {
                    environment
                        .ckpt_reading(event.to_string(), &["hook", "claude"])
                        .exits(0);
                }
            });
        }
    });
    let text = environment.read(PLAN);
    assert_eq!(text.matches("- [x] ").count(), 2 * CROWD, "{text}");
    environment.ckpt(&["plan", "sync"]).exits(0);
    let shown = environment
        .ckpt(&["plan", "show", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        shown["state"]["progress"]["completedTasks"],
        2 * CROWD,
        "{shown}"
    );
    environment.ckpt(&["validate"]).exits(0);
}
