//! Reading HEAD directly: loose refs, packed refs, symbolic refs. Reftables are left to git.

use std::fs;
use std::path::{Path, PathBuf};

use super::git::Git;
use super::{CommitId, Location, RepositoryError, files};

/// What is checked out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The commit; `None` before the first commit and outside git.
    pub commit: Option<CommitId>,
    /// The branch without `refs/heads/`; `None` if HEAD is detached and outside git.
    pub branch: Option<String>,
}

/// How many symbolic refs git follows.
const MAX_HOPS: usize = 5;

/// What HEAD names in a repository that uses reftables, so that old readers fail instead of misreading it.
const REFTABLE_STUB: &str = "refs/heads/.invalid";

const HEAD: &str = "HEAD";

enum Value {
    Commit(CommitId),
    Symbolic(String),
    Missing,
}

pub(super) fn read(location: &Location) -> Result<Head, RepositoryError> {
    let mut name = HEAD.to_owned();
    for _ in 0..=MAX_HOPS {
        let commit = match look_up(location, &name)? {
            Value::Symbolic(target) if target == REFTABLE_STUB => return ask_git(location),
            Value::Symbolic(target) => {
                if !is_safe(&target) {
                    return Err(RepositoryError::UnsafeRef {
                        path: file_of(location, &name),
                        name: target,
                    });
                }
                name = target;
                continue;
            }
            Value::Commit(id) => Some(id),
            Value::Missing if name == HEAD => {
                return Err(RepositoryError::MalformedRef {
                    path: file_of(location, HEAD),
                });
            }
            Value::Missing => None,
        };
        return Ok(Head {
            commit,
            branch: branch_of(&name),
        });
    }
    Err(RepositoryError::RefLoop {
        path: file_of(location, HEAD),
    })
}

fn branch_of(name: &str) -> Option<String> {
    name.strip_prefix("refs/heads/").map(str::to_owned)
}

fn look_up(location: &Location, name: &str) -> Result<Value, RepositoryError> {
    let path = file_of(location, name);
    let Some(bytes) = files::read_if_present(&path)? else {
        if let Some(target) = link_target(name, &path) {
            return Ok(Value::Symbolic(target));
        }
        return if is_per_worktree(name) {
            Ok(Value::Missing)
        } else {
            packed(location, name)
        };
    };
    let text = bytes.trim_ascii_end();
    if let Some(target) = text.strip_prefix(b"ref:") {
        return Ok(Value::Symbolic(
            String::from_utf8_lossy(target.trim_ascii()).into_owned(),
        ));
    }
    match CommitId::from_ref(text) {
        // Reading followed the link, so only the link itself names the branch.
        Some(id) => Ok(link_target(name, &path).map_or(Value::Commit(id), Value::Symbolic)),
        None => Err(RepositoryError::MalformedRef { path }),
    }
}

/// Old versions of git made HEAD a symbolic link to the branch's file.
fn link_target(name: &str, path: &Path) -> Option<String> {
    if name != HEAD {
        return None;
    }
    let target = fs::read_link(path).ok()?;
    let target = target.to_str()?;
    target.starts_with("refs/").then(|| target.to_owned())
}

fn packed(location: &Location, name: &str) -> Result<Value, RepositoryError> {
    let path = location.common_dir.join("packed-refs");
    let Some(bytes) = files::read_if_present(&path)? else {
        return Ok(Value::Missing);
    };
    for line in bytes.split(|byte| *byte == b'\n') {
        // `#` starts the header, `^` the commit that the tag on the line above points to.
        if matches!(line.first(), None | Some(b'#' | b'^')) {
            continue;
        }
        let Some(id) = line
            .strip_suffix(name.as_bytes())
            .and_then(|rest| rest.strip_suffix(b" "))
        else {
            continue;
        };
        // A ref name cannot contain a space, so a line that ends in ` <name>` is this ref's line, or damaged.
        return CommitId::from_ref(id)
            .map(Value::Commit)
            .ok_or(RepositoryError::MalformedRef { path });
    }
    Ok(Value::Missing)
}

