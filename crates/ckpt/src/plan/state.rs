//! The state of a plan (`state.json`, version 2), and syncing it with the Markdown.

use std::collections::{HashMap, HashSet};

use super::closing::{CLOSED, is_taken_up, reopened};
use super::outline::{Entry, Outline, Phase};
use super::progress::percentage;
use crate::document::{Object, Value};
use crate::hash::ContentHash;
use crate::history::{Event, EventName};
use crate::time::Timestamp;

/// The author of a task that was ticked in an editor.
pub const UNKNOWN: &str = "unknown";

/// The version of the format.
pub const VERSION: u64 = 2;

/// The checksum of a Markdown file: `sha256:` and the first 16 hexadecimal digits.
#[must_use]
pub fn checksum(content: &[u8]) -> String {
    checksum_of(ContentHash::of(content))
}

/// The checksum of content with this hash.
#[must_use]
pub(crate) fn checksum_of(hash: ContentHash) -> String {
    format!("sha256:{}", &hash.to_string()[..16])
}

/// What reconciling needs besides the Markdown and the old state.
#[derive(Debug, Clone)]
pub struct Context<'c> {
    /// The plan's id.
    pub plan_id: &'c str,
    /// The absolute path of `plan.md`.
    pub plan_path: &'c str,
    /// The checksum of `plan.md`.
    pub checksum: &'c str,
    /// The names and checksums of the phase files.
    pub phase_files: &'c [(String, String)],
    /// The current time.
    pub now: Timestamp,
    /// Who did what is newly done; `None` if unknown.
    pub by: Option<&'c str>,
}

/// A state in sync with its plan, and what changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Reconciled {
    /// The state.
    pub state: Value,
    /// What happened since the old state.
    pub events: Vec<Event>,
}

/// Syncs a state with its plan. Times and authors of completed work are kept, and so are notes, agents and everything
/// else that is not about the Markdown.
#[must_use]
pub fn reconcile(old: Option<&Object>, outline: &Outline, context: &Context<'_>) -> Reconciled {
    let empty = Object::new();
    let known = old.unwrap_or(&empty);
    let mut events = Vec::new();
    if old.is_none() {
        events.push(Event::new(EventName::CheckpointCreated).with("planId", context.plan_id));
    }
    let position = position(outline);
    let recorded = member(known, "phases").into_iter().flat_map(Object::iter);
    let recorded: HashMap<&str, &Value> = recorded.collect();
    let records = Records::of(known);
    let phases = outline.phases.iter().map(|phase| {
        let before = recorded.get(phase.id.as_str());
        let before = before.and_then(|before| before.as_object());
        let status = Status::of(phase, position.as_ref());
        (
            phase.id.as_str(),
            phase_state(phase, before, &records, status, context).into(),
        )
    });
    let phases = Object::from_unique(phases);
    if old.is_some() {
        changes(known, &records, outline, context, &mut events);
        completed_phases(&recorded, &phases, &mut events);
        notes(known, outline, &mut events);
    }
    let is_reopened = is_taken_up(known, &records, outline);
    if is_reopened {
        events.push(reopened());
    }
    let done = outline.tasks().filter(|(_, task)| task.done).count();
    let total = outline.tasks().count();
    let mut progress = Object::new();
    progress.set("totalTasks", total as u64);
    progress.set("completedTasks", done as u64);
    progress.set("percentage", percentage(done, total));
    let mut state = Object::new();
    state.set("version", VERSION);
    state.set("planId", context.plan_id);
    state.set("planPath", context.plan_path);
    state.set("lastCheckpoint", context.now);
    state.set("checksum", context.checksum);
    state.set("progress", progress);
    state.set("phases", phases);
    let (phase, task) = position.unzip();
    state.set("currentPhase", phase);
    state.set("currentTask", task);
    state.set(
        "blockers",
        outline
            .blockers
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    state.set("decisions", decisions(known, outline, context));
    state.set(
        "sessionNotes",
        known.get("sessionNotes").cloned().unwrap_or_default(),
    );
    state.set(
        "agents",
        member(known, "agents").cloned().unwrap_or_default(),
    );
    let files = context.phase_files.iter();
    let files = files.map(|(name, checksum)| (name.as_str(), checksum.as_str().into()));
    state.set("phaseFiles", files.collect::<Object>());
    for (name, value) in known.iter() {
        if state.get(name).is_none() && !(is_reopened && name == CLOSED) {
            state.set(name, value.clone());
        }
    }
    Reconciled {
        state: Value::Object(state),
        events,
    }
}

/// An object member.
pub(super) fn member<'o>(object: &'o Object, name: &str) -> Option<&'o Object> {
    object.get(name).and_then(Value::as_object)
}

