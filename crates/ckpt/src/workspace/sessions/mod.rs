//! Agent sessions, recorded so that one that crashed is noticed.

mod copies;
mod record;
mod sub_agents;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use record::{Asked, LeftBehind, MOST_NUDGES, SendingBack, SessionRecord};

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::document::Document;
use crate::hash::ContentHash;
use crate::key::file_stem;
use crate::process::{ProcessMark, host};
use crate::repository::CommitId;
use crate::store::StoreError;
use crate::time::Timestamp;

/// A process on another machine cannot be checked; a session there counts as gone after this much silence, in
/// milliseconds.
const SILENCE: i64 = 24 * 60 * 60 * 1000;

/// How many of the sessions that ended are kept in any case.
const MOST_ENDED: usize = 5;

/// How long a session's record is kept after its end, in milliseconds.
const KEPT_AFTER_END: i64 = 60 * 60 * 1000;

/// How long the record of a session that died is kept: it is told until somebody takes up its work.
const KEPT_AFTER_DEATH: i64 = 30 * 24 * 60 * 60 * 1000;

/// The other sessions found when one begins.
#[derive(Debug, Default)]
pub struct OtherSessions {
    /// Sessions that are still running.
    pub live: Vec<SessionRecord>,
    /// Sessions that ended without a goodbye. Each is reported once.
    pub crashed: Vec<SessionRecord>,
    /// Why some ends could not be reported. The next session that begins reports them instead.
    pub untold: Vec<WorkspaceError>,
}

/// Why a session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// Its process is gone, or it said goodbye but its end was never reported.
    Found,
    /// It said goodbye.
    SaidGoodbye,
}

/// A session that is known to be running.
#[derive(Debug, Clone, Copy)]
pub struct Beginning<'b> {
    /// The agent.
    pub agent: &'b str,
    /// The agent's id for the session.
    pub id: &'b str,
    /// The agent's process, if known.
    pub process: Option<&'b ProcessMark>,
    /// The file in which the agent keeps what was said.
    pub transcript: Option<&'b str>,
    /// When this was reported, if it is processed late.
    pub told_at: Option<Timestamp>,
}

/// The agent sessions of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct Sessions<'w> {
    workspace: &'w Workspace,
}

impl Workspace {
    /// The agent sessions.
    #[must_use]
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions { workspace: self }
    }
}

impl Sessions<'_> {
    /// Records that a session begins or continues, and checks the others. Calls `tell` for each session that ended
    /// without a goodbye, including this one if it is being resumed after a crash.
    pub fn begin(
        &self,
        beginning: &Beginning<'_>,
        tell: impl Fn(&SessionRecord) -> Result<(), WorkspaceError>,
    ) -> Result<OtherSessions, WorkspaceError> {
        let mut found = OtherSessions::default();
        let (mut old, mut ended) = (Vec::new(), Vec::new());
        let mut is_own_told = true;
        let mut sessions = self.all()?;
        // Its own end comes first, so that no other session can prevent it from being reported.
        sessions.sort_by_key(|(_, record)| record.id != beginning.id);
        for (file, record) in sessions {
            let is_own = record.id == beginning.id;
            if record.ended_at.is_some() {
                ended.push((file, record));
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
                        // The plan is locked, so the remaining sessions would fail too.
                        break;
                    }
                }
            }
        }
        // The last ones tell what the user wanted.
        ended.sort_by(|(_, one), (_, two)| two.ended_at.cmp(&one.ended_at));
        let is_ancient = |record: &SessionRecord| self.has_ended_before(record, KEPT_AFTER_DEATH);
        let last = ended.iter().take(MOST_ENDED);
        let kept = last.filter(|(_, record)| !is_ancient(record)).count();
        let older = ended.into_iter().skip(kept);
        old.extend(
            older
                .filter(|(_, record)| self.is_old(record))
                .map(|(file, _)| file),
        );
        // Its end must be reported before it is recorded as running again.
        if is_own_told {
            self.note(beginning)?;
        }
        for file in old {
            // If one record is locked, all are; the next session that begins tries again.
            if self.forget_if_old(&file).is_err() {
                break;
            }
        }
        Ok(found)
    }

    /// Whether a session ended so long ago that no late events can follow.
    fn is_old(&self, record: &SessionRecord) -> bool {
        let kept = match record.goodbye_at {
            Some(_) => KEPT_AFTER_END,
            None => KEPT_AFTER_DEATH,
        };
        self.has_ended_before(record, kept)
    }

    /// Whether a session ended longer ago than this, in milliseconds.
    fn has_ended_before(&self, record: &SessionRecord, kept: i64) -> bool {
        record.ended_at.as_deref().is_some_and(|ended| {
            let ended = Timestamp::parse(ended);
            let age =
                ended.map(|ended| self.workspace.now().as_millisecond() - ended.as_millisecond());
            age.is_none_or(|age| age > kept)
        })
    }

    /// Removes the record of a session that ended long ago, unless the session has resumed since.
    fn forget_if_old(&self, file: &Path) -> Result<(), StoreError> {
        self.workspace.store.remove_if(file, |content| {
            let record = self.read_record(content);
            record.is_some_and(|record| self.is_old(&record))
        })
    }

    /// Records that a session is running, even if its end was already reported. The rest of its record is kept.
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
            if let Some(transcript) = beginning.transcript {
                record.transcript = Some(transcript.to_owned());
            }
            record.look_at(self.workspace.head().commit.as_ref().map(CommitId::as_str));
            ((), Some(record))
        })
    }

    /// Reports that a session is over and marks its record as ended. If several processes try, the first one claims the
    /// session in its record, and the others return without waiting. Returns whether it was this one.
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
            // If the session has resumed in the meantime, the claim is gone, and the record must not change.
            if present.teller == record.teller {
                present.teller = None;
                present.ended_at = told.is_ok().then_some(now);
            }
        });
        told?;
        noted?;
        Ok(true)
    }

    /// The record of a session; `None` if there is none.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<SessionRecord> {
        let content = self.workspace.store.read(&self.file(id)).ok()??;
        self.read_record(content)
    }

    /// Reads a session record, if it was written here: a record that came with a clone is not about a session on this
    /// machine.
    fn read_record(&self, content: Vec<u8>) -> Option<SessionRecord> {
        self.believed(&Document::from_bytes(content).ok()?)
    }

    pub(in crate::workspace) fn believed(&self, document: &Document) -> Option<SessionRecord> {
        SessionRecord::read(document, self.workspace.store.vault().seals())
    }

    /// Changes the record of a session; `None` if there is none.
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
        // Whoever reports its end is not a sign of its life.
        if record.teller.is_none() && record.ended_at.is_none() {
            record.seen_at = self.workspace.now().to_string();
        }
        record.written(self.workspace.store.vault().seals_for_writing())
    }

    /// The file of a session. Different ids never share a file.
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

    /// All recorded sessions, with their files.
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

    /// Whether a session is running, as far as can be determined.
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
