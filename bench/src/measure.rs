//! Runs two programs alternately and records the cost of each run.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Doing, Failure, Result};

/// Replaced by the number of the run inside an argument, so that every update changes something.
pub(crate) const RUN: &str = "{run}";

/// Replaced by `done` and `undo` in alternate runs, for changes that can only be toggled.
pub(crate) const TICK: &str = "{tick}";

/// Rounds that are run first and discarded: they fill the page cache and settle the file system's journal.
pub(crate) const WARM_UP: u32 = 3;

/// A program with its arguments, to be run many times.
pub(crate) struct Invocation {
    program: PathBuf,
    arguments: Vec<OsString>,
    /// Its standard input, if any.
    input: Option<PathBuf>,
    /// The expected exit code.
    code: i32,
    /// Text that must be in the output. Empty if any output will do.
    evidence: String,
    clock: Clock,
}

/// Who measures the cost of a run.
#[derive(Clone, Copy, PartialEq)]
enum Clock {
    /// The launcher, for the whole process.
    Launcher,
    /// The program itself, in the launcher's format, for the part of its work that counts.
    Program,
}

impl Invocation {
    pub(crate) fn new(program: &Path) -> Self {
        Self {
            program: program.to_path_buf(),
            arguments: Vec::new(),
            input: None,
            code: 0,
            evidence: String::new(),
            clock: Clock::Launcher,
        }
    }

    pub(crate) fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn args(self, arguments: &[&str]) -> Self {
        arguments.iter().fold(self, Self::arg)
    }

    /// Requires the program to print this. Otherwise a program that does nothing would measure best.
    pub(crate) fn printing(mut self, evidence: &str) -> Self {
        self.evidence = evidence.to_owned();
        self
    }

    /// Requires the program to end with this exit code.
    pub(crate) fn ending_with(mut self, code: i32) -> Self {
        self.code = code;
        self
    }

    /// Lets the program read this file.
    pub(crate) fn reading(mut self, file: PathBuf) -> Self {
        self.input = Some(file);
        self
    }

    fn stdin(&self, run: u32) -> Result<Stdio> {
        match &self.input {
            Some(file) => {
                let file = PathBuf::from(of_run(file.as_os_str(), run));
                Ok(File::open(&file).doing("read", &file)?.into())
            }
            None => Ok(Stdio::null()),
        }
    }

    /// The program measures its own cost and prints it.
    pub(crate) fn timing_itself(mut self) -> Self {
        self.clock = Clock::Program;
        self
    }

    /// Runs the program once outside the measurement, to check that it works and, if it fails, to say why.
    pub(crate) fn check(&self, home: &Path) -> Result<()> {
        let mut command = Command::new(&self.program);
        command.args(self.arguments_of(0)).stdin(self.stdin(0)?);
        let output = hermetic(&mut command, home)
            .output()
            .doing("run", &self.program)?;
        if output.status.code() != Some(self.code) {
            return Err(Failure::ended(&self.to_string(), &output));
        }
        if !String::from_utf8_lossy(&output.stdout).contains(&self.evidence) {
            let evidence = &self.evidence;
            return Err(Failure::new(format!("{self} did not print {evidence:?}")));
        }
        Ok(())
    }

    fn arguments_of(&self, run: u32) -> impl Iterator<Item = OsString> {
        self.arguments
            .iter()
            .map(move |argument| match argument.to_str() {
                Some(TICK) => if run.is_multiple_of(2) {
                    "done"
                } else {
                    "undo"
                }
                .into(),
                _ => of_run(argument, run),
            })
    }
}

/// An argument, with its placeholders replaced for a run.
fn of_run(argument: &OsStr, run: u32) -> OsString {
    match argument.to_str() {
        Some(text) => text.replace(RUN, &run.to_string()).into(),
        None => argument.to_owned(),
    }
}

impl std::fmt::Display for Invocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.program.display())?;
        self.arguments
            .iter()
            .try_for_each(|argument| write!(f, " {}", argument.display()))
    }
}

/// The cost of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// From before the spawn to after the wait, in microseconds.
    pub(crate) wall: f64,
    /// User and system time of the process, in microseconds.
    pub(crate) cpu: f64,
    /// Peak resident memory, in KiB.
    pub(crate) rss: u64,
}

/// The launcher, and the environment in which both sides of a comparison run.
pub(crate) struct Launcher<'a> {
    pub(crate) program: &'a Path,
    pub(crate) home: &'a Path,
}

impl Launcher<'_> {
    /// Runs both alternately, so that a busy moment of the machine affects both, and swaps the order each round, so
    /// that what one leaves behind for the other favours neither.
    pub(crate) fn interleave(
        &self,
        ours: &Invocation,
        floor: &Invocation,
        rounds: u32,
    ) -> Result<(Vec<Sample>, Vec<Sample>)> {
        ours.check(self.home)?;
        floor.check(self.home)?;
        let (mut of_ours, mut of_floor) = (Vec::new(), Vec::new());
        for run in 1..=WARM_UP + rounds {
            let (our_sample, floor_sample) = if run % 2 == 0 {
                let first = self.run(ours, run)?;
                (first, self.run(floor, run)?)
            } else {
                let first = self.run(floor, run)?;
                (self.run(ours, run)?, first)
            };
            if run > WARM_UP {
                of_ours.push(our_sample);
                of_floor.push(floor_sample);
            }
        }
        Ok((of_ours, of_floor))
    }

    fn run(&self, invocation: &Invocation, run: u32) -> Result<Sample> {
        let mut command = match invocation.clock {
            Clock::Launcher => Command::new(self.program),
            Clock::Program => Command::new(&invocation.program),
        };
        if invocation.clock == Clock::Launcher {
            command.arg(&invocation.program);
        }
        command
            .args(invocation.arguments_of(run))
            .stdin(invocation.stdin(run)?);
        let output = hermetic(&mut command, self.home)
            .output()
            .doing("run", &invocation.program)?;
        if !output.status.success() {
            return Err(Failure::ended(&invocation.to_string(), &output));
        }
        match parse(&String::from_utf8_lossy(&output.stdout)) {
            Some((sample, code)) if code == invocation.code => Ok(sample),
            Some((_, code)) => Err(Failure::new(format!(
                "run {run} of {invocation} ended with exit code {code}"
            ))),
            None => Err(Failure::new(
                "the launcher, or a program that times itself, did not print a measurement",
            )),
        }
    }
}

/// Clears the caller's environment except `PATH`, and sets an empty home, because the user's own settings must not
/// affect the measurement.
pub(crate) fn hermetic<'c>(command: &'c mut Command, home: &Path) -> &'c mut Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("HOME", home)
}

/// Reads the launcher's line: wall nanoseconds, CPU microseconds, peak KiB, exit code.
fn parse(line: &str) -> Option<(Sample, i32)> {
    let mut fields = line.split_whitespace();
    let wall: f64 = fields.next()?.parse().ok()?;
    let sample = Sample {
        wall: wall / 1_000.0,
        cpu: fields.next()?.parse().ok()?,
        rss: fields.next()?.parse().ok()?,
    };
    Some((sample, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests;
