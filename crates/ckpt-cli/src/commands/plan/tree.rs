//! Draws a plan as a tree.

use std::collections::HashMap;

use ckpt::Timestamp;
use ckpt::document::{Object, Value};
use ckpt::facts::blocked_tasks;
use ckpt::plan::{Claim, Closing, Entry, Outline, Phase};
use ckpt::workspace::{Depth, PlanView};
use serde_json::value::RawValue;

pub(crate) use super::report::raw;
use super::report::warn;
use crate::failure::{Exit, Failure};
use crate::render::bar::bar;
use crate::render::proof;
use crate::render::style::{ACTIVE, FAINT, GOOD, STRONG, WARN, one_line, paint};
use crate::session::Session;
use crate::ui::Ui;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlanShown"))]
pub(crate) struct Report<'v> {
    plan: &'v str,
    state: Box<RawValue>,
    /// Whether the Markdown has changed since the state was written.
    moved: bool,
    trouble: Option<String>,
    /// The branch that has the plan, if it is not on the one that is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    dormant_on: Option<&'v str>,
    untracked: usize,
}

/// `ckpt plan show`
pub(crate) fn show(ui: &mut Ui, session: &Session, view: &PlanView) -> Result<Exit, Failure> {
    warn(ui, view);
    if session.json {
        ui.json(&Report {
            plan: view.id.as_str(),
            state: raw(&view.state)?,
            moved: view.moved,
            trouble: view.unusable().map(ToString::to_string),
            dormant_on: view.dormant_on.as_deref(),
            untracked: view.outline.untracked.len(),
        })?;
        return Ok(Exit::Done);
    }
    let mut page = told(view, &view.claims(session.now()));
    for known in session.workspace.plan(&view.id).proofs(view, Depth::Full) {
        page += &format!(
            "{} gate {}\n",
            proof::sign(known.proof),
            proof::line(&known)
        );
    }
    ui.text(&page)?;
    Ok(Exit::Done)
}

/// A plan as it was, with the claims of that time.
pub(crate) fn past(view: &PlanView, now: Timestamp) -> String {
    let saved = view.last_checkpoint.as_deref().and_then(Timestamp::parse);
    told(view, &view.claims(saved.unwrap_or(now)))
}

/// All that a plan says.
fn told(view: &PlanView, claims: &HashMap<String, Claim>) -> String {
    let mut page = match view.closing() {
        Some(Closing::Abandoned(reason)) => {
            paint(FAINT, format!("abandoned: {}", one_line(&reason))) + "\n"
        }
        Some(Closing::Complete) => paint(GOOD, "closed as complete") + "\n",
        None => String::new(),
    };
    page += &self::page(view.id.as_str(), &view.outline, claims);
    page += &decisions(view);
    let notes = view
        .state
        .as_object()
        .and_then(|state| state.get("sessionNotes"));
    let notes = notes.and_then(Value::as_str).unwrap_or_default();
    for note in notes.lines() {
        page += &format!("{} {}\n", paint(FAINT, "note:"), one_line(note));
    }
    page
}

/// The decisions, each with its reason and author.
fn decisions(view: &PlanView) -> String {
    let state = view.state.as_object();
    let recorded = state.and_then(|state| state.get("decisions")?.as_array());
    let recorded: HashMap<&str, &Object> = recorded
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_object)
        .filter_map(|entry| Some((entry.get("decision")?.as_str()?, entry)))
        .collect();
    let mut text = String::new();
    for decision in &view.outline.decisions {
        let entry = recorded.get(decision.as_str());
        let member = |name: &str| entry.and_then(|entry| entry.get(name)?.as_str());
        let reason = member("reason").map(|reason| format!(", because {}", one_line(reason)));
        let by = member("by").map(|by| paint(FAINT, format!("  {}", one_line(by))));
        text += &format!(
            "{} {}{}{}\n",
            paint(FAINT, "decided:"),
            one_line(decision),
            reason.unwrap_or_default(),
            by.unwrap_or_default()
        );
    }
    text
}

