//! Tools for the work as a whole, and for command checkpoints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Effect, Tool};
use crate::mcp::call::{Call, Refused, Standing};
use crate::mcp::line::Line;

/// The brief.
pub(super) struct Resume;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResumeInput {
    /// Default: everything in flight
    key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Brief {
    brief: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record_with: Option<String>,
}

impl Tool for Resume {
    const NAME: &'static str = "resume";
    const DESCRIPTION: &'static str =
        "Where the work stands: what to check first, what is next, what is done. Call it first.";
    const EFFECT: Effect = Effect::Reads;
    type Input = ResumeInput;
    type Output = Brief;

    fn run(call: &Call, input: ResumeInput) -> Result<Brief, Refused> {
        let resumed = call.run(Line::of(&["resume"]).names(input.key))?;
        let Resumed { text, facts } = resumed.read()?;
        let next = facts.into_iter().find(|fact| fact.kind == "next");
        let next = next.unwrap_or_default();
        Ok(Brief {
            brief: text,
            next: next.text,
            record_with: next.command,
        })
    }
}

#[derive(Deserialize)]
struct Resumed {
    text: String,
    facts: Vec<Fact>,
}

#[derive(Deserialize, Default)]
struct Fact {
    kind: String,
    text: Option<String>,
    command: Option<String>,
}

/// What is in flight.
pub(super) struct Status;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusInput {
    /// Finished and abandoned ones too
    #[serde(default)]
    all: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Overview {
    checkpoints: Vec<Row>,
    /// Files that cannot be read
    unreadable: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    key: String,
    state: String,
    done: u64,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    stale: bool,
    /// Another worktree's directory
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<String>,
}

impl Tool for Status {
    const NAME: &'static str = "status";
    const DESCRIPTION: &'static str =
        "The checkpoints in flight, here and in linked worktrees, and how far each is.";
    const EFFECT: Effect = Effect::Reads;
    type Input = StatusInput;
    type Output = Overview;

    fn run(call: &Call, input: StatusInput) -> Result<Overview, Refused> {
        let Worktrees { worktrees } = call.run(Line::of(&["status"]))?.read()?;
        let mut overview = Overview {
            checkpoints: Vec::new(),
            unreadable: Vec::new(),
        };
        for tree in worktrees {
            let worktree = Some(tree.root).filter(|_| !tree.current);
            let rows = tree.checkpoints.into_iter();
            let rows = rows.filter(|row| input.all || row.lifecycle == IN_FLIGHT);
            let rows = rows.map(|row| row.in_tree(worktree.clone()));
            overview.checkpoints.extend(rows);
            overview.unreadable.extend(tree.unreadable);
        }
        Ok(overview)
    }
}

/// How a checkpoint in flight is reported.
const IN_FLIGHT: &str = "in_flight";

#[derive(Deserialize)]
struct Worktrees {
    worktrees: Vec<Worktree>,
}

#[derive(Deserialize)]
struct Worktree {
    root: String,
    current: bool,
    checkpoints: Vec<Summary>,
    unreadable: Vec<String>,
}

#[derive(Deserialize)]
struct Summary {
    key: String,
    lifecycle: String,
    progress: Progress,
    current_phase: Option<String>,
    current_task: Option<String>,
    stale: Value,
}

#[derive(Deserialize)]
struct Progress {
    done: u64,
    total: u64,
}

impl Summary {
    fn in_tree(self, worktree: Option<String>) -> Row {
        Row {
            key: self.key,
            state: self.lifecycle,
            done: self.progress.done,
            total: self.progress.total,
            phase: self.current_phase,
            task: self.current_task,
            stale: !self.stale.is_null(),
            worktree,
        }
    }
}

/// Starts a command checkpoint.
pub(super) struct Start;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StartInput {
    /// Such as implement
    command: String,
    feature: Option<String>,
    /// In order; the seven known commands have their own
    #[serde(default)]
    phases: Vec<String>,
    /// As --new
    #[serde(default)]
    new: bool,
}

impl Tool for Start {
    const NAME: &'static str = "start";
    const DESCRIPTION: &'static str =
        "Start a checkpoint for a command. One that is in flight stays as it is.";
    const EFFECT: Effect = Effect::Records;
    type Input = StartInput;
    type Output = Standing;

