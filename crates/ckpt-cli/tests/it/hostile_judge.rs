//! What must hold after each command in a hostile clone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hostile_clone::{Clone, Ended, OVERRIDE, PLAN, PRIVATE, SECRET, TOKEN};
use crate::hostile_world::{Kind, World, changes, has, processes, visit};

/// How long a process that nobody waits for may go on.
const LATEST: Duration = Duration::from_secs(10);

/// What may be written while a command runs, beside state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A hook, or a command that only reads.
    Nothing,
    /// `init` and what belongs to it.
    Init,
    /// A change of a checkpoint.
    Change,
    /// A change of a plan's Markdown: one character of it.
    Tick,
    /// Bringing back what is lost.
    Restore,
}

impl Clone {
    pub(crate) fn judge(&mut self, typed: Typed, ended: &Ended) {
        let name = &ended.name;
        if let Ok(log) = fs::read_to_string(self.base.join("canary.log")) {
            let _ = fs::remove_file(self.base.join("canary.log"));
            self.fault(name, format!("runs a program of the clone: {log}"));
        }
        let code = ended.status.code();
        let is_hook = name.starts_with("hook ");
        let allowed = if is_hook { 0..=0 } else { 0..=8 };
        if !code.is_some_and(|code| allowed.contains(&code)) {
            self.fault(
                name,
                format!("ends with {}: {}", ended.status, ended.stderr),
            );
            // Killed for time or memory: the others would be too.
            self.is_over |= code.is_none() && self.faults.len() > 3;
        }
        if ended.stderr.contains("panicked") {
            self.fault(name, format!("panics: {}", ended.stderr));
        }
        self.judge_text(ended, is_hook);
        let late = if self.wishes.one_late {
            processes(&self.base).len()
        } else {
            0
        };
        if late > 1 {
            self.fault(name, format!("{late} processes go on at the same time"));
        }
        if !self.wishes.short {
            self.judge_world(&[typed], name);
        }
    }

    /// What was written since the last look, by commands that may write so much.
    pub(crate) fn judge_world(&mut self, typed: &[Typed], name: &str) {
        let after = self.world();
        for path in changes(&self.before, &after) {
            let shown = path.display().to_string();
            if !typed
                .iter()
                .any(|typed| self.may_change(*typed, &path, &after))
            {
                self.fault(name, format!("writes {shown}"));
            }
            let Some(thing) = after.get(&path) else {
                continue;
            };
            let Kind::Small(content) = &thing.kind else {
                continue;
            };
            let is_new = |text: &str| {
                let first = self.first.get(&path).map(|thing| &thing.kind);
                has(content, text) && !matches!(first, Some(Kind::Small(first)) if has(first, text))
            };
            let is_private = is_new(SECRET) || is_new(TOKEN);
            let inside = shown.strip_prefix("clone/").unwrap_or_default();
            let is_spread = is_of_init(inside, false) && is_new("/bin/canary");
            let is_readable = has(content, PRIVATE) && thing.mode & 0o077 != 0;
            if is_private {
                self.fault(name, format!("copies what is private into {shown}"));
            }
            if is_spread {
                self.fault(name, format!("puts a program of the clone into {shown}"));
            }
            if self.wishes.private && is_readable {
                self.fault(
                    name,
                    format!("lets others read what the agent said, in {shown}"),
                );
            }
        }
        self.before = after;
    }

