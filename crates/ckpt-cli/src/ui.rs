//! The surroundings of one run: its variables, its input, and where its output and notes go.
//!
//! Terminal control characters are removed here from pages, notes, prompts and JSON.

pub(crate) mod pager;
mod recovered;
mod standard_input;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Read, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use ckpt::repository::Repository;
use ckpt::voice::escaped_json;
use serde::Serialize;

use crate::cli::Global;
use crate::environment::Variables;
use crate::failure::{Exit, Failure};
use crate::render::style::{one_line, safe_page};

use pager::{Pager, Paging};
pub(crate) use recovered::{Recovered, Recoveries};

/// The version of the JSON that `--json` prints.
pub(crate) const FORMAT: u32 = 1;

/// The surroundings of one run.
#[derive(Debug)]
pub(crate) struct Ui {
    variables: Variables,
    place: Place,
    /// What shows long text.
    pager: Option<Pager>,
    /// What its changes have brought back.
    recoveries: Recoveries,
}

/// Where a command runs.
#[derive(Debug)]
enum Place {
    /// In its own process, with the standard streams.
    Process,
    /// Inside another program, which provides the input and collects the output.
    Call {
        input: Vec<u8>,
        output: Vec<u8>,
        notes: Arc<Mutex<Vec<String>>>,
        attendant: Attendant,
    },
}

/// What a calling program says and hears while a command runs.
#[derive(Clone, Default)]
pub(crate) struct Attendant {
    /// Set it to stop what the command has started.
    pub(crate) stop: Arc<AtomicBool>,
    /// Hears what programs print that the command has started.
    pub(crate) listener: Option<Arc<Listener>>,
}

/// Hears a piece of output.
pub(crate) type Listener = dyn Fn(&[u8]) + Send + Sync;

impl fmt::Debug for Attendant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut attendant = formatter.debug_struct("Attendant");
        attendant.field("stop", &self.stop).finish_non_exhaustive()
    }
}

impl Ui {
    /// A run in its own process.
    pub(crate) fn of_process() -> Self {
        Self {
            variables: Variables::Process,
            place: Place::Process,
            pager: None,
            recoveries: Recoveries::default(),
        }
    }

    /// A call inside another program, which collects the output.
    pub(crate) fn of_call(variables: Variables, input: Vec<u8>) -> Self {
        Self::of_attended_call(variables, input, Attendant::default())
    }

    /// A call inside a program that listens, and may stop it.
    pub(crate) fn of_attended_call(
        variables: Variables,
        input: Vec<u8>,
        attendant: Attendant,
    ) -> Self {
        Self {
            variables,
            place: Place::Call {
                input,
                output: Vec::new(),
                notes: Arc::default(),
                attendant,
            },
            pager: None,
            recoveries: Recoveries::default(),
        }
    }

    /// Who attends to a call inside another program.
    pub(crate) fn attendant(&self) -> Option<&Attendant> {
        match &self.place {
            Place::Process => None,
            Place::Call { attendant, .. } => Some(attendant),
        }
    }

    /// The collected output and notes of a call.
    pub(crate) fn into_said(self) -> (Vec<u8>, Vec<String>) {
        match self.place {
            Place::Process => (Vec::new(), Vec::new()),
            Place::Call { output, notes, .. } => (output, std::mem::take(&mut locked(&notes))),
        }
    }

