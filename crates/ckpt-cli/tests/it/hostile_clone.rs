//! A clone that somebody prepared, in a world that tells what was done to it.
//!
//! A script of `tests/clones` builds the repository that is cloned. Its first line says what the clone tries, lines that
//! begin with `#:` what else must hold:
//!
//! | line | meaning |
//! |---|---|
//! | `#: short` | the clone is large: only the commands that every user meets |
//! | `#: in DIRECTORY` | the battery is run there instead of at the top |
//! | `#: with NAME=VALUE` | a variable that the clone's settings for an agent set; without a value it is not set |
//! | `#: hooks-with NAME=VALUE` | the same, for hooks alone |
//! | `#: blocked KEY` | `gate check KEY` exits with 6, and a push is denied |
//! | `#: checked KEY` | `gate check KEY` exits with 6; a push sends commits, and those were approved |
//! | `#: denied` | a push is denied, and `gate check` never exits with 0 |
//! | `#: every-push` | and so is a push that is hard to recognise |
//! | `#: one-late` | there is never more than one process that goes on when its hook is over |
//! | `#: one-line` | `init` leaves no hook that another client takes for a bare `ckpt` |
//! | `#: unproven ID` | `pipeline gate check ID` exits with 6, and nothing calls a gate proven |
//! | `#: never TEXT` | no output has this text |
//! | `#: refused TEXT` | `status` fails and says this |
//! | `#: untouched` | not even state is written |
//! | `#: keeps FILE` | the file stays as it is, whatever is typed |
//! | `#: lacks FILE TEXT` | the file does not get this text, whatever is typed |
//! | `#: root DIRECTORY GIT` | the directory is a repository of its own to git, with this git directory |
//! | `#: private` | what the user's agent said is for nobody else to read, and git does not take it |
//! | `#: says TEXT` | `status` says this: the clone is used |

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::environment::CKPT;
use crate::hostile_judge::Typed;
use crate::hostile_world::World;

/// What nobody outside may get to see.
pub(crate) const SECRET: &str = "SECRET-4c0ffee4";
pub(crate) const TOKEN: &str = "ghp_T0KEN5ecret";
/// What the user's own agent said: its transcript is the user's alone.
pub(crate) const PRIVATE: &str = "PRIVATE-w0rds-of-the-agent";
/// What an attacker wants to stand at the beginning of a line.
pub(crate) const OVERRIDE: &str = "SYSTEM OVERRIDE";

/// Whatever takes longer hangs.
const LONGEST: Duration = Duration::from_secs(20);
/// Seconds of processor time, for a debug build.
const HOOK_SECONDS: u32 = 3;
const COMMAND_SECONDS: u32 = 8;
/// Address space in KiB.
const MEMORY: u32 = 1_500_000;

/// How a script ends that cannot do its work here, as where it needs root.
const NOT_HERE: i32 = 77;

/// Ways to push.
const PUSHES: [&str; 5] = [
    "git push",
    "/usr/bin/env git push",
    "git commit -m \"$(cat <<'EOF'\nSay it's done.\nEOF\n)\" && git push",
    "git commit -m \"$(cat <<'EOF'\nUse $(x instead.\nEOF\n)\" && git push",
    "gh pr merge 1",
];

pub(crate) const PLAN: &str = "plans/260101-0000-x/plan.md";

/// What a script asks for beside the invariants.
#[derive(Default)]
pub(crate) struct Wishes {
    pub(crate) short: bool,
    pub(crate) directory: String,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) hook_variables: Vec<(String, String)>,
    pub(crate) blocked: Vec<String>,
    pub(crate) checked: Vec<String>,
    pub(crate) denied: bool,
    pub(crate) every_push: bool,
    pub(crate) one_late: bool,
    pub(crate) one_line: bool,
    pub(crate) unproven: Vec<String>,
    pub(crate) never: Vec<String>,
    pub(crate) refused: Option<String>,
    pub(crate) untouched: bool,
    pub(crate) keeps: Vec<String>,
    pub(crate) lacks: Vec<(String, String)>,
    pub(crate) root: Option<(String, String)>,
    pub(crate) private: bool,
    pub(crate) says: Vec<String>,
}

