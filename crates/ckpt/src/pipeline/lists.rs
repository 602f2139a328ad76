//! The lists of a checkpoint: entries are names, or objects that have one. Others keep maps from names instead, and now
//! and then a single value; whatever it is, a change leaves what it does not concern.

use std::collections::HashSet;

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

/// The names in a list.
pub(super) fn names(root: &Object, list: &str) -> Vec<String> {
    match root.get(list) {
        Some(Value::Object(map)) => map.iter().map(|(name, _)| name.to_owned()).collect(),
        found => {
            let entries = found.and_then(Value::as_array).unwrap_or_default();
            let names = entries.iter().filter_map(name_of);
            names.map(str::to_owned).collect()
        }
    }
}

/// Whether a list has a name.
pub(super) fn has(root: &Object, list: &str, name: &str) -> bool {
    match root.get(list) {
        Some(Value::Object(map)) => map.get(name).is_some(),
        found => {
            let entries = found.and_then(Value::as_array).unwrap_or_default();
            entries.iter().any(|entry| name_of(entry) == Some(name))
        }
    }
}

/// Whether a list has nothing in it.
pub(super) fn is_empty(root: &Object, list: &str) -> bool {
    names(root, list).is_empty()
}

/// Takes an entry out of a list, all of that name. The first of them, if there is one.
pub(super) fn take(root: &mut Object, list: &str, name: &str) -> Option<Value> {
    match root.get_mut(list)? {
        Value::Object(map) => map.remove(name).map(|value| named(name, value)),
        Value::Array(entries) => {
            let found = entries
                .iter()
                .position(|entry| name_of(entry) == Some(name))?;
            let found = entries.remove(found);
            entries.retain(|entry| name_of(entry) != Some(name));
            Some(found)
        }
        _ => None,
    }
}

/// Takes many entries out of a list: the first of each name that is to go, with its name. What else has that name goes
/// with it.
pub(super) fn take_all(
    root: &mut Object,
    list: &str,
    is_gone: impl Fn(&str) -> bool,
) -> Vec<(String, Value)> {
    match root.get_mut(list) {
        Some(Value::Object(map)) => {
            let (gone, rest): (Vec<_>, Vec<_>) = std::mem::take(map)
                .into_iter()
                .partition(|(name, _)| is_gone(name));
            *map = Object::from_unique(rest);
            let gone = gone.into_iter();
            gone.map(|(name, value)| (name.to_string(), named(&name, value)))
                .collect()
        }
        Some(Value::Array(entries)) => {
            let (gone, rest): (Vec<_>, Vec<_>) = std::mem::take(entries)
                .into_iter()
                .partition(|entry| name_of(entry).is_some_and(&is_gone));
            *entries = rest;
            let mut seen = HashSet::new();
            let gone = gone.into_iter().filter_map(|entry| {
                let name = name_of(&entry)?.to_owned();
                seen.insert(name.clone()).then_some((name, entry))
            });
            gone.collect()
        }
        _ => Vec::new(),
    }
}

/// What a map has under a name, as an entry of a list.
fn named(name: &str, value: Value) -> Value {
    match value {
        Value::Object(mut entry) if !entry.is_empty() => {
            if name_of(&Value::Object(entry.clone())) != Some(name) {
                entry.set("id", name);
            }
            Value::Object(entry)
        }
        _ => Value::from(name),
    }
}

/// Adds an entry at the end of a list, which is made if it is missing.
pub(super) fn add(root: &mut Object, list: &str, entry: Value) {
    match root.get_mut(list) {
        Some(Value::Object(map)) if name_of(&entry).is_some() => {
            let (name, value) = as_member(entry);
            map.set(&name, value);
        }
        _ => append(root, list, entry),
    }
}

/// Adds entries that have names at the end of a list, which is made if it is missing.
pub(super) fn add_all(root: &mut Object, list: &str, entries: Vec<Value>) {
    if entries.is_empty() {
        return;
    }
    match root.get_mut(list) {
        Some(Value::Array(present)) => present.extend(entries),
        Some(Value::Object(map)) => map.set_all(entries.into_iter().map(as_member)),
        found => {
            let single = found.map(std::mem::take);
            let single = single.filter(|single| *single != Value::Null);
            let all = single.into_iter().chain(entries).collect();
            root.set(list, Value::Array(all));
        }
    }
}

/// An entry of a list, as a map has it.
fn as_member(entry: Value) -> (String, Value) {
    let name = name_of(&entry).unwrap_or_default().to_owned();
    match entry {
        Value::Object(entry) => (name, Value::Object(entry)),
        _ => (name, Value::from(true)),
    }
}

/// Adds a value at the end of a list; what stands there instead of one becomes its first.
pub(super) fn append(holder: &mut Object, list: &str, value: Value) {
    match holder.get_mut(list) {
        Some(Value::Array(present)) => present.push(value),
        Some(Value::Null) | None => holder.set(list, Value::Array(vec![value])),
        Some(single) => {
            let single = std::mem::replace(single, Value::Null);
            holder.set(list, Value::Array(vec![single, value]));
        }
    }
}

/// Puts entries at the front of a list.
pub(super) fn add_first(root: &mut Object, list: &str, mut entries: Vec<Value>) {
    match root.get_mut(list) {
        Some(Value::Array(present)) => {
            entries.append(present);
            *present = entries;
        }
        Some(Value::Null) | None => root.set(list, Value::Array(entries)),
        Some(_) => add_all(root, list, entries),
    }
}
