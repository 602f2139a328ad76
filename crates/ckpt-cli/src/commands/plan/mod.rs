//! `ckpt plan`

pub(crate) mod diff;
pub(crate) mod list;
pub(crate) mod merge;
pub(crate) mod next;
pub(crate) mod report;
pub(crate) mod tree;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ckpt::history::EventName;
use ckpt::key::{Key, Meaning, PlanId};
use ckpt::plan::{
    Concern, Decision, ItemKind, NewTask, NoteChange, Outline, Refusal, TaskPlace, Tick,
    first_heading, slug, titled,
};
use ckpt::voice::suggested;
use ckpt::workspace::{PlanCheckpoint, PlanOutcome, Workspace, WorkspaceError};
use clap::{Args, Subcommand};

use super::archive;
use super::in_archive::none_of;
use super::input::{self, Named};
use super::recover;
use super::target::meant;
use super::validate;
use crate::cli::Global;
use crate::completion::Ids;
use crate::environment::CK_ACTIVE_PLAN;
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

/// Track a Markdown plan: tick its tasks, see its progress and what comes next.
///
/// A plan lives in plans/ID/plan.md and is yours to edit. Without --plan, the current plan is the one named by
/// CK_ACTIVE_PLAN, else the one chosen with `ckpt plan use`, else the unfinished plan that was worked on last, else
/// the last finished one.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt plan done db-schema && ckpt plan next")]
pub(crate) struct Plan {
    /// The plan to use
    #[arg(long, value_name = "ID", global = true, add = Ids::Plans)]
    plan: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Action {
    #[command(flatten)]
    Track(Track),
    /// Merge two versions of a plan file, as git's merge driver
    Merge(merge::Merge),
}

/// Subcommands for a plan of this repository.
#[derive(Debug, Subcommand)]
enum Track {
    /// List all plans
    #[command(after_help = "Example:\n  ckpt plan list")]
    List,
    /// Create a plan from a title, or from a Markdown file
    ///
    /// Checkboxes and phase headings of the file that have no ids get them at once.
    #[command(after_help = "Example:\n  ckpt plan new 'Add login' --from notes.md")]
    New {
        /// The plan's title; with --from, omit to take the first heading of the file
        #[arg(required_unless_present = "from")]
        title: Option<String>,
        /// Markdown file with the text of the plan; - reads standard input
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Choose the current plan
    ///
    /// A plan that was abandoned or completed early is taken up again.
    #[command(after_help = "Example:\n  ckpt plan use 260220-1149-login")]
    Use {
        /// The plan to use; omit to show the current plan
        #[arg(add = Ids::Plans)]
        id: Option<String>,
        /// Undo the choice
        #[arg(long, conflicts_with = "id")]
        none: bool,
    },
    /// Give ids to checkboxes and phase headings that have none
    ///
    /// Boxes below a heading such as "Acceptance criteria" become acceptance criteria. Nothing else is changed.
    #[command(after_help = "Example:\n  ckpt plan mark --dry-run")]
    Mark {
        /// Print the changes as a diff, without writing them
        #[arg(long)]
        dry_run: bool,
    },
    /// Show phases and tasks
    #[command(
        after_help = "Marks: ✓ done, · open, ! blocked, ? a criterion that is not met\n\nExample:\n  ckpt plan show --plan 260220-1149-login"
    )]
    Show,
    /// Show the next open tasks
    ///
    /// Tasks that a blocker names are skipped, and so are tasks claimed by others, here or in another worktree, until the
    /// claim lapses.
    #[command(after_help = "Example:\n  ckpt plan next -n 3 --json")]
    Next {
        /// Number of tasks to show
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1)]
        number: usize,
    },
    #[command(flatten)]
    Change(Change),
    /// Recover lost state, and a plan.md or phase files that are missing or empty
    ///
    /// The same as `ckpt recover` with the id of the plan. The state is restored from its backup in recovery.json and from
    /// its history, the text from its history. Nothing that still exists is overwritten.
    #[command(after_help = "Example:\n  ckpt plan recover")]
    Recover,
    /// Validate the plan and its state
    ///
    /// Exits with 4 if there are errors.
    #[command(after_help = "Example:\n  ckpt plan validate --strict")]
    Validate {
        /// Treat warnings as errors
        #[arg(long)]
        strict: bool,
    },
}

