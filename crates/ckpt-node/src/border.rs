//! The values exchanged between JavaScript and the engine.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use ckpt_cli::Variables;
use napi_derive::napi;

/// The result of a call.
#[napi(object)]
pub struct Answer {
    /// The value; none if there is none or the call failed.
    pub value: Option<String>,
    /// A message for the user, in one line.
    pub note: Option<String>,
    /// The file involved, if any.
    pub file: Option<String>,
}

impl Answer {
    /// Neither a value nor a message.
    pub fn nothing() -> Self {
        Self {
            value: None,
            note: None,
            file: None,
        }
    }

    /// A value.
    pub fn value(value: impl Into<String>) -> Self {
        Self {
            value: Some(value.into()),
            ..Self::nothing()
        }
    }

    /// The call failed.
    pub fn failure(note: impl Into<String>) -> Self {
        Self {
            note: Some(note.into()),
            ..Self::nothing()
        }
    }
}

/// Reads variables as JavaScript passes them: names and values in turn, or nothing for those of the process. Workers
/// have their own variables, and other threads must not read those of the process while they may change.
pub fn variables(given: Option<Vec<String>>) -> Variables {
    let Some(given) = given else {
        return Variables::Process;
    };
    let mut given = given.into_iter().map(OsString::from);
    let mut variables = HashMap::new();
    while let (Some(name), Some(value)) = (given.next(), given.next()) {
        variables.insert(name, value);
    }
    Variables::Given(variables)
}

/// Runs a function, and turns a panic into an error message.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static SILENCE: Once = Once::new();
    // The panic is reported like every other failure.
    SILENCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = said(&*panic);
        format!("ckpt failed with an internal error: {words}")
    })
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    let words = owned.or_else(|| panic.downcast_ref::<&str>().copied());
    words.unwrap_or("no reason given")
}
