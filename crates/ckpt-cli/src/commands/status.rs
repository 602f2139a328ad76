//! `ckpt status`

use std::path::Path;

use ckpt::Lifecycle;
use ckpt::workspace::{Depth, Summary, Workspace};
use clap::Args;

use crate::environment::Variables;
use crate::failure::{Exit, Failure, reason};
use crate::render::age::age;
use crate::render::bar::bar;
use crate::render::proof;
use crate::render::style::{ACTIVE, BAD, FAINT, GOOD, STRONG, WARN, one_line, paint};
use crate::session::Session;
use crate::ui::Ui;

/// Show what is in flight, here and in linked worktrees.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt status --all")]
pub(crate) struct Status {
    /// Also show finished and abandoned checkpoints
    #[arg(long)]
    all: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Worktree"))]
pub(crate) struct Tree {
    root: String,
    current: bool,
    branch: Option<String>,
    checkpoints: Vec<Summary>,
    unreadable: Vec<String>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Status"))]
pub(crate) struct Report<'t> {
    worktrees: &'t [Tree],
}

impl Status {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let mut trees = vec![look(&session.workspace, true)?];
        // An unreadable worktree must not hide this one.
        for worktree in session
            .workspace
            .repository()
            .worktrees()
            .unwrap_or_default()
        {
            if !worktree.current
                && let Ok(workspace) = open(ui.variables(), &worktree.root, session)
                && let Ok(tree) = look(&workspace, false)
            {
                trees.push(tree);
            }
        }
        if session.json {
            ui.json(&Report { worktrees: &trees })?;
            return Ok(Exit::Done);
        }
        let mut text = String::new();
        for tree in &trees {
            self.draw(tree, session, &mut text);
        }
        ui.text(&text)?;
        Ok(Exit::Done)
    }

    fn draw(&self, tree: &Tree, session: &Session, out: &mut String) {
        let shown: Vec<_> = tree
            .checkpoints
            .iter()
            .filter(|summary| self.all || summary.lifecycle == Lifecycle::InFlight)
            .collect();
        let hidden = tree.checkpoints.len() - shown.len();
        if !tree.current {
            if shown.is_empty() {
                return;
            }
            let branch = tree.branch.as_deref().map(|branch| format!(" ({branch})"));
            let title = format!("worktree {}{}", tree.root, branch.unwrap_or_default());
            *out += &format!("\n{}\n", paint(STRONG, one_line(&title)));
        }
        let width = shown
            .iter()
            .map(|summary| summary.key.short().chars().count())
            .max();
        for summary in &shown {
            *out += &line(summary, width.unwrap_or(0), session);
        }
        if shown.is_empty() {
            *out += "Nothing in flight.\n";
        }
        if hidden > 0 {
            let note = format!("{hidden} finished: ckpt status --all");
            *out += &format!("{}\n", paint(FAINT, note));
        }
        for problem in &tree.unreadable {
            *out += &format!("{} {}\n", paint(BAD, "unreadable:"), one_line(problem));
        }
    }
}

fn open(variables: &Variables, root: &Path, session: &Session) -> Result<Workspace, Failure> {
    let options = session.workspace.options().clone();
    // These variables apply only to the current worktree.
    let mut environment = variables.git();
    (
        environment.git_root,
        environment.git_dir,
        environment.git_work_tree,
    ) = (None, None, None);
    Ok(Workspace::open(root, &environment, options)?)
}

fn look(workspace: &Workspace, current: bool) -> Result<Tree, Failure> {
    let (mut checkpoints, problems) = workspace.list(Depth::Full)?;
    checkpoints.sort_by(|one, two| two.updated_at.cmp(&one.updated_at));
    Ok(Tree {
        root: workspace.repository().root().display().to_string(),
        current,
        branch: workspace.head().branch,
        checkpoints,
        unreadable: problems.into_iter().map(reason).collect(),
    })
}

fn line(summary: &Summary, width: usize, session: &Session) -> String {
    let progress = summary.progress;
    let bar = bar(progress.done, progress.total);
    let (style, state) = match (summary.lifecycle, &summary.current_phase) {
        (Lifecycle::Complete, _) => (GOOD, "complete".to_owned()),
        (Lifecycle::Abandoned, _) => (FAINT, "abandoned".to_owned()),
        (Lifecycle::InFlight, _) if summary.dormant_on.is_some() => {
            let branch = summary.dormant_on.as_deref().unwrap_or_default();
            (FAINT, format!("on branch {}", one_line(branch)))
        }
        (Lifecycle::InFlight, _) if summary.trouble.is_some() => {
            let trouble = summary.trouble.as_deref().unwrap_or_default();
            (BAD, one_line(trouble))
        }
        (Lifecycle::InFlight, _) if !summary.failed_phases.is_empty() => {
            let failed = summary.failed_phases.join(", ");
            (BAD, format!("failed: {}", one_line(&failed)))
        }
        (Lifecycle::InFlight, Some(phase)) => (ACTIVE, one_line(phase)),
        (Lifecycle::InFlight, None) => (FAINT, "between phases".to_owned()),
    };
    let key = one_line(&summary.key.short());
    let mut line = format!(
        "{}{}  {}  {}",
        paint(STRONG, &key),
        " ".repeat(width.saturating_sub(key.chars().count())),
        paint(style, bar),
        paint(style, state),
    );
    if summary.lifecycle == Lifecycle::InFlight
        && summary.trouble.is_none()
        && summary.dormant_on.is_none()
        && let Some(task) = &summary.current_task
    {
        line += &format!(" ({})", one_line(task));
    }
    line += &format!(
        "  {}",
        paint(FAINT, age(summary.updated_at.as_deref(), session.now()))
    );
    if summary.lifecycle == Lifecycle::InFlight
        && let Some(stale) = &summary.stale
    {
        let (saved, current) = stale.short();
        line += &format!("  {}", paint(WARN, format!("stale: {saved} -> {current}")));
    }
    if summary.lifecycle == Lifecycle::InFlight && !summary.gates.is_empty() {
        line += &format!("  gates: {}", proof::counts(&summary.gates));
    }
    line + "\n"
}