/// Subcommands that change a plan.
#[derive(Debug, Clone, Subcommand)]
enum Change {
    /// Add a task
    ///
    /// Without --phase and --after, it goes to the end of the current phase.
    #[command(after_help = "Example:\n  ckpt plan add 'Write the migration' --after db-schema")]
    Add {
        /// The task, in one line
        text: String,
        /// The phase it belongs to
        #[arg(long, value_name = "ID", conflicts_with = "after", add = Ids::PlanPhases)]
        phase: Option<String>,
        /// The task to put it after
        #[arg(long, value_name = "TASK", add = Ids::OpenTasks)]
        after: Option<String>,
    },
    /// Change the text of a task or criterion; its id stays
    #[command(after_help = "Example:\n  ckpt plan edit db-schema 'Create the schema, with roles'")]
    Edit {
        /// The id of the task
        #[arg(add = Ids::OpenTasks)]
        task: String,
        /// The new text, in one line
        text: String,
    },
    /// Mark tasks as done
    #[command(after_help = "Example:\n  ckpt plan done db-schema --by subagent:fullstack")]
    Done {
        /// Ids of the tasks
        #[arg(required = true, add = Ids::OpenTasks)]
        tasks: Vec<String>,
        /// Mark them even if somebody else has claimed them
        #[arg(long)]
        force: bool,
    },
    /// Mark tasks as not done
    #[command(after_help = "Example:\n  ckpt plan undo db-schema")]
    Undo {
        /// Ids of the tasks
        #[arg(required = true, add = Ids::DoneTasks)]
        tasks: Vec<String>,
    },
    /// Mark acceptance criteria as met
    #[command(after_help = "Example:\n  ckpt plan accept migrations")]
    Accept {
        /// Ids of the criteria
        #[arg(required = true, add = Ids::OpenCriteria)]
        criteria: Vec<String>,
    },
    /// Mark acceptance criteria as not met
    #[command(after_help = "Example:\n  ckpt plan unaccept migrations")]
    Unaccept {
        /// Ids of the criteria
        #[arg(required = true, add = Ids::MetCriteria)]
        criteria: Vec<String>,
    },
    /// Record a decision at the end of a phase
    #[command(
        after_help = "Example:\n  ckpt plan decide 'Async SQLAlchemy 2.0' --reason 'fewer threads'"
    )]
    Decide {
        /// The decision, in one line
        text: String,
        /// Why it was decided
        #[arg(long)]
        reason: Option<String>,
        /// The phase it belongs to; omit for the current phase
        #[arg(long, value_name = "ID", add = Ids::PlanPhases)]
        phase: Option<String>,
    },
    /// Record a blocker at the end of a phase
    #[command(after_help = "Example:\n  ckpt plan block 'Waiting for the API key'")]
    Block {
        /// The blocker, in one line
        text: String,
        /// The phase it belongs to; omit for the current phase
        #[arg(long, value_name = "ID", add = Ids::PlanPhases)]
        phase: Option<String>,
    },
    /// Remove a blocker
    #[command(after_help = "Example:\n  ckpt plan unblock 'API key'")]
    Unblock {
        /// The blocker's text, or a unique part of it
        text: String,
    },
    /// Add a line to the session notes
    #[command(after_help = "Example:\n  ckpt plan note 'Migrations need the new role'")]
    Note {
        /// The line to add
        #[arg(required_unless_present = "clear")]
        text: Option<String>,
        /// Replace the existing notes
        #[arg(long, conflicts_with = "clear")]
        replace: bool,
        /// Remove all notes
        #[arg(long, conflicts_with = "text")]
        clear: bool,
    },
    /// Claim tasks, so that others skip them
    ///
    /// A claim holds in every worktree of the repository, and lapses after its agent has been silent for 30 minutes.
    #[command(after_help = "Example:\n  ckpt plan claim db-schema --by subagent:fullstack")]
    Claim {
        /// Ids of the tasks
        #[arg(required = true, add = Ids::FreeTasks)]
        tasks: Vec<String>,
    },
    /// Give up claims
    #[command(after_help = "Example:\n  ckpt plan release db-schema --by subagent:fullstack")]
    Release {
        /// Ids of the tasks
        #[arg(required = true, add = Ids::ClaimedTasks)]
        tasks: Vec<String>,
    },
    /// Read changes made in the Markdown
    #[command(after_help = "Example:\n  ckpt plan sync")]
    Sync,
}

