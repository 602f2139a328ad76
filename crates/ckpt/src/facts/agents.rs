//! What the sub-agents of a checkpoint left behind.

use super::Hazard;
use super::around::LostAgent;
use super::work::{Blocker, Item, Report};
use crate::document::{Object, Value};
use crate::key::Key;
use crate::sub_agents::{self, Stop};
use crate::voice::{name, quote, suggested};

/// The sub-agents that ended without a report, according to a checkpoint.
#[must_use]
pub fn lost_in(root: &Object) -> Vec<LostAgent> {
    let died = sub_agents::agents(root).filter(|(_, agent)| agent.get("died").is_some());
    died.map(|(id, agent)| {
        let text = |name: &str| agent.get(name).and_then(Value::as_str).map(str::to_owned);
        let list = |name: &str| {
            let list = agent
                .get(name)
                .and_then(Value::as_array)
                .unwrap_or_default();
            let texts = list.iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        LostAgent {
            id: id.to_owned(),
            kind: text("type").unwrap_or_default(),
            asked: text("asked"),
            ids: list("assignedTasks"),
            files: list("files"),
            words: text("lastWords"),
            ended_at: text("endedAt"),
            session: text("session"),
        }
    })
    .collect()
}

/// What sub-agents that ended said about what they worked on, the newest last.
pub(super) fn reports_in(root: &Object) -> Vec<Report> {
    let agents = sub_agents::agents(root).filter(|(_, agent)| agent.get("died").is_none());
    let mut ended: Vec<Report> = agents
        .filter_map(|(id, agent)| {
            let text = |name: &str| agent.get(name).and_then(Value::as_str);
            let tasks = agent.get("assignedTasks").and_then(Value::as_array);
            let tasks = tasks.unwrap_or_default().iter().filter_map(Value::as_str);
            let handoff = agent.get("handoff").and_then(Value::as_object);
            // The others block something, or are answered.
            let handoff = handoff.filter(|handoff| {
                handoff.get("decision").and_then(Value::as_str) == Some("PROCEED")
            });
            let summary = handoff.and_then(|handoff| handoff.get("context_summary"));
            let said = text("lastWords").or_else(|| summary.and_then(Value::as_str));
            Some(Report {
                agent: id.to_owned(),
                about: tasks.map(str::to_owned).collect(),
                text: said?.to_owned(),
                at: text("endedAt")?.to_owned(),
                session: text("session").map(str::to_owned),
            })
        })
        .collect();
    ended.sort_by(|one, two| one.at.cmp(&two.at));
    ended
}

/// The replies in a command or pipeline that say not to proceed, as blockers of what was in flight.
pub(super) fn stops_in(key: &Key, stops: &[Stop], items: &[Item]) -> Vec<Blocker> {
    let key = suggested(&key.short());
    stops
        .iter()
        .map(|stop| {
            let open = items.iter().filter(|item| item.state.is_open());
            let meant = open.filter(|item| stop.ids.contains(&item.id) || stop.task == item.id);
            blocker_of(
                stop,
                meant.map(|item| item.id.clone()).collect(),
                format!(
                    "ckpt handoff reply {key} --answer {} --text ANSWER",
                    suggested(&stop.task)
                ),
            )
        })
        .collect()
}

/// A reply as a blocker.
pub(super) fn blocker_of(stop: &Stop, about: Vec<String>, record: String) -> Blocker {
    Blocker {
        hazard: Hazard::Stopped,
        about,
        action: Some(format!(
            "Deal with the {} of {}: {}. Ask whoever can decide; once it is settled, record the answer.",
            stop.decision,
            name(&stop.task),
            quote(&stop.text)
        )),
        record: Some(record),
        text: format!("{} {}: {}", stop.task, stop.decision, stop.text),
    }
}
