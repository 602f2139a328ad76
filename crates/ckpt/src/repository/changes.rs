//! What has changed around a piece of work: files that are not committed, commits that others made, and files as they
//! were.

use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::digest::below_top;
use super::exclusion::Exclusion;
use super::git::Git;
use super::{CommitId, Location, Repository, RepositoryError, files, head};
use crate::hash::ContentHash;

/// A commit and what it touched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommitNote {
    /// Its id.
    pub id: CommitId,
    /// Its author.
    pub author: String,
    /// Its subject.
    pub subject: String,
    /// The files it touched, relative to the top of the work tree.
    pub files: Vec<String>,
}

/// The mode of a regular file.
const REGULAR: u32 = 0o100_644;

/// A brief is not worth waiting longer for.
const PATIENCE: Duration = Duration::from_secs(3);

/// How much of a reflog is read, from its end.
const LONGEST_REFLOG: u64 = 1024 * 1024;

/// Files larger than this are not searched for names.
const LARGEST_FILE: usize = 1024 * 1024;

/// The files that differ from HEAD, and those that git does not track, relative to the top of the work tree.
pub(super) fn uncommitted(
    repository: &Repository,
    excluded: &[Exclusion],
) -> Result<Vec<String>, RepositoryError> {
    let location = repository.require_git()?;
    let excluded = below_top(location, excluded);
    let mut status = Git::new(location, &[], "status");
    status.args([
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignore-submodules=dirty",
    ]);
    let answer = status.within(PATIENCE).answer()?;
    let entries = answer.split(|byte| *byte == 0);
    let entries = entries.filter_map(|entry| entry.get(3..));
    let counts = |name: &&[u8]| !excluded.iter().any(|one| one.holds(name, REGULAR));
    let entries = entries.filter(counts);
    Ok(entries
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect())
}

