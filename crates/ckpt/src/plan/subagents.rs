//! Sub-agents: their start, their results, and what is left if they or their session crash.

use std::collections::{HashMap, HashSet};

use super::agents::{ENDED, SESSION, add, agent_mut, claims};
use super::elsewhere::Elsewhere;
use super::operations::{Change, Present, Reason, Recording};
use super::state::{member, strings};
use crate::document::{Object, Value};
use crate::history::{Event, EventName};
use crate::layout::{PLAN_BACKUP_FILE, PLAN_STATE_FILE};
use crate::sub_agents::{Helper, Loss};
use crate::time::Timestamp;

/// What a sub-agent reported at its end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    /// The tasks it claims to have done.
    pub claimed: Vec<String>,
    /// What it hands over.
    pub handoff: Option<Object>,
    /// What it said, in short.
    pub words: Option<String>,
}

/// The member for tasks that a sub-agent claims to have done but that are not ticked in the plan.
pub(super) const CLAIMED: &str = "claimedTasks";

/// When a sub-agent started.
pub(super) const STARTED: &str = "startedAt";

/// The maximum number of sub-agents working in one session.
const MOST_AT_WORK: usize = 256;

/// The maximum number of agents kept in the state, besides those at work.
const MOST_AGENTS: usize = 64;

/// Records that a sub-agent started. One that is already at work is not recorded again. Tasks that somebody else has
/// claimed, here or in another worktree, are not assigned to it; the event says who has them.
#[must_use]
pub fn helper_started(present: &Present<'_>, helper: &Helper, elsewhere: &Elsewhere) -> Change {
    if is_at_work(present, &helper.id) || has_ended_since(present, helper) {
        return Change::default();
    }
    let claims = claims(present.state, present.now, present.gone);
    let holder = |task: &str| {
        let here = claims.get(task);
        let here = here.filter(|held| held.live && held.agent != helper.id);
        elsewhere.claim_on(task).or(here)
    };
    let is_open = |task: &&str| present.outline.task(task).is_some_and(|entry| !entry.done);
    let open = helper.tasks.iter().map(String::as_str).filter(is_open);
    let (taken, tasks): (Vec<&str>, Vec<&str>) = open.partition(|task| holder(task).is_some());
    let mut held = Object::new();
    for (task, claim) in taken
        .into_iter()
        .filter_map(|task| Some((task, holder(task)?)))
    {
        held.set(task, claim.holder());
    }
    let mut state = present.state.clone();
    let agent = agent_mut(&mut state, &helper.id, present.by, present.now);
    for task in &tasks {
        add(agent, "assignedTasks", task);
    }
    agent.set(STARTED, present.now);
    agent.set("lastActive", present.now);
    if let Some(asked) = &helper.asked {
        agent.set("asked", asked.as_str());
    }
    for over in [ENDED, "died", "handoff", "files", "lastWords", CLAIMED] {
        agent.remove(over);
    }
    if let Some(session) = present.session {
        agent.set(SESSION, session);
    }
    forget_oldest(&mut state);
    let has_tasks = !tasks.is_empty();
    let mut event = Event::new(EventName::SubagentStarted)
        .with("agentType", helper.kind.as_str())
        .with("tasks", tasks)
        .with("agentId", helper.id.as_str());
    if has_tasks {
        event = elsewhere.scope().mark(event);
    }
    if !held.is_empty() {
        event = event.with("held", held);
    }
    Change {
        state: Some(state),
        events: vec![event],
        backup: Some(Reason::SubagentSpawn),
        ..Change::default()
    }
}

/// Records that a sub-agent is alive, so that its claims hold.
#[must_use]
pub fn helper_seen(present: &Present<'_>, id: &str) -> Change {
    let mut state = present.state.clone();
    let agents = state.object_mut("agents");
    let Some(agent) = agents.get_mut(id).and_then(Value::as_object_mut) else {
        return Change::default();
    };
    agent.set("lastActive", present.now);
    Change {
        state: Some(state),
        events: vec![Event::new(EventName::SubagentSeen).with("agentId", id)],
        recording: Recording::Always,
        ..Change::default()
    }
}

