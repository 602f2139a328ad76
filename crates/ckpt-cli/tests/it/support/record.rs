//! What a history must look like whatever happened to its writers.

use serde_json::Value;

use crate::support::environment::Environment;
use crate::support::tree;

/// The lines of a history that can be read. A writer that is killed during a write leaves part of a
/// line, which was never acknowledged.
fn readable(environment: &Environment, stem: &str) -> Vec<Value> {
    let text = environment.read(&format!(".claude/state/history/command/{stem}.jsonl"));
    let lines = text.lines().map(serde_json::from_str);
    lines.filter_map(Result::ok).collect()
}

/// Asserts that each change has one revision, in order, that none of our own was taken for a foreign
/// edit, and that no temporary file is left.
#[track_caller]
pub(crate) fn assert_sound(environment: &Environment, stem: &str) {
    let lines = readable(environment, stem);
    assert_consecutive(&lines);
    let foreign = lines.iter().find(|line| line["event"] == "external_edit");
    assert_eq!(foreign, None);
    assert_eq!(litter(environment), [""; 0]);
}

/// Asserts that revisions count up by one in each epoch. All lines of a change have its revision, and one of
/// them names the files.
#[track_caller]
pub(crate) fn assert_consecutive(lines: &[Value]) {
    for epoch in lines.chunk_by(|one, two| one["epoch"] == two["epoch"]) {
        let mut all: Vec<u64> = epoch.iter().map(revision).collect();
        all.dedup();
        assert_eq!(all, (1..=all.len() as u64).collect::<Vec<_>>());
        let recorded = epoch.iter().filter(|line| line.get("files").is_some());
        assert_eq!(recorded.map(revision).collect::<Vec<_>>(), all);
    }
}

/// The revision of a line.
pub(crate) fn revision(line: &Value) -> u64 {
    line["rev"]
        .as_u64()
        .unwrap_or_else(|| panic!("no revision: {line}"))
}

/// The number in `7-mi0k3x5z`.
pub(crate) fn number(revision: &Value) -> u64 {
    let text = revision
        .as_str()
        .unwrap_or_else(|| panic!("no revision: {revision}"));
    text.split('-').next().unwrap().parse().unwrap()
}

/// Temporary files that were left in the state directory.
pub(crate) fn litter(environment: &Environment) -> Vec<String> {
    let mut names = tree::names(&environment.state(""));
    names.retain(|name| name.contains("tmp") || name.ends_with('~'));
    names
}

/// How often the history has an event.
pub(crate) fn count(environment: &Environment, stem: &str, event: &str) -> usize {
    let lines = readable(environment, stem);
    lines.iter().filter(|line| line["event"] == event).count()
}
