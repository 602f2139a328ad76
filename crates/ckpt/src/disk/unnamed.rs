//! Files that have no name until they are complete. If the process dies before that, the system removes them.

use std::fs::File;
use std::io;
use std::path::Path;

use super::Mode;

/// Creates a file without a name on the file system of a directory whose path has no symbolic link.
#[cfg(target_os = "linux")]
pub(super) fn unnamed(directory: &Path, mode: Mode) -> io::Result<File> {
    use rustix::fs::{CWD, Mode as FileMode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let bits = match mode {
        Mode::Private => 0o600,
        Mode::Umask => 0o666,
        Mode::Like(standing) => standing.bits,
    };
    let flags = OFlags::CLOEXEC | OFlags::WRONLY | OFlags::TMPFILE;
    let mode = FileMode::from_raw_mode(bits);
    match openat2(CWD, directory, flags, mode, ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Ok(file.into()),
        // The file system or the kernel knows no such files, a sandbox blocks the call, or there is a link in the path.
        Err(
            Errno::NOTSUP | Errno::ISDIR | Errno::NOSYS | Errno::INVAL | Errno::PERM | Errno::LOOP,
        ) => Err(io::ErrorKind::Unsupported.into()),
        Err(error) => Err(error.into()),
    }
}

/// Gives such a file its name, which must not be in use.
#[cfg(target_os = "linux")]
pub(super) fn name(file: &File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, linkat};
    use rustix::io::Errno;

    let from = format!("/proc/self/fd/{}", file.as_raw_fd());
    match linkat(CWD, from.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW) {
        Ok(()) => Ok(()),
        // There is no /proc, or the file system has no hard links.
        Err(Errno::NOENT | Errno::XDEV | Errno::PERM | Errno::NOTSUP) => {
            Err(io::ErrorKind::Unsupported.into())
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn unnamed(_directory: &Path, _mode: Mode) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn name(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
