//! The library's entry point, used by the command line, the hooks and the Node package.
//!
//! A [`Workspace`] combines a repository, its store and the rules of each kind of checkpoint. It only decides which
//! rule applies to which document.

mod absorb;
mod archive;
mod change;
mod command;
mod damage;
mod error;
mod facts;
mod followers;
mod fork;
mod gate;
mod gone;
mod handoff;
mod health;
mod kind;
mod listing;
mod lost;
mod moving;
mod names;
mod neighbours;
mod permissions;
mod pipeline;
mod plan;
mod restart;
mod seals;
mod sessions;
mod sub_agents;
mod survey;
mod travel;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use absorb::Absorbed;
pub use archive::{Archived, InFlight};
pub use change::Outcome;
pub use command::{Base, CommandCheckpoint, Finished, GateRequest, StartRequest, Started};
pub use damage::{DamagedArchive, HistoryFlaw};
pub use error::{Purpose, WorkspaceError};
pub use facts::{Acknowledged, Depth, Ground};
pub use followers::{
    Barred, Batch, Delivered, Elsewhere, Finish, Followers, Guard, Lag, Receive, Records, Standing,
    Told, Undelivered,
};
pub use fork::{Forked, Origin, Renamed};
pub use gate::{
    BlockedGate, Consent, Gate, GateReport, GateResult, GateRun, Shipped, ShippingText, Tracking,
    Wanted,
};
pub use handoff::{Carried, PhaseEnding, Recorded, ReplyPlace};
pub use health::HeldLock;
pub use kind::Kind;
pub use listing::{Problem, Summary};
pub use lost::{
    BroughtBack, DeletedCopy, LeftHistory, Lost, LostArchive, LostPart, MirrorHealth, Returning,
    UnusableCopy,
};
pub use moving::Footing;
pub use names::Creation;
pub use permissions::{Permission, Permissions, Standing as PermissionStanding};
pub use pipeline::{PipelineCheckpoint, PipelineStarted, PipelineView, SpecState, Wording};
pub use plan::{
    ActivePlan, Imported, LocalOnly, PlanCheckpoint, PlanOutcome, PlanVersion, PlanView, Preview,
    Rebuilt, RebuiltFrom,
};
pub use restart::{Found, Healed, Healing, Restart};
pub use seals::UnsealedThing;
pub use sessions::{
    Asked, Beginning, Closing, LeftBehind, MOST_NUDGES, OtherSessions, SendingBack, SessionRecord,
    Sessions,
};
pub use survey::Survey;
pub use travel::{SessionUndo, TakingBack};

use crate::command::judge;
use crate::disk::{Budget, OsDisk};
use crate::document::{Document, Node};
use crate::finding::Finding;
use crate::gate::{Approvals, Trust};
use crate::history::{
    Counts, History, HistoryError, Line, Revision, Whereabouts, content_at, is_named, names_at,
    replay, rewind,
};
use crate::integrations::Integrations;
use crate::key::{Key, PlanId};
use crate::layout::{Layout, MIRROR, Place, PlaceFile, WORKTREE_ID};
use crate::pipeline::{self as pipeline_rules, Pipeline, Requires};
use crate::plan as plan_rules;
use crate::process::ProcessMark;
use crate::repository::{Environment, GitUse, Head, Repository};
use crate::seal::Vault;
pub use crate::store::LOCK_WAIT;
use crate::store::{Author, Edits, FileStore, MakeMirror, Mirror, Mirrored, StoreError};
use crate::time::{Clock, Timestamp};
use crate::tokens::Limit;

