//! The paths of a repository's state. Every path is made here, and nothing is read.

mod kept_as;
mod place;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use kept_as::KeptAs;
pub use place::{Place, PlaceFile, Role};

use crate::disk::Mode;
use crate::key::{CommandKey, Key, KeyError, PipelineId, PlanId};

/// The state directory: command checkpoints and everything that ckpt adds.
pub const STATE_DIRECTORY: &str = ".claude/state";

/// The suffix of document files.
pub const CHECKPOINT_ENDING: &str = ".json";

/// The directory of pipelines.
pub(crate) const PIPELINES_DIRECTORY: &str = ".claude/skills/build-pipeline/checkpoints";

/// The directory of plans.
pub const PLANS_DIRECTORY: &str = "plans";

/// The file that defines a plan.
pub const PLAN_FILE: &str = "plan.md";

/// The directory beside a plan for what we store about it.
pub const PLAN_STATE_DIRECTORY: &str = ".checkpoint";

/// The state of a plan.
pub const PLAN_STATE_FILE: &str = "state.json";

/// The backup of a plan's state.
pub const PLAN_BACKUP_FILE: &str = "recovery.json";

/// Where a plan's progress was kept before checkpoints, relative to the plan.
pub const PLAN_LEGACY_FILE: &str = ".memory/progress.json";

/// The current plan's file, in the state directory.
const ACTIVE_PLAN: &str = "active-plan";

/// The session records, in the state directory.
pub(crate) const SESSIONS: &str = "sessions";

/// The hook log, in the state directory.
pub const HOOK_LOG: &str = "hooks.jsonl";

/// The list of commands with a gate, in our directory inside the git directory.
pub(crate) const GATED: &str = "gated";

/// The private directory of the files of approved content.
pub(crate) const APPROVED: &str = "approved";

/// Events that hooks deferred, in our directory inside the git directory.
pub const LATE: &str = "late";

/// What `ckpt init` changed, in our directory inside the git directory.
pub const INIT_RECEIPT: &str = "init.json";

/// The copies of histories, in the vault: a directory for each worktree.
pub(crate) const MIRROR: &str = "mirror";

/// In the mirror's directory of a worktree, the copies of histories that were lost before.
pub(crate) const MIRROR_EARLIER: &str = "earlier";

/// In the mirror's directory of a worktree, the file that names its root.
pub(crate) const MIRROR_ROOT: &str = "root";

/// The id of a worktree in the mirror, in our directory inside its git directory.
pub(crate) const WORKTREE_ID: &str = "worktree";

/// The lock under which tasks are assigned, in the vault.
pub(crate) const CLAIMS_LOCK: &str = "claims.lock";

/// The archive, in the state directory, and in the mirror's directory of a worktree.
pub(crate) const ARCHIVE: &str = "archive";

/// The histories that their copies are behind, in the state directory: an empty file for each.
pub(crate) const OWED: &str = "owed";

/// The beginning of the names of notes about renamings, among what is owed.
pub(crate) const RENAMING: &str = "renaming.";

/// In the archive, what was deleted.
pub const TRASH: &str = "trash";

/// The followers, in the vault.
pub(crate) const FOLLOWERS: &str = "followers";

/// What the user has allowed to be contacted, in our directory inside the git directory.
pub(crate) const ALLOWED: &str = "allowed";

/// The lock files, in the state directory.
pub(crate) const LOCKS: &str = "locks";
/// The histories, in the state directory.
const HISTORY: &str = "history";
const HISTORY_ENDING: &str = ".jsonl";

