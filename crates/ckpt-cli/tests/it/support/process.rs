//! The processes that run in a repository.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::environment::Environment;

/// How many background processes finish the work of hooks in a repository.
pub(crate) fn late_processes(root: &Path) -> usize {
    processes(root, |arguments| arguments.ends_with(b"--late\0"))
}

/// How many git processes run in a repository.
pub(crate) fn processes_of_git(root: &Path) -> usize {
    processes(root, |arguments| arguments.starts_with(b"git\0"))
}

/// How many processes with such arguments run in a repository.
fn processes(root: &Path, is_such: impl Fn(&[u8]) -> bool) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let counts = |path: &Path| {
        let arguments = fs::read(path.join("cmdline")).unwrap_or_default();
        is_such(&arguments) && fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == root)
    };
    processes.filter(|process| counts(&process.path())).count()
}

/// Keeps background workers away while it is held. One was started before.
pub(crate) fn without_workers(environment: &Environment) -> Vec<File> {
    let workers = environment.path(".git/ckpt/followers/.workers");
    let locks = || {
        let entries = fs::read_dir(&workers).into_iter().flatten().flatten();
        let opened = entries.map(|entry| File::open(entry.path().join("lock")));
        opened.collect::<io::Result<Vec<File>>>()
    };
    let begin = Instant::now();
    let locks = loop {
        match locks() {
            Ok(locks) if !locks.is_empty() => break locks,
            // It is on its way.
            _ => thread::sleep(Duration::from_millis(5)),
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "no worker came");
    };
    for lock in &locks {
        lock.lock().unwrap();
    }
    locks
}
