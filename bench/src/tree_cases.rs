//! Comparisons of large work trees and large pipelines.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Result};
use crate::measure::{Invocation, RUN};
use crate::plan_cases::in_path;
use crate::repository::{KEY, Repository};

const FOLDERS: usize = 500;
const FILES_IN_EACH: usize = 100;
const EDITED: usize = 100;
const ADDED: usize = 50;

/// Computes the digest of a large tree with changes, compared with the time that git needs to scan it.
pub(crate) fn digest(stage: &Stage) -> Result<Prepared> {
    let Some(git) = in_path("git") else {
        return Ok(Prepared::Skipped("git was not found"));
    };
    let repository = stage.scratch.repository("tree")?;
    let root = repository.root();
    for folder in 0..FOLDERS {
        let path = root.join(format!("d{folder}"));
        fs::create_dir(&path).doing("create", &path)?;
        for file in 0..FILES_IN_EACH {
            write(
                &path.join(format!("f{file}.txt")),
                &format!("content {folder} {file}\n"),
            )?;
        }
    }
    repository.commit_all()?;
    repository.start_checkpoint(&stage.binary)?;
    for number in 0..EDITED {
        write(&root.join(format!("d{number}/f1.txt")), "edited\n")?;
    }
    for number in 0..ADDED {
        write(&root.join(format!("d{number}/new.txt")), "new\n")?;
    }
    let git = Invocation::new(&git).arg("-C").arg(root);
    Ok(Prepared::Pair {
        ours: stage.ckpt(root).args(&["gate", "show", KEY]),
        floor: git.args(&["status", "--porcelain"]),
    })
}

const WORKSTREAMS: usize = 500;

/// Finds what can run next in a pipeline of 500 workstreams and 2,000 dependencies, compared with one a tenth as large.
pub(crate) fn pipeline_growth(stage: &Stage) -> Result<Prepared> {
    Ok(Prepared::Pair {
        ours: next(stage, "pipeline-large", WORKSTREAMS)?,
        floor: next(stage, "pipeline-small", WORKSTREAMS / 10)?,
    })
}

/// Reads the large pipeline once.
pub(crate) fn large_pipeline(stage: &Stage, verb: &str) -> Result<Prepared> {
    let repository = pipeline(stage, &format!("pipeline-{verb}"), WORKSTREAMS)?;
    Ok(Prepared::Pair {
        ours: stage.ckpt(repository.root()).args(&["pipeline", verb, ID]),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

const PIPELINES: usize = 1_000;
const SMALL: usize = 6;

/// Validates every pipeline of a repository that has many.
pub(crate) fn many_pipelines(stage: &Stage) -> Result<Prepared> {
    let repository = pipeline(stage, "pipelines", SMALL)?;
    let one = repository.root().join(CHECKPOINT);
    let text = fs::read_to_string(&one).doing("read", &one)?;
    for number in 1..PIPELINES {
        let id = format!("PRD-{}", 1000 + number);
        write(
            &one.with_file_name(format!("{id}.json")),
            &text.replace(ID, &id),
        )?;
    }
    Ok(Prepared::Pair {
        ours: stage
            .ckpt(repository.root())
            .arg("validate")
            .printing("PRD-1999: valid"),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

/// Makes the cheapest durable change to a pipeline.
pub(crate) fn pipeline_note(stage: &Stage) -> Result<Prepared> {
    let repository = pipeline(stage, "pipeline-note", SMALL)?;
    let root = repository.root();
    let floor = stage.scratch.folder("pipeline-floor")?;
    let checkpoint = root.join(CHECKPOINT);
    fs::copy(&checkpoint, floor.join("checkpoint.json")).doing("copy", &checkpoint)?;
    Ok(Prepared::Pair {
        ours: stage
            .ckpt(root)
            .args(&["pipeline", "note", ID, "--cleanup", RUN]),
        floor: Invocation::new(&stage.floors.phase).arg(floor),
    })
}

pub(crate) fn pipeline_resume(stage: &Stage) -> Result<Prepared> {
    let repository = pipeline(stage, "pipeline-resume", SMALL)?;
    Ok(Prepared::Pair {
        ours: stage
            .ckpt(repository.root())
            .args(&["pipeline", "resume", ID])
            .printing("WS0"),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

fn next(stage: &Stage, name: &str, workstreams: usize) -> Result<Invocation> {
    let repository = pipeline(stage, name, workstreams)?;
    Ok(stage
        .ckpt(repository.root())
        .args(&["pipeline", "next", ID]))
}

const ID: &str = "PRD-500";
const CHECKPOINT: &str = ".claude/skills/build-pipeline/checkpoints/PRD-500.json";

fn pipeline<'a>(stage: &'a Stage, name: &str, workstreams: usize) -> Result<Repository<'a>> {
    let repository = stage.scratch.repository(name)?;
    let spec = repository.root().join("SPEC.md");
    write(&spec, &specification(workstreams))?;
    repository.ckpt(&stage.binary, &["pipeline", "init", "SPEC.md"])?;
    Ok(repository)
}

/// Each workstream depends on up to four earlier ones.
fn specification(workstreams: usize) -> String {
    let mut text = String::from("---\nprd: PRD-500\nworkstreams:\n");
    for number in 0..workstreams {
        let earlier = (1..=4).filter_map(|back| number.checked_sub(back * back));
        let earlier: Vec<String> = earlier.map(|number| format!("WS{number}")).collect();
        let _ = writeln!(
            text,
            "  WS{number}:\n    name: Workstream {number}\n    depends_on: [{}]\n    outputs: [src/{number}/index.ts]\n    gate: check",
            earlier.join(", ")
        );
    }
    text + "gates:\n  check: { command: npm test }\n---\n"
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).doing("write", path)
}
