//! Comparisons of hooks.

use std::fs;
use std::path::PathBuf;

use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Result};
use crate::follower_cases;
use crate::measure::Invocation;
use crate::plan_text;
use crate::population::populate;
use crate::repository::Repository;

const PLAN_SIZE: usize = 10_000;

/// The number of checkpoints in flight when a session begins.
const IN_FLIGHT: usize = 200;

/// An event that changes nothing: the use of an irrelevant tool.
pub(crate) fn hook(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("hook")?;
    repository.start_checkpoint(&stage.binary)?;
    repository.start_plan(&stage.binary, &plan_text::of_size(PLAN_SIZE))?;
    repository.ckpt(&stage.binary, &["plan", "sync"])?;
    let members = r#""hook_event_name":"PostToolUse","tool_name":"Grep","tool_input":{"pattern":"x"},"tool_response":{"stdout":"y"}"#;
    let event = event(stage, &repository, "event.json", members)?;
    Ok(Prepared::Pair {
        ours: Invocation::new(&stage.binary)
            .args(&["hook", "claude"])
            .reading(event),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

/// A box of the plan was ticked.
pub(crate) fn edit(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("hook-edit")?;
    let Ticked { plan, file, event } = ticked(stage, &repository, "edit.json")?;
    let floor = stage.scratch.folder("hook-floor")?;
    let inner = floor.join(".checkpoint");
    fs::create_dir(&inner).doing("create", &inner)?;
    for name in ["plan.md", ".checkpoint/state.json"] {
        let from = plan.join(name);
        fs::copy(&from, floor.join(name)).doing("copy", &from)?;
    }
    let flip = |file: PathBuf| Invocation::new(&stage.floors.flip).arg(file);
    Ok(Prepared::Pair {
        ours: flip(file)
            .arg(&stage.binary)
            .args(&["hook", "claude"])
            .reading(event.clone()),
        floor: flip(floor.join("plan.md"))
            .arg(&stage.floors.hook)
            .arg(floor)
            .reading(event),
    })
}

/// The same in a repository with a webhook that cannot be reached.
pub(crate) fn edit_without_network(stage: &Stage) -> Result<Prepared> {
    let invocation = |name: &str, is_told: bool| {
        let repository = stage.scratch.repository(name)?;
        if is_told {
            follower_cases::tell_nobody(stage, &repository)?;
        }
        let Ticked { file, event, .. } = ticked(stage, &repository, &format!("{name}.json"))?;
        Ok(Invocation::new(&stage.floors.flip)
            .arg(file)
            .arg(&stage.binary)
            .args(&["hook", "claude"])
            .reading(event))
    };
    Ok(Prepared::Pair {
        ours: invocation("hook-notified", true)?,
        floor: invocation("hook-not-notified", false)?,
    })
}

/// A plan, and the event of an edit that ticks a box of it.
struct Ticked {
    plan: PathBuf,
    file: PathBuf,
    event: PathBuf,
}

fn ticked(stage: &Stage, repository: &Repository<'_>, name: &str) -> Result<Ticked> {
    let text = plan_text::of_size(PLAN_SIZE);
    let plan = repository.start_plan(&stage.binary, &text)?;
    repository.ckpt(&stage.binary, &["plan", "sync"])?;
    let file = plan.join("plan.md");
    let members = format!(
        r#""hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{{"file_path":"{}"}}"#,
        file.display()
    );
    let event = event(stage, repository, name, &members)?;
    Ok(Ticked { plan, file, event })
}

/// A session begins, and gets the brief.
pub(crate) fn start(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("hook-start")?;
    populate(&repository, IN_FLIGHT)?;
    let members = r#""hook_event_name":"SessionStart","source":"startup""#;
    let event = event(stage, &repository, "start.json", members)?;
    Ok(Prepared::Pair {
        ours: Invocation::new(&stage.binary)
            .args(&["hook", "claude"])
            .reading(event)
            .printing("implement/feature-"),
        floor: Invocation::new(&stage.floors.brief).arg(repository.root()),
    })
}

/// Writes an agent's event to a file.
fn event(stage: &Stage, repository: &Repository<'_>, name: &str, members: &str) -> Result<PathBuf> {
    let root = repository.root().display();
    let event =
        format!(r#"{{"session_id":"s","transcript_path":"/t.jsonl","cwd":"{root}",{members}}}"#);
    let file = stage.scratch.path().join(name);
    fs::write(&file, event).doing("write", &file)?;
    Ok(file)
}
