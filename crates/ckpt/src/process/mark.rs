//! Identifies a process, so that others can tell later whether it is still alive.
//!
//! A process id alone is not enough: ids are reused, and after a reboot they all belong to other processes. So the mark
//! also holds the start time and the boot id.

use crate::document::{Object, Tree};

/// The identity of a process.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProcessMark {
    /// Its id.
    #[serde(rename = "pid")]
    pub id: u32,
    /// Its start time, in the system's units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
    /// The boot id of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}

impl ProcessMark {
    /// The mark of this process.
    #[must_use]
    pub fn current() -> Self {
        let id = std::process::id();
        Self {
            id,
            started: system::started(id),
            boot: system::boot(),
        }
    }

    /// The mark of another process that is running now.
    #[must_use]
    pub fn of(id: u32) -> Self {
        Self {
            id,
            started: system::started(id),
            boot: system::boot(),
        }
    }

    /// The process that started this one, skipping a shell in between: a shell exits as soon as its command does.
    #[must_use]
    pub fn of_caller() -> Option<Self> {
        let mut id = ancestry::parent(std::process::id())?;
        if ancestry::is_shell(id) {
            id = ancestry::parent(id)?;
        }
        (id > 1).then(|| Self::of(id))
    }

    /// Reads a mark from a document.
    #[must_use]
    pub fn read<'t, T: Tree<'t>>(mark: T) -> Option<Self> {
        Some(Self {
            id: u32::try_from(mark.get("pid")?.as_u64()?).ok()?,
            started: mark.get("started").and_then(T::as_u64),
            boot: mark.text("boot").map(std::borrow::Cow::into_owned),
        })
    }

    /// The mark as an object to store.
    #[must_use]
    pub fn written(&self) -> Object {
        let mut mark = Object::new();
        mark.set("pid", u64::from(self.id));
        if let Some(started) = self.started {
            mark.set("started", started);
        }
        if let Some(boot) = &self.boot {
            mark.set("boot", boot.as_str());
        }
        mark
    }

    /// Whether the process is still running.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        let same_boot = self.boot.is_none() || self.is_of_this_boot();
        same_boot && system::is_alive(self.id, self.started)
    }

    /// Whether the process certainly belongs to the current boot of this machine.
    pub(crate) fn is_of_this_boot(&self) -> bool {
        self.boot.is_some() && self.boot == system::boot()
    }
}

/// Whether a process is stopped, as with Ctrl-Z.
pub(crate) fn is_stopped(id: u32) -> bool {
    system::is_stopped(id)
}

/// The host name.
#[must_use]
pub fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    #[cfg(not(unix))]
    let name = String::new();
    name
}

/// Parent processes, on systems that show them.
mod ancestry {
    /// The parent of a process.
    #[cfg(target_os = "linux")]
    pub(super) fn parent(id: u32) -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        fields.split_whitespace().nth(1)?.parse().ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn parent(_: u32) -> Option<u32> {
        None
    }

    #[cfg(target_os = "linux")]
    pub(super) fn is_shell(id: u32) -> bool {
        let name = std::fs::read_to_string(format!("/proc/{id}/comm"));
        let shells = ["sh", "bash", "dash", "zsh", "busybox"];
        name.is_ok_and(|name| shells.contains(&name.trim()))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn is_shell(_: u32) -> bool {
        false
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    pub(super) fn boot() -> Option<String> {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(id.trim().to_owned())
    }

    /// The state of a process and its start time.
    fn stat(id: u32) -> Option<(String, u64)> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name in parentheses may contain anything, so fields are counted from its end.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        Some(((*fields.first()?).to_owned(), fields.get(19)?.parse().ok()?))
    }

    pub(super) fn started(id: u32) -> Option<u64> {
        stat(id).map(|(_, started)| started)
    }

    pub(super) fn is_stopped(id: u32) -> bool {
        stat(id).is_some_and(|(state, _)| matches!(state.as_str(), "T" | "t"))
    }

    pub(super) fn is_alive(id: u32, started: Option<u64>) -> bool {
        // A zombie counts as gone.
        stat(id).is_some_and(|(state, began)| {
            !matches!(state.as_str(), "Z" | "X") && started.is_none_or(|known| known == began)
        })
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod system {
    use rustix::process::{Pid, test_kill_process};

    pub(super) fn boot() -> Option<String> {
        None
    }

    pub(super) fn started(_: u32) -> Option<u64> {
        None
    }

    pub(super) fn is_stopped(_: u32) -> bool {
        false
    }

    pub(super) fn is_alive(id: u32, _: Option<u64>) -> bool {
        let process = i32::try_from(id).ok().and_then(Pid::from_raw);
        process.is_some_and(|process| test_kill_process(process).is_ok())
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn boot() -> Option<String> {
        None
    }

    pub(super) fn started(_: u32) -> Option<u64> {
        None
    }

    pub(super) fn is_stopped(_: u32) -> bool {
        false
    }

    pub(super) fn is_alive(_: u32, _: Option<u64>) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
