//! Claims on tasks, and when they lapse.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::elsewhere::Elsewhere;
use super::operations::{Change, Present, Reason};
use super::refusal::Refusal;
use super::scan::ItemKind;
use super::state::{member, strings};
use crate::document::{Object, Value};
use crate::history::{Event, EventName};
use crate::time::Timestamp;
use crate::voice::path_name;

/// A claim lapses when its agent has not been heard from for this many minutes.
pub const CLAIM_MINUTES: i64 = 30;

/// A claim on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Its owner: `main`, `subagent:TYPE`, `team:ID`.
    pub by: String,
    /// The owner's name in the state: the same, or the id of a sub-agent.
    pub agent: String,
    /// The owner's session, if known.
    pub session: Option<String>,
    /// When it lapses, unless the owner is heard from again.
    pub until: Timestamp,
    /// Whether it still holds.
    pub live: bool,
    /// The worktree that it was made in, if that is another one.
    pub place: Option<String>,
}

impl Claim {
    /// Whether it belongs to this author in this session. Different sessions are different owners, unless one is
    /// unknown. A claim made in another worktree is somebody else's: it can only be released there.
    #[must_use]
    pub fn is_of(&self, by: &str, session: Option<&str>) -> bool {
        let same = match (self.session.as_deref(), session) {
            (Some(held), Some(session)) => held == session,
            _ => true,
        };
        self.place.is_none() && self.by == by && same
    }

    /// Who has it, and where if that is another worktree.
    #[must_use]
    pub fn holder(&self) -> String {
        match &self.place {
            Some(place) => format!("{} in {}", self.by, path_name(Path::new(place))),
            None => self.by.clone(),
        }
    }
}

/// The claims, by task. If a task is claimed twice, the claim that lasts longer counts. Claims of sessions that are
/// gone have lapsed.
#[must_use]
pub fn claims(state: &Object, now: Timestamp, gone: &[String]) -> HashMap<String, Claim> {
    let mut claims: HashMap<String, Claim> = HashMap::new();
    let agents = member(state, "agents").into_iter().flat_map(Object::iter);
    for (id, agent) in agents {
        let Some(agent) = agent.as_object() else {
            continue;
        };
        let active = agent.get("lastActive").and_then(Value::as_str);
        let Some(active) = active.and_then(Timestamp::parse) else {
            continue;
        };
        let Some(until) = lapse(active) else {
            continue;
        };
        let is_over = agent.get(ENDED).is_some() || is_of(agent, gone);
        for task in strings(agent, "assignedTasks") {
            let claim = Claim {
                by: author(id, agent),
                agent: id.to_owned(),
                session: agent
                    .get(SESSION)
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                until,
                live: is_recent(active, now) && !is_over,
                place: None,
            };
            match claims.get(task) {
                Some(known) if (known.live, known.until) >= (claim.live, until) => {}
                _ => {
                    claims.insert(task.to_owned(), claim);
                }
            }
        }
    }
    claims
}

/// A task that is free because the claim on it did not come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freed {
    /// The task.
    pub task: String,
    /// Whose claim it was.
    pub by: String,
}

impl Freed {
    /// What these events free.
    #[must_use]
    pub fn by_events(events: &[Event]) -> Vec<Self> {
        let freeing = events.iter().filter(|event| {
            event.name == EventName::TaskReleased && event.fields.get("reason").is_some()
        });
        let text = |event: &Event, name: &str| Some(event.fields.get(name)?.as_str()?.to_owned());
        let freed = freeing.filter_map(|event| {
            Some(Self {
                task: text(event, "taskId")?,
                by: text(event, "by")?,
            })
        });
        freed.collect()
    }
}

/// Gives up claims that have returned: each task, and the name of its agent in the state.
pub fn give_up(state: &mut Object, returned: &[(String, String)]) -> Vec<Event> {
    let mut events = Vec::new();
    for (task, name) in returned {
        let agent = member(state, "agents").and_then(|agents| member(agents, name));
        let by = agent.map_or_else(|| name.clone(), |agent| author(name, agent));
        drop_assigned(state, name, task);
        events.push(
            Event::new(EventName::TaskReleased)
                .with("taskId", task.as_str())
                .with("by", by)
                .with("reason", "lapsed"),
        );
    }
    events
}

/// When an agent ended. Its unfinished tasks are free again.
pub(super) const ENDED: &str = "endedAt";

/// The session that an agent works in.
pub(super) const SESSION: &str = "session";

/// Whether an agent works in one of these sessions.
fn is_of(agent: &Object, sessions: &[String]) -> bool {
    let session = agent.get(SESSION).and_then(Value::as_str);
    session.is_some_and(|session| sessions.iter().any(|gone| gone == session))
}

