//! Paths that do not count as content.

use std::path::{Path, PathBuf};

use super::files;

/// A path, or a family of paths, that does not count, with all that lies below.
#[derive(Debug, Clone)]
pub struct Exclusion(Vec<Part>);

/// One step of a path.
#[derive(Debug, Clone)]
enum Part {
    /// This name.
    Name(Vec<u8>),
    /// Any name.
    Any,
    /// A name for which this holds.
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
        Self(names.map(|name| Part::Name(name.into())).collect())
    }

    /// The same, with one step more: any name.
    #[must_use]
    pub fn any(mut self) -> Self {
        self.0.push(Part::Any);
        self
    }

    /// The same, with one step more: this name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.0.push(Part::Name(name.into()));
        self
    }

    /// The same, with one step more: a name for which this holds.
    #[must_use]
    pub fn such(mut self, holds: fn(&str) -> bool) -> Self {
        self.0.push(Part::Such(holds));
        self
    }

    /// The exclusion as seen from the top of the work tree; `None` for the root, which cannot be excluded from itself.
    pub(super) fn below(&self, prefix: &Path) -> Option<Self> {
        if self.0.is_empty() {
            return None;
        }
        let prefix = prefix.iter();
        let prefix = prefix.map(|name| Part::Name(name.as_encoded_bytes().to_vec()));
        Some(Self(prefix.chain(self.0.iter().cloned()).collect()))
    }

    /// Whether a path of git, from the top of the work tree, is excluded.
    pub(super) fn holds(&self, path: &[u8]) -> bool {
        let mut names = path.split(|byte| *byte == b'/');
        let mut parts = self.0.iter();
        parts.all(|part| names.next().is_some_and(|name| part.holds(name)))
    }

    /// Whether something below this directory of git, which ends in `/`, may be excluded.
    pub(super) fn may_hold_below(&self, directory: &[u8]) -> bool {
        let names = directory.split(|byte| *byte == b'/');
        let names = names.filter(|name| !name.is_empty());
        self.0
            .iter()
            .zip(names)
            .all(|(part, name)| part.holds(name))
    }

    /// The path, where it is a single one.
    pub(super) fn path(&self) -> Option<PathBuf> {
        let name = |part: &Part| match part {
            Part::Name(name) => Some(files::path_from_bytes(name)),
            Part::Any | Part::Such(_) => None,
        };
        self.0.iter().map(name).collect()
    }

    /// As a pattern for git, where git can have one.
    ///
    /// The first character is bracketed or escaped because of a trap: `git add` fails when an exclusion names an ignored
    /// path outright, as if the path were to be added. An exclusion that begins with a pattern is not held against the
    /// ignore rules.
    pub(super) fn pattern(&self) -> Option<Vec<u8>> {
        let mut pattern: Vec<u8> = Vec::new();
        for (position, part) in self.0.iter().enumerate() {
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
mod tests {
    use super::*;

    #[test]
    fn an_exclusion_holds_for_its_path_and_all_below() {
        let exclusion = Exclusion::of("plans").any().named("plan.md");
        for (path, expected) in [
            ("plans/a/plan.md", true),
            ("plans/a/plan.md/x", true),
            ("plans/a/plan.rs", false),
            ("plans/plan.md", false),
            ("plans/a/b/plan.md", false),
            ("other/a/plan.md", false),
            ("plans", false),
        ] {
            assert_eq!(exclusion.holds(path.as_bytes()), expected, "{path}");
        }
        assert!(exclusion.may_hold_below(b"plans/"));
        assert!(exclusion.may_hold_below(b"plans/a/"));
        assert!(!exclusion.may_hold_below(b"plan/"));
    }

    #[test]
    fn a_pattern_says_the_same_to_git() {
        let exclusion = Exclusion::of("a*b/c").any();
        assert_eq!(exclusion.pattern().unwrap(), b"[a]\\*b/c/*");
        assert_eq!(Exclusion::of("x").such(|_| true).pattern(), None);
        assert_eq!(Exclusion::of("/x/./y").path(), Some(PathBuf::from("x/y")));
    }
}
