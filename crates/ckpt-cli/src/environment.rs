//! What the environment says. Every variable that `ckpt` reads is a constant here.

use std::env;
use std::path::PathBuf;

use ckpt::repository::Environment;

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
/// When an event was told, for a hook that another hook has started.
pub(crate) const CKPT_EVENT_AT: &str = "CKPT_EVENT_AT";
/// The process of the agent, for a hook that another hook has started.
pub(crate) const CKPT_AGENT_PID: &str = "CKPT_AGENT_PID";
/// The process of Claude Code, which it tells its hooks.
pub(crate) const CLAUDE_PID: &str = "CLAUDE_PID";
/// Where the user's own settings lie: a file.
pub(crate) const CKPT_CONFIG: &str = "CKPT_CONFIG";
/// What the variables for settings start with: `summary_limit` is `CKPT_SUMMARY_LIMIT`.
pub(crate) const SETTING_PREFIX: &str = "CKPT_";
/// The directory for users' settings files.
const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The home directory.
const HOME: &str = "HOME";

/// What the environment says about git.
pub(crate) fn git() -> Environment {
    let ceilings = variable(GIT_CEILING_DIRECTORIES);
    Environment {
        git_root: path(GIT_ROOT),
        git_dir: path(GIT_DIR),
        git_work_tree: path(GIT_WORK_TREE),
        ceiling_directories: ceilings.iter().flat_map(env::split_paths).collect(),
    }
}

/// The session of an agent that this command runs in.
pub(crate) fn session() -> Option<String> {
    SESSIONS.iter().find_map(|variable| text(variable))
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

/// The user's own settings file, whether it exists or not.
pub(crate) fn user_settings() -> Option<PathBuf> {
    path(CKPT_CONFIG).or_else(|| {
        let base = path(XDG_CONFIG_HOME).or_else(|| Some(path(HOME)?.join(".config")));
        Some(base?.join("ckpt").join("config.json"))
    })
}
