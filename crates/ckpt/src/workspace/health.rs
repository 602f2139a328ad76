//! Checks of the store that need no lock.

use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Workspace, WorkspaceError};
use crate::command::Checkpoint;
use crate::document::Document;
use crate::layout::{CHECKPOINT_ENDING, CLAIMS_LOCK, LOCKS};
use crate::pipeline::Pipeline;
use crate::store::TEMPORARY_ENDING;

/// Anything younger than this may still be in use.
const AT_WORK: Duration = Duration::from_secs(60);

/// A lock held by some process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldLock {
    /// The lock file.
    pub path: PathBuf,
    /// The holder, as it described itself in the file.
    pub holder: String,
    /// Whether the holder is stopped, so it will not release the lock by itself.
    pub is_stopped: bool,
}

impl Workspace {
    /// The locks held now. A lock held for a moment is normal; one held for long blocks changes.
    #[must_use]
    pub fn held_locks(&self) -> Vec<HeldLock> {
        let directory = self.state_directory().join(LOCKS);
        let vault = self.vault().directory();
        let mut held: Vec<HeldLock> = self
            .entries(&directory)
            .into_iter()
            .chain(vault.map(|vault| vault.join(CLAIMS_LOCK)))
            .filter_map(|path| {
                let file = crate::disk::lock::open_present(&path).ok()?;
                match file.try_lock_shared() {
                    Err(TryLockError::WouldBlock) => {
                        let holder = crate::disk::lock::read_note(&path);
                        Some(HeldLock {
                            is_stopped: process_in(&holder).is_some_and(crate::process::is_stopped),
                            holder,
                            path,
                        })
                    }
                    _ => None,
                }
            })
            .collect();
        held.sort_by(|one, two| one.path.cmp(&two.path));
        held
    }

    /// Temporary files left by crashed changes. They are harmless: the next change of the same document removes them.
    #[must_use]
    pub fn leftovers(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        self.each_own_file(|path| {
            let is_temporary = path
                .as_os_str()
                .to_string_lossy()
                .ends_with(TEMPORARY_ENDING);
            if is_temporary && age(path).is_some_and(|age| age > AT_WORK) {
                found.push(path.to_owned());
            }
        });
        found
    }

    /// Removes temporary files left by crashed changes. Those of a plan may hold changes that are not recorded yet, so the
    /// plan recovers them itself.
    pub fn sweep(&self) -> Result<(), WorkspaceError> {
        for id in self.plans()? {
            let _ = self.plan(&id).heal();
        }
        let state = self.state_directory();
        let pipelines = self.pipelines_directory();
        let is_ours = |path: &Path| path.starts_with(&state) || path.starts_with(&pipelines);
        for path in self.leftovers().iter().filter(|path| is_ours(path)) {
            let _ = self.store.disk().remove(path);
        }
        Ok(())
    }

    /// Files in the state directory that other users of this machine can read or write.
    #[cfg(unix)]
    #[must_use]
    pub fn open_to_others(&self) -> Vec<PathBuf> {
        use std::os::unix::fs::PermissionsExt;
        let mut found = Vec::new();
        let state = self.state_directory();
        let mut look = |path: &Path| {
            if !self.is_ours(path.strip_prefix(&state).unwrap_or(path)) {
                return;
            }
            let mode = fs::symlink_metadata(path).map(|metadata| metadata.permissions().mode());
            let is_ours = |mode: u32| matches!(mode & 0o170_000, 0o100_000 | 0o040_000);
            if mode.is_ok_and(|mode| is_ours(mode) && mode & 0o077 != 0) {
                found.push(path.to_owned());
            }
        };
        if self.store.resolved(&state).is_some() {
            look(&state);
            walk(&state, &mut look);
        }
        found
    }

