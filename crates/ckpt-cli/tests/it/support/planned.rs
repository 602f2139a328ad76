//! A repository with one plan, and the files beside it.

use std::collections::BTreeSet;
use std::ops::Deref;

use serde_json::{Map, Value};

use crate::support::environment::{Environment, Run};
use crate::support::tree;

/// The plan's id.
pub(crate) const ID: &str = "260220-1149-login";

/// The id of the other plan of [`Planned::two`].
pub(crate) const OTHER: &str = "260301-0900-other";

/// The files that are kept beside the plan.
pub(crate) const STATE: &str = ".checkpoint/state.json";
pub(crate) const RECOVERY: &str = ".checkpoint/recovery.json";
pub(crate) const HISTORY: &str = ".checkpoint/history.jsonl";

/// Three phases, a criterion, nothing done yet.
pub(crate) const TEXT: &str = "\
# Login

## Setup
<!-- CHECKPOINT: setup -->
- [ ] Create schema <!-- TASK: schema -->
* [ ] Make roles <!-- TASK: roles -->

## Build
<!-- CHECKPOINT: build -->
1. [ ] Form <!-- TASK: form -->
+ [ ] Session <!-- TASK: session -->
- [ ] It works <!-- ACCEPT: works -->

## Ship
<!-- CHECKPOINT: ship -->
- [ ] Release <!-- TASK: release -->
";

/// Two phases, a criterion, one task of three done.
pub(crate) const HALF_DONE: &str = "\
# Login

## Setup
<!-- CHECKPOINT: setup -->
- [ ] Create schema <!-- TASK: schema -->
* [X] Init <!-- TASK: init -->

## Build
<!-- CHECKPOINT: build -->
1. [ ] Form <!-- TASK: form -->
- [ ] Works <!-- ACCEPT: works -->
";

/// A world with one plan.
pub(crate) struct Planned(Environment);

impl Deref for Planned {
    type Target = Environment;

    fn deref(&self) -> &Environment {
        &self.0
    }
}

impl Planned {
    /// With this text in `plan.md`, and no state yet.
    pub(crate) fn new(text: impl AsRef<[u8]>) -> Self {
        let planned = Self(Environment::new());
        planned.put("plan.md", text);
        planned
    }

    /// With two plans; the other one has the higher id.
    pub(crate) fn two() -> Self {
        let planned = Self::new(TEXT);
        planned.write(&format!("plans/{OTHER}/plan.md"), TEXT);
        planned
    }

    /// With ticks, decisions, notes and claims of several people, some of them before and some
    /// after the last copy that went to `recovery.json`.
    pub(crate) fn worked() -> Self {
        let planned = Self::new(TEXT);
        planned.does(&["done", "schema", "--by", "subagent:db"]);
        planned.does(&["decide", "Early", "--reason", "early reason"]);
        planned.does(&["note", "early note"]);
        planned.does(&["claim", "form", "--by", "subagent:ui"]);
        planned.does(&["done", "form", "--by", "subagent:ui"]);
        planned.does(&["decide", "Late", "--reason", "late reason"]);
        planned.does(&["note", "late note"]);
        planned.does(&["claim", "session", "--by", "main"]);
        let copy = planned.text(".checkpoint/recovery.json");
        assert!(copy.contains("early note"), "{copy}");
        assert!(
            !copy.contains("Late") && !copy.contains("late note"),
            "{copy}"
        );
        planned
    }

    /// The name of a file of the plan, in the repository.
    pub(crate) fn name(&self, file: &str) -> String {
        format!("plans/{ID}/{file}")
    }

    /// Writes a file of the plan.
    pub(crate) fn put(&self, file: &str, content: impl AsRef<[u8]>) {
        self.write(&self.name(file), content);
    }

    /// Removes a file of the plan.
    pub(crate) fn remove(&self, file: &str) {
        std::fs::remove_file(self.path(&self.name(file))).unwrap();
    }

    /// A file of the plan.
    pub(crate) fn text(&self, file: &str) -> String {
        self.read(&self.name(file))
    }

    /// Its `plan.md`.
    pub(crate) fn markdown(&self) -> String {
        self.text("plan.md")
    }

