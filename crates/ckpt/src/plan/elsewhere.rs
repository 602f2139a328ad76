//! The same plan in other worktrees: who has claimed its tasks there, and what is done there.

use std::collections::{HashMap, HashSet};

use super::agents::{Claim, claims};
use super::outline::Outline;
use super::state::member;
use crate::document::{Object, Value};
use crate::history::{Event, EventName};
use crate::time::Timestamp;

/// How much longer than here a claim in another worktree holds, in milliseconds. Its agent may be showing a sign of life
/// at this moment, and nothing keeps us from reading just before that.
const GRACE: i64 = 60 * 1000;

/// The plan in one other worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct There {
    place: String,
    branch: Option<String>,
    claims: HashMap<String, Claim>,
    done: HashSet<String>,
}

impl There {
    /// The plan with this outline and state in the worktree at `place`, where these sessions are gone.
    #[must_use]
    pub fn read(
        (place, branch): (&str, Option<&str>),
        (outline, state): (&Outline, &Object),
        now: Timestamp,
        gone: &[String],
    ) -> Self {
        let done: HashSet<String> = outline
            .tasks()
            .filter(|(_, task)| task.done)
            .map(|(_, task)| task.id.clone())
            .collect();
        let earlier = Timestamp::from_millisecond(now.as_millisecond() - GRACE).unwrap_or(now);
        let mut claims = claims(state, earlier, gone);
        claims.retain(|task, claim| claim.live && !done.contains(task));
        for claim in claims.values_mut() {
            claim.place = Some(place.to_owned());
        }
        Self {
            place: place.to_owned(),
            branch: branch.map(str::to_owned),
            claims,
            done,
        }
    }

    /// The worktree, as people here would name it.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The branch that is checked out there.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }
}

/// Where a claim holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// In every worktree of the repository.
    #[default]
    Repository,
    /// In this worktree. Others may claim the same task at the same moment.
    Local,
}

impl Scope {
    /// Marks an event that assigns tasks, unless the claim holds everywhere.
    pub(super) fn mark(self, event: Event) -> Event {
        match self {
            Self::Repository => event,
            Self::Local => event.with("scope", "local"),
        }
    }
}

/// The plan in all other worktrees of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elsewhere {
    there: Vec<There>,
    scope: Scope,
}

impl Elsewhere {
    /// What these worktrees say, and where a claim made now holds.
    #[must_use]
    pub fn new(there: Vec<There>, scope: Scope) -> Self {
        Self { there, scope }
    }

    /// Where a claim made now holds.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// The live claim on a task in another worktree. Of several, the one that lasts longest.
    #[must_use]
    pub fn claim_on(&self, task: &str) -> Option<&Claim> {
        let claims = self.there.iter().filter_map(|there| there.claims.get(task));
        claims.max_by_key(|claim| claim.until)
    }

    /// A worktree in which a task is done.
    #[must_use]
    pub fn done_in(&self, task: &str) -> Option<&There> {
        self.there.iter().find(|there| there.done.contains(task))
    }

    /// The claims here together with those elsewhere. A live claim here stays.
    #[must_use]
    pub fn joined(&self, mut here: HashMap<String, Claim>) -> HashMap<String, Claim> {
        for task in self.there.iter().flat_map(|there| there.claims.keys()) {
            let is_held_here = here.get(task).is_some_and(|claim| claim.live);
            if let (Some(claim), false) = (self.claim_on(task), is_held_here) {
                here.insert(task.clone(), claim.clone());
            }
        }
        here
    }
}

/// The claims that hold after a change and did not hold before it: their agent was heard from again, or their task is open
/// again, or a change was taken back. Tasks that the change assigns are claimed anew and do not count.
#[must_use]
pub fn returned(
    before: Option<&Object>,
    (after, outline): (&Object, &Outline),
    now: Timestamp,
    gone: &[String],
    events: &[Event],
) -> Vec<(String, String)> {
    let is_open = |task: &str| outline.task(task).is_none_or(|entry| !entry.done);
    let mut held = claims(after, now, gone);
    held.retain(|task, claim| claim.live && is_open(task));
    if held.is_empty() {
        return Vec::new();
    }
    let held_before = before.map(|before| claims(before, now, gone));
    let held_before = held_before.unwrap_or_default();
    let assigned: HashSet<&str> = events.iter().flat_map(assigned_by).collect();
    let is_returned = |(task, claim): &(String, Claim)| {
        let held_before = held_before.get(task).is_some_and(|held| {
            let was_done = before.is_some_and(|before| is_recorded_as_done(before, task));
            held.live && held.agent == claim.agent && !was_done
        });
        !held_before && !assigned.contains(task.as_str())
    };
    let returned = held.into_iter().filter(is_returned);
    let mut returned: Vec<(String, String)> =
        returned.map(|(task, claim)| (task, claim.agent)).collect();
    returned.sort_unstable();
    returned
}

fn is_recorded_as_done(state: &Object, task: &str) -> bool {
    let phases = member(state, "phases").into_iter().flat_map(Object::iter);
    let mut records = phases.filter_map(|(_, phase)| {
        let tasks = member(phase.as_object()?, "tasks")?;
        member(tasks, task)
    });
    records.any(|record| record.get("done") == Some(&true.into()))
}

/// The tasks that an event assigns.
fn assigned_by(event: &Event) -> Vec<&str> {
    if !matches!(
        event.name,
        EventName::TaskClaimed | EventName::SubagentStarted
    ) {
        return Vec::new();
    }
    let one = event.fields.get("taskId").and_then(Value::as_str);
    let several = event.fields.get("tasks").and_then(Value::as_array);
    let several = several.unwrap_or_default().iter();
    one.into_iter()
        .chain(several.filter_map(Value::as_str))
        .collect()
}

#[cfg(test)]
mod tests;
