//! The tool for handoffs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::work::word;
use super::{Effect, Tool, needed};
use crate::mcp::call::{Call, Refused};
use crate::mcp::line::Line;

/// Handoffs between agents.
pub(super) struct Handoff;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Action,
    /// The checkpoint; for new and reply
    key: Option<String>,
    /// For check and reply: what the sub-agent got or wrote
    text: Option<String>,
    /// The rest is for new
    task: Option<String>,
    phase: Option<Step>,
    mode: Option<Mode>,
    instructions: Option<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    constraints: Vec<String>,
}

#[derive(Deserialize, Serialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Action {
    New,
    Check,
    Reply,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Step {
    Research,
    Write,
    Validate,
    Parallel,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Mode {
    Plan,
    Code,
    Ui,
    Docs,
    Eval,
    Reconcile,
    Research,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    valid: bool,
    findings: Vec<String>,
    /// For new: hand it to the sub-agent
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Map<String, Value>>,
    /// For reply: what to do next
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record_with: Option<String>,
}

impl Output {
    fn of(valid: bool, findings: Vec<String>) -> Self {
        Self {
            valid,
            findings,
            request: None,
            next: None,
            record_with: None,
        }
    }
}

impl Tool for Handoff {
    const NAME: &'static str = "handoff";
    const DESCRIPTION: &'static str =
        "Make a request for a sub-agent, check a handoff, or record a sub-agent's response.";
    const EFFECT: Effect = Effect::Records;
    type Input = Input;
    type Output = Output;

    fn run(call: &Call, input: Input) -> Result<Output, Refused> {
        let action = word(&input.action);
        let line = Line::of(&["handoff", &action]);
        match input.action {
            Action::New => new(call, line, input),
            Action::Check => check(call, line.reading(text_of(&action, input.text)?)),
            Action::Reply => {
                let key = needed(Self::NAME, &action, "key", input.key)?;
                let line = line.names([key]).reading(text_of(&action, input.text)?);
                let recorded = call.run(line)?;
                let key = recorded.key()?;
                let standing = call.standing(&key, Vec::new())?;
                Ok(Output {
                    next: standing.next,
                    record_with: standing.record_with,
                    ..Output::of(true, recorded.notes)
                })
            }
        }
    }
}

fn text_of(action: &str, text: Option<String>) -> Result<String, Refused> {
    needed(Handoff::NAME, action, "text", text)
}

fn new(call: &Call, line: Line, input: Input) -> Result<Output, Refused> {
    let needed = |name: &str, value: Option<String>| needed(Handoff::NAME, "new", name, value);
    let phase = input.phase.as_ref().map(word);
    let mode = input.mode.as_ref().map(word);
    let line = line
        .option("task", Some(needed("task", input.task)?))
        .option("phase", Some(needed("phase", phase)?))
        .option("mode", Some(needed("mode", mode)?))
        .option("from", Some(needed("key", input.key)?))
        .option(
            "instructions",
            Some(needed("instructions", input.instructions)?),
        )
        .options("file", input.files)
        .options("constraint", input.constraints);
    let Made { request } = call.run(line)?.read()?;
    Ok(Output {
        request: Some(request),
        ..Output::of(true, Vec::new())
    })
}

#[derive(Deserialize)]
struct Made {
    request: Map<String, Value>,
}

#[derive(Deserialize)]
struct Checked {
    valid: bool,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    message: String,
}

fn check(call: &Call, line: Line) -> Result<Output, Refused> {
    let Checked { valid, findings } = call.run(line)?.read()?;
    let findings = findings.into_iter().map(|finding| finding.message);
    Ok(Output::of(valid, findings.collect()))
}