impl Plan {
    pub(crate) fn run(self, ui: &mut Ui, global: &Global) -> Result<Exit, Failure> {
        match &self.action {
            // Git calls it, so it needs neither a repository nor valid settings.
            Action::Merge(merge) => merge.run(ui, global),
            Action::Track(action) => self.track(ui, &Session::open(ui, global)?, action),
        }
    }

    fn track(&self, ui: &mut Ui, session: &Session, action: &Track) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        match action {
            Track::List => {
                let current = self.id(ui, session).ok();
                list::list(ui, session, current.as_ref().map(PlanId::as_str))
            }
            Track::New { title, from } => create(ui, session, title.as_deref(), from.as_deref()),
            Track::Use {
                id: None,
                none: false,
            } => self.chosen(ui, session),
            Track::Use { id, .. } => choose(ui, session, id.as_deref()),
            Track::Mark { dry_run: true } => diff::preview(ui, session, &self.id(ui, session)?),
            Track::Mark { dry_run: false } => {
                let id = self.id(ui, session)?;
                let marked = workspace.plan(&id).mark();
                let outcome = marked.map_err(|error| lost(error, &id))?;
                report::outcome(ui, session, &outcome, &[])
            }
            Track::Show => {
                let id = self.id(ui, session)?;
                let view = workspace.plan(&id).view()?;
                let session = archive::reading(ui, Cow::Borrowed(session), &Key::from(&id))?;
                tree::show(ui, &session, &view)
            }
            Track::Next { number } => {
                let id = self.id(ui, session)?;
                next::next(ui, session, &workspace.plan(&id).view()?, *number)
            }
            Track::Validate { strict } => {
                validate::plan(ui, session, &self.id(ui, session)?, *strict)
            }
            Track::Recover => recover::one(ui, session, &Key::Plan(self.id(ui, session)?)),
            Track::Change(change) => {
                let id = self.id(ui, session)?;
                let plan = workspace.plan(&id);
                let mut change = change.clone();
                let mut changed = change.make(&plan);
                // Reading the plan first would cost every change; only a name that is not in it needs a look.
                if let Some(unknown) = unknown_item(&changed) {
                    change.spell_out(&plan.view()?.outline, &id, unknown)?;
                    changed = change.make(&plan);
                }
                let outcome = changed.map_err(|error| lost(error, &id))?;
                if let (Change::Add { .. }, false) = (&change, session.json) {
                    let added = outcome.events.iter();
                    let mut added = added.filter(|event| event.name == EventName::TaskAdded);
                    let id = added
                        .next()
                        .and_then(|event| event.fields.get("taskId")?.as_str());
                    ui.text(&format!("{}\n", one_line(id.unwrap_or_default())))?;
                }
                let undone = match &change {
                    Change::Undo { tasks } => tasks.as_slice(),
                    _ => &[],
                };
                report::outcome(ui, session, &outcome, undone)
            }
        }
    }

    /// Shows the current plan.
    fn chosen(&self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let id = self.id(ui, session)?;
        match session.json {
            true => ui.json(&Chosen {
                plan: Some(id.as_str()),
            })?,
            false => ui.text(&format!("{id}\n"))?,
        }
        Ok(Exit::Done)
    }

    /// The plan named on the command line, else the current one.
    fn id(&self, ui: &Ui, session: &Session) -> Result<PlanId, Failure> {
        chosen_or_current(ui, session, self.plan.as_deref())
    }
}

