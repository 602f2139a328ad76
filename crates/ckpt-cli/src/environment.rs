//! The environment variables that `ckpt` reads. Each one is a constant here.

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use ckpt::process::RUN_VARIABLE;
use ckpt::repository::{Environment, Extent, Repository};
use ckpt::voice::name;
use ckpt::workspace::Workspace;
use ckpt_agents::Agent;

/// The directory to use as the root, instead of what git finds.
pub(crate) const GIT_ROOT: &str = "GIT_ROOT";
/// The git directory, with git's own meaning.
pub(crate) const GIT_DIR: &str = "GIT_DIR";
/// The work tree, with git's own meaning.
pub(crate) const GIT_WORK_TREE: &str = "GIT_WORK_TREE";
/// Directories where the upward search for a repository stops.
pub(crate) const GIT_CEILING_DIRECTORIES: &str = "GIT_CEILING_DIRECTORIES";
/// The author of changes, unless `--by` is given.
pub(crate) const CKPT_BY: &str = "CKPT_BY";
/// The current plan: its id, or the path of its directory.
pub(crate) const CK_ACTIVE_PLAN: &str = "CK_ACTIVE_PLAN";
/// The process id of Claude Code, which it passes to its hooks.
pub(crate) const CLAUDE_PID: &str = "CLAUDE_PID";
/// Where Copilot CLI keeps its settings and sessions.
pub(crate) const COPILOT_HOME: &str = "COPILOT_HOME";
/// The file with the user's own settings.
pub(crate) const CKPT_CONFIG: &str = "CKPT_CONFIG";
/// The prefix of variables for settings: `summary_limit` is `CKPT_SUMMARY_LIMIT`.
#[cfg(test)]
pub(crate) const SETTING_PREFIX: &str = "CKPT_";
/// The directory for users' settings files.
const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The directory for users' state.
pub(crate) const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// The home directory.
pub(crate) const HOME: &str = "HOME";
/// The user who called `sudo`.
const SUDO_UID: &str = "SUDO_UID";
/// The shell that asks for completions. It must not be `CKPT_COMPLETE`, which would be a setting.
pub(crate) const COMPLETE: &str = "_CKPT_COMPLETE";
/// Which word the shell wants to complete, from 0.
pub(crate) const COMPLETE_INDEX: &str = "_CLAP_COMPLETE_INDEX";
/// What the shell expects between two candidates.
pub(crate) const COMPLETE_SEPARATOR: &str = "_CLAP_IFS";
/// The kind of terminal.
pub(crate) const TERM: &str = "TERM";
/// The program that shows long output; before [`PAGER`].
pub(crate) const CKPT_PAGER: &str = "CKPT_PAGER";
/// The program that shows long output.
pub(crate) const PAGER: &str = "PAGER";
/// Options of `less`.
pub(crate) const LESS: &str = "LESS";
/// The search path for programs.
pub(crate) const PATH: &str = "PATH";

/// The user's login shell.
pub(crate) const SHELL: &str = "SHELL";
/// `true` makes Gemini CLI trust the folder.
pub(crate) const GEMINI_CLI_TRUST_WORKSPACE: &str = "GEMINI_CLI_TRUST_WORKSPACE";
/// `true` makes Gemini CLI trust no folder.
pub(crate) const GEMINI_RESTRICTED_MODE: &str = "GEMINI_RESTRICTED_MODE";
/// The file with the folders that Gemini CLI trusts.
pub(crate) const GEMINI_CLI_TRUSTED_FOLDERS_PATH: &str = "GEMINI_CLI_TRUSTED_FOLDERS_PATH";
/// `true` makes Copilot CLI trust the folder.
pub(crate) const COPILOT_ALLOW_ALL: &str = "COPILOT_ALLOW_ALL";

/// What an agent sets for the commands and hooks it runs.
struct AgentVariables {
    /// One of these is set whenever it runs a command. Without it, its approvals would count as a person's.
    marks: &'static [&'static str],
    /// Its session.
    session: Option<&'static str>,
    /// Where it was started, even if its working directory has changed.
    project: Option<&'static str>,
}

