//! What git was in the middle of, and what was put aside. Reads only small files of git.

use std::path::Path;

use super::{Location, files};

/// An operation of git that stopped before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfinished {
    /// Which one.
    pub operation: Operation,
    /// The branch it is about.
    pub of: Option<String>,
}

/// Operations that can stop before their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `git rebase`
    Rebase,
    /// `git merge`
    Merge,
    /// `git cherry-pick`
    CherryPick,
    /// `git revert`
    Revert,
    /// `git am`
    Am,
    /// `git bisect`
    Bisect,
}

impl Operation {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rebase => "rebase",
            Self::Merge => "merge",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
            Self::Am => "am",
            Self::Bisect => "bisect",
        }
    }

    /// Whether it has to be finished before other work: a bisect may be the work itself.
    #[must_use]
    pub fn comes_first(self) -> bool {
        self != Self::Bisect
    }

    /// The command that goes on with it.
    #[must_use]
    pub fn go_on(self) -> String {
        match self {
            Self::Bisect => "git bisect log".to_owned(),
            _ => format!("git {} --continue", self.name()),
        }
    }
}

/// An entry of the stash.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stash {
    /// Its name, such as `stash@{0}`.
    pub name: String,
    /// When it was made, in seconds.
    pub at: i64,
    /// The branch it was made on.
    pub branch: Option<String>,
    /// What git says about it, such as `WIP on main: 1a2b3c4 Subject`.
    pub message: String,
}

/// The longest log of the stash that is read.
const LONGEST: u64 = 16 * 1024;

pub(super) fn unfinished(location: &Location) -> Option<Unfinished> {
    let at = |name: &str| location.git_dir.join(name);
    let text = |path: &Path| {
        let bytes = files::read_if_present(path).ok().flatten()?;
        String::from_utf8(bytes).ok()
    };
    for directory in ["rebase-merge", "rebase-apply"] {
        let directory = at(directory);
        if !directory.is_dir() {
            continue;
        }
        let of = text(&directory.join("head-name"));
        let of = of.and_then(|name| Some(name.trim().strip_prefix("refs/heads/")?.to_owned()));
        return Some(Unfinished {
            operation: match directory.join("applying").exists() {
                true => Operation::Am,
                false => Operation::Rebase,
            },
            of,
        });
    }
    let operations = [
        ("MERGE_HEAD", Operation::Merge),
        ("CHERRY_PICK_HEAD", Operation::CherryPick),
        ("REVERT_HEAD", Operation::Revert),
        ("BISECT_LOG", Operation::Bisect),
    ];
    let (_, operation) = operations.into_iter().find(|(name, _)| at(name).exists())?;
    let message = text(&at("MERGE_MSG")).filter(|_| operation == Operation::Merge);
    Some(Unfinished {
        operation,
        of: message.and_then(|message| {
            let mut quoted = message.lines().next()?.split('\'');
            quoted.nth(1).map(str::to_owned)
        }),
    })
}

/// The entries of the stash, the newest first.
pub(super) fn stashes(location: &Location) -> Vec<Stash> {
    let log = files::end_of(&location.common_dir.join("logs/refs/stash"), LONGEST);
    let log = log.unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let entries = log.lines().rev().enumerate();
    entries
        .filter_map(|(number, line)| {
            let (who, message) = line.split_once('\t')?;
            let on = message
                .strip_prefix("WIP on ")
                .or_else(|| message.strip_prefix("On "));
            Some(Stash {
                name: format!("stash@{{{number}}}"),
                at: who.rsplit(' ').nth(1)?.parse().ok()?,
                branch: on.and_then(|on| Some(on.split_once(": ")?.0.to_owned())),
                message: message.to_owned(),
            })
        })
        .collect()
}
