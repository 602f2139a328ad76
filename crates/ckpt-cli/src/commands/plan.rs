//! `ckpt plan`

use std::path::PathBuf;

use ckpt::document::Value;
use ckpt::key::PlanId;
use ckpt::plan::{Entry, ItemKind, Phase, Tick, slug, titled};
use ckpt::workspace::{PlanOutcome, PlanView};
use clap::{Args, Subcommand};
use serde_json::value::RawValue;

use crate::environment;
use crate::failure::{Exit, Failure};
use crate::output;
use crate::render::bar::bar;
use crate::render::style::{ACTIVE, FAINT, GOOD, STRONG, WARN, one_line, paint};
use crate::session::Session;

/// Follow a plan in Markdown: tick its tasks, see how far it is and what is next.
///
/// A plan lies in plans/ID/plan.md and is yours to edit. Without --plan, it is the one that
/// CK_ACTIVE_PLAN names, else the unfinished one that was worked on last.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt plan done db-schema && ckpt plan next")]
pub(crate) struct Plan {
    /// The plan, by its id
    #[arg(long, value_name = "ID", global = true)]
    plan: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a plan from a title, or from a Markdown file
    #[command(after_help = "Example:\n  ckpt plan new 'Add login' --from notes.md")]
    New {
        /// What it is about
        title: String,
        /// Take the text of this file
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Give ids to checkboxes and phase headings that have none
    #[command(after_help = "Example:\n  ckpt plan mark")]
    Mark,
    /// Show phases and tasks
    #[command(after_help = "Example:\n  ckpt plan show --plan 260220-1149-login")]
    Show,
    /// Show the next tasks that are not done
    #[command(after_help = "Example:\n  ckpt plan next -n 3 --json")]
    Next {
        /// How many
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1)]
        number: usize,
    },
    /// Tick tasks
    #[command(after_help = "Example:\n  ckpt plan done db-schema --by subagent:fullstack")]
    Done {
        /// The tasks, by their ids
        #[arg(required = true)]
        tasks: Vec<String>,
    },
    /// Untick tasks
    #[command(after_help = "Example:\n  ckpt plan undo db-schema")]
    Undo {
        /// The tasks, by their ids
        #[arg(required = true)]
        tasks: Vec<String>,
    },
    /// Tick acceptance criteria
    #[command(after_help = "Example:\n  ckpt plan accept migrations")]
    Accept {
        /// The criteria, by their ids
        #[arg(required = true)]
        criteria: Vec<String>,
    },
    /// Untick acceptance criteria
    #[command(after_help = "Example:\n  ckpt plan unaccept migrations")]
    Unaccept {
        /// The criteria, by their ids
        #[arg(required = true)]
        criteria: Vec<String>,
    },
    /// Take over what was changed in the Markdown
    #[command(after_help = "Example:\n  ckpt plan sync")]
    Sync,
}

impl Plan {
    pub(crate) fn run(self, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        if let Action::New { title, from } = &self.action {
            return create(session, title, from.as_ref());
        }
        let id = self.id(session)?;
        let outcome = match &self.action {
            Action::New { .. } => unreachable!("a new plan is made above"),
            Action::Show => return show(session, &workspace.plan(&id)?),
            Action::Next { number } => return next(session, &workspace.plan(&id)?, *number),
            Action::Mark => workspace.mark_plan(&id)?,
            Action::Sync => workspace.sync_plan(&id)?,
            Action::Done { tasks } => workspace.tick(&id, ItemKind::Task, tasks, Tick::Done)?,
            Action::Undo { tasks } => workspace.tick(&id, ItemKind::Task, tasks, Tick::Open)?,
            Action::Accept { criteria } => {
                workspace.tick(&id, ItemKind::Acceptance, criteria, Tick::Done)?
            }
            Action::Unaccept { criteria } => {
                workspace.tick(&id, ItemKind::Acceptance, criteria, Tick::Open)?
            }
        };
        report(session, &outcome)
    }

    /// The plan that is meant.
    fn id(&self, session: &Session) -> Result<PlanId, Failure> {
        if let Some(id) = &self.plan {
            return Ok(PlanId::new(id)?);
        }
        if let Some(active) = environment::text(environment::CK_ACTIVE_PLAN) {
            // An id, or the path of a plan's directory or file.
            let path = active.trim_end_matches("/plan.md").trim_end_matches('/');
            return Ok(PlanId::new(path.rsplit('/').next().unwrap_or(path))?);
        }
        session.workspace.active_plan()?.ok_or_else(|| {
            Failure::new(Exit::NotFound, "no plan is unfinished")
                .with_hint("Make one with: ckpt plan new TITLE, or name one with --plan ID")
        })
    }
}

fn create(session: &Session, title: &str, from: Option<&PathBuf>) -> Result<Exit, Failure> {
    let titled = titled(title)?;
    let now = session.now().to_string();
    let digits: String = now.chars().filter(char::is_ascii_digit).collect();
    let id = format!(
        "{}-{}-{}",
        &digits[2..8],
        &digits[8..12],
        slug(title, "plan")
    );
    let body = match from {
        Some(path) => std::fs::read_to_string(session.directory.join(path))
            .map_err(|error| Failure::io(format!("cannot read {}", path.display()), &error))?,
        None => titled,
    };
    let outcome = session.workspace.new_plan(&PlanId::new(&id)?, &body)?;
    if !session.json {
        output::text(&format!("plans/{id}/plan.md\n"))?;
    }
    report(session, &outcome)
}