/// The paths of a repository's state.
#[derive(Debug, Clone)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout of the repository at this root.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// The state directory.
    #[must_use]
    pub fn state_directory(&self) -> PathBuf {
        self.root.join(STATE_DIRECTORY)
    }

    /// The file that holds a document: that of its place, but far cheaper to name.
    #[must_use]
    pub fn document(&self, key: &Key) -> PathBuf {
        let named = |directory: PathBuf, mut stem: String| {
            stem.push_str(CHECKPOINT_ENDING);
            directory.join(stem)
        };
        match key {
            Key::Command(key) => named(self.state_directory(), key.stem()),
            Key::Pipeline(id) => named(self.pipelines_directory(), id.stem()),
            Key::Plan(id) => {
                let mut path = self.plan_directory(id);
                path.push(PLAN_STATE_DIRECTORY);
                path.push(PLAN_STATE_FILE);
                path
            }
        }
    }

    /// The files of a document.
    #[must_use]
    pub fn place(&self, key: &Key) -> Place {
        match key {
            Key::Command(key) => self.command_place(key),
            Key::Pipeline(id) => self.pipeline_place(id),
            Key::Plan(id) => self.plan_place(id, &[]),
        }
    }

    /// The files of a document that is kept under this name; for a plan, those of the given names that can be its own.
    ///
    /// # Errors
    ///
    /// If this is not the name of a document.
    pub(crate) fn place_of(&self, kept_as: &KeptAs, files: &[String]) -> Result<Place, KeyError> {
        Ok(match kept_as.key()? {
            Some(Key::Plan(id)) => {
                let phases = files.iter().filter(|name| phase_number(name).is_some());
                let phases: Vec<String> = phases.cloned().collect();
                self.plan_place(&id, &phases)
            }
            Some(key) => self.place(&key),
            None => self.one_file(kept_as.clone(), &self.state_directory(), Mode::Private),
        })
    }

    /// The directory of the archive.
    pub(crate) fn archive_directory(&self) -> PathBuf {
        self.state_directory().join(ARCHIVE)
    }

    /// The directory of histories, but for those of plans.
    pub(crate) fn histories_directory(&self) -> PathBuf {
        self.state_directory().join(HISTORY)
    }

    /// The directory of pipelines.
    #[must_use]
    pub fn pipelines_directory(&self) -> PathBuf {
        self.root.join(PIPELINES_DIRECTORY)
    }

    fn pipeline_place(&self, id: &PipelineId) -> Place {
        let kept_as = KeptAs::of_pipeline(id);
        self.one_file(kept_as, &self.pipelines_directory(), Mode::Umask)
    }

    /// The files of a single-file document, with the lock it shares with others of its kind.
    fn one_file(&self, kept_as: KeptAs, directory: &Path, mode: Mode) -> Place {
        let state = self.state_directory();
        let (kind, stem) = (kept_as.kind(), kept_as.stem());
        let name = format!("{stem}{CHECKPOINT_ENDING}");
        Place {
            lock: state.join(LOCKS).join(format!("{kind}.lock")),
            history: state.join(HISTORY).join(kept_as.history()),
            archive: state.join(ARCHIVE).join(kept_as.archive()),
            files: vec![PlaceFile {
                path: directory.join(&name),
                name,
                role: Role::Own,
            }],
            ignored: vec![state.join(HISTORY), state],
            mode,
            about: kept_as.sealed_name(),
            kept_as,
        }
    }

    /// The directory of plans.
    #[must_use]
    pub fn plans_directory(&self) -> PathBuf {
        self.root.join(PLANS_DIRECTORY)
    }

    /// The directory of a plan.
    #[must_use]
    pub fn plan_directory(&self, id: &PlanId) -> PathBuf {
        self.plans_directory().join(id.as_str())
    }

    /// The directory of session records.
    #[must_use]
    pub fn sessions_directory(&self) -> PathBuf {
        self.state_directory().join(SESSIONS)
    }

    /// The file that names the current plan.
    #[must_use]
    pub fn active_plan(&self) -> PathBuf {
        self.state_directory().join(ACTIVE_PLAN)
    }

    /// The files of a plan with these phase files: the Markdown first, then the state.
    #[must_use]
    pub fn plan_place(&self, id: &PlanId, phase_files: &[String]) -> Place {
        let directory = self.plan_directory(id);
        let own = directory.join(PLAN_STATE_DIRECTORY);
        let state = self.state_directory();
        let shared = |name: &str| PlaceFile {
            path: directory.join(name),
            name: name.to_owned(),
            role: Role::Shared,
        };
        let markdown = std::iter::once(PLAN_FILE).chain(phase_files.iter().map(String::as_str));
        let mut files: Vec<PlaceFile> = markdown.map(shared).collect();
        files.push(PlaceFile {
            path: own.join(PLAN_STATE_FILE),
            name: PLAN_STATE_FILE.to_owned(),
            role: Role::Own,
        });
        let kept_as = KeptAs::of_plan(id);
        Place {
            lock: state.join(LOCKS).join(format!("plan-{id}.lock")),
            history: own.join("history.jsonl"),
            archive: state.join(ARCHIVE).join(kept_as.archive()),
            files,
            ignored: vec![state, own],
            mode: Mode::Private,
            about: kept_as.sealed_name(),
            kept_as,
        }
    }

    fn command_place(&self, key: &CommandKey) -> Place {
        let kept_as = KeptAs::of_command(key);
        self.one_file(kept_as, &self.state_directory(), Mode::Private)
    }
}

/// The number in `phase-01-setup.md`; `None` for files that are not part of a plan.
#[must_use]
pub fn phase_number(name: &str) -> Option<usize> {
    let rest = name.strip_prefix("phase-")?.strip_suffix(".md")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let follows = matches!(rest.as_bytes().get(digits), None | Some(b'-'));
    (digits > 0 && follows)
        .then(|| rest[..digits].parse().ok())
        .flatten()
}
