//! A world for one test: a temporary directory with a home and a repository, and an environment without anything from
//! the user who runs the test.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ckpt::document::Document;
use ckpt::seal::{Domain, SealKey, Seals};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::tree;

/// The program under test.
pub(crate) const CKPT: &str = env!("CARGO_BIN_EXE_ckpt");

/// The document of `implement/auth`.
pub(crate) const AUTH: &str = ".claude/state/implement-auth.json";

/// A temporary directory with a home and, in most tests, a git repository with one commit.
pub(crate) struct Environment {
    _directory: TempDir,
    base: PathBuf,
    root: PathBuf,
    variables: Vec<(String, String)>,
}

impl Environment {
    /// With a git repository that has one commit, of `README.md`.
    pub(crate) fn new() -> Self {
        let environment = Self::without_git();
        environment.git(&["init", "--quiet", "--initial-branch=main"]);
        environment.write("README.md", "hello\n");
        environment.commit("first");
        environment
    }

    /// With `implement/auth` started.
    pub(crate) fn started() -> Self {
        let environment = Self::new();
        environment.ckpt(&["start", "implement", "auth"]).exits(0);
        environment
    }

    /// With `implement/auth` started, in these phases.
    pub(crate) fn started_with(phases: &str) -> Self {
        let environment = Self::new();
        environment
            .ckpt(&["start", "implement", "auth", "--phases", phases])
            .exits(0);
        environment
    }

    /// With a phase of `implement/auth` done.
    pub(crate) fn worked_on() -> Self {
        let environment = Self::started();
        let phase = [
            "phase",
            "implement/auth",
            "implementation",
            "complete",
            "--summary",
            "It works",
        ];
        environment.ckpt(&phase).exits(0);
        environment
    }

    /// With a phase of `implement/auth` done, and a commit and an edit since.
    pub(crate) fn moved_on() -> Self {
        let environment = Self::started();
        environment.write("src/a.rs", "");
        let phase = [
            "phase",
            "implement/auth",
            "implementation",
            "complete",
            "--created",
            "src/a.rs",
        ];
        environment.ckpt(&phase).exits(0);
        environment.commit("moved on");
        environment.write("src/a.rs", "changed");
        environment
    }

    /// With a plain directory instead of a repository.
    pub(crate) fn without_git() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let root = base.join("repository");
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(base.join("home")).unwrap();
        Self {
            _directory: directory,
            base,
            root,
            variables: Vec::new(),
        }
    }

    /// The same world with one more variable for every program.
    pub(crate) fn with_variable(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        let value = value.as_ref().to_str().unwrap().to_owned();
        self.variables.push((name.to_owned(), value));
        self
    }

    /// The top of the repository.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The directory around repository and home.
    pub(crate) fn base(&self) -> &Path {
        &self.base
    }

    /// A path in the repository.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// A path in the state directory.
    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.path(".claude/state").join(name)
    }

    /// Removes the copies of histories, so that nothing can be brought back from them.
    pub(crate) fn without_copies(&self) {
        let _ = std::fs::remove_dir_all(self.path(".git/ckpt/mirror"));
    }

    /// The user's own settings file.
    pub(crate) fn user_settings(&self) -> PathBuf {
        self.base.join("home/.config/ckpt/config.json")
    }

    /// A program in this world, at the top of the repository.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let home = self.base.join("home");
        command
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("HOME", home)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", &self.base)
            // On a busy machine a hook would run out of time and hand its work on, too late for the test.
            .env("CKPT_HOOK_DEADLINE_MS", "60000")
            .envs(self.variables.iter().cloned())
            .stdin(Stdio::null());
        command
    }

    /// Runs `ckpt`.
    pub(crate) fn ckpt(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(CKPT).args(arguments))
    }

    /// Completes the phase `plan` of `implement/auth`.
    pub(crate) fn complete_plan_phase(&self, summary: &str) {
        let phase = ["phase", "implement/auth", "plan", "complete"];
        self.ckpt(&[&phase[..], &["--summary", summary]].concat())
            .exits(0);
    }

    /// A linked worktree on a branch of its own.
    pub(crate) fn linked_worktree(&self) -> PathBuf {
        let tree = self.base().join("tree");
        let path = tree.to_str().unwrap();
        self.git(&["worktree", "add", "--quiet", "-b", "side", path]);
        tree
    }

    /// Runs `ckpt` in a directory below the repository's top, or anywhere.
    pub(crate) fn ckpt_in(&self, directory: impl AsRef<Path>, arguments: &[&str]) -> Run {
        let directory = self.root.join(directory);
        Run::of(self.command(CKPT).args(arguments).current_dir(directory))
    }

    /// Runs `ckpt` with something on standard input.
    pub(crate) fn ckpt_reading(&self, input: impl AsRef<[u8]>, arguments: &[&str]) -> Run {
        Run::reading(self.command(CKPT).args(arguments), input.as_ref())
    }

    /// Runs git, which must succeed, and returns what it printed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_in(".", arguments)
    }

    /// Runs git in another directory.
    pub(crate) fn git_in(&self, directory: impl AsRef<Path>, arguments: &[&str]) -> String {
        let mut command = self.command("git");
        let identity = ["user.name=Tester", "user.email=tester@example.invalid"];
        for setting in identity
            .iter()
            .chain(&["commit.gpgsign=false", "gc.auto=0"])
        {
            command.args(["-c", setting]);
        }
        command.current_dir(self.root.join(directory));
        let run = Run::of(command.args(arguments));
        assert_eq!(run.code, Some(0), "git {arguments:?}: {run}");
        run.stdout
    }

    /// Commits everything that is not ignored and returns the commit.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.head()
    }

    /// The commit that is checked out.
    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Writes a file of the repository, with the directories it needs.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Reads a file of the repository.
    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Every file but those of git and of the state, with its content.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        tree::contents(&self.path(""), |name| {
            let is_git = name.starts_with(".git/") && !name.starts_with(".git/info");
            is_git || name == ".claude" || name.starts_with(".claude/state")
        })
    }

    /// Writes the record of a session as ckpt itself would: with the seal of the repository.
    pub(crate) fn write_session(&self, id: &str, record: &Value) {
        let key = std::fs::read(self.path(".git/ckpt/key")).unwrap();
        let key = SealKey::new(key.try_into().unwrap());
        let document = Document::parse(record.to_string()).unwrap();
        let ckpt::document::Value::Object(mut record) = document.value() else {
            panic!("a record is an object");
        };
        let about = format!("session:{id}");
        Seals::with(key).seal(Domain::Session, &about, &mut record);
        let text = ckpt::document::Value::Object(record).to_compact();
        self.write(&format!(".claude/state/sessions/{id}.json"), text);
    }

    /// The document of a command checkpoint.
    pub(crate) fn document(&self, stem: &str) -> Value {
        serde_json::from_str(&self.read(&format!(".claude/state/{stem}.json"))).unwrap()
    }

    /// The lines of a command checkpoint's history, oldest first.
    pub(crate) fn history(&self, stem: &str) -> Vec<Value> {
        let text = self.read(&format!(".claude/state/history/command/{stem}.jsonl"));
        let lines = text.lines().filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("torn line: {line}")))
            .collect()
    }

    /// The events of a history as `revision event`, oldest first.
    pub(crate) fn events(&self, stem: &str) -> Vec<String> {
        let lines = self.history(stem);
        let shown = lines.iter().map(|line| {
            let event = line["event"].as_str().unwrap();
            format!("{} {event}", line["rev"])
        });
        shown.collect()
    }

    /// Replaces what differs from run to run: paths, times, commits.
    pub(crate) fn normalised(&self, text: &str) -> String {
        let text = text.replace(self.root.to_str().unwrap(), "[ROOT]");
        let text = text.replace(self.base.to_str().unwrap(), "[BASE]");
        without_hashes(&without_times(&text))
    }
}

