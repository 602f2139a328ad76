//! What is read on somebody's behalf: a file that was named, or standard input.

use std::io::ErrorKind;
use std::path::Path;

use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::surroundings;

/// The bytes of a file, which is seen from where the command was typed.
pub(super) fn file(session: &Session, file: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(session.directory.join(file)).map_err(|error| {
        let message = format!("cannot read {}", file.display());
        match error.kind() {
            ErrorKind::NotFound => {
                Failure::new(Exit::NotFound, format!("{message}: there is no such file"))
            }
            _ => Failure::io(message, &error),
        }
    })
}

/// All of standard input.
pub(super) fn standard() -> Result<Vec<u8>, Failure> {
    surroundings::input().map_err(|error| Failure::io("cannot read standard input", &error))
}
