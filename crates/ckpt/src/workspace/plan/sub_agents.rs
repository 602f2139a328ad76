//! Sub-agents working on a plan, and sessions that end while they do.

use std::collections::BTreeSet;

use super::super::WorkspaceError;
use super::elsewhere::Assigning;
use super::{Credit, PlanCheckpoint};
use crate::document::Object;
use crate::plan::{self, Change, Ending, Helper, LastKnown, Loss, Said};
use crate::time::Timestamp;

/// The maximum number of sessions to check in one plan.
const MOST_SESSIONS: usize = 256;

/// How long after the last sign of life a working sub-agent is noted again, in milliseconds: well before its claims
/// lapse.
const SIGN_OF_LIFE: i64 = 10 * 60 * 1000;

impl PlanCheckpoint<'_> {
    /// Records that a sub-agent is alive, unless it was recorded recently.
    pub fn keep_helper(&self, helper: &str) -> Result<(), WorkspaceError> {
        let Some(loaded) = self.workspace.load(&self.id.into())? else {
            return Ok(());
        };
        let agents = loaded.document.root().get("agents");
        let agent = agents.and_then(|agents| agents.get(helper));
        let active = agent.and_then(|agent| agent.get("lastActive")?.as_str());
        let active = active.and_then(|active| Timestamp::parse(&active));
        let is_old = active.is_some_and(|active| {
            self.workspace.now().as_millisecond() - active.as_millisecond() > SIGN_OF_LIFE
        });
        if is_old {
            self.change("subagent", Credit::Nobody, &|present| {
                Ok(plan::helper_seen(present, helper))
            })?;
        }
        Ok(())
    }

    /// Records in a plan that a session ended.
    pub fn end_session(
        &self,
        session: &str,
        losses: &[Loss],
        ending: Ending,
    ) -> Result<(), WorkspaceError> {
        let doing = match ending {
            Ending::Quiet => "session end",
            Ending::Crash => "session start",
        };
        self.change(doing, Credit::Nobody, &|present| {
            let last_known = match self.has_backup() {
                true => LastKnown::Copy,
                false => LastKnown::State,
            };
            Ok(plan::session_over(
                present, session, losses, ending, last_known,
            ))
        })?;
        Ok(())
    }

    /// Records in a plan that a sub-agent started, unless its session has already ended.
    pub fn start_helper(&self, helper: &Helper) -> Result<(), WorkspaceError> {
        let session = self.workspace.options.session.as_deref();
        let assigning = match helper.tasks.is_empty() {
            true => Assigning::default(),
            false => self.assigning("subagent start")?,
        };
        self.change("subagent start", Credit::Nobody, &|present| {
            let record = session.and_then(|session| self.workspace.sessions().get(session));
            if record.is_some_and(|record| record.is_over()) {
                return Ok(Change::default());
            }
            Ok(plan::helper_started(present, helper, &assigning.elsewhere))
        })?;
        Ok(())
    }

    /// Records in a plan that a sub-agent ended. Syncs the plan first, so that boxes it ticked are recorded before
    /// its end.
    pub fn stop_helper(&self, helper: &Helper, said: &Said) -> Result<(), WorkspaceError> {
        let mut own = self.workspace.clone();
        if helper.id != own.options.by {
            // Boxes it ticked are credited to it, even if its agent does not report an id.
            own.options.agent = Some(helper.id.clone());
        }
        own.plan(self.id).sync()?;
        self.change("subagent stop", Credit::Nobody, &|present| {
            Ok(plan::helper_stopped(present, helper, said))
        })?;
        Ok(())
    }

    /// The sessions that hold claims in a plan's state and are known to be gone.
    pub(super) fn gone_sessions(&self, state: &Object) -> Vec<String> {
        let sessions: BTreeSet<&str> = plan::sessions_at_work(state).collect();
        let is_gone = |session: &&str| {
            let record = self.workspace.sessions().get(session);
            record.is_some_and(|record| {
                record.ended_at.is_some() || !self.workspace.sessions().is_live(&record)
            })
        };
        // A state that names more sessions was not written by agents.
        let sessions = sessions.into_iter().take(MOST_SESSIONS);
        sessions.filter(is_gone).map(str::to_owned).collect()
    }
}
