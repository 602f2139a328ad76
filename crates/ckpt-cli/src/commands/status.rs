//! `ckpt status`

use std::path::Path;

use ckpt::Lifecycle;
use ckpt::key::Key;
use ckpt::workspace::{Depth, Summary, Workspace};
use clap::Args;

use super::in_archive::note_missing;
use super::resume::{MISSING, left_behind};
use crate::environment::Variables;
use crate::failure::{Exit, Failure, reason};
use crate::render::row::{Row, table};
use crate::render::style::{BAD, FAINT, STRONG, one_line, paint};
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
        let missing = session.workspace.missing_keys();
        let mut text = String::new();
        for tree in &trees {
            self.draw(tree, session, &missing, &mut text);
        }
        ui.text(&text)?;
        // Where nothing is shown, the text says so.
        if trees[0].checkpoints.iter().any(|one| self.shows(one)) {
            note_missing(ui, &missing);
        }
        Ok(Exit::Done)
    }

    fn shows(&self, summary: &Summary) -> bool {
        self.all || summary.lifecycle == Lifecycle::InFlight
    }

    fn draw(&self, tree: &Tree, session: &Session, missing: &[Key], out: &mut String) {
        let shown: Vec<_> = tree
            .checkpoints
            .iter()
            .filter(|summary| self.shows(summary))
            .collect();
        let hidden = |lifecycle: Lifecycle| {
            let all = tree.checkpoints.iter();
            let count = all.filter(|summary| summary.lifecycle == lifecycle).count();
            if self.all { 0 } else { count }
        };
        if !tree.current {
            if shown.is_empty() {
                return;
            }
            let branch = tree.branch.as_deref().map(|branch| format!(" ({branch})"));
            let title = format!("worktree {}{}", tree.root, branch.unwrap_or_default());
            *out += &format!("\n{}\n", paint(STRONG, one_line(&title)));
        }
        let rows: Vec<Row> = shown
            .iter()
            .map(|summary| Row::of(summary, session.now()))
            .collect();
        *out += &table(&rows);
        if shown.is_empty() {
            *out += match tree.current && !missing.is_empty() {
                true => MISSING,
                false => "Nothing in flight.\n",
            };
            *out += &left_behind(&session.workspace);
        }
        let hidden = match (hidden(Lifecycle::Complete), hidden(Lifecycle::Abandoned)) {
            (0, 0) => None,
            (finished, 0) => Some(format!("{finished} finished")),
            (0, abandoned) => Some(format!("{abandoned} abandoned")),
            (finished, abandoned) => Some(format!("{finished} finished, {abandoned} abandoned")),
        };
        if let Some(hidden) = hidden {
            let note = format!("{hidden}: ckpt status --all");
            *out += &format!("{}\n", paint(FAINT, note));
        }
        for problem in &tree.unreadable {
            *out += &format!("{} {}\n", paint(BAD, "unreadable:"), one_line(problem));
        }
    }
}

/// The workspace of another worktree.
pub(super) fn open(
    variables: &Variables,
    root: &Path,
    session: &Session,
) -> Result<Workspace, Failure> {
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
