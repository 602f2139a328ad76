//! The sessions of agents, so that one that ended without a word is noticed.

mod copies;
mod record;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use record::{MOST_NUDGES, SendingBack, SessionRecord};

use super::error::Purpose;
use super::plan::Credit;
use super::{Workspace, WorkspaceError};
use crate::document::{Document, Node, Object, Value};
use crate::hash::ContentHash;
use crate::key::{Key, PlanId, file_stem};
use crate::plan::{self, Change, Ending, Helper, LastKnown, Loss, Said};
use crate::process::{ProcessMark, host};
use crate::repository::CommitId;
use crate::seal::Domain;
use crate::store::StoreError;
use crate::time::Timestamp;

/// On another machine nobody can look after a process; one that was silent for so long is gone, in milliseconds.
const SILENCE: i64 = 24 * 60 * 60 * 1000;

/// So many sessions are looked after in one plan.
const MOST_SESSIONS: usize = 256;

/// What is remembered of a session is kept for so long after its end, in milliseconds.
const KEPT_AFTER_END: i64 = 60 * 60 * 1000;

/// A sub-agent that works is noted again after so long, in milliseconds: well before its claims lapse.
const SIGN_OF_LIFE: i64 = 10 * 60 * 1000;

/// The other sessions that were found when one began.
#[derive(Debug, Default)]
pub struct OtherSessions {
    /// Those that go on.
    pub live: Vec<SessionRecord>,
    /// Those that ended without a word. Each is told once.
    pub crashed: Vec<SessionRecord>,
    /// Why some could not be told. The next session that begins tells them instead.
    pub untold: Vec<WorkspaceError>,
}

/// Why a session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// Its process is gone, or it has said goodbye and nobody has told of it.
    Found,
    /// It has said so.
    SaidGoodbye,
}

/// A session that is known to go on.
#[derive(Debug, Clone, Copy)]
pub struct Beginning<'b> {
    /// The agent.
    pub agent: &'b str,
    /// What it calls the session.
    pub id: &'b str,
    /// The process of the agent, where it is known.
    pub process: Option<&'b ProcessMark>,
    /// When that was told, where it is told late.
    pub told_at: Option<Timestamp>,
}

impl Workspace {
    /// Notes that a session begins or goes on, and looks after the others. `tell` is called with each that ended without
    /// a word, this one among them if it was resumed after that.
    pub fn begin_session(
        &self,
        beginning: &Beginning<'_>,
        tell: impl Fn(&SessionRecord) -> Result<(), WorkspaceError>,
    ) -> Result<OtherSessions, WorkspaceError> {
        let mut found = OtherSessions::default();
        let mut old = Vec::new();
        let mut is_own_told = true;
        let mut sessions = self.sessions()?;
        // Its own end comes first, so that no other can keep it from being told.
        sessions.sort_by_key(|(_, record)| record.id != beginning.id);
        for (file, record) in sessions {
            let is_own = record.id == beginning.id;
            if record.ended_at.is_some() {
                old.extend(self.is_old(&record).then_some(file));
                continue;
            }
            if self.is_live(&record) && record.goodbye_at.is_none() {
                if !is_own {
                    found.live.push(record);
                }
                continue;
            }
            match self.close_session(&record.id, Closing::Found, &tell) {
                Ok(true) if record.goodbye_at.is_some() => {}
                Ok(true) => found.crashed.push(record),
                Ok(false) => {}
                Err(error) => {
                    is_own_told &= !is_own;
                    let is_busy = error.is_busy();
                    found.untold.push(error);
                    if is_busy {
                        // Whoever holds the plan holds it for all of them.
                        break;
                    }
                }
            }
        }
        // Its new life must not hide its end.
        if is_own_told {
            self.note_session(beginning)?;
        }
        for file in old {
            // Whoever holds one holds all of them; the next session that begins comes back to it.
            if self.forget_if_old(&file).is_err() {
                break;
            }
        }
        Ok(found)
    }

    /// Whether a session ended so long ago that nothing comes after it any more.
    fn is_old(&self, record: &SessionRecord) -> bool {
        record.ended_at.as_deref().is_some_and(|ended| {
            let ended = Timestamp::parse(ended);
            let age = ended.map(|ended| self.now().as_millisecond() - ended.as_millisecond());
            age.is_none_or(|age| age > KEPT_AFTER_END)
        })
    }

    /// Takes the record of a session away that ended long ago, unless it goes on since somebody last looked.
    fn forget_if_old(&self, file: &Path) -> Result<(), StoreError> {
        self.store.remove_if(file, |content| {
            let record = self.read_record(content);
            record.is_some_and(|record| self.is_old(&record))
        })
    }

