//! Sub-agents, as every kind of checkpoint records them under `agents`: what each was asked, how it ended, and what it
//! handed over.

use std::collections::HashMap;

use crate::document::{Object, Value};
use crate::history::{Event, EventName};
use crate::shape::{Shape, not_null, optional};
use crate::time::Timestamp;

/// The shape of the sub-agents that a checkpoint keeps, by id.
pub(crate) const AGENTS_SHAPE: Shape = Shape::Map(&Shape::Object(&[
    not_null("type", Shape::Text),
    not_null("assignedTasks", Shape::List(&Shape::Text)),
    not_null("completedTasks", Shape::List(&Shape::Text)),
    optional("lastActive", Shape::Text),
    optional("session", Shape::Text),
    optional("startedAt", Shape::Text),
    optional("endedAt", Shape::Text),
    optional("claimedTasks", Shape::List(&Shape::Text)),
    optional("asked", Shape::Text),
    optional("died", Shape::Flag),
    optional("files", Shape::List(&Shape::Text)),
    optional("lastWords", Shape::Text),
]));

/// A sub-agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Helper {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// What it was asked to do.
    pub asked: Option<String>,
    /// The tasks assigned to it.
    pub tasks: Vec<String>,
    /// When this was reported, if it is processed late.
    pub told_at: Option<Timestamp>,
}

/// A sub-agent that was at work when its session ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// Its id.
    pub id: String,
    /// What its transcript shows.
    pub handoff: Object,
    /// The files it wrote.
    pub files: Vec<String>,
    /// The last thing it said.
    pub words: Option<String>,
}

/// A reply that says not to proceed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The task that the reply is about.
    pub task: String,
    /// What the sub-agent was working on, by the ids of the checkpoint.
    pub ids: Vec<String>,
    /// `STOP`, `CLARIFY` or `BLOCKED`.
    pub decision: String,
    /// What stands in the way.
    pub text: String,
    /// When it was said, as written.
    pub at: Option<String>,
}

/// The member that says when somebody answered a reply.
pub(crate) const ANSWERED: &str = "answeredAt";

const AGENTS: &str = "agents";
const ENDED: &str = "endedAt";
const SESSION: &str = "session";
const ASSIGNED: &str = "assignedTasks";

/// Records that a sub-agent started. One that is already at work is not recorded again.
pub(crate) fn started(
    root: &mut Object,
    helper: &Helper,
    session: Option<&str>,
    now: Timestamp,
) -> Vec<Event> {
    let agents = root.object_mut(AGENTS);
    let is_at_work = agents.get(&helper.id).and_then(Value::as_object);
    if is_at_work.is_some_and(|agent| agent.get(ENDED).is_none()) {
        return Vec::new();
    }
    let ids: Vec<&str> = helper.tasks.iter().map(String::as_str).collect();
    let mut agent = Object::new();
    agent.set("type", helper.kind.as_str());
    agent.set(ASSIGNED, ids.clone());
    agent.set("startedAt", now);
    if let Some(asked) = &helper.asked {
        agent.set("asked", asked.as_str());
    }
    if let Some(session) = session {
        agent.set(SESSION, session);
    }
    agents.set(&helper.id, agent);
    let event = Event::new(EventName::SubagentStarted)
        .with("agentType", helper.kind.as_str())
        .with("tasks", ids)
        .with("agentId", helper.id.as_str());
    vec![event]
}

/// Records that a sub-agent ended, and what it handed over.
pub(crate) fn stopped(
    root: &mut Object,
    id: &str,
    (handoff, words): (Option<&Object>, Option<&str>),
    now: Timestamp,
) -> Vec<Event> {
    let agent = root.object_mut(AGENTS).get_mut(id);
    let Some(agent) = agent.and_then(Value::as_object_mut) else {
        return Vec::new();
    };
    if agent.get(ENDED).is_some() {
        return Vec::new();
    }
    agent.set(ENDED, now);
    let kind = agent
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut event = Event::new(EventName::SubagentStopped)
        .with("agentType", kind)
        .with("agentId", id);
    if let Some(handoff) = handoff {
        event = event.with("handoff", handoff.clone());
        agent.set("handoff", handoff.clone());
    } else if let Some(words) = words.filter(|words| !words.is_empty()) {
        agent.set("lastWords", words);
    }
    vec![event]
}

/// Records that a session is over, and with it the work of its sub-agents.
pub(crate) fn session_over(
    root: &mut Object,
    session: &str,
    losses: &[Loss],
    now: Timestamp,
) -> Vec<Event> {
    let mut events = Vec::new();
    for loss in losses {
        let agent = root.object_mut(AGENTS).get_mut(&loss.id);
        let Some(agent) = agent.and_then(Value::as_object_mut) else {
            continue;
        };
        let is_its = agent.get(SESSION).and_then(Value::as_str) == Some(session);
        if !is_its || agent.get(ENDED).is_some() {
            continue;
        }
        agent.set(ENDED, now);
        let kind = agent
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        events.push(
            Event::new(EventName::SubagentStopped)
                .with("agentType", kind)
                .with("agentId", loss.id.as_str())
                .with("died", true),
        );
        loss.write(agent);
    }
    events
}

