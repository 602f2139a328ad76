//! Why a measurement could not be made. A ratio over its bound is a result, not a failure.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::Output;

/// A message for the person at the terminal: what failed, why, and what to do about it if known.
#[derive(Debug)]
pub(crate) struct Failure(String);

/// The result of anything that can fail.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// A program that failed, with its stderr.
    pub(crate) fn ended(what: &str, output: &Output) -> Self {
        let words = String::from_utf8_lossy(&output.stderr);
        Self(format!(
            "{what} failed with {}\n{}",
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

/// Adds the action and the path to an I/O error.
pub(crate) trait Doing<T> {
    /// `action` is a verb phrase that fits after "cannot": `cannot write PATH: …`.
    fn doing(self, action: &str, path: &Path) -> Result<T>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, action: &str, path: &Path) -> Result<T> {
        self.map_err(|source| Failure(format!("cannot {action} {}: {source}", path.display())))
    }
}
