//! Reconstructing the state of a plan from its history, in case the state itself is lost.

use std::collections::HashSet;

use super::closing::{CLOSED, Closing};
use super::outline::UNNAMED_PHASE;
use super::state::{Records, UNKNOWN, decision, member};
use super::{agents, subagents};
use crate::document::{Object, Value};
use crate::history::{EventName, Line};
use crate::time::Timestamp;

/// Adds the content of a history line to a state: who did what and when, decisions, notes and claims. Whether a task
/// is done now is up to the Markdown.
pub fn retell(state: &mut Object, line: &Line) {
    let time = line.time().and_then(|time| Timestamp::parse(&time));
    let (Some(event), Some(time)) = (line.event_name(), time) else {
        return;
    };
    let facts = line.facts();
    let fact = |name: &str| facts.iter().find(|(known, _)| known == name);
    let text = |name: &str| Some(fact(name)?.1.as_str()?.into_owned());
    let by = line.by().map_or_else(|| "main".to_owned(), Into::into);
    match (event, text("taskId")) {
        (EventName::TaskCompleted, Some(task)) => {
            let mut record = Object::new();
            record.set("done", true);
            record.set("completedAt", time);
            if by != UNKNOWN {
                record.set("completedBy", by.as_str());
            }
            set_record(state, "tasks", &task, record);
            let name = name_of(state, &by);
            agents::complete(state, &name, &by, time, &[&task]);
        }
        (EventName::TaskReopened | EventName::TaskRemoved, Some(task)) => {
            let mut record = Object::new();
            record.set("done", false);
            set_record(state, "tasks", &task, record);
            agents::reopen(state, &HashSet::from([task.as_str()]));
        }
        (EventName::TaskClaimed, Some(task)) => {
            if let Some(before) = text("lapsedFrom") {
                for name in agents::holders(state, &before) {
                    agents::drop_assigned(state, &name, &task);
                }
            }
            let name = name_of(state, &by);
            agents::assign(state, &name, &by, time, &task);
        }
        (EventName::TaskReleased, Some(task)) => {
            for name in agents::holders(state, &by) {
                agents::drop_assigned(state, &name, &task);
            }
        }
        (EventName::AcceptanceMet, _) => {
            let mut record = Object::new();
            record.set("met", true);
            record.set("verifiedAt", time);
            if let Some(criterion) = text("criteriaId") {
                set_record(state, "acceptance", &criterion, record);
            }
        }
        (EventName::PhaseCompleted, _) => {
            if let Some(phase) = text("phaseId") {
                let phase = state.object_mut("phases").object_mut(&phase);
                phase.set("completedAt", time);
            }
        }
        (EventName::SubagentStarted, _) => {
            let tasks = fact("tasks")
                .into_iter()
                .flat_map(|(_, tasks)| tasks.items());
            let tasks: Vec<String> = tasks
                .filter_map(|task| Some(task.as_str()?.into_owned()))
                .collect();
            if let Some(kind) = text("agentType") {
                let by = format!("subagent:{kind}");
                let name = text("agentId").unwrap_or_else(|| by.clone());
                let agent = agents::agent_mut(state, &name, &by, time);
                agent.set(subagents::STARTED, time);
                agent.remove(agents::ENDED);
                for task in tasks {
                    agents::assign(state, &name, &by, time, &task);
                }
            }
        }
        (EventName::SubagentStopped, _) => {
            if let (Some(kind), Some(id)) = (text("agentType"), text("agentId")) {
                let agent = agents::agent_mut(state, &id, &format!("subagent:{kind}"), time);
                agent.set(agents::ENDED, time);
                // It may have been given up too early.
                agent.remove("died");
                for (member, fact_name) in [
                    (subagents::CLAIMED, "claimed"),
                    ("handoff", "handoff"),
                    ("died", "died"),
                ] {
                    if let Some((_, value)) = fact(fact_name) {
                        agent.set(member, value.value());
                    }
                }
            }
        }
        (EventName::ClaimsLapsed, _) => {
            let names = fact("agents")
                .into_iter()
                .flat_map(|(_, names)| names.items());
            for name in names.filter_map(|name| Some(name.as_str()?.into_owned())) {
                let agents = state.object_mut("agents");
                if let Some(agent) = agents.get_mut(&name).and_then(Value::as_object_mut) {
                    agent.set(agents::ENDED, time);
                }
            }
        }
        (EventName::DecisionRecorded | EventName::DecisionNoticed, _) => {
            if let Some(decided) = text("decision") {
                let mut entry = Object::new();
                entry.set("time", time);
                entry.set("decision", decided.as_str());
                if let Some(reason) = text("reason") {
                    entry.set("reason", reason);
                }
                // A decision that was only found in the plan is dropped when it leaves the plan.
                if event == EventName::DecisionRecorded {
                    entry.set("by", by.as_str());
                }
                record_decision(state, &decided, entry);
            }
        }
        (EventName::NoteAdded | EventName::NotesReplaced, _) => {
            let before = state.get("sessionNotes").and_then(Value::as_str);
            let before =
                before.filter(|before| event == EventName::NoteAdded && !before.is_empty());
            let note = text("note").unwrap_or_default();
            let note = match before {
                Some(before) => format!("{before}\n{note}"),
                None => note,
            };
            state.set("sessionNotes", note);
        }
        (EventName::CheckpointCompleted, _) => Closing::Complete.record(state, time, &by),
        (EventName::CheckpointAbandoned, _) => {
            let reason = text("reason").unwrap_or_default();
            Closing::Abandoned(reason).record(state, time, &by);
        }
        (EventName::CheckpointReopened, _) => drop(state.remove(CLOSED)),
        (EventName::NotesCleared, _) => state.set("sessionNotes", Value::Null),
        _ => {}
    }
}

/// The name under which the state lists an author.
fn name_of(state: &Object, by: &str) -> String {
    let mut names = agents::holders(state, by).into_iter();
    names.next().unwrap_or_else(|| by.to_owned())
}

/// Sets the record of a task or criterion in the phase where it is known. Which phase it belongs to is up to the
/// Markdown.
fn set_record(state: &mut Object, list: &str, id: &str, record: Object) {
    let phases = member(state, "phases").into_iter().flat_map(Object::iter);
    let phase = phases
        .filter_map(|(name, phase)| Some((name, member(phase.as_object()?, list)?)))
        .find(|(_, entries)| entries.get(id).is_some())
        .map_or_else(|| UNNAMED_PHASE.to_owned(), |(name, _)| name.to_owned());
    let phase = state.object_mut("phases").object_mut(&phase);
    phase.object_mut(list).set(id, record);
}

fn record_decision(state: &mut Object, text: &str, entry: Object) {
    let known = state.get("decisions").and_then(Value::as_array);
    let mut all = known.unwrap_or_default().to_vec();
    match all.iter_mut().find(|known| decision(known) == Some(text)) {
        Some(known) => *known = Value::Object(entry),
        None => all.push(Value::Object(entry)),
    }
    state.set("decisions", Value::Array(all));
}

/// How many tasks are done in a state.
#[must_use]
pub fn done_tasks(state: &Object) -> usize {
    let records = Records::of(state);
    let tasks = records.tasks.keys();
    tasks.filter(|task| records.is_done(task)).count()
}
