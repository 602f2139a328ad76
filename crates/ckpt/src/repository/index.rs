//! A look into git's index: does it track anything at or below some paths?
//!
//! Asking git costs a process; the names are easily read. Where the file is of a kind that is not understood, the
//! answer is "perhaps", and git is asked after all.

/// Whether the index may hold an entry at or below one of `paths`. Never falsely `false`.
///
/// `bytes` is the whole file, `id_bytes` the length of an object id in it.
pub(super) fn may_track(bytes: &[u8], id_bytes: usize, paths: &[Vec<u8>]) -> bool {
    if bytes.is_empty() || paths.is_empty() {
        return false;
    }
    scan(bytes, id_bytes, paths).unwrap_or(true)
}

/// `None` when the index is damaged, of an unknown version, or only a part of the whole.
fn scan(bytes: &[u8], id_bytes: usize, paths: &[Vec<u8>]) -> Option<bool> {
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
        // Ten numbers of `stat`, the object id, then the flags.
        reader.take(40 + id_bytes)?;
        let flags = reader.take(2)?;
        let is_extended = flags[0] & 0x40 != 0;
        if is_extended {
            reader.take(2)?;
        }
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
        if paths.iter().any(|path| overlaps(&name, path)) {
            return Some(true);
        }
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
    Some(false)
}

/// Whether the entry is at or below the path. A sparse index has entries for whole directories, which end in `/` and
/// may be above it.
fn overlaps(entry: &[u8], path: &[u8]) -> bool {
    match entry.strip_prefix(path) {
        Some(rest) => rest.is_empty() || rest[0] == b'/',
        None => entry.ends_with(b"/") && path.starts_with(entry),
    }
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

    fn number(&mut self) -> Option<usize> {
        let bytes = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
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
        let end = self.bytes.iter().position(|byte| *byte == 0)?;
        let taken = self.take(end)?;
        self.take(1)?;
        Some(taken)
    }
}
