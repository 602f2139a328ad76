//! Going back in a plan: the ticks of an earlier revision, and changes that are taken back.
//!
//! Whatever a change recorded is taken back, in the Markdown line by line and in the state part by part, on top of what others
//! did since. What a gate says stays: receipts, and whatever else carries a seal.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::agents::{SESSION, add};
use super::line;
use super::operations::{Change, Present, Reason, Recording, Tick, marked};
use super::outline::{Entry, Outline, Source};
use super::refusal::Refusal;
use super::scan::ItemKind;
use super::state::{decision, is_same_but_for_time, member, strings};
use super::subagents;
use super::tasks::check_conflicts;
use crate::document::{Clash, Edit, Lists, Merging, Object, Value, rebase};
use crate::history::Event;
use crate::seal::has_seal;

/// A plan before or after a change.
#[derive(Debug, Clone, Default)]
pub struct Version {
    /// The Markdown files that the change is about, by position of their source.
    pub texts: HashMap<usize, Vec<u8>>,
    /// The state; `None` if there was none.
    pub state: Option<Object>,
}

/// A change in the history of a plan.
#[derive(Debug, Clone, Default)]
pub struct PastChange {
    /// The plan before it.
    pub before: Version,
    /// The plan after it.
    pub after: Version,
}

impl PastChange {
    /// Whether it changed more than the times that every change updates.
    #[must_use]
    pub fn has_effect(&self) -> bool {
        let (before, after) = (&self.before, &self.after);
        let mut texts = after.texts.iter();
        texts.any(|(at, text)| before.texts.get(at) != Some(text))
            || match (&before.state, &after.state) {
                (Some(before), Some(after)) => !is_same_but_for_time(before, after),
                (None, Some(_)) => true,
                // Others wrote what is no state, and the next change restored it.
                (_, None) => false,
            }
    }

    /// The tasks and criteria that it ticked or opened again.
    #[must_use]
    pub fn toggled(&self) -> BTreeSet<String> {
        let (Some(before), Some(after)) = (&self.before.state, &self.after.state) else {
            return BTreeSet::new();
        };
        let toggled = RECORDS.iter().flat_map(|(list, flag, _)| {
            let were = records(before, list);
            let is_set = |record: &Value| {
                record
                    .as_object()
                    .and_then(|record| record.get(flag))
                    .cloned()
            };
            let are = records(after, list).into_iter();
            are.filter(move |(id, (_, record))| {
                let was = were.get(id).map(|(_, was)| is_set(was));
                was.is_some_and(|was| was != is_set(record))
            })
        });
        toggled.map(|(id, _)| id.to_owned()).collect()
    }
}

/// The lists of things with an id, and the flag that says whether one is done.
const RECORDS: [(&str, &str, ItemKind); 2] = [
    ("tasks", "done", ItemKind::Task),
    ("acceptance", "met", ItemKind::Acceptance),
];

/// Members of the state that follow from the Markdown, that are merged by themselves, or that stay as they are.
const OTHERWISE: [&str; 16] = [
    "version",
    "planId",
    "planPath",
    "lastCheckpoint",
    "checksum",
    "progress",
    "phases",
    "currentPhase",
    "currentTask",
    "blockers",
    "phaseFiles",
    "decisions",
    "sessionNotes",
    "agents",
    "receipts",
    "gate",
];

/// Ticks the boxes as they were in an earlier state, with their records, the times of phases, the session notes and the
/// recorded decisions of that time. Boxes that are new since stay as they are, and so do all texts.
pub fn restore(present: &Present<'_>, then: &Object, event: Event) -> Result<Change, Refusal> {
    check_conflicts(present)?;
    let earlier = Outline::of_state(then);
    let mut boxes = Vec::new();
    for (_, _, kind) in RECORDS {
        let were: HashMap<&str, &Entry> = earlier.entries(kind).collect();
        for (id, entry) in present.outline.entries(kind) {
            if let Some(was) = were.get(id).filter(|was| was.done != entry.done) {
                let to = match was.done {
                    true => Tick::Done,
                    false => Tick::Open,
                };
                boxes.push((entry, to));
            }
        }
    }
    let ids: HashSet<&str> = boxes.iter().map(|(entry, _)| entry.id.as_str()).collect();
    let mut state = present.state.clone();
    for (list, _, _) in RECORDS {
        let records = records(then, list).into_iter();
        for (id, (phase, record)) in records.filter(|(id, _)| ids.contains(id)) {
            set_record(&mut state, list, id, (phase, record));
        }
    }
    take_phases_back(&mut state, then, present.state);
    // A state that was made from the boxes alone knows nothing of these.
    if then.get("sessionNotes").is_some() {
        let notes = then.get("sessionNotes").cloned();
        state.set("sessionNotes", notes.unwrap_or_default());
        let decisions = decisions_of(present, then);
        state.set("decisions", Value::Array(decisions));
    }
    if boxes.is_empty() && state == *present.state {
        return Ok(Change::default());
    }
    Ok(Change {
        edits: marked(present.sources, boxes),
        state: Some(state),
        events: vec![event],
        backup: Some(Reason::Restore),
        recording: Recording::Changes,
    })
}

