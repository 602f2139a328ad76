//! What happened, in the vocabulary of the history.

use std::fmt;

use crate::document::{Object, Value};

/// Declares the events, each with the word that stands for it in a history.
macro_rules! event_names {
    ($($(#[$about:meta])* $name:ident = $word:literal,)*) => {
        /// What an event is called.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventName {
            $($(#[$about])* $name,)*
        }

        impl EventName {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// As it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Reads the written form; `None` for the words of other writers.
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
    /// A change was made again on top of what somebody else wrote.
    Rebased = "rebased",
    /// Somebody else edited one of our files.
    ExternalEdit = "external_edit",
    /// Somebody put an earlier content back.
    Rewound = "rewound",
    /// Somebody edited a file that they may edit.
    ChecksumMismatch = "checksum_mismatch",
    /// An unreadable file was copied aside before it was replaced.
    CorruptMovedAside = "corrupt_moved_aside",

    // Commands.
    /// A checkpoint begins.
    CheckpointStarted = "checkpoint_started",
    /// A finished or abandoned checkpoint is worked on again.
    CheckpointReopened = "checkpoint_reopened",
    /// A phase changed.
    PhaseUpdated = "phase_updated",
    /// A checkpoint is finished.
    CheckpointCompleted = "checkpoint_completed",
    /// A checkpoint was given up.
    CheckpointAbandoned = "checkpoint_abandoned",
    /// A whole document was saved.
    CheckpointSaved = "checkpoint_saved",
    /// The gate was approved or blocked.
    GateSet = "gate_set",
    /// A blocked gate was overridden.
    GateOverridden = "gate_overridden",

    // Gates of all kinds, and handoffs.
    /// A gate is being run.
    GateStarted = "gate_started",
    /// A gate's run was cut off.
    GateInterrupted = "gate_interrupted",
    /// A gate passed.
    GatePassed = "gate_passed",
    /// A gate failed.
    GateFailed = "gate_failed",
    /// A sub-agent's response was recorded.
    HandoffRecorded = "handoff_recorded",

    // Pipelines.
    /// A pipeline begins.
    PipelineInitialized = "pipeline_initialized",
    /// The specification was taken over.
    PipelineSynced = "pipeline_synced",
    /// A pipeline waits for somebody to look at it.
    PipelinePaused = "pipeline_paused",
    /// Somebody let a pipeline continue.
    PipelineApproved = "pipeline_approved",
    /// A failure was mended.
    PipelineFixed = "pipeline_fixed",
    /// What was running is pending again.
    PipelineRestarted = "pipeline_restarted",
    /// A pipeline is finished.
    PipelineCompleted = "pipeline_completed",
    /// A finished pipeline is worked on again.
    PipelineReopened = "pipeline_reopened",
    /// A pipeline was given up.
    PipelineAborted = "pipeline_aborted",
    /// Something was noted about the run.
    PipelineNoted = "pipeline_noted",
    /// The adversarial review was recorded.
    PipelineReviewed = "pipeline_reviewed",
    /// A workstream began.
    WorkstreamStarted = "workstream_started",
    /// A workstream is done.
    WorkstreamCompleted = "workstream_completed",
    /// A workstream failed.
    WorkstreamFailed = "workstream_failed",
    /// A workstream was put off.
    WorkstreamDeferred = "workstream_deferred",
    /// The specification has a new workstream.
    WorkstreamAdded = "workstream_added",
    /// The specification no longer has a workstream.
    WorkstreamRemoved = "workstream_removed",

    // Plans.
    /// The state of a plan begins.
    CheckpointCreated = "checkpoint_created",
    /// The state follows the Markdown again.
    StateSynced = "state_synced",
    /// A task was ticked.
    TaskCompleted = "task_completed",
    /// A task was unticked.
    TaskReopened = "task_reopened",
    /// A done task is gone from the Markdown.
    TaskRemoved = "task_removed",
    /// Somebody took a task.
    TaskClaimed = "task_claimed",
    /// Somebody gave up a claim.
    TaskReleased = "task_released",
    /// Claims of agents that are gone no longer count.
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
    /// Something stands in the way.
    BlockerAdded = "blocker_added",
    /// Something no longer stands in the way.
    BlockerRemoved = "blocker_removed",
    /// The session notes got one more.
    NoteAdded = "note_added",
    /// The session notes are others now.
    NotesReplaced = "notes_replaced",
    /// The session notes are gone.
    NotesCleared = "notes_cleared",
    /// A copy of the state was made.
    BackupCreated = "backup_created",
    /// The Markdown cannot be followed.
    ParseError = "parse_error",
    /// A lost state was brought back from its copy.
    StateCorrupted = "state_corrupted",
    /// A lost state was brought back from the Markdown.
    FullRecovery = "full_recovery",
    /// Lost Markdown was brought back from the history.
    PlanRestored = "plan_restored",
    /// An old progress file was taken over.
    LegacyImported = "legacy_imported",

    // Sessions and sub-agents.
    /// A session ended without saying so.
    SessionCrash = "session_crash",
    /// A session took up what a crashed one left.
    SessionRecovered = "session_recovered",
    /// A sub-agent was heard of.
    SubagentSeen = "subagent_seen",
    /// A sub-agent began.
    SubagentStarted = "subagent_started",
    /// A sub-agent ended.
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

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// What it is called.
    pub name: EventName,
    /// What there is to say about it.
    pub fields: Object,
}

impl Event {
    /// An event with nothing to add.
    #[must_use]
    pub fn new(name: EventName) -> Self {
        Self {
            name,
            fields: Object::new(),
        }
    }

    /// The event with one more fact.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.set(name, value);
        self
    }
}
