//! Choosing the plan to use when none is named.

use memchr::memmem;

use super::super::error::Purpose;
use super::super::{Workspace, WorkspaceError};
use crate::document::Node;
use crate::key::PlanId;
use crate::plan::CLOSED;

/// The plan used when none is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivePlan {
    /// Its id.
    pub id: PlanId,
    /// Whether it was chosen explicitly, rather than derived from the existing plans.
    pub chosen: bool,
}

/// How much a plan is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// It was closed.
    Closed,
    /// All tasks are done.
    Finished,
    /// It has no tasks yet.
    Empty,
    /// Tasks are open.
    Unfinished,
}

impl Workspace {
    /// The plan named in the options, else the chosen plan, else the most recently changed plan: unfinished plans first,
    /// then those without tasks. Among plans that have no state yet, the one with the highest id. A plan that was closed
    /// is used only if it is named in the options.
    pub fn active_plan(&self) -> Result<Option<ActivePlan>, WorkspaceError> {
        if let Some(id) = self.named_plan()? {
            return Ok(Some(ActivePlan { id, chosen: true }));
        }
        let mut plans = self.plans()?;
        if plans.len() > 1 {
            // A plan whose Markdown is gone, as after a switch of branches, comes last.
            let has_text = |id: &PlanId| self.plan(id).markdown_length() > 0;
            if plans.iter().any(has_text) {
                plans.retain(has_text);
            }
        }
        if plans.len() > 1 {
            // The states are enough to choose by, and a plan that cannot be read must not hide the others. If there
            // is a limit, the newest plans are read.
            let mut text = 0;
            plans.reverse();
            plans.sort_by_cached_key(|id| {
                if self.options.most_plan_text.is_some_and(|most| text > most) {
                    return (Rank::Unfinished, None, id.clone());
                }
                text += self.plan(id).markdown_length();
                let (rank, last_checkpoint) = self.standing_by_state(id);
                (rank, last_checkpoint, id.clone())
            });
        }
        // If the best of several is closed, so are all of them.
        let best = plans.pop().filter(|id| !self.is_closed(id));
        Ok(best.map(|id| ActivePlan { id, chosen: false }))
    }

    /// The plan named in the options, else the chosen plan, unless that was closed since.
    pub(in crate::workspace) fn named_plan(&self) -> Result<Option<PlanId>, WorkspaceError> {
        match &self.options.active_plan {
            Some(id) => Ok(Some(id.clone())),
            None => Ok(self.chosen_plan()?.filter(|id| !self.is_closed(id))),
        }
    }

    /// Whether a plan was closed and nobody has gone on with it since.
    #[must_use]
    pub fn is_closed(&self, id: &PlanId) -> bool {
        let state = self.store.read(&self.path(&id.into())).ok().flatten();
        let member = format!("\"{CLOSED}\"");
        let may_be = |state: Vec<u8>| memmem::find(&state, member.as_bytes()).is_some();
        // The Markdown may have been edited since. Few plans are closed, so it is rarely read here.
        state.is_some_and(may_be)
            && self
                .plan(id)
                .view()
                .is_ok_and(|view| view.closing().is_some())
    }

    /// How far a plan is according to its state, and when the state was written.
    fn standing_by_state(&self, id: &PlanId) -> (Rank, Option<String>) {
        let loaded = self.load(&id.into()).ok().flatten();
        let Some(loaded) = loaded else {
            let rank = match self.plan(id).view() {
                Ok(view) if view.is_finished() => Rank::Finished,
                Ok(view) if view.outline.tasks().next().is_none() => Rank::Empty,
                _ => Rank::Unfinished,
            };
            return (rank, None);
        };
        let root = loaded.document.root();
        if root.get(CLOSED).is_some() && self.is_closed(id) {
            return (Rank::Closed, None);
        }
        let count = |name: &str| root.get("progress")?.get(name)?.as_u64();
        let (done, total) = (count("completedTasks"), count("totalTasks"));
        let last = root.get("lastCheckpoint").and_then(Node::as_str);
        let rank = match (done, total) {
            (_, Some(0)) => Rank::Empty,
            (done, total) if done == total && total.is_some() => Rank::Finished,
            _ => Rank::Unfinished,
        };
        (rank, last.map(std::borrow::Cow::into_owned))
    }

    /// Chooses the plan to use when none is named. One that was closed is taken up again, and one that is archived is
    /// brought back.
    pub fn use_plan(&self, id: &PlanId) -> Result<(), WorkspaceError> {
        self.ensure_unarchived(&self.layout.place(&id.into()))?;
        if !self.plans()?.contains(id) {
            return Err(WorkspaceError::not_found(id.into()));
        }
        if self.is_closed(id) {
            self.plan(id).reopen()?;
        }
        self.choose(id)
    }

    pub(in crate::workspace) fn choose(&self, id: &PlanId) -> Result<(), WorkspaceError> {
        let file = self.layout.active_plan();
        let written = self.store.put(&file, format!("{id}\n").as_bytes());
        written.map_err(|error| Purpose::Save.failed(error))
    }

    /// Clears the choice.
    pub fn use_no_plan(&self) -> Result<(), WorkspaceError> {
        if self.chosen_plan()?.is_none() {
            return Ok(());
        }
        let file = self.layout.active_plan();
        let written = self.store.put(&file, b"");
        written.map_err(|error| Purpose::Save.failed(error))
    }

    /// The chosen plan.
    pub fn chosen_plan(&self) -> Result<Option<PlanId>, WorkspaceError> {
        let file = self.layout.active_plan();
        let content = self.store.read(&file);
        let content = content.map_err(|error| Purpose::Load.failed(error))?;
        let content = String::from_utf8_lossy(content.as_deref().unwrap_or_default()).into_owned();
        match content.trim() {
            "" => Ok(None),
            id => Ok(Some(PlanId::new(id)?)),
        }
    }
}
