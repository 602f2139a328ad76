//! What has changed since a commit: how many commits, and which files of interest.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path};

use super::git::Git;
use super::scratch::Scratch;
use super::{CommitId, Location, Repository, RepositoryError, files};

/// The distance between a commit and the current work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drift {
    /// How many commits HEAD has that the commit does not. `None` if git no longer knows the commit, for example after
    /// a rebase and garbage collection; then nothing else is known either.
    pub commits: Option<u64>,
    /// How many commits were left behind: those that the commit has and HEAD does not. Above zero if history was
    /// rewritten or another branch was checked out.
    pub left_behind: u64,
    /// Those of the given files that differ between the commit and the work tree, relative to the root, in the given
    /// order. Deleted files count, and so do new ones, committed or not, unless they are ignored.
    pub changed_files: Vec<String>,
}

impl Drift {
    /// Whether HEAD no longer descends from the commit.
    pub fn has_diverged(&self) -> bool {
        self.left_behind > 0
    }
}

/// With more or longer paths than this, git is asked about the whole tree, because command lines are limited.
const MAX_PATHSPECS: usize = 256;
const MAX_PATHSPEC_BYTES: usize = 16 * 1024;

pub(super) fn measure(
    repository: &Repository,
    since: &CommitId,
    files: &[String],
) -> Result<Drift, RepositoryError> {
    let location = repository.require_git()?;
    let Some((left_behind, commits)) = count_commits(repository, location, since)? else {
        return Ok(Drift::default());
    };
    let mut wanted = Wanted::new(repository.root(), location, files);
    if !wanted.is_empty() {
        wanted.keep_changed(location, since)?;
    }
    Ok(Drift {
        commits: Some(commits),
        left_behind,
        changed_files: wanted.into_names(),
    })
}

/// Commits only in `since` and commits only in HEAD; `None` if git does not know `since`.
fn count_commits(
    repository: &Repository,
    location: &Location,
    since: &CommitId,
) -> Result<Option<(u64, u64)>, RepositoryError> {
    let head = repository.head()?.commit;
    if head.as_ref() == Some(since) {
        return Ok(Some((0, 0)));
    }
    let range = match &head {
        Some(head) => format!("{since}...{head}"),
        None => since.to_string(),
    };
    let mut count = Git::new(location, &[], "rev-list");
    // An unknown id is a valid answer; a partial clone must not go to the network for it.
    count
        .env("GIT_NO_LAZY_FETCH", "1")
        .args(["--left-right", "--count", &range, "--"]);
    let answer = match count.answer() {
        Ok(answer) => answer,
        Err(RepositoryError::GitFailed { .. }) if !is_known(location, since)? => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&answer);
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    match (&head, numbers.next(), numbers.next()) {
        (Some(_), Some(Ok(left)), Some(Ok(right))) => Ok(Some((left, right))),
        // Without HEAD there is only one side, and git counts it as the right one.
        (None, Some(Ok(left)), Some(Ok(right))) => Ok(Some((left + right, 0))),
        _ => Err(count.unexpected(&answer)),
    }
}

fn is_known(location: &Location, commit: &CommitId) -> Result<bool, RepositoryError> {
    Git::new(location, &[], "cat-file")
        .env("GIT_NO_LAZY_FETCH", "1")
        .args(["-e", &format!("{commit}^{{commit}}")])
        .succeeds()
}

/// The files to compare.
struct Wanted {
    /// Relative to the root, as the caller sees it, and relative to the work tree, as git does.
    files: Vec<(String, Vec<u8>)>,
}

impl Wanted {
    fn new(root: &Path, location: &Location, files: &[String]) -> Self {
        let resolved_root = location.work_tree.join(&location.prefix);
        let mut seen = BTreeSet::new();
        let mut wanted = Vec::new();
        for file in files {
            let Some(name) = relative(Path::new(file), &[root, &resolved_root]) else {
                continue;
            };
            if seen.insert(name.clone()) {
                let path = files::bytes_from_path(&location.prefix.join(&name));
                wanted.push((name, path));
            }
        }
        Self { files: wanted }
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn into_names(self) -> Vec<String> {
        self.files.into_iter().map(|(name, _)| name).collect()
    }

    fn keep_changed(
        &mut self,
        location: &Location,
        since: &CommitId,
    ) -> Result<(), RepositoryError> {
        let pathspecs = self.pathspecs();
        let mut changed = changed_since(location, since, &pathspecs)?;
        let mut untracked = Git::new(location, &["core.fsmonitor=false"], "ls-files");
        untracked
            .env("GIT_LITERAL_PATHSPECS", "1")
            .args(["-z", "--others", "--exclude-standard", "--"])
            .args(&pathspecs);
        changed.extend(names(&untracked.answer()?));
        self.files.retain(|(_, path)| holds(&changed, path));
        Ok(())
    }

    /// Empty, meaning everything, if there are too many for a command line.
    fn pathspecs(&self) -> Vec<OsString> {
        let bytes: usize = self.files.iter().map(|(_, path)| path.len() + 1).sum();
        if self.files.len() > MAX_PATHSPECS || bytes > MAX_PATHSPEC_BYTES {
            return Vec::new();
        }
        self.files
            .iter()
            .map(|(_, path)| files::path_from_bytes(path).into_os_string())
            .collect()
    }
}

/// Tracked files that differ between the commit and the work tree.
fn changed_since(
    location: &Location,
    since: &CommitId,
    pathspecs: &[OsString],
) -> Result<BTreeSet<Vec<u8>>, RepositoryError> {
    // `git diff` refreshes the index, whatever `GIT_OPTIONAL_LOCKS` says; without the refresh it reports files that
    // were only touched. So it works on a copy. If none can be made because the git directory is read-only, the index
    // is safe anyway.
    let scratch = Scratch::create(&[&location.git_dir]).ok();
    let settings = [
        "core.fsmonitor=false",
        "core.splitIndex=false",
        "core.hooksPath=/dev/null",
        "diff.autoRefreshIndex=true",
    ];
    let mut diff = Git::new(location, &settings, "diff");
    if let Some(scratch) = &scratch {
        scratch.copy_index(location)?;
        diff.env("GIT_INDEX_FILE", scratch.index());
    }
    diff.env("GIT_LITERAL_PATHSPECS", "1")
        .args([
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-color",
        ])
        .args(["--ignore-submodules=dirty", since.as_str(), "--"])
        .args(pathspecs);
    Ok(names(&diff.answer()?).collect())
}

/// The entries of a NUL-terminated list.
fn names(list: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    list.split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| name.strip_suffix(b"/").unwrap_or(name).to_vec())
}

/// Whether the path, or anything below it, is among the changed ones.
fn holds(changed: &BTreeSet<Vec<u8>>, path: &[u8]) -> bool {
    let below = [path, b"/"].concat();
    changed.contains(path)
        || changed
            .range(below.clone()..)
            .next()
            .is_some_and(|name| name.starts_with(&below))
}

/// The file relative to the root, with `/` as separator; `None` if it is the root itself or outside.
fn relative(file: &Path, roots: &[&Path]) -> Option<String> {
    let file = if file.is_absolute() {
        roots.iter().find_map(|root| file.strip_prefix(root).ok())?
    } else {
        file
    };
    let mut parts: Vec<&str> = Vec::new();
    for component in file.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
