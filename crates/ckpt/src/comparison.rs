//! What differs between two documents, in the words of their kinds.

mod pipeline;

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

/// Members that are one of a few words.
const STATUSES: [&str; 4] = ["status", "state", "verdict", "result"];

impl Difference {
    /// Whether its values are statuses, which are read as a whole.
    #[must_use]
    pub fn is_of_status(&self) -> bool {
        let member = self.pointer.segments().last();
        member.is_some_and(|member| STATUSES.contains(&member)) || pipeline::is_of_status(self)
    }
}

/// Members that change with every save and say nothing by themselves.
const UNTOLD: [&str; 12] = [
    "lastCheckpoint",
    "timestamp",
    "updated_at",
    "last_updated",
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
    let mut differences = match (before, after) {
        (Value::Object(before), Value::Object(after)) => pipeline::compare(before, after),
        _ => Vec::new(),
    };
    walk(
        &Pointer::root(),
        Some(before),
        Some(after),
        &mut differences,
    );
    differences
}

fn walk(at: &Pointer, before: Option<&Value>, after: Option<&Value>, out: &mut Vec<Difference>) {
    // Nothing and null are the same to a reader.
    let said = |value: Option<&'_ Value>| value.is_some_and(|value| *value != Value::Null);
    if before == after || !(said(before) || said(after)) {
        return;
    }
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            for name in names(old, new) {
                let (old, new) = (old.get(name), new.get(name));
                if is_told(at, name, old, new) {
                    walk(&at.join(name), old, new, out);
                }
            }
        }
        // What is new or gone as a whole is told by its parts where those have names of their own.
        (None, Some(Value::Object(new))) if holds_named_things(at, new) => {
            for (name, value) in new.iter() {
                if is_told(at, name, None, Some(value)) {
                    walk(&at.join(name), None, Some(value), out);
                }
            }
        }
        (Some(Value::Object(old)), None) if holds_named_things(at, old) => {
            for (name, value) in old.iter() {
                if is_told(at, name, Some(value), None) {
                    walk(&at.join(name), Some(value), None, out);
                }
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

/// Whether a member is told by its own value: bookkeeping is not, and neither is what follows from others.
fn is_told(at: &Pointer, name: &str, before: Option<&Value>, after: Option<&Value>) -> bool {
    let is_list = *at == Pointer::root() && pipeline::is_told(name, before, after);
    !is_list && !UNTOLD.contains(&name) && !DERIVED.contains(&name)
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
const THINGS: [(&str, &str); 9] = [
    ("phases", "phase"),
    ("tasks", "task"),
    ("workstreams", "workstream"),
    ("criteria", "criterion"),
    ("acceptance", "criterion"),
    ("agents", "agent"),
    ("artifacts", "artifacts of"),
    ("receipts", "gate"),
    ("gates", "gate"),
];

fn word_for(list: &str) -> Option<&'static str> {
    let mut things = THINGS.iter();
    things
        .find(|(known, _)| *known == list)
        .map(|(_, word)| *word)
}

/// Whether an object is a list of things with a name, or has such lists.
fn holds_named_things(at: &Pointer, object: &Object) -> bool {
    let last = at.segments().last();
    let is_list = |(name, value): (&str, &Value)| {
        let has_any = value.as_object().is_some_and(|things| !things.is_empty());
        word_for(name).is_some() && has_any
    };
    let is_holder =
        |last: &str| ["state", "execution_spec"].contains(&last) || word_for(last).is_some();
    last.is_none_or(is_holder) || object.iter().any(is_list)
}

/// A member in words.
fn word_of(member: &str) -> String {
    match member {
        "adversarial_review" => "review".to_owned(),
        "execution_spec" => "specification".to_owned(),
        "prd_title" => "title".to_owned(),
        member => spaced(member),
    }
}

/// The words of a name such as `started_at` or `startedAt`.
fn spaced(member: &str) -> String {
    let mut words = String::with_capacity(member.len());
    for character in member.chars() {
        match character {
            '_' => words.push(' '),
            capital if capital.is_ascii_uppercase() && !words.is_empty() => {
                words.push(' ');
                words.push(capital.to_ascii_lowercase());
            }
            other => words.push(other),
        }
    }
    words
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
    let members = members.filter(|member| match **member {
        "done" | "state" => false,
        "status" => thing.is_none(),
        _ => true,
    });
    let members: Vec<String> = members.map(|member| word_of(member)).collect();
    match (thing, members.is_empty()) {
        (Some(thing), true) => thing,
        (Some(thing), false) => format!("{thing}, {}", members.join(" ")),
        (None, _) => members.join(" "),
    }
}
