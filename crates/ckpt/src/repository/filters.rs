//! Git filters: programs that `git add` and `git diff` run on content.
//!
//! A clone cannot define one, but the `.git` of an unpacked archive can. So filters that only the repository's settings
//! define do not run unless the user allows it; those in the user's own settings do.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::Command;

use super::git::Git;
use super::{Location, RepositoryError, files};

/// A filter setting that overrides the repository's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Setting {
    /// Sets it for one git command, through a variable, because a filter's name may contain `=`.
    pub(super) fn apply_to(&self, command: &mut Command, number: usize) {
        let variable = format!("CKPT_GIT_FILTER_{number}");
        let argument = [b"--config-env=", &self.key[..], b"=", variable.as_bytes()].concat();
        command
            .arg(text(&argument))
            .env(variable, text(&self.value));
    }

    /// The name of the filter that it disables.
    pub(super) fn left_out(&self) -> Option<String> {
        let key = self.key.strip_prefix(b"filter.")?;
        let name = &key[..memchr::memrchr(b'.', key)?];
        self.value
            .is_empty()
            .then(|| String::from_utf8_lossy(name).into_owned())
    }
}

fn text(bytes: &[u8]) -> OsString {
    files::path_from_bytes(bytes).into_os_string()
}

/// Finds the filters that only the repository's settings define, once.
pub(super) fn look(location: &Location) -> Result<(), RepositoryError> {
    if location.filters.get().is_some() {
        return Ok(());
    }
    let settings = match location.git_use.runs_repository_filters || !may_name(location)? {
        true => Vec::new(),
        false => ask(location)?,
    };
    let _ = location.filters.set(settings);
    Ok(())
}

/// Whether the repository's settings may define a filter. Very few do; for the rest git need not be asked.
fn may_name(location: &Location) -> Result<bool, RepositoryError> {
    let places = [
        location.common_dir.join("config"),
        location.git_dir.join("config.worktree"),
    ];
    for path in places {
        let content = files::read_if_present(&path)?.unwrap_or_default();
        let content = content.to_ascii_lowercase();
        let names = |word: &[u8]| memchr::memmem::find(&content, word).is_some();
        if names(b"filter") || names(b"include") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Who defines a setting: the user or the repository.
#[derive(Default)]
struct Named {
    by_user: Option<Vec<u8>>,
    by_repository: bool,
}

fn ask(location: &Location) -> Result<Vec<Setting>, RepositoryError> {
    let mut asked = Git::without_protection(location, "config");
    asked.args([
        "--show-scope",
        "-z",
        "--get-regexp",
        r"^filter\..*\.(clean|process|required)$",
    ]);
    let answer = asked.answer_or_no()?.unwrap_or_default();
    let mut words = answer.split(|byte| *byte == 0);
    let mut found: BTreeMap<Vec<u8>, Named> = BTreeMap::new();
    while let (Some(scope), Some(setting)) = (words.next(), words.next()) {
        // A setting without a value has no second line.
        let end = memchr::memchr(b'\n', setting).unwrap_or(setting.len());
        let named = found.entry(setting[..end].to_vec()).or_default();
        match scope {
            b"local" | b"worktree" => named.by_repository = true,
            _ => named.by_user = Some(setting.get(end + 1..).unwrap_or(b"true").to_vec()),
        }
    }
    found.retain(|_, named| named.by_repository);
    let settings = found.into_iter().map(|(key, named)| {
        let is_required = key.ends_with(b".required");
        let none = if is_required { &b"false"[..] } else { b"" };
        let value = named.by_user.unwrap_or_else(|| none.to_vec());
        Setting { key, value }
    });
    Ok(settings.collect())
}
