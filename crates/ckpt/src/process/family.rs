//! Everything that a gate's commands started, however far it went.
//!
//! A process group ends as a whole, but a process can leave its group, and one that outlives whoever ran the gate
//! belongs to nobody. So all of them inherit the name of the run in a variable, by which they are found where the
//! system tells what a process was started with.

use std::sync::atomic::{AtomicU64, Ordering};

use super::ProcessMark;

/// The variable that names the run.
pub const RUN_VARIABLE: &str = "CKPT_GATE_RUN";

/// Looking again finds what was being started during the first look. What starts others faster than that is not
/// followed for ever.
const LOOKS: u32 = 20;

/// A name that no other run has on this machine.
pub(crate) fn fresh_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = ProcessMark::current();
    format!(
        "{}-{}-{count}",
        process.id,
        process.started.unwrap_or_default()
    )
}

/// Ends all that a run has left behind.
pub(crate) fn end(run: &str) {
    for _ in 0..LOOKS {
        if !system::end_all(&format!("{RUN_VARIABLE}={run}")) {
            return;
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use rustix::process::{Pid, Signal, kill_process};

    /// Ends every process that was started with this variable. Whether there was one.
    pub(super) fn end_all(variable: &str) -> bool {
        let Ok(processes) = fs::read_dir("/proc") else {
            return false;
        };
        let mut found = false;
        for process in processes.flatten() {
            let id = process.file_name().to_str().and_then(|id| id.parse().ok());
            let Some(id) = id.and_then(Pid::from_raw) else {
                continue;
            };
            // Of other people's processes, and of those that have just ended, nothing can be read.
            let variables = fs::read(process.path().join("environ")).unwrap_or_default();
            let mut variables = variables.split(|byte| *byte == 0);
            if variables.any(|known| known == variable.as_bytes()) {
                found |= kill_process(id, Signal::KILL).is_ok();
            }
        }
        found
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn end_all(_: &str) -> bool {
        false
    }
}