impl Loss {
    /// Writes what is left of a sub-agent into its record.
    pub(crate) fn write(&self, agent: &mut Object) {
        agent.set("died", true);
        agent.set("handoff", self.handoff.clone());
        if !self.files.is_empty() {
            let files: Vec<&str> = self.files.iter().map(String::as_str).collect();
            agent.set("files", files);
        }
        if let Some(words) = &self.words {
            agent.set("lastWords", words.as_str());
        }
    }
}

/// The sub-agents of a session that are at work.
#[must_use]
pub(crate) fn at_work(root: &Object, session: &str) -> Vec<Helper> {
    let agents = agents(root).filter(|(_, agent)| {
        let of = agent.get(SESSION).and_then(Value::as_str);
        of == Some(session) && agent.get(ENDED).is_none()
    });
    agents
        .map(|(id, agent)| Helper {
            id: id.to_owned(),
            kind: text(agent, "type").unwrap_or_default(),
            asked: text(agent, "asked"),
            tasks: texts(agent, ASSIGNED),
            told_at: None,
        })
        .collect()
}

/// Marks the replies about a task as answered, wherever they were recorded. `None` if there is none to answer.
pub(crate) fn answer(
    root: &mut Object,
    task: &str,
    text: Option<&str>,
    now: Timestamp,
) -> Option<Stop> {
    let stop = stops(root).into_iter().find(|stop| stop.task == task)?;
    let mark = |handoff: &mut Object| {
        handoff.set(ANSWERED, now);
        if let Some(text) = text {
            handoff.set("answer", text);
        }
    };
    for agent in members_mut(root, AGENTS) {
        let handoff = agent.get_mut("handoff").and_then(Value::as_object_mut);
        let is_meant =
            |handoff: &&mut Object| self::text(handoff, "task_id").as_deref() == Some(task);
        handoff.filter(is_meant).into_iter().for_each(mark);
    }
    let of_task = |holder: &mut Object| {
        let handoffs = holder.get_mut("handoffs").and_then(Value::as_object_mut);
        let handoff = handoffs.and_then(|handoffs| handoffs.get_mut(task)?.as_object_mut());
        handoff.into_iter().for_each(mark);
    };
    of_task(root);
    members_mut(root, "phases").into_iter().for_each(of_task);
    Some(stop)
}

fn members_mut<'o>(object: &'o mut Object, name: &str) -> Vec<&'o mut Object> {
    let members = object.get_mut(name).and_then(Value::as_object_mut);
    let members = members.into_iter().flat_map(Object::iter_mut);
    members
        .filter_map(|(_, value)| value.as_object_mut())
        .collect()
}

/// The replies that say not to proceed: the last one about each task, unless it was answered. A reply counts whether a
/// hook or a command recorded it.
#[must_use]
pub(crate) fn stops(root: &Object) -> Vec<Stop> {
    let mut last: Vec<(String, Vec<String>, &Object)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut add = |task: String, ids: Vec<String>, handoff| {
        let at = |handoff: &Object| text(handoff, "at");
        match places.get(&task) {
            Some(&place) if at(last[place].2) > at(handoff) => {}
            Some(&place) => last[place] = (task, ids, handoff),
            None => {
                places.insert(task.clone(), last.len());
                last.push((task, ids, handoff));
            }
        }
    };
    for (_, agent) in agents(root) {
        // What a dead sub-agent left is told by itself.
        let handoff = agent.get("handoff").and_then(Value::as_object);
        if let Some(handoff) = handoff.filter(|_| agent.get("died").is_none())
            && let Some(task) = text(handoff, "task_id")
        {
            add(task, texts(agent, ASSIGNED), handoff);
        }
    }
    for (task, handoff) in members(root, "handoffs") {
        add(task.to_owned(), vec![task.to_owned()], handoff);
    }
    for (phase, record) in members(root, "phases") {
        for (task, handoff) in members(record, "handoffs") {
            add(task.to_owned(), vec![phase.to_owned()], handoff);
        }
    }
    last.into_iter().filter_map(stop).collect()
}

fn stop((task, ids, handoff): (String, Vec<String>, &Object)) -> Option<Stop> {
    let (decision, status) = (text(handoff, "decision"), text(handoff, "status"));
    let decision = match (decision.as_deref(), status.as_deref()) {
        (Some(decision @ ("STOP" | "CLARIFY")), _) => decision.to_owned(),
        (_, Some("blocked")) => "BLOCKED".to_owned(),
        _ => return None,
    };
    if handoff.get(ANSWERED).is_some() {
        return None;
    }
    let issues = texts(handoff, "issues");
    Some(Stop {
        task,
        ids,
        decision,
        text: match issues.is_empty() {
            true => text(handoff, "context_summary").unwrap_or_default(),
            false => issues.join("; "),
        },
        at: text(handoff, "at"),
    })
}

/// The sub-agents in a document.
pub(crate) fn agents(root: &Object) -> impl Iterator<Item = (&str, &Object)> {
    members(root, AGENTS)
}

fn members<'o>(object: &'o Object, name: &str) -> impl Iterator<Item = (&'o str, &'o Object)> {
    let members = object.get(name).and_then(Value::as_object);
    let members = members.into_iter().flat_map(Object::iter);
    members.filter_map(|(name, value)| Some((name, value.as_object()?)))
}

fn text(object: &Object, name: &str) -> Option<String> {
    object.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn texts(object: &Object, name: &str) -> Vec<String> {
    let list = object
        .get(name)
        .and_then(Value::as_array)
        .unwrap_or_default();
    list.iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