/// Records that a sub-agent ended. Its claims are compared with the plan, which was synced before; tasks that are not
/// ticked there are kept as claims, and no one ticks them. A sub-agent that has already ended is not recorded again, unless
/// it was given up with its session: some agents report the end of a session while sub-agents work on.
#[must_use]
pub fn helper_stopped(present: &Present<'_>, helper: &Helper, said: &Said) -> Change {
    if has_ended(present.state, &helper.id) && !has_died(present.state, &helper.id) {
        return Change::default();
    }
    let mut state = present.state.clone();
    let is_done = |task: &str| present.outline.task(task).is_some_and(|entry| entry.done);
    let claimed: Vec<&str> = said.claimed.iter().map(String::as_str).collect();
    let unproven: Vec<&str> = claimed.into_iter().filter(|task| !is_done(task)).collect();
    let agent = agent_mut(&mut state, &helper.id, present.by, present.now);
    let completed = strings(agent, "completedTasks").count();
    for guess in ["died", "handoff", "files", "lastWords"] {
        agent.remove(guess);
    }
    agent.set("lastActive", present.now);
    agent.set(ENDED, present.now);
    let mut event = Event::new(EventName::SubagentStopped)
        .with("agentType", helper.kind.as_str())
        .with("completed", completed as u64)
        .with("agentId", helper.id.as_str());
    if !unproven.is_empty() {
        event = event.with("claimed", unproven.clone());
        agent.set(CLAIMED, unproven);
    }
    if let Some(handoff) = &said.handoff {
        event = event.with("handoff", handoff.clone());
        agent.set("handoff", handoff.clone());
    } else if let Some(words) = said.words.as_deref().filter(|words| !words.is_empty()) {
        agent.set("lastWords", words);
    }
    Change {
        state: Some(state),
        events: vec![event],
        ..Change::default()
    }
}

/// Removes the agents that ended longest ago.
fn forget_oldest(state: &mut Object) {
    let ended = |agent: &Object| agent.get(ENDED)?.as_str().map(str::to_owned);
    let over = agents(state).filter_map(|(id, agent)| Some((ended(agent)?, id.to_owned())));
    let mut over: Vec<(String, String)> = over.collect();
    let too_many = over.len().saturating_sub(MOST_AGENTS);
    if too_many == 0 {
        return;
    }
    over.sort_unstable();
    let gone: HashSet<&str> = over[..too_many].iter().map(|(_, id)| id.as_str()).collect();
    state.object_mut("agents").retain(|id| !gone.contains(id));
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It said goodbye, or its crash is reported elsewhere.
    Quiet,
    /// It crashed.
    Crash,
}

/// What was left to continue from after a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastKnown {
    /// The backup of the state.
    Copy,
    /// The state alone: no backup was ever made.
    State,
}

impl LastKnown {
    fn file(self) -> &'static str {
        match self {
            Self::Copy => PLAN_BACKUP_FILE,
            Self::State => PLAN_STATE_FILE,
        }
    }
}

/// The sub-agents of a session that are at work.
#[must_use]
pub fn at_work(state: &Object, session: &str) -> Vec<Helper> {
    let agents = of_session(state, session);
    let helpers = agents.filter_map(|(id, agent)| {
        let text = |name: &str| agent.get(name).and_then(Value::as_str).map(str::to_owned);
        let kind = text("type")?;
        // An agent that claimed tasks by hand is listed under a name, not an id.
        let is_helper = !id.contains(':') && id != kind;
        (is_helper && agent.get(ENDED).is_none()).then(|| Helper {
            id: id.to_owned(),
            kind,
            asked: text("asked"),
            tasks: strings(agent, "assignedTasks").map(str::to_owned).collect(),
            told_at: None,
        })
    });
    helpers.take(MOST_AT_WORK).collect()
}

