//! What git says has changed since a checkpoint was saved.

use crate::repository::Drift;
use crate::voice::names;

/// What has changed since a checkpoint was saved.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriftNote {
    /// The number of commits since; `None` if git no longer knows the saved commit.
    pub commits: Option<u64>,
    /// The number of commits no longer in HEAD, after a rewrite or a switch of branches.
    pub left_behind: u64,
    /// Files named by the checkpoint that have changed.
    pub changed_files: Vec<String>,
}

impl From<Drift> for DriftNote {
    fn from(drift: Drift) -> Self {
        Self {
            commits: drift.commits,
            left_behind: drift.left_behind,
            changed_files: drift.changed_files,
        }
    }
}

/// What has changed since a checkpoint was saved, in a line.
#[must_use]
pub fn drift_line(drift: &DriftNote) -> String {
    let mut line = match drift.commits {
        Some(0) if drift.left_behind == 0 => "Drift: no commits since".to_owned(),
        Some(1) => "Drift: 1 commit since".to_owned(),
        Some(commits) => format!("Drift: {commits} commits since"),
        None => "Drift: git no longer knows the saved commit".to_owned(),
    };
    if drift.left_behind > 0 {
        line += &format!(", {} no longer in HEAD", drift.left_behind);
    }
    if drift.changed_files.is_empty() {
        line += "; none of its files changed.";
    } else {
        line += &format!("; changed since: {}.", names(&drift.changed_files));
    }
    line
}
