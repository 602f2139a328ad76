//! Which user a repository belongs to.
//!
//! The owner of a directory can put anything into it. So, like git, we do not work in another user's repository unless
//! the user has marked it as safe with git's own setting `safe.directory`.

use std::path::{Path, PathBuf};

use super::{Environment, Location, RepositoryError};

/// What we store below the root.
const OURS: [&str; 2] = [".claude", "plans"];

/// Refuses a repository whose root, state or git directory belongs to another user.
pub(super) fn check(
    root: &Path,
    location: Option<&Location>,
    environment: &Environment,
) -> Result<(), RepositoryError> {
    let ours = OURS.map(|name| root.join(name));
    let mut paths: Vec<&Path> = ours.iter().map(PathBuf::as_path).collect();
    let dot_git = root.join(".git");
    if let Some(location) = location {
        paths.extend([location.work_tree.as_path(), &dot_git]);
        if location.git_dir != dot_git {
            paths.push(&location.git_dir);
        }
        if location.is_linked() {
            paths.push(&location.common_dir);
        }
    }
    match system::first_foreign(&paths, environment.sudo_uid) {
        Some(path) if !system::is_safe(root, location) => Err(RepositoryError::DubiousOwnership {
            root: root.to_owned(),
            path: path.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// This user's home directory, according to the system.
pub(super) fn home_of_the_system() -> Option<PathBuf> {
    system::home()
}

#[cfg(unix)]
mod system {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use super::super::{Location, launch};
    use crate::disk::read_own;

    /// How long git may take to list the safe directories.
    const LIMIT: Duration = Duration::from_secs(2);

    /// The first path that belongs to another user. For root, files of the user who called `sudo` count as its own.
    pub(super) fn first_foreign<'p>(paths: &[&'p Path], sudo_uid: Option<u32>) -> Option<&'p Path> {
        let user = rustix::process::geteuid();
        let is_own = |uid: u32| uid == user.as_raw() || (user.is_root() && Some(uid) == sudo_uid);
        let is_foreign =
            |path: &&Path| fs::symlink_metadata(path).is_ok_and(|metadata| !is_own(metadata.uid()));
        paths.iter().copied().find(is_foreign)
    }

    /// Reads the home directory from the user table. Network users may be missing from it.
    pub(super) fn home() -> Option<PathBuf> {
        const LONGEST: u64 = 1024 * 1024;
        let users = read_own(Path::new("/etc/passwd"), LONGEST).ok()?;
        let id = rustix::process::geteuid().as_raw().to_string();
        users.split(|byte| *byte == b'\n').find_map(|user| {
            let mut members = user.split(|byte| *byte == b':').skip(2);
            let is_own = members.next()? == id.as_bytes();
            let home = members.nth(2).filter(|home| home.starts_with(b"/"))?;
            is_own.then(|| PathBuf::from(OsStr::from_bytes(home)))
        })
    }

    /// Whether the user has marked a directory as safe. Only the user's and the system's settings count, not variables,
    /// because an agent's settings can set those.
    pub(super) fn is_safe(root: &Path, location: Option<&Location>) -> bool {
        let mut command = launch::prepared(root, location);
        command
            .args(["config", "-z", "--type=path", "--get-all", "safe.directory"])
            .current_dir("/");
        let Ok(Some(output)) = launch::run(&mut command, None, LIMIT, || {}) else {
            return false;
        };
        let mut is_safe = false;
        let values = output.stdout.split(|byte| *byte == 0);
        let mut values: Vec<&[u8]> = values.collect();
        // Each value ends with a NUL.
        values.pop();
        for value in values {
            is_safe = match value {
                b"" => false,
                b"*" => true,
                value => is_safe || covers(value, root),
            };
        }
        is_safe
    }

    fn covers(value: &[u8], root: &Path) -> bool {
        let resolved = |bytes: &[u8]| {
            let path = Path::new(OsStr::from_bytes(bytes));
            fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
        };
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        match value.strip_suffix(b"/*") {
            Some(above) => root != resolved(above) && root.starts_with(resolved(above)),
            None => root == resolved(value),
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::path::{Path, PathBuf};

    use super::super::Location;

    pub(super) fn home() -> Option<PathBuf> {
        None
    }

    /// Git checks this itself when we run it.
    pub(super) fn first_foreign<'p>(_: &[&'p Path], _: Option<u32>) -> Option<&'p Path> {
        None
    }

    pub(super) fn is_safe(_: &Path, _: Option<&Location>) -> bool {
        true
    }
}