/// The plan with this id, else the current one.
pub(crate) fn chosen_or_current(
    ui: &Ui,
    session: &Session,
    typed: Option<&str>,
) -> Result<PlanId, Failure> {
    if let Some(id) = typed {
        return named(session, id);
    }
    if let Some(active) = ui.variables().text(CK_ACTIVE_PLAN) {
        return named_by_environment(&session.workspace, &session.directory, &active);
    }
    let active = session.workspace.active_plan()?.ok_or_else(|| {
        match session.workspace.plans() {
            Ok(plans) if !plans.is_empty() => Failure::new(Exit::NotFound, "every plan is closed")
                .with_hint("Take one up again with: ckpt plan use ID, or create one with: ckpt plan new TITLE"),
            _ => {
                let (message, hint) = none_of(session, is_plan, "no plan found", CREATE);
                Failure::new(Exit::NotFound, message).with_hint(hint)
            }
        }
    })?;
    if active.chosen && !session.workspace.plans()?.contains(&active.id) {
        let (what, way) = match session.workspace.is_archived(&Key::from(&active.id)) {
            true => (
                "is in the archive",
                format!("Bring it back with: ckpt unarchive {}", active.id),
            ),
            false => (
                "no longer exists",
                "Choose another with: ckpt plan use ID".to_owned(),
            ),
        };
        let message = format!("plan {}, chosen with ckpt plan use, {what}", active.id);
        let hint = format!("{way}, or undo the choice with: ckpt plan use --none");
        return Err(Failure::new(Exit::NotFound, message).with_hint(hint));
    }
    Ok(active.id)
}

/// The command that creates a plan.
const CREATE: &str = "ckpt plan new TITLE";

fn is_plan(key: &Key) -> bool {
    matches!(key, Key::Plan(_))
}

/// The plan that is meant, with or without the `plan:` prefix.
fn named(session: &Session, id: &str) -> Result<PlanId, Failure> {
    let id = id.strip_prefix("plan:").unwrap_or(id);
    Ok(session.workspace.find_plan(id)?)
}

/// The plan named by the environment: an id, or the path of a plan's directory or file.
pub(crate) fn named_by_environment(
    workspace: &Workspace,
    directory: &Path,
    active: &str,
) -> Result<PlanId, Failure> {
    if !active.contains('/') {
        let id = active.strip_prefix("plan:").unwrap_or(active);
        return Ok(PlanId::new(id)?);
    }
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let plans = workspace.plans_directory();
    let root = workspace.repository().root();
    let plan = [directory, root].into_iter().find_map(|directory| {
        let path = directory.join(active);
        let path = match path.file_name() {
            Some(name) if name == "plan.md" => path.parent().unwrap_or(&path).to_owned(),
            _ => path,
        };
        let within = path.parent().map(real) == Some(real(&plans));
        let name = path.file_name()?.to_str()?.to_owned();
        within.then_some(name)
    });
    match plan {
        Some(name) => Ok(PlanId::new(&name)?),
        None => Err(Failure::new(
            Exit::Usage,
            format!(
                "{CK_ACTIVE_PLAN} is {active}, which is not a plan in {}",
                plans.display()
            ),
        )
        .with_hint("Set it to a plan's id, or to the path of its directory")),
    }
}

impl Change {
    fn make(&self, plan: &PlanCheckpoint<'_>) -> Result<PlanOutcome, WorkspaceError> {
        match self {
            Self::Sync => plan.sync(),
            Self::Add { text, phase, after } => plan.add(&NewTask {
                text: text.clone(),
                place: match (after, phase) {
                    (Some(task), _) => TaskPlace::After(task.clone()),
                    (None, Some(phase)) => TaskPlace::Phase(phase.clone()),
                    (None, None) => TaskPlace::Current,
                },
            }),
            Self::Edit { task, text } => plan.edit(task, text),
            Self::Done { tasks, force: true } => plan.tick(ItemKind::Task, tasks, Tick::Done),
            Self::Done {
                tasks,
                force: false,
            } => plan.done(tasks),
            Self::Undo { tasks } => plan.tick(ItemKind::Task, tasks, Tick::Open),
            Self::Accept { criteria } => plan.tick(ItemKind::Acceptance, criteria, Tick::Done),
            Self::Unaccept { criteria } => plan.tick(ItemKind::Acceptance, criteria, Tick::Open),
            Self::Decide {
                text,
                reason,
                phase,
            } => plan.decide(&Decision {
                text: text.clone(),
                reason: reason.clone(),
                concern: concern(phase.as_deref()),
            }),
            Self::Block { text, phase } => plan.block(text, &concern(phase.as_deref())),
            Self::Unblock { text } => plan.unblock(text),
            Self::Note { text, replace, .. } => plan.note(&match text {
                None => NoteChange::Clear,
                Some(text) if *replace => NoteChange::Replace(text.clone()),
                Some(text) => NoteChange::Add(text.clone()),
            }),
            Self::Claim { tasks } => plan.claim(tasks),
            Self::Release { tasks } => plan.release(tasks),
        }
    }
}

