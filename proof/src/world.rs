//! A throwaway repository, and the programs that run in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A time long ago, as in the names of archives.
const LONG_AGO: &str = "20200101T000000.000Z";

/// A repository with one commit, a home, and a copy of both to go back to.
pub(crate) struct World {
    _directory: Option<TempDir>,
    base: PathBuf,
    pub(crate) binary: PathBuf,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` if it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl World {
    /// A repository in a temporary directory.
    pub(crate) fn new(binary: &Path) -> Result<Self, String> {
        let directory = TempDir::with_prefix("proof-");
        let directory = directory.map_err(|error| format!("no temporary directory: {error}"))?;
        let base = directory.path().to_owned();
        Self::at(base, binary, Some(directory))
    }

    /// A repository in a directory that exists, such as a mounted file system.
    pub(crate) fn in_directory(base: &Path, binary: &Path) -> Result<Self, String> {
        Self::at(base.to_owned(), binary, None)
    }

    fn at(base: PathBuf, binary: &Path, directory: Option<TempDir>) -> Result<Self, String> {
        let world = Self {
            _directory: directory,
            base,
            binary: binary.to_owned(),
        };
        for name in ["repository", "home"] {
            made(fs::create_dir_all(world.base.join(name)))?;
        }
        world.git(&["init", "--quiet", "--initial-branch=main"])?;
        world.put("README.md", "hello\n")?;
        world.git(&["add", "."])?;
        world.git(&["commit", "--quiet", "--message", "first"])?;
        Ok(world)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.join("repository")
    }

    pub(crate) fn base(&self) -> &Path {
        &self.base
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn put(&self, name: &str, content: &str) -> Result<(), String> {
        let path = self.path(name);
        made(fs::create_dir_all(path.parent().unwrap_or(&path)))?;
        made(fs::write(path, content))
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// A program, which sees nothing of this machine's settings.
    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let home = self.base.join("home");
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(self.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("HOME", home)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_AUTHOR_NAME", "proof")
            .env("GIT_AUTHOR_EMAIL", "proof@example.invalid")
            .env("GIT_COMMITTER_NAME", "proof")
            .env("GIT_COMMITTER_EMAIL", "proof@example.invalid")
            .env("GIT_CEILING_DIRECTORIES", &self.base)
            // A hook that runs out of time hands its work to another process, which would still be at it.
            .env("CKPT_HOOK_DEADLINE_MS", "60000")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn git(&self, words: &[&str]) -> Result<(), String> {
        let ended = ended(self.command("git").args(words), None)?;
        match ended.code {
            Some(0) => Ok(()),
            _ => Err(format!("git {} failed: {}", words.join(" "), ended.stderr)),
        }
    }

    /// Runs `ckpt` with these words, split at spaces; a word in single quotes may have some.
    pub(crate) fn ckpt(&self, line: &str, input: Option<&str>) -> Result<Ended, String> {
        ended(self.command(&self.binary).args(words(line)), input)
    }

    /// Runs `ckpt`, which must succeed.
    pub(crate) fn must(&self, line: &str, input: Option<&str>) -> Result<String, String> {
        let ended = self.ckpt(line, input)?;
        match ended.code {
            Some(0) => Ok(ended.stdout),
            code => Err(format!(
                "ckpt {line} exited with {code:?}: {}",
                ended.stderr
            )),
        }
    }

    /// Keeps a copy of everything, to go back to.
    pub(crate) fn keep(&self) -> Result<(), String> {
        self.copy(&["repository", "home"], "kept", false)
    }

    /// Goes back to the copy.
    pub(crate) fn go_back(&self) -> Result<(), String> {
        self.copy(&["repository", "home"], "kept", true)
    }

    fn copy(&self, names: &[&str], kept: &str, back: bool) -> Result<(), String> {
        for name in names {
            let (here, there) = (self.base.join(name), self.base.join(kept).join(name));
            let (from, to) = if back { (there, here) } else { (here, there) };
            if to.exists() {
                made(fs::remove_dir_all(&to))?;
            }
            copy_tree(&from, &to).map_err(|error| format!("cannot copy: {error}"))?;
        }
        Ok(())
    }

    /// Files that a change leaves behind only if something went wrong.
    pub(crate) fn litter(&self) -> Vec<String> {
        let names = self.files().into_iter();
        let names = names.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        let is_litter = |name: &String| {
            name.ends_with(".ckpt-tmp") || name.contains(".orphan-") || name.starts_with(".key-")
        };
        names.filter(is_litter).collect()
    }

    /// Makes everything that was deleted look as if that had been long ago: the names of the archives say when it was.
    pub(crate) fn age_deleted(&self) -> Result<(), String> {
        for path in self.files() {
            let name = path.to_string_lossy();
            let stem = name.split_once(".20").filter(|_| name.contains("/trash/"));
            if let Some((stem, _)) = stem {
                made(fs::rename(&path, format!("{stem}.{LONG_AGO}.zst")))?;
            }
        }
        Ok(())
    }

    /// All files of the repository, those of git too.
    fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    true => folders.push(entry.path()),
                    false => found.push(entry.path()),
                }
            }
        }
        found
    }
}

fn made(result: std::io::Result<()>) -> Result<(), String> {
    result.map_err(|error| error.to_string())
}

fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_tree(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// Runs a program to its end.
pub(crate) fn ended(command: &mut Command, input: Option<&str>) -> Result<Ended, String> {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Err(format!("cannot run {command:?}: {error}")),
    };
    if let (Some(input), Some(mut pipe)) = (input, child.stdin.take()) {
        // It may have been killed before it read everything.
        let _ = pipe.write_all(input.as_bytes());
    }
    let output = child.wait_with_output();
    output.map(Ended::from).map_err(|error| error.to_string())
}

/// The words of a command line.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Members that each save sets anew, and what follows from git: if git cannot be asked, a checkpoint is saved without it.
const STAMPS: [&str; 14] = [
    "proof",
    "ship",
    "findings",
    "head_commit",
    "stale",
    "seal",
    "revision",
    "checksum",
    "epoch",
    "content",
    "duration_ms",
    "pid",
    "process",
    "started",
];

/// A value without what differs from run to run: members that each save sets anew, and times.
pub(crate) fn without_stamps(mut value: Value) -> Value {
    match &mut value {
        Value::Object(object) => {
            object.retain(|name, _| !STAMPS.contains(&name.as_str()));
            for (_, member) in object.iter_mut() {
                *member = without_stamps(member.take());
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = without_stamps(item.take());
            }
        }
        Value::String(text) => *text = without_times(text),
        _ => {}
    }
    value
}

/// A text in which each time, such as `2026-01-29T10:30:00.000Z`, is a `T`, and so is the time that the id of a plan
/// begins with.
fn without_times(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || "-:.TZ".contains(c);
    let is_time = |word: &str| {
        let is_id = word.len() == 12 && word.as_bytes()[6] == b'-' && word.ends_with('-');
        // In the name of a file, what follows it begins with a dot.
        is_id || word.contains('T') && word.trim_end_matches('.').ends_with('Z')
    };
    let mut words = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !is_part(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        words += before;
        words += if is_time(word) { "T" } else { word };
        rest = after;
    }
    words + rest
}
