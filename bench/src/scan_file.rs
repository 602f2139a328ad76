//! The scan of the library as a program of its own, so that it can be measured beside other programs.

use std::fs;
use std::path::Path;
use std::time::Instant;

use ckpt::plan::{ItemKind, scan};
use rustix::time::{ClockId, clock_gettime};

use crate::failure::{Doing, Failure, Result};

/// The first argument that makes the benchmark such a program.
pub(crate) const VERB: &str = "scan-file";

/// Prints, as the launcher does, what the scan alone cost, then how many tasks there are and how many
/// of them are done.
pub(crate) fn run(path: &Path) -> Result<()> {
    let text = fs::read(path).doing("read", path)?;
    let (begin, cpu_before) = (Instant::now(), cpu_microseconds());
    let scan = scan(&text).map_err(|error| Failure::new(error.to_string()))?;
    let (wall, cpu) = (begin.elapsed(), cpu_microseconds() - cpu_before);
    let tasks = || scan.items.iter().filter(|item| item.kind == ItemKind::Task);
    let done = tasks().filter(|task| task.done).count();
    let [wall, count, peak] = [wall.as_nanos(), tasks().count() as u128, peak_kibibytes()?];
    println!("{wall} {cpu} {peak} 0 tasks {count} done {done}");
    Ok(())
}

/// Of all threads of this process together.
fn cpu_microseconds() -> i64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
}

fn peak_kibibytes() -> Result<u128> {
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
        .ok_or_else(|| Failure::new("/proc/self/status does not say the peak memory"))
}
