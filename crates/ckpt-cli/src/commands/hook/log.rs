//! The hook log: which hooks fired, how long they took, and what went wrong.

use std::time::Instant;

use ckpt::Timestamp;
use ckpt::document::{Document, Node, Object, Value};
use ckpt::workspace::Workspace;
use ckpt_agents::Agent;

/// The log file in the state directory.
const NAME: &str = "hooks.jsonl";

/// The log is rotated at this size, in bytes; the previous file is kept.
const LONGEST: u64 = 256 * 1024;

/// A line of the log.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) agent: Agent,
    pub(crate) event: String,
    pub(crate) begin: Instant,
    /// Whether the late process handled the event.
    pub(crate) late: bool,
    /// Whether the event was queued for the late process.
    pub(crate) handed_on: bool,
    pub(crate) error: Option<String>,
}

impl Entry {
    pub(crate) fn new(agent: Agent, begin: Instant) -> Self {
        Self {
            agent,
            event: String::new(),
            begin,
            late: false,
            handed_on: false,
            error: None,
        }
    }

    fn written(&self) -> String {
        let elapsed = self.begin.elapsed().as_micros();
        let mut line = Object::new();
        line.set("ts", Timestamp::now());
        line.set("agent", self.agent.as_str());
        line.set("event", self.event.as_str());
        line.set("us", u64::try_from(elapsed).unwrap_or(u64::MAX));
        if self.late {
            line.set("late", true);
        }
        if self.handed_on {
            line.set("handed_on", true);
        }
        if let Some(error) = &self.error {
            line.set("error", error.as_str());
        }
        Value::Object(line).to_compact() + "\n"
    }
}

/// A logged hook call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fired {
    pub(crate) at: Timestamp,
    pub(crate) agent: String,
    pub(crate) event: String,
    pub(crate) microseconds: u64,
    pub(crate) late: bool,
    pub(crate) error: Option<String>,
}

impl Fired {
    fn read(line: Node<'_>) -> Option<Self> {
        let text = |name: &str| Some(line.get(name)?.as_str()?.into_owned());
        Some(Self {
            at: Timestamp::parse(&text("ts")?)?,
            agent: text("agent")?,
            event: text("event")?,
            microseconds: line.get("us")?.as_u64()?,
            late: line.get("late").is_some(),
            error: text("error"),
        })
    }
}

/// The log of one workspace.
#[derive(Debug, Clone)]
pub(crate) struct Log(Workspace);

impl Log {
    pub(crate) fn of(workspace: &Workspace) -> Self {
        Self(workspace.clone())
    }

    /// Adds a line. The log is not state, so it is not synced and errors are ignored.
    pub(crate) fn add(&self, entry: &Entry) {
        let line = entry.written();
        let _ = self.0.log_line(NAME, line.as_bytes(), LONGEST);
    }

    /// All entries, oldest first. Unreadable lines are skipped.
    pub(crate) fn read(&self) -> Vec<Fired> {
        let texts = self.0.logged(NAME);
        let lines = texts
            .iter()
            .flat_map(|text| text.split(|byte| *byte == b'\n'));
        let documents = lines.filter_map(|line| Document::from_bytes(line.to_vec()).ok());
        documents
            .filter_map(|line| Fired::read(line.root()))
            .collect()
    }
}
