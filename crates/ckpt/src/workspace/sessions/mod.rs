//! The sessions of agents, so that one that ended without a word is noticed.

mod record;

use std::path::{Path, PathBuf};

pub use record::{MOST_NUDGES, SessionRecord, session_name};

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::document::{Document, Object};
use crate::key::{PlanId, file_stem};
use crate::plan::{self, Ending, Helper, Loss, Said};
use crate::process::{ProcessMark, host};
use crate::repository::CommitId;
use crate::time::Timestamp;

/// On another machine nobody can look after a process; one that began so long ago is gone, in milliseconds.
const SILENCE: i64 = 24 * 60 * 60 * 1000;

/// The other sessions that were found when one began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherSessions {
    /// Those that go on.
    pub live: Vec<SessionRecord>,
    /// Those that ended without a word. Each is told once.
    pub crashed: Vec<SessionRecord>,
}

/// A session that begins.
#[derive(Debug, Clone, Copy)]
pub struct Beginning<'b> {
    /// The agent.
    pub agent: &'b str,
    /// What it calls the session.
    pub id: &'b str,
    /// The process of the agent, where it is known.
    pub process: Option<&'b ProcessMark>,
    /// Where its conversation is written down.
    pub transcript: Option<&'b str>,
}

impl Workspace {
    /// Notes that a session begins or goes on, and looks after the others. `tell` is called with each that ended without
    /// a word; when it fails, the next session that begins tells instead.
    pub fn begin_session(
        &self,
        beginning: &Beginning<'_>,
        tell: impl Fn(&SessionRecord) -> Result<(), WorkspaceError>,
    ) -> Result<OtherSessions, WorkspaceError> {
        let mut found = OtherSessions::default();
        for (file, record) in self.sessions()? {
            if (record.agent.as_str(), record.id.as_str()) == (beginning.agent, beginning.id) {
                continue;
            }
            if self.is_live(&record) {
                found.live.push(record);
            } else if self.tell_once(&file, &record, &tell)? {
                found.crashed.push(record);
            }
        }
        self.change_session_file(beginning.agent, beginning.id, |record| {
            let mut record = record
                .unwrap_or_else(|| SessionRecord::new(beginning.agent, beginning.id, self.now()));
            record.host = host();
            record.process = beginning.process.cloned();
            record.transcript = beginning.transcript.map(str::to_owned);
            record.look_at(self.head().commit.as_ref().map(CommitId::as_str));
            ((), Some(record))
        })?;
        Ok(found)
    }

    /// Tells of a session, and takes its record away. Of several that want to, one does.
    fn tell_once(
        &self,
        file: &Path,
        record: &SessionRecord,
        tell: impl Fn(&SessionRecord) -> Result<(), WorkspaceError>,
    ) -> Result<bool, WorkspaceError> {
        let mut told = Ok(false);
        let looked = self.store.update(file, |content| {
            if content.is_some() {
                told = tell(record).map(|()| self.store.disk().remove(file).is_ok());
            }
            None
        });
        looked.map_err(|error| Purpose::Save.failed(error))?;
        told
    }

    /// What is remembered of a session; `None` for one that was not noted.
    pub fn session(&self, agent: &str, id: &str) -> Option<SessionRecord> {
        let content = self.store.read(&self.session_file(agent, id)).ok()??;
        let document = Document::from_bytes(content).ok()?;
        SessionRecord::read(document.root())
    }

    /// Changes what is remembered of a session; `None` for one that was not noted.
    pub fn change_session<T>(
        &self,
        agent: &str,
        id: &str,
        change: impl FnOnce(&mut SessionRecord) -> T,
    ) -> Result<Option<T>, WorkspaceError> {
        if self.session(agent, id).is_none() {
            return Ok(None);
        }
        self.change_session_file(agent, id, |record| match record {
            Some(mut record) => {
                let before = record.clone();
                let result = change(&mut record);
                (Some(result), Some(record).filter(|after| *after != before))
            }
            None => (None, None),
        })
    }

