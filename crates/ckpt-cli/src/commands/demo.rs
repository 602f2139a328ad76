//! `ckpt demo`

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anstream::adapter::strip_str;
use ckpt::repository::without_settings;
use clap::Args;

use crate::cli::Global;
use crate::failure::{Exit, Failure};
use crate::render::style::{FAINT, STRONG, paint};
use crate::ui::Ui;

/// How often to try to kill an update: on a fast disk, some finish before the kill.
const TRIES: usize = 200;

const KEY: &str = "implement/login";
const HISTORY: &str = ".claude/state/history/command/implement-login.jsonl";

/// Watch a checkpoint survive a kill, in a throwaway repository.
///
/// Prints every command it runs, with its output. The folder is kept for you to explore.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt demo")]
pub(crate) struct Demo {
    /// Folder to create for the repository; omit for a temporary one
    folder: Option<PathBuf>,
}

/// The `--json` report: where the demo ran.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "DemoMade"))]
pub(crate) struct Made<'m> {
    folder: &'m std::path::Path,
}

impl Demo {
    pub(crate) fn run(self, ui: &mut Ui, global: &Global) -> Result<Exit, Failure> {
        let directory = match self.folder {
            Some(folder) => global.resolve(&folder),
            None => std::env::temp_dir().join(format!("ckpt-demo-{}", std::process::id())),
        };
        std::fs::create_dir(&directory).map_err(|error| {
            Failure::io(format!("cannot create {}", directory.display()), &error)
        })?;
        let directory = std::path::absolute(&directory)
            .map_err(|error| Failure::io("cannot find the folder", &error))?;
        let binary = std::env::current_exe()
            .map_err(|error| Failure::io("cannot find the ckpt binary", &error))?;
        let mut stage = Stage {
            ui,
            directory,
            binary,
            json: global.json,
        };
        stage.play()?;
        if global.json {
            stage.ui.json(&Made {
                folder: &stage.directory,
            })?;
        }
        Ok(Exit::Done)
    }
}

struct Stage<'u> {
    ui: &'u mut Ui,
    directory: PathBuf,
    binary: PathBuf,
    /// Whether standard output is reserved for JSON, so that the demo prints to standard error.
    json: bool,
}

impl Stage<'_> {
    fn play(&mut self) -> Result<(), Failure> {
        self.say("A repository for an agent to work in:")?;
        self.git(&["init", "--quiet", "."])?;
        self.git(&["commit", "--quiet", "--allow-empty", "-m", "Empty start"])?;

        self.say("The agent runs /implement and records each phase:")?;
        self.ckpt(&[
            "start",
            "implement",
            "login",
            "--phases",
            "research,build,test",
        ])?;
        self.ckpt(&[
            "phase",
            KEY,
            "research",
            "complete",
            "--summary",
            "Sessions live in src/session.rs. Passwords must be hashed with argon2.",
        ])?;
        self.write("src/login.rs", "pub fn login() {}\n")?;
        self.ckpt(&[
            "phase",
            KEY,
            "build",
            "in_progress",
            "--task",
            "T002",
            "--created",
            "src/login.rs",
            "--summary",
            "Login form done, rate limit next.",
        ])?;

        self.say("Then SIGKILL hits it in the middle of an update:")?;
        self.kill_an_update()?;

        self.say("Meanwhile, someone commits:")?;
        self.write("README.md", "# Demo\n")?;
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "-m", "Describe the demo"])?;

        self.say("A new process asks where the work stands:")?;
        self.ckpt(&["status"])?;
        self.ckpt(&["resume", "--drift"])?;

        self.say("It continues from there. The first change cleans up after the dead process:")?;
        self.ckpt(&[
            "phase",
            KEY,
            "build",
            "complete",
            "--modified",
            "src/login.rs",
        ])?;
        self.ckpt(&["log", KEY])?;
        self.ckpt(&["validate", KEY])?;
        let explore = format!("\nExplore it: cd {}\n", self.directory.display());
        self.print(&explore)
    }

    fn print(&mut self, text: &str) -> Result<(), Failure> {
        if self.json {
            for line in strip_str(text).to_string().lines() {
                self.ui.note(line);
            }
            return Ok(());
        }
        self.ui.text(text)
    }

    fn say(&mut self, line: &str) -> Result<(), Failure> {
        self.print(&format!("\n{line}\n"))
    }

    fn run(&mut self, shown: &str, mut command: Command) -> Result<(), Failure> {
        self.print(&format!("{}\n", paint(STRONG, format!("$ {shown}"))))?;
        if self.json {
            command.stdout(std::io::stderr());
        }
        let status = command
            .current_dir(&self.directory)
            .stdin(Stdio::null())
            .status()
            .map_err(|error| Failure::io(format!("cannot run {shown}"), &error))?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(
            Exit::Failed,
            format!("`{shown}` failed ({status})"),
        ))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        // The demo must work in its own repository, whatever this shell's variables say.
        without_settings(&mut command);
        command.args(arguments);
        command
    }

    fn ckpt(&mut self, arguments: &[&str]) -> Result<(), Failure> {
        let command = self.command(arguments);
        self.run(&shown("ckpt", arguments), command)
    }

    fn git(&mut self, arguments: &[&str]) -> Result<(), Failure> {
        let mut command = Command::new("git");
        without_settings(&mut command);
        let identity = ["-c", "user.name=Demo", "-c", "user.email=demo@localhost"];
        command.args(identity).args(arguments);
        self.run(&shown("git", arguments), command)
    }

    fn write(&self, name: &str, content: &str) -> Result<(), Failure> {
        let path = self.directory.join(name);
        let written = std::fs::create_dir_all(path.parent().unwrap_or(&path))
            .and_then(|()| std::fs::write(&path, content));
        written.map_err(|error| Failure::io(format!("cannot write {}", path.display()), &error))
    }

    /// Starts updates until one is killed right after its history line is written: before the file is replaced, or in
    /// the middle of that.
    fn kill_an_update(&mut self) -> Result<(), Failure> {
        let arguments = [
            "phase",
            KEY,
            "build",
            "in_progress",
            "--summary",
            "Rate limit half done.",
        ];
        let history = self.directory.join(HISTORY);
        self.print(&format!(
            "{}\n",
            paint(STRONG, format!("$ {} &", shown("ckpt", &arguments)))
        ))?;
        for _ in 0..TRIES {
            let before = length(&history);
            let mut child = self
                .command(&arguments)
                .current_dir(&self.directory)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .map_err(|error| Failure::io("cannot run ckpt", &error))?;
            let wait = |error| Failure::io("cannot wait for ckpt", &error);
            let finished = loop {
                if length(&history) > before {
                    let _ = child.kill();
                    break child.wait().map_err(wait)?;
                }
                if let Some(status) = child.try_wait().map_err(wait)? {
                    break status;
                }
            };
            if !finished.success() {
                self.print(&format!("{}\n", paint(STRONG, "$ kill -9 %1")))?;
                let note = "killed after its history line, before it could report success";
                return self.print(&format!("{}\n", paint(FAINT, note)));
            }
        }
        self.print(&format!(
            "{}\n",
            paint(
                FAINT,
                "this disk is too fast: every update finished before the kill"
            )
        ))
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// A command line as a user would type it.
fn shown(program: &str, arguments: &[&str]) -> String {
    let quoted = arguments.iter().map(|argument| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=".contains(c);
        match argument.chars().all(plain) {
            true => (*argument).to_owned(),
            false => format!("'{argument}'"),
        }
    });
    let words: Vec<String> = quoted.collect();
    format!("{program} {}", words.join(" "))
}
