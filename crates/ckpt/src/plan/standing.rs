//! How far along a plan is.

use std::collections::HashMap;

use super::agents::Claim;
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
    pub unparsable: Option<Unparsable>,
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

impl Standing<'_> {
    /// How many tasks are done.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let tasks = self.outline.tasks();
        let (mut done, mut total) = (0, 0);
        for (_, task) in tasks {
            total += 1;
            done += usize::from(task.done);
        }
        Progress { done, total }
    }

    /// Whether anything is left to do.
    #[must_use]
    pub fn lifecycle(&self) -> Lifecycle {
        let Progress { done, total } = self.progress();
        // If the plan itself is missing, it is not finished.
        let is_accepted = self
            .outline
            .phases
            .iter()
            .flat_map(|phase| &phase.acceptance)
            .all(|one| one.done);
        let is_all = self.outline.untracked.iter().all(|found| found.done) && is_accepted;
        match done == total && total > 0 && self.unparsable.is_none() && is_all {
            true => Lifecycle::Complete,
            false => Lifecycle::InFlight,
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
