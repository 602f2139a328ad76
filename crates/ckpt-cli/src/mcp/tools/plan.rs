//! The tool for plans.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::work::word;
use super::{Effect, Tool, needed};
use crate::mcp::call::{Call, Refused, Standing};
use crate::mcp::line::Line;

/// Tasks of a plan.
pub(super) struct Plan;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Action,
    /// Task ids for done, undo, claim, release
    #[serde(default)]
    tasks: Vec<String>,
    /// For note, decide, block, unblock; name the task ids that it concerns
    text: Option<String>,
    /// For decide
    reason: Option<String>,
    /// Default: the current plan
    plan: Option<String>,
    /// Who claims or releases, such as subagent:data
    by: Option<String>,
}

#[derive(Deserialize, Serialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Action {
    Next,
    Done,
    Undo,
    Claim,
    Release,
    Note,
    Decide,
    Block,
    Unblock,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    #[serde(flatten)]
    standing: Standing,
    /// For next: open tasks that nobody has claimed
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    open: Vec<String>,
    /// For next: tasks that cannot go on, and why
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    blocked: Vec<String>,
}

/// How many open tasks are listed.
const MOST_OPEN: &str = "10";

impl Tool for Plan {
    const NAME: &'static str = "plan";
    const DESCRIPTION: &'static str =
        "Work through plans/ID/plan.md: see open tasks, and record each one when it is done.";
    const EFFECT: Effect = Effect::Records;
    type Input = Input;
    type Output = Output;

    fn run(call: &Call, input: Input) -> Result<Output, Refused> {
        let action = word(&input.action);
        let line = Line::of(&["plan", &action]).option("plan", input.plan);
        let line = match input.action {
            Action::Next => return next(call, line),
            Action::Done | Action::Undo | Action::Claim | Action::Release => {
                let tasks = Some(input.tasks).filter(|tasks| !tasks.is_empty());
                line.names(needed(Self::NAME, &action, "tasks", tasks)?)
            }
            Action::Note | Action::Decide | Action::Block | Action::Unblock => line
                .option("reason", input.reason)
                .names([needed(Self::NAME, &action, "text", input.text)?]),
        };
        Ok(Output {
            standing: call.change(line.option("by", input.by))?,
            open: Vec::new(),
            blocked: Vec::new(),
        })
    }
}

#[derive(Deserialize)]
struct Next {
    next: Vec<Task>,
    blocked: Vec<Blocked>,
}

#[derive(Deserialize)]
struct Blocked {
    task: String,
    blocker: String,
}

#[derive(Deserialize)]
struct Task {
    task: String,
    text: String,
}

fn next(call: &Call, line: Line) -> Result<Output, Refused> {
    let listed = call.run(line.option("number", Some(MOST_OPEN)))?;
    let Next { next, blocked } = listed.read()?;
    let open = next
        .iter()
        .map(|found| format!("{}: {}", found.task, found.text));
    let blocked = blocked
        .iter()
        .map(|found| format!("{}: {}", found.task, found.blocker));
    Ok(Output {
        blocked: blocked.collect(),
        open: open.collect(),
        standing: call.standing(&listed.key()?, listed.notes)?,
    })
}
