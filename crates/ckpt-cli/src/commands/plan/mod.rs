//! `ckpt plan`

pub(crate) mod diff;
pub(crate) mod next;
pub(crate) mod report;
pub(crate) mod tree;

use std::path::{Path, PathBuf};

use ckpt::key::PlanId;
use ckpt::plan::{Concern, Decision, ItemKind, NoteChange, Refusal, Tick, slug, titled};
use ckpt::workspace::{PlanCheckpoint, PlanOutcome, Workspace, WorkspaceError};
use clap::{Args, Subcommand};

use super::input::Named;
use super::validate;
use crate::environment::CK_ACTIVE_PLAN;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Follow a plan in Markdown: tick its tasks, see how far it is and what is next.
///
/// A plan lies in plans/ID/plan.md and is yours to edit. Without --plan, it is the one that
/// CK_ACTIVE_PLAN names, else the one chosen with `ckpt plan use`, else the unfinished one that was
/// worked on last, else the finished one.
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
#[command(defer = true)]
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
    /// Choose the plan that is meant when none is named
    #[command(after_help = "Example:\n  ckpt plan use 260220-1149-login")]
    Use {
        /// The plan, by its id; shows the one that is meant when left off
        id: Option<String>,
        /// Take the choice back
        #[arg(long, conflicts_with = "id")]
        none: bool,
    },
    /// Give ids to checkboxes and phase headings that have none
    #[command(after_help = "Example:\n  ckpt plan mark --dry-run")]
    Mark {
        /// Print what would change as a diff, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Show phases and tasks
    #[command(after_help = "Example:\n  ckpt plan show --plan 260220-1149-login")]
    Show,
    /// Show the next tasks that are not done
    ///
    /// Tasks that somebody else has claimed are left out, until the claim lapses.
    #[command(after_help = "Example:\n  ckpt plan next -n 3 --json")]
    Next {
        /// How many
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1)]
        number: usize,
    },
    #[command(flatten)]
    Change(Change),
    /// Judge the plan and its state
    ///
    /// Exits with 4 when a rule of severity error is broken.
    #[command(after_help = "Example:\n  ckpt plan validate --strict")]
    Validate {
        /// Take warnings for errors
        #[arg(long)]
        strict: bool,
    },
}

/// What changes a plan.
#[derive(Debug, Subcommand)]
enum Change {
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
    /// Record a decision, at the end of the phase it concerns
    #[command(
        after_help = "Example:\n  ckpt plan decide 'Async SQLAlchemy 2.0' --reason 'fewer threads'"
    )]
    Decide {
        /// What was decided, in one line
        text: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
        /// The phase it concerns; the one under way when left off
        #[arg(long, value_name = "ID")]
        phase: Option<String>,
    },
    /// Write down what stands in the way, at the end of the phase it concerns
    #[command(after_help = "Example:\n  ckpt plan block 'Waiting for the API key'")]
    Block {
        /// What it is, in one line
        text: String,
        /// The phase it concerns; the one under way when left off
        #[arg(long, value_name = "ID")]
        phase: Option<String>,
    },
    /// Take a blocker away
    #[command(after_help = "Example:\n  ckpt plan unblock 'API key'")]
    Unblock {
        /// Its text, or a part that no other blocker has
        text: String,
    },
    /// Add a line to the session notes
    #[command(after_help = "Example:\n  ckpt plan note 'Migrations need the new role'")]
    Note {
        /// What to note
        #[arg(required_unless_present = "clear")]
        text: Option<String>,
        /// Write it in place of all there is
        #[arg(long, conflicts_with = "clear")]
        replace: bool,
        /// Remove the notes
        #[arg(long, conflicts_with = "text")]
        clear: bool,
    },
    /// Take tasks over, so that others leave them alone
    ///
    /// A claim lapses when nothing is heard of its agent for 30 minutes.
    #[command(after_help = "Example:\n  ckpt plan claim db-schema --by subagent:fullstack")]
    Claim {
        /// The tasks, by their ids
        #[arg(required = true)]
        tasks: Vec<String>,
    },
    /// Give claims up
    #[command(after_help = "Example:\n  ckpt plan release db-schema --by subagent:fullstack")]
    Release {
        /// The tasks, by their ids
        #[arg(required = true)]
        tasks: Vec<String>,
    },
    /// Take over what was changed in the Markdown
    #[command(after_help = "Example:\n  ckpt plan sync")]
    Sync,
    /// Bring back what was lost: the state, and a plan.md that is gone or empty
    ///
    /// The state comes from its copy in recovery.json and from its history, the text from its
    /// history. Nothing that is still there is overwritten.
    #[command(after_help = "Example:\n  ckpt plan recover")]
    Recover,
}

