//! What has changed around a piece of work: files that are not committed, commits that others made, and files as they
//! were.

use std::collections::HashSet;
use std::time::Duration;

use super::digest::below_top;
use super::exclusion::Exclusion;
use super::git::Git;
use super::objects::{Commit, Kind, Reader};
use super::{CommitId, Location, Repository, RepositoryError, files, head};

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
    /// What its message says besides the subject.
    pub body: String,
    /// The files it touched, relative to the top of the work tree.
    pub files: Vec<String>,
    /// The subject of a commit of this work tree that it takes back, at least in part.
    pub takes_back: Option<String>,
}

/// The commits of others that HEAD has beyond another commit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForeignCommits {
    /// The commits, the newest first.
    pub commits: Vec<CommitNote>,
    /// Whether the other commit is an ancestor of HEAD, or HEAD itself.
    pub is_ancestor: bool,
}

/// The mode of a regular file.
const REGULAR: u32 = 0o100_644;

/// A brief is not worth waiting longer for.
const PATIENCE: Duration = Duration::from_secs(3);

/// How much of a reflog is read, from its end.
const LONGEST_REFLOG: u64 = 1024 * 1024;

/// How much of a reflog has its last line.
const LAST_LINE: u64 = 4 * 1024;

/// Files larger than this are not searched for names.
const LARGEST_FILE: usize = 1024 * 1024;

/// The files of a work tree that are not committed, relative to its top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkTree {
    /// Those that differ from HEAD, and those that git does not track.
    pub changed: Vec<String>,
    /// Those with a conflict, whether excluded or not.
    pub unmerged: Vec<String>,
}

/// The files that differ from HEAD, and those that git does not track.
pub(super) fn uncommitted(
    repository: &Repository,
    excluded: &[Exclusion],
) -> Result<WorkTree, RepositoryError> {
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
    let mut found = WorkTree::default();
    for entry in answer.split(|byte| *byte == 0) {
        let (Some(code), Some(name)) = (entry.get(..2), entry.get(3..)) else {
            continue;
        };
        let text = String::from_utf8_lossy(name).into_owned();
        if code.contains(&b'U') || code == b"AA" || code == b"DD" {
            found.unmerged.push(text.clone());
        }
        if !excluded.iter().any(|one| one.holds(name, REGULAR)) {
            found.changed.push(text);
        }
    }
    Ok(found)
}

/// The commits in HEAD that were not made in this work tree and that `since` does not have, the newest first. `None` if
/// git does not know `since`.
pub(super) fn foreign_commits(
    repository: &Repository,
    since: &CommitId,
    most: usize,
) -> Result<Option<ForeignCommits>, RepositoryError> {
    let location = repository.require_git()?;
    let Some(head) = repository.head()?.commit else {
        return Ok(None);
    };
    let mut reader = Reader::new(location);
    let Some(beyond) = reader.since(since, &head)? else {
        return Ok(None);
    };
    let own = own_commits(location);
    let mut commits = Vec::new();
    let mut reverts = 0;
    let foreign = beyond.commits.into_iter();
    for commit in foreign
        .filter(|commit| !own.contains(commit.id.as_str()))
        .take(most)
    {
        let files = reader.files_of(&commit)?;
        let is_revert = [&commit.subject, &commit.body]
            .iter()
            .any(|text| text.to_lowercase().contains("revert"));
        let is_compared = commits.len() < MOST_COMPARED || (is_revert && reverts < MOST_COMPARED);
        reverts += usize::from(is_revert);
        let takes_back = match is_compared {
            true => taken_back(&reader, &commit, &files, &own)?,
            false => None,
        };
        commits.push(CommitNote {
            files,
            takes_back,
            body: commit.body,
            id: commit.id,
            author: commit.author,
            subject: commit.subject,
        });
    }
    Ok(Some(ForeignCommits {
        commits,
        is_ancestor: beyond.is_ancestor,
    }))
}

