//! What a change costs in a document of a thousand and of ten thousand phases, tasks or workstreams.

use std::fmt::Write;
use std::fs;

use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Result};
use crate::measure::{Invocation, RUN, TICK};
use crate::repository::Repository;

const MANY: usize = 10_000;

/// Compares a change of a large document with one of a document that is a tenth as large.
fn growth(stage: &Stage, of_size: fn(&Stage, usize) -> Result<Invocation>) -> Result<Prepared> {
    Ok(Prepared::Pair {
        ours: of_size(stage, MANY)?,
        floor: of_size(stage, MANY / 10)?,
    })
}

/// A phase of a checkpoint with many.
pub(crate) fn phases(stage: &Stage) -> Result<Prepared> {
    growth(stage, |stage, count| change_phase(stage, "phases", count))
}

/// The same, to see what it costs.
pub(crate) fn many_phases(stage: &Stage) -> Result<Prepared> {
    Ok(Prepared::Pair {
        ours: change_phase(stage, "many-phases", MANY)?,
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

/// A task of a plan with many.
pub(crate) fn tasks(stage: &Stage) -> Result<Prepared> {
    growth(stage, tick_task)
}

/// A workstream of a pipeline with many.
pub(crate) fn workstreams(stage: &Stage) -> Result<Prepared> {
    growth(stage, note_on_pipeline)
}

fn change_phase(stage: &Stage, name: &str, count: usize) -> Result<Invocation> {
    let repository = stage.scratch.repository(&format!("{name}-{count}"))?;
    let state = repository.state();
    fs::create_dir_all(&state).doing("create", &state)?;
    let names: Vec<String> = (0..count).map(|at| format!("\"phase-{at}\"")).collect();
    let mut phases = String::new();
    for (at, name) in names.iter().enumerate() {
        let status = if at < count / 2 {
            "complete"
        } else {
            "pending"
        };
        let _ = write!(
            phases,
            "{}\n    {name}: {{ \"status\": \"{status}\", \"context_summary\": \"What was done in it.\" }}",
            if at == 0 { "" } else { "," }
        );
    }
    let (done, open) = names.split_at(count / 2);
    let text = format!(
        "{{\n  \"version\": 1,\n  \"command\": \"implement\",\n  \"feature\": \"many\",\n  \"state\": {{\n    \"current_phase\": null,\n    \"completed_phases\": [{}],\n    \"pending_phases\": [{}]\n  }},\n  \"phases\": {{{phases}\n  }}\n}}\n",
        done.join(", "),
        open.join(", ")
    );
    let path = state.join("implement-many.json");
    fs::write(&path, text).doing("write", &path)?;
    adopted(
        &repository,
        stage,
        &["phase", "implement/many", "phase-3", "complete"],
    )?;
    let last = format!("phase-{}", count - 1);
    let ckpt = stage.ckpt(repository.root());
    Ok(ckpt.args(&[
        "phase",
        "implement/many",
        &last,
        "in_progress",
        "--summary",
        RUN,
    ]))
}

fn tick_task(stage: &Stage, count: usize) -> Result<Invocation> {
    let mut text = String::from("# Plan\n\n## All\n<!-- CHECKPOINT: all -->\n");
    for at in 0..count {
        let _ = writeln!(text, "- [ ] Do number {at} of these <!-- TASK: t{at} -->");
    }
    let repository = stage.scratch.repository(&format!("tasks-{count}"))?;
    repository.start_plan(&stage.binary, &text)?;
    let last = format!("t{}", count - 1);
    let ckpt = stage.ckpt(repository.root());
    Ok(ckpt.args(&["plan", TICK, &last]))
}

fn note_on_pipeline(stage: &Stage, count: usize) -> Result<Invocation> {
    let mut text = String::from("---\nprd: PRD-001\nworkstreams:\n");
    for at in 0..count {
        let _ = writeln!(text, "  WS{at}: {{ name: Work {at} }}");
    }
    text += "---\n";
    let repository = stage.scratch.repository(&format!("workstreams-{count}"))?;
    let path = repository.root().join("spec.md");
    fs::write(&path, text).doing("write", &path)?;
    adopted(&repository, stage, &["pipeline", "init", "spec.md"])?;
    let ckpt = stage.ckpt(repository.root());
    Ok(ckpt.args(&["pipeline", "note", "PRD-001", "--cleanup", RUN]))
}

/// Makes the first change, which adopts what is there.
fn adopted(repository: &Repository<'_>, stage: &Stage, arguments: &[&str]) -> Result<()> {
    repository.ckpt(&stage.binary, arguments)
}