/// Settings of a workspace.
#[derive(Debug, Clone)]
pub struct Options {
    /// Who makes changes: `main`, `subagent:TYPE`, `team:ID`.
    pub by: String,
    /// The maximum length of a context summary, in tokens.
    pub summary_limit: Limit,
    /// How long a change waits for the lock.
    pub lock_wait: Duration,
    /// Whether symbolic links may lead state out of the repository.
    pub follow_symlinks: bool,
    /// The id of the sub-agent making changes, if known.
    pub agent: Option<String>,
    /// The session in which changes are made, if known.
    pub session: Option<String>,
    /// The plan to use when none is named. Overrides the chosen plan.
    pub active_plan: Option<PlanId>,
    /// Whether a pipeline needs an adversarial review before anything starts.
    pub review: Requires,
    /// Whose approvals count.
    pub approvals: Approvals,
    /// Who gives approvals: [`PERSON`](crate::gate::PERSON), or the name of an agent.
    pub approved_by: String,
    /// The user's own state directory, which holds the keys of directories outside git.
    pub user_state: Option<PathBuf>,
    /// Whether to tick tasks that an old progress file marks as done. Set only for commands the user runs: the file
    /// may have come with a clone.
    pub imports_progress: bool,
    /// The maximum number of plans to read, newest first.
    pub most_plans: Option<usize>,
    /// The maximum size of a plan's Markdown, in bytes.
    pub longest_plan: Option<u64>,
    /// The maximum number of checkpoints to read in one directory.
    pub most_checkpoints: Option<usize>,
    /// The maximum number of JSON names and values to read in one directory.
    pub most_values: Option<usize>,
    /// The maximum number of bytes of Markdown to read when listing plans. At least one plan is always read.
    pub most_plan_text: Option<u64>,
    /// The maximum number of bytes to read in total.
    pub read_budget: Option<u64>,
    /// Finds what a session or one of its sub-agents left behind, in its agent's form of a transcript.
    pub left_behind: fn(&SessionRecord, Option<&str>) -> LeftBehind,
    /// Sees to it that followers are told of a change that was made here.
    pub wake: fn(&Workspace),
    /// Told what a change brings back before it is made.
    pub returning: Option<Returning>,
    /// How git is run.
    pub git: GitUse,
    /// The source of the current time.
    pub clock: Clock,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            by: "main".to_owned(),
            summary_limit: Limit::default(),
            lock_wait: LOCK_WAIT,
            follow_symlinks: false,
            agent: None,
            session: None,
            active_plan: None,
            review: Requires::Nothing,
            approvals: Approvals::Anybody,
            approved_by: "script".to_owned(),
            user_state: None,
            imports_progress: true,
            most_plans: None,
            longest_plan: None,
            most_checkpoints: None,
            most_values: None,
            most_plan_text: None,
            read_budget: None,
            left_behind: |_, _| LeftBehind::default(),
            wake: |_| (),
            returning: None,
            git: GitUse::default(),
            clock: Timestamp::now,
        }
    }
}

/// The state of one repository, or of a directory outside git.
#[derive(Debug, Clone)]
pub struct Workspace {
    repository: Repository,
    layout: Layout,
    store: FileStore,
    options: Options,
    /// How many values of specifications may still be read.
    spec_values: Arc<AtomicUsize>,
    /// Files that may be specifications, once they were looked for.
    markdown: Arc<OnceLock<Vec<PathBuf>>>,
    /// The archive that a deleted checkpoint is read from here.
    unpacked: Option<PathBuf>,
}

/// A document that was read.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its key.
    pub key: Key,
    /// Its file.
    pub path: PathBuf,
    /// Its content.
    pub document: Document,
}

impl Workspace {
    /// Opens the workspace that a directory belongs to. Writes nothing.
    pub fn open(
        directory: &Path,
        environment: &Environment,
        options: Options,
    ) -> Result<Self, WorkspaceError> {
        let repository = Repository::discover(directory, environment)?;
        Ok(Self::of(repository, options))
    }

    /// The workspace of a repository. Writes nothing.
    #[must_use]
    pub fn of(repository: Repository, options: Options) -> Self {
        let vault = repository.vault(options.user_state.as_deref());
        let git = [repository.git_dir(), repository.common_dir()];
        let git = git.into_iter().flatten().map(Path::to_owned).collect();
        let mut disk = OsDisk::at(repository.root(), repository.real_root());
        if let Some(bytes) = options.read_budget {
            disk = disk.within(Arc::new(Budget::new(bytes)));
        }
        let store = FileStore::on(Arc::new(disk), repository.root(), options.clock)
            .with_mirror(Mirrored::later(mirror(&repository, &vault, &options)))
            .with_vault(vault)
            .outside_of(git);
        Self::with_store(repository, store, options)
    }

    fn with_store(repository: Repository, store: FileStore, options: Options) -> Self {
        Self {
            layout: Layout::new(repository.root()),
            repository: repository.using(options.git.clone()),
            store: store
                .with_lock_wait(options.lock_wait)
                .following_symlinks(options.follow_symlinks)
                .visiting(options.most_checkpoints, options.most_values),
            spec_values: Arc::new(AtomicUsize::new(options.most_values.unwrap_or(usize::MAX))),
            markdown: Arc::default(),
            unpacked: None,
            options,
        }
    }

