//! What is read on somebody's behalf: a file that was named, or standard input.

use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::failure::{Exit, Failure};
use crate::session::Session;

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
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    read.map_err(|error| Failure::io("cannot read standard input", &error))?;
    Ok(bytes)
}
