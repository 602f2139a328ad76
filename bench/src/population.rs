//! Writes many command checkpoints directly as files, because creating them through updates would take longer than all
//! the measurements.

use std::fs;

use crate::failure::{Doing, Result};
use crate::repository::Repository;

/// The number of checkpoints to list.
pub(crate) const CHECKPOINTS: usize = 10_000;

/// Writes this many checkpoints to the state directory of a repository.
pub(crate) fn populate(repository: &Repository<'_>, count: usize) -> Result<()> {
    let state = repository.state();
    fs::create_dir_all(&state).doing("create", &state)?;
    let head = repository.head()?;
    for number in 1..=count {
        let feature = format!("feature-{number:05}");
        let path = state.join(format!("implement-{feature}.json"));
        fs::write(&path, checkpoint(&feature, &head)).doing("write", &path)?;
    }
    Ok(())
}

/// An unfinished checkpoint of about 1.5 KB, with two phases complete, one in progress and one pending.
fn checkpoint(feature: &str, head: &str) -> String {
    format!(
        r#"{{
  "command": "implement",
  "feature": "{feature}",
  "version": 1,
  "head_commit": "{head}",
  "started_at": "2026-01-29T10:30:00.000Z",
  "updated_at": "2026-01-29T11:45:00.000Z",
  "state": {{
    "current_phase": "implementation",
    "completed_phases": ["research", "design"],
    "pending_phases": ["validation"],
    "current_task": "T002"
  }},
  "phases": {{
    "research": {{
      "status": "complete",
      "started_at": "2026-01-29T10:30:00.000Z",
      "updated_at": "2026-01-29T10:45:00.000Z",
      "context_summary": "Read how {feature} loads and saves its settings today. Two callers write the same file without a lock, and one of them ignores a failed rename."
    }},
    "design": {{
      "status": "complete",
      "started_at": "2026-01-29T10:45:00.000Z",
      "updated_at": "2026-01-29T11:00:00.000Z",
      "context_summary": "One writer owns the file of {feature}; the others send it their change. Readers stay as they are and never wait.",
      "files_created": ["docs/{feature}.md"]
    }},
    "implementation": {{
      "status": "in_progress",
      "started_at": "2026-01-29T11:00:00.000Z",
      "updated_at": "2026-01-29T11:45:00.000Z",
      "context_summary": "The writer and its lock are in place, the first caller has moved over. Still to do: the second caller, and a test that ends the process between write and rename.",
      "files_created": ["src/{feature}/writer.rs", "src/{feature}/lock.rs"],
      "files_modified": ["src/main.rs", "Cargo.toml"]
    }},
    "validation": {{
      "status": "pending"
    }}
  }}
}}
"#
    )
}

#[cfg(test)]
mod tests;