/// The sessions of agents that hold claims.
pub fn sessions_at_work(state: &Object) -> impl Iterator<Item = &str> {
    let agents = member(state, "agents").into_iter().flat_map(Object::iter);
    agents.filter_map(|(_, agent)| {
        let agent = agent.as_object()?;
        strings(agent, "assignedTasks").next()?;
        agent.get(SESSION)?.as_str()
    })
}

/// The author name of an agent in the state, where sub-agents are listed by id.
pub(super) fn author(id: &str, agent: &Object) -> String {
    let session = agent.get(SESSION).and_then(Value::as_str);
    let own = session.and_then(|session| id.strip_suffix(session)?.strip_suffix(':'));
    // The session of `team:api` may be called `api` too.
    if let Some(by) = own.filter(|by| !matches!(*by, "team" | "subagent")) {
        return by.to_owned();
    }
    let kind = agent.get("type").and_then(Value::as_str);
    match kind {
        Some(kind) if id != kind && !id.contains(':') => format!("subagent:{kind}"),
        _ => id.to_owned(),
    }
}

/// Whether a claim has not lapsed yet. One from the future was made by a clock that was wrong, and says as little as one
/// from the past.
fn is_recent(active: Timestamp, now: Timestamp) -> bool {
    let age = now.as_millisecond().abs_diff(active.as_millisecond());
    age < CLAIM_MINUTES.unsigned_abs() * 60 * 1000
}

fn lapse(active: Timestamp) -> Option<Timestamp> {
    Timestamp::from_millisecond(active.as_millisecond() + CLAIM_MINUTES * 60 * 1000)
}

/// Claims tasks. A task that someone else is working on, here or in another worktree, is refused; a lapsed claim passes
/// to the new owner.
pub fn claim(
    present: &Present<'_>,
    tasks: &[String],
    elsewhere: &Elsewhere,
) -> Result<Change, Refusal> {
    let claims = claims(present.state, present.now, present.gone);
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
        if let Some(held) = elsewhere.claim_on(task) {
            return Err(refused(task, held));
        }
        let event = Event::new(EventName::TaskClaimed)
            .with("taskId", task.as_str())
            .with("by", present.by);
        let mut event = elsewhere.scope().mark(event);
        let mut name = name_for_claims(present);
        match claims.get(task) {
            Some(held) if held.is_of(present.by, present.session) => name.clone_from(&held.agent),
            Some(held) if held.live => return Err(refused(task, held)),
            Some(held) => {
                event = event.with("lapsedFrom", held.by.as_str());
                drop_assigned(&mut state, &held.agent, task);
            }
            None => {}
        }
        take_over(&mut state, &name, present);
        assign(&mut state, &name, present.by, present.now, task);
        events.push(event);
    }
    Ok(Change {
        state: Some(state),
        events,
        backup: is_helper(present.by).then_some(Reason::SubagentSpawn),
        ..Change::default()
    })
}

fn refused(task: &str, held: &Claim) -> Refusal {
    Refusal::Claimed {
        task: task.to_owned(),
        holder: held.holder(),
        until: held.until,
    }
}

/// The name under which the author claims tasks: their own, unless another running session holds tasks under it.
fn name_for_claims(present: &Present<'_>) -> String {
    let name = present.name();
    let known = member(present.state, "agents").and_then(|agents| member(agents, name));
    let has_tasks = known.is_some_and(|agent| strings(agent, "assignedTasks").next().is_some());
    let held_by = known.and_then(|agent| agent.get(SESSION)?.as_str());
    let is_over =
        known.is_some_and(|agent| agent.get(ENDED).is_some() || is_of(agent, present.gone));
    match (held_by, present.session) {
        (held, Some(session)) if has_tasks && held != Some(session) && !is_over => {
            format!("{name}:{session}")
        }
        _ => name.to_owned(),
    }
}

/// Takes over an entry that belonged to another session: its unfinished tasks are dropped.
fn take_over(state: &mut Object, name: &str, present: &Present<'_>) {
    let agent = agent_mut(state, name, present.by, present.now);
    let session = agent.get(SESSION).and_then(Value::as_str);
    let is_other = session.is_some() && session != present.session;
    if agent.get(ENDED).is_some() || is_other {
        agent.set("assignedTasks", Value::Array(Vec::new()));
    }
    if let Some(session) = present.session {
        agent.set(SESSION, session);
    }
}

/// The name under which the state records the author's work: that of their session, if it has one.
#[must_use]
pub fn account_name(state: &Object, by: &str, session: Option<&str>) -> String {
    let own = session.map(|session| format!("{by}:{session}"));
    own.filter(|own| has_agent(state, own))
        .unwrap_or_else(|| by.to_owned())
}

