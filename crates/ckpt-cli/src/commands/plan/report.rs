//! Reports changes to a plan.

use std::path::Path;

use ckpt::document::Value;
use ckpt::history::{Event, EventName};
use ckpt::key::Key;
use ckpt::plan::{Elsewhere, Freed};
use ckpt::voice::{name, path_name};
use ckpt::workspace::{Imported, PlanOutcome, PlanView, Rebuilt, RebuiltFrom};
use serde_json::value::RawValue;

use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlanChange"))]
pub(crate) struct Report<'o> {
    plan: &'o str,
    revision: Option<String>,
    events: Vec<Box<RawValue>>,
    state: Box<RawValue>,
    untracked: usize,
    /// What the state was restored from, if its file could not be read.
    restored_from: Option<&'static str>,
    /// How many done tasks were imported from an old progress file.
    imported: Option<usize>,
    /// `local` if other worktrees may claim the same tasks all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
    /// The claimed tasks that are done in another worktree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    done_elsewhere: Vec<DoneElsewhere<'o>>,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "TaskDoneElsewhere")
)]
pub(crate) struct DoneElsewhere<'o> {
    task: &'o str,
    /// The worktree, relative to this one where possible.
    worktree: &'o str,
    branch: Option<&'o str>,
}

/// Says that a text was restored which anybody may have written.
pub(crate) fn warn_unsealed(ui: &Ui, outcome: &PlanOutcome) {
    if outcome.is_restored_unsealed() {
        ui.note(
            "warning: the text was restored from a history that was partly written elsewhere; review it before you follow it",
        );
    }
}

/// Reports a change: notes for what needs attention, and everything as JSON. Tasks in `undone` were reopened on
/// purpose and get no note.
pub(crate) fn outcome(
    ui: &mut Ui,
    session: &Session,
    outcome: &PlanOutcome,
    undone: &[String],
) -> Result<Exit, Failure> {
    let view = &outcome.view;
    for event in &outcome.events {
        regress(ui, event, undone);
    }
    let freed = Freed::by_events(&outcome.events);
    tell_freed(ui, session, &Key::from(&view.id), &freed);
    warn(ui, view);
    let done_elsewhere = done_elsewhere(outcome);
    for task in &done_elsewhere {
        ui.note(&task.warning());
    }
    if let Some(why) = &outcome.local_only {
        ui.note(&format!(
            "note: claimed here only: {why}, so other worktrees may claim it too"
        ));
    }
    warn_unsealed(ui, outcome);
    if session.json {
        ui.json(&Report {
            plan: view.id.as_str(),
            revision: outcome.revision.as_ref().map(ToString::to_string),
            events: outcome
                .events
                .iter()
                .map(written)
                .collect::<Result<_, _>>()?,
            state: raw(&view.state)?,
            untracked: view.outline.untracked.len(),
            restored_from: view.rebuilt.as_ref().map(source),
            imported: match view.imported {
                Some(Imported::Tasks(count)) => Some(count),
                _ => None,
            },
            scope: outcome.local_only.as_ref().map(|_| "local"),
            done_elsewhere,
        })?;
    }
    Ok(Exit::Done)
}

impl DoneElsewhere<'_> {
    fn warning(&self) -> String {
        let branch = self
            .branch
            .map(|branch| format!(", branch {}", name(branch)));
        format!(
            "warning: {} is done in {}{}, and not merged here",
            one_line(self.task),
            path_name(Path::new(self.worktree)),
            branch.unwrap_or_default()
        )
    }
}

/// The tasks just claimed that are done in another worktree. They can be claimed all the same: whether that work is
/// merged here is not known.
fn done_elsewhere(outcome: &PlanOutcome) -> Vec<DoneElsewhere<'_>> {
    let claimed = outcome.events.iter();
    let claimed = claimed.filter(|event| event.name == EventName::TaskClaimed);
    let done = claimed.filter_map(|event| {
        let task = event.fields.get("taskId")?.as_str()?;
        let there = outcome.elsewhere.done_in(task)?;
        Some(DoneElsewhere {
            task,
            worktree: there.place(),
            branch: there.branch(),
        })
    });
    done.collect()
}

/// Reports a change whose effects the user asked for.
pub(crate) fn quietly(
    ui: &mut Ui,
    session: &Session,
    changed: &PlanOutcome,
) -> Result<Exit, Failure> {
    let events = changed.events.iter();
    let tasks = events.filter_map(|event| event.fields.get("taskId")?.as_str());
    let tasks: Vec<String> = tasks.map(str::to_owned).collect();
    outcome(ui, session, changed, &tasks)
}

/// Says which claims on the tasks of a plan did not come back.
pub(crate) fn tell_freed(ui: &Ui, session: &Session, key: &Key, freed: &[Freed]) {
    for line in freed_lines(session, key, freed) {
        ui.note(&format!("note: {line}"));
    }
}

