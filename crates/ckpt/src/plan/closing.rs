//! Closing a plan before all of it is done, and taking it up again.
//!
//! The Markdown says what is done. That nobody goes on with the rest is in the state alone.

use super::operations::{Change, Present};
use super::outline::{Entry, Outline};
use super::refusal::Refusal;
use super::standing::lifecycle;
use super::state::{Records, member};
use crate::document::{Object, Value};
use crate::history::{Event, EventName};
use crate::key::PlanId;
use crate::operation::{self, Unfinished, reason_given};
use crate::standing::Lifecycle;
use crate::time::Timestamp;

/// The member of a state that says that its plan was closed.
pub(crate) const CLOSED: &str = "closed";

const COMPLETE: &str = "complete";
const ABANDONED: &str = "abandoned";

/// How a plan was closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closing {
    /// It counts as complete, whatever is open.
    Complete,
    /// It was abandoned, for this reason.
    Abandoned(String),
}

impl Closing {
    /// How a plan was closed, according to its state; `None` if it is open.
    #[must_use]
    pub fn of(state: &Object) -> Option<Self> {
        let closed = member(state, CLOSED)?;
        let text = |name: &str| closed.get(name).and_then(Value::as_str);
        match text("status")? {
            COMPLETE => Some(Self::Complete),
            ABANDONED => Some(Self::Abandoned(text("reason").unwrap_or_default().into())),
            _ => None,
        }
    }

    /// What it makes of the plan.
    #[must_use]
    pub fn lifecycle(&self) -> Lifecycle {
        match self {
            Self::Complete => Lifecycle::Complete,
            Self::Abandoned(_) => Lifecycle::Abandoned,
        }
    }

    /// Records it in a state.
    pub(super) fn record(&self, state: &mut Object, at: Timestamp, by: &str) {
        let mut closed = Object::new();
        closed.set(
            "status",
            match self {
                Self::Complete => COMPLETE,
                Self::Abandoned(_) => ABANDONED,
            },
        );
        closed.set("at", at);
        closed.set("by", by);
        if let Self::Abandoned(reason) = self {
            closed.set("reason", reason.as_str());
        }
        state.set(CLOSED, closed);
    }

    fn event(&self) -> Event {
        match self {
            Self::Complete => Event::new(EventName::CheckpointCompleted),
            Self::Abandoned(reason) => {
                Event::new(EventName::CheckpointAbandoned).with("reason", reason.as_str())
            }
        }
    }

    fn change(&self, present: &Present<'_>) -> Change {
        let mut state = present.state.clone();
        self.record(&mut state, present.now, present.by);
        Change {
            state: Some(state),
            events: vec![self.event()],
            ..Change::default()
        }
    }
}

/// Closes a plan as complete. Nothing changes if it is complete.
pub fn complete(
    present: &Present<'_>,
    id: &PlanId,
    unfinished: Unfinished,
) -> Result<Change, Refusal> {
    if lifecycle(present.outline, present.state) == Lifecycle::Complete {
        return Ok(Change::default());
    }
    let left = left(present.outline);
    if unfinished == Unfinished::Refuse && !left.is_empty() {
        return Err(Refusal::Unfinished {
            id: id.clone(),
            left,
        });
    }
    Ok(Closing::Complete.change(present))
}

/// Abandons a plan. Its Markdown stays as it is.
pub fn abandon(present: &Present<'_>, id: &PlanId, reason: &str) -> Result<Change, Refusal> {
    let reason = reason_given(reason)?;
    if lifecycle(present.outline, present.state) == Lifecycle::Complete {
        return Err(operation::Refusal::AlreadyComplete(id.into()).into());
    }
    Ok(Closing::Abandoned(reason.to_owned()).change(present))
}

/// Takes a closed plan up again. Nothing changes if it is open.
#[must_use]
pub fn reopen(present: &Present<'_>) -> Change {
    if Closing::of(present.state).is_none() {
        return Change::default();
    }
    let mut state = present.state.clone();
    state.remove(CLOSED);
    Change {
        state: Some(state),
        events: vec![reopened()],
        ..Change::default()
    }
}

pub(super) fn reopened() -> Event {
    Event::new(EventName::CheckpointReopened)
}

/// Whether somebody goes on with a closed plan: a box was ticked or unticked since, or there is a new one.
pub(super) fn is_taken_up(state: &Object, records: &Records<'_>, outline: &Outline) -> bool {
    // A state that was pieced together from the history knows only some of the boxes.
    let is_whole = state.get("checksum").is_some();
    let is_other = |record: Option<&&Object>, flag: &str, entry: &Entry| {
        let known = record.and_then(|record| record.get(flag));
        known != Some(&entry.done.into())
    };
    let mut tasks = outline.tasks();
    let mut criteria = outline.phases.iter().flat_map(|phase| &phase.acceptance);
    is_whole
        && Closing::of(state).is_some()
        && (tasks.any(|(_, task)| is_other(records.tasks.get(task.id.as_str()), "done", task))
            || criteria.any(|criterion| {
                let record = records.acceptance.get(criterion.id.as_str());
                is_other(record, "met", criterion)
            }))
}

/// What is open in a plan, each with its kind: `task schema`.
fn left(outline: &Outline) -> Vec<String> {
    let tasks = outline.tasks().map(|(_, task)| ("task", task));
    let criteria = outline.phases.iter().flat_map(|phase| &phase.acceptance);
    let entries = tasks.chain(criteria.map(|criterion| ("criterion", criterion)));
    let open = entries.filter(|(_, entry)| !entry.done);
    let named = open.map(|(kind, entry)| format!("{kind} {}", entry.id));
    let unnamed = outline.untracked.iter().filter(|found| !found.done);
    let unnamed = unnamed.map(|found| format!("the checkbox on line {}", found.line));
    named.chain(unnamed).collect()
}

#[cfg(test)]
mod tests;
