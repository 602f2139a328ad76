//! The repository that a directory belongs to, which calls within one program ask for over and over.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use ckpt::repository::{Environment, Evidence, Repository, RepositoryError};

use crate::ui::Ui;

/// A repository that was found.
struct Known {
    directory: PathBuf,
    evidence: Evidence,
    repository: Repository,
}

thread_local! {
    /// The one that the last call on this thread was about.
    static LAST: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// Finds the repository that a directory belongs to. A process of its own asks once, and does not remember it.
pub(crate) fn find(
    ui: &Ui,
    directory: &Path,
    environment: &Environment,
) -> Result<Repository, RepositoryError> {
    if !ui.is_call() {
        return Repository::discover(directory, environment);
    }
    let known = LAST.with_borrow(|last| {
        let last = last.as_ref()?;
        let is_same = last.directory == directory && environment.is_silent();
        (is_same && last.evidence.holds()).then(|| last.repository.clone())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let found = Repository::discover(directory, environment)?;
    let seen = found.evidence(directory, environment);
    // What was seen must be what the search saw: so it is searched for again, once it was looked at.
    let repository = Repository::discover(directory, environment)?;
    let evidence = seen.filter(|_| repository.root() == found.root());
    LAST.set(evidence.map(|evidence| Known {
        directory: directory.to_owned(),
        evidence,
        repository: repository.clone(),
    }));
    Ok(repository)
}