/// The recorded decisions of an earlier state. One that is in the Markdown by now stays, because texts do.
fn decisions_of(present: &Present<'_>, then: &Object) -> Vec<Value> {
    let list = |state: &Object| -> Vec<Value> {
        let list = state.get("decisions").and_then(Value::as_array);
        list.unwrap_or_default().to_vec()
    };
    let (earlier, now) = (list(then), list(present.state));
    let is_in = |all: &[Value], one: &Value| all.iter().any(|two| decision(two) == decision(one));
    let is_recorded = |old: &Value| old.as_object().is_some_and(|old| old.get("by").is_some());
    let is_in_plan = |text: &str| present.outline.decisions.iter().any(|known| known == text);
    // In the order of that time, so that going back and there again changes nothing.
    let mut all = earlier.clone();
    all.retain(|old| is_recorded(old) || is_in(&now, old));
    let stays = |one: &Value| !is_in(&earlier, one) && decision(one).is_none_or(is_in_plan);
    all.extend(now.iter().filter(|one| stays(one)).cloned());
    all
}

/// Takes changes back, newest first. Refused where something of them was changed again since.
pub fn take_back(
    present: &Present<'_>,
    changes: &[PastChange],
    event: Event,
) -> Result<Change, Refusal> {
    check_conflicts(present)?;
    let texts = texts_without(present, changes)?;
    let sources = present.sources.iter().zip(&texts);
    let sources: Vec<Source<'_>> = sources
        .map(|(source, text)| Source {
            name: source.name,
            text,
        })
        .collect();
    let outline = Outline::read(&sources).map_err(|_| Refusal::TooLong {
        name: present.sources[0].name.to_owned(),
    })?;
    let mut state = present.state.clone();
    for change in changes {
        take_state_back(&mut state, change, &outline)?;
    }
    let both = present.sources.iter().zip(&texts).enumerate();
    let edits = both
        .filter(|(_, (source, text))| source.text != text.as_slice())
        .map(|(position, (source, text))| (position, Edit::by_lines(source.text, text)));
    let edits: Vec<(usize, Edit)> = edits.collect();
    if edits.is_empty() && state == *present.state {
        return Ok(Change::default());
    }
    Ok(Change {
        edits,
        state: Some(state),
        events: vec![event],
        backup: Some(Reason::Restore),
        recording: Recording::Changes,
    })
}

/// The Markdown files without these changes.
fn texts_without(present: &Present<'_>, changes: &[PastChange]) -> Result<Vec<Vec<u8>>, Refusal> {
    let texts = present.sources.iter().map(|source| source.text.to_vec());
    let mut texts: Vec<Vec<u8>> = texts.collect();
    for PastChange { before, after } in changes {
        for (position, after) in &after.texts {
            let (Some(source), Some(before)) =
                (present.sources.get(*position), before.texts.get(position))
            else {
                continue;
            };
            let rebased = rebase(after, before, &texts[*position], &with_mark);
            texts[*position] = rebased.map_err(|overlap| Refusal::ChangedSince {
                what: source.name.to_owned(),
                text: String::from_utf8_lossy(overlap.line.trim_ascii()).into_owned(),
            })?;
        }
    }
    Ok(texts)
}

/// Their line with my mark, if the mark is all that I changed.
fn with_mark(base: &[u8], mine: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let split = |line: &[u8]| {
        let mark = line::checkbox(line)?.mark;
        let close = mark + memchr::memchr(b']', &line[mark..])?;
        let (before, rest) = (&line[..mark], &line[close..]);
        Some((before.to_vec(), line[mark..close].to_vec(), rest.to_vec()))
    };
    let (base, mine, theirs) = (split(base)?, split(mine)?, split(theirs)?);
    let is_mark = base.0 == mine.0 && base.2 == mine.2 && base.1 == theirs.1;
    is_mark.then(|| [theirs.0, mine.1, theirs.2].concat())
}

fn take_state_back(state: &mut Object, change: &PastChange, next: &Outline) -> Result<(), Refusal> {
    let Some(after) = &change.after.state else {
        return Ok(());
    };
    let none = Object::new();
    let before = change.before.state.as_ref().unwrap_or(&none);
    take_records_back(state, before, after, next);
    take_phases_back(state, before, after);
    take_notes_back(state, before, after)?;
    take_decisions_back(state, before, after)?;
    take_claims_back(state, before, after)?;
    match change.before.state {
        Some(_) => take_others_back(state, before, after),
        None => Ok(()),
    }
}

