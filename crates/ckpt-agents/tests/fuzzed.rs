//! Whatever an agent sends, nothing panics and nothing but the state changes.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod vocabulary;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ckpt::document::{Document, Kind};
use ckpt::repository::Environment;
use ckpt::workspace::{Options, Workspace};
use ckpt_agents::{Agent, Enforcement, Event, Host, Policy, Unfinished, decide, respond};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_oneof};
use proptest::sample::select;
use proptest::test_runner::TestRunner;

use vocabulary::{EVENTS, MEMBERS, TEXTS, TOOLS};

/// For each agent.
const CASES: u32 = 20_000;

fn quoted(text: &str) -> String {
    ckpt::document::Value::from(text).to_compact()
}

fn object(members: &[(&'static str, String)]) -> String {
    let members = members
        .iter()
        .map(|(name, value)| format!("{}:{value}", quoted(name)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Roughly what an agent could send.
fn payload() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => select(TEXTS.to_vec()).prop_map(quoted),
        2 => select(TOOLS.to_vec()).prop_map(quoted),
        1 => select(vec!["null", "true", "false", "0", "-1", "1e999", "[]", "{}"]).prop_map(str::to_owned),
        1 => any::<String>().prop_map(|text| quoted(&text)),
    ];
    let inner = prop::collection::vec((select(MEMBERS.to_vec()), leaf.clone()), 0..4);
    let value = prop_oneof![
        5 => leaf.clone(),
        2 => inner.prop_map(|members| object(&members)),
        1 => prop::collection::vec(leaf, 0..3).prop_map(|items| format!("[{}]", items.join(","))),
    ];
    let name = prop_oneof![
        19 => select(EVENTS.to_vec()).prop_map(quoted),
        1 => any::<String>().prop_map(|text| quoted(&text)),
    ];
    let directory =
        prop_oneof![9 => Just(quoted("ROOT")), 1 => select(TEXTS.to_vec()).prop_map(quoted)];
    let rest = prop::collection::vec((select(MEMBERS.to_vec()), value), 0..6);
    (name, directory, rest).prop_map(|(name, directory, rest)| {
        let mut members = vec![("hook_event_name", name), ("cwd", directory)];
        members.extend(rest);
        object(&members)
    })
}

/// A payload, sometimes truncated or replaced by random bytes.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let whole = payload().prop_map(String::into_bytes);
    prop_oneof![
        15 => whole,
        1 => (payload(), any::<prop::sample::Index>()).prop_map(|(text, at)| {
            let bytes = text.into_bytes();
            bytes[..at.index(bytes.len())].to_vec()
        }),
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

/// A repository with a plan, a checkpoint, and links that lead out of it.
struct World {
    base: tempfile::TempDir,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        // In memory, syncing costs nothing.
        let memory = Path::new("/dev/shm");
        let base = match memory.is_dir() {
            true => tempfile::tempdir_in(memory).unwrap(),
            false => tempfile::tempdir().unwrap(),
        };
        let root = base.path().canonicalize().unwrap().join("repository");
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let plan =
            "## P\n<!-- CHECKPOINT: p -->\n- [ ] A <!-- TASK: a -->\n- [x] B <!-- TASK: b -->\n";
        write("plans/260220-1149-x/plan.md", plan);
        write(
            "plans/260220-1149-x/phase-01-a.md",
            "- [ ] C <!-- TASK: c -->\n",
        );
        write("src/a.rs", "fn main() {}\n");
        write("../outside/plan.md", plan);
        write(
            "../outside/state.json",
            r#"{"command":"implement","feature":"linked","phases":{},"state":{}}"#,
        );
        write(
            ".claude/state/implement-auth.json",
            r#"{"command":"implement","feature":"auth","phases":{},"state":{"pending_phases":["a"]},"gate":{"ship_allowed":false,"blockers":["x"]}}"#,
        );
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("../outside"), root.join("plans/linked")).unwrap();
            let state = root.join("../outside/state.json");
            std::os::unix::fs::symlink(state, root.join(".claude/state/linked.json")).unwrap();
        }
        Self { base, root }
    }

    /// Every file that hooks must not touch, and its content.
    fn others(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut directories = vec![self.base.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let is_state =
                    path == self.root.join(".claude/state") || path.ends_with(".checkpoint");
                if path.is_dir() && !path.is_symlink() && !is_state {
                    directories.push(path);
                } else if !path.is_dir() {
                    found.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        found
    }
}

#[test]
fn whatever_claude_says_nothing_breaks_and_nothing_changes_but_the_state() {
    nothing_breaks_whatever_is_said_by(Agent::Claude);
}

#[test]
fn whatever_codex_says_nothing_breaks_and_nothing_changes_but_the_state() {
    nothing_breaks_whatever_is_said_by(Agent::Codex);
}

#[test]
fn whatever_gemini_says_nothing_breaks_and_nothing_changes_but_the_state() {
    nothing_breaks_whatever_is_said_by(Agent::Gemini);
}

#[test]
fn whatever_cursor_says_nothing_breaks_and_nothing_changes_but_the_state() {
    nothing_breaks_whatever_is_said_by(Agent::Cursor);
}

#[test]
fn whatever_copilot_says_nothing_breaks_and_nothing_changes_but_the_state() {
    nothing_breaks_whatever_is_said_by(Agent::Copilot);
}

fn nothing_breaks_whatever_is_said_by(agent: Agent) {
    let world = World::new();
    let before = world.others();
    let root = world.root.to_str().unwrap().to_owned();
    let answered = Cell::new(0);
    let acted = Cell::new(0);
    let mut runner = TestRunner::new(ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let result = runner.run(&bytes(), |bytes| {
        let text = String::from_utf8_lossy(&bytes).replace("ROOT", &root);
        let Ok(event) = Event::read(text.as_bytes()) else {
            return Ok(());
        };
        let directory = event
            .directory
            .clone()
            .filter(|path| path.starts_with(&root) && path.is_dir());
        let directory = directory.unwrap_or_else(|| world.root.clone());
        let environment = Environment {
            git_root: Some(world.root.clone()),
            ..Environment::default()
        };
        let options = Options {
            by: "main".to_owned(),
            session: event.session.clone(),
            ..Options::default()
        };
        let workspace = Workspace::open(&directory, &environment, options).unwrap();
        let host = Host {
            agent,
            process: Box::new(|_| None),
            told_at: None,
            budget: 500,
            policy: Policy {
                enforcement: Enforcement::Denied,
                unfinished: Unfinished::GoesOn,
            },
        };
        let response = respond(&workspace, &host, &event, decide(&event, host.policy));
        acted.set(acted.get() + 1);
        let written = response.answer.written(agent, &event);
        if !written.is_empty() {
            answered.set(answered.get() + 1);
            let document = Document::parse(written.clone()).unwrap();
            assert_eq!(document.root().kind(), Kind::Object);
            assert!(!written.contains(|c: char| c.is_control()), "{written:?}");
            assert!(written.chars().count() < 25_000);
        }
        Ok(())
    });
    result.unwrap();
    assert_eq!(world.others(), before);
    // The cases are meaningful: most are events, and many get an answer or change something.
    assert!(acted.get() > CASES / 2, "{}", acted.get());
    assert!(answered.get() > CASES / 50, "{}", answered.get());
    let history = fs::read_to_string(
        world
            .root
            .join("plans/260220-1149-x/.checkpoint/history.jsonl"),
    );
    assert!(history.unwrap().contains("subagent_started"));
}
