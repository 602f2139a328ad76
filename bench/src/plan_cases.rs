//! Comparisons of plans.

use std::fs;
use std::path::PathBuf;

use crate::alone::Verb;
use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Failure, Result};
use crate::measure::{Invocation, TICK};
use crate::plan_text::{self, MANY_TASKS, MANY_TASKS_SIZE};

const SMALL_PLAN: usize = 10_000;
const MEDIUM_PLAN: usize = 1_000_000;
const LARGE_PLAN: usize = 10_000_000;

/// The memory limit for a scan of the largest plan: the file, plus 100 bytes per task.
pub(crate) const SCAN_MEMORY: usize = MANY_TASKS_SIZE + 100 * MANY_TASKS;

/// Compares two functions: both read the file before their clock starts.
pub(crate) fn scan_in_node(stage: &Stage) -> Result<Prepared> {
    let Some(node) = in_path("node") else {
        return Ok(Prepared::Skipped("node was not found"));
    };
    let (plan, found) = largest_plan(stage)?;
    let script = stage.sources.join("baseline/plan_progress.js");
    let ours = Verb::ScanPlan.invocation(plan.clone())?;
    let node = Invocation::new(&node).arg(script).arg(plan).timing_itself();
    Ok(Prepared::Pair {
        ours: ours.printing(&found),
        floor: node.printing(&found),
    })
}

/// Compares the same function on the plan and on a tenth of it. The peak memory includes the file.
pub(crate) fn scan_growth(stage: &Stage) -> Result<Prepared> {
    let (large, found) = largest_plan(stage)?;
    let (small, found_in_small) = plan_with_tasks(stage, MANY_TASKS / 10)?;
    Ok(Prepared::Pair {
        ours: Verb::ScanPlan.invocation(large)?.printing(&found),
        floor: Verb::ScanPlan.invocation(small)?.printing(&found_in_small),
    })
}

/// Ticks a task in one run and unticks it in the next, so that each run changes something.
pub(crate) fn plan_done(stage: &Stage) -> Result<Prepared> {
    let (plan, ours) = ticking(stage, "plan-done", SMALL_PLAN)?;
    let floor = stage.scratch.folder("plan-floor")?;
    let inner = floor.join(".checkpoint");
    fs::create_dir(&inner).doing("create", &inner)?;
    for file in ["plan.md", ".checkpoint/state.json"] {
        let from = plan.join(file);
        fs::copy(&from, floor.join(file)).doing("copy", &from)?;
    }
    Ok(Prepared::Pair {
        ours,
        floor: Invocation::new(&stage.floors.plan).arg(floor),
    })
}

/// Compares the same command on a plan and on one ten times as large.
pub(crate) fn plan_growth(stage: &Stage) -> Result<Prepared> {
    let (_, ours) = ticking(stage, "plan-large", LARGE_PLAN)?;
    let (_, floor) = ticking(stage, "plan-medium", MEDIUM_PLAN)?;
    Ok(Prepared::Pair { ours, floor })
}

/// Creates a plan of this size. Returns its folder, and the command that ticks and unticks its last open task.
fn ticking(stage: &Stage, name: &str, size: usize) -> Result<(PathBuf, Invocation)> {
    let text = plan_text::of_size(size);
    let repository = stage.scratch.repository(name)?;
    let plan = repository.start_plan(&stage.binary, &text)?;
    let task = plan_text::last_open_task(&text)
        .ok_or_else(|| Failure::new("the plan to measure has no open task"))?;
    let id = plan.file_name().unwrap_or_default().to_owned();
    let ckpt = stage.ckpt(repository.root());
    let invocation = ckpt.args(&["plan", TICK, task, "--plan"]).arg(id);
    Ok((plan, invocation))
}

/// The largest plan, and the output of a scan.
fn largest_plan(stage: &Stage) -> Result<(PathBuf, String)> {
    let (path, found) = plan_with_tasks(stage, MANY_TASKS)?;
    let size = fs::metadata(&path).doing("read the size of", &path)?.len();
    if size != MANY_TASKS_SIZE as u64 {
        let message = format!("the largest plan has {size} bytes instead of {MANY_TASKS_SIZE}");
        return Err(Failure::new(message));
    }
    Ok((path, found))
}

/// The file of a plan with this many tasks, written only once, and the output of a scan.
fn plan_with_tasks(stage: &Stage, tasks: usize) -> Result<(PathBuf, String)> {
    let path = stage.scratch.path().join(format!("plan-{tasks}.md"));
    let text = plan_text::with_tasks(tasks);
    if !path.exists() {
        fs::write(&path, &text).doing("write", &path)?;
    }
    let done = text.matches("- [x] ").count();
    Ok((path, format!("tasks {tasks} done {done}")))
}

/// The path of a program, because the launcher does not search PATH.
pub(crate) fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(name));
    places.find(|place| place.is_file())
}
