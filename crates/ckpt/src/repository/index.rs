//! Git's index, as far as names, modes and object ids.
//!
//! Asking git costs a process; what is in here is easily read. Where the file is of a kind that is not understood, the
//! answer is none, and git is asked after all.

use super::exclusion::Exclusion;

/// Whether the index may hold an entry that is excluded. Never falsely `false`.
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

/// Lets git look at every file that is there: takes the marks away that tell it not to, `assume-unchanged` always and
/// `skip-worktree` where `is_there` says so. What a sparse checkout leaves out is not there, and stays as it is.
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

/// Keeps git from looking into submodules, which runs what their own settings name. Their names, each with a NUL at its end;
/// `None` where the index is not understood.
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

/// Whether the file is all of the index, and understood.
pub(super) fn is_whole(bytes: &[u8], id_bytes: usize) -> bool {
    bytes.is_empty() || visit(bytes, id_bytes, |_| {}).is_some()
}

/// Git takes a checksum of zeros for none.
fn drop_checksum(bytes: &mut [u8], id_bytes: usize) {
    let end = bytes.len() - id_bytes;
    bytes[end..].fill(0);
}

/// The names that the one index has and the other has not, in their order, without what is excluded; `None` where one is
/// not understood.
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
    /// The whole path, from the top of the work tree. Of a directory that a sparse index folds up, it ends in `/`.
    pub(super) name: &'a [u8],
    /// Kind and permission, as in a tree.
    pub(super) mode: u32,
    pub(super) id: &'a [u8],
    /// The entry is in the index and in the tree: neither one side of a conflict, nor a mere intent to add it.
    pub(super) is_settled: bool,
    is_assumed_unchanged: bool,
    is_skipped: bool,
    /// Where in the file its flags stand.
    flags_at: usize,
}

/// Shows every entry, in the order of their names.
///
/// `None` when the index is damaged, of an unknown version, or only a part of the whole.
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
        // Of the ten numbers of `stat`, the seventh is the mode.
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
            // Entries are padded to a multiple of eight with one to eight NULs, the first of which ended the name.
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
    // The checksum ends the file; between entries and checksum are extensions.
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

/// Whether the entry is excluded. A sparse index has entries for whole directories, which end in `/` and may be above what
/// is.
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

    /// Git's offset encoding: seven bits a byte, most significant first, each continuation adding one.
    fn variable_number(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
        }
        Some(value)
    }

    /// The bytes before the next NUL, which is passed over.
    fn until_nul(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.bytes)?;
        let taken = self.take(end)?;
        self.take(1)?;
        Some(taken)
    }
}
