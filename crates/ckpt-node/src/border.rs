//! What is handed over between JavaScript and the engine.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use ckpt_cli::Variables;
use napi_derive::napi;

/// What came of something.
#[napi(object)]
pub struct Answer {
    /// The value; none where there is none, or it did not work.
    pub value: Option<String>,
    /// What to tell the user, in one line.
    pub note: Option<String>,
    /// The file that it is about, where it is about one.
    pub file: Option<String>,
}

impl Answer {
    /// There is nothing, and nothing to say about it.
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

    /// It did not work.
    pub fn failure(note: impl Into<String>) -> Self {
        Self {
            note: Some(note.into()),
            ..Self::nothing()
        }
    }
}

/// Names and values in turn, as JavaScript hands them over; nothing where the process's own are meant. Those of a worker
/// are its own, and on other threads the process's may be changing.
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

/// Does something, and tells what it panicked about if it does.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static SILENCE: Once = Once::new();
    // It is told where everything else is told.
    SILENCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = said(&*panic);
        format!("ckpt failed in a way that it should not: {words}")
    })
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    let words = owned.or_else(|| panic.downcast_ref::<&str>().copied());
    words.unwrap_or("no reason was given")
}
