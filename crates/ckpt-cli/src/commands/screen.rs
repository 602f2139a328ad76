//! Shows a gate's output and, on a terminal, how long it has been running.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::environment::{TERM, Variables};
use crate::render::style::one_line;

const TICK: Duration = Duration::from_secs(1);

/// Moves to the start of the line and erases it.
const ERASE: &[u8] = b"\r\x1b[2K";

/// Standard error while a gate runs.
pub(super) struct Screen {
    line: Arc<Mutex<Line>>,
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

/// The last line of the terminal.
#[derive(Default)]
struct Line {
    /// The gate has printed part of the line, so the clock must not overwrite it.
    is_taken: bool,
    /// The line shows the clock.
    is_clock: bool,
}

impl Screen {
    /// Starts the clock if standard error is a terminal.
    pub(super) fn open(variables: &Variables, gate: &str) -> Self {
        let line = Arc::new(Mutex::new(Line::default()));
        let ticker = can_erase(variables).then(|| {
            let (stop, stopped) = channel();
            let (line, gate, start) = (Arc::clone(&line), one_line(gate), Instant::now());
            let thread = thread::spawn(move || {
                while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    locked(&line).show_clock(&gate, start.elapsed());
                }
            });
            (stop, thread)
        });
        Self { line, ticker }
    }

    /// Passes on the gate's output.
    pub(super) fn print(&self, piece: &[u8]) {
        let mut line = locked(&self.line);
        line.erase_clock();
        write(piece);
        line.is_taken = piece.last().is_some_and(|byte| *byte != b'\n');
    }

    /// Stops the clock.
    pub(super) fn close(self) {
        if let Some((stop, thread)) = self.ticker {
            drop(stop);
            let _ = thread.join();
        }
        locked(&self.line).erase_clock();
    }
}

impl Line {
    fn show_clock(&mut self, gate: &str, elapsed: Duration) {
        if self.is_taken {
            return;
        }
        self.erase_clock();
        let (minutes, seconds) = (elapsed.as_secs() / 60, elapsed.as_secs() % 60);
        let text = format!("gate {gate} has been running for {minutes}:{seconds:02}");
        write(text.as_bytes());
        self.is_clock = true;
    }

    fn erase_clock(&mut self) {
        if std::mem::take(&mut self.is_clock) {
            write(ERASE);
        }
    }
}

/// Whether standard error is a terminal that can erase a line.
fn can_erase(variables: &Variables) -> bool {
    let is_dumb = variables
        .text(TERM)
        .is_some_and(|terminal| terminal == "dumb");
    std::io::stderr().is_terminal() && !is_dumb
}

fn locked(line: &Mutex<Line>) -> std::sync::MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(bytes: &[u8]) {
    // The gate keeps running even if the terminal is gone.
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(bytes).and_then(|()| stderr.flush());
}
