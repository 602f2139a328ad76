//! What the environment says. Every variable that `ckpt` reads is a constant here.

use std::env;
use std::path::PathBuf;

use ckpt::repository::{Environment, Extent, Repository};

use crate::surroundings::variable;

/// The directory to use as the root, whatever git says.
pub(crate) const GIT_ROOT: &str = "GIT_ROOT";
/// The git directory, as git itself understands it.
pub(crate) const GIT_DIR: &str = "GIT_DIR";
/// The work tree, as git itself understands it.
pub(crate) const GIT_WORK_TREE: &str = "GIT_WORK_TREE";
/// Directories that the search for a repository does not climb into.
pub(crate) const GIT_CEILING_DIRECTORIES: &str = "GIT_CEILING_DIRECTORIES";
/// Who makes changes, where `--by` does not say.
pub(crate) const CKPT_BY: &str = "CKPT_BY";
/// The plan to work on: its id, or the path of its directory.
pub(crate) const CK_ACTIVE_PLAN: &str = "CK_ACTIVE_PLAN";
/// What agents call the session that a command runs in.
pub(crate) const SESSIONS: [&str; 3] = [
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_THREAD_ID",
    "GEMINI_SESSION_ID",
];
/// Where agents were started, wherever they have gone since.
pub(crate) const PROJECTS: [&str; 3] = [
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
];
/// The process of Claude Code, which it tells its hooks.
pub(crate) const CLAUDE_PID: &str = "CLAUDE_PID";
/// Where the user's own settings lie: a file.
pub(crate) const CKPT_CONFIG: &str = "CKPT_CONFIG";
/// What the variables for settings start with: `summary_limit` is `CKPT_SUMMARY_LIMIT`.
pub(crate) const SETTING_PREFIX: &str = "CKPT_";
/// The directory for users' settings files.
const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The directory for users' state.
pub(crate) const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// The home directory.
const HOME: &str = "HOME";
/// Who called `sudo`.
const SUDO_UID: &str = "SUDO_UID";
/// Variables by which an agent lets know that it runs a command.
const AGENTS: [(&str, &str); 6] = [
    ("CLAUDECODE", "claude"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_SANDBOX", "codex"),
    ("GEMINI_CLI", "gemini"),
    ("CURSOR_AGENT", "cursor"),
    ("COPILOT_CLI", "copilot"),
];

/// What the environment says about git.
pub(crate) fn git() -> Environment {
    let ceilings = variable(GIT_CEILING_DIRECTORIES);
    Environment {
        git_root: path(GIT_ROOT),
        git_dir: path(GIT_DIR),
        git_work_tree: path(GIT_WORK_TREE),
        ceiling_directories: ceilings.iter().flat_map(env::split_paths).collect(),
        home: home(),
        sudo_uid: text(SUDO_UID).and_then(|uid| uid.parse().ok()),
    }
}

/// The session of an agent that this command runs in.
pub(crate) fn session() -> Option<String> {
    SESSIONS.iter().find_map(|variable| text(variable))
}

/// The agent that runs this command, where it says so.
pub(crate) fn agent() -> Option<&'static str> {
    let known = AGENTS.iter().find(|(variable, _)| text(variable).is_some());
    known.map(|(_, agent)| *agent)
}

/// The user's own directory for what we keep of directories outside git, whether it exists or not. One that lies in such a
/// directory is not the user's own.
pub(crate) fn user_state(repository: &Repository) -> Option<PathBuf> {
    if repository.is_git() {
        return None;
    }
    let own = home().map(|home| home.join(".local/state"));
    let places = [path(XDG_STATE_HOME), own].into_iter().flatten();
    let mut places = places.map(|base| base.join("ckpt"));
    let extent = extent(repository);
    places.find(|path| !extent.holds(path))
}

/// The variables that name directories of the user's own.
pub(crate) fn own_directories(repository: &Repository) -> impl Fn(&str) -> Option<PathBuf> {
    let extent = extent(repository);
    move |name| path(name).filter(|path| !extent.holds(path))
}

/// How far a clone reaches. What a variable names there is not the user's own.
pub(crate) fn extent(repository: &Repository) -> Extent {
    repository.extent(home().as_deref())
}

/// A variable that is set and not empty.
pub(crate) fn text(name: &str) -> Option<String> {
    let value = variable(name).and_then(|value| value.into_string().ok());
    value.filter(|value| !value.is_empty())
}

/// The home directory.
pub(crate) fn home() -> Option<PathBuf> {
    path(HOME)
}

/// A variable that names a path.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    variable(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Where the user's own settings may lie, whether the files exist or not: the first that is the user's own counts.
pub(crate) fn user_settings_files() -> Vec<PathBuf> {
    let in_base = |base: PathBuf| base.join("ckpt").join("config.json");
    let places = [
        path(CKPT_CONFIG),
        path(XDG_CONFIG_HOME).map(in_base),
        path(HOME).map(|home| in_base(home.join(".config"))),
    ];
    places.into_iter().flatten().collect()
}
