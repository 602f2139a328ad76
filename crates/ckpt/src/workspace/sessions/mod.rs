//! The sessions of agents, so that one that ended without a word is noticed.

mod copies;
mod record;
mod sub_agents;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use record::{MOST_NUDGES, SendingBack, SessionRecord};

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::document::Document;
use crate::hash::ContentHash;
use crate::key::file_stem;
use crate::process::{ProcessMark, host};
use crate::repository::CommitId;
use crate::store::StoreError;
use crate::time::Timestamp;

/// On another machine nobody can look after a process; one that was silent for so long is gone, in milliseconds.
const SILENCE: i64 = 24 * 60 * 60 * 1000;

/// What is remembered of a session is kept for so long after its end, in milliseconds.
const KEPT_AFTER_END: i64 = 60 * 60 * 1000;

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

/// The sessions of agents in a workspace.
#[derive(Debug, Clone, Copy)]
pub struct Sessions<'w> {
    workspace: &'w Workspace,
}

impl Workspace {
    /// The sessions of agents.
    #[must_use]
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions { workspace: self }
    }
}

impl Sessions<'_> {
    /// Notes that a session begins or goes on, and looks after the others. `tell` is called with each that ended without
    /// a word, this one among them if it was resumed after that.
    pub fn begin(
        &self,
        beginning: &Beginning<'_>,
        tell: impl Fn(&SessionRecord) -> Result<(), WorkspaceError>,
    ) -> Result<OtherSessions, WorkspaceError> {
        let mut found = OtherSessions::default();
        let mut old = Vec::new();
        let mut is_own_told = true;
        let mut sessions = self.all()?;
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
            match self.close(&record.id, Closing::Found, &tell) {
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
            self.note(beginning)?;
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
            let age =
                ended.map(|ended| self.workspace.now().as_millisecond() - ended.as_millisecond());
            age.is_none_or(|age| age > KEPT_AFTER_END)
        })
    }

    /// Takes the record of a session away that ended long ago, unless it goes on since somebody last looked.
    fn forget_if_old(&self, file: &Path) -> Result<(), StoreError> {
        self.workspace.store.remove_if(file, |content| {
            let record = self.read_record(content);
            record.is_some_and(|record| self.is_old(&record))
        })
    }

    /// Notes that a session goes on, also after an end that was told. What is remembered of it stays.
    pub fn note(&self, beginning: &Beginning<'_>) -> Result<(), WorkspaceError> {
        self.change_file(beginning.id, |record| {
            let mut record = record.unwrap_or_else(|| {
                SessionRecord::new(beginning.agent, beginning.id, self.workspace.now())
            });
            record.go_on(beginning.told_at.unwrap_or_else(|| self.workspace.now()));
            record.host = host();
            if let Some(process) = beginning.process {
                record.process = Some(process.clone());
            }
            record.look_at(self.workspace.head().commit.as_ref().map(CommitId::as_str));
            ((), Some(record))
        })
    }

    /// Tells that a session is over, and takes its record away. Of several that want to, one does: it says so in the
    /// record, and nobody has to wait while it tells. Whether it was this one.
    pub fn close(
        &self,
        id: &str,
        closing: Closing,
        tell: impl Fn(&SessionRecord) -> Result<(), WorkspaceError>,
    ) -> Result<bool, WorkspaceError> {
        if self.get(id).is_none() {
            return Ok(false);
        }
        let claimed = self.change_file(id, |present| {
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
                        present.goodbye_at = Some(self.workspace.now().to_string());
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
        let now = self.workspace.now().to_string();
        let noted = self.change(id, |present| {
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
    pub fn get(&self, id: &str) -> Option<SessionRecord> {
        let content = self.workspace.store.read(&self.file(id)).ok()??;
        self.read_record(content)
    }

    /// Reads the record of a session, if it was written here: what came with a clone tells of nobody's session.
    fn read_record(&self, content: Vec<u8>) -> Option<SessionRecord> {
        self.believed(&Document::from_bytes(content).ok()?)
    }

    pub(in crate::workspace) fn believed(&self, document: &Document) -> Option<SessionRecord> {
        SessionRecord::read(document, self.workspace.store.vault().seals())
    }

    /// Changes what is remembered of a session; `None` for one that was not noted.
    pub fn change<T>(
        &self,
        id: &str,
        change: impl FnOnce(&mut SessionRecord) -> T,
    ) -> Result<Option<T>, WorkspaceError> {
        if self.get(id).is_none() {
            return Ok(None);
        }
        self.change_file(id, |record| match record {
            Some(mut record) => {
                let before = record.clone();
                let result = change(&mut record);
                (Some(result), Some(record).filter(|after| *after != before))
            }
            None => (None, None),
        })
    }

    fn change_file<T>(
        &self,
        id: &str,
        change: impl FnOnce(Option<SessionRecord>) -> (T, Option<SessionRecord>),
    ) -> Result<T, WorkspaceError> {
        let updated = self.workspace.store.update(&self.file(id), |content| {
            let record = content.and_then(|content| self.read_record(content));
            let (result, record) = change(record);
            (result, record.map(|record| self.written(record)))
        });
        updated.map_err(|error| Purpose::Save.failed(error))
    }

    fn written(&self, mut record: SessionRecord) -> Vec<u8> {
        record.seen_at = self.workspace.now().to_string();
        record.written(self.workspace.store.vault().seals_for_writing())
    }

    /// The file of a session. Two ids that would have the same name have not.
    fn file(&self, id: &str) -> PathBuf {
        let mut name = file_stem(id);
        if name != id {
            name = format!(
                "{name}-{}",
                &ContentHash::of(id.as_bytes()).to_string()[..8]
            );
        }
        self.workspace
            .layout
            .sessions_directory()
            .join(format!("{name}.json"))
    }

    /// The sessions that are noted, with their files.
    pub fn all(&self) -> Result<Vec<(PathBuf, SessionRecord)>, WorkspaceError> {
        let directory = self.workspace.layout.sessions_directory();
        let mut found = Vec::new();
        let visited = self.workspace.store.visit(&directory, |stem, document| {
            let document = document.ok();
            if let Some(record) = document.and_then(|document| self.believed(document)) {
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
                    let age = self.workspace.now().as_millisecond() - seen.as_millisecond();
                    age < SILENCE
                })
            }
        }
    }
}
