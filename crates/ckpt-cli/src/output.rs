//! Printing. A reader that has gone away is not an error.

use std::io::{self, ErrorKind, Write};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use ckpt::voice::escaped_json;
use serde::Serialize;

use crate::cli::Global;
use crate::failure::{Exit, Failure};
use crate::render::style::{one_line, safe_page};
use crate::surroundings;

/// The version of the JSON that `--json` prints.
pub(crate) const FORMAT: u32 = 1;

/// Prints text to standard output, with colours only on a terminal. In one piece: a stream that
/// strips as it goes would write each styled word on its own.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let text = safe_page(text);
    let text = text.as_str();
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => raw(strip_str(text).to_string().as_bytes()),
        _ if surroundings::is_call() => raw(strip_str(text).to_string().as_bytes()),
        _ => {
            let mut stdout = anstream::stdout();
            let written = stdout.write_all(text.as_bytes());
            or_nobody_reads(written.and_then(|()| stdout.flush()))
        }
    }
}

/// Prints bytes as they are.
pub(crate) fn raw(bytes: &[u8]) -> Result<(), Failure> {
    or_nobody_reads(surroundings::print(bytes))
}

/// Prints a text that somebody else wrote: as it is for a program, and for a terminal without what could steer it.
pub(crate) fn content(text: &str) -> Result<(), Failure> {
    match surroundings::is_shown() {
        true => raw(safe_page(text).as_bytes()),
        false => raw(text.as_bytes()),
    }
}

fn or_nobody_reads(written: io::Result<()>) -> Result<(), Failure> {
    match written {
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
    raw(escaped_json(line).as_bytes())
}

/// Says something beside the result, on standard error.
pub(crate) fn note(message: &str) {
    surroundings::note(&one_line(message));
}

/// Prints a generated page, in JSON as one string.
pub(crate) fn print_page(global: &Global, page: &[u8]) -> Result<(), Failure> {
    if global.json {
        let text = String::from_utf8_lossy(page);
        return json(&serde_json::json!({ "text": text }));
    }
    raw(page)
}
