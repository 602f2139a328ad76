//! Running `ckpt` as a user for whom permissions hold.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;

use super::environment::{CKPT, Environment, Run};
use super::{tool, tree};

/// The user and group of nobody.
pub(crate) const NOBODY: u32 = 65534;

/// Whether the tests run as root, who ignores permissions: the owner of a new file shows it.
pub(crate) fn is_root(environment: &Environment) -> bool {
    let mine = environment.base().join("mine");
    let _ = fs::remove_file(&mine);
    fs::write(&mine, "").unwrap();
    fs::metadata(&mine).unwrap().uid() == 0
}

/// Runs `ckpt` as a user for whom permissions hold; `None` if that is not possible.
pub(crate) fn unprivileged(environment: &Environment, arguments: &[&str]) -> Option<Run> {
    if !is_root(environment) {
        return Some(environment.ckpt(arguments));
    }
    let identity = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    if !tool::works("setpriv", &[&identity[..], &["true"]].concat()) {
        return None;
    }
    // The user nobody may have no access to the build directory.
    let binary = environment.base().join("ckpt");
    if !binary.exists() {
        fs::copy(CKPT, &binary).unwrap();
        tree::set_mode(&binary, 0o755);
    }
    give_away(environment.base());
    let mut command = environment.command("setpriv");
    Some(Run::of(command.args(identity).arg(binary).args(arguments)))
}

pub(crate) fn give_away(path: &Path) {
    let metadata = fs::symlink_metadata(path).unwrap();
    if metadata.is_symlink() {
        return;
    }
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}
