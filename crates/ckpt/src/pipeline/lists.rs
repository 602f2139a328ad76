//! The lists of a checkpoint: entries are names, or objects that have one.

use crate::document::{Object, Value};

/// What an entry is called.
pub(super) fn name_of(entry: &Value) -> Option<&str> {
    match entry {
        Value::String(name) => Some(name),
        Value::Object(entry) => ["id", "name", "workstream", "gate"]
            .iter()
            .find_map(|member| entry.get(member)?.as_str()),
        _ => None,
    }
}

/// The entries of a list; none where there is no such list.
pub(super) fn entries<'r>(root: &'r Object, list: &str) -> &'r [Value] {
    root.get(list).and_then(Value::as_array).unwrap_or_default()
}

/// The names in a list.
pub(super) fn names(root: &Object, list: &str) -> Vec<String> {
    let entries = entries(root, list).iter();
    entries.filter_map(name_of).map(str::to_owned).collect()
}

/// Whether a list has a name.
pub(super) fn has(root: &Object, list: &str, name: &str) -> bool {
    entries(root, list)
        .iter()
        .any(|entry| name_of(entry) == Some(name))
}

/// Takes an entry out of a list, all of that name. The first of them, if there is one.
pub(super) fn take(root: &mut Object, list: &str, name: &str) -> Option<Value> {
    let mut kept = entries(root, list).to_vec();
    let found = kept
        .iter()
        .find(|entry| name_of(entry) == Some(name))
        .cloned()?;
    kept.retain(|entry| name_of(entry) != Some(name));
    root.set(list, Value::Array(kept));
    Some(found)
}

/// Adds an entry at the end of a list, which is made if it is missing.
pub(super) fn add(root: &mut Object, list: &str, entry: Value) {
    let mut all = entries(root, list).to_vec();
    all.push(entry);
    root.set(list, Value::Array(all));
}
