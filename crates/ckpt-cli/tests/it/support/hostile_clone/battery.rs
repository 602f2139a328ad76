//! Everything that a user and an agent do with a clone.

use std::fs::{self, File};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::judge::Typed;
use super::{Clone, Ended, PLAN, TOKEN, binary};

/// A command that takes longer counts as hanging.
const LONGEST: Duration = Duration::from_secs(20);
/// Seconds of processor time, for a debug build.
const HOOK_SECONDS: u32 = 3;
const COMMAND_SECONDS: u32 = 8;
/// Address space in KiB.
const MEMORY: u32 = 1_500_000;

/// Ways to push.
const PUSHES: [&str; 5] = [
    "git push",
    "/usr/bin/env git push",
    "git commit -m \"$(cat <<'EOF'\nSay it's done.\nEOF\n)\" && git push",
    "git commit -m \"$(cat <<'EOF'\nUse $(x instead.\nEOF\n)\" && git push",
    "gh pr merge 1",
];

impl Clone {
    /// Runs `ckpt`, with the event on standard input if there is one, and judges the result.
    pub(super) fn ckpt(
        &mut self,
        typed: Typed,
        arguments: &[&str],
        input: Option<&Value>,
    ) -> Option<Ended> {
        if self.is_over {
            return None;
        }
        let mut name = arguments.join(" ");
        if let Some(event) = input {
            name = format!(
                "{name} {}",
                event["hook_event_name"].as_str().unwrap_or_default()
            );
        }
        let ended = self.run(&name, arguments, input)?;
        self.judge(typed, &ended);
        Some(ended)
    }