/// A branch here, or one that a remote had.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Branch {
    Local(String),
    /// With the name of the remote.
    Remote(String),
}

impl Branch {
    /// The name of its ref.
    pub(super) fn full(&self) -> String {
        match self {
            Self::Local(name) => format!("{HEADS}{name}"),
            Self::Remote(name) => format!("{REMOTES}{name}"),
        }
    }

    /// The name that it has here, or would have.
    pub(super) fn short(&self) -> &str {
        match self {
            Self::Local(name) => name,
            Self::Remote(name) => name.split_once('/').map_or(name, |(_, name)| name),
        }
    }
}

const HEADS: &str = "refs/heads/";
const REMOTES: &str = "refs/remotes/";

/// The commit that a local branch is at.
pub(super) fn tip(location: &Location, branch: &str) -> Option<CommitId> {
    let name = format!("{HEADS}{branch}");
    match is_safe(&name).then(|| look_up(location, &name))? {
        Ok(Value::Commit(id)) => Some(id),
        Ok(Value::Symbolic(_) | Value::Missing) | Err(_) => None,
    }
}

/// The branches, local ones first.
pub(super) fn branches(location: &Location, most: usize) -> Result<Vec<Branch>, RepositoryError> {
    let mut names = Vec::new();
    for top in [HEADS, REMOTES] {
        let mut found = Vec::new();
        let directory = location.common_dir.join(top);
        collect(&directory, &directory, most, &mut found);
        names.extend(found.into_iter().map(|name| format!("{top}{name}")));
    }
    let packed = files::read_if_present(&location.common_dir.join("packed-refs"))?;
    for line in packed.unwrap_or_default().split(|byte| *byte == b'\n') {
        let name = memchr::memchr(b' ', line).map(|at| &line[at + 1..]);
        let name = name.and_then(|name| std::str::from_utf8(name).ok());
        names.extend(name.map(str::to_owned));
    }
    names.retain(|name| is_safe(name) && !name.ends_with("/HEAD"));
    let branches = names.into_iter().filter_map(|name| {
        let local = name.strip_prefix(HEADS);
        let remote = name.strip_prefix(REMOTES);
        let local = local.map(|name| Branch::Local(name.to_owned()));
        local.or_else(|| remote.map(|name| Branch::Remote(name.to_owned())))
    });
    let mut branches: Vec<Branch> = branches.collect();
    branches.sort_unstable();
    branches.dedup();
    branches.truncate(most);
    Ok(branches)
}

/// Adds the names of the files below a directory, without following links.
fn collect(top: &Path, directory: &Path, most: usize, found: &mut Vec<String>) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        if found.len() >= most {
            return;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(top, &path, most, found),
            Ok(kind) if kind.is_file() => {
                let name = path.strip_prefix(top).ok().and_then(Path::to_str);
                found.extend(name.map(str::to_owned));
            }
            _ => {}
        }
    }
}

fn file_of(location: &Location, name: &str) -> PathBuf {
    if is_per_worktree(name) {
        location.git_dir.join(name)
    } else {
        location.common_dir.join(name)
    }
}

fn is_per_worktree(name: &str) -> bool {
    name == HEAD
        || ["refs/bisect/", "refs/worktree/", "refs/rewritten/"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// Whether the name stays below `refs/` when used as a path.
fn is_safe(name: &str) -> bool {
    name.starts_with("refs/")
        && !name.contains(|character: char| {
            character.is_control() || matches!(character, '\\' | ':' | ' ')
        })
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.'))
}

fn ask_git(location: &Location) -> Result<Head, RepositoryError> {
    let mut symbolic = Git::new(location, &[], "symbolic-ref");
    symbolic.args(["-q", HEAD]);
    let branch = match symbolic.answer_or_no()? {
        Some(name) => branch_of(&String::from_utf8_lossy(name.trim_ascii_end())),
        None => None,
    };
    let mut resolve = Git::new(location, &[], "rev-parse");
    resolve.args(["-q", "--verify", HEAD]);
    let commit = match resolve.answer_or_no()? {
        Some(id) => Some(resolve.commit_id(&id)?),
        None => None,
    };
    Ok(Head { commit, branch })
}
