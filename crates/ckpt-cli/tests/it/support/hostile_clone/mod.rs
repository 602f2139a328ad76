//! A clone that somebody prepared, in a world that records what was done to it.
//!
//! A script in `tests/clones` builds the repository that is cloned. Its first line says what the clone tries; lines that
//! begin with `#:` say what else must hold, see [`Wishes`].

mod battery;
mod build;
mod judge;
mod text;
mod verdict;
mod wishes;
mod world;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use tempfile::TempDir;

use crate::support::environment::CKPT;
pub(crate) use text::{has_bare_shell_word, is_invisible};
use wishes::Wishes;
use world::World;

/// Private texts that must be neither printed nor copied.
const SECRET: &str = "SECRET-4c0ffee4";
const TOKEN: &str = "ghp_T0KEN5ecret";
/// What the user's own agent said, in a transcript for the user alone.
const PRIVATE: &str = "PRIVATE-w0rds-of-the-agent";
/// What an attacker wants at the start of a line.
const OVERRIDE: &str = "SYSTEM OVERRIDE";

const PLAN: &str = "plans/260101-0000-x/plan.md";

/// How a command of the battery ended.
struct Ended {
    name: String,
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

impl Ended {
    fn both(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// A clone and the world around it.
struct Clone {
    _directory: TempDir,
    base: PathBuf,
    script: PathBuf,
    name: String,
    wishes: Wishes,
    /// The world before the battery.
    first: World,
    /// The world before the current command.
    before: World,
    faults: Vec<String>,
    /// Whether to skip the rest.
    is_over: bool,
}

/// Builds a clone with a script, uses it as a user and an agent would, and returns what went wrong.
pub(crate) fn faults_of(script: &str) -> Vec<String> {
    let Some(mut clone) = Clone::build(script) else {
        return Vec::new();
    };
    clone.battery();
    clone.finish();
    clone.faults
}

impl Clone {
    fn top(&self) -> PathBuf {
        self.base.join("clone")
    }

    /// A program in this world.
    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        let home = self.base.join("home");
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env_clear()
            .env(
                "PATH",
                format!("{path}:{}", self.base.join("bin").display()),
            )
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("HOME", &home)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", &self.base)
            .env("CKPT_HOOK_DEADLINE_MS", "60000")
            .env("TMPDIR", self.base.join("out"))
            .stdin(Stdio::null());
        command
    }

    fn fault(&mut self, when: &str, what: impl AsRef<str>) {
        let shown: String = what.as_ref().chars().take(600).collect();
        self.faults
            .push(format!("{}: {when}: {}", self.name, shown.escape_debug()));
    }
}

/// The program under test; `HOSTILE_CKPT` names another one to test.
pub(crate) fn binary() -> PathBuf {
    std::env::var_os("HOSTILE_CKPT").map_or_else(|| CKPT.into(), PathBuf::from)
}
