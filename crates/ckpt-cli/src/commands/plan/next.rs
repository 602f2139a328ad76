//! `ckpt plan next`

use std::collections::HashMap;
use std::path::Path;

use ckpt::facts::blocked_tasks;
use ckpt::plan::{Claim, Closing, There};
use ckpt::voice::{path_name, quote, suggested};
use ckpt::workspace::PlanView;

use super::report::warn;
use super::tree::claimed;
use crate::failure::{Exit, Failure};
use crate::render::style::{FAINT, one_line, paint};
use crate::session::Session;
use crate::ui::Ui;

/// How many tasks that are claimed elsewhere are named.
const MOST_NAMED: usize = 3;

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
    /// The other worktree in which it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    done_in: Option<&'v str>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlanNext"))]
pub(crate) struct Report<'v> {
    plan: &'v str,
    next: &'v [NextTask<'v>],
    /// How many open tasks others have claimed.
    claimed_by_others: usize,
    /// The open tasks that are claimed in other worktrees.
    claimed_elsewhere: &'v [ClaimedElsewhere<'v>],
    /// The open tasks that cannot go on.
    blocked: &'v [BlockedTask<'v>],
    /// The criteria that are not met, in phases whose tasks are all done.
    criteria: Vec<OpenCriterion<'v>>,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "TaskClaimedElsewhere")
)]
pub(crate) struct ClaimedElsewhere<'v> {
    task: &'v str,
    by: &'v str,
    /// The worktree, relative to this one where possible.
    worktree: &'v str,
    /// When the claim lapses, unless its owner is heard from again.
    until: String,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "BlockedTask"))]
pub(crate) struct BlockedTask<'v> {
    phase: &'v str,
    task: &'v str,
    text: &'v str,
    /// What keeps it from going on.
    blocker: &'v str,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "OpenCriterion"))]
pub(crate) struct OpenCriterion<'v> {
    phase: &'v str,
    criterion: &'v str,
    text: &'v str,
    file: Option<&'v str>,
    line: u32,
}

/// The criteria that are not met, in phases whose tasks are all done.
fn open_criteria(view: &PlanView) -> Vec<OpenCriterion<'_>> {
    let phases = view.outline.phases.iter();
    let phases = phases.filter(|phase| phase.tasks.iter().all(|task| task.done));
    let open = phases.flat_map(|phase| {
        let open = phase.acceptance.iter().filter(|criterion| !criterion.done);
        open.map(|criterion| OpenCriterion {
            phase: &phase.id,
            criterion: &criterion.id,
            text: &criterion.text,
            file: view.files.get(criterion.source).map(String::as_str),
            line: criterion.line,
        })
    });
    open.collect()
}

/// What to say about a plan that was closed, and how to go on with it.
fn closed(view: &PlanView) -> Option<String> {
    let how = match view.closing()? {
        Closing::Complete => "The plan was completed.".to_owned(),
        Closing::Abandoned(reason) => format!("The plan was abandoned: {}.", quote(&reason)),
    };
    let id = suggested(view.id.as_str());
    Some(format!("{how} Take it up again with: ckpt plan use {id}\n"))
}