/// The commits made in this work tree: those that its reflog records as made, not as pulled.
fn own_commits(location: &Location) -> HashSet<String> {
    let log = files::end_of(&location.git_dir.join("logs/HEAD"), LONGEST_REFLOG);
    let log = log.unwrap_or_default();
    let mut own = HashSet::new();
    for line in log.split(|byte| *byte == b'\n') {
        let Some(tab) = memchr::memchr(b'\t', line) else {
            continue;
        };
        let new = line[..tab].split(|byte| *byte == b' ').nth(1);
        if let (Some(new), true) = (new, is_made(&line[tab + 1..])) {
            own.insert(String::from_utf8_lossy(new).into_owned());
        }
    }
    own
}

/// Whether the last thing that moved HEAD brought commits of others: a pull, a merge, a checkout or a reset.
pub(super) fn brought_by_others(repository: &Repository) -> bool {
    // Git is not run, so what it would read need not be looked at.
    let Some(location) = repository.location() else {
        return false;
    };
    let log = files::end_of(&location.git_dir.join("logs/HEAD"), LAST_LINE);
    let log = log.unwrap_or_default();
    let last = log.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
    let message = last.and_then(|line| {
        let tab = memchr::memchr(b'\t', line)?;
        Some(&line[tab + 1..])
    });
    message.is_some_and(|message| !is_made(message))
}

/// Whether a line of a reflog records a commit that was made, rather than one that was checked out, pulled or merged.
fn is_made(message: &[u8]) -> bool {
    const ALONE: [&[u8]; 3] = [b"commit", b"cherry-pick", b"revert"];
    // As in `rebase (pick): Subject` and `pull --rebase (pick): Subject`; `rebase (start)` checks out what others made.
    const STEPS: [&[u8]; 6] = [
        b"(pick)",
        b"(reword)",
        b"(edit)",
        b"(squash)",
        b"(fixup)",
        b"(continue)",
    ];
    let action = message
        .split(|byte| *byte == b':')
        .next()
        .unwrap_or(message);
    let is_step = STEPS.iter().any(|step| action.ends_with(step));
    is_step || ALONE.iter().any(|word| action.starts_with(word))
}

/// The content of files at a commit, in the given order; `None` for those it does not have.
pub(super) fn contents_at(
    repository: &Repository,
    commit: &CommitId,
    names: &[String],
) -> Result<Vec<Option<Vec<u8>>>, RepositoryError> {
    let reader = Reader::new(repository.require_git()?);
    let mut contents = Vec::new();
    for name in names {
        let found = reader.read(&format!("{commit}:{name}"))?;
        let is_text =
            |(kind, bytes): &(Kind, Vec<u8>)| *kind == Kind::Blob && bytes.len() <= LARGEST_FILE;
        contents.push(found.filter(is_text).map(|(_, bytes)| bytes));
    }
    Ok(contents)
}

/// How many commits of others, and how many files of each, are compared with earlier versions.
const MOST_COMPARED: usize = 3;

/// How many commits are looked at for earlier versions of a file.
const MOST_VERSIONS: usize = 20;

/// The subject of the commit that changed a file from what it is on disk to something else.
pub(super) fn undoes(
    repository: &Repository,
    name: &str,
) -> Result<Option<String>, RepositoryError> {
    let location = repository.require_git()?;
    let content = files::read_regular(&location.work_tree.join(name), LARGEST_FILE as u64).ok();
    let Some(content) = content.filter(|content| !content.is_empty()) else {
        return Ok(None);
    };
    let head = repository.head()?.commit;
    let undone = undone_by(&Reader::new(location), head, name, &content)?;
    Ok(undone.map(|commit| commit.subject))
}

