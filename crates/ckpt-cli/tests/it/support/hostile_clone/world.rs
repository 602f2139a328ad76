//! A snapshot of every file in a world, and the processes that run in it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Larger files are compared by size and time.
const SMALL: u64 = 1 << 20;

/// A file, a directory or a link.
pub(super) struct Thing {
    pub(super) mode: u32,
    pub(super) kind: Kind,
    /// Inode and change time: a file with the same stamp was not written since.
    pub(super) stamp: (u64, i64, i64),
}

impl PartialEq for Thing {
    fn eq(&self, other: &Self) -> bool {
        (self.mode, &self.kind) == (other.mode, &other.kind)
    }
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Directory,
    Small(Rc<[u8]>),
    Large(u64, i64, i64),
    Link(PathBuf),
    Other,
}

pub(super) type World = Rc<BTreeMap<PathBuf, Thing>>;

/// The processes that have this world as their home.
pub(super) fn processes(base: &Path) -> Vec<String> {
    let mark = format!("HOME={}/home\0", base.display());
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let ours = |id: &String| {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        id.bytes().all(|byte| byte.is_ascii_digit()) && has(&environment, &mark)
    };
    ids.filter(ours).collect()
}

/// Adds everything below a directory. Files that have not changed since the last snapshot are not read again.
pub(super) fn visit(base: &Path, path: &Path, known: &World, world: &mut BTreeMap<PathBuf, Thing>) {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return;
    };
    let name = path.strip_prefix(base).unwrap();
    let stamp = (metadata.ino(), metadata.ctime(), metadata.ctime_nsec());
    let known_kind = known.get(name).filter(|thing| thing.stamp == stamp);
    let kind = metadata.file_type();
    let kind = match known_kind {
        Some(thing) if kind.is_file() => thing.kind.clone(),
        _ if kind.is_dir() => Kind::Directory,
        _ if kind.is_symlink() => Kind::Link(fs::read_link(path).unwrap()),
        _ if kind.is_file() && metadata.len() <= SMALL => {
            Kind::Small(fs::read(path).unwrap_or_default().into())
        }
        _ if kind.is_file() => Kind::Large(metadata.len(), metadata.mtime(), metadata.mtime_nsec()),
        _ => Kind::Other,
    };
    if kind == Kind::Directory {
        for entry in fs::read_dir(path).into_iter().flatten() {
            visit(base, &entry.unwrap().path(), known, world);
        }
    }
    let mode = metadata.mode() & 0o7777;
    world.insert(name.to_owned(), Thing { mode, kind, stamp });
}

pub(super) fn changes(before: &World, after: &World) -> Vec<PathBuf> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let new = after
        .iter()
        .filter(|(path, thing)| before.get(*path) != Some(thing));
    gone.chain(new.map(|(path, _)| path)).cloned().collect()
}

pub(super) fn has(content: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(content).contains(text)
}
