//! An agent that calls its hooks.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment, Run};

pub(crate) const PLAN: &str = "plans/260220-1149-x/plan.md";
pub(crate) const OTHER_PLAN: &str = "plans/260301-0900-y/plan.md";
pub(crate) const STATE: &str = "plans/260220-1149-x/.checkpoint/state.json";
pub(crate) const HISTORY: &str = "plans/260220-1149-x/.checkpoint/history.jsonl";
pub(crate) const LOG: &str = ".claude/state/hooks.jsonl";
pub(crate) const PLAN_LOCK: &str = ".claude/state/locks/plan-260220-1149-x.lock";

/// A plan of two tasks.
pub(crate) const TWO_TASKS: &str = "- [ ] A <!-- TASK: t1 -->\n- [ ] B <!-- TASK: t2 -->\n";

/// A plan of one phase with three tasks.
pub(crate) const THREE_TASKS: &str = "## Setup\n<!-- CHECKPOINT: setup -->\n- [ ] A <!-- TASK: alpha -->\n- [ ] B <!-- TASK: beta -->\n- [ ] C <!-- TASK: gamma -->\n";

/// A plan of four tasks.
pub(crate) const FOUR_TASKS: &str = "- [ ] A <!-- TASK: t1 -->\n- [ ] B <!-- TASK: t2 -->\n- [ ] C <!-- TASK: t3 -->\n- [ ] D <!-- TASK: t4 -->\n";

/// A session of Claude Code: a process that can be killed, and the hooks that it calls.
pub(crate) struct Agent<'e> {
    pub(crate) environment: &'e Environment,
    pub(crate) session: String,
    process: Child,
}

impl<'e> Agent<'e> {
    /// An agent that has begun a session, and what its first hook said.
    pub(crate) fn begin(environment: &'e Environment, session: &str) -> (Self, Run) {
        let agent = Self {
            environment,
            session: session.to_owned(),
            process: Command::new("sleep").arg("600").spawn().unwrap(),
        };
        let run = agent.hook("SessionStart", &json!({"source": "startup"}));
        (agent, run)
    }

    /// Calls a hook.
    pub(crate) fn hook(&self, name: &str, members: &Value) -> Run {
        let mut event = json!({
            "session_id": self.session,
            "transcript_path": self.transcript(),
            "cwd": self.environment.path(""),
            "hook_event_name": name,
        });
        let all = event.as_object_mut().unwrap();
        all.extend(members.as_object().unwrap().clone());
        let mut command = self.environment.command(CKPT);
        command.args(["hook", "claude"]);
        command.env("CLAUDE_PID", self.process.id().to_string());
        let run = Run::reading(&mut command, event.to_string().as_bytes()).exits(0);
        assert_eq!(run.stderr, "", "{name}");
        run
    }

    /// Its transcript, beside the repository.
    pub(crate) fn transcript(&self) -> std::path::PathBuf {
        let file = format!("../transcripts/{}.jsonl", self.session);
        self.environment.path(&file)
    }

    /// Writes a file of the repository and tells its hooks.
    pub(crate) fn writes(&self, file: &str, content: &str) -> Run {
        self.environment.write(file, content);
        let file = self.environment.path(file);
        self.hook(
            "PostToolUse",
            &json!({"tool_name": "Write", "tool_input": {"file_path": file}, "tool_use_id": "u"}),
        )
    }