    /// Notes that a session goes on, also after an end that was told. What is remembered of it stays.
    pub fn note_session(&self, beginning: &Beginning<'_>) -> Result<(), WorkspaceError> {
        self.change_session_file(beginning.id, |record| {
            let mut record = record
                .unwrap_or_else(|| SessionRecord::new(beginning.agent, beginning.id, self.now()));
            record.go_on(beginning.told_at.unwrap_or_else(|| self.now()));
            record.host = host();
            if let Some(process) = beginning.process {
                record.process = Some(process.clone());
            }
            record.look_at(self.head().commit.as_ref().map(CommitId::as_str));
            ((), Some(record))
        })
    }

    /// Tells that a session is over, and takes its record away. Of several that want to, one does: it says so in the
    /// record, and nobody has to wait while it tells. Whether it was this one.
    pub fn close_session(
        &self,
        id: &str,
        closing: Closing,
        tell: impl Fn(&SessionRecord) -> Result<(), WorkspaceError>,
    ) -> Result<bool, WorkspaceError> {
        if self.session(id).is_none() {
            return Ok(false);
        }
        let claimed = self.change_session_file(id, |present| {
            let is_over = |present: &SessionRecord| match closing {
                _ if present.ended_at.is_some() => false,
                Closing::Found => present.goodbye_at.is_some() || !self.is_live(present),
                Closing::SaidGoodbye => true,
            };
            let is_told = |present: &SessionRecord| {
                present.teller.as_ref().is_some_and(ProcessMark::is_alive)
            };
            match present.filter(|present| is_over(present) && !is_told(present)) {
                Some(mut present) => {
                    present.teller = Some(ProcessMark::current());
                    if closing == Closing::SaidGoodbye {
                        present.goodbye_at = Some(self.now().to_string());
                    }
                    (Some(present.clone()), Some(present))
                }
                None => (None, None),
            }
        })?;
        let Some(record) = claimed else {
            return Ok(false);
        };
        let told = tell(&record);
        let now = self.now().to_string();
        let noted = self.change_session(id, |present| {
            // One that went on meanwhile has a life of its own.
            if present.teller == record.teller {
                present.teller = None;
                present.ended_at = told.is_ok().then_some(now);
            }
        });
        told?;
        noted?;
        Ok(true)
    }

    /// What is remembered of a session; `None` for one that was not noted.
    #[must_use]
    pub fn session(&self, id: &str) -> Option<SessionRecord> {
        let content = self.store.read(&self.session_file(id)).ok()??;
        self.read_record(content)
    }

    /// Reads the record of a session, if it was written here: what came with a clone tells of nobody's session.
    fn read_record(&self, content: Vec<u8>) -> Option<SessionRecord> {
        let document = Document::from_bytes(content).ok()?;
        self.believed(document.root())
    }

    pub(super) fn believed(&self, root: Node<'_>) -> Option<SessionRecord> {
        let record = SessionRecord::read(root)?;
        let seals = self.store.vault().seals();
        let is_ours = seals.vouches(Domain::Session, &record.sealed_name(), root);
        is_ours.then_some(record)
    }