/// The commits in HEAD that were not made in this work tree and that `since` does not have, the newest first. `None` if
/// git does not know `since`.
pub(super) fn foreign_commits(
    repository: &Repository,
    since: &CommitId,
    most: usize,
) -> Result<Option<Vec<CommitNote>>, RepositoryError> {
    let location = repository.require_git()?;
    // No name or subject can contain a NUL, and none can know this word.
    let mark = mark();
    let mut log = Git::new(location, &[], "log");
    log.args([
        "-z",
        "--no-merges",
        "--no-renames",
        "--name-only",
        "--no-show-signature",
        &format!("--format=%x00{mark}%x00%H%x00%an%x00%s%x00"),
    ]);
    log.args([
        &format!("--max-count={most}"),
        &format!("{since}..HEAD"),
        "--",
    ]);
    let answer = match log.within(PATIENCE).answer() {
        Ok(answer) => answer,
        Err(RepositoryError::GitFailed { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let own = own_commits(location);
    let mut commits = parsed(&answer, &mark);
    commits.retain(|commit| !own.contains(commit.id.as_str()));
    Ok(Some(commits))
}

/// A word that nobody can foresee.
fn mark() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |now| now.as_nanos());
    let seed = format!("{nanos} {}", std::process::id());
    ContentHash::of(seed.as_bytes()).to_string()
}

/// The commits in an answer: each is the mark, the id, the author, the subject and its files.
fn parsed(answer: &[u8], mark: &str) -> Vec<CommitNote> {
    let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    let mut commits: Vec<CommitNote> = Vec::new();
    let parts = answer.split(|byte| *byte == 0);
    let mut parts = parts.map(|part| part.strip_prefix(b"\n").unwrap_or(part));
    while let Some(part) = parts.next() {
        if part == mark.as_bytes() {
            let id = parts.next().and_then(CommitId::from_ref);
            let (author, subject) = (parts.next(), parts.next());
            if let (Some(id), Some(author), Some(subject)) = (id, author, subject) {
                commits.push(CommitNote {
                    id,
                    author: text(author),
                    subject: text(subject),
                    files: Vec::new(),
                });
            }
        } else if let (false, Some(commit)) = (part.is_empty(), commits.last_mut()) {
            commit.files.push(text(part));
        }
    }
    commits
}

/// The commits made in this work tree: those that its reflog records as made, not as pulled.
fn own_commits(location: &Location) -> HashSet<String> {
    const MADE: [&[u8]; 4] = [b"commit", b"cherry-pick", b"revert", b"rebase"];
    let log = files::end_of(&location.git_dir.join("logs/HEAD"), LONGEST_REFLOG);
    let log = log.unwrap_or_default();
    let mut own = HashSet::new();
    for line in log.split(|byte| *byte == b'\n') {
        let Some(tab) = memchr::memchr(b'\t', line) else {
            continue;
        };
        let new = line[..tab].split(|byte| *byte == b' ').nth(1);
        if let (Some(new), true) = (
            new,
            MADE.iter().any(|word| line[tab + 1..].starts_with(word)),
        ) {
            own.insert(String::from_utf8_lossy(new).into_owned());
        }
    }
    own
}

/// The content of files at a commit, in the given order; `None` for those it does not have.
pub(super) fn contents_at(
    repository: &Repository,
    commit: &CommitId,
    names: &[String],
) -> Result<Vec<Option<Vec<u8>>>, RepositoryError> {
    let location = repository.require_git()?;
    let mut asked = Vec::new();
    for name in names {
        // A line break would be a second question.
        let name = name.replace('\n', " ");
        asked.extend_from_slice(format!("{commit}:{name}\n").as_bytes());
    }
    let mut read = Git::new(location, &[], "cat-file");
    read.args(["--batch"]);
    let answer = read.within(PATIENCE).answer_to(&asked)?;
    let mut rest = answer.as_slice();
    let mut contents = Vec::new();
    for _ in names {
        let Some(end) = memchr::memchr(b'\n', rest) else {
            return Err(read.unexpected(rest));
        };
        let (head, after) = (&rest[..end], &rest[end + 1..]);
        let words: Vec<&[u8]> = head.split(|byte| *byte == b' ').collect();
        let size = std::str::from_utf8(words.last().unwrap_or(&&b""[..])).ok();
        let size = size.and_then(|size| size.parse::<usize>().ok());
        match (size, head.ends_with(b" missing")) {
            (Some(size), false) if after.len() > size => {
                let is_text = words.get(1) == Some(&&b"blob"[..]) && size <= LARGEST_FILE;
                contents.push(is_text.then(|| after[..size].to_vec()));
                rest = &after[size + 1..];
            }
            _ => {
                contents.push(None);
                rest = after;
            }
        }
    }
    Ok(contents)
}

/// How many branches are looked at.
const MOST_BRANCHES: usize = 500;

/// For each file, a branch that has it, other than the one that is checked out.
pub(super) fn branches_with(
    repository: &Repository,
    names: &[String],
) -> Result<Vec<Option<String>>, RepositoryError> {
    let location = repository.require_git()?;
    let current = repository.head()?.branch;
    let mut branches = head::branches(location, MOST_BRANCHES)?;
    branches.retain(|branch| Some(branch) != current.as_ref());
    let prefix = location.prefix.to_string_lossy();
    let mut asked = Vec::new();
    for name in names {
        for branch in &branches {
            let path = match prefix.is_empty() {
                true => name.clone(),
                false => format!("{prefix}/{name}"),
            };
            asked.extend_from_slice(format!("refs/heads/{branch}:{path}\n").as_bytes());
        }
    }
    if asked.is_empty() {
        return Ok(vec![None; names.len()]);
    }
    let mut check = Git::new(location, &[], "cat-file");
    check.args(["--batch-check=%(objecttype)"]);
    let answer = check.within(PATIENCE).answer_to(&asked)?;
    let is_there: Vec<bool> = answer
        .split(|byte| *byte == b'\n')
        .map(|line| line == b"blob")
        .collect();
    let mut found = Vec::new();
    for number in 0..names.len() {
        let own = is_there.iter().skip(number * branches.len());
        let at = own.zip(&branches).find(|(is_there, _)| **is_there);
        found.push(at.map(|(_, branch)| branch.clone()));
    }
    Ok(found)
}
