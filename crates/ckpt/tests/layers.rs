//! The overview in ARCHITECTURE.md is true: each module uses only what its layer allows.

#![expect(clippy::unwrap_used, reason = "a test ends with a panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the bottom layer up, and what each may use. A module may not use one that comes after it in this
/// table, so there are no cycles.
const LAYERS: &[(&str, &[&str])] = &[
    // Ground: text, trees, files, processes, git.
    ("hash", &[]),
    ("tokens", &[]),
    ("voice", &[]),
    ("document", &[]),
    ("standing", &[]),
    ("issue", &[]),
    ("time", &["document"]),
    ("process", &["document"]),
    ("finding", &["document", "time", "voice"]),
    ("shape", &["document", "finding"]),
    ("disk", &["document", "voice"]),
    ("key", &[]),
    ("seal", &["disk", "document", "voice"]),
    ("layout", &["disk", "key", "seal", "time"]),
    ("repository", &["disk", "hash", "seal", "voice"]),
    // The store: documents that survive crashes.
    (
        "history",
        &["disk", "document", "hash", "seal", "time", "voice"],
    ),
    (
        "store",
        &[
            "disk", "document", "hash", "history", "layout", "seal", "time", "voice",
        ],
    ),
    ("files", &["disk", "store"]),
    ("follower", &["disk", "hash", "history", "key", "time"]),
    (
        "integrations",
        &["document", "finding", "follower", "shape"],
    ),
    // Kinds: pure functions of documents.
    ("comparison", &["document", "seal"]),
    (
        "operation",
        &[
            "document",
            "finding",
            "follower",
            "history",
            "key",
            "repository",
            "time",
        ],
    ),
    (
        "gate",
        &[
            "document",
            "history",
            "layout",
            "process",
            "repository",
            "seal",
            "shape",
            "time",
            "voice",
        ],
    ),
    (
        "handoff",
        &["document", "finding", "history", "shape", "time", "tokens"],
    ),
    ("sub_agents", &["document", "history", "shape", "time"]),
    (
        "command",
        &[
            "document",
            "finding",
            "gate",
            "handoff",
            "history",
            "issue",
            "key",
            "operation",
            "repository",
            "seal",
            "standing",
            "tokens",
            "voice",
            "shape",
            "sub_agents",
        ],
    ),
    (
        "pipeline",
        &[
            "document",
            "finding",
            "gate",
            "handoff",
            "history",
            "key",
            "operation",
            "seal",
            "standing",
            "time",
            "voice",
            "shape",
            "sub_agents",
        ],
    ),
    (
        "plan",
        &[
            "comparison",
            "document",
            "finding",
            "gate",
            "hash",
            "sub_agents",
            "history",
            "key",
            "layout",
            "operation",
            "seal",
            "standing",
            "time",
            "voice",
            "shape",
        ],
    ),
    (
        "facts",
        &[
            "command",
            "document",
            "gate",
            "sub_agents",
            "key",
            "pipeline",
            "plan",
            "standing",
            "time",
            "voice",
        ],
    ),
    ("resume", &["facts", "repository", "tokens", "voice"]),
    (
        "shipping",
        &["facts", "gate", "issue", "key", "repository", "voice"],
    ),
    (
        "schema",
        &["command", "document", "handoff", "history", "key", "time"],
    ),
    // The engine, which joins all of it.
    (
        "workspace",
        &[
            "command",
            "comparison",
            "disk",
            "document",
            "facts",
            "finding",
            "follower",
            "gate",
            "handoff",
            "hash",
            "sub_agents",
            "history",
            "integrations",
            "issue",
            "key",
            "layout",
            "operation",
            "pipeline",
            "plan",
            "process",
            "repository",
            "resume",
            "seal",
            "shipping",
            "standing",
            "store",
            "time",
            "tokens",
            "voice",
        ],
    ),
];

/// The modules that touch the machine. Rules are functions: what they need is passed in.
const EFFECTS: &[&str] = &[
    "disk",
    "process",
    "repository",
    "seal",
    "tokens",
    "workspace",
];