impl AgentVariables {
    fn of(agent: Agent) -> Self {
        match agent {
            Agent::Claude => Self {
                marks: &["CLAUDECODE"],
                session: Some("CLAUDE_CODE_SESSION_ID"),
                project: Some("CLAUDE_PROJECT_DIR"),
            },
            Agent::Codex => Self {
                marks: &["CODEX_THREAD_ID", "CODEX_SANDBOX"],
                session: Some("CODEX_THREAD_ID"),
                project: None,
            },
            Agent::Gemini => Self {
                marks: &["GEMINI_CLI"],
                session: Some("GEMINI_SESSION_ID"),
                project: Some("GEMINI_PROJECT_DIR"),
            },
            Agent::Cursor => Self {
                marks: &["CURSOR_AGENT"],
                session: None,
                project: Some("CURSOR_PROJECT_DIR"),
            },
            Agent::Copilot => Self {
                marks: &["COPILOT_CLI"],
                session: None,
                project: None,
            },
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        Agent::ALL.into_iter().map(Self::of)
    }
}

/// The environment variables of a run.
#[derive(Debug, Clone, Default)]
pub enum Variables {
    /// Those of the process.
    #[default]
    Process,
    /// These and no others.
    Given(HashMap<OsString, OsString>),
}

impl Variables {
    /// A variable that is set, possibly to an empty value.
    pub(crate) fn get(&self, name: &str) -> Option<OsString> {
        match self {
            Self::Process => env::var_os(name),
            Self::Given(given) => given.get(OsStr::new(name)).cloned(),
        }
    }

    /// A variable that is set and not empty.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let value = self.get(name).and_then(|value| value.into_string().ok());
        value.filter(|value| !value.is_empty())
    }

    /// A variable that names a path.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    }

    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.path(HOME)
    }

    /// The variables that concern git.
    pub(crate) fn git(&self) -> Environment {
        let ceilings = self.get(GIT_CEILING_DIRECTORIES);
        Environment {
            git_root: self.path(GIT_ROOT),
            git_dir: self.path(GIT_DIR),
            git_work_tree: self.path(GIT_WORK_TREE),
            ceiling_directories: ceilings.iter().flat_map(env::split_paths).collect(),
            current_directory: None,
            home: self.home(),
            sudo_uid: self.text(SUDO_UID).and_then(|uid| uid.parse().ok()),
        }
    }

    /// The agent session that this command runs in.
    pub(crate) fn session(&self) -> Option<String> {
        AgentVariables::all().find_map(|agent| self.text(agent.session?))
    }

    /// The agent that runs this command, if it announces itself.
    pub(crate) fn agent(&self) -> Option<Agent> {
        let runs = |agent: &Agent| {
            let mut marks = AgentVariables::of(*agent).marks.iter();
            marks.any(|mark| self.text(mark).is_some())
        };
        Agent::ALL.into_iter().find(runs)
    }

    /// Who runs this command, if it is not the user: an agent, somebody whom one names, or a gate.
    pub(crate) fn somebody_else(&self, workspace: &Workspace) -> Option<String> {
        if let Some(agent) = self.agent() {
            return Some(format!("under {agent}"));
        }
        if self.session().is_some() {
            return Some("in the session of an agent".to_owned());
        }
        if self.get(RUN_VARIABLE).is_some() {
            return Some("in a gate".to_owned());
        }
        let by = workspace.made_by();
        (by != "main").then(|| format!("as {}", name(by)))
    }

    /// Where the agents say they were started.
    pub(crate) fn projects(&self) -> impl Iterator<Item = PathBuf> {
        AgentVariables::all().filter_map(|agent| self.path(agent.project?))
    }

    /// The user's directory for the state of directories outside git, whether it exists or not. A directory inside the
    /// work tree does not count as the user's own.
    pub(crate) fn user_state(&self, repository: &Repository) -> Option<PathBuf> {
        if repository.is_git() {
            return None;
        }
        let own = self.home().map(|home| home.join(".local/state"));
        let places = [self.path(XDG_STATE_HOME), own].into_iter().flatten();
        let mut places = places.map(|base| base.join("ckpt"));
        let extent = self.extent(repository);
        places.find(|path| !extent.holds(path))
    }

    /// Looks up variables that name the user's own directories, and ignores paths inside the repository.
    pub(crate) fn own_directories<'v>(
        &'v self,
        repository: &Repository,
    ) -> impl Fn(&str) -> Option<PathBuf> + use<'v> {
        let extent = self.extent(repository);
        move |name| self.path(name).filter(|path| !extent.holds(path))
    }

    /// The paths that belong to the clone, which a variable cannot turn into the user's own.
    pub(crate) fn extent(&self, repository: &Repository) -> Extent {
        repository.extent(self.home().as_deref())
    }

    /// Candidates for the user's settings file, whether they exist or not. The first one outside the repository counts.
    pub(crate) fn user_settings_files(&self) -> Vec<PathBuf> {
        let in_base = |base: PathBuf| base.join("ckpt").join("config.json");
        let places = [
            self.path(CKPT_CONFIG),
            self.path(XDG_CONFIG_HOME).map(in_base),
            self.home().map(|home| in_base(home.join(".config"))),
        ];
        places.into_iter().flatten().collect()
    }
}