    /// Whether an entry of the state directory was made by `ckpt`. Other tools keep files there too.
    #[cfg(unix)]
    fn is_ours(&self, below: &Path) -> bool {
        let Some(first) = below.iter().next().and_then(|first| first.to_str()) else {
            return true;
        };
        let known = [
            "locks",
            "history",
            "sessions",
            "archive",
            "init",
            "active-plan",
            ".gitignore",
        ];
        known.contains(&first)
            || first.starts_with("hooks.jsonl")
            || self.is_checkpoint(&self.state_directory().join(below))
    }

    /// Checkpoints that are never listed, because the names of their files begin with a dot.
    #[must_use]
    pub fn hidden(&self) -> Vec<PathBuf> {
        let is_hidden = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with('.') && name.ends_with(CHECKPOINT_ENDING)
        };
        let directories = [self.state_directory(), self.pipelines_directory()];
        let files = directories.iter().flat_map(|one| self.entries(one));
        let mut found: Vec<PathBuf> = files.filter(is_hidden).collect();
        found.retain(|path| {
            let document = self.document(path);
            let root = document.as_ref().map(Document::root);
            root.is_some_and(|root| Checkpoint::is_one(root) || Pipeline::is_one(root))
        });
        found.sort();
        found
    }

    #[cfg(unix)]
    fn is_checkpoint(&self, path: &Path) -> bool {
        let document = self.document(path);
        document.is_some_and(|document| Checkpoint::is_one(document.root()))
    }

    fn document(&self, path: &Path) -> Option<Document> {
        let content = self.store.read(path).ok().flatten()?;
        Document::from_bytes(content).ok()
    }

    /// Files in the state directory that other users of this machine can read or write. Not checked on this platform.
    #[cfg(not(unix))]
    #[must_use]
    pub fn open_to_others(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Removes other users' permissions on these files.
    pub fn close_to_others(&self, paths: &[PathBuf]) -> io::Result<()> {
        #[cfg(unix)]
        for path in paths {
            use std::os::unix::fs::PermissionsExt;
            let found = fs::symlink_metadata(path)?;
            if found.is_file() || found.is_dir() {
                let mode = found.permissions().mode() & 0o700;
                fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
            }
        }
        #[cfg(not(unix))]
        let _ = paths;
        Ok(())
    }

    /// Calls back for every file that `ckpt` writes: state, pipelines and plans.
    fn each_own_file(&self, mut look: impl FnMut(&Path)) {
        if self.store.resolved(&self.state_directory()).is_some() {
            walk(&self.state_directory(), &mut look);
        }
        for path in self.entries(&self.pipelines_directory()) {
            look(&path);
        }
        for plan in self.entries(&self.plans_directory()) {
            for path in self.entries(&plan) {
                look(&path);
            }
            for path in self.entries(&plan.join(crate::layout::PLAN_STATE_DIRECTORY)) {
                look(&path);
            }
        }
    }

    /// The entries of a directory, unless it is reached through a link that must not be followed.
    fn entries(&self, directory: &Path) -> Vec<PathBuf> {
        match self.store.resolved(directory) {
            Some(_) => entries(directory),
            None => Vec::new(),
        }
    }
}

/// Upper limit of entries read per directory: a clone may contain any number of files.
const MOST_ENTRIES: usize = 20_000;

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let entries = entries.take(MOST_ENTRIES);
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect()
}

/// Visits everything below a directory. Links are not followed.
fn walk(directory: &Path, look: &mut impl FnMut(&Path)) {
    for path in entries(directory) {
        look(&path);
        if !path.is_symlink() && path.is_dir() {
            walk(&path, look);
        }
    }
}

fn age(path: &Path) -> Option<Duration> {
    let modified = fs::symlink_metadata(path).ok()?.modified().ok()?;
    SystemTime::now().duration_since(modified).ok()
}

/// The process id in a holder's description of itself.
fn process_in(note: &str) -> Option<u32> {
    let rest = note.strip_prefix("process ")?;
    rest.split_whitespace().next()?.parse().ok()
}