/// The records of one list, each with its phase.
fn records<'s>(state: &'s Object, list: &'static str) -> HashMap<&'s str, (&'s str, &'s Value)> {
    let phases = member(state, "phases").into_iter().flat_map(Object::iter);
    let records = phases.flat_map(move |(phase, value)| {
        let items = value.as_object().and_then(|value| member(value, list));
        let items = items.into_iter().flat_map(Object::iter);
        items.map(move |(id, record)| (id, (phase, record)))
    });
    records.collect()
}

fn remove_record(state: &mut Object, list: &str, id: &str) {
    let Some(Value::Object(phases)) = state.get_mut("phases") else {
        return;
    };
    for (_, phase) in phases.iter_mut() {
        let phase = phase.as_object_mut();
        if let Some(Value::Object(items)) = phase.and_then(|phase| phase.get_mut(list)) {
            items.remove(id);
        }
    }
}

fn set_record(state: &mut Object, list: &'static str, id: &str, (phase, record): (&str, &Value)) {
    let known = records(state, list).get(id).map(|(phase, _)| *phase);
    let phase = known.unwrap_or(phase).to_owned();
    let phase = state.object_mut("phases").object_mut(&phase);
    phase.object_mut(list).set(id, record.clone());
}

/// The records of boxes that are as they were before. What is no longer in the Markdown leaves no record that would tell of
/// a loss.
fn take_records_back(state: &mut Object, before: &Object, after: &Object, next: &Outline) {
    for (list, flag, kind) in RECORDS {
        let (were, are) = (records(before, list), records(after, list));
        let boxes: HashMap<&str, &Entry> = next.entries(kind).collect();
        let ids: HashSet<&str> = were.keys().chain(are.keys()).copied().collect();
        let differs = |id: &&str| were.get(id).map(|one| one.1) != are.get(id).map(|one| one.1);
        for id in ids.into_iter().filter(differs) {
            let is_set = |record: &Value| {
                record.as_object().and_then(|record| record.get(flag)) == Some(&true.into())
            };
            match (boxes.get(id), were.get(id)) {
                (Some(found), Some((phase, record))) if found.done == is_set(record) => {
                    set_record(state, list, id, (phase, record));
                }
                (None, _) => remove_record(state, list, id),
                _ => {}
            }
        }
    }
}

/// When phases began and ended.
fn take_phases_back(state: &mut Object, before: &Object, after: &Object) {
    let phases = |state: &Object| member(state, "phases").cloned().unwrap_or_default();
    let (before, after) = (phases(before), phases(after));
    let Some(Value::Object(phases)) = state.get_mut("phases") else {
        return;
    };
    for (name, was) in before.iter() {
        let (Some(was), Some(is)) = (was.as_object(), member(&after, name)) else {
            continue;
        };
        let Some(Value::Object(phase)) = phases.get_mut(name) else {
            continue;
        };
        for time in ["status", "startedAt", "completedAt"] {
            match was.get(time) {
                _ if was.get(time) == is.get(time) => {}
                Some(value) => phase.set(time, value.clone()),
                None => drop(phase.remove(time)),
            }
        }
    }
}

/// The session notes, line by line.
fn take_notes_back(state: &mut Object, before: &Object, after: &Object) -> Result<(), Refusal> {
    let lines = |state: &Object| match state.get("sessionNotes").and_then(Value::as_str) {
        Some(notes) if !notes.is_empty() => format!("{notes}\n").into_bytes(),
        _ => Vec::new(),
    };
    let (before, after) = (lines(before), lines(after));
    if before == after {
        return Ok(());
    }
    let rebased = rebase(&after, &before, &lines(state), &|_, _, _| None);
    let rebased = rebased.map_err(|overlap| changed_since("the session notes", &overlap.line))?;
    let notes = String::from_utf8_lossy(&rebased);
    let notes = notes.strip_suffix('\n').map(str::to_owned);
    state.set("sessionNotes", notes);
    Ok(())
}

fn changed_since(what: &str, text: &[u8]) -> Refusal {
    Refusal::ChangedSince {
        what: what.to_owned(),
        text: String::from_utf8_lossy(text).into_owned(),
    }
}

const MERGING: Merging<'_> = Merging {
    clash: &|_| Clash::Conflict,
    lists: Lists::Items,
};

