//! Building the clone, and the world around it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use super::{Clone, OVERRIDE, PRIVATE, SECRET, TOKEN, Wishes, World, binary};

/// The exit code of a script that cannot run here, for example without root.
const NOT_HERE: i32 = 77;

impl Clone {
    /// Builds the world and the clone; `None` if the script cannot run here.
    pub(super) fn build(name: &str) -> Option<Self> {
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

    /// Creates what is around the clone: the user's home, private files, the canary.
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

    fn has_second_stage(&self) -> bool {
        fs::read_to_string(&self.script)
            .unwrap()
            .contains("= after")
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

    /// Runs the script; `false` if it cannot run here.
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
}

/// A temporary directory, in memory if programs such as the canary can run from there: that is faster.
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
