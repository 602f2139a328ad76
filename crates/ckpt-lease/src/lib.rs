//! Tells whether another program has a file open for writing.
//!
//! Linux grants a read lease on a file only if nobody has it open for writing. While we hold the lease, whoever opens
//! the file for writing waits until we give it up, and we can see that somebody waits.
//!
//! It grants leases only to the owner of the file and to privileged processes. For other files we look through the
//! open files of all processes, as far as we may.
//!
//! This is a crate of its own because the three calls that it takes have no safe form anywhere.

use std::fs::File;

/// The answer for one file.
#[derive(Debug)]
pub enum Writers {
    /// At least one program has it open for writing, or is waiting to open it.
    Some,
    /// None has.
    None(Lease),
    /// The system or the file system grants no lease, and no process that we may look at has it open for writing.
    Unknown(File),
}

/// A promise that nobody has a file open for writing. It ends when it is dropped.
#[derive(Debug)]
pub struct Lease {
    file: File,
}

impl Writers {
    /// Looks for programs that have a file open for writing. It must have been opened for reading only.
    #[must_use]
    pub fn of(file: File) -> Self {
        match system::take(&file) {
            system::Taken::Yes => Self::None(Lease { file }),
            system::Taken::Written => Self::Some,
            system::Taken::Unsupported if system::is_open(&file) => Self::Some,
            system::Taken::Unsupported => Self::Unknown(file),
        }
    }
}

impl Lease {
    /// The file, to read it.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether a program is waiting to open the file for writing.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        system::is_wanted(&self.file)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        system::give_up(&self.file);
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::OsStr;
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// Missing in libc.
    const F_SETSIG: libc::c_int = 10;

    pub(super) enum Taken {
        Yes,
        Written,
        Unsupported,
    }

    pub(super) fn take(file: &File) -> Taken {
        // When somebody wants the file, the system sends a signal. By default that is one which ends the process; this
        // one is ignored unless somebody handles it.
        if fcntl(file, F_SETSIG, libc::SIGURG).is_err() {
            return Taken::Unsupported;
        }
        match fcntl(file, libc::F_SETLEASE, libc::F_RDLCK) {
            Ok(_) => Taken::Yes,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Taken::Written,
            Err(_) => Taken::Unsupported,
        }
    }

    /// Whether a process that we may look at has the file open for writing.
    pub(super) fn is_open(file: &File) -> bool {
        let Ok(wanted) = file.metadata().map(|found| (found.dev(), found.ino())) else {
            return false;
        };
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let is_process = |name: &OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
        let processes = processes.filter(|entry| is_process(&entry.file_name()));
        let mut opened = processes.flat_map(|process| {
            let descriptors = fs::read_dir(process.path().join("fd"));
            let descriptors = descriptors.into_iter().flatten().flatten();
            descriptors.map(move |descriptor| (process.path(), descriptor))
        });
        opened.any(|(process, descriptor)| {
            let found = fs::metadata(descriptor.path());
            found.is_ok_and(|found| (found.dev(), found.ino()) == wanted)
                && may_write(&process.join("fdinfo").join(descriptor.file_name()))
        })
    }

    /// Whether the description of an open file says that it was opened for writing.
    fn may_write(description: &Path) -> bool {
        let description = fs::read_to_string(description).unwrap_or_default();
        let mut flags = description
            .lines()
            .filter_map(|line| line.strip_prefix("flags:"));
        let flags = flags
            .next()
            .and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & libc::O_ACCMODE != libc::O_RDONLY)
    }

    pub(super) fn is_wanted(file: &File) -> bool {
        !matches!(fcntl(file, libc::F_GETLEASE, 0), Ok(libc::F_RDLCK))
    }

    pub(super) fn give_up(file: &File) {
        // It also ends when the file is closed, so a failure does no harm.
        let _ = fcntl(file, libc::F_SETLEASE, libc::F_UNLCK);
    }

    fn fcntl(file: &File, command: libc::c_int, argument: libc::c_int) -> io::Result<libc::c_int> {
        #[expect(unsafe_code, reason = "no crate has a safe form of these commands")]
        // SAFETY: the descriptor is open as long as the file is borrowed, and each of these commands takes an integer or
        // nothing, never a pointer.
        let result = unsafe { libc::fcntl(file.as_raw_fd(), command, argument) };
        match result {
            -1 => Err(io::Error::last_os_error()),
            result => Ok(result),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::File;

    #[expect(dead_code, reason = "only Linux can tell")]
    pub(super) enum Taken {
        Yes,
        Written,
        Unsupported,
    }

    pub(super) fn take(_file: &File) -> Taken {
        Taken::Unsupported
    }

    pub(super) fn is_open(_file: &File) -> bool {
        false
    }

    pub(super) fn is_wanted(_file: &File) -> bool {
        false
    }

    pub(super) fn give_up(_file: &File) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