impl Wishes {
    fn read(script: &Path) -> Self {
        let text = fs::read_to_string(script).unwrap();
        let mut wishes = Self::default();
        for line in text.lines().filter_map(|line| line.strip_prefix("#: ")) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "short" => wishes.short = true,
                "in" => rest.clone_into(&mut wishes.directory),
                "with" => {
                    let (name, value) = rest.split_once('=').unwrap();
                    wishes.variables.push((name.to_owned(), value.to_owned()));
                }
                "hooks-with" => {
                    let (name, value) = rest.split_once('=').unwrap();
                    let pair = (name.to_owned(), value.to_owned());
                    wishes.hook_variables.push(pair);
                }
                "blocked" => wishes.blocked.push(rest.to_owned()),
                "checked" => wishes.checked.push(rest.to_owned()),
                "denied" => wishes.denied = true,
                "every-push" => wishes.every_push = true,
                "one-late" => wishes.one_late = true,
                "one-line" => wishes.one_line = true,
                "unproven" => wishes.unproven.push(rest.to_owned()),
                "never" => wishes.never.push(rest.to_owned()),
                "refused" => wishes.refused = Some(rest.to_owned()),
                "untouched" => wishes.untouched = true,
                "keeps" => wishes.keeps.push(rest.to_owned()),
                "lacks" => {
                    let (file, text) = rest.split_once(' ').unwrap();
                    wishes.lacks.push((file.to_owned(), text.to_owned()));
                }
                "root" => {
                    let (directory, git) = rest.split_once(' ').unwrap();
                    wishes.root = Some((format!("{directory}/"), format!("{git}/")));
                }
                "private" => wishes.private = true,
                "says" => wishes.says.push(rest.to_owned()),
                other => panic!("{}: what is {other}?", script.display()),
            }
        }
        wishes
    }
}

/// How a command of the battery ended.
pub(crate) struct Ended {
    pub(crate) name: String,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn both(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// A clone and the world around it.
pub(crate) struct Clone {
    _directory: TempDir,
    pub(crate) base: PathBuf,
    pub(crate) script: PathBuf,
    pub(crate) name: String,
    pub(crate) wishes: Wishes,
    /// The world before the battery.
    pub(crate) first: World,
    /// The world before the present command.
    pub(crate) before: World,
    pub(crate) faults: Vec<String>,
    /// Whether it makes no sense to go on.
    pub(crate) is_over: bool,
}

/// Builds a clone with a script, does to it all that a user and an agent do, and says what was wrong.
pub(crate) fn faults_of(script: &str) -> Vec<String> {
    let Some(mut clone) = Clone::build(script) else {
        return Vec::new();
    };
    clone.battery();
    clone.finish();
    clone.faults
}

impl Clone {
    /// Makes the world and the clone; `None` where the script cannot do its work.
    fn build(name: &str) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/clones/{name}.sh"));
        let wishes = Wishes::read(&script);
        let directory = directory();
        let base = directory.path().canonicalize().unwrap();
        let mut clone = Self {
            _directory: directory,
            base,
            name: name.to_owned(),
            wishes,
            script,
            first: World::default(),
            before: World::default(),
            faults: Vec::new(),
            is_over: false,
        };
        clone.furnish();
        let origin = clone.base.join("origin");
        clone.git(&origin, &["init", "--quiet", "--initial-branch=main"]);
        fs::write(origin.join("README.md"), "hello\n").unwrap();
        if !clone.run_script(&origin, &[]) {
            return None;
        }
        clone.git(&origin, &["add", "--all", "--force"]);
        clone.git(
            &origin,
            &["commit", "--quiet", "--allow-empty", "-m", "all"],
        );
        let top = clone.top();
        clone.git(
            &clone.base,
            &[
                "clone",
                "--quiet",
                "--no-hardlinks",
                "origin",
                top.to_str().unwrap(),
            ],
        );
        let address = format!("https://user:{TOKEN}@example.invalid/x.git");
        clone.git(&top, &["remote", "set-url", "origin", &address]);
        fs::remove_dir_all(origin).unwrap();
        if clone.has_second_stage() && !clone.run_script(&top, &["after"]) {
            return None;
        }
        let _ = fs::remove_file(clone.base.join("canary.log"));
        clone.first = clone.world();
        clone.before = clone.first.clone();
        Some(clone)
    }

    /// Everything beside the clone: the user's home, what is private, the canary.
    fn furnish(&self) {
        let write = |name: &str, content: &str, mode: u32| {
            let path = self.base.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for name in ["origin", "out"] {
            fs::create_dir(self.base.join(name)).unwrap();
        }
        let said = |text: &str| {
            let message = json!({"role": "assistant", "content": [{"type": "text", "text": text}]});
            let line = json!({"type": "assistant", "uuid": "u", "timestamp": "2026-01-01T00:00:00.000Z", "message": message});
            format!("{line}\n")
        };
        write("outside/secret", &format!("{SECRET}\n"), 0o600);
        write("outside/transcript.jsonl", &said(SECRET), 0o600);
        let secret_plan = format!("- [ ] {SECRET} <!-- TASK: secret -->\n");
        write("outside/plan.md", &secret_plan, 0o600);
        let secret_json = json!({"command": "implement", "feature": SECRET, "version": 1, "state": {"current_phase": SECRET, "completed_phases": [], "pending_phases": [SECRET]}, "phases": {SECRET: {"status": "in_progress", "context_summary": SECRET}}});
        write("outside/secret.json", &secret_json.to_string(), 0o600);
        write("home/.claude/projects/s1.jsonl", &said(PRIVATE), 0o600);
        let settings = json!({"enforce_gates": true}).to_string();
        write("home/.config/ckpt/config.json", &settings, 0o644);
        let log = self.base.join("canary.log");
        let canary = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", log.display());
        for name in [
            "canary",
            "ckpt",
            "ckpt-evil",
            "git-fsmonitor",
            "git-evil",
            "git-lfs",
            "evil",
            "npm",
            "npx",
            "node",
            "make",
            "direnv",
            "gh",
            "ssh",
            "less",
            "pager",
            "vi",
            "editor",
            "python",
            "claude",
            "codex",
            "gemini",
        ] {
            write(&format!("bin/{name}"), &canary, 0o755);
        }
    }

    pub(crate) fn top(&self) -> PathBuf {
        self.base.join("clone")
    }

    fn has_second_stage(&self) -> bool {
        fs::read_to_string(&self.script)
            .unwrap()
            .contains("= after")
    }

    /// A program in this world.
    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        let home = self.base.join("home");
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env_clear()
            .env(
                "PATH",
                format!("{path}:{}", self.base.join("bin").display()),
            )
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("HOME", &home)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", &self.base)
            .env("CKPT_HOOK_DEADLINE_MS", "60000")
            .env("TMPDIR", self.base.join("out"))
            .stdin(Stdio::null());
        command
    }

    fn git(&self, directory: &Path, arguments: &[&str]) {
        let mut command = self.command("git");
        for setting in [
            "user.name=Tester",
            "user.email=tester@example.invalid",
            "commit.gpgsign=false",
            "gc.auto=0",
            "core.compression=1",
            "init.templateDir=",
            "core.autocrlf=false",
            "advice.addEmbeddedRepo=false",
            "protocol.file.allow=always",
        ] {
            command.args(["-c", setting]);
        }
        let output = command.args(arguments).current_dir(directory).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{}: git {arguments:?}: {said}",
            self.name
        );
    }