#[derive(serde::Serialize)]
struct Report<'o> {
    plan: &'o str,
    revision: Option<String>,
    events: Vec<&'static str>,
    state: Box<RawValue>,
    untracked: usize,
}

fn report(session: &Session, outcome: &PlanOutcome) -> Result<Exit, Failure> {
    let view = &outcome.view;
    for event in &outcome.events {
        let task = event
            .fields
            .get("taskId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match event.name {
            "task_reopened" => output::note(&format!("note: {task} is open again")),
            "task_removed" => output::note(&format!("warning: {task} was done and is gone")),
            _ => {}
        }
    }
    warn(view);
    if session.json {
        output::json(&Report {
            plan: view.id.as_str(),
            revision: outcome.revision.as_ref().map(ToString::to_string),
            events: outcome.events.iter().map(|event| event.name).collect(),
            state: raw(&view.state)?,
            untracked: view.outline.untracked.len(),
        })?;
    }
    Ok(Exit::Done)
}

fn raw(state: &Value) -> Result<Box<RawValue>, Failure> {
    RawValue::from_string(state.to_compact())
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot write JSON: {error}")))
}

/// Says what is in the plan and cannot be followed.
fn warn(view: &PlanView) {
    for clash in &view.outline.clashes {
        output::note(&format!(
            "warning: {} stands on line {} and again on line {}; the first one counts",
            clash.id, clash.first.1, clash.again.1
        ));
    }
}

fn show(session: &Session, view: &PlanView) -> Result<Exit, Failure> {
    warn(view);
    if session.json {
        output::json(&Report {
            plan: view.id.as_str(),
            revision: None,
            events: Vec::new(),
            state: raw(&view.state)?,
            untracked: view.outline.untracked.len(),
        })?;
        return Ok(Exit::Done);
    }
    let all: Vec<&Entry> = view.outline.tasks().map(|(_, task)| task).collect();
    let mut page = format!(
        "{}  {}\n",
        paint(STRONG, &view.id),
        bar(done(&all), all.len())
    );
    for phase in &view.outline.phases {
        page += &draw(phase);
    }
    for blocker in &view.outline.blockers {
        page += &format!("{} {}\n", paint(WARN, "blocked:"), one_line(blocker));
    }
    match view.outline.untracked.len() {
        0 => {}
        count => page += &format!("{count} untracked: give them ids with: ckpt plan mark\n"),
    }
    output::text(&page)?;
    Ok(Exit::Done)
}

fn done(tasks: &[&Entry]) -> usize {
    tasks.iter().filter(|task| task.done).count()
}

fn draw(phase: &Phase) -> String {
    let tasks: Vec<&Entry> = phase.tasks.iter().collect();
    let style = match done(&tasks) {
        all if all == tasks.len() && all > 0 => GOOD,
        0 => FAINT,
        _ => ACTIVE,
    };
    let bar = paint(style, bar(done(&tasks), tasks.len()));
    let mut text = format!("{}  {bar}\n", paint(STRONG, one_line(&phase.id)));
    for (entries, open) in [(&phase.tasks, "·"), (&phase.acceptance, "?")] {
        for entry in entries {
            let mark = if entry.done {
                paint(GOOD, "✓")
            } else {
                paint(FAINT, open)
            };
            let id = paint(FAINT, one_line(&entry.id));
            text += &format!("  {mark} {}  {id}\n", one_line(&entry.text));
        }
    }
    text
}

#[derive(serde::Serialize)]
struct NextTask<'v> {
    phase: &'v str,
    task: &'v str,
    text: &'v str,
    file: usize,
    line: u32,
}

#[derive(serde::Serialize)]
struct NextReport<'v> {
    plan: &'v str,
    next: &'v [NextTask<'v>],
}

fn next(session: &Session, view: &PlanView, number: usize) -> Result<Exit, Failure> {
    let open = view
        .outline
        .tasks()
        .filter(|(_, task)| !task.done)
        .take(number);
    let tasks: Vec<NextTask<'_>> = open
        .map(|(phase, task)| NextTask {
            phase: &phase.id,
            task: &task.id,
            text: &task.text,
            file: task.source,
            line: task.line,
        })
        .collect();
    if session.json {
        output::json(&NextReport {
            plan: view.id.as_str(),
            next: &tasks,
        })?;
        return Ok(Exit::Done);
    }
    let line = |task: &NextTask<'_>| {
        format!(
            "{}  {}  ({})\n",
            one_line(task.task),
            one_line(task.text),
            one_line(task.phase)
        )
    };
    match tasks.is_empty() {
        true => output::text("All tasks are done.\n")?,
        false => output::text(&tasks.iter().map(line).collect::<String>())?,
    }
    Ok(Exit::Done)
}
