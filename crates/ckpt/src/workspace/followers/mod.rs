//! Followers of this repository: setting them up, and how they stand.
//!
//! Beside the key lie a file for each follower, `followers/NAME.json`, and a directory `followers/NAME/` with the cursors
//! of each worktree. One worker for each worktree serves those that append to a file ([`Followers::lock_worker`]).

mod barred;
mod removed;
mod serve;
mod sources;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use barred::{Barred, Undelivered};
pub use serve::{Batch, Delivered, Finish, Lag, Receive, Told};

use super::error::Purpose;
use super::{Archived, Workspace, WorkspaceError};
use crate::disk::lock::{Lock, LockError, Subject};
use crate::disk::{Disk, FileKind, Mode};
use crate::follower::{Cursor, Filter, Follower, FollowerName, Report};
use crate::key::Key;
use crate::layout::{ARCHIVE, FOLLOWERS, KeptAs};
use crate::operation::Refusal;
use crate::store::{Action, Mirror, StoreError, WorktreeId, make_directories, replace};

/// The ending of the files that describe followers, and of cursors.
const ENDING: &str = ".json";

/// The directory of the locks of workers.
const WORKERS: &str = ".workers";

/// How often a worker tries to take its lock while others ask whether one is at work, and how long it waits in between.
const MOST_ASKED: u32 = 1_000;
const WHILE_ASKED: Duration = Duration::from_millis(10);

/// How it went with a follower in one worktree, beside its cursors.
const REPORT: &str = "report.json";

/// The lock of whoever changes a report, and how long it waits for its turn.
const REPORT_LOCK: &str = "report.lock";
const REPORT_WAIT: Duration = Duration::from_secs(1);

/// The lock of whoever serves a follower in one worktree.
const LOCK: &str = "lock";

/// What was sent to a service, beside its cursors.
const DELIVERIES: &str = "deliveries.jsonl";

/// What was given up, beside the cursors of a service.
const UNDELIVERED: &str = "undelivered.jsonl";

/// How often the removal of a directory is tried again in which somebody makes a file.
const MOST_REMOVALS: usize = 8;

/// The directory, in the state, for reports that cannot be written beside the key.
const REPORTS: &str = "followers";

/// The followers of a repository, as seen from one of its worktrees.
#[derive(Debug, Clone, Copy)]
pub struct Followers<'w> {
    workspace: &'w Workspace,
}

/// The right to serve followers, until it is dropped.
#[derive(Debug)]
pub struct Guard(#[expect(dead_code, reason = "it is held, not used")] Lock);

/// The records of what was sent to a service from one worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    id: WorktreeId,
    /// The file of the tries.
    pub deliveries: PathBuf,
    /// The file of what was given up.
    pub undelivered: PathBuf,
}

/// A follower, and how it stands.
#[derive(Debug, Clone)]
pub struct Standing {
    /// The follower.
    pub follower: Follower,
    /// What it has not been told yet, in all worktrees.
    pub lag: Lag,
    /// The other worktrees that have some of that.
    pub elsewhere: Vec<Elsewhere>,
    /// When it was served last, and what went wrong since.
    pub report: Report,
    /// Whether it has not been served for so long that nothing is kept for it.
    pub is_silent: bool,
}

/// What a follower has not been told yet of what happened in another worktree. A process in that worktree tells it.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    /// The directory of the worktree.
    pub root: PathBuf,
    /// Its name, as people here would say it.
    pub name: String,
    /// How much that is.
    pub lag: Lag,
}

impl Workspace {
    /// The followers of this repository.
    #[must_use]
    pub fn followers(&self) -> Followers<'_> {
        Followers { workspace: self }
    }
}

