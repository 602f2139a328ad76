//! A directory with repositories, isolated from the machine's git configuration.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::super::{CommitId, ContentDigest, Environment, Exclusion, Repository};

/// What callers exclude from the digest.
pub(super) const EXCLUDED: &[&str] = &[".claude/state", "plans"];

pub(super) fn exclusions(paths: &[&str]) -> Vec<Exclusion> {
    paths.iter().map(|path| Exclusion::of(path)).collect()
}

pub(super) struct Sandbox {
    _directory: TempDir,
    root: PathBuf,
}

impl Sandbox {
    /// An empty directory outside any repository.
    pub(super) fn empty() -> Self {
        let directory = TempDir::new().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        Self {
            _directory: directory,
            root,
        }
    }

    /// A directory with a repository without commits at `repo`.
    pub(super) fn unborn() -> Self {
        let sandbox = Self::empty();
        sandbox.git_in(&sandbox.root, &["init", "-q", "-b", "main", "repo"]);
        sandbox
    }

    /// A directory with a repository at `repo` that has one commit with `file` and `dir/other`.
    pub(super) fn committed() -> Self {
        let sandbox = Self::unborn();
        sandbox.write("file", "one\n");
        sandbox.write("dir/other", "two\n");
        sandbox.commit("first");
        sandbox
    }

    /// The directory that contains everything.
    pub(super) fn top(&self) -> &Path {
        &self.root
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The repository's directory.
    pub(super) fn repo(&self) -> PathBuf {
        self.path("repo")
    }

    pub(super) fn discover(&self) -> Repository {
        discover(&self.repo())
    }

    pub(super) fn digest(&self) -> ContentDigest {
        self.discover()
            .content_digest(&exclusions(EXCLUDED))
            .unwrap()
    }

    /// Writes a file in the repository.
    pub(super) fn write(&self, name: &str, content: &str) {
        write(&self.repo().join(name), content);
    }

    pub(super) fn remove(&self, name: &str) {
        fs::remove_file(self.repo().join(name)).unwrap();
    }

    pub(super) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.repo(), args)
    }

    pub(super) fn git_in(&self, directory: &Path, args: &[&str]) -> String {
        let output = self.try_git_in(directory, args);
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    pub(super) fn try_git_in(&self, directory: &Path, args: &[&str]) -> Output {
        Command::new("git")
            .args([
                "-c",
                "protocol.file.allow=always",
                "-c",
                "advice.detachedHead=false",
            ])
            .args(args)
            .current_dir(directory)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_AUTHOR_NAME", "A")
            .env("GIT_AUTHOR_EMAIL", "a@example.com")
            .env("GIT_COMMITTER_NAME", "A")
            .env("GIT_COMMITTER_EMAIL", "a@example.com")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .unwrap()
    }

    /// Commits everything and returns the commit.
    pub(super) fn commit(&self, message: &str) -> CommitId {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.head_by_git()
    }

    pub(super) fn head_by_git(&self) -> CommitId {
        self.git(&["rev-parse", "HEAD"]).parse().unwrap()
    }

    /// Every file below the git directory, with its content.
    pub(super) fn git_files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.repo().join(".git"), &mut files);
        files
    }
}

pub(super) fn discover(start: &Path) -> Repository {
    Repository::discover(start, &Environment::default()).unwrap()
}

pub(super) fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn collect(directory: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
            files.insert(path, Vec::new());
        } else {
            let content = fs::read(&path).unwrap();
            files.insert(path, content);
        }
    }
}