    /// Changes what is remembered of a session; `None` for one that was not noted.
    pub fn change_session<T>(
        &self,
        id: &str,
        change: impl FnOnce(&mut SessionRecord) -> T,
    ) -> Result<Option<T>, WorkspaceError> {
        if self.session(id).is_none() {
            return Ok(None);
        }
        self.change_session_file(id, |record| match record {
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
        id: &str,
        change: impl FnOnce(Option<SessionRecord>) -> (T, Option<SessionRecord>),
    ) -> Result<T, WorkspaceError> {
        let mut result = None;
        let updated = self.store.update(&self.session_file(id), |content| {
            let record = content.and_then(|content| self.read_record(content));
            let (returned, record) = change(record);
            result = Some(returned);
            record.map(|mut record| {
                record.seen_at = self.now().to_string();
                let mut written = record.written();
                let seals = self.store.vault().seals_for_writing();
                seals.seal(Domain::Session, &record.sealed_name(), &mut written);
                (Value::Object(written).to_compact() + "\n").into_bytes()
            })
        });
        updated.map_err(|error| Purpose::Save.failed(error))?;
        Ok(result.expect("the store has called the change"))
    }

    /// The plan in which a sub-agent is at work, and its id there. One that is told of without an id is the one of its type
    /// in the session that has its tasks, else the first. The plan that is worked on is looked at first.
    pub fn plan_of_helper(
        &self,
        session: &str,
        helper: &Helper,
    ) -> Result<Option<(PlanId, String)>, WorkspaceError> {
        let active = self.active_plan()?.map(|active| active.id);
        let mut plans = self.plans()?;
        plans.sort_by_key(|id| Some(id) != active.as_ref());
        for id in plans {
            if !self.may_have_helpers(&id, session) {
                continue;
            }
            let Ok(view) = self.plan(&id).view() else {
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

    /// Whether the state of a plan knows of a session. Mostly none does, and then its Markdown need not be read.
    fn may_have_helpers(&self, id: &PlanId, session: &str) -> bool {
        let loaded = match self.load(&id.into()) {
            Ok(None) => return false,
            Ok(Some(loaded)) => loaded,
            // It may be in the middle of a change.
            Err(_) => return true,
        };
        let state = loaded.document.value();
        state.as_object().is_some_and(|state| {
            plan::sessions_at_work(state).any(|known| known == session)
                || !plan::at_work(state, session).is_empty()
        })
    }

    /// Whether a sub-agent has ended in some plan.
    pub fn is_helper_over(&self, id: &str) -> Result<bool, WorkspaceError> {
        for plan in self.plans()? {
            let loaded = self.load(&Key::from(&plan)).ok().flatten();
            let is_over = loaded.is_some_and(|loaded| {
                let agents = loaded.document.root().get("agents");
                let agent = agents.and_then(|agents| agents.get(id));
                agent.is_some_and(|agent| agent.get("endedAt").is_some())
            });
            if is_over {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Notes that a sub-agent is alive, now and then.
    pub fn keep_helper(&self, id: &PlanId, helper: &str) -> Result<(), WorkspaceError> {
        let Some(loaded) = self.load(&id.into())? else {
            return Ok(());
        };
        let agents = loaded.document.root().get("agents");
        let agent = agents.and_then(|agents| agents.get(helper));
        let active = agent.and_then(|agent| agent.get("lastActive")?.as_str());
        let active = active.and_then(|active| Timestamp::parse(&active));
        let is_old = active.is_some_and(|active| {
            self.now().as_millisecond() - active.as_millisecond() > SIGN_OF_LIFE
        });
        if is_old {
            self.plan(id)
                .change("subagent", Credit::Nobody, |present| {
                    Ok(plan::helper_seen(present, helper))
                })?;
        }
        Ok(())
    }

    /// The sub-agents that are at work in a session, by plan.
    pub fn helpers_at_work(
        &self,
        session: &str,
    ) -> Result<Vec<(PlanId, Vec<Helper>)>, WorkspaceError> {
        let mut found = Vec::new();
        for id in self.plans()? {
            if !self.may_have_helpers(&id, session) {
                continue;
            }
            // A plan that cannot be read hides no other.
            let view = self.plan(&id).view().ok();
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
        self.plan(id).change(doing, Credit::Nobody, |present| {
            let last_known = match self.plan(id).has_backup() {
                true => LastKnown::Copy,
                false => LastKnown::State,
            };
            Ok(plan::session_over(
                present, session, losses, ending, last_known,
            ))
        })?;
        Ok(())
    }

    /// Notes in a plan that a sub-agent begins, unless its session was quicker to end.
    pub fn start_helper(&self, id: &PlanId, helper: &Helper) -> Result<(), WorkspaceError> {
        let session = self.options.session.as_deref();
        self.plan(id)
            .change("subagent start", Credit::Nobody, |present| {
                let record = session.and_then(|session| self.session(session));
                if record.is_some_and(|record| record.is_over()) {
                    return Ok(Change::default());
                }
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
        let mut own = self.clone();
        if helper.id != own.options.by {
            // What it has ticked is its own, also where its agent does not tell which one it is.
            own.options.agent = Some(helper.id.clone());
        }
        own.plan(id).sync()?;
        self.plan(id)
            .change("subagent stop", Credit::Nobody, |present| {
                Ok(plan::helper_stopped(present, helper, said))
            })?;
        Ok(())
    }

    /// The sessions with claims in the state of a plan that are known to be gone.
    pub(super) fn gone_sessions(&self, state: &Object) -> Vec<String> {
        let sessions: BTreeSet<&str> = plan::sessions_at_work(state).collect();
        let is_gone = |session: &&str| {
            let record = self.session(session);
            record.is_some_and(|record| record.ended_at.is_some() || !self.is_live(&record))
        };
        // A state that names more was not written by agents.
        let sessions = sessions.into_iter().take(MOST_SESSIONS);
        sessions.filter(is_gone).map(str::to_owned).collect()
    }

    fn sessions_directory(&self) -> PathBuf {
        self.layout.sessions_directory()
    }

    /// The file of a session. Two ids that would have the same name have not.
    fn session_file(&self, id: &str) -> PathBuf {
        let mut name = file_stem(id);
        if name != id {
            name = format!(
                "{name}-{}",
                &ContentHash::of(id.as_bytes()).to_string()[..8]
            );
        }
        self.sessions_directory().join(format!("{name}.json"))
    }

    /// The sessions that are noted, with their files.
    pub fn sessions(&self) -> Result<Vec<(PathBuf, SessionRecord)>, WorkspaceError> {
        let directory = self.sessions_directory();
        let mut found = Vec::new();
        let visited = self.store.visit(&directory, |stem, document| {
            let document = document.ok();
            if let Some(record) = document.and_then(|document| self.believed(document.root())) {
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
                let seen = Timestamp::parse(&record.seen_at);
                let seen = seen.or_else(|| Timestamp::parse(&record.begun_at));
                seen.is_some_and(|seen| {
                    let age = self.now().as_millisecond() - seen.as_millisecond();
                    age < SILENCE
                })
            }
        }
    }
}
