//! Who works on what: claims on tasks, and when they lapse.

use std::collections::{HashMap, HashSet};

use super::operations::{Change, Present, Reason};
use super::refusal::Refusal;
use super::scan::ItemKind;
use super::state::{member, strings};
use crate::document::{Object, Value};
use crate::history::Event;
use crate::time::Timestamp;

/// A claim lapses when nothing was heard of its agent for so many minutes.
pub const CLAIM_MINUTES: i64 = 30;

/// A claim on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Whose it is: `main`, `subagent:TYPE`, `team:ID`.
    pub by: String,
    /// Until when it holds unless they are heard of again.
    pub until: Timestamp,
    /// Whether it still holds.
    pub live: bool,
}

/// The claims on tasks, by task. Of two on one task the one that lasts longer counts.
#[must_use]
pub fn claims(state: &Object, now: Timestamp) -> HashMap<String, Claim> {
    let mut claims: HashMap<String, Claim> = HashMap::new();
    let agents = member(state, "agents").into_iter().flat_map(Object::iter);
    for (id, agent) in agents {
        let Some(agent) = agent.as_object() else {
            continue;
        };
        let active = agent.get("lastActive").and_then(Value::as_str);
        let Some(until) = active.and_then(Timestamp::parse).and_then(lapse) else {
            continue;
        };
        for task in strings(agent, "assignedTasks") {
            let claim = Claim {
                by: id.to_owned(),
                until,
                live: now < until,
            };
            match claims.get(task) {
                Some(known) if known.until >= until => {}
                _ => {
                    claims.insert(task.to_owned(), claim);
                }
            }
        }
    }
    claims
}

fn lapse(active: Timestamp) -> Option<Timestamp> {
    Timestamp::from_millisecond(active.as_millisecond() + CLAIM_MINUTES * 60 * 1000)
}

/// Takes tasks over. What somebody else is at work on stays theirs; a claim that lapsed passes on.
pub fn claim(present: &Present<'_>, tasks: &[String]) -> Result<Change, Refusal> {
    let claims = claims(present.state, present.now);
    let mut state = present.state.clone();
    let mut events = Vec::new();
    for task in tasks {
        let entry = present.outline.task(task);
        let entry = entry.ok_or_else(|| Refusal::Unknown {
            kind: ItemKind::Task,
            id: task.clone(),
        })?;
        if entry.done {
            return Err(Refusal::AlreadyDone(task.clone()));
        }
        let mut event = Event::new("task_claimed")
            .with("taskId", task.as_str())
            .with("by", present.by);
        match claims.get(task) {
            Some(held) if held.by != present.by && held.live => {
                return Err(Refusal::Claimed {
                    task: task.clone(),
                    holder: held.by.clone(),
                    until: held.until,
                });
            }
            Some(held) if held.by != present.by => {
                event = event.with("lapsedFrom", held.by.as_str());
                drop_assigned(&mut state, &held.by, task);
            }
            _ => {}
        }
        assign(&mut state, present.by, present.now, task);
        events.push(event);
    }
    Ok(Change {
        state: Some(state),
        events,
        backup: is_helper(present.by).then_some(Reason::SubagentSpawn),
        ..Change::default()
    })
}

/// Gives claims up.
pub fn release(present: &Present<'_>, tasks: &[String]) -> Result<Change, Refusal> {
    let mut state = present.state.clone();
    let mut events = Vec::new();
    for task in tasks {
        if !drop_assigned(&mut state, present.by, task) {
            let held = claims(present.state, present.now).remove(task);
            return Err(Refusal::NotClaimed {
                task: task.clone(),
                by: present.by.to_owned(),
                holder: held.filter(|held| held.live).map(|held| held.by),
            });
        }
        events.push(
            Event::new("task_released")
                .with("taskId", task.as_str())
                .with("by", present.by),
        );
    }
    Ok(Change {
        state: Some(state),
        events,
        ..Change::default()
    })
}

/// Whether somebody else than the main session works under this name.
fn is_helper(by: &str) -> bool {
    by.starts_with("subagent:") || by.starts_with("team:")
}

/// What kind of agent a name stands for: the type of a sub-agent, else what stands before the colon.
fn type_of(by: &str) -> &str {
    match by.split_once(':') {
        Some(("subagent", kind)) => kind,
        Some((kind, _)) => kind,
        None => by,
    }
}

