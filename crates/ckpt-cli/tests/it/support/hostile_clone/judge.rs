//! What must hold after each command: how it ended, and what it wrote.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use serde_json::Value;

use super::world::{Kind, World, changes, has, processes, visit};
use super::{Clone, Ended, PLAN, PRIVATE, SECRET, TOKEN};

/// What a command may write besides state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// A hook, or a command that only reads.
    Nothing,
    /// `init` and what belongs to it.
    Init,
    /// A change of a checkpoint.
    Change,
    /// A tick: one character of a plan's Markdown.
    Tick,
    /// Restoring what was lost.
    Restore,
}

impl Clone {
    pub(super) fn judge(&mut self, typed: Typed, ended: &Ended) {
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
            // It was killed for time or memory, and the next ones would be too.
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

    /// Checks what was written since the last look against what these commands may write.
    pub(super) fn judge_world(&mut self, typed: &[Typed], name: &str) {
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

    pub(super) fn may_change(&self, typed: Typed, path: &Path, after: &World) -> bool {
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
            if matches!(typed, Typed::Init) && own == "config" {
                return true;
            }
        }
        // A link stays a link, unless it is in the place of a temporary file of `ckpt` or of its ignore rules.
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
            // Only its permissions changed.
            return true;
        }
        let came_with_the_clone = was.is_some() && was != Some(&Kind::Directory);
        if is_document(name) && self.is_followed(path, after) {
            return true;
        }
        let is_named = typed == Typed::Change && Some(Path::new(name)) == Path::new(PLAN).parent();
        let around = [".claude", ".claude/config", "plans"];
        if is_directory && (is_named || around.contains(&name)) {
            return true;
        }
        is_state(name) && !(came_with_the_clone && is_document(name))
    }

    /// Whether only the sub-agents of a checkpoint changed, and somebody has worked on it in this clone: its history
    /// carries a seal.
    fn is_followed(&self, path: &Path, after: &World) -> bool {
        let read = |world: &World| match world.get(path).map(|thing| thing.kind.clone()) {
            Some(Kind::Small(content)) => serde_json::from_slice::<Value>(&content).ok(),
            _ => None,
        };
        let (Some(mut before), Some(mut now)) = (read(&self.before), read(after)) else {
            return false;
        };
        for document in [&mut before, &mut now] {
            document
                .as_object_mut()
                .map(|members| members.remove("agents"));
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_sealed = self.first.iter().any(|(file, thing)| {
            let is_history = file.to_string_lossy().ends_with(&format!("/{stem}.jsonl"));
            is_history && matches!(&thing.kind, Kind::Small(lines) if has(lines, "\"seal\""))
        });
        before == now && is_sealed
    }

    /// Whether exactly one character changed. For a large file only the size is compared.
    pub(super) fn is_ticked(&self, path: &Path, after: &World) -> bool {
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
    pub(super) fn world(&self) -> World {
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
    const FILES: [&str; 15] = [
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
        ".gitattributes",
        "AGENTS.md",
        ".git/config",
    ];
    let is_around = |file: &&str| {
        file.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    FILES.contains(&name) || is_directory && FILES.iter().any(is_around)
}