/// Phases and tasks with progress bars.
pub(crate) fn page(name: &str, outline: &Outline, claims: &HashMap<String, Claim>) -> String {
    let all: Vec<&Entry> = outline.tasks().map(|(_, task)| task).collect();
    let bar = bar(done(&all), all.len());
    let mut page = format!("{}  {bar}\n", paint(STRONG, one_line(name)));
    let blocked = blocked_tasks(outline);
    for phase in &outline.phases {
        page += &draw(phase, claims, &blocked);
    }
    for blocker in &outline.blockers {
        page += &format!("{} {}\n", paint(WARN, "blocked:"), one_line(blocker));
    }
    page += &untracked(outline);
    page
}

/// Entries that are nested deeper are drawn at this depth.
const DEEPEST: usize = 10;

/// How many boxes that are not tracked are listed with their lines.
const MOST_UNTRACKED: usize = 5;

/// The boxes that are not tracked, with their lines.
fn untracked(outline: &Outline) -> String {
    if outline.untracked.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for found in outline.untracked.iter().take(MOST_UNTRACKED) {
        let words = one_line(&found.text);
        text += &format!(
            "{} line {}: {words}\n",
            paint(WARN, "untracked:"),
            found.line
        );
    }
    if let more @ 1.. = outline.untracked.len().saturating_sub(MOST_UNTRACKED) {
        text += &format!("and {more} more\n");
    }
    let is_in_line = outline.untracked.iter().any(|found| found.is_marked);
    let is_unmarked = outline.untracked.iter().any(|found| !found.is_marked);
    if is_unmarked {
        let count = outline.untracked.iter().filter(|found| !found.is_marked);
        text += &format!(
            "{} untracked: add ids with: ckpt plan mark\n",
            count.count()
        );
    }
    if is_in_line {
        text += "A task is tracked only on a line of its own.\n";
    }
    text
}

fn done(tasks: &[&Entry]) -> usize {
    tasks.iter().filter(|task| task.done).count()
}

fn draw(phase: &Phase, claims: &HashMap<String, Claim>, blocked: &HashMap<String, &str>) -> String {
    let tasks: Vec<&Entry> = phase.tasks.iter().collect();
    let style = match done(&tasks) {
        all if all == tasks.len() && all > 0 => GOOD,
        0 => FAINT,
        _ => ACTIVE,
    };
    let bar = paint(style, bar(done(&tasks), tasks.len()));
    let id = one_line(&phase.id);
    let name = match phase.title.as_deref().map(one_line) {
        Some(title) if title != id => format!("{}  {}", paint(STRONG, title), paint(FAINT, id)),
        _ => paint(STRONG, id),
    };
    let mut text = format!("{name}  {bar}\n");
    let mut above: Vec<usize> = Vec::new();
    for task in &phase.tasks {
        let claim = claims.get(&task.id).filter(|_| !task.done);
        let after = claim.map(claimed).unwrap_or_default();
        let mark = match blocked.contains_key(&task.id) {
            true => "!",
            false => "·",
        };
        text += &line(depth(&mut above, task), task, mark, &after);
    }
    let mut above: Vec<usize> = Vec::new();
    for criterion in &phase.acceptance {
        text += &line(depth(&mut above, criterion), criterion, "?", "");
    }
    text
}

/// How many entries an entry is below. `above` has the indents of those that the previous one was below, and its own.
fn depth(above: &mut Vec<usize>, entry: &Entry) -> usize {
    while above.last().is_some_and(|indent| *indent >= entry.indent) {
        above.pop();
    }
    above.push(entry.indent);
    above.len() - 1
}

fn line(depth: usize, entry: &Entry, open: &str, after: &str) -> String {
    let mark = if entry.done {
        paint(GOOD, "✓")
    } else {
        paint(FAINT, open)
    };
    let id = paint(FAINT, one_line(&entry.id));
    let blank = "  ".repeat(depth.min(DEEPEST) + 1);
    format!("{blank}{mark} {}  {id}{after}\n", one_line(&entry.text))
}

/// Who has claimed a task.
pub(super) fn claimed(claim: &Claim) -> String {
    let holder = claim.holder();
    let by = one_line(&holder);
    match claim.live {
        true => paint(ACTIVE, format!("  claimed by {by}")),
        false => paint(FAINT, format!("  the claim by {by} has lapsed")),
    }
}