/// Records that a session is over, and with it the work of its agents. A crash is always recorded, anything else only
/// if it changes the state.
#[must_use]
pub fn session_over(
    present: &Present<'_>,
    session: &str,
    losses: &[Loss],
    ending: Ending,
    last_known: LastKnown,
) -> Change {
    let mut state = present.state.clone();
    let mut events = Vec::new();
    if ending == Ending::Crash {
        events.push(Event::new(EventName::SessionCrash).with("lastKnownState", last_known.file()));
    }
    let names: Vec<String> = of_session(present.state, session)
        .filter(|(_, agent)| agent.get(ENDED).is_none())
        .map(|(id, _)| id.to_owned())
        .collect();
    let ending_now: HashSet<&str> = names.iter().map(String::as_str).collect();
    let losses: HashMap<&str, &Loss> = losses.iter().map(|loss| (loss.id.as_str(), loss)).collect();
    let agents = state.object_mut("agents").iter_mut();
    for (name, agent) in agents.filter(|(name, _)| ending_now.contains(name)) {
        let Some(agent) = agent.as_object_mut() else {
            continue;
        };
        agent.set(ENDED, present.now);
        let Some(loss) = losses.get(name) else {
            continue;
        };
        let kind = agent
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let completed = strings(agent, "completedTasks").count();
        events.push(
            Event::new(EventName::SubagentStopped)
                .with("agentType", kind)
                .with("completed", completed as u64)
                .with("agentId", name)
                .with("died", true)
                .with("handoff", loss.handoff.clone()),
        );
        loss.write(agent);
    }
    if ending == Ending::Crash {
        let done = present.outline.tasks().filter(|(_, task)| task.done);
        events.push(
            Event::new(EventName::SessionRecovered)
                .with("from", last_known.file())
                .with("tasksRestored", done.count() as u64),
        );
    }
    if names.is_empty() && events.is_empty() {
        return Change::default();
    }
    if events.is_empty() {
        events.push(Event::new(EventName::ClaimsLapsed).with("agents", names));
    }
    Change {
        state: Some(state),
        events,
        recording: Recording::Always,
        ..Change::default()
    }
}

/// Tasks that sub-agents claim to have done but that are not ticked in the plan, with the claimant.
pub(crate) fn unproven(state: &Object) -> Vec<(String, String)> {
    let mut seen = HashSet::new();
    let claims = agents(state).flat_map(|(id, agent)| {
        let by = super::agents::author(id, agent);
        strings(agent, CLAIMED).map(move |task| (task.to_owned(), by.clone()))
    });
    claims
        .filter(|(task, _)| seen.insert(task.clone()))
        .collect()
}

fn agents(state: &Object) -> impl Iterator<Item = (&str, &Object)> {
    let agents = member(state, "agents").into_iter().flat_map(Object::iter);
    agents.filter_map(|(id, agent)| Some((id, agent.as_object()?)))
}

fn of_session<'s>(state: &'s Object, session: &str) -> impl Iterator<Item = (&'s str, &'s Object)> {
    agents(state)
        .filter(move |(_, agent)| agent.get(SESSION).and_then(Value::as_str) == Some(session))
}

fn is_at_work(present: &Present<'_>, id: &str) -> bool {
    let mut agents = agents(present.state);
    let known = agents.find(|(known, _)| *known == id);
    known.is_some_and(|(_, agent)| agent.get(STARTED).is_some() && agent.get(ENDED).is_none())
}

/// Whether a sub-agent ended after its start was reported: the events arrived out of order.
fn has_ended_since(present: &Present<'_>, helper: &Helper) -> bool {
    let agent = agents(present.state).find(|(known, _)| *known == helper.id);
    let ended = agent.and_then(|(_, agent)| Timestamp::parse(agent.get(ENDED)?.as_str()?));
    matches!((ended, helper.told_at), (Some(ended), Some(told)) if told <= ended)
}

/// Whether a sub-agent was given up with its session.
#[must_use]
pub fn has_died(state: &Object, id: &str) -> bool {
    let mut agents = agents(state);
    agents.any(|(known, agent)| known == id && agent.get("died").is_some())
}

/// Whether a sub-agent has ended.
#[must_use]
pub fn has_ended(state: &Object, id: &str) -> bool {
    let mut agents = agents(state);
    agents.any(|(known, agent)| known == id && agent.get(ENDED).is_some())
}
