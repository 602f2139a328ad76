//! Comparisons of changes that followers are told of.

use crate::cases::{Prepared, Stage};
use crate::failure::Result;
use crate::measure::Invocation;

/// A change in a repository that somebody follows, and whose worker is alive most of the time.
pub(crate) fn followed(stage: &Stage) -> Result<Prepared> {
    Ok(Prepared::Pair {
        ours: change(stage, "followed", "../followed.jsonl")?,
        floor: change(stage, "followed-by-nobody", "")?,
    })
}

fn change(stage: &Stage, name: &str, file: &str) -> Result<Invocation> {
    let repository = stage.scratch.repository(name)?;
    repository.start_checkpoint(&stage.binary)?;
    if !file.is_empty() {
        let add = ["followers", "add", "audit", "--to", file];
        repository.ckpt(&stage.binary, &add)?;
    }
    Ok(stage.update(repository.root()))
}