/// Releases claims.
pub fn release(present: &Present<'_>, tasks: &[String]) -> Result<Change, Refusal> {
    let mut state = present.state.clone();
    let mut events = Vec::new();
    for task in tasks {
        let own = own_names(&state, present);
        let dropped = own
            .iter()
            .filter(|name| drop_assigned(&mut state, name, task));
        if dropped.count() == 0 {
            let held = claims(present.state, present.now, present.gone).remove(task);
            return Err(Refusal::NotClaimed {
                task: task.clone(),
                by: present.by.to_owned(),
                holder: held.filter(|held| held.live).map(|held| held.by),
            });
        }
        events.push(
            Event::new(EventName::TaskReleased)
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

/// Whether the name is that of an agent other than the main session.
fn is_helper(by: &str) -> bool {
    by.starts_with("subagent:") || by.starts_with("team:")
}

/// The type of agent in a name: the type of a sub-agent, else the part before the colon.
fn type_of(by: &str) -> &str {
    match by.split_once(':') {
        Some(("subagent", kind)) => kind,
        Some((kind, _)) => kind,
        None => by,
    }
}

/// The names under which the state lists the author in their session.
fn own_names(state: &Object, present: &Present<'_>) -> Vec<String> {
    let mut names = holders(state, present.by);
    names.retain(|name| {
        let agent = member(state, "agents").and_then(|agents| member(agents, name));
        let session = agent.and_then(|agent| agent.get(SESSION)?.as_str());
        match (session, present.session) {
            (Some(held), Some(session)) => held == session,
            _ => true,
        }
    });
    names
}

/// The names under which the state lists an author.
pub(super) fn holders(state: &Object, by: &str) -> Vec<String> {
    let agents = member(state, "agents").into_iter().flat_map(Object::iter);
    let own = agents.filter(|(id, agent)| {
        agent
            .as_object()
            .is_some_and(|agent| author(id, agent) == by)
    });
    own.map(|(id, _)| id.to_owned()).collect()
}

pub(super) fn agent_mut<'s>(
    state: &'s mut Object,
    name: &str,
    by: &str,
    now: Timestamp,
) -> &'s mut Object {
    let agents = state.object_mut("agents");
    if member(agents, name).is_none() {
        let mut agent = Object::new();
        agent.set("type", type_of(by));
        agent.set("assignedTasks", Value::Array(Vec::new()));
        agent.set("completedTasks", Value::Array(Vec::new()));
        agent.set("lastActive", now);
        agents.set(name, agent);
    }
    agents.object_mut(name)
}

/// Adds a string to an array member, once.
pub(super) fn add(agent: &mut Object, list: &str, text: &str) {
    let mut items: Vec<Value> = strings(agent, list).map(Value::from).collect();
    let text = Value::from(text);
    if !items.contains(&text) {
        items.push(text);
        agent.set(list, Value::Array(items));
    }
}

/// Removes a string from an array member. Returns whether it was there.
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

pub(super) fn assign(state: &mut Object, name: &str, by: &str, now: Timestamp, task: &str) {
    let agent = agent_mut(state, name, by, now);
    add(agent, "assignedTasks", task);
    agent.set("lastActive", now);
    agent.remove(ENDED);
}

pub(super) fn drop_assigned(state: &mut Object, name: &str, task: &str) -> bool {
    let agents = state.object_mut("agents");
    match agents.get_mut(name).and_then(Value::as_object_mut) {
        Some(agent) => take(agent, "assignedTasks", task),
        None => false,
    }
}

pub(super) fn complete(state: &mut Object, name: &str, by: &str, now: Timestamp, tasks: &[&str]) {
    if !is_helper(by) && !has_agent(state, name) {
        return;
    }
    let agent = agent_mut(state, name, by, now);
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

fn has_agent(state: &Object, name: &str) -> bool {
    member(state, "agents").is_some_and(|agents| member(agents, name).is_some())
}

/// Updates the author's record: the tasks they completed, and that they are alive.
pub fn keep_account(state: &mut Object, name: &str, by: &str, now: Timestamp, events: &[Event]) {
    let task = |event: &'_ Event| event.fields.get("taskId")?.as_str().map(str::to_owned);
    let reopened = events
        .iter()
        .filter(|event| event.name == EventName::TaskReopened);
    let reopened: Vec<String> = reopened.filter_map(task).collect();
    if !reopened.is_empty() {
        reopen(state, &reopened.iter().map(String::as_str).collect());
    }
    let own = |event: &&Event| {
        let who = event.fields.get("by").and_then(Value::as_str);
        event.name == EventName::TaskCompleted && who.is_none_or(|who| who == by)
    };
    let completed: Vec<String> = events.iter().filter(own).filter_map(task).collect();
    let completed: Vec<&str> = completed.iter().map(String::as_str).collect();
    if !completed.is_empty() {
        complete(state, name, by, now, &completed);
    }
    if has_agent(state, name) {
        agent_mut(state, name, by, now).set("lastActive", now);
    }
}
