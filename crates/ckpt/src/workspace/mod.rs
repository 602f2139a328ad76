//! The engine's front: what the command line, the hooks and the Node package call.
//!
//! A [`Workspace`] joins a repository, its store and the rules of the kinds. It decides nothing
//! itself beyond which rule runs on which document.

mod absorb;
mod change;
mod command;
mod error;
mod gate;
mod handoff;
mod health;
mod kind;
mod listing;
mod pipeline;
mod plan;
mod seals;
mod sessions;
mod survey;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

pub use absorb::Absorbed;
pub use change::Outcome;
pub use command::{Base, CommandCheckpoint, Finished, GateRequest, StartRequest, Started};
pub use error::{Purpose, WorkspaceError};
pub use gate::{BlockedGate, Consent, Gate, GateReport, GateResult, GateRun, Shipped};
pub use handoff::{Carried, PhaseEnding, Recorded, ReplyPlace};
pub use health::HeldLock;
pub use kind::Kind;
pub use listing::{Problem, Summary};
pub use pipeline::{PipelineCheckpoint, PipelineStarted, PipelineView, SpecState};
pub use plan::{
    ActivePlan, Imported, PlanCheckpoint, PlanOutcome, PlanView, Preview, Rebuilt, RebuiltFrom,
};
pub use seals::UnsealedThing;
pub use sessions::{
    Beginning, Closing, MOST_NUDGES, OtherSessions, SendingBack, SessionRecord, Sessions,
};
pub use survey::Survey;

use crate::command::judge;
use crate::disk::{Budget, OsDisk};
use crate::document::{Document, Node};
use crate::finding::Finding;
use crate::gate::{Approvals, Trust};
use crate::history::{History, HistoryError, Revision, replay, rewind};
use crate::key::{Key, PlanId};
use crate::layout::{Layout, Place, PlaceFile};
use crate::pipeline::{self as pipeline_rules, Pipeline};
use crate::plan as plan_rules;
use crate::process::ProcessMark;
use crate::repository::{Environment, GitUse, Head, Repository};
use crate::seal::Vault;
pub use crate::store::LOCK_WAIT;
use crate::store::{Author, FileStore, StoreError};
use crate::time::{Clock, Timestamp};
use crate::tokens::Limit;

/// What a surface may set.
#[derive(Debug, Clone)]
pub struct Options {
    /// Who makes changes: `main`, `subagent:TYPE`, `team:ID`.
    pub by: String,
    /// How many tokens a context summary may have.
    pub summary_limit: Limit,
    /// How long a change waits for the lock.
    pub lock_wait: Duration,
    /// Whether symbolic links may lead state out of the repository.
    pub follow_symlinks: bool,
    /// The id of the sub-agent that makes changes, where it is known.
    pub agent: Option<String>,
    /// The session that changes are made in, where it is known.
    pub session: Option<String>,
    /// The plan that is meant when none is named, whatever was chosen.
    pub active_plan: Option<PlanId>,
    /// Whose approvals count.
    pub approvals: Approvals,
    /// Who approves what is approved: [`PERSON`](crate::gate::PERSON), or which agent.
    pub approved_by: String,
    /// The user's own directory for state, where the keys of directories outside git are kept.
    pub user_state: Option<PathBuf>,
    /// Whether tasks that an old progress file has as done are ticked. Only where the user asks for something: the file may
    /// have come with a clone.
    pub imports_progress: bool,
    /// How many plans are looked at, the newest first, where that is limited.
    pub most_plans: Option<usize>,
    /// How large the Markdown of a plan may be, in bytes, where that is limited.
    pub longest_plan: Option<u64>,
    /// How many checkpoints of a directory are looked at, where that is limited.
    pub most_checkpoints: Option<usize>,
    /// How many names and values of such a directory are looked at, where that is limited.
    pub most_values: Option<usize>,
    /// How many bytes of Markdown are looked at to list plans, where that is limited. One plan is always looked at.
    pub most_plan_text: Option<u64>,
    /// How many bytes may be read, where that is limited.
    pub read_budget: Option<u64>,
    /// How git is run.
    pub git: GitUse,
    /// Where the time comes from.
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
            git: GitUse::default(),
            clock: Timestamp::now,
        }
    }
}

/// The state of one repository, or of a directory outside any.
#[derive(Debug, Clone)]
pub struct Workspace {
    repository: Repository,
    layout: Layout,
    store: FileStore,
    options: Options,
    /// How many values of specifications may still be read.
    spec_values: Arc<AtomicUsize>,
}

