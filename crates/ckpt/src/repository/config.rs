//! The four settings of a git directory that decide where its work tree is and how it stores ids.
//!
//! Only the repository's own files are read: git takes these settings from nowhere else, and does not follow includes
//! for them.

use std::path::{Path, PathBuf};

use super::files;

/// The settings of a git directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// `core.bare`.
    pub(super) bare: bool,
    /// `core.worktree`, as written.
    pub(super) work_tree: Option<PathBuf>,
    /// `extensions.worktreeConfig`: `core.*` may be in `config.worktree` beside HEAD.
    pub(super) per_worktree: bool,
    /// `extensions.objectFormat = sha256`.
    pub(super) sha256: bool,
}

impl Settings {
    /// Reads the settings for the git directory of one work tree.
    ///
    /// An unreadable config counts as empty: finding the root must not depend on it, and git reports the problem itself
    /// when it is run.
    pub(super) fn read(git_dir: &Path, common_dir: &Path) -> Self {
        let mut settings = Self::default();
        settings.absorb(&common_dir.join("config"));
        if git_dir != common_dir {
            // The shared file describes the main work tree, not this one.
            settings.bare = false;
            settings.work_tree = None;
        }
        if settings.per_worktree {
            settings.absorb(&git_dir.join("config.worktree"));
        }
        settings
    }

    fn absorb(&mut self, path: &Path) {
        if let Ok(Some(bytes)) = files::read_if_present(path) {
            self.absorb_bytes(&bytes);
        }
    }

    pub(super) fn absorb_bytes(&mut self, bytes: &[u8]) {
        let mut reader = Reader::of(bytes);
        // Git refuses a file that it cannot parse to the end. To find the root, we use what comes before the error.
        while let Some(Line {
            section,
            key,
            value,
        }) = reader.next_line()
        {
            let value = value.as_deref();
            match (section, key.as_slice()) {
                (b"core", b"bare") => self.bare = is_true(value),
                (b"core", b"worktree") => self.work_tree = value.map(files::path_from_bytes),
                (b"extensions", b"worktreeconfig") => self.per_worktree = is_true(value),
                (b"extensions", b"objectformat") => self.sha256 = value == Some(b"sha256"),
                _ => {}
            }
        }
    }
}

/// One setting in a file.
struct Line<'r> {
    /// In lower case. With a subsection, the name contains a space.
    section: &'r [u8],
    /// In lower case.
    key: Vec<u8>,
    value: Option<Vec<u8>>,
}

/// Parses a settings file exactly as git does, character by character. Any difference would mean seeing other settings
/// than git does.
struct Reader<'b> {
    rest: &'b [u8],
    section: Vec<u8>,
}

impl<'b> Reader<'b> {
    fn of(bytes: &'b [u8]) -> Self {
        Self {
            rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes),
            section: Vec::new(),
        }
    }

    /// The next character. The end of the file counts as a line ending.
    fn next(&mut self) -> u8 {
        if let Some(rest) = self.rest.strip_prefix(b"\r\n") {
            self.rest = rest;
            return b'\n';
        }
        match self.rest.split_first() {
            Some((&byte, rest)) => {
                self.rest = rest;
                byte
            }
            None => b'\n',
        }
    }

    /// The next setting; `None` at the end, or where git would stop.
    fn next_line(&mut self) -> Option<Line<'_>> {
        while !self.rest.is_empty() {
            match self.next() {
                b'#' | b';' => while self.next() != b'\n' {},
                b'[' => self.section = self.header()?,
                byte if is_blank(byte) => {}
                byte if byte.is_ascii_alphabetic() => {
                    let (key, value) = self.setting(byte)?;
                    return Some(Line {
                        section: &self.section,
                        key,
                        value,
                    });
                }
                _ => return None,
            }
        }
        None
    }

    /// The name of a section, up to its closing bracket.
    fn header(&mut self) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        loop {
            match self.next() {
                b']' => return Some(name),
                byte if is_key(byte) || byte == b'.' => name.push(byte.to_ascii_lowercase()),
                b' ' | b'\t' => break,
                _ => return None,
            }
        }
        // A subsection. None of our settings is in one.
        name.push(b' ');
        let mut byte = b' ';
        while matches!(byte, b' ' | b'\t') {
            byte = self.next();
        }
        if byte != b'"' {
            return None;
        }
        loop {
            match self.next() {
                b'\n' => return None,
                b'"' => break,
                b'\\' => match self.next() {
                    b'\n' => return None,
                    byte => name.push(byte),
                },
                byte => name.push(byte),
            }
        }
        (self.next() == b']').then_some(name)
    }

    /// A key that starts with this byte, and its value.
    fn setting(&mut self, first: u8) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        let mut key = vec![first.to_ascii_lowercase()];
        let mut byte = self.next();
        while is_key(byte) {
            key.push(byte.to_ascii_lowercase());
            byte = self.next();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.next();
        }
        match byte {
            b'\n' => Some((key, None)),
            b'=' => Some((key, Some(self.value()?))),
            _ => None,
        }
    }

    /// A value without its quotes, escapes and trailing comment.
    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        // Trailing blanks before this position are quoted, so they are not trimmed.
        let mut kept = 0;
        let mut quoted = false;
        loop {
            match self.next() {
                b'\n' if quoted => return None,
                b'\n' => break,
                b'#' | b';' if !quoted => {
                    while self.next() != b'\n' {}
                    break;
                }
                byte if is_blank(byte) && !quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'"' => quoted = !quoted,
                b'\\' => match self.next() {
                    b'\n' => continue,
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                byte => value.push(byte),
            }
            kept = value.len();
        }
        value.truncate(kept);
        Some(value)
    }
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// A key without a value is true in git.
fn is_true(value: Option<&[u8]>) -> bool {
    value.is_none_or(|value| {
        ["true", "yes", "on", "1"]
            .iter()
            .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
    })
}

#[cfg(test)]
mod tests;
