//! Runs any command of the engine.

use ckpt_cli::{Called, call, describe};
use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;

use crate::border::{guarded, variables};

/// The result of a command.
#[napi(object)]
pub struct Outcome {
    /// The exit code that it would have had.
    pub exit: u32,
    /// The JSON that it would have printed.
    pub output: String,
    /// What it would have printed to standard error.
    pub notes: Vec<String>,
}

impl From<Called> for Outcome {
    fn from(called: Called) -> Self {
        Self {
            exit: called.exit.into(),
            output: String::from_utf8_lossy(&called.output).into_owned(),
            notes: called.notes,
        }
    }
}

/// A command, as it would be typed.
#[napi(object)]
pub struct Command {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its standard input.
    pub input: String,
    /// The variables of a worker: names and values in turn.
    pub variables: Option<Vec<String>>,
}

impl Command {
    fn pending(self) -> Pending {
        let variables = variables(self.variables);
        Pending::new(move || call(&self.arguments, variables, self.input.into_bytes()))
    }
}

/// Runs a command on this thread.
#[napi]
pub fn run(command: Command) -> napi::Result<Outcome> {
    command.pending().carried_out()
}

/// Runs a command on another thread.
#[napi(ts_return_type = "Promise<Outcome>")]
pub fn run_async(command: Command) -> AsyncTask<Pending> {
    AsyncTask::new(command.pending())
}

/// A description of all commands, as JSON.
#[napi]
pub fn commands() -> napi::Result<String> {
    let described = guarded(describe).map_err(napi::Error::from_reason)?;
    serde_json::to_string(&described).map_err(|error| napi::Error::from_reason(error.to_string()))
}

/// A command that has not run yet.
pub struct Pending(Option<Box<dyn FnOnce() -> Called + Send>>);

impl Pending {
    pub(crate) fn new(work: impl FnOnce() -> Called + Send + 'static) -> Self {
        Self(Some(Box::new(work)))
    }

    pub(crate) fn carried_out(&mut self) -> napi::Result<Outcome> {
        let work = self.0.take().expect("a command is run once");
        let called = guarded(work);
        called.map(Outcome::from).map_err(napi::Error::from_reason)
    }
}

impl Task for Pending {
    type Output = Outcome;
    type JsValue = Outcome;

    fn compute(&mut self) -> napi::Result<Outcome> {
        self.carried_out()
    }

    fn resolve(&mut self, _: Env, output: Outcome) -> napi::Result<Outcome> {
        Ok(output)
    }
}
