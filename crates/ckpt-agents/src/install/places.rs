//! Where agents keep their settings, and what shows that somebody uses them.

use std::path::{Path, PathBuf};

use crate::agent::Agent;

/// For whom an agent is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// For oneself, in one repository.
    Local,
    /// For everybody who works in the repository.
    Project,
    /// For oneself, in all repositories.
    User,
}

/// A directory of settings below the home directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Home {
    /// Its path, from the home directory.
    pub directory: &'static str,
    /// The environment variable that names another directory instead.
    pub variable: Option<&'static str>,
}

impl Home {
    /// Where it is, with a home directory and the values of variables.
    #[must_use]
    pub fn resolved(self, home: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
        let moved = self.variable.and_then(variable);
        match moved.filter(|path| !path.as_os_str().is_empty()) {
            Some(path) => path,
            None => home.join(self.directory),
        }
    }
}

/// What the path of a place starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The top of the repository.
    Repository,
    /// A directory of settings.
    Home(Home),
}

/// Who else reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Nobody: it is not meant to be committed.
    Oneself,
    /// Everybody who works in the repository.
    Everybody,
}

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Settings of all sorts, hooks among them.
    Settings,
    /// Hooks and nothing else.
    Hooks,
}

/// A settings file of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Whose it is.
    pub agent: Agent,
    /// What the path starts from.
    pub base: Base,
    /// The path from there, with `/` between its parts.
    pub path: &'static str,
    /// Who else reads it. An agent may have no personal file for one repository; then that of [`Scope::Local`] is shared.
    pub readers: Readers,
    /// What it is for.
    pub content: Content,
}

impl Place {
    /// Where the file is, with a repository, a home directory and the values of variables.
    #[must_use]
    pub fn resolved(
        &self,
        repository: &Path,
        home: &Path,
        variable: impl Fn(&str) -> Option<PathBuf>,
    ) -> PathBuf {
        let base = match self.base {
            Base::Repository => repository.to_owned(),
            Base::Home(directory) => directory.resolved(home, variable),
        };
        self.path
            .split('/')
            .fold(base, |path, part| path.join(part))
    }
}

/// What shows that an agent is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traces {
    /// Files and directories in the repository, with `/` between the parts of a path.
    pub repository: &'static [&'static str],
    /// Its directory of settings.
    pub home: Home,
    /// The names of its programs.
    pub programs: &'static [&'static str],
}

/// The file in which hooks of an agent belong.
#[must_use]
pub fn settings_file(agent: Agent, scope: Scope) -> Place {
    let path = match (agent, scope) {
        (Agent::Claude, Scope::Local) => ".claude/settings.local.json",
        (Agent::Claude, Scope::Project) => ".claude/settings.json",
        (Agent::Codex, Scope::Local | Scope::Project) => ".codex/hooks.json",
        (Agent::Gemini, Scope::Local | Scope::Project) => ".gemini/settings.json",
        (Agent::Cursor, Scope::Local | Scope::Project) => ".cursor/hooks.json",
        (Agent::Copilot, Scope::Local) => ".github/copilot/settings.local.json",
        (Agent::Copilot, Scope::Project) => ".github/hooks/ckpt.json",
        (Agent::Claude | Agent::Gemini, Scope::User) => "settings.json",
        (Agent::Codex | Agent::Cursor, Scope::User) => "hooks.json",
        (Agent::Copilot, Scope::User) => "hooks/ckpt.json",
    };
    let base = match scope {
        Scope::Local | Scope::Project => Base::Repository,
        Scope::User => Base::Home(home(agent)),
    };
    let readers = match (agent, scope) {
        (Agent::Claude | Agent::Copilot, Scope::Local) | (_, Scope::User) => Readers::Oneself,
        (_, Scope::Local | Scope::Project) => Readers::Everybody,
    };
    let content = match (agent, scope) {
        (Agent::Claude | Agent::Gemini, _) | (Agent::Copilot, Scope::Local) => Content::Settings,
        (Agent::Codex | Agent::Cursor | Agent::Copilot, _) => Content::Hooks,
    };
    Place {
        agent,
        base,
        path,
        readers,
        content,
    }
}

/// Where an organisation keeps settings of Claude Code, by the name of the system.
#[must_use]
pub fn managed_directory(system: &str) -> &'static str {
    match system {
        "macos" => "/Library/Application Support/ClaudeCode",
        _ => "/etc/claude-code",
    }
}

/// What shows that an agent is in use. `AGENTS.md` is no trace of any: most of them read it.
#[must_use]
pub fn traces(agent: Agent) -> Traces {
    let (repository, programs): (&[&str], &[&str]) = match agent {
        Agent::Claude => (&[".claude", "CLAUDE.md"], &["claude"]),
        Agent::Codex => (&[".codex"], &["codex"]),
        Agent::Gemini => (&[".gemini", "GEMINI.md"], &["gemini"]),
        Agent::Cursor => (&[".cursor"], &["cursor-agent"]),
        Agent::Copilot => (
            &[
                ".github/copilot",
                ".github/hooks",
                ".github/copilot-instructions.md",
            ],
            &["copilot"],
        ),
    };
    Traces {
        repository,
        home: home(agent),
        programs,
    }
}

fn home(agent: Agent) -> Home {
    let (directory, variable) = match agent {
        Agent::Claude => (".claude", Some("CLAUDE_CONFIG_DIR")),
        Agent::Codex => (".codex", Some("CODEX_HOME")),
        Agent::Gemini => (".gemini", None),
        Agent::Cursor => (".cursor", None),
        Agent::Copilot => (".copilot", Some("COPILOT_HOME")),
    };
    Home {
        directory,
        variable,
    }
}

#[cfg(test)]
mod tests;
