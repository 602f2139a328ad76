//! Durable, resumable workflow state for AI coding agents.
//!
//! An agent works for hours through commands, build pipelines and plans. Then it is killed, its context is compacted,
//! or sub-agents join in. This library records what is done, what is proven and what comes next in plain files beside
//! the code, so that the next process continues where the last one stopped.
//!
//! * **Nothing acknowledged is lost.** A change is recorded and synced before its files are touched. If it is
//!   interrupted, the next change completes it or rolls it back.
//! * **Files stay yours.** Unknown members, layout and comments are kept, and a plan is Markdown that people may edit
//!   at any time.
//! * **Many writers.** A lock serialises changes. What an editor saves in between is kept, not overwritten.
//! * **Every revision can be restored.** Each document has a history of its edits.
//! * **A clone is not believed.** What was written in this repository carries a seal. Approvals and receipts without
//!   one prove nothing.
//!
//! A [`Workspace`] is the state of one repository. These methods give access to the operations of each kind:
//! [`command`](Workspace::command), [`pipeline`](Workspace::pipeline), [`plan`](Workspace::plan) and
//! [`sessions`](Workspace::sessions). [`read`](Workspace::read) reads a checkpoint of any kind.
//!
//! ```
//! use ckpt::workspace::Depth;
//! use ckpt::{CommandKey, Environment, Options, PhaseStatus, PhaseUpdate, StartRequest, Workspace};
//!
//! # let directory = tempfile::tempdir()?;
//! # let directory = directory.path();
//! let workspace = Workspace::open(directory, &Environment::default(), Options::default())?;
//! let key = CommandKey::parse("implement/login")?;
//!
//! // An agent starts a command and gets through its first phase.
//! workspace.command(&key).start(&StartRequest::default())?;
//! let done = PhaseUpdate::to(PhaseStatus::Complete).with_summary("Login works; sessions are next");
//! workspace.command(&key).update_phase("implementation", &done)?;
//!
//! // Hours later, in another process:
//! let workspace = Workspace::open(directory, &Environment::default(), Options::default())?;
//! let facts = workspace.facts_about(&key.into(), Depth::Full)?;
//! let next = facts.next().ok_or("nothing is next")?;
//! assert_eq!(next.text, "Start phase validation of implement/login.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The library prints nothing, reads no environment variables and knows nothing about terminals: time, author and
//! settings are passed in as [`Options`].

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests play the other programs")
)]

pub mod command;
pub mod comparison;
mod disk;
pub mod document;
pub mod facts;
pub mod files;
mod finding;
pub mod follower;
pub mod gate;
pub mod handoff;
mod hash;
pub mod history;
pub mod integrations;
pub mod issue;
pub mod key;
pub mod layout;
mod operation;
pub mod pipeline;
pub mod plan;
pub mod process;
pub mod repository;
pub mod resume;
#[cfg(feature = "schema")]
pub mod schema;
pub mod seal;
mod shape;
pub mod shipping;
mod standing;
mod store;
mod sub_agents;
mod time;
pub mod tokens;
pub mod voice;
pub mod workspace;

pub use command::{PhaseStatus, PhaseUpdate};
pub use document::{Document, Object, Value};
pub use facts::{Fact, Facts};
pub use finding::{Finding, Severity};
pub use history::{Event, EventName, History, Revision};
pub use key::{CommandKey, Key, PipelineId, PlanId};
pub use operation::Refusal;
pub use repository::{Environment, Repository};
pub use standing::{Lifecycle, Newer, Progress};
pub use store::{Action as FileAction, ArchiveFlaw, Salvage, StoreError};
pub use time::{Clock, Timestamp};
pub use workspace::{
    CommandCheckpoint, Kind, Options, Outcome, PipelineCheckpoint, PlanCheckpoint, PlanOutcome,
    Sessions, StartRequest, Summary, Workspace, WorkspaceError,
};
