//! Running `ckpt` under strace, which records its system calls, kills it at one of them, or lets one fail.

use std::collections::HashMap;
use std::fs;

use crate::world::{Ended, World, ended, words};

/// The calls that read or change files, and the end of the process. Between two of them nothing happens that anybody
/// could see, so a kill before a call is also a kill after the one before it.
const CALLS: [&str; 32] = [
    "openat",
    "openat2",
    "open",
    "read",
    "pread64",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "flock",
    "fcntl",
    "close",
    "mkdir",
    "mkdirat",
    "fchmod",
    "chmod",
    "fchown",
    "unlink",
    "unlinkat",
    "ftruncate",
    "statx",
    "newfstatat",
    "fstat",
    "lseek",
    "getdents64",
    "readlink",
    "exit_group",
];

/// One system call of a run: its name, and its number among those of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) number: usize,
}

/// What happens at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process is killed.
    Kill,
    /// The call fails with this error.
    Error(&'static str),
}

impl Fault {
    pub(crate) const ERRORS: [Self; 4] = [
        Self::Error("EIO"),
        Self::Error("ENOSPC"),
        Self::Error("EACCES"),
        Self::Error("EINTR"),
    ];

    /// Whether it makes sense at a call: nothing fails at its end, and an interrupted `close` is closed.
    pub(crate) fn fits(self, call: &Call) -> bool {
        self == Self::Kill || !matches!(call.name.as_str(), "exit_group" | "close")
    }

    fn injection(self, call: &Call) -> String {
        let Call { name, number } = call;
        match self {
            Self::Kill => format!("inject={name}:signal=KILL:when={number}"),
            Self::Error(error) => format!("inject={name}:error={error}:when={number}"),
        }
    }
}

/// Whether strace can be used here.
pub(crate) fn works(world: &World) -> bool {
    let mut command = world.command("strace");
    command.args(["-o", "/dev/null", "true"]);
    ended(&mut command, None).is_ok_and(|ended| ended.code == Some(0))
}

/// The system calls of a command that runs undisturbed.
pub(crate) fn calls(world: &World, line: &str, input: Option<&str>) -> Result<Vec<Call>, String> {
    let trace = world.base().join("trace");
    let mut command = world.command("strace");
    let traced = format!("trace=?{}", CALLS.join(",?"));
    command.arg("-o").arg(&trace).args(["-e", &traced]);
    ended(command.arg(&world.binary).args(words(line)), input)?;
    let text = fs::read_to_string(&trace).map_err(|error| format!("no trace: {error}"))?;
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let calls = text.lines().filter_map(|line| {
        let name = line.split('(').next().filter(|name| CALLS.contains(name))?;
        let number = numbers.entry(name.to_owned()).or_default();
        *number += 1;
        Some(Call {
            name: name.to_owned(),
            number: *number,
        })
    });
    Ok(calls.collect())
}

/// Runs a command with a fault at one call.
pub(crate) fn disturbed(
    world: &World,
    line: &str,
    input: Option<&str>,
    call: &Call,
    fault: Fault,
) -> Result<Ended, String> {
    let mut command = world.command("strace");
    command.args(["-o", "/dev/null"]);
    command.args(["-e", &format!("trace={}", call.name)]);
    command.args(["-e", &fault.injection(call)]);
    ended(command.arg(&world.binary).args(words(line)), input)
}
