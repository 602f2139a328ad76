//! One call of a tool: runs command lines in the place where the client works.

use std::path::PathBuf;

use ckpt::facts::FactKind;
use ckpt::key::Key;
use ckpt::workspace::{Depth, Workspace};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::line::Line;
use crate::call::{call_attended, open};
use crate::environment::Variables;
use crate::ui::Attendant;

/// One call of a tool.
pub(super) struct Call {
    /// Where the client works.
    pub(super) directory: PathBuf,
    pub(super) attendant: Attendant,
}

/// Why a tool cannot do what it was asked: what is wrong, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused(pub(super) String);

impl From<String> for Refused {
    fn from(message: String) -> Self {
        Self(message)
    }
}

/// What a command reported.
#[derive(Debug)]
pub(super) struct Reported {
    report: Value,
    /// What it noted beside that.
    pub(super) notes: Vec<String>,
    /// Whether it exited with 0. One that judges something does not, if that fails.
    pub(super) is_passed: bool,
}

impl Reported {
    /// The whole report.
    pub(super) fn pretty(&self) -> String {
        serde_json::to_string_pretty(&self.report).unwrap_or_default()
    }

    /// The members of the report that matter.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, Refused> {
        T::deserialize(&self.report)
            .map_err(|error| Refused(format!("an unexpected report: {error}")))
    }

    /// The checkpoint that the report is about.
    pub(super) fn key(&self) -> Result<Key, Refused> {
        #[derive(Deserialize)]
        struct About {
            key: Option<String>,
            plan: Option<String>,
            pipeline: Option<String>,
        }
        let About {
            key,
            plan,
            pipeline,
        } = self.read()?;
        let plan = plan.map(|id| format!("plan:{id}"));
        let pipeline = pipeline.map(|id| format!("pipeline:{id}"));
        let named = key.or(plan).or(pipeline).unwrap_or_default();
        Key::parse(&named).map_err(|error| Refused(error.to_string()))
    }
}

/// Where a checkpoint stands, and what to do next.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Standing {
    key: String,
    done: usize,
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
    /// The command that records the next step
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) record_with: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    notes: Vec<String>,
}

impl Call {
    /// Runs a command.
    pub(super) fn run(&self, line: Line) -> Result<Reported, Refused> {
        let words = line.words_in(&self.directory);
        let attendant = self.attendant.clone();
        let called = call_attended(words, Variables::Process, line.input, attendant);
        let report = serde_json::from_slice::<Value>(&called.output);
        let mut report = report.unwrap_or_default();
        match report.get_mut("error").map(Value::take) {
            Some(error) => Err(Refused(in_words(&error))),
            None => Ok(Reported {
                report,
                notes: called.notes,
                is_passed: called.exit == 0,
            }),
        }
    }

    /// The workspace in which the client works.
    pub(super) fn workspace(&self) -> Result<Workspace, Refused> {
        Ok(open(&self.directory, Variables::Process)?)
    }

    /// Where a checkpoint stands after a change.
    pub(super) fn standing(&self, key: &Key, notes: Vec<String>) -> Result<Standing, Refused> {
        let workspace = self.workspace()?;
        let facts = workspace.facts_about(key, Depth::WithoutGit);
        let facts = facts.map_err(|error| error.to_string())?;
        let progress = facts.focus.map(|focus| focus.progress);
        let next = facts
            .facts
            .into_iter()
            .find(|fact| matches!(fact.kind, FactKind::Next));
        let (next, record_with) = next.map_or((None, None), |fact| (Some(fact.text), fact.command));
        Ok(Standing {
            key: key.short(),
            done: progress.map_or(0, |progress| progress.done),
            total: progress.map_or(0, |progress| progress.total),
            next,
            record_with,
            notes,
        })
    }

    /// Changes a checkpoint, and says where it stands then.
    pub(super) fn change(&self, line: Line) -> Result<Standing, Refused> {
        let changed = self.run(line)?;
        let key = changed.key()?;
        self.standing(&key, changed.notes)
    }
}

/// Commands that show what a resource shows too.
const SHOWN: [&str; 3] = ["ckpt plan show", "ckpt pipeline show", "ckpt show"];

/// What is wrong, and what to do next.
fn in_words(error: &Value) -> String {
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let (message, hint) = (text("message"), text("hint"));
    let stop = match message.ends_with(['.', '?', '!']) {
        true => "",
        false => ".",
    };
    // A client may have no shell.
    let resource = match SHOWN.iter().any(|command| hint.contains(command)) {
        true => ". The resource ckpt://KEY shows a checkpoint in full",
        false => "",
    };
    format!("{message}{stop} {hint}{resource}")
        .trim_end()
        .to_owned()
}