    /// What was printed: nothing private, and nothing that speaks with another voice.
    pub(crate) fn judge_text(&mut self, ended: &Ended, is_hook: bool) {
        let name = &ended.name;
        let all = ended.both();
        for secret in [SECRET, TOKEN] {
            if all.contains(secret) {
                self.fault(name, format!("prints what is private: {all}"));
            }
        }
        for never in self.wishes.never.clone() {
            if all.contains(&never) {
                self.fault(name, format!("says {never:?}: {all}"));
            }
        }
        let answer: Option<Value> = serde_json::from_str(&ended.stdout).ok();
        let mut said = Vec::new();
        match &answer {
            Some(answer) => strings(answer, &mut said),
            None => said.push(all.clone()),
        }
        if is_hook && answer.is_none() && !ended.stdout.trim().is_empty() {
            self.fault(name, format!("answers no JSON: {}", ended.stdout));
        }
        for line in said.iter().flat_map(|text| text.lines()) {
            if has_bare_shell_word(line) {
                self.fault(
                    name,
                    format!("suggests a command that runs another: {line}"),
                );
            }
        }
        // An agent reads what is in the answer; a program that asked for JSON takes it as data.
        let mut texts = if is_hook { said } else { Vec::new() };
        texts.push(all);
        // Tables have tabs, and so have the lines of a diff.
        let tabs =
            name.starts_with("list") || name.starts_with("log") || name.contains("--dry-run");
        for text in texts {
            if let Some(odd) = text.chars().find(|c| is_odd(*c) && !(tabs && *c == '\t')) {
                self.fault(name, format!("prints U+{:04X}: {text}", u32::from(odd)));
            }
            let mut lines = text.lines();
            if lines.any(|line| line.trim_start().starts_with(OVERRIDE)) {
                self.fault(name, format!("lets the clone begin a line: {text}"));
            }
        }
    }

    pub(crate) fn may_change(&self, typed: Typed, path: &Path, after: &World) -> bool {
        let Ok(inside) = path.strip_prefix("clone") else {
            return path.starts_with("home/.local/state") || path.starts_with("home/.cache/ckpt");
        };
        let was = self.first.get(path).map(|thing| &thing.kind);
        let mut name = inside.to_str().unwrap_or_default();
        if let Some((directory, git)) = &self.wishes.root {
            name = name.strip_prefix(directory).unwrap_or(name);
            let own = name.strip_prefix(git).unwrap_or_default();
            if own == "index" || own.starts_with("info") || own.starts_with("ckpt") {
                return true;
            }
        }
        // A link stays a link, unless it has a name under which `ckpt` writes what is not finished, or tells git nothing
        // about what to pass over.
        if matches!(was, Some(Kind::Link(_) | Kind::Other)) {
            let ignores = [".claude/state/.gitignore", "/.checkpoint/.gitignore"];
            return name.ends_with(".ckpt-tmp") && !after.contains_key(path)
                || ignores.iter().any(|own| name.ends_with(own));
        }
        if self.wishes.keeps.iter().any(|kept| kept == name) {
            return false;
        }
        if name.starts_with(".git/ckpt") || name == ".git/index" {
            return true;
        }
        if self.wishes.untouched {
            return false;
        }
        let is_directory = after
            .get(path)
            .is_none_or(|thing| thing.kind == Kind::Directory);
        match typed {
            Typed::Nothing => {}
            Typed::Init if is_of_init(name, is_directory) => return true,
            Typed::Change | Typed::Tick | Typed::Restore if is_document(name) => return true,
            Typed::Change if name == ".claude/config/ckpt.json" => return true,
            Typed::Tick if is_markdown(name) => return self.is_ticked(path, after),
            Typed::Restore if is_markdown(name) => {
                return was.is_none_or(|kind| *kind == Kind::Small(Rc::default()));
            }
            _ => {}
        }
        let is_same = |world: &World| {
            world
                .get(path)
                .is_some_and(|thing| was == Some(&thing.kind))
        };
        if typed == Typed::Init && is_state(name) && is_same(after) {
            // Only its permissions were mended.
            return true;
        }
        let came_with_the_clone = was.is_some() && was != Some(&Kind::Directory);
        let is_named = typed == Typed::Change && Some(Path::new(name)) == Path::new(PLAN).parent();
        let around = [".claude", ".claude/config", "plans"];
        if is_directory && (is_named || around.contains(&name)) {
            return true;
        }
        is_state(name) && !(came_with_the_clone && is_document(name))
    }

    /// Whether one character became another. Of a large file only the size is known.
    pub(crate) fn is_ticked(&self, path: &Path, after: &World) -> bool {
        let kind = |world: &World| world.get(path).map(|thing| thing.kind.clone());
        match (kind(&self.before), kind(after)) {
            (Some(Kind::Small(old)), Some(Kind::Small(new))) => {
                let differing = old.iter().zip(&*new).filter(|(old, new)| old != new);
                old.len() == new.len() && differing.count() == 1
            }
            (Some(Kind::Large(old, ..)), Some(Kind::Large(new, ..))) => old == new,
            _ => false,
        }
    }

