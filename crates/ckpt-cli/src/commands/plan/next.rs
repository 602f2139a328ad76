//! `ckpt plan next`

use ckpt::workspace::PlanView;

use super::report::warn;
use super::tree::claimed;
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NextTask"))]
pub(crate) struct NextTask<'v> {
    phase: &'v str,
    task: &'v str,
    text: &'v str,
    file: Option<&'v str>,
    line: u32,
    /// Whose claim on it lapsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    lapsed_from: Option<&'v str>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlanNext"))]
pub(crate) struct Report<'v> {
    plan: &'v str,
    next: &'v [NextTask<'v>],
    /// How many open tasks others have claimed.
    claimed_by_others: usize,
}

/// Lists the next tasks that are open and not claimed by others.
pub(super) fn next(
    ui: &mut Ui,
    session: &Session,
    view: &PlanView,
    number: usize,
) -> Result<Exit, Failure> {
    warn(ui, view);
    let claims = view.claims(session.now());
    let standing = session.workspace.plan(&view.id).standing(view, &claims);
    let lapsed = |task: &str| claims.get(task).filter(|claim| !claim.live);
    let tasks: Vec<NextTask<'_>> = standing
        .open_tasks()
        .take(number)
        .map(|(phase, task)| NextTask {
            phase: &phase.id,
            task: &task.id,
            text: &task.text,
            file: view.files.get(task.source).map(String::as_str),
            line: task.line,
            lapsed_from: lapsed(&task.id).map(|claim| claim.by.as_str()),
        })
        .collect();
    let open = view.outline.tasks().filter(|(_, task)| !task.done).count();
    let claimed_by_others = open - standing.open_tasks().count();
    if session.json {
        ui.json(&Report {
            plan: view.id.as_str(),
            next: &tasks,
            claimed_by_others,
        })?;
        return Ok(Exit::Done);
    }
    let line = |task: &NextTask<'_>| {
        let claim = lapsed(task.task).map(claimed).unwrap_or_default();
        format!(
            "{}  {}  ({}){claim}\n",
            one_line(task.task),
            one_line(task.text),
            one_line(task.phase)
        )
    };
    if number == 0 {
        return Ok(Exit::Done);
    }
    match (tasks.is_empty(), claimed_by_others) {
        (true, 0) if open == 0 && view.outline.tasks().next().is_none() => {
            ui.text("No task has an id yet. Add ids with: ckpt plan mark\n")?;
        }
        (true, 0) => ui.text("All tasks are done.\n")?,
        (true, others) => ui.text(&format!(
            "Every open task is claimed by others ({others}).\n"
        ))?,
        (false, _) => ui.text(&tasks.iter().map(line).collect::<String>())?,
    }
    Ok(Exit::Done)
}
