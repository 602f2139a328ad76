//! Printing. A reader that has gone away is not an error.

use std::io::{ErrorKind, Write};

use serde::Serialize;

use crate::failure::{Exit, Failure};

/// The version of the JSON that `--json` prints.
pub(crate) const FORMAT: u32 = 1;

/// Prints text to standard output, with colours only on a terminal.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    write(&mut anstream::stdout(), text.as_bytes())
}

/// Prints bytes as they are.
pub(crate) fn raw(bytes: &[u8]) -> Result<(), Failure> {
    write(&mut std::io::stdout().lock(), bytes)
}

fn write(stdout: &mut dyn Write, bytes: &[u8]) -> Result<(), Failure> {
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::io("cannot write to standard output", &error))
        }
        _ => Ok(()),
    }
}

#[derive(Serialize)]
struct Envelope<'r, T> {
    format: u32,
    #[serde(flatten)]
    report: &'r T,
}

/// Prints a report as one JSON object.
pub(crate) fn json<T: Serialize>(report: &T) -> Result<(), Failure> {
    let envelope = Envelope {
        format: FORMAT,
        report,
    };
    let mut line = serde_json::to_string(&envelope)
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot write JSON: {error}")))?;
    line.push('\n');
    raw(line.as_bytes())
}

/// Says something beside the result, on standard error.
pub(crate) fn note(message: &str) {
    let _ = writeln!(anstream::stderr(), "{message}");
}
