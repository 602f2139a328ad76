//! Changes that fail, and what must stay as it was.

use std::path::Path;

use crate::support::environment::{Environment, Run};
use crate::support::tree;

/// A change of `implement/auth`.
pub(crate) const UPDATE: [&str; 4] = ["phase", "implement/auth", "build", "complete"];

/// Asserts that a run failed with one line that names the path.
#[track_caller]
pub(crate) fn assert_refused(run: Run, path: &Path) {
    let run = run.exits(1);
    assert!(run.reason().starts_with("error: "), "{run}");
    assert!(run.reason().contains(path.to_str().unwrap()), "{run}");
    assert_eq!(
        (run.stderr.lines().count(), run.stdout.as_str()),
        (1, ""),
        "{run}"
    );
}

/// What is in the state directory, apart from the lock, which every change touches.
pub(crate) fn state_but_lock(environment: &Environment) -> Vec<(String, tree::Content)> {
    let entries = tree::listing(&environment.state("")).into_iter();
    let entries = entries.filter(|(name, _)| name != "locks/command.lock");
    entries.map(|(name, entry)| (name, entry.content)).collect()
}
