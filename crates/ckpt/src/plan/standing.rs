//! How far along a plan is.

use std::collections::HashMap;

use super::agents::Claim;
use super::closing::Closing;
use super::outline::{Entry, Outline, Phase};
use super::refusal::Unparsable;
use crate::document::Object;
use crate::key::PlanId;
use crate::standing::{Lifecycle, Newer, Progress};

/// A plan and who works on it.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'p> {
    /// The plan.
    pub id: &'p PlanId,
    /// The outline of its Markdown.
    pub outline: &'p Outline,
    /// Its state.
    pub state: &'p Object,
    /// When the state was last written.
    pub last_checkpoint: Option<&'p str>,
    /// Why the Markdown cannot be parsed.
    pub unparsable: Option<&'p Unparsable>,
    /// Whether a commit removed the plan from this branch.
    pub is_removed: bool,
    /// The version of the state, if a newer `ckpt` wrote it.
    pub newer: Option<&'p Newer>,
    /// Whether the state had to be restored.
    pub state_lost: bool,
    /// Who is working on which task.
    pub claims: &'p HashMap<String, Claim>,
    /// The author who asks.
    pub by: &'p str,
    /// Their session, if known.
    pub session: Option<&'p str>,
}

/// Why a plan that a commit removed is abandoned.
const REMOVED: &str = "a commit removed its plan.md";

/// Whether anything is left to do in a plan with this outline and this state. If it was closed, nothing is.
#[must_use]
pub fn lifecycle(outline: &Outline, state: &Object) -> Lifecycle {
    let Progress { done, total } = progress(outline);
    let mut criteria = outline.phases.iter().flat_map(|phase| &phase.acceptance);
    let is_accepted = criteria.all(|one| one.done);
    let is_all = outline.untracked.iter().all(|found| found.done) && is_accepted;
    match Closing::of(state) {
        Some(closing) => closing.lifecycle(),
        None if done == total && total > 0 && is_all => Lifecycle::Complete,
        None => Lifecycle::InFlight,
    }
}

fn progress(outline: &Outline) -> Progress {
    let (mut done, mut total) = (0, 0);
    for (_, task) in outline.tasks() {
        total += 1;
        done += usize::from(task.done);
    }
    Progress { done, total }
}

impl Standing<'_> {
    /// How many tasks are done.
    #[must_use]
    pub fn progress(&self) -> Progress {
        progress(self.outline)
    }

    /// How it was closed, if it was.
    #[must_use]
    pub fn closing(&self) -> Option<Closing> {
        Closing::of(self.state)
    }

    /// Whether anything is left to do.
    #[must_use]
    pub fn lifecycle(&self) -> Lifecycle {
        match (self.closing(), self.unparsable) {
            (None, _) if self.is_removed => Lifecycle::Abandoned,
            // If the plan itself is missing, it is not finished.
            (None, Some(_)) => Lifecycle::InFlight,
            _ => lifecycle(self.outline, self.state),
        }
    }

    /// Why it is abandoned, if it is.
    #[must_use]
    pub fn abandoned(&self) -> Option<String> {
        match self.closing() {
            Some(Closing::Abandoned(reason)) => Some(reason),
            Some(Closing::Complete) => None,
            None => self.is_removed.then(|| REMOVED.to_owned()),
        }
    }

    /// The tasks that can be started, in order: not done, and not claimed by someone else.
    pub fn open_tasks(&self) -> impl Iterator<Item = (&Phase, &Entry)> {
        self.outline.tasks().filter(|(_, task)| {
            let held = self.claims.get(&task.id);
            !task.done && !held.is_some_and(|held| held.live && !held.is_of(self.by, self.session))
        })
    }

    /// The first open task, with its phase.
    #[must_use]
    pub fn current(&self) -> Option<(&Phase, &Entry)> {
        self.outline.tasks().find(|(_, task)| !task.done)
    }

    /// What is wrong with its files.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        if let Some(newer) = self.newer {
            return Some(newer.to_string());
        }
        match (self.unparsable, self.state_lost) {
            (Some(why), false) => Some(format!("{why}; showing the last known state")),
            (Some(why), true) => Some(format!("{why}, and state.json cannot be read either")),
            (None, true) => {
                Some("state.json cannot be read; the next change restores it".to_owned())
            }
            (None, false) => None,
        }
    }
}
