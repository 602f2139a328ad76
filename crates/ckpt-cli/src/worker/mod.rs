//! The worker that tells followers what happened, in a process of its own.
//!
//! A change starts one if there are followers and none is at work. It stays for a moment, so that a burst of changes starts
//! one process and not one each.

mod work;

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use ckpt::workspace::Workspace;

pub(crate) use work::{tell, work};

/// Whether this process is `ckpt` itself, and can start itself again.
static IS_PROGRAM: AtomicBool = AtomicBool::new(false);

/// The action of `ckpt followers` that the worker runs.
pub(crate) const WORK: &str = "work";

/// Notes that this process is the program.
pub(crate) fn allow() {
    IS_PROGRAM.store(true, Ordering::Relaxed);
}

/// Starts a worker if followers need one and none is at work.
pub(crate) fn wake(workspace: &Workspace) {
    let followers = workspace.followers();
    if !IS_PROGRAM.load(Ordering::Relaxed) || !followers.exist() || !followers.need_a_worker() {
        return;
    }
    // One that cannot take the lock says why.
    if !followers.have_a_worker() {
        start(workspace);
    }
}

fn start(workspace: &Workspace) {
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut command = Command::new(program);
    command
        .args(["followers", WORK])
        .current_dir(workspace.repository().root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    detach(&mut command);
    // If it cannot be started now, the next change tries again.
    let _ = command.spawn();
}

/// Makes a process survive a signal to the group of this one, such as that of an agent's hooks.
pub(crate) fn detach(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    #[cfg(not(unix))]
    let _ = command;
}