    /// The same workspace with other options.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self::with_store(self.repository, self.store, options)
    }

    /// The same workspace, holding the lock of a document: nobody else changes that between the changes made with it.
    fn holding(&self, place: &Place, author: &Author) -> Result<Self, WorkspaceError> {
        let store = self.store.holding(place, author);
        Ok(Self {
            store: store.map_err(|error| Purpose::Save.failed(error))?,
            ..self.clone()
        })
    }

    /// The vault that holds this repository's key.
    #[must_use]
    pub fn vault(&self) -> &Vault {
        self.store.vault()
    }

    /// The repository.
    #[must_use]
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The same workspace, with another limit on summaries.
    #[must_use]
    pub fn with_summary_limit(mut self, limit: Limit) -> Self {
        self.options.summary_limit = limit;
        self
    }

    /// The options of this workspace.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.options.clock)()
    }

    /// HEAD and branch. A problem with git must not block the work, so anything that cannot be read counts as
    /// unknown.
    #[must_use]
    pub fn head(&self) -> Head {
        self.repository.head().unwrap_or_default()
    }

    /// The author of a change made here, while this is checked out.
    fn author(&self, doing: &str, head: &Head) -> Author {
        Author {
            by: self.options.by.clone(),
            doing: doing.to_owned(),
            at: Whereabouts {
                session: self.options.session.clone(),
                branch: head.branch.clone(),
                head: head.commit.as_ref().map(ToString::to_string),
            },
            edits: Edits::Strangers,
        }
    }

    /// The path of a key's document.
    #[must_use]
    pub fn path(&self, key: &Key) -> PathBuf {
        self.layout.document(key)
    }

    /// How far to trust the gates of a document; `about` is its name in seals.
    #[must_use]
    pub fn trust<'t>(&'t self, about: &'t str) -> Trust<'t> {
        Trust {
            seals: self.store.vault().seals(),
            about,
            approvals: self.options.approvals,
            is_alive: ProcessMark::is_alive,
        }
    }

    /// The author of changes made here.
    #[must_use]
    pub fn made_by(&self) -> &str {
        &self.options.by
    }

    /// Reads a document, also from the archive; `None` if it does not exist.
    pub fn load(&self, key: &Key) -> Result<Option<Loaded>, WorkspaceError> {
        let path = self.path(key);
        let in_place = || {
            let bytes = self.store.read(&path)?;
            let document = bytes.map(Document::from_bytes).transpose();
            document.map_err(|source| StoreError::unreadable(path.clone(), source))
        };
        let in_archive = || self.archived_document(&self.layout.place(key));
        let document = self
            .store
            .in_place_or_archive(&path, &in_place, &in_archive);
        let document = document.map_err(|error| Purpose::Load.failed(error))?;
        Ok(document.map(|document| Loaded {
            key: key.clone(),
            path,
            document,
        }))
    }

    /// Reads a document, or fails if it does not exist.
    pub fn require(&self, key: &Key) -> Result<Loaded, WorkspaceError> {
        self.load(key)?
            .ok_or_else(|| WorkspaceError::not_found(key.clone()))
    }

    /// The revision of a loaded document; `None` if its history does not contain this content.
    pub fn revision(&self, loaded: &Loaded) -> Result<Option<Revision>, WorkspaceError> {
        let place = self.layout.place(&loaded.key);
        let content = loaded.document.text().as_bytes();
        let revision = self.store.revision(&place, content);
        revision.map_err(|error| Purpose::Load.failed(error))
    }

    /// Opens the history of a document, also in the archive; `None` if it has none.
    pub fn history(&self, key: &Key) -> Result<Option<History>, WorkspaceError> {
        let history = self.store.any_history(&self.layout.place(key));
        let history = history.map_err(|error| Purpose::Load.failed(error))?;
        Ok(history.map(History::new))
    }

    /// The document at an earlier revision.
    pub fn at_revision(&self, key: &Key, revision: &Revision) -> Result<Document, WorkspaceError> {
        let place = self.layout.place(key);
        let load = |error: StoreError| Purpose::Load.failed(error);
        let found = self.find_revision(&place, revision).map_err(load)?;
        let (name, revision) = (key.short(), revision.to_string());
        let read = match found {
            Some(content) => {
                Document::from_bytes(content).map_err(|source| HistoryError::Damaged {
                    name,
                    revision,
                    source,
                })
            }
            None => Err(HistoryError::Unknown {
                name,
                revision,
                path: self.history_path(key),
            }),
        };
        read.map_err(|error| load(StoreError::History(error)))
    }

    /// Works forward from the last whole content before it. Where that is damaged, works back from the current content, or
    /// else forward from the beginning of the history.
    fn find_revision(
        &self,
        place: &Place,
        revision: &Revision,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.file_at(place, place.document(), revision)
    }

    /// The names of the files that there were at a revision.
    fn names_at(&self, place: &Place, revision: &Revision) -> Result<Vec<String>, StoreError> {
        let Some(history) = self.store.any_history(place)? else {
            return Ok(Vec::new());
        };
        let unreadable = |source| StoreError::history(&place.history, source);
        let sealer = place.sealer(self.store.vault().seals());
        let is_ours = |line: &Line| line.is_vouched(sealer);
        let counts: [Counts<'_>; 2] = [&is_ours, &|_| true];
        for counts in counts {
            let found = names_at(&*history, revision, counts);
            if let Some(found) = found.map_err(unreadable)? {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    fn file_at(
        &self,
        place: &Place,
        PlaceFile { path, name, .. }: &PlaceFile,
        revision: &Revision,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(history) = self.store.any_history(place)? else {
            return Ok(None);
        };
        let unreadable = |source| StoreError::history(&place.history, source);
        // Lines that carry our seal come first: anybody can have written the others.
        let sealer = place.sealer(self.store.vault().seals());
        let is_ours = |line: &Line| line.is_vouched(sealer);
        let counts: [Counts<'_>; 2] = [&is_ours, &|_| true];
        for counts in counts {
            let found = content_at(&*history, name, revision, counts);
            if let Some(found) = found.map_err(unreadable)? {
                return Ok(Some(found));
            }
        }
        // Going through all of a long history takes seconds.
        if !is_named(&*history, revision).map_err(unreadable)? {
            return Ok(None);
        }
        if let Some(present) = self.store.read(path)?
            && let Some(found) = rewind(&*history, name, &present, revision).map_err(unreadable)?
        {
            return Ok(Some(found));
        }
        let contents = replay(&*history, Some(revision), |_| true).map_err(unreadable)?;
        Ok(contents.and_then(|mut contents| contents.remove(name)))
    }

    /// Everything that is wrong or odd about the document of a key.
    fn judge_as(&self, key: &Key, document: &Document) -> Vec<Finding> {
        match key {
            Key::Command(_) => judge(document, self.options.summary_limit),
            Key::Pipeline(_) => pipeline_rules::judge(document, None),
            Key::Plan(_) => plan_rules::judge_state(document),
        }
    }

    /// Everything that is wrong or odd about a document whose kind is told by its shape.
    #[must_use]
    pub fn judge(&self, document: &Document) -> Vec<Finding> {
        let root = document.root();
        match DocumentKind::of(root) {
            DocumentKind::PlanState => plan_rules::judge_state(document),
            DocumentKind::PlanBackup => plan_rules::judge_backup(document),
            DocumentKind::Pipeline => pipeline_rules::judge(document, None),
            DocumentKind::Integrations => Integrations::read(document).1,
            DocumentKind::Command => judge(document, self.options.summary_limit),
        }
    }
}

/// How to find the mirror of a repository's histories, which lies beside the key. Few commands ask for it.
fn mirror(repository: &Repository, vault: &Vault, options: &Options) -> MakeMirror {
    let (repository, user_state) = (repository.clone(), options.user_state.clone());
    let directory = vault.directory().map(Path::to_owned);
    Arc::new(move || {
        let root = repository.root();
        // The disk follows no link. A git directory elsewhere may be named through one.
        let real = |place: &Path| match (place.starts_with(root), place.parent(), place.file_name())
        {
            (false, Some(parent), Some(name)) => {
                parent.canonicalize().ok().map(|real| real.join(name))
            }
            _ => Some(place.to_owned()),
        };
        let id = real(&repository.private_directory(user_state.as_deref())?)?.join(WORKTREE_ID);
        let directory = real(directory.as_ref()?)?.join(MIRROR);
        Some(Mirror::new(directory, id, root))
    })
}

/// The kind of a document, recognised by its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// A command checkpoint, or any document that is none of the others.
    Command,
    /// A pipeline.
    Pipeline,
    /// The state of a plan.
    PlanState,
    /// The backup of a plan's state.
    PlanBackup,
    /// The settings of integrations.
    Integrations,
}

impl DocumentKind {
    /// Recognises a document by its members.
    #[must_use]
    pub fn of(root: Node<'_>) -> Self {
        let is_state = |node: Node<'_>| node.get("planId").is_some();
        if is_state(root) {
            return Self::PlanState;
        }
        match root.get("state") {
            Some(state) if is_state(state) => Self::PlanBackup,
            _ if Pipeline::is_one(root) => Self::Pipeline,
            _ if Integrations::are_in(root) => Self::Integrations,
            _ => Self::Command,
        }
    }
}
