//! The content digest: the tree id that committing everything would give, computed beside the repository.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::git::Git;
use super::scratch::Scratch;
use super::{Location, Repository, RepositoryError, commit, files, index, tree};

/// Names the content of a work tree: equal digests, equal content.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ContentDigest(String);

impl ContentDigest {
    /// The digest as hexadecimal text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A digest of nothing in particular.
    #[cfg(test)]
    pub(crate) fn of_test(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for ContentDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl AsRef<str> for ContentDigest {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// What is set for every command that works on the copy of the index.
///
/// A file system monitor would be started or asked, a split index would put its shared part into the
/// real git directory, and hooks would be told of a change that did not happen. The rest is speed,
/// since nothing written here outlives the operation, and keeps warnings from being failures.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.splitIndex=false",
    "core.hooksPath=/dev/null",
    "core.safecrlf=false",
    "add.ignoreErrors=false",
    "index.skipHash=true",
    "core.fsync=none",
    "core.looseCompression=0",
    // Blobs beyond the threshold go into one pack instead of a file each.
    "core.bigFileThreshold=1",
];

pub(super) fn compute(
    repository: &Repository,
    excluded: &[&str],
) -> Result<ContentDigest, RepositoryError> {
    let location = repository.require_git()?;
    let excluded: Vec<PathBuf> = excluded
        .iter()
        .filter_map(|path| below_top(location, path))
        .collect();
    let workshop = Workshop::open(location, &excluded)?;
    // To hold every path against the exclusions takes longer than all the rest together, so they are
    // added with the rest and left out afterwards. Something in there may be out of reach, though.
    if workshop.add_everything().is_err() {
        workshop.forget(&excluded)?;
        workshop.add_everything_but(&excluded)?;
    }
    if let Some(digest) = workshop.tree_without(&excluded)? {
        return Ok(digest);
    }
    workshop.forget(&excluded)?;
    workshop.write_tree()
}

/// An excluded path relative to the top of the work tree.
fn below_top(location: &Location, path: &str) -> Option<PathBuf> {
    let path = path.trim_matches('/');
    // The root cannot be excluded from itself.
    (!matches!(path, "" | ".")).then(|| location.prefix.join(path).components().collect())
}

/// A copy of the index with an object store of its own.
struct Workshop<'a> {
    location: &'a Location,
    scratch: Scratch,
    object_store: PathBuf,
    /// Passed where git would otherwise refuse what lies outside the sparse checkout. Unknown to git before 2.34, which
    /// does not refuse, so it is left off where it is not needed.
    sparse: Option<&'static str>,
}

impl<'a> Workshop<'a> {
    fn open(location: &'a Location, excluded: &[PathBuf]) -> Result<Self, RepositoryError> {
        // Sandboxes often make the git directory read-only. An excluded directory does as well: what is in there does
        // not count.
        let spare: Vec<PathBuf> = excluded
            .iter()
            .map(|path| location.work_tree.join(path))
            .collect();
        let mut parents = vec![location.git_dir.as_path()];
        parents.extend(
            spare
                .iter()
                .map(PathBuf::as_path)
                .filter(|path| path.is_dir()),
        );
        let scratch = Scratch::create(&parents)?;
        scratch.copy_index(location)?;
        let object_store = scratch.object_store(location)?;
        let is_sparse = location.git_dir.join("info/sparse-checkout").exists();
        Ok(Self {
            location,
            scratch,
            object_store,
            sparse: is_sparse.then_some("--sparse"),
        })
    }

    /// Takes the excluded paths out of the index. A process is spawned only where some of them are tracked.
    fn forget(&self, excluded: &[PathBuf]) -> Result<(), RepositoryError> {
        let names = names(excluded);
        if !index::may_track(&self.index()?, self.location.id_bytes, &names) {
            return Ok(());
        }
        // Forced, because git would protect staged content, and this index is a copy.
        self.git("rm")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .args(["-r", "-f", "-q", "--cached", "--ignore-unmatch"])
            .args(self.sparse)
            .args(["--"])
            .args(names.iter().map(|name| files::path_from_bytes(name)))
            .answer()?;
        Ok(())
    }

    fn add_everything(&self) -> Result<(), RepositoryError> {
        self.git("add").args(["-A"]).args(self.sparse).answer()?;
        Ok(())
    }

    fn add_everything_but(&self, excluded: &[PathBuf]) -> Result<(), RepositoryError> {
        self.git("add")
            .args(["-A"])
            .args(self.sparse)
            .args(["--", "."])
            .args(excluded.iter().flat_map(|path| exclusions(path)))
            .answer()?;
        Ok(())
    }

    /// The tree of the index, where it can be told without git.
    fn tree_without(&self, excluded: &[PathBuf]) -> Result<Option<ContentDigest>, RepositoryError> {
        let id = tree::id_of_index(&self.index()?, self.location.id_bytes, &names(excluded));
        Ok(id.map(ContentDigest))
    }

    fn index(&self) -> Result<Vec<u8>, RepositoryError> {
        Ok(files::read_if_present(&self.scratch.index())?.unwrap_or_default())
    }

    fn write_tree(&self) -> Result<ContentDigest, RepositoryError> {
        let mut command = self.git("write-tree");
        // Looking for every object would take time, and in a partial clone fetch the missing ones.
        let answer = command.args(["--missing-ok"]).answer()?;
        let id = answer.trim_ascii_end();
        match std::str::from_utf8(id) {
            Ok(text) if commit::is_object_id(id) => Ok(ContentDigest(text.to_owned())),
            _ => Err(command.unexpected(&answer)),
        }
    }

    fn git(&self, verb: &'static str) -> Git<'a> {
        let mut git = Git::new(self.location, SETTINGS, verb);
        git.env("GIT_INDEX_FILE", self.scratch.index())
            .env("GIT_OBJECT_DIRECTORY", &self.object_store);
        git
    }
}

fn names(paths: &[PathBuf]) -> Vec<Vec<u8>> {
    paths
        .iter()
        .map(|path| files::bytes_from_path(path))
        .collect()
}

/// The pathspecs that exclude a path and all below it.
///
/// The first character is bracketed or escaped because of a trap: `git add` fails when an exclusion
/// names an ignored path outright, as if the path were to be added. An exclusion that begins with a
/// pattern is not held against the ignore rules.
fn exclusions(path: &Path) -> [OsString; 2] {
    let mut pattern = b":(top,exclude,glob)".to_vec();
    let name = files::bytes_from_path(path);
    for (position, &byte) in name.iter().enumerate() {
        match byte {
            b'*' | b'?' | b'[' | b']' | b'\\' => pattern.extend_from_slice(&[b'\\', byte]),
            _ if position > 0 => pattern.push(byte),
            b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                pattern.extend_from_slice(&[b'[', byte, b']']);
            }
            _ => pattern.extend_from_slice(&[b'\\', byte]),
        }
    }
    let below = [&pattern[..], b"/**"].concat();
    [pattern, below].map(|bytes| files::path_from_bytes(&bytes).into_os_string())
}