impl Change {
    /// The tasks or criteria that are named, or the phase.
    fn named_mut(&mut self) -> (&'static str, Vec<&mut String>) {
        match self {
            Self::Done { tasks, .. }
            | Self::Undo { tasks }
            | Self::Claim { tasks }
            | Self::Release { tasks } => ("task", tasks.iter_mut().collect()),
            Self::Accept { criteria } | Self::Unaccept { criteria } => {
                ("criterion", criteria.iter_mut().collect())
            }
            Self::Add {
                after: Some(task), ..
            }
            | Self::Edit { task, .. } => ("task", vec![task]),
            Self::Decide { phase, .. } | Self::Block { phase, .. } | Self::Add { phase, .. } => {
                ("phase", phase.iter_mut().collect())
            }
            _ => ("", Vec::new()),
        }
    }

    /// Replaces names that were cut or written in another case by those in the plan.
    fn spell_out(
        &mut self,
        outline: &Outline,
        plan: &PlanId,
        refusal: Refusal,
    ) -> Result<(), Failure> {
        let is_edit = matches!(self, Self::Edit { .. });
        let (noun, typed) = self.named_mut();
        let known: Vec<(&str, &str)> = match noun {
            "task" if is_edit => outline
                .entries(ItemKind::Task)
                .chain(outline.entries(ItemKind::Acceptance))
                .map(|(id, _)| (id, id))
                .collect(),
            "task" => outline
                .tasks()
                .map(|(_, task)| (&*task.id, &*task.id))
                .collect(),
            "phase" => outline
                .phases
                .iter()
                .map(|phase| (&*phase.id, &*phase.id))
                .collect(),
            _ => {
                let criteria = outline.phases.iter().flat_map(|phase| &phase.acceptance);
                criteria.map(|known| (&*known.id, &*known.id)).collect()
            }
        };
        let place = format!("plan {plan}");
        for name in typed {
            match meant(noun, name, &place, &known)? {
                Some(found) => *name = found.to_owned(),
                None if let Some(failure) = of_another_kind(outline, noun, name, &place) => {
                    return Err(failure);
                }
                None => return Err(lost(refusal.into(), plan)),
            }
        }
        Ok(())
    }
}

/// The failure of a change that names a criterion, a task or a phase where it needs something else.
fn of_another_kind(outline: &Outline, noun: &str, typed: &str, place: &str) -> Option<Failure> {
    let entries = |kind: ItemKind| outline.entries(kind).map(|(id, _)| (id, id)).collect();
    let phases = outline.phases.iter().map(|phase| (&*phase.id, &*phase.id));
    let found = |kind: &str, known: Vec<(&str, &str)>| match Meaning::of(typed, &known) {
        Meaning::Exact(id) | Meaning::Short(id) if kind != noun => Some(id.to_owned()),
        _ => None,
    };
    let failure = |id: &str, kind: &str| {
        let message = format!("{id:?} is a {kind} in {place}, not a {noun}");
        Failure::new(Exit::NotFound, message)
    };
    if let Some(id) = found("criterion", entries(ItemKind::Acceptance)) {
        let hint = format!("Use: ckpt plan accept {}", suggested(&id));
        return Some(failure(&id, "criterion").with_hint(hint));
    }
    if let Some(id) = found("task", entries(ItemKind::Task)) {
        let hint = format!("Use: ckpt plan done {}", suggested(&id));
        return Some(failure(&id, "task").with_hint(hint));
    }
    let id = found("phase", phases.collect())?;
    let hint = "Name its tasks; list them with: ckpt plan show";
    Some(failure(&id, "phase").with_hint(hint))
}

