//! Comparisons of changes that followers are told of.

use std::fs;

use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Result};
use crate::measure::Invocation;
use crate::repository::Repository;

/// A change in a repository that somebody follows, and whose worker is alive most of the time.
pub(crate) fn followed(stage: &Stage) -> Result<Prepared> {
    Ok(Prepared::Pair {
        ours: change(stage, "followed", Some(&journal()))?,
        floor: change(stage, "followed-by-nobody", None)?,
    })
}

/// A change in a repository with a webhook that cannot be reached.
pub(crate) fn without_network(stage: &Stage) -> Result<Prepared> {
    let told = stage.scratch.repository("notified")?;
    tell_nobody(stage, &told)?;
    told.start_checkpoint(&stage.binary)?;
    let other = stage.scratch.repository("not-notified")?;
    other.start_checkpoint(&stage.binary)?;
    Ok(Prepared::Pair {
        ours: stage.update(told.root()),
        floor: stage.update(other.root()),
    })
}

/// Allows a webhook whose host no network knows.
pub(crate) fn tell_nobody(stage: &Stage, repository: &Repository<'_>) -> Result<()> {
    let secret = stage.scratch.path().join("webhook-secret");
    fs::write(&secret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").doing("write", &secret)?;
    let file = repository.root().join(".claude/config/integrations.json");
    let directory = file.parent().unwrap_or(&file);
    fs::create_dir_all(directory).doing("create", directory)?;
    let settings = format!(
        r#"{{"webhooks": [{{"name": "ops", "url": "https://webhook.invalid/", "secret": "file:{}", "events": []}}]}}"#,
        secret.display()
    );
    fs::write(&file, settings).doing("write", &file)?;
    repository.ckpt(&stage.binary, &["notify", "allow", "ops", "--yes"])
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