/// Lists the next tasks that are open, not blocked and not claimed by others. Nothing of a closed plan is next.
pub(super) fn next(
    ui: &mut Ui,
    session: &Session,
    view: &PlanView,
    number: usize,
) -> Result<Exit, Failure> {
    warn(ui, view);
    if let Some(text) = closed(view) {
        match session.json {
            true => ui.json(&Report {
                plan: view.id.as_str(),
                next: &[],
                claimed_by_others: 0,
                claimed_elsewhere: &[],
                blocked: &[],
                criteria: Vec::new(),
            })?,
            false => ui.text(&text)?,
        }
        return Ok(Exit::Done);
    }
    let plan = session.workspace.plan(&view.id);
    let elsewhere = plan.elsewhere();
    let claims = elsewhere.joined(view.claims(session.now()));
    let standing = plan.standing(view, &claims);
    let lapsed = |task: &str| claims.get(task).filter(|claim| !claim.live);
    let blockers = blocked_tasks(&view.outline);
    let blocked: Vec<BlockedTask<'_>> = standing
        .open_tasks()
        .filter_map(|(phase, task)| {
            Some(BlockedTask {
                phase: &phase.id,
                task: &task.id,
                text: &task.text,
                blocker: blockers.get(&task.id)?,
            })
        })
        .collect();
    let tasks: Vec<NextTask<'_>> = standing
        .open_tasks()
        .filter(|(_, task)| !blockers.contains_key(&task.id))
        .take(number)
        .map(|(phase, task)| NextTask {
            phase: &phase.id,
            task: &task.id,
            text: &task.text,
            file: view.files.get(task.source).map(String::as_str),
            line: task.line,
            lapsed_from: lapsed(&task.id).map(|claim| claim.by.as_str()),
            done_in: elsewhere.done_in(&task.id).map(There::place),
        })
        .collect();
    let claimed_elsewhere = claimed_elsewhere(view, &claims);
    let open = view.outline.tasks().filter(|(_, task)| !task.done).count();
    let claimed_by_others = open - standing.open_tasks().count();
    if session.json {
        ui.json(&Report {
            plan: view.id.as_str(),
            next: &tasks,
            claimed_by_others,
            claimed_elsewhere: &claimed_elsewhere,
            blocked: &blocked,
            criteria: open_criteria(view),
        })?;
        return Ok(Exit::Done);
    }
    let line = |task: &NextTask<'_>| {
        let claim = lapsed(task.task).map(claimed).unwrap_or_default();
        let done = task.done_in.map(done_in).unwrap_or_default();
        format!(
            "{}  {}  ({}){claim}{done}\n",
            one_line(task.task),
            one_line(task.text),
            one_line(task.phase)
        )
    };
    if number == 0 {
        return Ok(Exit::Done);
    }
    if let Some(note) = note_of(&claimed_elsewhere) {
        ui.note(&note);
    }
    match (tasks.is_empty(), claimed_by_others) {
        (true, 0) if !blocked.is_empty() => ui.text(&cannot_go_on(&blocked))?,
        (true, 0) if open == 0 && view.outline.tasks().next().is_none() => {
            match view.outline.untracked.is_empty() {
                true => ui.text("The plan has no tasks yet. Add one with: ckpt plan add TEXT\n")?,
                false => ui.text("No task has an id yet. Add ids with: ckpt plan mark\n")?,
            }
        }
        (true, 0) => {
            let criteria = open_criteria(view);
            match criteria.is_empty() {
                true => ui.text("All tasks are done.\n")?,
                false => ui.text("All tasks are done. These criteria are not met:\n")?,
            }
        }
        (true, others) => ui.text(&match blocked.is_empty() {
            true => format!("Every open task is claimed by others ({others}).\n"),
            false => format!("{others} claimed by others. {}", cannot_go_on(&blocked)),
        })?,
        (false, _) => ui.text(&tasks.iter().map(line).collect::<String>())?,
    }
    for criterion in open_criteria(view) {
        let OpenCriterion {
            phase,
            criterion,
            text,
            ..
        } = criterion;
        ui.text(&format!(
            "{}  {}  ({}, criterion; once it is met: ckpt plan accept {})\n",
            one_line(criterion),
            one_line(text),
            one_line(phase),
            suggested(criterion)
        ))?;
    }
    Ok(Exit::Done)
}

/// The open tasks that are claimed in other worktrees, in the order of the plan.
fn claimed_elsewhere<'v>(
    view: &'v PlanView,
    claims: &'v HashMap<String, Claim>,
) -> Vec<ClaimedElsewhere<'v>> {
    let open = view.outline.tasks().filter(|(_, task)| !task.done);
    let claimed = open.filter_map(|(_, task)| {
        let claim = claims.get(&task.id)?;
        Some(ClaimedElsewhere {
            task: &task.id,
            by: &claim.by,
            worktree: claim.place.as_deref()?,
            until: claim.until.to_string(),
        })
    });
    claimed.collect()
}

/// Says where tasks are claimed that are left out.
fn note_of(claimed: &[ClaimedElsewhere<'_>]) -> Option<String> {
    let named: Vec<String> = claimed
        .iter()
        .take(MOST_NAMED)
        .map(|claim| {
            format!(
                "{} by {} in {}",
                one_line(claim.task),
                one_line(claim.by),
                path_name(Path::new(claim.worktree))
            )
        })
        .collect();
    let more = match claimed.len() - named.len() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!named.is_empty()).then(|| format!("note: claimed elsewhere: {}{more}", named.join(", ")))
}

fn done_in(place: &str) -> String {
    paint(FAINT, format!("  done in {}", path_name(Path::new(place))))
}

/// The tasks that are blocked, and what blocks each.
fn cannot_go_on(blocked: &[BlockedTask<'_>]) -> String {
    let mut text = String::from("What is left is blocked:\n");
    for found in blocked {
        text += &format!(
            "{}  {}  ({})  blocked: {}\n",
            one_line(found.task),
            one_line(found.text),
            one_line(found.phase),
            one_line(found.blocker)
        );
    }
    text
}