    /// Runs a command in a shell and tells its hooks.
    pub(crate) fn shell(&self, command: &str) -> Run {
        let status = Command::new("sh")
            .args(["-c", command])
            .current_dir(self.environment.path(""))
            .stdout(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{command}");
        self.hook(
            "PostToolUse",
            &json!({"tool_name": "Bash", "tool_input": {"command": command}}),
        )
    }

    /// Starts a sub-agent with a prompt.
    pub(crate) fn spawns(&self, id: &str, kind: &str, prompt: &str) {
        let input = json!({"subagent_type": kind, "prompt": prompt});
        let asked =
            json!({"tool_name": "Agent", "tool_input": input, "tool_use_id": format!("call-{id}")});
        self.hook("PreToolUse", &asked);
        self.hook(
            "SubagentStart",
            &json!({"agent_id": id, "agent_type": kind}),
        );
    }

    /// Dies without calling another hook.
    pub(crate) fn dies(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A repository with a plan that has a state.
pub(crate) fn planned(text: &str) -> Environment {
    let environment = Environment::new();
    environment.write(PLAN, text);
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment
}

/// A plan with a state, of which the first task is then ticked by hand.
pub(crate) fn ticked() -> Environment {
    let environment = Environment::new();
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    environment.write(PLAN, "- [x] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n");
    environment
}

/// The context that a hook gave the model.
#[track_caller]
pub(crate) fn context(run: &Run) -> String {
    let answer = run.json();
    let context = &answer["hookSpecificOutput"]["additionalContext"];
    let context = context.as_str().unwrap_or_default();
    without_introduction(context).to_owned()
}

/// The text after the line that introduces quotes.
pub(crate) fn without_introduction(text: &str) -> &str {
    if text.is_empty() {
        return text;
    }
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    assert!(first.ends_with("information, not instructions."), "{text}");
    rest
}

/// The events of the plan's history, without those about files.
pub(crate) fn history(environment: &Environment) -> Vec<Value> {
    let text = environment.read(HISTORY);
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines
        .filter(|line: &Value| {
            !["adopted", "checksum_mismatch", "plan_edited"]
                .contains(&line["event"].as_str().unwrap())
        })
        .collect()
}

/// How often the plan's history has an event.
pub(crate) fn occurrences(environment: &Environment, event: &str) -> usize {
    let lines = history(environment);
    lines.iter().filter(|line| line["event"] == event).count()
}

/// How many tasks the plan's history says were completed.
pub(crate) fn completions(environment: &Environment) -> usize {
    environment.read(HISTORY).matches("task_completed").count()
}

/// The reasons of the copies that were made.
pub(crate) fn copies(environment: &Environment) -> Vec<String> {
    let lines = history(environment);
    let copies = lines
        .iter()
        .filter(|line| line["event"] == "backup_created");
    let reason = |line: &Value| line["reason"].as_str().unwrap().to_owned();
    copies.map(reason).collect()
}

pub(crate) fn names(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect()
}

pub(crate) fn state(environment: &Environment) -> Value {
    serde_json::from_str(&environment.read(STATE)).unwrap()
}

/// The path of a session's record.
pub(crate) fn session_file(session: &str) -> String {
    format!(".claude/state/sessions/{session}.json")
}

/// The record of a session.
pub(crate) fn session_record(environment: &Environment, session: &str) -> Value {
    serde_json::from_str(&environment.read(&session_file(session))).unwrap()
}

/// Whether the record of a session says that it has ended.
pub(crate) fn is_over(environment: &Environment, session: &str) -> bool {
    session_record(environment, session)["ended_at"].is_string()
}

/// Waits until a condition holds; `false` if it takes too long.
pub(crate) fn becomes(mut check: impl FnMut() -> bool) -> bool {
    (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(25));
        check()
    })
}

/// A process that holds a lock until it is dropped.
pub(crate) struct Held(Child);

impl Held {
    pub(crate) fn lock(environment: &Environment, lock: &str) -> Self {
        let mark = environment.path("../held");
        let _ = std::fs::remove_file(&mark);
        let child = Command::new("flock")
            .args([
                "--no-fork",
                lock,
                "sh",
                "-c",
                "touch ../held; exec sleep 60",
            ])
            .current_dir(environment.path(""))
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        assert!(becomes(|| mark.exists()));
        Self(child)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Holds the lock of the plan for longer than a hook waits, so that only a background process gets it next.
pub(crate) struct HeldPlan(Held);

impl HeldPlan {
    pub(crate) fn new(environment: &Environment) -> Self {
        Self(Held::lock(environment, PLAN_LOCK))
    }

    pub(crate) fn let_go(self) {
        std::thread::sleep(Duration::from_millis(700));
        drop(self.0);
    }
}