    /// The environment variables of this run.
    pub(crate) fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Whether this is a call inside another program.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self.place, Place::Call { .. })
    }

    /// Whether there is a user at a terminal who can be asked.
    pub(crate) fn is_attended(&self) -> bool {
        !self.is_call() && io::stdin().is_terminal()
    }

    /// Whether the output goes to a terminal.
    pub(crate) fn is_shown(&self) -> bool {
        !self.is_call() && io::stdout().is_terminal()
    }

    /// Asks the user and returns the answer; `None` if there is no terminal, or if its input has ended.
    pub(crate) fn ask(&self, prompt: &str) -> Option<String> {
        if !self.is_attended() {
            return None;
        }
        let mut terminal = io::stderr();
        let _ = write!(terminal, "{}", safe_page(prompt));
        let _ = terminal.flush();
        let mut typed = String::new();
        let read = io::stdin().lock().read_line(&mut typed).ok()?;
        (read > 0).then(|| typed.trim().to_owned())
    }

    /// Asks a yes/no question. Without a terminal, the answer is no.
    pub(crate) fn is_agreed(&self, question: &str) -> bool {
        let typed = self.ask(&format!("{question} [y/N] "));
        typed.is_some_and(|typed| matches!(typed.as_str(), "y" | "Y" | "yes"))
    }

    /// Asks a yes/no question. Without a terminal, or without an answer, it is yes.
    pub(crate) fn is_not_refused(&self, question: &str) -> bool {
        let typed = self.ask(&format!("{question} [Y/n] "));
        !typed.is_some_and(|typed| typed.starts_with(['n', 'N']))
    }

    /// The whole input.
    pub(crate) fn input(&mut self) -> io::Result<Vec<u8>> {
        match &mut self.place {
            Place::Process => {
                let mut bytes = Vec::new();
                io::stdin().read_to_end(&mut bytes)?;
                Ok(bytes)
            }
            Place::Call { input, .. } => Ok(std::mem::take(input)),
        }
    }

    /// The whole input; an error if it takes longer than `time` or has more than `longest` bytes.
    pub(crate) fn input_within(&mut self, time: Duration, longest: u64) -> io::Result<Vec<u8>> {
        match self.place {
            Place::Process => standard_input::within(time, longest),
            Place::Call { .. } => self.input(),
        }
    }

    /// Shows text that is longer than the terminal through a pager from now on.
    pub(crate) fn page_long_text(&mut self, repository: &Repository, paging: Paging) {
        if self.is_call() {
            return;
        }
        match Pager::of(&self.variables, repository, paging) {
            Ok(pager) => self.pager = pager,
            Err(reason) => self.note(&format!("warning: {reason}")),
        }
    }

    /// Prints text, with colours only on a terminal. The text is written in one piece, because a stripping stream would
    /// write each styled word separately.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        let text = safe_page(text);
        let text = text.as_str();
        if let Some(pager) = &self.pager
            && Pager::is_needed(text)
        {
            let shown = match AutoStream::choice(&io::stdout()) {
                ColorChoice::Never => pager.show(strip_str(text).to_string().as_bytes()),
                _ => pager.show(text.as_bytes()),
            };
            if shown.is_ok() {
                return Ok(());
            }
        }
        if self.is_call() || AutoStream::choice(&io::stdout()) == ColorChoice::Never {
            return self.raw(strip_str(text).to_string().as_bytes());
        }
        let mut stdout = anstream::stdout();
        let written = stdout.write_all(text.as_bytes());
        unless_closed(written.and_then(|()| stdout.flush()))
    }

    /// Prints bytes unchanged.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match &mut self.place {
            Place::Process => {
                let mut stdout = io::stdout().lock();
                unless_closed(stdout.write_all(bytes).and_then(|()| stdout.flush()))
            }
            Place::Call { output, .. } => {
                output.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Prints bytes for a reader who has to get them: one that has gone away is an error.
    pub(crate) fn hand_over(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.place {
            Place::Process => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes)?;
                stdout.flush()
            }
            Place::Call { output, .. } => {
                output.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Prints untrusted text: unchanged to a file or pipe, without control characters to a terminal.
    pub(crate) fn content(&mut self, text: &str) -> Result<(), Failure> {
        match self.is_shown() {
            true => self.raw(safe_page(text).as_bytes()),
            false => self.raw(text.as_bytes()),
        }
    }

    /// Prints a report as one JSON object.
    pub(crate) fn json<T: Serialize>(&mut self, report: &T) -> Result<(), Failure> {
        let written = self.written(report);
        let line = written
            .map_err(|error| Failure::new(Exit::Failed, format!("cannot write JSON: {error}")))?;
        self.raw(line.as_bytes())
    }

    /// Prints a report as one JSON object to somebody who has to get it, or it is not over.
    pub(crate) fn hand_over_json<T: Serialize>(&mut self, report: &T) -> io::Result<()> {
        let line = self.written(report)?;
        self.hand_over(line.as_bytes())
    }

    /// A report as one line of JSON.
    fn written<T: Serialize>(&self, report: &T) -> serde_json::Result<String> {
        let envelope = Envelope {
            format: FORMAT,
            recovered: self.recoveries.all(),
            report,
        };
        let mut line = serde_json::to_string(&envelope)?;
        line.push('\n');
        Ok(escaped_json(line))
    }

    /// Prints a generated page; with `--json`, as one string.
    pub(crate) fn print_page(&mut self, global: &Global, page: &[u8]) -> Result<(), Failure> {
        if global.json {
            let text = String::from_utf8_lossy(page);
            return self.json(&serde_json::json!({ "text": text }));
        }
        self.raw(page)
    }

    /// Prints a note, separate from the output.
    pub(crate) fn note(&self, message: &str) {
        self.notes().add(message);
    }

    /// A handle for adding what a change has brought back to the JSON output.
    pub(crate) fn recoveries(&self) -> Recoveries {
        self.recoveries.clone()
    }

    /// A handle for adding notes that outlives the borrow of this value.
    pub(crate) fn notes(&self) -> Notes {
        match &self.place {
            Place::Process => Notes::StandardError,
            Place::Call { notes, .. } => Notes::Call(Arc::downgrade(notes)),
        }
    }
}

/// Where notes go. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) enum Notes {
    StandardError,
    /// To the caller, or to standard error once the call is over.
    Call(Weak<Mutex<Vec<String>>>),
}

impl Notes {
    /// Adds a note, as one line.
    pub(crate) fn add(&self, message: &str) {
        let line = one_line(message);
        let kept = match self {
            Self::StandardError => None,
            Self::Call(lines) => lines.upgrade(),
        };
        match kept {
            Some(lines) => locked(&lines).push(line),
            // If standard error is closed, the note is lost.
            None => {
                let _ = writeln!(anstream::stderr(), "{line}");
            }
        }
    }
}

#[derive(Serialize)]
struct Envelope<'r, T> {
    format: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recovered: Vec<Recovered>,
    #[serde(flatten)]
    report: &'r T,
}

fn locked<T>(lines: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A closed pipe is not an error.
fn unless_closed(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::io("cannot write to standard output", &error))
        }
        _ => Ok(()),
    }
}
