//! Runs a gate and reports its result.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ckpt::workspace::{Gate, GateResult, GateRun};
use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::screen::Screen;
use crate::failure::{Exit, Failure};
use crate::render::style::{BAD, GOOD, one_line, paint};
use crate::session::Session;
use crate::ui::{Attendant, Ui};

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

/// How to run a gate.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    /// Stop the command after this many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Print the output of the command to standard output instead of standard error
    #[arg(long, conflicts_with = "json")]
    output: bool,
}

/// Runs a gate and reports its result. An interrupt stops it.
pub(super) fn attended(
    ui: &mut Ui,
    session: &Session,
    gate: Gate<'_>,
    options: &RunOptions,
) -> Result<Exit, Failure> {
    let name = &gate.entry();
    // The process of a call belongs to the calling program, and so do its signals.
    let (stop, listener) = match ui.attendant().cloned() {
        Some(Attendant { stop, listener }) => (stop, listener),
        None => (stopped_by_signals()?, None),
    };
    let request = GateRun {
        gate,
        time_limit: options.timeout.map(Duration::from_secs),
        stop: &stop,
    };
    let is_on_screen = !ui.is_call() && !options.output;
    let screen = is_on_screen.then(|| Screen::open(ui.variables(), name));
    let result = session
        .workspace
        .run_gate(&request, &mut |piece| match &screen {
            Some(screen) => screen.print(piece),
            // A reader that has gone away does not end the gate.
            None if options.output => drop(ui.raw(piece)),
            None => {
                if let Some(listener) = &listener {
                    listener(piece);
                }
            }
        });
    if let Some(screen) = screen {
        screen.close();
    }
    let GateResult { run, changed_files } = result?;
    let passed = run.ending.passed();
    if session.json {
        ui.json(&Report {
            gate: name,
            passed,
            ending: run.ending.in_words(),
            duration_ms: run.duration.as_millis(),
            output_bytes: run.output_bytes,
            changed_files,
        })?;
    } else {
        let words = match passed {
            true => paint(GOOD, "passed"),
            false => paint(BAD, format!("did not pass ({})", run.ending.in_words())),
        };
        let seconds = run.duration.as_secs_f64();
        let name = one_line(name);
        ui.text(&format!("gate {name} {words} after {seconds:.1} s\n"))?;
    }
    if changed_files {
        ui.note("the gate changed files, so its result does not cover them; run it again");
    }
    Ok(if passed { Exit::Done } else { Exit::Blocked })
}

fn stopped_by_signals() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|error| Failure::io("cannot listen for signals", &error))?;
    }
    Ok(stop)
}
