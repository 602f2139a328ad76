//! Whether a repository that was found before would be found again.
//!
//! A program that lives long asks for the same repository over and over. What a search would look at has to be looked at
//! each time, because anybody may make a repository or take one away; but what has not changed need not be read again.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Environment, Repository, State};

/// What a search for a repository saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence(Vec<(PathBuf, Option<Stamp>)>);

/// Which file lay somewhere, and when it was last changed in any way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    number: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl Evidence {
    /// Whether a search would find the same.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.0.iter().all(|(path, seen)| stamp(path) == *seen)
    }
}

impl Repository {
    /// What shows that `start` belongs to this repository. `None` where only another search can tell: outside git, in
    /// linked worktrees, and where the environment has a say.
    #[must_use]
    pub fn evidence(&self, start: &Path, environment: &Environment) -> Option<Evidence> {
        let State::Inside(location) = &self.state else {
            return None;
        };
        let dot_git = self.root.join(".git");
        let is_plain = location.git_dir == dot_git && location.common_dir == dot_git;
        if !is_plain || !environment.is_silent() || !start.starts_with(&self.root) {
            return None;
        }
        let below = start.ancestors().take_while(|path| *path != self.root);
        // A directory below the root that became a repository would be found first, also one without a work tree.
        let below = below.flat_map(|path| [path.join(".git"), path.join("HEAD")]);
        let own = [dot_git.join("config"), dot_git];
        let seen = below.chain(own).map(|path| (stamp(&path), path));
        Some(Evidence(seen.map(|(stamp, path)| (path, stamp)).collect()))
    }
}

impl Environment {
    /// Whether it says nothing about git.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.git_root.is_none()
            && self.git_dir.is_none()
            && self.git_work_tree.is_none()
            && self.ceiling_directories.is_empty()
    }
}

#[cfg(unix)]
fn stamp(path: &Path) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt;

    let metadata = fs::symlink_metadata(path).ok()?;
    Some(Stamp {
        device: metadata.dev(),
        number: metadata.ino(),
        seconds: metadata.ctime(),
        nanoseconds: metadata.ctime_nsec(),
    })
}

/// Without a number for each file, nothing is the same for sure: each time is another.
#[cfg(not(unix))]
fn stamp(path: &Path) -> Option<Stamp> {
    use std::sync::atomic::{AtomicU64, Ordering};

    static NEXT: AtomicU64 = AtomicU64::new(0);
    fs::symlink_metadata(path).ok()?;
    Some(Stamp {
        device: 0,
        number: NEXT.fetch_add(1, Ordering::Relaxed),
        seconds: 0,
        nanoseconds: 0,
    })
}