/// The strings of an array member; empty if there is no such array.
pub(super) fn strings<'o>(object: &'o Object, name: &str) -> impl Iterator<Item = &'o str> {
    let items = object.get(name).and_then(Value::as_array);
    items.unwrap_or_default().iter().filter_map(Value::as_str)
}

/// The records of all tasks and criteria, regardless of phase: one that moves to another phase keeps its record.
pub(super) struct Records<'s> {
    pub(super) tasks: HashMap<&'s str, &'s Object>,
    pub(super) acceptance: HashMap<&'s str, &'s Object>,
}

impl<'s> Records<'s> {
    pub(super) fn of(state: &'s Object) -> Self {
        let all = |list: &'static str| {
            let phases = member(state, "phases").into_iter().flat_map(Object::iter);
            let entries = phases.filter_map(move |(_, phase)| member(phase.as_object()?, list));
            let entries = entries.flat_map(Object::iter);
            entries
                .filter_map(|(id, entry)| Some((id, entry.as_object()?)))
                .collect()
        };
        Self {
            tasks: all("tasks"),
            acceptance: all("acceptance"),
        }
    }

    /// Whether a task was done.
    pub(super) fn is_done(&self, task: &str) -> bool {
        is_set(self.tasks.get(task).copied(), "done")
    }
}

fn is_set(entry: Option<&Object>, flag: &str) -> bool {
    entry.is_some_and(|entry| entry.get(flag) == Some(&true.into()))
}

/// The first task that is not done, with its phase.
fn position(outline: &Outline) -> Option<(String, String)> {
    let (phase, task) = outline.tasks().find(|(_, task)| !task.done)?;
    Some((phase.id.clone(), task.id.clone()))
}

/// The status of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Pending,
    InProgress,
    Completed,
}

