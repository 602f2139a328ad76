//! Paths that do not count as content.

use std::path::{Path, PathBuf};

use super::files;

/// A path, or a family of paths, that does not count as content: the regular files there and below, or a single file.
///
/// A link or a submodule always counts, because it brings content from elsewhere.
#[derive(Debug, Clone)]
pub struct Exclusion {
    parts: Vec<Part>,
    is_file: bool,
}

/// The modes of regular files in git.
const FILE: u32 = 0o100_644;
const EXECUTABLE: u32 = 0o100_755;

/// One component of a path.
#[derive(Debug, Clone)]
enum Part {
    /// This name.
    Name(Vec<u8>),
    /// Any name.
    Any,
    /// A name that this function accepts.
    Such(fn(&str) -> bool),
}

impl Part {
    fn holds(&self, name: &[u8]) -> bool {
        match self {
            Self::Name(own) => own == name,
            Self::Any => true,
            Self::Such(holds) => std::str::from_utf8(name).is_ok_and(holds),
        }
    }
}

impl Exclusion {
    /// A path, relative to the root.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
        Self {
            parts: names.map(|name| Part::Name(name.into())).collect(),
            is_file: false,
        }
    }

    /// Appends a component: any name.
    #[must_use]
    pub fn any(mut self) -> Self {
        self.parts.push(Part::Any);
        self
    }

    /// Appends a component: this name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.parts.push(Part::Name(name.into()));
        self
    }

    /// Appends a component: a name that `holds` accepts.
    #[must_use]
    pub fn such(mut self, holds: fn(&str) -> bool) -> Self {
        self.parts.push(Part::Such(holds));
        self
    }

    /// Excludes only a file that is not executable. What is below a directory of that name counts.
    #[must_use]
    pub fn file(mut self) -> Self {
        self.is_file = true;
        self
    }

    /// The exclusion relative to the top of the work tree; `None` for the root, which cannot be excluded from itself.
    pub(super) fn below(&self, prefix: &Path) -> Option<Self> {
        if self.parts.is_empty() {
            return None;
        }
        let prefix = prefix.iter();
        let prefix = prefix.map(|name| Part::Name(name.as_encoded_bytes().to_vec()));
        Some(Self {
            parts: prefix.chain(self.parts.iter().cloned()).collect(),
            is_file: self.is_file,
        })
    }

    /// Whether a git entry, relative to the top of the work tree, is excluded.
    pub(super) fn holds(&self, path: &[u8], mode: u32) -> bool {
        let is_such = match self.is_file {
            true => mode == FILE,
            false => matches!(mode, FILE | EXECUTABLE),
        };
        is_such && self.covers(path)
    }

    /// Whether an entry with this path may be excluded, whatever its mode.
    pub(super) fn covers(&self, path: &[u8]) -> bool {
        let mut names = path.split(|byte| *byte == b'/');
        let mut parts = self.parts.iter();
        parts.all(|part| names.next().is_some_and(|name| part.holds(name)))
            && (!self.is_file || names.next().is_none())
    }

    /// Whether anything below this directory, given with a trailing `/`, may be excluded.
    pub(super) fn may_hold_below(&self, directory: &[u8]) -> bool {
        let names = directory.split(|byte| *byte == b'/');
        let names = names.filter(|name| !name.is_empty());
        self.parts
            .iter()
            .zip(names)
            .all(|(part, name)| part.holds(name))
    }

    /// The directory's path, if the exclusion is a single directory.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        let name = |part: &Part| match part {
            Part::Name(name) if !self.is_file => Some(files::path_from_bytes(name)),
            Part::Name(_) | Part::Any | Part::Such(_) => None,
        };
        self.parts.iter().map(name).collect()
    }

    /// The exclusion as a git pattern, if git can express it. For a single file it cannot, because the pattern would
    /// exclude links too.
    ///
    /// The first character is bracketed or escaped to avoid a trap: `git add` fails if an exclusion literally names an
    /// ignored path, as if that path were to be added. An exclusion that begins with a pattern is not checked against
    /// the ignore rules.
    pub(super) fn pattern(&self) -> Option<Vec<u8>> {
        if self.is_file {
            return None;
        }
        let mut pattern: Vec<u8> = Vec::new();
        for (position, part) in self.parts.iter().enumerate() {
            if position > 0 {
                pattern.push(b'/');
            }
            match part {
                Part::Any => pattern.push(b'*'),
                Part::Such(_) => return None,
                Part::Name(name) => {
                    for &byte in name {
                        let is_first = pattern.is_empty();
                        match byte {
                            b'*' | b'?' | b'[' | b']' | b'\\' => pattern.extend([b'\\', byte]),
                            _ if !is_first => pattern.push(byte),
                            b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                                pattern.extend([b'[', byte, b']']);
                            }
                            _ => pattern.extend([b'\\', byte]),
                        }
                    }
                }
            }
        }
        Some(pattern)
    }
}

#[cfg(test)]
mod tests;
