//! Comparisons of the Node package.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Result};
use crate::measure::Invocation;
use crate::plan_cases::in_path;

/// Loads a checkpoint many times, compared with reading and parsing a file.
pub(crate) fn load(stage: &Stage) -> Result<Prepared> {
    functions(stage, "node-load", "load", "load-bare")
}

/// The same, compared with a script that asks git for the root and for HEAD.
pub(crate) fn load_with_git(stage: &Stage) -> Result<Prepared> {
    functions(stage, "node-reference", "load", "load-reference")
}

/// Counts the tokens of a summary of 500 words, compared with counting them in JavaScript.
pub(crate) fn tokens(stage: &Stage) -> Result<Prepared> {
    functions(stage, "node-tokens", "tokens", "tokens-split")
}

/// Durable updates one after another, compared with a C program that writes and syncs as much.
pub(crate) fn update(stage: &Stage) -> Result<Prepared> {
    let functions = match Functions::find(stage, "node-update")? {
        Ok(functions) => functions,
        Err(reason) => return Ok(Prepared::Skipped(reason)),
    };
    let floor = stage.scratch.folder("node-floor")?;
    fs::copy(&functions.checkpoint, floor.join("checkpoint.json"))
        .doing("copy", &functions.checkpoint)?;
    Ok(Prepared::Pair {
        ours: functions.invocation("update"),
        floor: Invocation::new(&stage.floors.update)
            .arg(floor)
            .timing_itself(),
    })
}

fn functions(stage: &Stage, name: &str, ours: &str, other: &str) -> Result<Prepared> {
    Ok(match Functions::find(stage, name)? {
        Ok(functions) => Prepared::Pair {
            ours: functions.invocation(ours),
            floor: functions.invocation(other),
        },
        Err(reason) => Prepared::Skipped(reason),
    })
}

/// The script that calls the package's functions in a repository.
struct Functions {
    node: PathBuf,
    script: PathBuf,
    package: PathBuf,
    repository: PathBuf,
    checkpoint: PathBuf,
}

impl Functions {
    /// The inner error says why if there is no package to call.
    fn find(stage: &Stage, name: &str) -> Result<std::result::Result<Self, &'static str>> {
        let Some(node) = in_path("node") else {
            return Ok(Err("node was not found"));
        };
        let package = stage.sources.join("../crates/ckpt-node");
        if !has_addon(&package) {
            return Ok(Err(
                "the addon is missing; run npm run build in crates/ckpt-node",
            ));
        }
        let repository = stage.scratch.repository(name)?;
        repository.start_checkpoint(&stage.binary)?;
        Ok(Ok(Self {
            node,
            script: stage.sources.join("baseline/functions.cjs"),
            package,
            repository: repository.root().to_owned(),
            checkpoint: repository.checkpoint(),
        }))
    }

    fn invocation(&self, function: &str) -> Invocation {
        Invocation::new(&self.node)
            .arg(&self.script)
            .arg(function)
            .arg(&self.package)
            .arg(&self.repository)
            .timing_itself()
            .printing("result")
    }
}

fn has_addon(package: &Path) -> bool {
    let mut files = fs::read_dir(package).into_iter().flatten().flatten();
    files.any(|file| file.path().extension().is_some_and(|end| end == "node"))
}