impl Plan {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        match &self.action {
            Action::New { title, from } => create(ui, session, title, from.as_deref()),
            Action::Use {
                id: None,
                none: false,
            } => self.chosen(ui, session),
            Action::Use { id, .. } => choose(ui, session, id.as_deref()),
            Action::Mark { dry_run: true } => diff::preview(ui, session, &self.id(ui, session)?),
            Action::Mark { dry_run: false } => {
                let id = self.id(ui, session)?;
                let marked = workspace.plan(&id).mark();
                let outcome = marked.map_err(|error| lost(error, &id))?;
                report::outcome(ui, session, &outcome, &[])
            }
            Action::Show => {
                let id = self.id(ui, session)?;
                tree::show(ui, session, &workspace.plan(&id).view()?)
            }
            Action::Next { number } => {
                let id = self.id(ui, session)?;
                next::next(ui, session, &workspace.plan(&id).view()?, *number)
            }
            Action::Validate { strict } => {
                validate::plan(ui, session, &self.id(ui, session)?, *strict)
            }
            Action::Change(change) => {
                let id = self.id(ui, session)?;
                let changed = change.make(&workspace.plan(&id));
                let outcome = changed.map_err(|error| lost(error, &id))?;
                let undone = match change {
                    Change::Undo { tasks } => tasks.as_slice(),
                    _ => &[],
                };
                report::outcome(ui, session, &outcome, undone)
            }
        }
    }

    /// Shows the plan that is meant.
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

    /// The plan that is meant.
    fn id(&self, ui: &Ui, session: &Session) -> Result<PlanId, Failure> {
        if let Some(id) = &self.plan {
            return named(id);
        }
        if let Some(active) = ui.variables().text(CK_ACTIVE_PLAN) {
            return named_by_environment(&session.workspace, &session.directory, &active);
        }
        let active = session.workspace.active_plan()?.ok_or_else(|| {
            Failure::new(Exit::NotFound, "there is no plan")
                .with_hint("Make one with: ckpt plan new TITLE")
        })?;
        if active.chosen && !session.workspace.plans()?.contains(&active.id) {
            let message = format!("plan {}, chosen with ckpt plan use, is gone", active.id);
            return Err(Failure::new(Exit::NotFound, message).with_hint(
                "Choose another with: ckpt plan use ID, or none with: ckpt plan use --none",
            ));
        }
        Ok(active.id)
    }
}

/// A plan by its id, with or without its kind.
fn named(id: &str) -> Result<PlanId, Failure> {
    Ok(PlanId::new(id.strip_prefix("plan:").unwrap_or(id))?)
}

/// The plan that the environment names: an id, or the path of a plan's directory or file.
pub(crate) fn named_by_environment(
    workspace: &Workspace,
    directory: &Path,
    active: &str,
) -> Result<PlanId, Failure> {
    if !active.contains('/') {
        return named(active);
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
                "{CK_ACTIVE_PLAN} names {active}, which is no plan in {}",
                plans.display()
            ),
        )
        .with_hint("Set it to the id of a plan, or to the path of its directory")),
    }
}

impl Change {
    fn make(&self, plan: &PlanCheckpoint<'_>) -> Result<PlanOutcome, WorkspaceError> {
        match self {
            Self::Sync => plan.sync(),
            Self::Recover => plan.recover(),
            Self::Done { tasks } => plan.tick(ItemKind::Task, tasks, Tick::Done),
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

/// Says how to bring a plan back whose Markdown cannot be followed.
fn lost(error: WorkspaceError, id: &PlanId) -> Failure {
    let why = match &error {
        WorkspaceError::Plan(Refusal::Unparsable(why)) => Some(*why),
        _ => None,
    };
    let failure = Failure::from(error);
    match why {
        None => failure,
        Some(why) => failure.with_hint(why.remedy(id)),
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
    title: &str,
    from: Option<&Path>,
) -> Result<Exit, Failure> {
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
        Some(path) => Named::new(session, path).require()?,
        None => titled.into_bytes(),
    };
    let outcome = session.workspace.plan(&PlanId::new(&id)?).create(&body)?;
    if !session.json {
        ui.text(&format!("plans/{id}/plan.md\n"))?;
    }
    report::outcome(ui, session, &outcome, &[])
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ChosenPlan"))]
pub(crate) struct Chosen<'c> {
    plan: Option<&'c str>,
}

fn choose(ui: &mut Ui, session: &Session, id: Option<&str>) -> Result<Exit, Failure> {
    match id {
        Some(id) => session.workspace.use_plan(&named(id)?)?,
        None => session.workspace.use_no_plan()?,
    }
    if session.json {
        ui.json(&Chosen { plan: id })?;
    }
    Ok(Exit::Done)
}
