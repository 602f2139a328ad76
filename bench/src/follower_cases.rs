//! Comparisons of changes that followers are told of.

use crate::cases::{Prepared, Stage};
use crate::failure::Result;
use crate::measure::Invocation;

/// A change in a repository that somebody follows, and whose worker is alive most of the time.
pub(crate) fn followed(stage: &Stage) -> Result<Prepared> {
    Ok(Prepared::Pair {
        ours: change(stage, "followed", Some(&journal()))?,
        floor: change(stage, "followed-by-nobody", None)?,
    })
}

/// A file outside of every repository: only there may a follower append.
fn journal() -> String {
    let file = std::env::temp_dir().join("ckpt-bench-followed.jsonl");
    file.to_string_lossy().into_owned()
}

fn change(stage: &Stage, name: &str, journal: Option<&str>) -> Result<Invocation> {
    let repository = stage.scratch.repository(name)?;
    repository.start_checkpoint(&stage.binary)?;
    if let Some(journal) = journal {
        let add = ["followers", "add", "audit", "--to", journal];
        repository.ckpt(&stage.binary, &add)?;
    }
    Ok(stage.update(repository.root()))
}
