//! Parses the names, modes and object ids in git's index.
//!
//! Asking git costs a process, and the file is easy to read. If its format is unknown, we return nothing and the caller
//! asks git.

use super::exclusion::Exclusion;

/// Whether the index may contain an excluded entry. Never wrongly `false`.
///
/// `bytes` is the whole file, `id_bytes` the length of an object id in it.
pub(super) fn may_track(bytes: &[u8], id_bytes: usize, excluded: &[Exclusion]) -> bool {
    if bytes.is_empty() || excluded.is_empty() {
        return false;
    }
    let mut is_tracked = false;
    let seen = visit(bytes, id_bytes, |entry| {
        is_tracked |= excluded.iter().any(|one| overlaps(entry.name, one));
    });
    is_tracked || seen.is_none()
}

const ASSUME_UNCHANGED: u8 = 0x80;
const SKIP_WORKTREE: u8 = 0x40;

/// The mode of a submodule.
const SUBMODULE: u32 = 0o160_000;

/// Clears the flags that hide files from git: `assume-unchanged` always, and `skip-worktree` for files that exist
/// according to `is_there`. Files outside a sparse checkout do not exist and keep the flag.
pub(super) fn unhide(bytes: &mut [u8], id_bytes: usize, is_there: impl Fn(&[u8]) -> bool) {
    let mut marks = Vec::new();
    let seen = visit(bytes, id_bytes, |entry| {
        if entry.is_assumed_unchanged {
            marks.push((entry.flags_at, ASSUME_UNCHANGED));
        }
        if entry.is_skipped && is_there(entry.name) {
            marks.push((entry.flags_at + 2, SKIP_WORKTREE));
        }
    });
    if seen.is_none() || marks.is_empty() {
        return;
    }
    for (at, mark) in marks {
        bytes[at] &= !mark;
    }
    drop_checksum(bytes, id_bytes);
}

/// Keeps git from looking into submodules, which would run programs that their settings name. Returns their names, each
/// followed by a NUL; `None` if the index cannot be parsed.
pub(super) fn hold_submodules(bytes: &mut [u8], id_bytes: usize) -> Option<Vec<u8>> {
    let mut names = Vec::new();
    let mut flags = Vec::new();
    visit(bytes, id_bytes, |entry| {
        if entry.mode == SUBMODULE {
            names.extend_from_slice(entry.name);
            names.push(0);
            flags.push(entry.flags_at);
        }
    })?;
    for &at in &flags {
        bytes[at] |= ASSUME_UNCHANGED;
    }
    if !flags.is_empty() {
        drop_checksum(bytes, id_bytes);
    }
    Some(names)
}

/// Whether the file is the complete index and can be parsed.
pub(super) fn is_whole(bytes: &[u8], id_bytes: usize) -> bool {
    bytes.is_empty() || visit(bytes, id_bytes, |_| {}).is_some()
}

/// Git treats a checksum of zeros as none.
fn drop_checksum(bytes: &mut [u8], id_bytes: usize) {
    let end = bytes.len() - id_bytes;
    bytes[end..].fill(0);
}

/// The names in `after` that are not in `before`, in order, without excluded ones; `None` if either cannot be parsed.
pub(super) fn added(
    before: &[u8],
    after: &[u8],
    id_bytes: usize,
    excluded: &[Exclusion],
) -> Option<Vec<Vec<u8>>> {
    let names = |bytes: &[u8]| {
        let mut names = Vec::new();
        if !bytes.is_empty() {
            visit(bytes, id_bytes, |entry| {
                if !excluded.iter().any(|one| one.holds(entry.name, entry.mode)) {
                    names.push(entry.name.to_vec());
                }
            })?;
        }
        Some(names)
    };
    let known = names(before)?;
    let mut new = names(after)?;
    new.retain(|name| known.binary_search(name).is_err());
    Some(new)
}

/// One file, link or submodule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The full path from the top of the work tree. For a directory collapsed by a sparse index, it ends in `/`.
    pub(super) name: &'a [u8],
    /// Type and permissions, as in a tree.
    pub(super) mode: u32,
    pub(super) id: &'a [u8],
    /// The entry is both in the index and in the tree: neither one side of a conflict nor an intent to add.
    pub(super) is_settled: bool,
    is_assumed_unchanged: bool,
    is_skipped: bool,
    /// The offset of its flags in the file.
    flags_at: usize,
}

/// Calls `see` for every entry, in order of their names.
///
/// `None` if the index is damaged, of an unknown version, or only part of a split index.
pub(super) fn visit(bytes: &[u8], id_bytes: usize, mut see: impl FnMut(Entry<'_>)) -> Option<()> {
    let mut reader = Reader { bytes };
    if reader.take(4)? != b"DIRC" {
        return None;
    }
    let version = reader.number()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = reader.number()?;
    let mut name = Vec::new();
    for _ in 0..count {
        let start = reader.bytes.len();
        // The mode is the seventh of the ten `stat` numbers.
        reader.take(24)?;
        let mode = reader.word()?;
        reader.take(12)?;
        let id = reader.take(id_bytes)?;
        let flags_at = bytes.len() - reader.bytes.len();
        let flags = reader.take(2)?;
        let is_extended = flags[0] & 0x40 != 0;
        let stage = flags[0] & 0x30;
        let extended = match is_extended {
            true => reader.take(2)?[0],
            false => 0,
        };
        if version == 4 {
            let dropped = reader.variable_number()?;
            name.truncate(name.len().checked_sub(dropped)?);
        } else {
            name.clear();
        }
        name.extend_from_slice(reader.until_nul()?);
        if version < 4 {
            // Entries are padded to a multiple of eight with one to eight NULs; the first of them ended the name.
            let length = start - reader.bytes.len();
            reader.take(length.next_multiple_of(8) - length)?;
        }
        see(Entry {
            name: &name,
            mode,
            id,
            is_settled: stage == 0 && extended & 0x20 == 0,
            is_assumed_unchanged: flags[0] & 0x80 != 0,
            is_skipped: extended & 0x40 != 0,
            flags_at,
        });
    }
    // The file ends with the checksum; extensions come between it and the entries.
    while reader.bytes.len() > id_bytes {
        let signature = reader.take(4)?;
        let length = reader.number()?;
        if signature == b"link" {
            // A split index: most entries are in another file.
            return None;
        }
        reader.take(length)?;
    }
    Some(())
}

/// Whether the entry is excluded. A sparse index has entries for whole directories, which end in `/` and may contain
/// excluded paths.
fn overlaps(entry: &[u8], exclusion: &Exclusion) -> bool {
    exclusion.covers(entry) || entry.ends_with(b"/") && exclusion.may_hold_below(entry)
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok()
    }

    /// Git's offset encoding: seven bits per byte, most significant first, each continuation adding one.
    fn variable_number(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
        }
        Some(value)
    }

    /// The bytes before the next NUL, which is skipped.
    fn until_nul(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.bytes)?;
        let taken = self.take(end)?;
        self.take(1)?;
        Some(taken)
    }
}
