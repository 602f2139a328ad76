//! Why a measurement could not be made. A ratio over its bound is a result, not a failure.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::Output;

/// One sentence for the person at the terminal: what failed, why, and what to do where that is known.
#[derive(Debug)]
pub(crate) struct Failure(String);

/// What everything that touches the outside returns.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// A program that ran and ended badly, with the words it left on stderr.
    pub(crate) fn ended(what: &str, output: &Output) -> Self {
        let words = String::from_utf8_lossy(&output.stderr);
        Self(format!(
            "{what} ended with {}\n{}",
            output.status,
            words.trim_end()
        ))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Gives an I/O error the action and the path that it lacks.
pub(crate) trait Doing<T> {
    /// `action` is a verb phrase that fits after "cannot": `cannot write PATH: …`.
    fn doing(self, action: &str, path: &Path) -> Result<T>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, action: &str, path: &Path) -> Result<T> {
        self.map_err(|source| Failure(format!("cannot {action} {}: {source}", path.display())))
    }
}
