//! Functions that panic on purpose, so that tests can show that Node survives. The published addon does not have them.

use ckpt::workspace::Purpose;
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

use crate::border::Answer;
use crate::checkpoints::Target;
use crate::commands::{Outcome, Pending};

/// Panics as a function on a checkpoint would.
#[napi]
pub fn panic_at_work(target: Target) -> Answer {
    target.work(Purpose::Load, |_, _| panic!("on purpose"))
}

/// Panics as a command would.
#[napi]
pub fn panic_running() -> napi::Result<Outcome> {
    panicking().carried_out()
}

/// Panics as a command on another thread would.
#[napi(ts_return_type = "Promise<Outcome>")]
pub fn panic_running_async() -> AsyncTask<Pending> {
    AsyncTask::new(panicking())
}

fn panicking() -> Pending {
    Pending::new(|| panic!("on purpose"))
}