    fn run(&mut self, name: &str, arguments: &[&str], input: Option<&Value>) -> Option<Ended> {
        let out = |what: &str| self.base.join("out").join(what);
        let is_hook = arguments.first() == Some(&"hook");
        let seconds = if is_hook {
            HOOK_SECONDS
        } else {
            COMMAND_SECONDS
        };
        let limits = format!("ulimit -c 0; ulimit -t {seconds}; ulimit -v {MEMORY}; exec \"$@\"");
        let mut command = self.command("sh");
        command
            .args(["-c", &limits, "sh"])
            .arg(binary())
            .args(arguments)
            .current_dir(self.top().join(&self.wishes.directory))
            .env("CLAUDE_PROJECT_DIR", self.top())
            .env("VICTIM_TOKEN", TOKEN)
            .stdout(File::create(out("stdout")).unwrap())
            .stderr(File::create(out("stderr")).unwrap());
        let of_hooks = self.wishes.hook_variables.iter().filter(|_| is_hook);
        for (variable, value) in self.wishes.variables.iter().chain(of_hooks) {
            let value = value.replace("$OUTSIDE", self.base.join("outside").to_str().unwrap());
            let value = value.replace("$CLONE", self.top().to_str().unwrap());
            let value = value.replace("$CANARY", self.base.join("bin/canary").to_str().unwrap());
            match value.as_str() {
                "" => command.env_remove(variable),
                value => command.env(variable, value),
            };
        }
        if let Some(event) = input {
            fs::write(out("stdin"), event.to_string()).unwrap();
            command.stdin(File::open(out("stdin")).unwrap());
        }
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > LONGEST {
                child.kill().unwrap();
                child.wait().unwrap();
                self.fault(name, "hangs");
                self.is_over = true;
                return None;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let text = |what: &str| {
            let bytes = fs::read(self.base.join("out").join(what)).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Some(Ended {
            name: name.to_owned(),
            status,
            stdout: text("stdout"),
            stderr: text("stderr"),
        })
    }

    fn hook(&mut self, agent: &str, event: &str, members: &Value) -> Option<Ended> {
        let mut whole = json!({
            "session_id": "s1",
            "transcript_path": self.base.join("home/.claude/projects/s1.jsonl"),
            "cwd": self.top().join(&self.wishes.directory),
            "hook_event_name": event,
        });
        let all = whole.as_object_mut().unwrap();
        all.extend(members.as_object().unwrap().clone());
        if agent == "cursor" {
            all.insert("workspace_roots".to_owned(), json!([self.top()]));
        }
        self.ckpt(Typed::Nothing, &["hook", agent], Some(&whole))
    }

    fn reads(&mut self, commands: &[&[&str]]) {
        for command in commands {
            self.ckpt(Typed::Nothing, command, None);
        }
    }

    fn claude(&mut self) {
        let plan = self.top().join(PLAN);
        let shell = |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"});
        self.hook("claude", "SessionStart", &json!({"source": "startup"}));
        self.hook(
            "claude",
            "UserPromptSubmit",
            &json!({"prompt": "/ship", "prompt_id": "p"}),
        );
        let pushes: &[&str] = match self.wishes.every_push {
            true => &PUSHES,
            false => &PUSHES[..1],
        };
        for push in pushes {
            let denied = self.hook("claude", "PreToolUse", &shell(push));
            self.judge_push(push, denied.as_ref());
        }
        if plan.symlink_metadata().is_ok() {
            self.hook(
                "claude",
                "PostToolUse",
                &json!({"tool_name": "Edit", "tool_input": {"file_path": plan}, "tool_use_id": "e"}),
            );
        }
        let checkpoint = self.top().join(".claude/state/implement-auth.json");
        self.hook(
            "claude",
            "PostToolUse",
            &json!({"tool_name": "Edit", "tool_input": {"file_path": checkpoint}, "tool_use_id": "c"}),
        );
        self.hook("claude", "PostToolUse", &shell("ls"));
        if !self.wishes.short {
            let agent = json!({"agent_id": "a1", "agent_type": "fullstack"});
            self.hook("claude", "SubagentStart", &agent);
            let mut end = agent;
            end["last_assistant_message"] = json!("All done: one.");
            end["agent_transcript_path"] = json!(self.base.join("home/.claude/projects/s1.jsonl"));
            self.hook("claude", "SubagentStop", &end);
            self.hook("claude", "PreCompact", &json!({"trigger": "auto"}));
        }
        let stop = self.hook("claude", "Stop", &json!({"stop_hook_active": false}));
        if stop.is_some_and(|stop| stop.stdout.contains("\"block\"")) {
            self.fault(
                "hook claude Stop",
                "the agent is kept at work, and the user did not ask for it",
            );
        }
        self.hook("claude", "SessionEnd", &json!({"reason": "exit"}));
    }

    /// Runs the whole battery.
    pub(super) fn battery(&mut self) {
        self.claude();
        let short = self.wishes.short;
        if !short {
            for (agent, event) in [
                ("codex", "SessionStart"),
                ("gemini", "SessionStart"),
                ("cursor", "sessionStart"),
                ("copilot", "sessionStart"),
            ] {
                self.hook(agent, event, &json!({"source": "startup"}));
            }
        }
        let status = self.ckpt(Typed::Nothing, &["status"], None);
        self.judge_refusal(status.as_ref());
        self.reads(&[
            &["resume"],
            &["list"],
            &["statusline"],
            &["plan", "show"],
            &["validate"],
            &["log"],
        ]);
        if !short {
            self.read_all();
        }
        self.judge_gates();
        for id in self.wishes.unproven.clone() {
            self.judge_receipts(&id);
        }
        self.reads(&[&["doctor"], &["init", "--dry-run", "--uninstall"]]);
        if short {
            self.judge_world(&[Typed::Nothing], "hooks and reading");
        }
        self.ckpt(Typed::Init, &["init", "--uninstall"], None);
        self.ckpt(Typed::Init, &["init", "--user", "--uninstall"], None);
        if !short {
            for command in [
                &["doctor", "--fix"][..],
                &["init", "--agent", "claude"],
                &["init"],
                &["doctor"],
            ] {
                self.ckpt(Typed::Init, command, None);
            }
            self.judge_hooks();
            self.ckpt(Typed::Init, &["init", "--uninstall"], None);
        }
        for command in [
            &["start", "implement", "auth"][..],
            &[
                "phase",
                "implement/auth",
                "build",
                "complete",
                "--summary",
                "done",
            ],
        ] {
            self.ckpt(Typed::Change, command, None);
        }
        self.ckpt(Typed::Tick, &["plan", "done", "one"], None);
        self.ckpt(Typed::Restore, &["plan", "recover"], None);
        if short {
            let all = [Typed::Init, Typed::Change, Typed::Tick, Typed::Restore];
            self.judge_world(&all, "changes");
        }
        if !short {
            for command in [
                &["plan", "sync"][..],
                &["plan", "sync", "--plan", "260101-0000-x"],
                &["plan", "note", "hello"],
                &["config", "set", "summary_limit", "400"],
                &["gate", "set", "ship", "--block", "no"],
                &["pipeline", "sync", "PRD-001"],
                &["handoff", "reply", "implement/auth", "response.json"],
            ] {
                self.ckpt(Typed::Change, command, None);
            }
            // Once more, now that there is state of the user's own.
            self.hook("claude", "SessionStart", &json!({"source": "resume"}));
            self.hook("claude", "SessionEnd", &json!({"reason": "exit"}));
        }
    }

    /// Every command that only reads.
    fn read_all(&mut self) {
        self.reads(&[
            &["status", "--all"],
            &["plan", "next"],
            &["pipeline", "show"],
            &["status", "--json"],
            &["resume", "--drift"],
            &["resume", "--json"],
            &["resume", "implement/auth"],
            &["list", "--json"],
            &["show"],
            &["show", "implement/auth"],
            &["show", "implement/auth", "--json"],
            &["show", "ship"],
            &["validate", "--strict", "--json"],
            &["log", "implement/auth"],
            &["log", "260101-0000-x"],
            &["log", "260101-0000-x", "--json"],
            &["config", "list"],
            &["config", "list", "--json"],
            &["notify"],
            &["notify", "test", "steal"],
            &["notify", "retry", "steal"],
            &["gate", "check", "--json"],
            &["gate", "show"],
            &["gate", "show", "ship"],
            &["plan", "show", "--json"],
            &["plan", "show", "--plan", "260101-0000-x"],
            &["plan", "next", "-n", "5", "--json"],
            &["plan", "use"],
            &["plan", "validate"],
            &["plan", "mark", "--dry-run"],
            &["plan", "mark", "--dry-run", "--json"],
            &["pipeline", "show", "PRD-001"],
            &["pipeline", "show", "--json"],
            &["pipeline", "next"],
            &["pipeline", "next", "--json"],
            &["pipeline", "graph"],
            &["pipeline", "graph", "--mermaid"],
            &["pipeline", "validate"],
            &["pipeline", "validate", "--json"],
            &["pipeline", "gate", "check"],
            &["handoff", "check", "request.json"],
            &["handoff", "check", "request.json", "--json"],
            &["doctor", "--json"],
            &[
                "init",
                "--dry-run",
                "--project",
                "--agent",
                "claude",
                "--agent",
                "copilot",
            ],
            &["init", "--dry-run"],
            &["init", "--dry-run", "--json"],
        ]);
    }
}
