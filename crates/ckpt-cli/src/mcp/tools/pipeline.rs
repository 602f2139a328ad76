//! The tool for pipelines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::work::word;
use super::{Effect, Tool, needed};
use crate::mcp::call::{Call, Refused, Standing};
use crate::mcp::line::Line;

/// Workstreams of a pipeline.
pub(super) struct Pipeline;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Action,
    /// Such as PRD-003
    id: String,
    /// Several only for start
    #[serde(default)]
    workstreams: Vec<String>,
    /// Files, for done
    #[serde(default)]
    artifacts: Vec<String>,
    /// For fail and defer
    reason: Option<String>,
}

#[derive(Deserialize, Serialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Action {
    Next,
    Start,
    Done,
    Fail,
    Fixed,
    Defer,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    #[serde(flatten)]
    standing: Standing,
    /// For next: workstreams that can start now
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    ready: Vec<String>,
    /// For next
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    running: Vec<String>,
}

impl Tool for Pipeline {
    const NAME: &'static str = "pipeline";
    const DESCRIPTION: &'static str =
        "Work through a pipeline: see which workstreams can start, and record each.";
    const EFFECT: Effect = Effect::Records;
    type Input = Input;
    type Output = Output;

    fn run(call: &Call, input: Input) -> Result<Output, Refused> {
        let action = word(&input.action);
        let line = Line::of(&["pipeline", &action]);
        let workstreams = Some(input.workstreams).filter(|given| !given.is_empty());
        let workstreams = needed(Self::NAME, &action, "workstreams", workstreams);
        let reason = needed(Self::NAME, &action, "reason", input.reason);
        let line = match input.action {
            Action::Next => return next(call, line.names([input.id])),
            Action::Fixed => line.names([input.id]),
            Action::Start => line.names([input.id]).names(workstreams?),
            Action::Done => line
                .options("artifact", input.artifacts)
                .names([input.id])
                .names(workstreams?),
            Action::Fail => line
                .option("message", Some(reason?))
                .names([input.id])
                .names(workstreams?),
            Action::Defer => line
                .option("reason", Some(reason?))
                .names([input.id])
                .names(workstreams?),
        };
        Ok(Output {
            standing: call.change(line)?,
            ready: Vec::new(),
            running: Vec::new(),
        })
    }
}

#[derive(Deserialize)]
struct Next {
    ready: Vec<String>,
    running: Vec<String>,
}

fn next(call: &Call, line: Line) -> Result<Output, Refused> {
    let listed = call.run(line)?;
    let Next { ready, running } = listed.read()?;
    Ok(Output {
        ready,
        running,
        standing: call.standing(&listed.key()?, listed.notes)?,
    })
}
