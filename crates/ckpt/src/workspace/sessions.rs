//! The sessions of agents, so that one that ended without a word is noticed.

use std::path::PathBuf;

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::document::{Document, Node, Object, Value};
use crate::history::Event;
use crate::key::file_stem;
use crate::plan;
use crate::process::{ProcessMark, host};
use crate::time::Timestamp;

/// On another machine nobody can look after a process; one that began so long ago is gone, in milliseconds.
const SILENCE: i64 = 24 * 60 * 60 * 1000;

/// A session of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// The agent.
    pub agent: String,
    /// What it calls the session.
    pub id: String,
    /// The machine.
    pub host: String,
    /// The process of the agent, where it is known.
    pub process: Option<ProcessMark>,
    /// When it began, as written.
    pub begun_at: String,
}

/// The other sessions that were found when one began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherSessions {
    /// Those that go on.
    pub live: Vec<SessionRecord>,
    /// Those that ended without a word. Each is told once.
    pub crashed: Vec<SessionRecord>,
}

impl Workspace {
    /// Notes that a session begins or goes on, and looks after the others. Of those that ended without a word the
    /// history of the active plan tells.
    pub fn begin_session(
        &self,
        agent: &str,
        id: &str,
        process: Option<ProcessMark>,
    ) -> Result<OtherSessions, WorkspaceError> {
        let others = self.other_sessions(agent, id)?;
        let mut found = OtherSessions::default();
        for (file, record) in others {
            if self.is_live(&record) {
                found.live.push(record);
            } else if self.store.disk().remove(&file).is_ok() {
                // Whoever takes the record away is the one who tells.
                found.crashed.push(record);
            }
        }
        if !found.crashed.is_empty()
            && let Some(active) = self.active_plan()?
        {
            self.record_crash(&active.id)?;
        }
        self.note_session(agent, id, process)?;
        Ok(found)
    }

    /// Counts what the user said in a session, and returns how often that was; the same thing is counted once. A session
    /// that was not noted is not counted.
    pub fn count_prompt(
        &self,
        agent: &str,
        id: &str,
        prompt: Option<&str>,
    ) -> Result<u64, WorkspaceError> {
        let file = self.session_file(agent, id);
        let content = self
            .store
            .read(&file)
            .map_err(|error| Purpose::Load.failed(error))?;
        let document = content.and_then(|content| Document::from_bytes(content).ok());
        let Some(Value::Object(mut record)) = document.map(|document| document.value()) else {
            return Ok(0);
        };
        let before = record.get("prompts").and_then(|count| match count {
            Value::Number(number) => number.raw().parse::<u64>().ok(),
            _ => None,
        });
        let count = before.unwrap_or(0);
        let last = record.get("last_prompt").and_then(Value::as_str);
        if prompt.is_some() && last == prompt {
            return Ok(0);
        }
        record.set("prompts", count + 1);
        record.set("last_prompt", prompt.map(str::to_owned));
        let text = Value::Object(record).to_compact() + "\n";
        let written = self.store.put(&file, text.as_bytes());
        written.map_err(|error| Purpose::Save.failed(error))?;
        Ok(count + 1)
    }

    /// Notes that a session has ended.
    pub fn end_session(&self, agent: &str, id: &str) {
        // One that was never noted, or was taken for dead, is not there.
        let _ = self.store.disk().remove(&self.session_file(agent, id));
    }

    fn sessions_directory(&self) -> PathBuf {
        self.store.layout().state_directory().join("sessions")
    }

    fn session_file(&self, agent: &str, id: &str) -> PathBuf {
        let name = format!("{agent}-{}.json", file_stem(id));
        self.sessions_directory().join(name)
    }

    fn other_sessions(
        &self,
        agent: &str,
        id: &str,
    ) -> Result<Vec<(PathBuf, SessionRecord)>, WorkspaceError> {
        let directory = self.sessions_directory();
        let mut others = Vec::new();
        let visited = self.store.visit(&directory, |stem, document| {
            let record = document.ok().and_then(|document| read(document.root()));
            if let Some(record) =
                record.filter(|record| (record.agent.as_str(), record.id.as_str()) != (agent, id))
            {
                others.push((directory.join(format!("{stem}.json")), record));
            }
        });
        visited.map_err(|error| Purpose::Load.failed(error))?;
        Ok(others)
    }

    fn is_live(&self, record: &SessionRecord) -> bool {
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

    fn note_session(
        &self,
        agent: &str,
        id: &str,
        process: Option<ProcessMark>,
    ) -> Result<(), WorkspaceError> {
        let mut record = Object::new();
        record.set("agent", agent);
        record.set("session_id", id);
        record.set("host", host());
        record.set("begun_at", self.now());
        if let Some(process) = process {
            record.set("process", process.written());
        }
        let file = self.session_file(agent, id);
        let text = Value::Object(record).to_compact() + "\n";
        let written = self.store.put(&file, text.as_bytes());
        written.map_err(|error| Purpose::Save.failed(error))
    }

    fn record_crash(&self, id: &crate::key::PlanId) -> Result<(), WorkspaceError> {
        self.change_plan(id, "session start", |present| {
            let done = present
                .outline
                .tasks()
                .filter(|(_, task)| task.done)
                .count();
            let crash = Event::new("session_crash").with("lastKnownState", "recovery.json");
            let recovered = Event::new("session_recovered")
                .with("from", "recovery.json")
                .with("tasksRestored", done as u64);
            Ok(plan::Change {
                events: vec![crash, recovered],
                recording: plan::Recording::Always,
                ..plan::Change::default()
            })
        })?;
        Ok(())
    }
}

fn read(root: Node<'_>) -> Option<SessionRecord> {
    let text = |name: &str| Some(root.get(name)?.as_str()?.into_owned());
    Some(SessionRecord {
        agent: text("agent")?,
        id: text("session_id")?,
        host: text("host").unwrap_or_default(),
        process: root.get("process").and_then(ProcessMark::read),
        begun_at: text("begun_at").unwrap_or_default(),
    })
}