    fn run(call: &Call, input: StartInput) -> Result<Standing, Refused> {
        if let Some(phase) = input.phases.iter().find(|phase| phase.contains(',')) {
            let message =
                format!("start: a phase cannot contain a comma: {phase:?}. Nothing was done.");
            return Err(Refused(message));
        }
        let names = [Some(input.command), input.feature].into_iter().flatten();
        let phases = Some(input.phases.join(",")).filter(|phases| !phases.is_empty());
        call.change(
            Line::of(&["start"])
                .option("phases", phases)
                .flag("new", input.new)
                .names(names),
        )
    }
}

/// Records the progress of a phase.
pub(super) struct Phase;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PhaseInput {
    /// Such as implement/auth
    key: String,
    phase: String,
    status: PhaseStatus,
    /// For whoever continues: results, decisions, pitfalls; 500 tokens at most
    summary: Option<String>,
    /// Why it failed
    error: Option<String>,
    /// Files that it created
    #[serde(default)]
    created: Vec<String>,
    /// Files that it changed
    #[serde(default)]
    modified: Vec<String>,
    /// As --new
    #[serde(default)]
    new: bool,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum PhaseStatus {
    Pending,
    InProgress,
    Complete,
    Failed,
    Skipped,
}

impl Tool for Phase {
    const NAME: &'static str = "phase";
    const DESCRIPTION: &'static str =
        "Record the progress of a phase, at its start and at its end.";
    const EFFECT: Effect = Effect::Records;
    type Input = PhaseInput;
    type Output = Standing;

    fn run(call: &Call, input: PhaseInput) -> Result<Standing, Refused> {
        let status = word(&input.status);
        let line = Line::of(&["phase"])
            .read_by("summary", input.summary)
            .option("error", input.error)
            .options("created", input.created)
            .options("modified", input.modified)
            .flag("new", input.new)
            .names([input.key, input.phase, status]);
        call.change(line)
    }
}

/// Completes or abandons a checkpoint.
pub(super) struct Close;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CloseInput {
    key: String,
    /// Why it is abandoned; omit to complete it
    abandon: Option<String>,
    /// As --force
    #[serde(default)]
    force: bool,
}

impl Tool for Close {
    const NAME: &'static str = "close";
    const DESCRIPTION: &'static str =
        "Complete a checkpoint when nothing is left to do, or abandon it.";
    const EFFECT: Effect = Effect::Records;
    type Input = CloseInput;
    type Output = Standing;

    fn run(call: &Call, input: CloseInput) -> Result<Standing, Refused> {
        let line = match input.abandon {
            Some(_) if input.force => {
                let message = "close: give abandon or force, not both. Nothing was done.";
                return Err(Refused(message.to_owned()));
            }
            Some(reason) => Line::of(&["abandon"]).option("reason", Some(reason)),
            None => Line::of(&["complete"]).flag("force", input.force),
        };
        call.change(line.names([input.key]))
    }
}

/// The history of a checkpoint.
pub(super) struct Log;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LogInput {
    key: Option<String>,
    /// Default 20
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct History {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Newest first
    entries: Vec<HistoryEntry>,
}

#[derive(Serialize, JsonSchema)]
struct HistoryEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    time: String,
    event: String,
    by: String,
    details: Map<String, Value>,
}

/// What an entry of the history is read with, and what nobody wants to know.
const BOOKKEEPING: [&str; 10] = [
    "ts", "event", "rev", "by", "epoch", "branch", "head", "files", "seal", "session",
];

impl Tool for Log {
    const NAME: &'static str = "log";
    const DESCRIPTION: &'static str =
        "The history of a checkpoint, or of all: what changed, when, by whom.";
    const EFFECT: Effect = Effect::Reads;
    type Input = LogInput;
    type Output = History;

    fn run(call: &Call, input: LogInput) -> Result<History, Refused> {
        let limit = input.limit.unwrap_or(20).to_string();
        let line = Line::of(&["log"]).option("number", Some(limit));
        let log = call.run(line.names(input.key))?;
        let Entries { entries } = log.read()?;
        let key = log.key().ok().map(|key| key.short());
        let entries = entries.into_iter().map(|mut entry| {
            if key.is_some() {
                entry.remove("checkpoint");
            }
            HistoryEntry::of(entry)
        });
        Ok(History {
            entries: entries.collect(),
            key,
        })
    }
}

#[derive(Deserialize)]
struct Entries {
    entries: Vec<Map<String, Value>>,
}

impl HistoryEntry {
    fn of(mut entry: Map<String, Value>) -> Self {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        let (time, event, by) = (text("ts"), text("event"), text("by"));
        let (time, event, by) = (time.to_owned(), event.to_owned(), by.to_owned());
        let revision = entry.get("rev").and_then(Value::as_u64);
        entry.retain(|name, _| !BOOKKEEPING.contains(&name.as_str()));
        Self {
            revision,
            time,
            event,
            by,
            details: entry,
        }
    }
}

/// A choice, as it is written on the command line.
pub(super) fn word(choice: &impl Serialize) -> String {
    match serde_json::to_value(choice) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