fn sources() -> Vec<(String, PathBuf)> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let below = path.strip_prefix(root).unwrap();
            let module = below.iter().next().unwrap().to_str().unwrap();
            let module = module.strip_suffix(".rs").unwrap_or(module).to_owned();
            let is_test = below
                .iter()
                .any(|part| part.to_str().unwrap().contains("tests"));
            if module != "lib" && !is_test && path.extension().is_some_and(|ending| ending == "rs")
            {
                found.push((module, path));
            }
        }
    }
    found
}

/// The source without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The words that follow `start` in a source.
fn words_after<'c>(code: &'c str, start: &str) -> BTreeSet<&'c str> {
    let parts = code.split(start).skip(1);
    let word = |part: &'c str| {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
        &part[..end.unwrap_or(part.len())]
    };
    parts.map(word).collect()
}

#[test]
fn each_module_uses_only_what_its_layer_may() {
    let mut wrong = Vec::new();
    for (module, path) in sources() {
        let code = code(&path);
        let row = LAYERS.iter().find(|(name, _)| *name == module);
        let Some((_, allowed)) = row else {
            wrong.push(format!("{module} has no row in the table"));
            continue;
        };
        for used in words_after(&code, "crate::") {
            if used != module && !allowed.contains(&used) {
                wrong.push(format!("{} uses {used}", path.display()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_table_has_no_circle_and_nothing_that_is_not_so() {
    for (position, (module, allowed)) in LAYERS.iter().enumerate() {
        let earlier: Vec<&str> = LAYERS[..position].iter().map(|(name, _)| *name).collect();
        for used in *allowed {
            assert!(earlier.contains(used), "{module} may not use {used}");
        }
        let mut used: BTreeSet<String> = BTreeSet::new();
        for (_, path) in sources().into_iter().filter(|(name, _)| name == module) {
            let code = code(&path);
            used.extend(words_after(&code, "crate::").into_iter().map(str::to_owned));
        }
        let idle: Vec<_> = allowed
            .iter()
            .filter(|name| !used.contains(**name))
            .collect();
        assert!(idle.is_empty(), "{module} does not use {idle:?}");
    }
}

#[test]
fn rules_touch_no_file_no_process_and_no_environment() {
    let mut wrong = Vec::new();
    for (module, path) in sources() {
        let used = code(&path);
        let used = words_after(&used, "std::");
        let effects = ["fs", "env", "net", "process", "thread"];
        let effects = effects.into_iter().filter(|effect| used.contains(effect));
        let effects: Vec<&str> = effects.collect();
        if !effects.is_empty() && !EFFECTS.contains(&module.as_str()) {
            wrong.push(format!("{} uses std::{effects:?}", path.display()));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn an_event_is_named_in_one_place() {
    let names = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/history/event.rs"));
    let names = names.unwrap();
    let names = names.lines().filter_map(|line| {
        let word = line.split_once(" = \"")?.1.strip_suffix("\",")?;
        line.starts_with("    ").then(|| format!("\"{word}\""))
    });
    let names: Vec<String> = names.collect();
    assert!(names.len() > 50, "{names:?}");
    let mut wrong = Vec::new();
    for (_, path) in sources() {
        if path.ends_with("history/event.rs") {
            continue;
        }
        let code = code(&path);
        let named = names.iter().filter(|name| code.contains(*name));
        wrong.extend(named.map(|name| format!("{} has {name}", path.display())));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_path_in_the_architecture_is_there() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let words = text.split('`').skip(1).step_by(2);
    let is_path = |word: &&str| word.ends_with(".rs") || word.ends_with('/');
    let bases = [
        "",
        "crates/ckpt/src",
        "crates/ckpt/src/workspace",
        "crates/ckpt/src/workspace/plan",
        "crates/ckpt/src/repository",
        "crates/ckpt-cli/src",
        "crates/ckpt-agents/src",
        "crates/ckpt-agents/src/install",
    ];
    let is_there = |path: &str| {
        let mut bases = bases.iter();
        bases.any(|base| root.join(base).join(path).exists())
    };
    let gone: Vec<&str> = words
        .filter(is_path)
        .filter(|path| !is_there(path))
        .collect();
    assert_eq!(gone, Vec::<&str>::new());
}
