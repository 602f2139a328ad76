//! Snapshots of a directory, to see whether anything in it changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// One thing in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) mode: u32,
    pub(crate) modified: (i64, i64),
    pub(crate) content: Content,
}

/// What it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Directory,
    File(Vec<u8>),
    Link(PathBuf),
    Other,
}

/// Everything below a directory, and the directory itself under the empty name.
pub(crate) fn listing(directory: &Path) -> BTreeMap<String, Entry> {
    let mut entries = BTreeMap::new();
    visit(directory, directory, &mut entries);
    entries
}

/// What differs between two listings, by name.
pub(crate) fn changes(
    before: &BTreeMap<String, Entry>,
    after: &BTreeMap<String, Entry>,
) -> Vec<String> {
    let names = before.keys().chain(after.keys());
    let differing = names.filter(|name| before.get(*name) != after.get(*name));
    let differing: BTreeSet<&String> = differing.collect();
    differing.into_iter().cloned().collect()
}

/// Asserts that a directory is as it was.
#[track_caller]
pub(crate) fn assert_unchanged(directory: &Path, before: &BTreeMap<String, Entry>, when: &str) {
    assert_eq!(changes(before, &listing(directory)), [""; 0], "{when}");
}

/// The directories and files below a directory, with their content, except for some.
pub(crate) fn contents(
    directory: &Path,
    is_left_out: impl Fn(&str) -> bool,
) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for (name, entry) in listing(directory) {
        match entry.content {
            _ if name.is_empty() || is_left_out(&name) => {}
            Content::Directory => {
                found.insert(format!("{name}/"), Vec::new());
            }
            Content::File(content) => {
                found.insert(name, content);
            }
            Content::Link(_) | Content::Other => {}
        }
    }
    found
}

/// The names of everything below a directory.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = listing(directory).into_keys();
    entries.filter(|name| !name.is_empty()).collect()
}

/// The permissions of a file.
pub(crate) fn mode(path: impl AsRef<Path>) -> u32 {
    let metadata = fs::symlink_metadata(path).unwrap();
    metadata.permissions().mode() & 0o7777
}

/// Sets the permissions of a file.
pub(crate) fn set_mode(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn visit(top: &Path, path: &Path, entries: &mut BTreeMap<String, Entry>) {
    let metadata = fs::symlink_metadata(path).unwrap();
    let kind = metadata.file_type();
    let content = match () {
        () if kind.is_dir() => Content::Directory,
        () if kind.is_file() => Content::File(fs::read(path).unwrap()),
        () if kind.is_symlink() => Content::Link(fs::read_link(path).unwrap()),
        () => Content::Other,
    };
    if content == Content::Directory {
        for entry in fs::read_dir(path).unwrap() {
            visit(top, &entry.unwrap().path(), entries);
        }
    }
    let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
    let entry = Entry {
        mode: metadata.mode() & 0o7777,
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        content,
    };
    entries.insert(name, entry);
}

/// Copies a directory with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Takes away the right to write from a directory and everything in it. Returns the modes from before.
pub(crate) fn make_read_only(path: &Path) -> Vec<(PathBuf, u32)> {
    let mut modes = vec![(path.to_owned(), mode(path))];
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            modes.extend(make_read_only(&entry.unwrap().path()));
        }
    }
    set_mode(path, mode(path) & 0o555);
    modes
}

/// Gives paths their modes back.
pub(crate) fn restore_modes(modes: &[(PathBuf, u32)]) {
    for (path, mode) in modes {
        set_mode(path, *mode);
    }
}
