//! The processes that run in a repository.

use std::fs;
use std::path::Path;

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
