//! Where agents keep their settings, and how to detect that an agent is in use.

use std::path::{Path, PathBuf};

use crate::agent::Agent;

/// Whom the hooks are set up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// This user, in one repository.
    Local,
    /// Everyone who works in the repository.
    Project,
    /// This user, in all repositories.
    User,
}

/// A settings directory below the home directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Home {
    /// Its path, relative to the home directory.
    pub directory: &'static str,
    /// The environment variable that overrides it.
    pub variable: Option<&'static str>,
}

impl Home {
    /// Its path, given a home directory and environment variables.
    #[must_use]
    pub fn resolved(self, home: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
        let moved = self.variable.and_then(variable);
        match moved.filter(|path| !path.as_os_str().is_empty()) {
            Some(path) => path,
            None => home.join(self.directory),
        }
    }
}

/// What the path of a place is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The root of the repository.
    Repository,
    /// A settings directory.
    Home(Home),
}

/// Who reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Only this user; it is not meant to be committed.
    Oneself,
    /// Everyone who works in the repository.
    Everybody,
}

/// What a file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// All kinds of settings, including hooks.
    Settings,
    /// Only hooks.
    Hooks,
    /// MCP servers, and other settings that are not about hooks.
    Servers,
}

/// A settings file of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The agent.
    pub agent: Agent,
    /// What the path is relative to.
    pub base: Base,
    /// The path, with `/` between its parts.
    pub path: &'static str,
    /// Who reads it. Not every agent has a personal file per repository; for those, [`Scope::Local`] is the shared
    /// file.
    pub readers: Readers,
    /// What it contains.
    pub content: Content,
}

impl Place {
    /// The path of the file, given a repository, a home directory and environment variables.
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

/// Signs that an agent is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traces {
    /// Files and directories in the repository, with `/` between the parts of a path.
    pub repository: &'static [&'static str],
    /// Its settings directory.
    pub home: Home,
    /// The names of its programs.
    pub programs: &'static [&'static str],
}

/// The file that the hooks of an agent belong in.
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

/// The file that an MCP server of an agent is registered in. It can be the file of the hooks, and two agents can share
/// it. `None` if the agent keeps it in a file that it rewrites all the time, and has a command for it instead.
#[must_use]
pub fn servers_file(agent: Agent, scope: Scope) -> Option<Place> {
    let path = match (agent, scope) {
        (Agent::Gemini, _) => return Some(settings_file(agent, scope)),
        (Agent::Claude, Scope::User) => return None,
        (Agent::Claude | Agent::Copilot, Scope::Local | Scope::Project) => ".mcp.json",
        (Agent::Codex, Scope::Local | Scope::Project) => ".codex/config.toml",
        (Agent::Cursor, Scope::Local | Scope::Project) => ".cursor/mcp.json",
        (Agent::Codex, Scope::User) => "config.toml",
        (Agent::Cursor, Scope::User) => "mcp.json",
        (Agent::Copilot, Scope::User) => "mcp-config.json",
    };
    Some(Place {
        path,
        content: Content::Servers,
        readers: match scope {
            Scope::Local | Scope::Project => Readers::Everybody,
            Scope::User => Readers::Oneself,
        },
        ..settings_file(agent, scope)
    })
}

/// The directory that an agent reads skills from. Claude Code has its own; the others share one.
#[must_use]
pub fn skills_directory(agent: Agent, scope: Scope) -> Place {
    let (path, home) = match agent {
        Agent::Claude => (".claude/skills", home(agent)),
        Agent::Codex | Agent::Gemini | Agent::Cursor | Agent::Copilot => (
            ".agents/skills",
            Home {
                directory: ".agents",
                variable: None,
            },
        ),
    };
    Place {
        agent,
        path: match scope {
            Scope::Local | Scope::Project => path,
            Scope::User => "skills",
        },
        base: match scope {
            Scope::Local | Scope::Project => Base::Repository,
            Scope::User => Base::Home(home),
        },
        readers: Readers::Everybody,
        content: Content::Servers,
    }
}

/// Where an organisation keeps its settings for Claude Code, by operating system.
#[must_use]
pub fn managed_directory(system: &str) -> &'static str {
    match system {
        "macos" => "/Library/Application Support/ClaudeCode",
        _ => "/etc/claude-code",
    }
}

/// The signs that an agent is in use. `AGENTS.md` is not one, because most agents read it.
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
