//! Calls the installed hooks, as their agents would.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ckpt_agents::Agent;

use super::super::init;
use super::hooks::Installed;
use super::{Examination, Verdict};
use crate::environment::{self, Variables};

/// A hook that takes longer counts as broken.
const PATIENCE: Duration = Duration::from_secs(10);

/// The checkpoint that the answer must mention.
const NAME: &str = "implement/doctor";

/// The checkpoint in the test directory.
const CHECKPOINT: &str = r#"{
  "command": "implement",
  "feature": "doctor",
  "version": 1,
  "head_commit": null,
  "started_at": "2026-01-01T00:00:00.000Z",
  "updated_at": "2026-01-01T00:00:00.000Z",
  "state": { "current_phase": null, "completed_phases": [], "pending_phases": ["check"] },
  "phases": {}
}
"#;

impl Examination<'_> {
    /// Sends an event to every installed hook that calls this program, and checks the answer. Other programs are
    /// reported but not run: settings can come with a clone.
    pub(super) fn calls(&mut self, installed: &[Installed]) {
        let mut called: HashSet<&[String]> = HashSet::new();
        for Installed {
            agent,
            scope,
            found,
            ..
        } in installed
        {
            for hook in found {
                if !called.insert(&hook.words) {
                    continue;
                }
                let line = hook.words.join(" ");
                let called = match called_program(self.variables, &hook.words) {
                    Called::Own(program) => call(*agent, &program, &hook.words),
                    Called::Nothing => Err("program not found".to_owned()),
                    Called::Other => {
                        let text = format!("{line} calls a different program, so it was not run");
                        self.note(Verdict::Warning, "called", text);
                        let command = init::command(*agent, *scope);
                        self.advise(format!("Make it call this program with: {command}"));
                        continue;
                    }
                };
                match called {
                    Ok(taken) => {
                        let taken = taken.as_millis();
                        self.note(
                            Verdict::Ok,
                            "called",
                            format!("{line} answered in {taken} ms"),
                        );
                    }
                    Err(reason) => {
                        self.note(Verdict::Broken, "called", format!("{line}: {reason}"));
                        let command = init::command(*agent, *scope);
                        self.advise(format!("Reinstall it with: {command}"));
                    }
                }
            }
        }
    }
}

/// Sends a hook a session start in a throwaway directory. Returns how long it took, or what is wrong.
fn call(agent: Agent, program: &Path, words: &[String]) -> Result<Duration, String> {
    let ground =
        Ground::new().map_err(|error| format!("cannot create a test directory: {error}"))?;
    let begin = Instant::now();
    let answer = run(agent, program, words, &ground)?;
    let taken = begin.elapsed();
    if !answer.contains(NAME) {
        return Err("its answer does not mention the test checkpoint".to_owned());
    }
    Ok(taken)
}

/// The program that a command line calls.
pub(super) enum Called {
    /// This program, at this path.
    Own(PathBuf),
    /// A different program.
    Other,
    /// A program that does not exist.
    Nothing,
}

/// Finds the program that a command line calls: by path, or by name as a shell does.
pub(super) fn called_program(variables: &Variables, words: &[String]) -> Called {
    let named = words.first().map_or(Path::new(""), Path::new);
    let found = match named.components().count() {
        1 => named
            .to_str()
            .and_then(|name| init::detect::on_path(variables, name)),
        _ if named.is_absolute() => Some(named.to_owned()),
        // A relative path: the directory it would be called from is unknown.
        _ => return Called::Other,
    };
    let real = |path: &Path| path.canonicalize().ok();
    let here = std::env::current_exe().ok().and_then(|path| real(&path));
    match found.and_then(|found| real(&found)) {
        None => Called::Nothing,
        Some(found) if Some(&found) == here.as_ref() => Called::Own(found),
        Some(_) => Called::Other,
    }
}

fn run(agent: Agent, program: &Path, words: &[String], ground: &Ground) -> Result<String, String> {
    let directory = &ground.root();
    let arguments = words.get(1..).ok_or("the command line is empty")?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .env(environment::GIT_ROOT, directory)
        .env(environment::CKPT_CONFIG, ground.0.join("no-settings"))
        .env(environment::XDG_STATE_HOME, ground.0.join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let name = match agent {
        Agent::Cursor => "sessionStart",
        _ => "SessionStart",
    };
    let event = serde_json::json!({
        "hook_event_name": name,
        "session_id": "doctor",
        "source": "startup",
        "cwd": directory,
        "workspace_roots": [directory],
    });
    let mut stdin = child.stdin.take().ok_or("it has no standard input")?;
    let _ = stdin.write_all(event.to_string().as_bytes());
    drop(stdin);
    let begin = Instant::now();
    // A short answer fits into the pipe, so the hook cannot block on it before we read.
    while child
        .try_wait()
        .map_err(|error| error.to_string())?
        .is_none()
    {
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("it did not answer within {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("it failed with {}", output.status));
    }
    let text =
        String::from_utf8(output.stdout).map_err(|_| "its answer is not UTF-8".to_owned())?;
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(_) => Ok(text),
        Err(_) if text.trim().is_empty() => Err("it did not answer".to_owned()),
        Err(_) => Err("its answer is not JSON".to_owned()),
    }
}

/// A test directory with one checkpoint, and a separate place for the key. Removed on drop.
struct Ground(PathBuf);

impl Ground {
    fn new() -> io::Result<Self> {
        let name = format!("ckpt-doctor-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        let ground = Self(path.canonicalize()?);
        let state = ground.root().join(ckpt::layout::STATE_DIRECTORY);
        fs::create_dir_all(&state)?;
        fs::write(state.join("implement-doctor.json"), CHECKPOINT)?;
        Ok(ground)
    }

    fn root(&self) -> PathBuf {
        self.0.join("root")
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