/// `schema is free again: the claim by team:1 does not come back`, or who has claimed it in another worktree.
pub(crate) fn freed_lines(session: &Session, key: &Key, freed: &[Freed]) -> Vec<String> {
    let elsewhere = match key {
        Key::Plan(id) if !freed.is_empty() => session.workspace.plan(id).elsewhere(),
        _ => Elsewhere::default(),
    };
    let line = |Freed { task, by }: &Freed| {
        let now = match elsewhere.claim_on(task) {
            Some(claim) => format!("claimed by {}", one_line(&claim.holder())),
            None => "free again".to_owned(),
        };
        format!(
            "{} is {now}: the claim by {} does not come back",
            one_line(task),
            name(by)
        )
    };
    freed.iter().map(line).collect()
}

fn regress(ui: &Ui, event: &Event, undone: &[String]) {
    let task = event.fields.get("taskId").and_then(Value::as_str);
    let task = task.unwrap_or_default();
    match event.name {
        EventName::TaskReopened if undone.iter().any(|asked| asked == task) => {}
        EventName::TaskReopened => ui.note(&format!("note: {task} is open again")),
        EventName::TaskRemoved => ui.note(&format!(
            "warning: {task} was done, and has been removed from the plan"
        )),
        _ => {}
    }
}

fn written(event: &Event) -> Result<Box<RawValue>, Failure> {
    let mut object = ckpt::document::Object::new();
    object.set("event", event.name);
    for (name, value) in event.fields.iter() {
        object.set(name, value.clone());
    }
    raw(&Value::Object(object))
}

pub(crate) fn raw(value: &Value) -> Result<Box<RawValue>, Failure> {
    RawValue::from_string(value.to_compact())
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot write JSON: {error}")))
}

/// On which branch a plan is that is not on the one that is checked out, and how to get there.
pub(crate) fn elsewhere(view: &PlanView) -> Option<String> {
    let refused = Failure::from(view.dormant()?);
    let hint = refused.hint().unwrap_or_default();
    Some(format!("{}. {hint}", refused.message()))
}

/// Notes what in the plan cannot be tracked, and what was lost and restored.
pub(super) fn warn(ui: &Ui, view: &PlanView) {
    for conflict in &view.outline.conflicts {
        let file = view.files.get(conflict.source).map_or("", String::as_str);
        ui.note(&format!(
            "warning: {file} has a merge conflict on lines {} to {}; resolve it first",
            conflict.first, conflict.last
        ));
    }
    // Both sides of a conflict have the same ids.
    let clashes = view.outline.clashes.iter();
    for clash in clashes.filter(|_| view.outline.conflicts.is_empty()) {
        let place = |(source, line): (usize, u32)| {
            let file = view.files.get(source).map_or("", String::as_str);
            format!("line {line} of {file}")
        };
        ui.note(&format!(
            "warning: {} is on {} and again on {}; the first one counts",
            clash.id,
            place(clash.first),
            place(clash.again)
        ));
    }
    if let Some(elsewhere) = elsewhere(view) {
        ui.note(&format!(
            "note: {elsewhere}. What is shown is its saved state"
        ));
    }
    if let Some(why) = view.unusable() {
        ui.note(&format!(
            "warning: {why}; showing the saved state. {}",
            why.remedy(&view.id)
        ));
    }
    if let Some(newer) = &view.newer {
        ui.note(&format!("warning: state.json was {newer}"));
    }
    if let Some(rebuilt) = &view.rebuilt {
        ui.note(&restored(rebuilt));
    }
    match view.imported {
        Some(Imported::Tasks(count)) => ui.note(&format!(
            "note: imported {count} done tasks from .memory/progress.json"
        )),
        Some(Imported::Unclear) => {
            ui.note("warning: ignored .memory/progress.json: it does not say which tasks are done");
        }
        None => {}
    }
}

fn source(rebuilt: &Rebuilt) -> &'static str {
    match (rebuilt.from, rebuilt.with_history) {
        (RebuiltFrom::Backup, true) => "recovery.json and the history",
        (RebuiltFrom::Backup, false) => "recovery.json",
        (RebuiltFrom::Markdown, true) => "plan.md and the history",
        (RebuiltFrom::Markdown, false) => "plan.md alone",
    }
}

fn restored(rebuilt: &Rebuilt) -> String {
    let from = source(rebuilt);
    let mut text = format!("warning: state.json could not be read and was restored from {from}");
    let kept: Vec<_> = rebuilt
        .kept
        .iter()
        .filter_map(|path| path.file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if !kept.is_empty() {
        text += &format!("; the unreadable file is kept as {}", kept.join(" and "));
    }
    text
}
