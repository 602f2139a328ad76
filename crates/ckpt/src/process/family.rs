//! Finding and killing every process that a gate's commands started.
//!
//! A process group can be killed as a whole, but a process can leave its group, or outlive the process that ran the
//! gate. So all of them inherit the run's name in an environment variable, by which they are found on systems that show
//! a process's environment.

use std::sync::atomic::{AtomicU64, Ordering};

use super::ProcessMark;

/// The environment variable that holds the run's name.
pub const RUN_VARIABLE: &str = "CKPT_GATE_RUN";

/// Each pass finds processes that were being started during the one before. The limit is for those that spawn faster
/// than we can kill.
const LOOKS: u32 = 20;

/// A name that no other run on this machine has.
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

/// Kills everything that a run has left behind.
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

    /// Kills every process started with this variable. Returns whether there was one.
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
            // The environment of other users' processes, and of those that have just exited, is unreadable.
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