    fn change_session_file<T>(
        &self,
        agent: &str,
        id: &str,
        change: impl FnOnce(Option<SessionRecord>) -> (T, Option<SessionRecord>),
    ) -> Result<T, WorkspaceError> {
        let mut result = None;
        let updated = self.store.update(&self.session_file(agent, id), |content| {
            let document = content.and_then(|content| Document::from_bytes(content).ok());
            let record = document.and_then(|document| SessionRecord::read(document.root()));
            let (returned, record) = change(record);
            result = Some(returned);
            record.map(|record| record.written().into_bytes())
        });
        updated.map_err(|error| Purpose::Save.failed(error))?;
        Ok(result.expect("the store has called the change"))
    }

    /// Notes that a session has ended.
    pub fn end_session(&self, agent: &str, id: &str) {
        // One that was never noted, or was taken for dead, is not there.
        let _ = self.store.disk().remove(&self.session_file(agent, id));
    }

    /// The sub-agents that are at work in a session, by plan.
    pub fn helpers_at_work(
        &self,
        session: &str,
    ) -> Result<Vec<(PlanId, Vec<Helper>)>, WorkspaceError> {
        let mut found = Vec::new();
        for id in self.plans()? {
            // A plan that cannot be read hides no other.
            let view = self.plan(&id).ok();
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

    /// Notes in a plan that a session is over.
    pub fn end_session_in_plan(
        &self,
        id: &PlanId,
        session: &str,
        losses: &[Loss],
        ending: Ending,
    ) -> Result<(), WorkspaceError> {
        let doing = match ending {
            Ending::Quiet => "session end",
            Ending::Crash => "session start",
        };
        self.change_plan(id, doing, |present| {
            Ok(plan::session_over(present, session, losses, ending))
        })?;
        Ok(())
    }

    /// Notes in a plan that a sub-agent begins.
    pub fn start_helper(&self, id: &PlanId, helper: &Helper) -> Result<(), WorkspaceError> {
        self.change_plan(id, "subagent start", |present| {
            Ok(plan::helper_started(present, helper))
        })?;
        Ok(())
    }

    /// Notes in a plan that a sub-agent has ended. The plan is followed before, so that what was ticked stands there first.
    pub fn stop_helper(
        &self,
        id: &PlanId,
        helper: &Helper,
        said: &Said,
    ) -> Result<(), WorkspaceError> {
        self.sync_plan(id)?;
        self.change_plan(id, "subagent stop", |present| {
            Ok(plan::helper_stopped(present, helper, said))
        })?;
        Ok(())
    }

    /// The sessions with claims in the state of a plan that are known to be gone.
    pub(super) fn gone_sessions(&self, state: &Object) -> Vec<String> {
        let mut gone: Vec<String> = Vec::new();
        for session in plan::sessions_at_work(state) {
            let known = session.split_once(':');
            let record = known.and_then(|(agent, id)| self.session(agent, id));
            let is_gone = record.is_some_and(|record| !self.is_live(&record));
            if is_gone && !gone.iter().any(|known| known == session) {
                gone.push(session.to_owned());
            }
        }
        gone
    }

    fn sessions_directory(&self) -> PathBuf {
        self.store.layout().state_directory().join("sessions")
    }

    fn session_file(&self, agent: &str, id: &str) -> PathBuf {
        let name = format!("{agent}-{}.json", file_stem(id));
        self.sessions_directory().join(name)
    }

    /// The sessions that are noted, with their files.
    pub fn sessions(&self) -> Result<Vec<(PathBuf, SessionRecord)>, WorkspaceError> {
        let directory = self.sessions_directory();
        let mut found = Vec::new();
        let visited = self.store.visit(&directory, |stem, document| {
            let document = document.ok();
            if let Some(record) = document.and_then(|document| SessionRecord::read(document.root()))
            {
                found.push((directory.join(format!("{stem}.json")), record));
            }
        });
        visited.map_err(|error| Purpose::Load.failed(error))?;
        Ok(found)
    }

    /// Whether a session goes on, as far as can be told.
    #[must_use]
    pub fn is_live(&self, record: &SessionRecord) -> bool {
        match &record.process {
            Some(process) if record.host == host() => process.is_alive(),
            _ => {
                let begun = Timestamp::parse(&record.begun_at);
                begun.is_some_and(|begun| {
                    let age = self.now().as_millisecond() - begun.as_millisecond();
                    age < SILENCE
                })
            }
        }
    }
}