fn take_decisions_back(state: &mut Object, before: &Object, after: &Object) -> Result<(), Refusal> {
    let list = |state: &Object| {
        let list = state.get("decisions").and_then(Value::as_array);
        Value::Array(list.unwrap_or_default().to_vec())
    };
    let (before, after) = (list(before), list(after));
    if before == after {
        return Ok(());
    }
    let merged = MERGING.merge(&after, before.clone(), &list(state));
    let merged = merged.map_err(|_| {
        let gone = after.as_array().unwrap_or_default().iter();
        let mut gone = gone.filter(|one| !before.as_array().unwrap_or_default().contains(one));
        let text = gone.next().and_then(decision).unwrap_or_default();
        changed_since("a decision", text.as_bytes())
    })?;
    state.set("decisions", merged);
    Ok(())
}

/// What agents have claimed and completed. Everything else about them stays: whether they are at work, and their reports. A
/// claim is not given back to another session that goes by the same name now.
fn take_claims_back(state: &mut Object, before: &Object, after: &Object) -> Result<(), Refusal> {
    let none = Object::new();
    let agents = |state: &Object| member(state, "agents").cloned().unwrap_or_default();
    let (before, after) = (agents(before), agents(after));
    let names: HashSet<&str> = before
        .iter()
        .chain(after.iter())
        .map(|(name, _)| name)
        .collect();
    for name in names {
        let was = member(&before, name);
        let is = member(&after, name);
        let now = member(state, "agents").and_then(|agents| member(agents, name));
        let is_of_another_session =
            now.is_some_and(|now| was.is_some_and(|was| now.get(SESSION) != was.get(SESSION)));
        let (were, are) = (was.unwrap_or(&none), is.unwrap_or(&none));
        let lists = ["assignedTasks", "completedTasks"];
        let differs = |list: &&str| {
            let tasks = |agent| -> HashSet<&str> { strings(agent, list).collect() };
            tasks(were) != tasks(are)
        };
        if !lists.iter().any(differs) && was.is_some() == is.is_some() {
            continue;
        }
        let given_back = strings(were, lists[0]).filter(|task| !has(are, lists[0], task));
        let given_back: Vec<&str> = match is_of_another_session {
            true => Vec::new(),
            false => given_back.collect(),
        };
        for task in &given_back {
            check_unclaimed(state, name, task)?;
        }
        let all = state.object_mut("agents");
        if member(all, name).is_none() {
            match was {
                Some(was) => all.set(name, was.clone()),
                None => continue,
            }
        }
        let agent = all.object_mut(name);
        for list in lists {
            let kept =
                strings(agent, list).filter(|task| has(were, list, task) || !has(are, list, task));
            let kept: Vec<Value> = kept.map(Value::from).collect();
            if kept.len() < strings(agent, list).count() {
                agent.set(list, Value::Array(kept));
            }
            for task in strings(were, list).filter(|task| !has(are, list, task)) {
                if list != lists[0] || given_back.contains(&task) {
                    add(agent, list, task);
                }
            }
        }
        let is_idle = lists
            .iter()
            .all(|list| strings(agent, list).next().is_none());
        if was.is_none() && is_idle && agent.get(subagents::STARTED).is_none() {
            all.remove(name);
        }
    }
    Ok(())
}

fn has(agent: &Object, list: &str, task: &str) -> bool {
    strings(agent, list).any(|known| known == task)
}

/// Refuses to give a claim back that somebody else holds by now.
fn check_unclaimed(state: &Object, name: &str, task: &str) -> Result<(), Refusal> {
    let agents = member(state, "agents").into_iter().flat_map(Object::iter);
    let mut others = agents.filter(|(other, _)| *other != name);
    let holds = |agent: &Value| {
        let agent = agent.as_object();
        agent.is_some_and(|agent| has(agent, "assignedTasks", task))
    };
    match others.find(|(_, agent)| holds(agent)) {
        None => Ok(()),
        Some((other, _)) => Err(changed_since(
            &format!("the claim on {task}"),
            other.as_bytes(),
        )),
    }
}

/// Members that other tools keep in the state.
fn take_others_back(state: &mut Object, before: &Object, after: &Object) -> Result<(), Refusal> {
    let others = |state: &Object| -> Object {
        let others = state
            .iter()
            .filter(|(name, value)| !OTHERWISE.contains(name) && !has_seal(value));
        others
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
    };
    let (before, after, present) = (others(before), others(after), others(state));
    let merged = MERGING.merge(
        &Value::Object(after),
        Value::Object(before),
        &Value::Object(present.clone()),
    );
    let merged = merged.map_err(|conflicts| {
        let first = conflicts.first().map(|one| one.pointer.to_string());
        changed_since("the state", first.unwrap_or_default().as_bytes())
    })?;
    let merged = merged.into_object().unwrap_or_default();
    for (name, _) in present
        .iter()
        .filter(|(name, _)| merged.get(name).is_none())
    {
        state.remove(name);
    }
    for (name, value) in merged.iter() {
        state.set(name, value.clone());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