    pub(crate) fn judge_push(&mut self, push: &str, ended: Option<&Ended>) {
        let is_denied = ended.is_none_or(|push| push.stdout.contains("\"deny\""));
        let must_be = self.wishes.denied || !self.wishes.blocked.is_empty();
        if must_be && !is_denied {
            let what = format!("lets a push pass that nobody here approved: {push}");
            self.fault("hook claude PreToolUse", what);
        }
    }

    pub(crate) fn judge_gates(&mut self) {
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

    pub(crate) fn judge_receipts(&mut self, id: &str) {
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

    /// Copilot CLI reads the hooks of Claude Code, and takes a command without its arguments.
    pub(crate) fn judge_hooks(&mut self) {
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

    pub(crate) fn judge_refusal(&mut self, status: Option<&Ended>) {
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

    /// What can only be seen at the end.
    pub(crate) fn finish(&mut self) {
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

    /// What the agent said must not get into a commit by `git add --all`.
    pub(crate) fn judge_what_git_takes(&mut self) {
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

    /// The processes of this world that go on for too long; they are ended.
    pub(crate) fn late_processes(&self) -> usize {
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

    pub(crate) fn world(&self) -> World {
        let mut world = BTreeMap::new();
        for name in ["clone", "outside", "home"] {
            visit(&self.base, &self.base.join(name), &self.before, &mut world);
        }
        world.retain(|path, _| {
            !path.starts_with("clone/.git/ckpt") && path != Path::new("clone/.git/index")
        });
        World::new(world)
    }
}

/// State: what `ckpt` keeps for itself.
fn is_state(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    matches!(
        parts[..],
        [".claude", "state", ..] | ["plans", _, ".checkpoint", ..]
    )
}

/// A checkpoint: what people and agents keep in the state directory.
fn is_document(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    match parts[..] {
        [".claude", "state", file] => file.ends_with(".json"),
        [".claude", "skills", "build-pipeline", "checkpoints", ..] => true,
        _ => false,
    }
}

fn is_markdown(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    matches!(parts[..], ["plans", _, file] if file.ends_with(".md"))
}

/// The documented files of `init`, and the directories around them.
fn is_of_init(name: &str, is_directory: bool) -> bool {
    const FILES: [&str; 12] = [
        ".claude/settings.local.json",
        ".claude/settings.json",
        ".claude/config/integrations.json",
        ".claude/protocols/checkpoint-schema.md",
        ".claude/sub-agents/protocols/handoff.md",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".cursor/hooks.json",
        ".github/copilot/settings.local.json",
        ".github/hooks/ckpt.json",
        ".git/info/exclude",
        ".gitignore",
    ];
    let is_around = |file: &&str| {
        file.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    FILES.contains(&name) || is_directory && FILES.iter().any(is_around)
}

/// Characters that a terminal or a reader does not show for what they are.
pub(crate) fn is_odd(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control() && c != '\n'
}

/// Whether a command to type has a word in it that the shell would run.
pub(crate) fn has_bare_shell_word(line: &str) -> bool {
    const COMMANDS: [&str; 14] = [
        "ckpt plan ",
        "ckpt gate ",
        "ckpt show ",
        "ckpt resume ",
        "ckpt pipeline ",
        "ckpt phase ",
        "ckpt start ",
        "ckpt validate ",
        "ckpt log ",
        "ckpt complete ",
        "ckpt abandon ",
        "ckpt handoff ",
        "git add ",
        "git rm ",
    ];
    COMMANDS.iter().any(|command| {
        let Some(at) = line.find(command) else {
            return false;
        };
        let rest = &line[at..];
        ["$(touch", "`touch"].iter().any(|word| {
            let Some(word) = rest.find(word) else {
                return false;
            };
            let before = &rest[..word];
            !before.contains(". ") && before.matches('\'').count().is_multiple_of(2)
        })
    })
}

/// All texts in an answer.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(members) => {
            for (name, value) in members {
                found.push(name.clone());
                strings(value, found);
            }
        }
        _ => {}
    }
}