fn agent_mut<'s>(state: &'s mut Object, by: &str, now: Timestamp) -> &'s mut Object {
    let agents = state.object_mut("agents");
    if member(agents, by).is_none() {
        let mut agent = Object::new();
        agent.set("type", type_of(by));
        agent.set("assignedTasks", Value::Array(Vec::new()));
        agent.set("completedTasks", Value::Array(Vec::new()));
        agent.set("lastActive", now);
        agents.set(by, agent);
    }
    agents.object_mut(by)
}

/// Adds a string to an array under a name, once.
fn add(agent: &mut Object, list: &str, text: &str) {
    let mut items: Vec<Value> = strings(agent, list).map(Value::from).collect();
    let text = Value::from(text);
    if !items.contains(&text) {
        items.push(text);
        agent.set(list, Value::Array(items));
    }
}

/// Removes a string from an array under a name. Whether it was there.
fn take(agent: &mut Object, list: &str, text: &str) -> bool {
    let before: Vec<Value> = strings(agent, list).map(Value::from).collect();
    let mut after = before.clone();
    after.retain(|item| item.as_str() != Some(text));
    let found = after.len() < before.len();
    if found {
        agent.set(list, Value::Array(after));
    }
    found
}

pub(super) fn assign(state: &mut Object, by: &str, now: Timestamp, task: &str) {
    let agent = agent_mut(state, by, now);
    add(agent, "assignedTasks", task);
    agent.set("lastActive", now);
}

pub(super) fn drop_assigned(state: &mut Object, by: &str, task: &str) -> bool {
    let agents = state.object_mut("agents");
    match agents.get_mut(by).and_then(Value::as_object_mut) {
        Some(agent) => take(agent, "assignedTasks", task),
        None => false,
    }
}

pub(super) fn complete(state: &mut Object, by: &str, now: Timestamp, tasks: &[&str]) {
    if !is_helper(by) && !has_agent(state, by) {
        return;
    }
    let agent = agent_mut(state, by, now);
    let mut all: Vec<&str> = strings(agent, "completedTasks").collect();
    let known: HashSet<&str> = all.iter().copied().collect();
    all.extend(tasks.iter().filter(|task| !known.contains(*task)));
    let all = all.into_iter().map(Value::from).collect();
    agent.set("completedTasks", Value::Array(all));
}

pub(super) fn reopen(state: &mut Object, tasks: &HashSet<&str>) {
    let Some(Value::Object(agents)) = state.get_mut("agents") else {
        return;
    };
    let ids: Vec<String> = agents.iter().map(|(id, _)| id.to_owned()).collect();
    for id in ids {
        if let Some(agent) = agents.get_mut(&id).and_then(Value::as_object_mut) {
            let kept = strings(agent, "completedTasks").filter(|task| !tasks.contains(task));
            let kept: Vec<Value> = kept.map(Value::from).collect();
            if kept.len() < strings(agent, "completedTasks").count() {
                agent.set("completedTasks", Value::Array(kept));
            }
        }
    }
}

fn has_agent(state: &Object, by: &str) -> bool {
    member(state, "agents").is_some_and(|agents| member(agents, by).is_some())
}

/// Keeps the record of agents: what the one who makes the change completed, and that it is alive.
pub fn keep_account(state: &mut Object, by: &str, now: Timestamp, events: &[Event]) {
    let named = |event: &'_ Event, name: &str| event.name == name;
    let task = |event: &'_ Event| event.fields.get("taskId")?.as_str().map(str::to_owned);
    let reopened = events.iter().filter(|event| named(event, "task_reopened"));
    let reopened: Vec<String> = reopened.filter_map(task).collect();
    if !reopened.is_empty() {
        reopen(state, &reopened.iter().map(String::as_str).collect());
    }
    let own = |event: &&Event| {
        let who = event.fields.get("by").and_then(Value::as_str);
        named(event, "task_completed") && who.is_none_or(|who| who == by)
    };
    let completed: Vec<String> = events.iter().filter(own).filter_map(task).collect();
    let completed: Vec<&str> = completed.iter().map(String::as_str).collect();
    if !completed.is_empty() {
        complete(state, by, now, &completed);
    }
    if has_agent(state, by) {
        agent_mut(state, by, now).set("lastActive", now);
    }
}