impl<'w> Followers<'w> {
    fn mirror(&self) -> Option<&'w Mirror> {
        self.workspace.store.mirror()
    }

    /// The directory beside the key; `None` where nothing can be followed.
    fn directory(&self) -> Option<PathBuf> {
        Some(self.mirror()?.beside(FOLLOWERS))
    }

    fn file(&self, name: &FollowerName) -> Option<PathBuf> {
        Some(self.directory()?.join(format!("{name}{ENDING}")))
    }

    /// The directory of a follower's cursors in one worktree.
    fn cursors(&self, name: &FollowerName, id: &WorktreeId) -> Option<PathBuf> {
        Some(self.directory()?.join(name.as_str()).join(id.as_str()))
    }

    /// Whether there may be any. One look at the disk.
    #[must_use]
    pub fn exist(&self) -> bool {
        let directory = self.directory();
        directory.is_some_and(|directory| !self.workspace.store.is_missing(&directory))
    }

    /// All followers, by name. A file that is none is skipped.
    ///
    /// # Errors
    ///
    /// If one cannot be read now.
    pub fn all(&self) -> Result<Vec<Follower>, StoreError> {
        let Some(directory) = self.directory() else {
            return Ok(Vec::new());
        };
        let disk = self.workspace.store.disk();
        let opened = disk.open_directory(&directory);
        let names = if_there(opened.and_then(|opened| opened.names()), &directory)?;
        let mut found = Vec::new();
        for name in names.unwrap_or_default() {
            let name = name.to_str().and_then(|name| name.strip_suffix(ENDING));
            if let Some(name) = name.and_then(|name| FollowerName::new(name).ok()) {
                found.extend(self.get(&name)?);
            }
        }
        found.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(found)
    }

    /// The follower of this name.
    ///
    /// # Errors
    ///
    /// If it cannot be read now.
    pub fn get(&self, name: &FollowerName) -> Result<Option<Follower>, StoreError> {
        let Some(file) = self.file(name) else {
            return Ok(None);
        };
        let content = if_there(self.workspace.store.disk().read(&file), &file)?;
        let follower = content.and_then(|content| serde_json::from_slice(&content).ok());
        Ok(follower.filter(|follower: &Follower| follower.name == *name))
    }

    /// Sets up a follower.
    ///
    /// # Errors
    ///
    /// If there is one of that name, or nothing can be kept beside the key.
    pub fn add(&self, follower: &Follower) -> Result<(), WorkspaceError> {
        let known = self.get(&follower.name);
        if known
            .map_err(|error| Purpose::Follow.failed(error))?
            .is_some()
        {
            return Err(Refusal::FollowerTaken(follower.name.clone()).into());
        }
        let file = self.file(&follower.name).ok_or(Refusal::NothingToKeepIn)?;
        // Only what is sealed is told, and a process that is at work does not look for a new key.
        self.workspace
            .vault()
            .ensure_key()
            .map_err(|why| Purpose::Follow.failed(StoreError::Unchecked(why.clone())))?;
        // A removal may have been cut off.
        let forgotten = self.forget(&follower.name);
        forgotten.map_err(|error| Purpose::Follow.failed(error))?;
        let content = serde_json::to_vec_pretty(follower).unwrap_or_default();
        let written = self.write(&file, &content);
        written.map_err(|error| Purpose::Follow.failed(error))
    }

    /// Sets up a service as a follower, or changes what it wants to hear of. It goes on where it was.
    ///
    /// # Errors
    ///
    /// If there is another follower of that name, or nothing can be kept beside the key.
    pub fn set_up_service(&self, service: Follower) -> Result<(), WorkspaceError> {
        let known = self.get(&service.name);
        let Some(known) = known.map_err(|error| Purpose::Follow.failed(error))? else {
            return self.add(&service);
        };
        if !known.is_service {
            return Err(Refusal::FollowerTaken(service.name).into());
        }
        let file = self.file(&service.name).ok_or(Refusal::NothingToKeepIn)?;
        let filter = Filter {
            since: known.filter.since,
            ..service.filter
        };
        let added_at = known.added_at;
        let service = Follower {
            filter,
            added_at,
            ..service
        };
        let content = serde_json::to_vec_pretty(&service).unwrap_or_default();
        let written = self.write(&file, &content);
        written.map_err(|error| Purpose::Follow.failed(error))
    }

    /// The records of what was sent to a service, of each worktree that has told it something. Those of a worktree that is
    /// gone stay.
    #[must_use]
    pub fn records(&self, name: &FollowerName) -> Vec<Records> {
        let Some(directory) = self.directory() else {
            return Vec::new();
        };
        let own = directory.join(name.as_str());
        let worktrees = self.workspace.store.disk().directories(&own);
        let worktrees = worktrees.unwrap_or_default().into_iter();
        let ids = worktrees.filter_map(|id| WorktreeId::parse(id.to_str()?));
        let mut found: Vec<Records> = ids.filter_map(|id| self.records_of(name, id)).collect();
        found.sort_by(|one, two| one.id.as_str().cmp(two.id.as_str()));
        found
    }

    /// The records of what is sent to a service from this worktree.
    #[must_use]
    pub fn own_records(&self, name: &FollowerName) -> Option<Records> {
        let id = self.mirror()?.id(self.workspace.store.disk())?;
        self.records_of(name, id)
    }

    fn records_of(&self, name: &FollowerName, id: WorktreeId) -> Option<Records> {
        let directory = self.cursors(name, &id)?;
        Some(Records {
            deliveries: directory.join(DELIVERIES),
            undelivered: directory.join(UNDELIVERED),
            id,
        })
    }

    /// Keeps others from changing the records of a worktree; `None` if another process is telling the follower from there.
    ///
    /// # Errors
    ///
    /// If there is no place for the lock, or it cannot be written.
    pub fn lock_records(
        &self,
        name: &FollowerName,
        records: &Records,
    ) -> Result<Option<Guard>, Barred> {
        self.lock_of(name, &records.id)
    }

    fn write(&self, file: &Path, content: &[u8]) -> Result<(), StoreError> {
        let disk = self.workspace.store.disk();
        let directory = file.parent().unwrap_or(file);
        make_directories(disk, directory)
            .map_err(|source| StoreError::io(Action::Create, directory, source))?;
        replace(disk, file, content, Mode::Private)
    }

    /// Removes a follower, with its cursors. `false` if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be removed, or somebody is telling it all the time.
    pub fn remove(&self, name: &FollowerName) -> Result<bool, WorkspaceError> {
        let (Some(file), Some(directory)) = (self.file(name), self.directory()) else {
            return Ok(false);
        };
        let store = &self.workspace.store;
        if !store.is_there(&file) {
            return Ok(false);
        }
        let failed = |error| Purpose::Follow.failed(error);
        let own = directory.join(name.as_str());
        let disk = store.disk();
        // Whoever is telling it would write its cursors again.
        let locks = self.wait_for_all(&own).map_err(failed)?;
        let removed = disk.remove(&file);
        removed.map_err(|source| failed(StoreError::io(Action::Replace, &file, source)))?;
        drop(locks);
        self.forget(name).map_err(failed)?;
        Ok(true)
    }

    /// Removes what is kept for a follower that is gone. Another one of that name must not go on where it was.
    fn forget(&self, name: &FollowerName) -> Result<(), StoreError> {
        let Some(own) = self.directory().map(|all| all.join(name.as_str())) else {
            return Ok(());
        };
        let disk = self.workspace.store.disk();
        let kind = disk.inspect(&own);
        let kind = kind.map_err(|source| StoreError::io(Action::Inspect, &own, source))?;
        if kind != Some(FileKind::Directory) {
            return Ok(());
        }
        let _locks = self.wait_for_all(&own)?;
        // Whoever comes to tell it now makes a directory, and finds that it is gone.
        let mut removed = remove_all(disk, &own);
        for _ in 0..MOST_REMOVALS {
            match &removed {
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                    removed = remove_all(disk, &own);
                }
                _ => break,
            }
        }
        removed.map_err(|source| StoreError::io(Action::Replace, &own, source))
    }

    /// Waits until nobody tells a follower from any worktree, and keeps it so. This is its directory.
    fn wait_for_all(&self, own: &Path) -> Result<Vec<Lock>, StoreError> {
        let worktrees = self.workspace.store.disk().directories(own);
        let worktrees = if_there(worktrees, own)?.unwrap_or_default();
        let wait = self.workspace.options.lock_wait;
        let locks = worktrees.iter().map(|id| self.lock(&own.join(id), wait));
        locks.collect()
    }

    /// How a follower stands: what it has not been told in any worktree, and how it went here.
    ///
    /// # Errors
    ///
    /// If a history of this worktree cannot be read.
    pub fn standing(&self, follower: Follower) -> Result<Standing, WorkspaceError> {
        let report = self.report(&follower.name);
        let elsewhere = self.elsewhere(&follower);
        let here = self.lag(&follower)?;
        let lags = elsewhere.iter().map(|elsewhere| elsewhere.lag);
        Ok(Standing {
            lag: lags.fold(here, Lag::and),
            elsewhere,
            is_silent: self.is_silent(&follower),
            report,
            follower,
        })
    }

    /// What a follower has not been told yet of other worktrees. One that cannot be read hides no other.
    fn elsewhere(&self, follower: &Follower) -> Vec<Elsewhere> {
        let others = self.workspace.other_worktrees().unwrap_or_default();
        let found = others.into_iter().filter_map(|worktree| {
            let there = self.workspace.neighbour(&worktree).ok()?;
            let lag = there.workspace.followers().own_lag(follower).ok()?;
            (lag.lines > 0).then_some(Elsewhere {
                root: worktree.root,
                name: there.name,
                lag,
            })
        });
        found.collect()
    }

    /// Whether no worktree has served a follower for long. If a report cannot be read now, one may have.
    #[must_use]
    pub fn is_silent(&self, follower: &Follower) -> bool {
        let now = self.workspace.now();
        let reports = self.all_reports(&follower.name);
        reports.is_ok_and(|reports| {
            let mut reports = reports.iter();
            reports.all(|report| report.is_silent(&follower.added_at, now))
        })
    }

    /// How it went with a follower in each worktree.
    fn all_reports(&self, name: &FollowerName) -> Result<Vec<Report>, StoreError> {
        let mut found = vec![self.report(name)];
        let Some(own) = self.directory().map(|all| all.join(name.as_str())) else {
            return Ok(found);
        };
        let disk = self.workspace.store.disk();
        for id in if_there(disk.directories(&own), &own)?.unwrap_or_default() {
            found.push(read_report(disk, &own.join(id).join(REPORT))?);
        }
        Ok(found)
    }

    /// How it went with a follower here last.
    #[must_use]
    pub fn report(&self, name: &FollowerName) -> Report {
        let store = &self.workspace.store;
        let id = self.mirror().and_then(|mirror| mirror.id(store.disk()));
        let beside_cursors = id.and_then(|id| self.cursors(name, &id));
        let beside_cursors = beside_cursors
            .and_then(|directory| read_report(store.disk(), &directory.join(REPORT)).ok())
            .unwrap_or_default();
        let in_state = store.read(&self.report_in_state(name)).ok().flatten();
        let in_state = in_state.and_then(|content| serde_json::from_slice(&content).ok());
        beside_cursors.newer(in_state.unwrap_or_default())
    }

    /// Where a report goes that cannot be written beside the key.
    fn report_in_state(&self, name: &FollowerName) -> PathBuf {
        let directory = self.workspace.state_directory().join(REPORTS);
        directory.join(format!("{name}{ENDING}"))
    }

    /// Changes the report of a follower, unless there is nothing to change. Whoever changes it at the same time comes later.
    fn change_report(&self, name: &FollowerName, change: impl Fn(&Report) -> Option<Report>) {
        if change(&self.report(name)).is_none() {
            return;
        }
        // A report that is written without the lock is better than none.
        let _lock = self.lock_report(name);
        let report = change(&self.report(name));
        let is_gone = matches!(self.get(name), Ok(None));
        if let Some(report) = report.filter(|_| !is_gone) {
            self.keep_report(name, &report);
        }
    }

    fn lock_report(&self, name: &FollowerName) -> Result<Lock, Barred> {
        let (directory, id) = self.own_place()?;
        let own = directory.join(name.as_str());
        let beside = own.join(id.as_str());
        let disk = self.workspace.store.disk();
        make_directories(disk, &beside).map_err(|source| Barred::at(&beside, &source))?;
        // Whoever tells it holds the directory of its cursors.
        let subject = Subject {
            file: &beside.join(REPORT_LOCK),
            directory: &own,
        };
        let lock = disk.lock(subject, REPORT_WAIT, "followers");
        Ok(lock.map_err(StoreError::from)?)
    }

    fn keep_report(&self, name: &FollowerName, report: &Report) {
        let content = serde_json::to_vec(report).unwrap_or_default();
        let id = self
            .mirror()
            .and_then(|mirror| mirror.id(self.workspace.store.disk()));
        let file = id.and_then(|id| Some(self.cursors(name, &id)?.join(REPORT)));
        let is_kept = file.is_some_and(|file| self.write(&file, &content).is_ok());
        if !is_kept {
            let _ = self
                .workspace
                .store
                .put(&self.report_in_state(name), &content);
        }
    }

    /// Whether the next try to tell a follower has to wait, after a failure.
    #[must_use]
    pub fn is_waiting(&self, name: &FollowerName) -> bool {
        self.report(name).is_waiting(self.workspace.now())
    }

    /// Notes why a follower could not be told.
    pub fn note_failure(&self, name: &FollowerName, barred: &Barred) {
        let now = self.workspace.now();
        self.change_report(name, |report| {
            Some(report.failed(now, &barred.reason, barred.next))
        });
    }

    /// Lets the next try begin at once, also after one that was to be the last.
    pub fn try_again(&self, name: &FollowerName) {
        let now = self.workspace.now();
        self.change_report(name, |report| Some(report.without_pause(now)));
    }

    /// Whether a change made here has to see to it that followers are told: some are served in the background, and not
    /// all of them wait after a failure.
    #[must_use]
    pub fn need_a_worker(&self) -> bool {
        let Ok(all) = self.all() else {
            // The worker may be able to read them.
            return true;
        };
        let mut served = all.iter().filter(|follower| follower.is_served_alone());
        served.any(|follower| !self.is_waiting(&follower.name))
    }

    /// Whether a worker is at work in this worktree. Asking keeps nobody else from asking.
    #[must_use]
    pub fn have_a_worker(&self) -> bool {
        let disk = self.workspace.store.disk();
        let directory = self.worker_directory();
        directory.is_ok_and(|directory| disk.is_locked(&directory.join(LOCK)).unwrap_or(false))
    }

    /// Takes the lock of the worker of this worktree; `None` if another one is at work.
    ///
    /// # Errors
    ///
    /// If there is no place for the lock, or it cannot be written.
    pub fn lock_worker(&self) -> Result<Option<Guard>, Barred> {
        let directory = self.worker_directory()?;
        for _ in 0..MOST_ASKED {
            let guard = self.locked(&directory)?;
            if guard.is_some() || self.have_a_worker() {
                return Ok(guard);
            }
            // Somebody is only asking.
            self.workspace.store.disk().pause(WHILE_ASKED);
        }
        Ok(None)
    }

    fn worker_directory(&self) -> Result<PathBuf, Barred> {
        let (directory, id) = self.own_place()?;
        Ok(directory.join(WORKERS).join(id.as_str()))
    }

    fn lock_of(&self, name: &FollowerName, id: &WorktreeId) -> Result<Option<Guard>, Barred> {
        self.locked(&self.cursors(name, id).ok_or_else(no_place)?)
    }

    /// Takes the lock in a directory; `None` if another process has it.
    fn locked(&self, directory: &Path) -> Result<Option<Guard>, Barred> {
        let disk = self.workspace.store.disk();
        make_directories(disk, directory).map_err(|source| Barred::at(directory, &source))?;
        match self.lock(directory, Duration::ZERO) {
            Ok(lock) => Ok(Some(Guard(lock))),
            Err(StoreError::Lock(LockError::Busy { .. })) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn lock(&self, directory: &Path, wait: Duration) -> Result<Lock, StoreError> {
        let file = directory.join(LOCK);
        let subject = Subject {
            file: &file,
            directory,
        };
        let disk = self.workspace.store.disk();
        Ok(disk.lock(subject, wait, "followers")?)
    }

    fn own_place(&self) -> Result<(PathBuf, WorktreeId), Barred> {
        let mirror = self.mirror().ok_or_else(no_place)?;
        let id = mirror.own_id(self.workspace.store.disk());
        let id = id.cloned().ok_or_else(no_place)?;
        Ok((self.directory().ok_or_else(no_place)?, id))
    }

    /// The follower that has not been told yet what an archive holds, and for which it has to be kept.
    ///
    /// # Errors
    ///
    /// If that cannot be told now, so that it has to be kept too.
    pub fn awaiting(&self, archived: &Archived) -> Result<Option<FollowerName>, StoreError> {
        let store = &self.workspace.store;
        let archives = self.workspace.state_directory().join(ARCHIVE);
        let (Ok(below), Some(mirror)) = (archived.path.strip_prefix(archives), self.mirror())
        else {
            return Ok(None);
        };
        let id = mirror.known_id(store.disk());
        let id = id.map_err(|source| StoreError::io(Action::Read, mirror.directory(), source))?;
        match (store.read(&archived.path)?, id) {
            (Some(bytes), Some(id)) => self.awaiting_copy(&id, &archived.key, below, &bytes),
            _ => Ok(None),
        }
    }

    /// A follower who has not been told of all that is in a worktree's archive, by its path among archives and its bytes; an
    /// error if that cannot be told now.
    pub(in crate::workspace) fn awaiting_copy(
        &self,
        id: &WorktreeId,
        key: &Key,
        below: &Path,
        bytes: &[u8],
    ) -> Result<Option<FollowerName>, StoreError> {
        let kept_as = KeptAs::of(key);
        let below = below.to_string_lossy();
        for follower in self.all()? {
            if follower.filter.admits_key(key)
                && !self.is_silent(&follower)
                && !self
                    .cursor(&follower.name, id, &kept_as)?
                    .has_read(&below, bytes)
            {
                return Ok(Some(follower.name));
            }
        }
        Ok(None)
    }

    fn cursor_file(
        &self,
        name: &FollowerName,
        id: &WorktreeId,
        kept_as: &KeptAs,
    ) -> Option<PathBuf> {
        Some(self.cursors(name, id)?.join(kept_as.cursor()))
    }

    /// The cursor of a follower in one document. One that is damaged is at the beginning.
    fn cursor(
        &self,
        name: &FollowerName,
        id: &WorktreeId,
        kept_as: &KeptAs,
    ) -> Result<Cursor, StoreError> {
        let Some(file) = self.cursor_file(name, id, kept_as) else {
            return Ok(Cursor::default());
        };
        let content = if_there(self.workspace.store.disk().read(&file), &file)?;
        let cursor = content.and_then(|content| serde_json::from_slice(&content).ok());
        Ok(cursor.unwrap_or_default())
    }
}

fn no_place() -> Barred {
    Barred::because("there is no git directory to keep cursors in".to_owned())
}

/// Removes a directory with everything in it. Links are removed, not followed.
fn remove_all(disk: &dyn Disk, directory: &Path) -> io::Result<()> {
    for inner in disk.directories(directory)? {
        remove_all(disk, &directory.join(inner))?;
    }
    for name in disk.open_directory(directory)?.names()? {
        disk.remove(&directory.join(name))?;
    }
    disk.remove_directory(directory)
}

fn read_report(disk: &dyn Disk, file: &Path) -> Result<Report, StoreError> {
    let content = if_there(disk.read(file), file)?.unwrap_or_default();
    Ok(serde_json::from_slice(&content).unwrap_or_default())
}

/// What was found; `None` if nothing is there. What cannot be read now may be there.
fn if_there<T>(found: io::Result<T>, path: &Path) -> Result<Option<T>, StoreError> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::io(Action::Read, path, source)),
        Ok(found) => Ok(Some(found)),
    }
}
