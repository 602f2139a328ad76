//! The binary to measure: the release build, or the one that the caller names.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Doing, Failure, Result};

/// The named binary, or the one that `scripts/release` builds.
pub(crate) fn locate(named: Option<&Path>, root: &Path) -> Result<PathBuf> {
    let path = match named {
        Some(path) => path.to_path_buf(),
        None => root.join(release(root)?),
    };
    // The launcher does not search PATH.
    path.canonicalize().doing("find the binary", &path)
}

fn release(root: &Path) -> Result<PathBuf> {
    let script = root.join("scripts/release");
    let output = Command::new(&script)
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .doing("run", &script)?;
    if !output.status.success() {
        return Err(Failure::ended("scripts/release", &output));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let last = printed
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty());
    last.map(PathBuf::from).ok_or_else(|| {
        Failure::new("scripts/release printed no path. Its last line must name the binary.")
    })
}
