//! The tool for gates.

use std::sync::{Arc, Mutex, PoisonError};

use ckpt::key::Key;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Effect, Tool, needed};
use crate::mcp::call::{Call, Refused};
use crate::mcp::line::Line;
use crate::ui::Attendant;

/// Gates of a checkpoint.
pub(super) struct Gate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    action: Action,
    /// Such as ship or PRD-003
    key: Option<String>,
    /// The gate to run
    gate: Option<String>,
    /// Shell command to run; a pipeline's gates have their own
    command: Option<String>,
    /// The pipeline's workstream
    workstream: Option<String>,
    /// Seconds
    timeout: Option<u64>,
}

#[derive(Deserialize, Serialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Action {
    Check,
    Run,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    passes: bool,
    /// Why not
    reasons: Vec<String>,
    /// Each gate and whether it is proven
    gates: Vec<String>,
    /// The end of what the command printed
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

impl Tool for Gate {
    const NAME: &'static str = "gate";
    const DESCRIPTION: &'static str = "Check whether gates allow shipping, or run a gate and keep its receipt as proof. \
                                       Only a person approves.";
    const EFFECT: Effect = Effect::Runs;
    type Input = Input;
    type Output = Output;

    fn run(call: &Call, input: Input) -> Result<Output, Refused> {
        match input.action {
            Action::Check => check(call, input.key),
            Action::Run => run(call, input),
        }
    }
}

fn check(call: &Call, typed: Option<String>) -> Result<Output, Refused> {
    let key = typed
        .as_deref()
        .map(|typed| find(call, typed))
        .transpose()?;
    let line = match key {
        Some(Key::Pipeline(id)) => Line::of(&["pipeline", "gate", "check"]).names([id.to_string()]),
        _ => Line::of(&["gate", "check"]).names(typed),
    };
    let checked = call.run(line)?;
    let Checked { reasons, gates } = checked.read()?;
    let (proven, gates): (Vec<bool>, Vec<String>) = gates
        .into_iter()
        .map(|gate| (gate.proof == PROVEN, gate.in_words()))
        .unzip();
    let open = gates.iter().zip(&proven).filter(|(_, proven)| !**proven);
    let open: Vec<String> = open.map(|(gate, _)| gate.clone()).collect();
    Ok(Output {
        passes: checked.is_passed,
        reasons: match reasons.is_empty() && !checked.is_passed {
            true => open,
            false => reasons,
        },
        gates,
        output: None,
    })
}

fn find(call: &Call, typed: &str) -> Result<Key, Refused> {
    let found = call.workspace()?.find_key(typed);
    Ok(found.map_err(|error| error.to_string())?)
}

#[derive(Deserialize)]
struct Checked {
    /// A pipeline has none beside its gates.
    #[serde(default)]
    reasons: Vec<String>,
    gates: Vec<Proven>,
}

/// How a gate that ran on this content is reported.
const PROVEN: &str = "proven";

/// A gate and its proof.
#[derive(Deserialize)]
struct Proven {
    gate: String,
    #[serde(default)]
    workstreams: Vec<String>,
    proof: String,
}

impl Proven {
    fn in_words(self) -> String {
        let Self {
            gate,
            workstreams,
            proof,
        } = self;
        match workstreams.is_empty() {
            true => format!("{gate}: {proof}"),
            false => format!("{gate} ({}): {proof}", workstreams.join(", ")),
        }
    }
}

/// How much of what a gate printed is told, in bytes.
const LONGEST_OUTPUT: usize = 4_000;

fn run(call: &Call, input: Input) -> Result<Output, Refused> {
    let key = needed(Gate::NAME, "run", "key", input.key)?;
    let gate = needed(Gate::NAME, "run", "gate", input.gate)?;
    let timeout = input.timeout.map(|seconds| seconds.to_string());
    let is_pipeline = matches!(find(call, &key)?, Key::Pipeline(_));
    if let Some(name) = [&key, &gate].into_iter().find(|name| name.starts_with('-')) {
        return Err(Refused(format!(
            "gate: {name:?} is not a name. Nothing was done."
        )));
    }
    let line = match input.command {
        // A shell would take a dash for an option.
        Some(command) if command.starts_with('-') => {
            Line::of(&["gate", "run"]).program(["sh", "-c", &format!(" {command}")])
        }
        Some(command) => Line::of(&["gate", "run"]).program(["sh", "-c", &command]),
        None if !is_pipeline => return needed(Gate::NAME, "run", "command", None),
        None => Line::of(&["pipeline", "gate", "run"]).option("for", input.workstream),
    };
    let (listening, heard) = listening(call);
    let line = line.option("timeout", timeout).names([key, gate]);
    let ran = listening.run(line)?;
    let Ran { passed, ending } = ran.read()?;
    let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    let mut reasons = ran.notes;
    if !passed {
        reasons.insert(0, ending);
    }
    Ok(Output {
        passes: passed,
        reasons,
        gates: Vec::new(),
        output: Some(String::from_utf8_lossy(&heard).into_owned()),
    })
}

#[derive(Deserialize)]
struct Ran {
    passed: bool,
    ending: String,
}

/// The same call, which also keeps the end of what the gate prints.
fn listening(call: &Call) -> (Call, Arc<Mutex<Vec<u8>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (kept, next) = (Arc::clone(&heard), call.attendant.listener.clone());
    let listener = move |piece: &[u8]| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(piece);
        let over = kept.len().saturating_sub(LONGEST_OUTPUT);
        kept.drain(..over);
        drop(kept);
        if let Some(next) = &next {
            next(piece);
        }
    };
    let listening = Call {
        directory: call.directory.clone(),
        attendant: Attendant {
            stop: Arc::clone(&call.attendant.stop),
            listener: Some(Arc::new(listener)),
        },
    };
    (listening, heard)
}
