//! What differs between two documents, in the words of their kinds.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::document::{Object, Pointer, Value};
use crate::seal::SEAL;

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// What differs, such as `phase design` or `task create-schema`.
    pub what: String,
    /// Where it is.
    pub pointer: Pointer,
    /// The value before; `None` if there was none.
    pub before: Option<Value>,
    /// The value after; `None` if there is none.
    pub after: Option<Value>,
}

/// Members that change with every save and say nothing by themselves.
const UNTOLD: [&str; 10] = [
    "lastCheckpoint",
    "updated_at",
    "updatedAt",
    "lastUpdated",
    "lastSync",
    "lastSyncedAt",
    "checksum",
    "phaseFiles",
    "planPath",
    SEAL,
];

/// Members that follow from others.
const DERIVED: [&str; 4] = [
    "completed_phases",
    "pending_phases",
    "current_phase_number",
    "progress",
];

/// What differs, in the order of the newer document. Empty if only bookkeeping does.
#[must_use]
pub fn compare(before: &Value, after: &Value) -> Vec<Difference> {
    let mut differences = Vec::new();
    walk(
        &Pointer::root(),
        Some(before),
        Some(after),
        &mut differences,
    );
    differences
}

fn walk(at: &Pointer, before: Option<&Value>, after: Option<&Value>, out: &mut Vec<Difference>) {
    if before == after {
        return;
    }
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            for name in names(old, new) {
                if !UNTOLD.contains(&name) && !DERIVED.contains(&name) {
                    walk(&at.join(name), old.get(name), new.get(name), out);
                }
            }
        }
        // What is new or gone as a whole is told by its parts where those have names of their own.
        (None, Some(Value::Object(new))) if holds_named_things(at) => {
            for (name, value) in new.iter() {
                walk(&at.join(name), None, Some(value), out);
            }
        }
        (Some(Value::Object(old)), None) if holds_named_things(at) => {
            for (name, value) in old.iter() {
                walk(&at.join(name), Some(value), None, out);
            }
        }
        _ => out.push(Difference {
            what: words(at),
            pointer: at.clone(),
            before: before.cloned(),
            after: after.cloned(),
        }),
    }
}

/// The names of the newer object in their order, then those that are gone.
fn names<'o>(old: &'o Object, new: &'o Object) -> Vec<&'o str> {
    let mut names: Vec<&str> = new.iter().map(|(name, _)| name).collect();
    let known: HashSet<&str> = names.iter().copied().collect();
    names.extend(
        old.iter()
            .map(|(name, _)| name)
            .filter(|name| !known.contains(name)),
    );
    names
}

/// The lists whose members are things with a name, and the word for one of them.
const THINGS: [(&str, &str); 8] = [
    ("phases", "phase"),
    ("tasks", "task"),
    ("workstreams", "workstream"),
    ("criteria", "criterion"),
    ("acceptance", "criterion"),
    ("agents", "agent"),
    ("receipts", "gate"),
    ("gates", "gate"),
];

fn word_for(list: &str) -> Option<&'static str> {
    let mut things = THINGS.iter();
    things
        .find(|(known, _)| *known == list)
        .map(|(_, word)| *word)
}

fn holds_named_things(at: &Pointer) -> bool {
    at.segments()
        .last()
        .is_none_or(|last| word_for(last).is_some())
}

/// The innermost thing with a name, and the member of it. A status needs no name of its own.
fn words(at: &Pointer) -> String {
    let segments: Vec<&str> = at.segments().collect();
    let mut thing = None;
    let mut rest = 0;
    for (position, pair) in segments.windows(2).enumerate() {
        if let Some(word) = word_for(pair[0]) {
            thing = Some(format!("{word} {}", pair[1]));
            rest = position + 2;
        }
    }
    let members = segments[rest..].iter();
    let members = members.filter(|member| !matches!(**member, "status" | "done" | "state"));
    let members: Vec<String> = members.map(|member| member.replace('_', " ")).collect();
    match (thing, members.is_empty()) {
        (Some(thing), true) => thing,
        (Some(thing), false) => format!("{thing}, {}", members.join(" ")),
        (None, _) => members.join(" "),
    }
}