    /// Runs the script; `false` where it cannot do its work here.
    fn run_script(&self, directory: &Path, arguments: &[&str]) -> bool {
        let mut command = self.command("sh");
        command
            .arg(&self.script)
            .args(arguments)
            .current_dir(directory)
            .env("CANARY", self.base.join("bin/canary"))
            .env("OUTSIDE", self.base.join("outside"))
            .env("SECRET", SECRET)
            .env("OVERRIDE", OVERRIDE)
            .env("CKPT", binary())
            .env("GIT_AUTHOR_NAME", "Mallory")
            .env("GIT_AUTHOR_EMAIL", "mallory@example.invalid")
            .env("GIT_COMMITTER_NAME", "Mallory")
            .env("GIT_COMMITTER_EMAIL", "mallory@example.invalid");
        let output = command.output().unwrap();
        if output.status.code() == Some(NOT_HERE) {
            eprintln!("SKIPPED: {}: not possible here", self.name);
            return false;
        }
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{}: the script fails: {said}",
            self.name
        );
        true
    }

    pub(crate) fn fault(&mut self, when: &str, what: impl AsRef<str>) {
        let shown: String = what.as_ref().chars().take(600).collect();
        self.faults
            .push(format!("{}: {when}: {}", self.name, shown.escape_debug()));
    }
}

/// A temporary directory: in memory, which is faster, where a program can be run from there. The canary must be able to.
fn directory() -> TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm").ok().filter(|directory| {
        let program = directory.path().join("program");
        let _ = fs::write(&program, "#!/bin/sh\n");
        let _ = fs::set_permissions(&program, fs::Permissions::from_mode(0o755));
        let runs = Command::new(&program).status();
        let _ = fs::remove_file(program);
        runs.is_ok_and(|status| status.success())
    });
    in_memory.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

/// The program under test; `HOSTILE_CKPT` names another one, to see what the suite finds in it.
pub(crate) fn binary() -> PathBuf {
    std::env::var_os("HOSTILE_CKPT").map_or_else(|| CKPT.into(), PathBuf::from)
}

/// Running commands.
impl Clone {
    /// Runs `ckpt`, with an event or nothing on its standard input, and looks at what came of it.
    pub(crate) fn ckpt(
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

    /// All that is done to a clone.
    fn battery(&mut self) {
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
