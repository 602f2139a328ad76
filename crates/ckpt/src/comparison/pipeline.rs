//! The lists of a pipeline as what they say: where each workstream is, and which gates have passed.

use std::collections::HashMap;

use super::Difference;
use crate::document::{Object, Pointer, Value};

/// The lists of workstreams, and the word for what is in one. A failed workstream is also listed as pending.
const WORKSTREAMS: [(&str, &str); 7] = [
    ("completed_workstreams", "done"),
    ("in_progress_workstreams", "in progress"),
    ("dormant_workstreams", "deferred"),
    ("skipped_workstreams", "deferred"),
    ("deferred_workstreams", "deferred"),
    ("failed_workstreams", "failed"),
    ("pending_workstreams", "pending"),
];

/// The lists of gates, and the word for what is in one.
const GATES: [(&str, &str); 2] = [("gates_passed", "passed"), ("gates_pending", "pending")];

/// Whether a member is told here. Other tools also write maps, whose values say more.
pub(super) fn is_told(name: &str, before: Option<&Value>, after: Option<&Value>) -> bool {
    let mut lists = WORKSTREAMS.iter().chain(&GATES);
    let is_map = |value: Option<&Value>| matches!(value, Some(Value::Object(_)));
    lists.any(|(list, _)| *list == name) && !is_map(before) && !is_map(after)
}

/// Whether a difference says where a workstream is, or whether a gate has passed.
pub(super) fn is_of_status(difference: &Difference) -> bool {
    let list = difference.pointer.segments().last().unwrap_or_default();
    let mut lists = WORKSTREAMS.iter().chain(&GATES);
    let is_word = |value: &Value| {
        let mut words = WORKSTREAMS.iter().chain(&GATES);
        words.any(|(_, word)| value.as_str() == Some(word))
    };
    let mut values = difference.before.iter().chain(&difference.after);
    lists.any(|(known, _)| *known == list) && values.all(is_word)
}

/// What differs in the lists, in the order of the newer document.
pub(super) fn compare(before: &Object, after: &Object) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (thing, lists) in [("workstream", &WORKSTREAMS[..]), ("gate", &GATES)] {
        let told = |(list, _): &&(&'static str, &str)| {
            let list = *list;
            is_told(list, before.get(list), after.get(list))
        };
        let lists: Vec<_> = lists.iter().filter(told).copied().collect();
        let (old, new) = (entries(before, &lists), entries(after, &lists));
        let (were, are) = (by_name(&old), by_name(&new));
        let gone = old.iter().filter(|entry| !are.contains_key(&*entry.name));
        for entry in new.iter().chain(gone) {
            let (was, is) = (were.get(&*entry.name), are.get(&*entry.name));
            // A repeated name is told by its first entry.
            if is.is_some_and(|first| !std::ptr::eq(*first, entry)) {
                continue;
            }
            let word = |entry: Option<&&Entry<'_>>| entry.map(|entry| Value::from(entry.word));
            let reason = |entry: Option<&&Entry<'_>>| entry.and_then(|entry| entry.reason.cloned());
            let what = format!("{thing} {}", entry.name);
            let pointer = Pointer::root().join(entry.list);
            let told = [
                (what.clone(), word(was), word(is)),
                (format!("{what}, reason"), reason(was), reason(is)),
            ];
            let told = told.into_iter().filter(|(_, was, is)| was != is);
            differences.extend(told.map(|(what, before, after)| Difference {
                what,
                pointer: pointer.clone(),
                before,
                after,
            }));
        }
    }
    differences
}

/// An entry of a list.
struct Entry<'v> {
    name: String,
    list: &'static str,
    word: &'static str,
    reason: Option<&'v Value>,
}

fn by_name<'e, 'v>(entries: &'e [Entry<'v>]) -> HashMap<&'e str, &'e Entry<'v>> {
    let mut first = HashMap::new();
    for entry in entries {
        first.entry(entry.name.as_str()).or_insert(entry);
    }
    first
}

/// What is in some lists. Entries are names, or objects that contain one.
fn entries<'v>(root: &'v Object, lists: &[(&'static str, &'static str)]) -> Vec<Entry<'v>> {
    let mut entries = Vec::new();
    for (list, word) in lists {
        let items = root.get(list).and_then(Value::as_array);
        let named = items.unwrap_or_default().iter().filter_map(|item| {
            Some(Entry {
                name: name_of(item)?,
                list,
                word,
                reason: item.as_object().and_then(|item| item.get("reason")),
            })
        });
        entries.extend(named);
    }
    entries
}

fn name_of(entry: &Value) -> Option<String> {
    if let Some(name) = entry.as_str() {
        return Some(name.to_owned());
    }
    let entry = entry.as_object()?;
    let mut members = ["id", "name", "workstream", "gate"].into_iter();
    let name = members.find_map(|member| entry.get(member)?.as_str());
    name.map(str::to_owned)
}