/// The refusal of a change that names something the plan does not have.
fn unknown_item(changed: &Result<PlanOutcome, WorkspaceError>) -> Option<Refusal> {
    match changed {
        Err(WorkspaceError::Plan(
            refusal @ (Refusal::Unknown { .. } | Refusal::UnknownPhase { .. }),
        )) => Some(refusal.clone()),
        // It may be claimed under its whole name.
        Err(WorkspaceError::Plan(refusal @ Refusal::NotClaimed { holder: None, .. })) => {
            Some(refusal.clone())
        }
        _ => None,
    }
}

/// Names the plan in an error, and how to recover one whose Markdown cannot be parsed.
pub(crate) fn lost(error: WorkspaceError, id: &PlanId) -> Failure {
    match error {
        WorkspaceError::Plan(Refusal::Unparsable(why)) => {
            let remedy = why.remedy(id);
            Failure::from(Refusal::Unparsable(why)).with_hint(remedy)
        }
        WorkspaceError::Plan(refusal) => {
            let message = refusal.in_plan(id);
            Failure::from(refusal).saying(message)
        }
        error => error.into(),
    }
}

fn concern(phase: Option<&str>) -> Concern {
    match phase {
        Some(phase) => Concern::Phase(phase.to_owned()),
        None => Concern::Current,
    }
}

fn create(
    ui: &mut Ui,
    session: &Session,
    title: Option<&str>,
    from: Option<&Path>,
) -> Result<Exit, Failure> {
    let text = match from {
        Some(path) if path == Path::new("-") => Some(input::standard(ui)?),
        Some(path) => Some(Named::new(session, path).require()?),
        None => None,
    };
    let title = title.map(str::to_owned);
    let title = title
        .or_else(|| first_heading(text.as_deref()?))
        .ok_or_else(|| {
            Failure::new(
                Exit::Invalid,
                "the file has no heading to take the title from",
            )
            .with_hint("Name the plan with: ckpt plan new TITLE --from FILE")
        })?;
    let titled = titled(&title)?;
    let now = session.now().to_string();
    let digits: String = now.chars().filter(char::is_ascii_digit).collect();
    let id = format!(
        "{}-{}-{}",
        &digits[2..8],
        &digits[8..12],
        slug(&title, "plan")
    );
    let body = text.unwrap_or_else(|| titled.into_bytes());
    let id = PlanId::new(&id)?;
    let before = session.workspace.active_plan().ok().flatten();
    let outcome = session.workspace.plan(&id).create(&body)?;
    if !session.json {
        session.note_outside_git(ui);
        ui.text(&format!("plans/{id}/plan.md\n"))?;
        let after = session.workspace.active_plan().ok().flatten();
        let word = suggested(id.as_str());
        match (before, after) {
            (Some(before), Some(after)) if after.id != id => {
                let why = match before.chosen {
                    true => "it was chosen with ckpt plan use",
                    false => "the new one has no tasks",
                };
                ui.note(&format!(
                    "note: the current plan is still {}, because {why}; choose the new one with: ckpt plan use {word}",
                    after.id
                ));
            }
            (Some(before), Some(_)) => {
                let other = suggested(before.id.as_str());
                ui.note(&format!(
                    "note: this is now the current plan; go back with: ckpt plan use {other}"
                ));
            }
            _ => {}
        }
    }
    report::outcome(ui, session, &outcome, &[])
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ChosenPlan"))]
pub(crate) struct Chosen<'c> {
    plan: Option<&'c str>,
}

fn choose(ui: &mut Ui, session: &Session, id: Option<&str>) -> Result<Exit, Failure> {
    let id = id.map(|id| named(session, id)).transpose()?;
    match &id {
        Some(id) => session.workspace.use_plan(id)?,
        None => session.workspace.use_no_plan()?,
    }
    if session.json {
        let plan = id.as_ref().map(PlanId::as_str);
        ui.json(&Chosen { plan })?;
    }
    Ok(Exit::Done)
}
