//! Running a gate at the terminal.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ckpt::workspace::{Ran, Running};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::screen::Screen;
use crate::failure::{Exit, Failure};
use crate::output;
use crate::render::style::{BAD, GOOD, one_line, paint};
use crate::session::Session;
use crate::surroundings;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "GateRan"))]
pub(crate) struct Report<'r> {
    gate: &'r str,
    passed: bool,
    ending: String,
    duration_ms: u128,
    output_bytes: u64,
    changed_files: bool,
}

/// Runs a gate that is called `name`: what it prints goes to standard error, an interrupt ends it, and
/// what came of it is reported.
pub(super) fn attended(
    session: &Session,
    name: &str,
    seconds: Option<u64>,
    run: impl FnOnce(Running<'_>, &mut dyn FnMut(&[u8])) -> Result<Ran, Failure>,
) -> Result<Exit, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    // The signals of another program are its own.
    let signals = [SIGINT, SIGTERM, SIGHUP].into_iter();
    for signal in signals.filter(|_| !surroundings::is_call()) {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|error| Failure::io("cannot listen for signals", &error))?;
    }
    let running = Running {
        time_limit: seconds.map(Duration::from_secs),
        stop: &stop,
    };
    let screen = Screen::open(name);
    let result = run(running, &mut |piece| screen.print(piece));
    screen.close();
    let Ran {
        result,
        changed_files,
    } = result?;
    let passed = result.ending.passed();
    if session.json {
        output::json(&Report {
            gate: name,
            passed,
            ending: result.ending.in_words(),
            duration_ms: result.duration.as_millis(),
            output_bytes: result.output_bytes,
            changed_files,
        })?;
    } else {
        let words = match passed {
            true => paint(GOOD, "passed"),
            false => paint(BAD, format!("did not pass ({})", result.ending.in_words())),
        };
        let seconds = result.duration.as_secs_f64();
        let name = one_line(name);
        output::text(&format!("gate {name} {words} after {seconds:.1} s\n"))?;
    }
    if changed_files {
        output::note("it changed files, and proves nothing about what it left: run it again");
    }
    Ok(if passed { Exit::Done } else { Exit::Blocked })
}