/// A document that was read.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its key.
    pub key: Key,
    /// Its file.
    pub path: PathBuf,
    /// What it says.
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
            options,
        }
    }

    /// The same workspace with other options.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self::with_store(self.repository, self.store, options)
    }

    /// The vault that holds the key of this repository.
    #[must_use]
    pub fn vault(&self) -> &Vault {
        self.store.vault()
    }

    /// The repository.
    #[must_use]
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The options it was opened with.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The present time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.options.clock)()
    }

    /// HEAD and branch. Trouble with git must not stand in the way of the work, so what cannot be
    /// read is unknown.
    #[must_use]
    pub fn head(&self) -> Head {
        self.repository.head().unwrap_or_default()
    }

    fn author(&self, doing: &str) -> Author {
        Author {
            by: self.options.by.clone(),
            doing: doing.to_owned(),
        }
    }

    /// Where the document of a key lies.
    #[must_use]
    pub fn path(&self, key: &Key) -> PathBuf {
        let place = self.layout.place(key);
        place.document().path.clone()
    }

    /// What is believed of the gates of a document that is called so in seals.
    #[must_use]
    pub fn trust<'t>(&'t self, about: &'t str) -> Trust<'t> {
        Trust {
            seals: self.store.vault().seals(),
            about,
            approvals: self.options.approvals,
            is_alive: ProcessMark::is_alive,
        }
    }

    /// Reads a document; `None` when there is none.
    pub fn load(&self, key: &Key) -> Result<Option<Loaded>, WorkspaceError> {
        let path = self.path(key);
        let load = |error| Purpose::Load.failed(error);
        let Some(bytes) = self.store.read(&path).map_err(load)? else {
            return Ok(None);
        };
        let document = Document::from_bytes(bytes);
        let document =
            document.map_err(|source| load(StoreError::unreadable(path.clone(), source)))?;
        Ok(Some(Loaded {
            key: key.clone(),
            path,
            document,
        }))
    }

    /// Reads a document that must be there.
    pub fn require(&self, key: &Key) -> Result<Loaded, WorkspaceError> {
        self.load(key)?
            .ok_or_else(|| WorkspaceError::not_found(key.clone()))
    }

    /// The revision that a loaded document is; `None` when its history does not know it.
    pub fn revision(&self, loaded: &Loaded) -> Result<Option<Revision>, WorkspaceError> {
        let place = self.layout.place(&loaded.key);
        let content = loaded.document.text().as_bytes();
        let revision = self.store.revision(&place, content);
        revision.map_err(|error| Purpose::Load.failed(error))
    }

    /// Opens the history of a document; `None` when there is none.
    pub fn history(&self, key: &Key) -> Result<Option<History>, WorkspaceError> {
        let history = self.store.history(&self.layout.place(key));
        let history = history.map_err(|error| Purpose::Load.failed(error))?;
        Ok(history.map(History::new))
    }

    /// The document as it was at a revision.
    pub fn at_revision(&self, key: &Key, revision: &Revision) -> Result<Document, WorkspaceError> {
        let place = self.layout.place(key);
        let load = |error: StoreError| Purpose::Load.failed(error);
        let found = self.find_revision(&place, revision).map_err(load)?;
        let document = found.and_then(|content| Document::from_bytes(content).ok());
        document.ok_or_else(|| {
            load(StoreError::History(HistoryError::Unknown {
                revision: revision.to_string(),
                path: place.history.clone(),
            }))
        })
    }

    /// Goes back from the present content, else forward from the beginning.
    fn find_revision(
        &self,
        place: &Place,
        revision: &Revision,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(history) = self.store.history(place)? else {
            return Ok(None);
        };
        let unreadable = |source| HistoryError::Io {
            path: place.history.clone(),
            source,
        };
        let PlaceFile { path, name, .. } = place.document();
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
            DocumentKind::Command => judge(document, self.options.summary_limit),
        }
    }
}

/// What a document is, told by its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// A command checkpoint, and what is nothing else.
    Command,
    /// A pipeline.
    Pipeline,
    /// The state of a plan.
    PlanState,
    /// The copy of the state of a plan.
    PlanBackup,
}

impl DocumentKind {
    /// Looks at a document.
    #[must_use]
    pub fn of(root: Node<'_>) -> Self {
        let is_state = |node: Node<'_>| node.get("planId").is_some();
        if is_state(root) {
            return Self::PlanState;
        }
        match root.get("state") {
            Some(state) if is_state(state) => Self::PlanBackup,
            _ if Pipeline::is_one(root) => Self::Pipeline,
            _ => Self::Command,
        }
    }
}
