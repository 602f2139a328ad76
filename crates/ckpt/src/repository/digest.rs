//! The content digest: the tree id that committing everything would give, computed without touching the repository.

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::exclusion::Exclusion;
use super::git::Git;
use super::scratch::Scratch;
use super::{CommitId, Location, Repository, RepositoryError, commit, files, index, tree};

/// Identifies the content of a work tree: equal digests mean equal content.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ContentDigest(String);

impl ContentDigest {
    /// The digest as hexadecimal text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// An arbitrary digest.
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

/// Settings for every command that works on the copy of the index.
///
/// A file system monitor would be started or queried, a split index would write its shared part into the real git
/// directory, and hooks would see a change that did not happen. The other settings are for speed, since nothing written
/// here outlives the operation, and keep warnings from becoming failures.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.splitIndex=false",
    "core.hooksPath=/dev/null",
    "core.safecrlf=false",
    "add.ignoreErrors=false",
    "index.skipHash=true",
    "core.fsync=none",
    "core.looseCompression=0",
    // Blobs above the threshold go into one pack instead of a file each.
    "core.bigFileThreshold=1",
];

/// The content of a work tree.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ContentListing {
    /// Its digest.
    pub digest: ContentDigest,
    /// The files in it that git does not track yet; empty unless asked for.
    pub untracked: Vec<String>,
    /// Its files, each with the id and mode of its content, in order of their names; empty unless asked for.
    pub files: Vec<(String, String)>,
}

/// The digest of the work tree and, if wanted, its files.
pub(super) fn compute(
    repository: &Repository,
    excluded: &[Exclusion],
    detail: Detail,
) -> Result<ContentListing, RepositoryError> {
    let location = repository.require_git()?;
    let excluded = below_top(location, excluded);
    let workshop = Workshop::open(location, &excluded)?;
    workshop.take_index()?;
    let before = match detail {
        Detail::Files => workshop.index()?,
        Detail::Digest => Vec::new(),
    };
    // Checking every path against the exclusions takes longer than everything else together, so excluded files are
    // added too and dropped afterwards. But some of them may be unreadable.
    let submodules = workshop.hold_submodules()?;
    match workshop.add_everything() {
        Err(RepositoryError::GitFailed { .. }) => {
            workshop.forget(&excluded)?;
            workshop.add_everything_but(&excluded)?;
        }
        added => added?,
    }
    workshop.add_submodules(&submodules)?;
    let (untracked, files) = match detail {
        Detail::Files => (
            workshop.added_since(&before, &excluded)?,
            workshop.files(&excluded)?,
        ),
        Detail::Digest => (Vec::new(), Vec::new()),
    };
    Ok(ContentListing {
        digest: workshop.digest_without(&excluded)?,
        untracked,
        files,
    })
}

/// The digest of a commit's content.
pub(super) fn of_commit(
    repository: &Repository,
    commit: &CommitId,
    excluded: &[Exclusion],
) -> Result<ContentDigest, RepositoryError> {
    let location = repository.require_git()?;
    let excluded = below_top(location, excluded);
    let workshop = Workshop::open(location, &excluded)?;
    workshop.read_tree(commit)?;
    workshop.digest_without(&excluded)
}

/// How much to tell about the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    Digest,
    Files,
}

/// The exclusions, relative to the top of the work tree.
pub(super) fn below_top(location: &Location, excluded: &[Exclusion]) -> Vec<Exclusion> {
    let excluded = excluded.iter();
    excluded
        .filter_map(|one| one.below(&location.prefix))
        .collect()
}

/// The mode and name in a line of `git ls-files --stage`.
fn staged(line: &[u8]) -> Option<(u32, &[u8])> {
    let tab = memchr::memchr(b'\t', line)?;
    let mode = std::str::from_utf8(line.get(..6)?).ok()?;
    let mode = u32::from_str_radix(mode, 8).ok()?;
    Some((mode, &line[tab + 1..]))
}

/// A copy of the index with its own object store.
struct Workshop<'a> {
    location: &'a Location,
    scratch: Scratch,
    object_store: PathBuf,
    /// Passed where git would otherwise refuse files outside the sparse checkout. Git before 2.34 does not know the
    /// option and does not refuse, so it is omitted where it is not needed.
    sparse: Option<&'static str>,
}

impl<'a> Workshop<'a> {
    fn open(location: &'a Location, excluded: &[Exclusion]) -> Result<Self, RepositoryError> {
        // Sandboxes often make the git directory read-only. An excluded directory works too, because its content does
        // not count.
        let spare = excluded.iter().filter_map(Exclusion::directory);
        let spare: Vec<PathBuf> = spare.map(|path| location.work_tree.join(path)).collect();
        let mut parents = vec![location.git_dir.as_path()];
        let is_directory = |path: &&Path| {
            let way = path.ancestors();
            let mut way = way.take_while(|above| *above != location.work_tree);
            way.all(files::is_directory)
        };
        parents.extend(spare.iter().map(PathBuf::as_path).filter(is_directory));
        let scratch = Scratch::create(&parents)?;
        let object_store = scratch.object_store(location)?;
        let is_sparse = location.git_dir.join("info/sparse-checkout").exists();
        Ok(Self {
            location,
            scratch,
            object_store,
            sparse: is_sparse.then_some("--sparse"),
        })
    }