impl Status {
    /// A phase is in progress if part of it is done, or if it is the current one. It is completed once all its tasks are
    /// done and all its criteria met.
    fn of(phase: &Phase, position: Option<&(String, String)>) -> Self {
        let done = phase.tasks.iter().filter(|task| task.done).count();
        let current = position.is_some_and(|(id, _)| *id == phase.id);
        let is_accepted = phase.acceptance.iter().all(|criterion| criterion.done);
        match done {
            0 if current => Self::InProgress,
            0 => Self::Pending,
            all if all == phase.tasks.len() && is_accepted => Self::Completed,
            _ => Self::InProgress,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}

fn phase_state(
    phase: &Phase,
    before: Option<&Object>,
    records: &Records<'_>,
    status: Status,
    context: &Context<'_>,
) -> Object {
    let known = |name: &str| before.and_then(|before| before.get(name));
    let was = known("status").and_then(Value::as_str);
    // A time that was not recorded when it happened stays unknown.
    let time = |name: &str, has_just_happened: bool| {
        let now = has_just_happened.then(|| context.now.into());
        known(name).cloned().or(now)
    };
    let mut state = Object::new();
    state.set("status", status.as_str());
    if status != Status::Pending {
        let has_just_started = !matches!(was, Some("in_progress" | "completed"));
        if let Some(started) = time("startedAt", has_just_started) {
            state.set("startedAt", started);
        }
    }
    if status == Status::Completed
        && let Some(completed) = time("completedAt", was != Some("completed"))
    {
        state.set("completedAt", completed);
    }
    let tasks = phase.tasks.iter().map(|task| {
        let before = records.tasks.get(task.id.as_str()).copied();
        (task.id.as_str(), task_state(task, before, context).into())
    });
    state.set("tasks", Object::from_unique(tasks));
    let acceptance = phase.acceptance.iter().map(|criterion| {
        let mut met = Object::new();
        met.set("met", criterion.done);
        if criterion.done {
            let before = records.acceptance.get(criterion.id.as_str()).copied();
            let verified = before.and_then(|before| before.get("verifiedAt")).cloned();
            let now = (!is_set(before, "met")).then(|| context.now.into());
            if let Some(verified) = verified.or(now) {
                met.set("verifiedAt", verified);
            }
        }
        (criterion.id.as_str(), Value::Object(met))
    });
    state.set("acceptance", Object::from_unique(acceptance));
    state
}

fn task_state(task: &Entry, before: Option<&Object>, context: &Context<'_>) -> Object {
    let mut state = Object::new();
    state.set("done", task.done);
    if !task.done {
        return state;
    }
    match before.filter(|before| is_set(Some(before), "done")) {
        Some(before) => {
            for name in ["completedAt", "completedBy"] {
                if let Some(value) = before.get(name) {
                    state.set(name, value.clone());
                }
            }
        }
        None => {
            state.set("completedAt", context.now);
            if let Some(by) = context.by {
                state.set("completedBy", by);
            }
        }
    }
    state
}

/// What was done, undone or lost since the old state.
fn changes(
    known: &Object,
    records: &Records<'_>,
    outline: &Outline,
    context: &Context<'_>,
    events: &mut Vec<Event>,
) {
    for (_, task) in outline.tasks() {
        match (records.is_done(&task.id), task.done) {
            (false, true) => events.push(
                Event::new(EventName::TaskCompleted)
                    .with("taskId", task.id.as_str())
                    .with("by", context.by.unwrap_or(UNKNOWN)),
            ),
            (true, false) => {
                events.push(Event::new(EventName::TaskReopened).with("taskId", task.id.as_str()));
            }
            _ => {}
        }
    }
    for criterion in outline.phases.iter().flat_map(|phase| &phase.acceptance) {
        let record = records.acceptance.get(criterion.id.as_str()).copied();
        let name = match (is_set(record, "met"), criterion.done) {
            (false, true) => EventName::AcceptanceMet,
            (true, false) => EventName::AcceptanceLost,
            _ => continue,
        };
        events.push(Event::new(name).with("criteriaId", criterion.id.as_str()));
    }
    let present: HashSet<&str> = outline.tasks().map(|(_, task)| task.id.as_str()).collect();
    let phases = member(known, "phases").into_iter().flat_map(Object::iter);
    let tasks = phases.filter_map(|(_, phase)| member(phase.as_object()?, "tasks"));
    for (id, task) in tasks.flat_map(Object::iter) {
        if present.contains(id) {
            continue;
        }
        let name = match is_set(task.as_object(), "done") {
            true => EventName::TaskRemoved,
            false => EventName::TaskVanished,
        };
        events.push(Event::new(name).with("taskId", id));
    }
}

/// The maximum number of blockers recorded one by one when they appear or disappear together; of the rest only the
/// count is recorded.
const MOST_BLOCKERS: usize = 1_000;

/// Records new decisions and blockers, and blockers that are gone.
fn notes(known: &Object, outline: &Outline, events: &mut Vec<Event>) {
    let decisions = known.get("decisions").and_then(Value::as_array);
    let decisions = decisions.unwrap_or_default().iter().filter_map(decision);
    let decided: HashSet<&str> = decisions.collect();
    for decision in &outline.decisions {
        if !decided.contains(decision.as_str()) {
            events.push(Event::new(EventName::DecisionNoticed).with("decision", decision.as_str()));
        }
    }
    let before: HashSet<&str> = strings(known, "blockers").collect();
    let now: HashSet<&str> = outline.blockers.iter().map(String::as_str).collect();
    for (name, these, those) in [
        (EventName::BlockerAdded, &now, &before),
        (EventName::BlockerRemoved, &before, &now),
    ] {
        let mut blockers: Vec<&str> = these.difference(those).copied().collect();
        blockers.sort_unstable();
        let more = blockers.len().saturating_sub(MOST_BLOCKERS);
        blockers.truncate(MOST_BLOCKERS);
        events.extend(
            blockers
                .iter()
                .map(|text| Event::new(name).with("blocker", *text)),
        );
        if more > 0 {
            events.push(Event::new(name).with("more", more as u64));
        }
    }
}

/// The text of an entry in the list of decisions.
pub(super) fn decision(entry: &Value) -> Option<&str> {
    entry.as_object()?.get("decision")?.as_str()
}

fn completed_phases(recorded: &HashMap<&str, &Value>, phases: &Object, events: &mut Vec<Event>) {
    let is_completed = |phase: &Value| {
        let status = phase.as_object().and_then(|phase| phase.get("status"));
        status == Some(&"completed".into())
    };
    for (id, phase) in phases.iter() {
        let before = recorded.get(id).is_some_and(|before| is_completed(before));
        if is_completed(phase) && !before {
            events.push(Event::new(EventName::PhaseCompleted).with("phaseId", id));
        }
    }
}

/// The decisions in the plan, with the time they were first seen, and those recorded with the tool, which have a
/// `by`.
fn decisions(known: &Object, outline: &Outline, context: &Context<'_>) -> Value {
    let before = known
        .get("decisions")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let in_plan: HashSet<&str> = outline.decisions.iter().map(String::as_str).collect();
    // A marker has neither an author nor a reason, so such a decision was recorded by a tool, and stays.
    let recorded = |entry: &Value| {
        let entry = entry.as_object();
        let has = |name: &str| entry.is_some_and(|entry| entry.get(name).is_some());
        has("by") || has("reason")
    };
    let kept = before.iter().filter(|entry| {
        recorded(entry) || decision(entry).is_some_and(|text| in_plan.contains(text))
    });
    let mut decisions: Vec<Value> = kept.cloned().collect();
    let mut known: HashSet<&str> = before.iter().filter_map(decision).collect();
    for text in &outline.decisions {
        if known.insert(text) {
            let mut entry = Object::new();
            entry.set("time", context.now);
            entry.set("decision", text.as_str());
            decisions.push(Value::Object(entry));
        }
    }
    Value::Array(decisions)
}

/// Whether two states differ only in the members that every checkpoint updates.
#[must_use]
pub fn is_same_but_for_time(one: &Object, two: &Object) -> bool {
    let is_no_file = |value: &Value| value.as_object().is_some_and(Object::is_empty);
    // Another machine has another path, and a plan need not have phase files.
    let is_lasting = |(name, value): &(&str, &Value)| match *name {
        "lastCheckpoint" | "planPath" => false,
        "phaseFiles" => !is_no_file(value),
        _ => true,
    };
    let same = |(name, value): (&str, &Value)| two.get(name) == Some(value);
    let lasting = |state: &Object| state.iter().filter(is_lasting).count();
    lasting(one) == lasting(two) && one.iter().filter(is_lasting).all(same)
}

/// Whether a state contains any task.
#[must_use]
pub fn has_tasks(state: &Object) -> bool {
    let mut phases = member(state, "phases").into_iter().flat_map(Object::iter);
    phases.any(|(_, phase)| {
        let tasks = phase.as_object().and_then(|phase| member(phase, "tasks"));
        tasks.is_some_and(|tasks| !tasks.is_empty())
    })
}

#[cfg(test)]
mod tests;
