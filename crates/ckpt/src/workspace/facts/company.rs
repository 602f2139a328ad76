//! Who else is or was at work: other worktrees, and the sessions of this one.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::super::neighbours::Neighbour;
use super::super::survey::Survey;
use super::super::{SessionRecord, Workspace};

use crate::key::{Key, PlanId};

/// Who else is or was at work.
pub(super) struct Company {
    /// The other worktrees.
    pub(super) neighbours: Vec<Neighbour>,
    /// The sessions that ended without a goodbye.
    pub(super) crashed: Vec<SessionRecord>,
    /// All sessions that are over.
    pub(super) over: Vec<SessionRecord>,
    /// The sessions of others that are running.
    pub(super) live: Vec<SessionRecord>,
    /// What each crashed session last worked on, once somebody asked.
    worked_on: OnceCell<HashMap<String, HashSet<Key>>>,
    /// The active plan, once somebody asked.
    active_plan: OnceCell<Option<PlanId>>,
}

impl Company {
    /// The same, where the plans have been read already.
    pub(super) fn with_plans_of(self, survey: &Survey<'_>) -> Self {
        if let Ok(active) = survey.active_plan() {
            let _ = self.active_plan.set(active);
        }
        self
    }

    /// The plan that commands mean unless they name another.
    pub(super) fn active_plan(&self, workspace: &Workspace) -> &Option<PlanId> {
        self.active_plan.get_or_init(|| {
            let active = workspace.active_plan().ok().flatten();
            active.map(|active| active.id)
        })
    }
}

impl Workspace {
    /// Everybody who is or was at work.
    pub(super) fn company(&self) -> Company {
        Company {
            neighbours: self.neighbours_in_use(),
            ..self.alone()
        }
    }

    /// The same, without other worktrees.
    pub(super) fn alone(&self) -> Company {
        let sessions = self.sessions().all().unwrap_or_default();
        let sessions = sessions.into_iter().map(|(_, record)| record);
        let own = self.options.session.as_deref();
        let (over, live): (Vec<_>, Vec<_>) = sessions
            .filter(|record| Some(record.id.as_str()) != own)
            .partition(|record| !self.sessions().is_live(record) || record.is_over());
        let crashed = over.iter().filter(|record| record.goodbye_at.is_none());
        Company {
            neighbours: Vec::new(),
            crashed: crashed.cloned().collect(),
            over,
            live,
            worked_on: OnceCell::new(),
            active_plan: OnceCell::new(),
        }
    }

    /// Whether a crashed session worked on something else that is in flight.
    pub(super) fn worked_elsewhere(&self, company: &Company, session: &str, key: &Key) -> bool {
        let worked_on = company.worked_on.get_or_init(|| self.worked_on(company));
        let keys = worked_on.get(session);
        keys.is_some_and(|keys| keys.iter().any(|other| other != key))
    }

    fn worked_on(&self, company: &Company) -> HashMap<String, HashSet<Key>> {
        let mut found: HashMap<String, HashSet<Key>> = HashMap::new();
        let keys = self.in_flight().map(|(keys, _)| keys).unwrap_or_default();
        for key in keys {
            let Ok(trace) = self.trace(&self.layout.place(&key)) else {
                continue;
            };
            for record in &company.crashed {
                if trace.last_of(&record.id).is_some() {
                    let keys = found.entry(record.id.clone()).or_default();
                    keys.insert(key.clone());
                }
            }
        }
        found
    }
}