/// How a program ended and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Runs a program to its end.
    pub(crate) fn of(command: &mut Command) -> Self {
        command
            .output()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"))
            .into()
    }

    /// Runs a command that reads this.
    pub(crate) fn reading(command: &mut Command, input: &[u8]) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program may refuse, and close the pipe, before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap().into()
    }

    /// Asserts that it ended with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// The one JSON object on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let parsed = serde_json::from_str(&self.stdout);
        parsed.unwrap_or_else(|error| panic!("standard output is not one object: {error}\n{self}"))
    }

    /// The first line on standard error.
    pub(crate) fn reason(&self) -> &str {
        self.stderr.lines().next().unwrap_or_default()
    }

    /// Asserts that it ended with one of its own exit codes.
    #[track_caller]
    pub(crate) fn assert_no_panic(&self, when: &str) {
        assert!(matches!(self.code, Some(0..=8)), "{when}: {self}");
        assert!(!self.stderr.contains("panicked"), "{when}: {self}");
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program prints UTF-8");
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map_or("a signal".to_owned(), |c| c.to_string());
        write!(
            formatter,
            "exit {code}\n--- stdout\n{}--- stderr\n{}",
            self.stdout, self.stderr
        )
    }
}

/// `2026-01-29T10:30:00.000Z` becomes `[TIME]`.
fn without_times(text: &str) -> String {
    const SHAPE: &[u8] = b"dddd-dd-ddTdd:dd:dd.dddZ";
    let is_time = |bytes: &[u8]| {
        bytes.len() >= SHAPE.len()
            && SHAPE.iter().zip(bytes).all(|(shape, byte)| match shape {
                b'd' => byte.is_ascii_digit(),
                literal => byte == literal,
            })
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if is_time(rest.as_bytes()) {
            out.push_str("[TIME]");
            rest = &rest[SHAPE.len()..];
        } else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}

/// Runs of 40 or 64 hexadecimal digits become `[HASH]`.
fn without_hashes(text: &str) -> String {
    let mut out = String::new();
    let mut run = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_hexdigit() {
            run.push(c);
            continue;
        }
        out.push_str(match run.len() {
            40 | 64 => "[HASH]",
            _ => &run,
        });
        run.clear();
        out.push(c);
    }
    out.pop();
    out
}
