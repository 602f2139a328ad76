//! The events that a history records.

use std::fmt;

use crate::document::{Object, Value};

/// Declares the events, each with its name in the history.
macro_rules! event_names {
    ($($(#[$about:meta])* $name:ident = $word:literal,)*) => {
        /// The name of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventName {
            $($(#[$about])* $name,)*
        }

        impl EventName {
            /// All event names.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name as written in a history.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Parses the written name; `None` for events of other writers.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

event_names! {
    // What the store finds.
    /// A history begins for files that were already there.
    Adopted = "adopted",
    /// A change never took effect; the member of the same name says which.
    Aborted = "aborted",
    /// A change was made again on top of another program's edit.
    Rebased = "rebased",
    /// Another program edited one of our files.
    ExternalEdit = "external_edit",
    /// An earlier content was put back from outside.
    Rewound = "rewound",
    /// A file that others may edit was edited by somebody.
    ChecksumMismatch = "checksum_mismatch",
    /// The author edited a file of the plan; a hook saw it.
    PlanEdited = "plan_edited",
    /// An unreadable file was copied aside before it was replaced.
    CorruptMovedAside = "corrupt_moved_aside",

    // Commands.
    /// A checkpoint was started.
    CheckpointStarted = "checkpoint_started",
    /// A finished or abandoned checkpoint was reopened.
    CheckpointReopened = "checkpoint_reopened",
    /// The issue that it is about was recorded.
    IssueRecorded = "issue_recorded",
    /// A phase changed.
    PhaseUpdated = "phase_updated",
    /// A checkpoint was completed.
    CheckpointCompleted = "checkpoint_completed",
    /// A checkpoint was abandoned.
    CheckpointAbandoned = "checkpoint_abandoned",
    /// A whole document was saved.
    CheckpointSaved = "checkpoint_saved",
    /// The gate was approved or blocked.
    GateSet = "gate_set",
    /// A blocked gate was overridden.
    GateOverridden = "gate_overridden",

    // Gates of all kinds, and handoffs.
    /// A gate started running.
    GateStarted = "gate_started",
    /// A gate's run was interrupted.
    GateInterrupted = "gate_interrupted",
    /// A gate passed.
    GatePassed = "gate_passed",
    /// A gate failed.
    GateFailed = "gate_failed",
    /// A sub-agent's response was recorded.
    HandoffRecorded = "handoff_recorded",
    /// Somebody answered a response that said not to proceed.
    HandoffAnswered = "handoff_answered",

    // Pipelines.
    /// A pipeline was initialized.
    PipelineInitialized = "pipeline_initialized",
    /// The pipeline was updated from its specification.
    PipelineSynced = "pipeline_synced",
    /// A task was added to a plan.
    TaskAdded = "task_added",
    /// The text of a task was changed.
    TaskEdited = "task_edited",
    /// A pipeline waits for approval.
    PipelinePaused = "pipeline_paused",
    /// A pipeline failed, because a gate had failed before its last workstream ended.
    PipelineFailed = "pipeline_failed",
    /// A pipeline was approved to continue.
    PipelineApproved = "pipeline_approved",
    /// A failure was fixed.
    PipelineFixed = "pipeline_fixed",
    /// Running workstreams were reset to pending.
    PipelineRestarted = "pipeline_restarted",
    /// A pipeline was completed.
    PipelineCompleted = "pipeline_completed",
    /// A finished pipeline was reopened.
    PipelineReopened = "pipeline_reopened",
    /// A pipeline was aborted.
    PipelineAborted = "pipeline_aborted",
    /// A note was added to the run.
    PipelineNoted = "pipeline_noted",
    /// The adversarial review was recorded.
    PipelineReviewed = "pipeline_reviewed",
    /// A workstream was started.
    WorkstreamStarted = "workstream_started",
    /// A workstream was completed.
    WorkstreamCompleted = "workstream_completed",
    /// A workstream failed.
    WorkstreamFailed = "workstream_failed",
    /// A workstream was deferred.
    WorkstreamDeferred = "workstream_deferred",
    /// The specification has a new workstream.
    WorkstreamAdded = "workstream_added",
    /// The specification no longer has a workstream.
    WorkstreamRemoved = "workstream_removed",

    // Plans.
    /// The state of a plan was created.
    CheckpointCreated = "checkpoint_created",
    /// The state was updated from the Markdown.
    StateSynced = "state_synced",
    /// A task was ticked.
    TaskCompleted = "task_completed",
    /// A task was unticked.
    TaskReopened = "task_reopened",
    /// A completed task is no longer in the Markdown.
    TaskRemoved = "task_removed",
    /// An open task is no longer in the Markdown.
    TaskVanished = "task_vanished",
    /// A task was claimed.
    TaskClaimed = "task_claimed",
    /// A claim was released.
    TaskReleased = "task_released",
    /// Claims of agents that no longer run were dropped.
    ClaimsLapsed = "claims_lapsed",
    /// All tasks of a phase are done.
    PhaseCompleted = "phase_completed",
    /// An acceptance criterion is met.
    AcceptanceMet = "acceptance_met",
    /// An acceptance criterion is no longer met.
    AcceptanceLost = "acceptance_lost",
    /// A decision was recorded by a command.
    DecisionRecorded = "decision_recorded",
    /// A decision was found in the Markdown.
    DecisionNoticed = "decision_noticed",
    /// A blocker was added.
    BlockerAdded = "blocker_added",
    /// A blocker was removed.
    BlockerRemoved = "blocker_removed",
    /// A session note was added.
    NoteAdded = "note_added",
    /// The session notes were replaced.
    NotesReplaced = "notes_replaced",
    /// The session notes were cleared.
    NotesCleared = "notes_cleared",
    /// A backup of the state was made.
    BackupCreated = "backup_created",
    /// The Markdown could not be parsed.
    ParseError = "parse_error",
    /// A lost state was restored from its backup.
    StateCorrupted = "state_corrupted",
    /// A lost state was rebuilt from the Markdown.
    FullRecovery = "full_recovery",
    /// Lost Markdown was restored from the history.
    PlanRestored = "plan_restored",
    /// A legacy progress file was imported.
    LegacyImported = "legacy_imported",

    // Every kind.
    /// Files that were missing were brought back.
    Recovered = "recovered",
    /// It was archived.
    Archived = "archived",
    /// It was deleted, into the archive.
    Deleted = "deleted",
    /// It was brought back from the archive.
    Unarchived = "unarchived",
    /// It began as a copy of another checkpoint; the details say of which.
    Forked = "forked",
    /// It has another name since, and went into the archive.
    Renamed = "renamed",
    /// An earlier revision was restored; the member of the same name says which.
    Restored = "restored",
    /// A change was taken back; the member of the same name says which.
    Undone = "undone",
    /// Somebody has seen a hazard and dealt with it.
    HazardAcknowledged = "hazard_acknowledged",

    // Sessions and sub-agents.
    /// A session ended without being closed.
    SessionCrash = "session_crash",
    /// A session recovered what a crashed one left unfinished.
    SessionRecovered = "session_recovered",
    /// A sub-agent was seen for the first time.
    SubagentSeen = "subagent_seen",
    /// A sub-agent started.
    SubagentStarted = "subagent_started",
    /// A sub-agent stopped.
    SubagentStopped = "subagent_stopped",
}

impl fmt::Display for EventName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl From<EventName> for Value {
    fn from(name: EventName) -> Self {
        name.as_str().into()
    }
}

/// An event to record.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its name.
    pub name: EventName,
    /// Its details.
    pub fields: Object,
}

impl Event {
    /// An event without details.
    #[must_use]
    pub fn new(name: EventName) -> Self {
        Self {
            name,
            fields: Object::new(),
        }
    }

    /// Adds one detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.set(name, value);
        self
    }
}
