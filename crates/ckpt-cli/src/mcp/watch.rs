//! Notices changes on disk, whoever makes them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ckpt::workspace::Workspace;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

/// A change touches several files at once. They count as one.
const SETTLING: Duration = Duration::from_millis(40);

/// How often to look if the system does not tell.
const PATIENCE: Duration = Duration::from_secs(2);

/// Wakes up whoever waits for a change of state.
#[derive(Debug)]
pub(super) struct Watch {
    changes: Arc<Notify>,
    /// Nothing if the system cannot tell.
    watcher: Option<RecommendedWatcher>,
    watched: Vec<(PathBuf, RecursiveMode)>,
}

impl Watch {
    /// Watches the state of a workspace.
    pub(super) fn of(workspace: &Workspace) -> Self {
        let changes = Arc::new(Notify::new());
        let teller = Arc::clone(&changes);
        let git = workspace.repository().git_dir().map(Path::to_owned);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| matters(&event, git.as_deref())) {
                teller.notify_one();
            }
        });
        let mut watch = Self {
            changes,
            watcher: watcher.ok(),
            watched: directories(workspace),
        };
        watch.reach_new_directories();
        watch
    }

    /// Waits for a change. Without the help of the system, returns after a while in any case.
    pub(super) async fn changed(&mut self) {
        match self.watcher.is_some() {
            true => self.changes.notified().await,
            false => drop(timeout(PATIENCE, self.changes.notified()).await),
        }
        sleep(SETTLING).await;
        self.reach_new_directories();
    }

    /// Watches directories that have come into being.
    fn reach_new_directories(&mut self) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        for (directory, mode) in &self.watched {
            // One that does not exist cannot be watched, and its parent tells when it appears.
            let _ = watcher.watch(directory, *mode);
        }
    }
}

/// Whether something may have changed that is shown. Reading is no change, and in the git directory only HEAD matters.
fn matters(event: &Event, git: Option<&Path>) -> bool {
    let in_git = |path: &PathBuf| git.is_some_and(|git| path.starts_with(git));
    let counts = |path: &PathBuf| !in_git(path) || path.ends_with("HEAD");
    !event.kind.is_access() && event.paths.iter().any(counts)
}

/// Where state lies, and where it may appear.
fn directories(workspace: &Workspace) -> Vec<(PathBuf, RecursiveMode)> {
    let repository = workspace.repository();
    let mut watched: Vec<(PathBuf, RecursiveMode)> = Vec::new();
    let mut add = |path: &Path, mode| {
        if !watched.iter().any(|(known, _)| known == path) {
            watched.push((path.to_owned(), mode));
        }
    };
    let states = [
        (workspace.state_directory(), RecursiveMode::NonRecursive),
        (workspace.pipelines_directory(), RecursiveMode::NonRecursive),
        (workspace.plans_directory(), RecursiveMode::Recursive),
    ];
    for (directory, mode) in &states {
        let parents = directory.ancestors().skip(1);
        for parent in parents.take_while(|path| path.starts_with(repository.root())) {
            add(parent, RecursiveMode::NonRecursive);
        }
        add(directory, *mode);
    }
    if let Some(git) = repository.git_dir() {
        add(git, RecursiveMode::NonRecursive);
        // A commit changes no more than this.
        add(&git.join("logs"), RecursiveMode::NonRecursive);
    }
    watched
}
