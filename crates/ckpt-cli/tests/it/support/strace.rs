//! Running `ckpt` under strace, which kills it or fails it at one system call.

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::tool;

/// Every system call by which a change becomes visible, and those around it.
pub(crate) const CALLS: [&str; 15] = [
    "openat",
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "linkat",
    "flock",
    "close",
    "mkdir",
    "mkdirat",
    "fchmod",
    "unlink",
    "exit_group",
];

/// More calls than any command makes of one kind.
pub(crate) const MOST_CALLS: usize = 200;

pub(crate) fn strace_works() -> bool {
    tool::works("strace", &["-o", "/dev/null", "true"])
}

/// Runs the change under strace, which tampers with one system call.
pub(crate) fn tampered(environment: &Environment, change: &[&str], call: &str, how: &str) -> Run {
    let mut command = environment.command("strace");
    command.arg("-o").arg(environment.base().join("trace"));
    // The question mark lets strace skip calls that this machine does not have.
    command.args(["-e", &format!("trace=?{call}")]);
    command.args(["-e", &format!("inject=?{call}:{how}")]);
    Run::of(command.arg(CKPT).args(change))
}

/// Whether the last change got as far as the call to tamper with.
pub(crate) fn was_tampered(environment: &Environment) -> bool {
    let trace = std::fs::read_to_string(environment.base().join("trace"));
    trace.is_ok_and(|trace| trace.contains("(INJECTED)") || trace.contains("killed by SIGKILL"))
}
