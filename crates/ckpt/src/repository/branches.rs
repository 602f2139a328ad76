//! Branches: what a revision names, what is pushed, and starting a new one.

use super::git::Git;
use super::{CommitId, Location, RepositoryError};

/// How far the branch that is checked out has been pushed, as far as git knows here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// All of it.
    All,
    /// No branch is checked out.
    Detached,
    /// It has commits that its upstream has not.
    Ahead,
    /// It is on no remote, though there is one. This is the first.
    Never(String),
    /// There is nowhere to push to.
    Nowhere,
}

/// The commit that a revision names.
pub(super) fn resolve(
    location: &Location,
    revision: &str,
) -> Result<Option<CommitId>, RepositoryError> {
    let mut asked = Git::new(location, &[], "rev-parse");
    asked.args(["--quiet", "--verify", "--end-of-options"]);
    let commit = format!("{revision}^{{commit}}");
    match asked.args([commit]).answer() {
        Ok(answer) => asked.commit_id(&answer).map(Some),
        Err(RepositoryError::GitFailed { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How far a branch has been pushed.
pub(super) fn pushed(location: &Location, branch: &str) -> Result<Pushed, RepositoryError> {
    let mut asked = Git::new(location, &[], "for-each-ref");
    asked.args(["--format=%(upstream) %(upstream:track)"]);
    let answer = asked.args([format!("refs/heads/{branch}")]).answer()?;
    let answer = String::from_utf8_lossy(&answer);
    let line = answer.lines().next().unwrap_or_default();
    let (upstream, track) = line.split_once(' ').unwrap_or_default();
    // A branch may follow another one here, which is not pushing.
    let is_remote = upstream.starts_with("refs/remotes/") && !track.contains("gone");
    if is_remote {
        return Ok(match track.contains("ahead") {
            true => Pushed::Ahead,
            false => Pushed::All,
        });
    }
    let remotes = Git::new(location, &[], "remote").answer()?;
    let remotes = String::from_utf8_lossy(&remotes);
    let mut remotes = remotes.lines();
    let first = remotes
        .clone()
        .find(|name| *name == "origin")
        .or(remotes.next());
    Ok(first.map_or(Pushed::Nowhere, |name| Pushed::Never(name.to_owned())))
}

/// Makes a branch at HEAD and checks it out.
pub(super) fn start(location: &Location, branch: &str) -> Result<(), RepositoryError> {
    let mut switch = Git::new(location, &[], "switch");
    switch.args(["--quiet", "--no-track", "--create", branch]);
    switch.answer().map(drop)
}