    /// Copies the index, complete and with no file hidden.
    fn take_index(&self) -> Result<(), RepositoryError> {
        self.scratch.copy_index(self.location)?;
        if index::is_whole(&self.index()?, self.location.id_bytes) {
            return Ok(());
        }
        let mut update = self.git("update-index");
        update.args(["--no-split-index"]).answer()?;
        self.scratch.unhide(self.location)?;
        // In an index that we cannot parse, we cannot find hidden files or submodules.
        match index::is_whole(&self.index()?, self.location.id_bytes) {
            true => Ok(()),
            false => Err(RepositoryError::UnknownIndex {
                path: self.location.git_dir.join("index"),
            }),
        }
    }

    /// Keeps git out of the submodules and returns their names: `git add` would ask each for its state, running the
    /// programs that its settings name.
    fn hold_submodules(&self) -> Result<Vec<u8>, RepositoryError> {
        let hold = |bytes: &mut [u8]| index::hold_submodules(bytes, self.location.id_bytes);
        let held = self.scratch.edit_index(hold)?;
        Ok(held.flatten().unwrap_or_default())
    }

    /// Adds the commits that the submodules have checked out. Only their HEAD is read.
    fn add_submodules(&self, names: &[u8]) -> Result<(), RepositoryError> {
        if names.is_empty() {
            return Ok(());
        }
        self.scratch.unhide(self.location)?;
        let mut update = self.git("update-index");
        update.args(["-z", "--remove", "--stdin"]);
        update.answer_to(names).map(drop)
    }

    /// Removes excluded files from the index. Spawns git only if some of them are tracked.
    fn forget(&self, excluded: &[Exclusion]) -> Result<(), RepositoryError> {
        if !index::may_track(&self.index()?, self.location.id_bytes, excluded) {
            return Ok(());
        }
        let listed = self.git("ls-files").args(["-z", "--stage"]).answer()?;
        let mut names = Vec::new();
        for (mode, name) in listed.split(|byte| *byte == 0).filter_map(staged) {
            if excluded.iter().any(|one| one.holds(name, mode)) {
                names.extend_from_slice(name);
                names.push(0);
            }
        }
        let mut update = self.git("update-index");
        update.args(["-z", "--force-remove", "--stdin"]);
        update.answer_to(&names).map(drop)
    }

    fn add_everything(&self) -> Result<(), RepositoryError> {
        self.git("add").args(["-A"]).args(self.sparse).answer()?;
        Ok(())
    }

    fn add_everything_but(&self, excluded: &[Exclusion]) -> Result<(), RepositoryError> {
        let pathspecs = excluded.iter().filter_map(Exclusion::pattern);
        let pathspecs = pathspecs.flat_map(|pattern| {
            let pattern = [&b":(top,exclude,glob)"[..], &pattern].concat();
            let below = [&pattern[..], b"/**"].concat();
            [pattern, below].map(|bytes| files::path_from_bytes(&bytes).into_os_string())
        });
        self.git("add")
            .args(["-A"])
            .args(self.sparse)
            .args(["--", "."])
            .args(pathspecs)
            .answer()?;
        Ok(())
    }

    fn read_tree(&self, commit: &CommitId) -> Result<(), RepositoryError> {
        let tree = format!("{commit}^{{tree}}");
        self.git("read-tree").args(["--", &tree]).answer()?;
        Ok(())
    }

    /// The files added to the index since `before`, without excluded ones.
    fn added_since(
        &self,
        before: &[u8],
        excluded: &[Exclusion],
    ) -> Result<Vec<String>, RepositoryError> {
        let added = index::added(before, &self.index()?, self.location.id_bytes, excluded);
        let added = added.unwrap_or_default().into_iter();
        Ok(added
            .map(|name| String::from_utf8_lossy(&name).into_owned())
            .collect())
    }

    /// All files, each with the id and mode of its content.
    fn files(&self, excluded: &[Exclusion]) -> Result<Vec<(String, String)>, RepositoryError> {
        let mut files = Vec::new();
        let index = self.index()?;
        let seen = index::visit(&index, self.location.id_bytes, |entry| {
            if excluded.iter().any(|one| one.holds(entry.name, entry.mode)) {
                return;
            }
            let mut id = format!("{:o}-", entry.mode);
            for byte in entry.id {
                let _ = write!(id, "{byte:02x}");
            }
            files.push((String::from_utf8_lossy(entry.name).into_owned(), id));
        });
        Ok(seen.map(|()| files).unwrap_or_default())
    }

    fn digest_without(&self, excluded: &[Exclusion]) -> Result<ContentDigest, RepositoryError> {
        let id = tree::id_of_index(&self.index()?, self.location.id_bytes, excluded);
        match id {
            Some(id) => Ok(ContentDigest(id)),
            None => {
                self.forget(excluded)?;
                self.write_tree()
            }
        }
    }

    fn index(&self) -> Result<Vec<u8>, RepositoryError> {
        Ok(files::read_index(&self.scratch.index())?.unwrap_or_default())
    }

    fn write_tree(&self) -> Result<ContentDigest, RepositoryError> {
        let mut command = self.git("write-tree");
        // Checking that every object exists takes time, and in a partial clone would fetch the missing ones.
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
