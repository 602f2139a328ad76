//! Library functions as separate programs, so that they can be compared with other programs. Each prints the cost of
//! the function alone, in the launcher's format, and then its result.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ckpt::plan::{ItemKind, scan};
use ckpt::tokens::Counter;
use rustix::time::{ClockId, clock_gettime};

use crate::failure::{Doing, Failure, Result};
use crate::mcp_cases;
use crate::measure::Invocation;

/// The first argument that makes the benchmark run as such a program.
#[derive(Clone, Copy)]
pub(crate) enum Verb {
    /// Counts the tasks of a plan, and those that are done.
    ScanPlan,
    /// Counts the tokens of a text.
    CountTokens,
    /// Asks the library where the work stands.
    AskLibrary,
    /// Asks an MCP server where the work stands.
    AskServer,
}

impl Verb {
    const ALL: [Self; 4] = [
        Self::ScanPlan,
        Self::CountTokens,
        Self::AskLibrary,
        Self::AskServer,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::ScanPlan => "scan-file",
            Self::CountTokens => "count-file",
            Self::AskLibrary => "ask-library",
            Self::AskServer => "ask-server",
        }
    }

    pub(crate) fn read(typed: &std::ffi::OsStr) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| typed == verb.as_str())
    }

    /// The command that runs it.
    pub(crate) fn invocation(self, file: PathBuf) -> Result<Invocation> {
        let own = std::env::current_exe()
            .map_err(|source| Failure::new(format!("cannot find this program: {source}")))?;
        let invocation = Invocation::new(&own).arg(self.as_str()).arg(file);
        Ok(invocation.timing_itself())
    }

    pub(crate) fn run(self, path: &Path) -> Result<()> {
        match self {
            Self::ScanPlan => {
                let text = fs::read(path).doing("read", path)?;
                let (cost, scan) = timed(|| scan(&text));
                let scan = scan.map_err(|error| Failure::new(error.to_string()))?;
                let tasks = || scan.items.iter().filter(|item| item.kind == ItemKind::Task);
                let done = tasks().filter(|task| task.done).count();
                println!("{cost} {} 0 tasks {} done {done}", peak()?, tasks().count());
            }
            Self::CountTokens => {
                let text = fs::read_to_string(path).doing("read", path)?;
                let (cost, count) = timed(|| Counter::O200k.count(&text));
                println!("{cost} {} 0 tokens {count}", peak()?);
            }
            Self::AskLibrary => {
                let (cost, answer) = timed(mcp_cases::ask_library(path)?);
                println!("{cost} {} 0 {}", peak()?, answer?);
            }
            Self::AskServer => {
                let (cost, answer) = timed(mcp_cases::ask_server(path)?);
                println!("{cost} {} 0 {}", peak()?, answer?);
            }
        }
        Ok(())
    }
}

/// The wall time in nanoseconds and the CPU time in microseconds.
fn timed<T>(function: impl FnOnce() -> T) -> (String, T) {
    let (begin, cpu_before) = (Instant::now(), cpu_microseconds());
    let result = function();
    let (wall, cpu) = (begin.elapsed(), cpu_microseconds() - cpu_before);
    (format!("{} {cpu}", wall.as_nanos()), result)
}

/// The CPU time of all threads of this process.
fn cpu_microseconds() -> i64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
}

/// The peak memory of this process, in KiB.
fn peak() -> Result<u128> {
    let path = Path::new("/proc/self/status");
    let status = fs::read_to_string(path).doing("read", path)?;
    status
        .lines()
        .find_map(|line| {
            line.strip_prefix("VmHWM:")?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        })
        .ok_or_else(|| Failure::new("/proc/self/status does not contain the peak memory"))
}
