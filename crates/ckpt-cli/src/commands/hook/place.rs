//! Finds the workspace of an event, and limits how much a hook reads there.

use std::path::{Path, PathBuf};

use ckpt::repository::{Environment, Repository, RepositoryError};
use ckpt::workspace::{Options, Workspace};
use ckpt_agents::{Event, Happening, Tool};

use crate::environment::Variables;
use crate::worker;

/// A hook reads at most this many plans, the newest first.
const MOST_PLANS: usize = 200;

/// The largest plan that a hook tracks, in bytes: about twenty times what people write.
const LONGEST_PLAN: u64 = 512 * 1024;

/// A hook reads at most this many command checkpoints, and as many pipelines.
const MOST_CHECKPOINTS: usize = 2_000;

/// A hook reads at most this many names and values in each checkpoint directory.
const MOST_VALUES: usize = 250_000;

/// A hook reads at most this much Markdown to list plans, in bytes.
const MOST_PLAN_TEXT: u64 = 1024 * 1024;

/// A hook reads at most this much of a repository, in bytes: more would take longer than an agent waits.
const READ_BUDGET: u64 = 24 * 1024 * 1024;

/// Limits for commands that an agent waits for: a clone can contain more than there is time to read.
pub(crate) fn limited() -> Options {
    Options {
        read_budget: Some(READ_BUDGET),
        most_plans: Some(MOST_PLANS),
        longest_plan: Some(LONGEST_PLAN),
        most_checkpoints: Some(MOST_CHECKPOINTS),
        most_values: Some(MOST_VALUES),
        most_plan_text: Some(MOST_PLAN_TEXT),
        ..Options::default()
    }
}

/// The workspace of an event, if it uses ckpt: that of the edited file, or else that of the agent's working directory.
/// A session stays in the workspace where it began, even if the agent has changed directories since.
pub(super) fn workspace_of(variables: &Variables, event: Option<&Event>) -> Option<Workspace> {
    let open = |directory: &Path| {
        let directory = Some(directory).filter(|directory| directory.is_dir())?;
        let repository = repository_of(variables, directory).ok()?;
        let options = Options {
            user_state: variables.user_state(&repository),
            wake: worker::wake,
            ..limited()
        };
        let workspace = Workspace::of(repository, options);
        Some(workspace).filter(Workspace::is_in_use)
    };
    let here = event.and_then(|event| event.directory.clone());
    let here = here.filter(|directory| directory.is_dir());
    let here = here.or_else(|| std::env::current_dir().ok())?;
    if let Some(Happening::AfterTool(Tool::Edit { files })) = event.map(|event| &event.happening)
        && let Some(parent) = files.first().and_then(|file| file.parent())
        && let Some(workspace) = open(&here.join(parent))
    {
        return Some(workspace);
    }
    let workspace = open(&here);
    let session = event
        .filter(|event| event.happening != Happening::SessionStart)
        .and_then(|event| event.session.as_deref());
    let knows = |workspace: &Workspace| {
        session.is_some_and(|session| workspace.sessions().get(session).is_some())
    };
    if workspace.as_ref().is_some_and(knows) {
        return workspace;
    }
    let mut began = variables.projects();
    let began = session.and_then(|_| began.find_map(|directory| open(&directory)));
    began.filter(knows).or(workspace)
}

/// The repository that an agent works in. A clone can set a hook's variables through an agent's settings, so they must
/// not redirect it: GIT_DIR counts only if no git directory is found.
fn repository_of(variables: &Variables, directory: &Path) -> Result<Repository, RepositoryError> {
    let named = variables.git();
    let holds_it = |root: &PathBuf| is_above(root, directory);
    let found = Environment {
        git_root: named.git_root.filter(holds_it),
        git_work_tree: named.git_work_tree.filter(holds_it),
        git_dir: None,
        ..named
    };
    let repository = Repository::discover(directory, &found)?;
    let extent = variables.extent(&repository);
    match named.git_dir.filter(|path| !extent.holds(path)) {
        Some(git_dir) if !repository.is_git() => {
            let git_dir = Some(git_dir);
            Repository::discover(directory, &Environment { git_dir, ..found })
        }
        _ => Ok(repository),
    }
}

/// Whether `above` is the directory or one of its ancestors.
fn is_above(above: &Path, directory: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let above = real(above);
    real(directory)
        .zip(above)
        .is_some_and(|(directory, above)| directory.starts_with(above))
}
