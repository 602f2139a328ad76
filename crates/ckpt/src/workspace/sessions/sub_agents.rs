//! Finding the sub-agents of a session in the plans they work on.

use super::super::WorkspaceError;
use super::Sessions;
use crate::document::Object;
use crate::key::{Key, PlanId};
use crate::plan::{self, Helper};

impl Sessions<'_> {
    /// The plan in which a sub-agent is working, and its id there. Without an id, the sub-agent is the one of its
    /// type in the session that has its tasks, else the first. The active plan is searched first.
    pub fn plan_of_helper(
        &self,
        session: &str,
        helper: &Helper,
    ) -> Result<Option<(PlanId, String)>, WorkspaceError> {
        let active = self.workspace.active_plan()?.map(|active| active.id);
        let mut plans = self.workspace.plans()?;
        plans.sort_by_key(|id| Some(id) != active.as_ref());
        for id in plans {
            if !self.may_have_helpers(&id, session) {
                continue;
            }
            let Ok(view) = self.workspace.plan(&id).view() else {
                continue;
            };
            let Some(state) = view.state.as_object() else {
                continue;
            };
            let mut at_work = plan::at_work(state, session);
            at_work.retain(|known| match helper.id.is_empty() {
                true => known.kind == helper.kind,
                false => known.id == helper.id,
            });
            let has_its_task = |known: &Helper| {
                let mut tasks = known.tasks.iter();
                tasks.any(|task| helper.tasks.contains(task))
            };
            let at = at_work.iter().position(has_its_task).unwrap_or(0);
            if let Some(found) = at_work.into_iter().nth(at) {
                return Ok(Some((id, found.id)));
            }
        }
        Ok(None)
    }

    /// Whether a plan's state mentions a session. Usually none does, and its Markdown need not be read.
    fn may_have_helpers(&self, id: &PlanId, session: &str) -> bool {
        let loaded = match self.workspace.load(&id.into()) {
            Ok(None) => return false,
            Ok(Some(loaded)) => loaded,
            // The file may be in the middle of a change.
            Err(_) => return true,
        };
        let state = loaded.document.value();
        state.as_object().is_some_and(|state| {
            plan::sessions_at_work(state).any(|known| known == session)
                || !plan::at_work(state, session).is_empty()
        })
    }

    /// The plan in which a sub-agent was given up with its session.
    pub fn plan_of_dead_helper(&self, id: &str) -> Result<Option<PlanId>, WorkspaceError> {
        self.plan_where(|state| plan::has_died(state, id))
    }

    /// Whether a sub-agent has ended in any plan.
    pub fn is_helper_over(&self, id: &str) -> Result<bool, WorkspaceError> {
        let plan = self.plan_where(|state| plan::has_ended(state, id))?;
        Ok(plan.is_some())
    }

    fn plan_where(
        &self,
        is_meant: impl Fn(&Object) -> bool,
    ) -> Result<Option<PlanId>, WorkspaceError> {
        for plan in self.workspace.plans()? {
            let loaded = self.workspace.load(&Key::from(&plan)).ok().flatten();
            let state = loaded.map(|loaded| loaded.document.value());
            if state.is_some_and(|state| state.as_object().is_some_and(&is_meant)) {
                return Ok(Some(plan));
            }
        }
        Ok(None)
    }

    /// The sub-agents working in a session, by plan.
    pub fn helpers_at_work(
        &self,
        session: &str,
    ) -> Result<Vec<(PlanId, Vec<Helper>)>, WorkspaceError> {
        let mut found = Vec::new();
        for id in self.workspace.plans()? {
            if !self.may_have_helpers(&id, session) {
                continue;
            }
            // A plan that cannot be read must not hide the others.
            let view = self.workspace.plan(&id).view().ok();
            let state = view.as_ref().and_then(|view| view.state.as_object());
            let has_any = state.is_some_and(|state| {
                let mut sessions = plan::sessions_at_work(state);
                sessions.any(|known| known == session)
            });
            let helpers = state.map(|state| plan::at_work(state, session));
            let helpers = helpers.unwrap_or_default();
            if has_any || !helpers.is_empty() {
                found.push((id, helpers));
            }
        }
        Ok(found)
    }
}
