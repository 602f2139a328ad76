//! The four settings of a git directory that decide where its work tree is and how it stores ids.
//!
//! Only the repository's own files are read. Git takes these settings from nowhere else, and does not follow includes
//! for them.

use std::path::{Path, PathBuf};

use super::files;

/// What a git directory says about itself.
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
    /// Reads them for the git directory of one work tree.
    ///
    /// A config that cannot be read counts as empty: finding the root must not depend on it, and git itself names the
    /// trouble when it is asked.
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
        let mut section = String::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            let mut line = line.trim_ascii();
            if line.first() == Some(&b'[') {
                let Some(end) = line.iter().position(|byte| *byte == b']') else {
                    continue;
                };
                section = String::from_utf8_lossy(&line[1..end]).to_ascii_lowercase();
                // Git allows the first setting on the line of its section.
                line = line[end + 1..].trim_ascii();
            }
            if line.is_empty() || matches!(line[0], b'#' | b';') {
                continue;
            }
            let (key, value) = match line.iter().position(|byte| *byte == b'=') {
                Some(equals) => (&line[..equals], Some(unquote(&line[equals + 1..]))),
                None => (line, None),
            };
            let key = String::from_utf8_lossy(key.trim_ascii()).to_ascii_lowercase();
            match (section.as_str(), key.as_str()) {
                ("core", "bare") => self.bare = is_true(value.as_deref()),
                ("core", "worktree") => {
                    self.work_tree = value.as_deref().map(files::path_from_bytes);
                }
                ("extensions", "worktreeconfig") => self.per_worktree = is_true(value.as_deref()),
                ("extensions", "objectformat") => self.sha256 = value.as_deref() == Some(b"sha256"),
                _ => {}
            }
        }
    }
}

/// A key without a value is true in git.
fn is_true(value: Option<&[u8]>) -> bool {
    value.is_none_or(|value| {
        ["true", "yes", "on", "1"]
            .iter()
            .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
    })
}

/// A value without its quotes, escapes and trailing comment.
fn unquote(raw: &[u8]) -> Vec<u8> {
    let mut value = Vec::new();
    // Up to where trailing blanks may not be trimmed, because they were quoted.
    let mut kept = 0;
    let mut quoted = false;
    let mut bytes = raw.trim_ascii().iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' => match bytes.next() {
                Some(b'n') => value.push(b'\n'),
                Some(b't') => value.push(b'\t'),
                Some(b'b') => value.push(8),
                Some(&other) => value.push(other),
                None => {}
            },
            b'#' | b';' if !quoted => break,
            _ => value.push(byte),
        }
        if quoted || !byte.is_ascii_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    value
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::Settings;

    fn settings(text: &str) -> Settings {
        let mut settings = Settings::default();
        settings.absorb_bytes(text.as_bytes());
        settings
    }

    #[test]
    fn settings_are_found_whatever_the_case_and_layout() {
        let found = settings(
            "; comment\n[Core] bare\n\tWorkTree = \"../a b\" ; where\n[extensions]\nobjectFormat=sha256\nworktreeConfig = yes # on\n",
        );
        let expected = Settings {
            bare: true,
            work_tree: Some(PathBuf::from("../a b")),
            per_worktree: true,
            sha256: true,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn settings_of_other_sections_do_not_count() {
        assert_eq!(
            settings("[core \"x\"]\nbare = true\n[remote \"core\"]\nbare\n"),
            Settings::default()
        );
    }

    #[test]
    fn the_last_of_several_settings_counts() {
        assert!(!settings("[core]\nbare = true\nbare = false\n").bare);
    }

    #[test]
    fn escapes_and_quoted_blanks_are_kept() {
        let found = settings("[core]\nworktree = \"a\\\\b\\\"c \"  \n");
        assert_eq!(found.work_tree, Some(PathBuf::from("a\\b\"c ")));
    }
}