/// The commit that changed a file from this content to something else, from a commit backwards.
fn undone_by(
    reader: &Reader<'_>,
    mut from: Option<CommitId>,
    name: &str,
    content: &[u8],
) -> Result<Option<Commit>, RepositoryError> {
    let mut newer: Option<Commit> = None;
    for _ in 0..MOST_VERSIONS {
        let commit = from.as_ref().map(|id| reader.commit(id)).transpose()?;
        let Some(commit) = commit.flatten() else {
            break;
        };
        let Some((Kind::Blob, version)) = reader.read(&format!("{}:{name}", commit.id))? else {
            break;
        };
        if version == content {
            return Ok(newer);
        }
        from = commit.parents.first().cloned();
        newer = Some(commit);
    }
    Ok(None)
}

/// The commit of this work tree that another one takes back: a file is as it was before it.
fn taken_back(
    reader: &Reader<'_>,
    commit: &Commit,
    files: &[String],
    own: &HashSet<String>,
) -> Result<Option<String>, RepositoryError> {
    let parent = commit.parents.first();
    for file in files.iter().take(MOST_COMPARED) {
        // A file that was removed says little about why it was added.
        let Some((Kind::Blob, now)) = reader.read(&format!("{}:{file}", commit.id))? else {
            continue;
        };
        let undone = undone_by(reader, parent.cloned(), file, &now)?;
        // Whoever takes back a revert brings the work back.
        let undone = undone.filter(|undone| !undone.subject.starts_with("Revert"));
        if let Some(undone) = undone.filter(|undone| own.contains(undone.id.as_str())) {
            return Ok(Some(undone.subject));
        }
    }
    Ok(None)
}

/// Whether HEAD has the directory of a file but not the file.
pub(super) fn is_left_out(
    repository: &Repository,
    name: &str,
    excluded: &[Exclusion],
) -> Result<bool, RepositoryError> {
    let location = repository.require_git()?;
    let mut excluded = excluded.iter();
    let is_excluded = excluded.any(|one| one.holds(name.as_bytes(), REGULAR));
    let Some(head) = repository.head()?.commit else {
        return Ok(false);
    };
    if is_excluded || location.prefix.components().next().is_some() {
        return Ok(false);
    }
    let reader = Reader::new(location);
    let directory = name.rsplit_once('/').map_or("", |(directory, _)| directory);
    // A submodule is not a directory.
    let known = reader.names_in(&head, directory)?;
    let own = name.rsplit('/').next().unwrap_or(name);
    Ok(known.is_some_and(|known| !known.contains(own)))
}

/// How many branches are looked at.
const MOST_BRANCHES: usize = 500;

/// How many branches that have the directory are asked for the file itself.
const MOST_ASKED: usize = 3;

/// A branch that has a file which HEAD does not have. The file is in a directory of its own, beside others that may be
/// asked for too.
pub(super) fn branch_with(
    repository: &Repository,
    name: &str,
) -> Result<Option<String>, RepositoryError> {
    let location = repository.require_git()?;
    let current = repository.head()?.branch;
    let path = location.prefix.join(name).to_string_lossy().into_owned();
    let mut parts = path.rsplitn(3, '/');
    let (Some(_), Some(own), Some(above)) = (parts.next(), parts.next(), parts.next()) else {
        return Ok(None);
    };
    let reader = Reader::new(location);
    let listing = reader.listing(above, || head::branches(location, MOST_BRANCHES))?;
    let others = listing.iter().filter(|(branch, names)| {
        current.as_deref() != Some(branch.short()) && names.contains(own)
    });
    let mut others = others.take(MOST_ASKED).peekable();
    let has = |commit: &str| {
        let found = reader.read(&format!("{commit}:{path}"))?;
        Ok::<_, RepositoryError>(found.is_some_and(|(kind, _)| kind == Kind::Blob))
    };
    if others.peek().is_none() || has("HEAD")? {
        return Ok(None);
    }
    for (branch, _) in others {
        if has(&branch.full())? {
            return Ok(Some(branch.short().to_owned()));
        }
    }
    Ok(None)
}
