//! Whether what the script asks for holds, and what only shows at the end.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use super::judge::Typed;
use super::world::{Kind, World, has, processes, visit};
use super::{Clone, Ended, PRIVATE, SECRET, TOKEN};

/// How long a background process may run.
const LATEST: Duration = Duration::from_secs(10);

impl Clone {
    pub(super) fn judge_push(&mut self, push: &str, ended: Option<&Ended>) {
        let is_denied = ended.is_none_or(|push| push.stdout.contains("\"deny\""));
        let must_be = self.wishes.denied || !self.wishes.blocked.is_empty();
        if must_be && !is_denied {
            let what = format!("lets a push pass that nobody here approved: {push}");
            self.fault("hook claude PreToolUse", what);
        }
    }

    pub(super) fn judge_gates(&mut self) {
        let must_be = self.wishes.denied
            || !self.wishes.blocked.is_empty()
            || !self.wishes.checked.is_empty();
        let mut commands = vec![vec!["gate".to_owned(), "check".to_owned()]];
        for key in self.wishes.blocked.iter().chain(&self.wishes.checked) {
            for more in [&[key.as_str()][..], &[key, "--json"]] {
                commands.push(
                    ["gate", "check"]
                        .iter()
                        .chain(more)
                        .map(|&word| word.to_owned())
                        .collect(),
                );
            }
        }
        for command in commands {
            let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
            let Some(ended) = self.ckpt(Typed::Nothing, &arguments, None) else {
                continue;
            };
            let code = ended.status.code();
            if must_be && (code == Some(0) || arguments.len() > 2 && code != Some(6)) {
                self.fault(
                    &ended.name,
                    format!("believes a forged approval: {}", ended.both()),
                );
            }
        }
    }

    pub(super) fn judge_receipts(&mut self, id: &str) {
        for arguments in [
            &["pipeline", "gate", "check", id][..],
            &["pipeline", "show", id],
            &["resume"],
            &["gate", "show", id],
        ] {
            let Some(ended) = self.ckpt(Typed::Nothing, arguments, None) else {
                continue;
            };
            let is_check = arguments.get(1) == Some(&"gate");
            let is_proven = ended
                .both()
                .lines()
                .any(|line| line.contains(" proven") && !line.contains("not proven"));
            if is_proven || is_check && ended.status.code() != Some(6) {
                self.fault(
                    &ended.name,
                    format!("believes a forged receipt: {}", ended.both()),
                );
            }
        }
    }

    /// Copilot CLI reads the hooks of Claude Code, and drops the arguments of a command.
    pub(super) fn judge_hooks(&mut self) {
        if !self.wishes.one_line || self.is_over {
            return;
        }
        self.ckpt(
            Typed::Init,
            &["init", "--project", "--agent", "claude"],
            None,
        );
        for name in [".claude/settings.json", ".claude/settings.local.json"] {
            let text = fs::read_to_string(self.top().join(name)).unwrap_or_default();
            if text.contains("\"args\"") {
                self.fault(
                    "init",
                    format!("leaves hooks in {name} that are a bare ckpt to others"),
                );
            }
        }
        let event = json!({"hook_event_name": "preToolUse", "toolName": "bash"});
        let bare = self.ckpt(Typed::Nothing, &[], Some(&event));
        if bare.is_some_and(|bare| bare.status.code() == Some(2)) {
            self.fault("ckpt", "refuses what another client is about to do");
        }
    }

    pub(super) fn judge_refusal(&mut self, status: Option<&Ended>) {
        let Some(status) = status else {
            return;
        };
        for expected in self.wishes.says.clone() {
            if !status.stdout.contains(&expected) {
                self.fault(
                    "status",
                    format!("does not say {expected:?}: {}", status.both()),
                );
            }
        }
        let Some(expected) = self.wishes.refused.clone() else {
            return;
        };
        if status.status.success() || !status.stderr.contains(&expected) {
            self.fault(
                "status",
                format!("does not say {expected:?}: {}", status.both()),
            );
        }
    }

    /// Checks what only shows at the end.
    pub(super) fn finish(&mut self) {
        let late = self.late_processes();
        if late > 0 {
            self.fault("the end", format!("{late} processes are still there"));
        }
        if let Ok(log) = fs::read_to_string(self.base.join("canary.log")) {
            self.fault(
                "a late process",
                format!("runs a program of the clone: {log}"),
            );
        }
        let git_directory = self.base.join("clone/.git/ckpt");
        let mut kept = BTreeMap::new();
        if git_directory.is_dir() {
            visit(&self.base, &git_directory, &World::default(), &mut kept);
        }
        for (path, thing) in kept {
            if let Kind::Small(content) = thing.kind
                && (has(&content, SECRET) || has(&content, TOKEN))
            {
                self.fault(
                    "the end",
                    format!("what is private is in {}", path.display()),
                );
            }
        }
        for (file, text) in std::mem::take(&mut self.wishes.lacks) {
            if has(&fs::read(self.top().join(&file)).unwrap_or_default(), &text) {
                self.fault("the end", format!("{text} is in {file}"));
            }
        }
        if self.wishes.private {
            self.judge_what_git_takes();
        }
    }

    /// `git add --all` must not add what the agent said.
    pub(super) fn judge_what_git_takes(&mut self) {
        let mut command = self.command("git");
        command.args(["ls-files", "-z", "--others", "--exclude-standard"]);
        let output = command.current_dir(self.top()).output().unwrap();
        for name in String::from_utf8_lossy(&output.stdout).split_terminator('\0') {
            if has(
                &fs::read(self.top().join(name)).unwrap_or_default(),
                PRIVATE,
            ) {
                self.fault(
                    "the end",
                    format!("git would take what the agent said, in {name}"),
                );
            }
        }
    }

    /// Counts the background processes that run for too long, and kills them.
    pub(super) fn late_processes(&self) -> usize {
        let begun = Instant::now();
        loop {
            let found = processes(&self.base);
            if found.is_empty() {
                return 0;
            }
            if begun.elapsed() > LATEST {
                for id in &found {
                    let _ = Command::new("kill").args(["-9", id]).status();
                }
                return found.len();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