    /// Runs `ckpt plan`.
    pub(crate) fn plan(&self, arguments: &[&str]) -> Run {
        self.ckpt(&[&["plan"], arguments].concat())
    }

    /// Runs `ckpt plan`, which must succeed.
    #[track_caller]
    pub(crate) fn does(&self, arguments: &[&str]) -> Run {
        self.plan(arguments).exits(0)
    }

    /// Its `state.json`.
    pub(crate) fn stored(&self) -> Value {
        serde_json::from_str(&self.text(".checkpoint/state.json")).unwrap()
    }

    /// Its `state.json` without what every change touches: the time of the last save, and the time
    /// when the author of the change was last active.
    pub(crate) fn work(&self) -> Value {
        work_of(self.stored())
    }

    /// Asserts that `state.json` says the same of the work as it did before.
    #[track_caller]
    pub(crate) fn assert_work(&self, before: &Value, when: &str) {
        let mut found = Vec::new();
        differences(before, &self.work(), "", &mut found);
        assert_eq!(found, [""; 0], "{when}");
    }

    /// A task as `state.json` has it.
    pub(crate) fn task(&self, phase: &str, task: &str) -> Value {
        self.stored()["phases"][phase]["tasks"][task].clone()
    }

    /// The lines of the history that can be read, oldest first.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let bytes = std::fs::read(self.path(&self.name(".checkpoint/history.jsonl"))).unwrap();
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
        lines.collect()
    }

    /// The lines of one event.
    pub(crate) fn events(&self, event: &str) -> Vec<Value> {
        let mut lines = self.lines();
        lines.retain(|line| line["event"] == event);
        lines
    }

    /// The tasks that lines of one event name, oldest first.
    pub(crate) fn tasks_of(&self, event: &str) -> Vec<String> {
        let lines = self.events(event);
        let tasks = lines.iter().map(|line| line["taskId"].as_str().unwrap());
        tasks.map(str::to_owned).collect()
    }

    /// How many lines of the history begin with exactly these members after the time.
    pub(crate) fn logged(&self, members: &str) -> usize {
        let bytes = std::fs::read(self.path(&self.name(".checkpoint/history.jsonl"))).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines = text.lines().filter(|line| {
            let rest = line.split_once(",").map(|(_, rest)| rest);
            rest.is_some_and(|rest| rest.starts_with(members))
        });
        lines.count()
    }

    /// Files beside the plan and in its `.checkpoint` whose name begins like this.
    pub(crate) fn kept(&self, beginning: &str) -> Vec<String> {
        let mut names = tree::names(&self.path(&self.name("")));
        names.retain(|name| {
            let file = name.rsplit('/').next().unwrap_or_default();
            file.starts_with(beginning)
        });
        names
    }

    /// Runs every command that only reads, and asserts that nothing is written.
    #[track_caller]
    pub(crate) fn readers(&self) -> Vec<(String, Run)> {
        let commands: [&[&str]; 8] = [
            &["plan", "show"],
            &["plan", "next"],
            &["plan", "validate"],
            &["status"],
            &["list"],
            &["resume"],
            &["show", ID],
            &["validate"],
        ];
        let before = tree::listing(self.base());
        let mut runs = Vec::new();
        for command in commands {
            let run = self.ckpt(command);
            let name = command.join(" ");
            tree::assert_unchanged(self.base(), &before, &name);
            runs.push((name, run));
        }
        runs
    }
}

/// A state without what every change touches.
pub(crate) fn work_of(mut state: Value) -> Value {
    state.as_object_mut().unwrap().remove("lastCheckpoint");
    if let Some(main) = state.pointer_mut("/agents/main") {
        main.as_object_mut().unwrap().remove("lastActive");
    }
    state
}

/// Where two values differ, and how.
fn differences(before: &Value, after: &Value, place: &str, found: &mut Vec<String>) {
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else {
        if before != after {
            found.push(format!("{place}: {before} became {after}"));
        }
        return;
    };
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let place = format!("{place}/{name}");
        let of = |members: &Map<String, Value>| members.get(name).cloned().unwrap_or_default();
        differences(&of(old), &of(new), &place, found);
    }
}
