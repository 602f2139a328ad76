//! Changing the lists of a checkpoint. Entries are names or objects with a name; other tools also write maps from
//! names, or a single value. A change leaves everything else as it is.

use std::collections::HashSet;

use super::model::entry_name;
use crate::document::{Object, Value};

fn is_called(entry: &Value, name: &str) -> bool {
    entry_name(entry.view()).is_some_and(|found| found == name)
}

/// Removes all entries of a name from a list, and returns the first.
pub(super) fn take(root: &mut Object, list: &str, name: &str) -> Option<Value> {
    match root.get_mut(list)? {
        Value::Object(map) => map.remove(name).map(|value| named(name, value)),
        Value::Array(entries) => {
            let found = entries.iter().position(|entry| is_called(entry, name))?;
            let found = entries.remove(found);
            entries.retain(|entry| !is_called(entry, name));
            Some(found)
        }
        _ => None,
    }
}

/// Removes entries from a list, and returns the first of each name. Repeated entries are removed too.
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
                .partition(|entry| entry_name(entry.view()).is_some_and(|name| is_gone(&name)));
            *entries = rest;
            let mut seen = HashSet::new();
            let gone = gone.into_iter().filter_map(|entry| {
                let name = entry_name(entry.view())?.into_owned();
                seen.insert(name.clone()).then_some((name, entry))
            });
            gone.collect()
        }
        _ => Vec::new(),
    }
}

/// A member of a map as an entry of a list.
fn named(name: &str, value: Value) -> Value {
    match value {
        Value::Object(mut entry) if !entry.is_empty() => {
            if entry_name(entry.view()).is_none_or(|found| found != name) {
                entry.set("id", name);
            }
            Value::Object(entry)
        }
        _ => Value::from(name),
    }
}

/// Appends an entry to a list, creating the list if it is missing.
pub(super) fn add(root: &mut Object, list: &str, entry: Value) {
    match root.get_mut(list) {
        Some(Value::Object(map)) if entry_name(entry.view()).is_some() => {
            let (name, value) = as_member(entry);
            map.set(&name, value);
        }
        _ => append(root, list, entry),
    }
}

/// Appends named entries to a list, creating the list if it is missing.
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

/// An entry of a list as a member of a map.
fn as_member(entry: Value) -> (String, Value) {
    let name = entry_name(entry.view()).unwrap_or_default().into_owned();
    match entry {
        Value::Object(entry) => (name, Value::Object(entry)),
        _ => (name, Value::from(true)),
    }
}

/// Appends a value to a list. A single value in place of the list becomes its first item.
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

/// Inserts entries at the front of a list.
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

/// Replaces the entries of a list that a test accepts, where the first of them was.
pub(super) fn replace(
    root: &mut Object,
    list: &str,
    is_gone: impl Fn(&str) -> bool,
    new: Vec<Value>,
) {
    if let Some(Value::Array(entries)) = root.get_mut(list) {
        let is_gone = |entry: &Value| entry_name(entry.view()).is_some_and(|name| is_gone(&name));
        let at = entries.iter().position(is_gone).unwrap_or(entries.len());
        entries.retain(|entry| !is_gone(entry));
        entries.splice(at..at, new);
        return;
    }
    take_all(root, list, is_gone);
    add_all(root, list, new);
}
