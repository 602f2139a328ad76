//! Which plan is meant when none is named.

use super::super::error::Purpose;
use super::super::{Workspace, WorkspaceError};
use crate::key::PlanId;
use crate::plan;

/// A plan that is meant when none is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivePlan {
    /// Its id.
    pub id: PlanId,
    /// Whether somebody chose it, or it follows from the plans there are.
    pub chosen: bool,
}

impl Workspace {
    /// The plan that was chosen; else the one that was worked on last, an unfinished one before all
    /// others; of those that never were, the one with the highest id.
    pub fn active_plan(&self) -> Result<Option<ActivePlan>, WorkspaceError> {
        if let Some(id) = self.chosen_plan()? {
            return Ok(Some(ActivePlan { id, chosen: true }));
        }
        let mut candidates = Vec::new();
        for id in self.plans()? {
            // A plan that cannot be read must not hide the others.
            if let Ok(view) = self.plan(&id) {
                candidates.push((!view.is_finished(), view.last_checkpoint, id));
            }
        }
        let newest = candidates.into_iter().max();
        Ok(newest.map(|(_, _, id)| ActivePlan { id, chosen: false }))
    }

    /// Chooses the plan that is meant when none is named.
    pub fn use_plan(&self, id: &PlanId) -> Result<(), WorkspaceError> {
        if !self.plans()?.contains(id) {
            return Err(plan::Refusal::Missing(id.clone()).into());
        }
        let file = self.store.layout().active_plan();
        let written = self.store.put(&file, format!("{id}\n").as_bytes());
        written.map_err(|error| Purpose::Save.failed(error))
    }

    /// Takes the choice back.
    pub fn use_no_plan(&self) -> Result<(), WorkspaceError> {
        if self.chosen_plan()?.is_none() {
            return Ok(());
        }
        let file = self.store.layout().active_plan();
        let written = self.store.put(&file, b"");
        written.map_err(|error| Purpose::Save.failed(error))
    }

    /// The plan that was chosen.
    pub fn chosen_plan(&self) -> Result<Option<PlanId>, WorkspaceError> {
        let file = self.store.layout().active_plan();
        let content = self.store.read(&file);
        let content = content.map_err(|error| Purpose::Load.failed(error))?;
        let content = String::from_utf8_lossy(content.as_deref().unwrap_or_default()).into_owned();
        match content.trim() {
            "" => Ok(None),
            id => Ok(Some(PlanId::new(id)?)),
        }
    }
}
