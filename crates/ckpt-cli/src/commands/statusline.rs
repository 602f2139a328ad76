//! `ckpt statusline`
//!
//! Claude Code calls it after every message and kills a call that is still running, so it is fast, writes nothing and
//! never fails.

use std::path::PathBuf;
use std::time::Duration;

use ckpt::document::{Document, Node};
use ckpt::facts::{Fact, Facts, Hazard};
use ckpt::key::Key;
use ckpt::workspace::{Summary, Workspace};
use clap::Args;

use super::hook;
use crate::environment::Variables;
use crate::failure::Exit;
use crate::render::style::one_line;
use crate::ui::Ui;

/// Print a status line for Claude Code.
///
/// Reads Claude Code's JSON from standard input. The line describes the checkpoint of the current branch, or else the
/// one saved last: progress, phase, and whether it is stale, blocked or in trouble. Prints nothing if nothing is in
/// flight. The exit code is always 0.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt statusline < status.json")]
pub(crate) struct Statusline {}

/// How long to wait for the input.
const PATIENCE: Duration = Duration::from_millis(500);

/// The largest input, in bytes.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Longer names are shortened to this many characters.
const LONGEST_NAME: usize = 40;

impl Statusline {
    pub(crate) fn run(self, ui: &mut Ui) -> Exit {
        run(ui)
    }
}

/// Reads standard input and prints the status line.
pub(crate) fn run(ui: &mut Ui) -> Exit {
    let input = ui.input_within(PATIENCE, LONGEST).unwrap_or_default();
    let line = line(ui.variables(), &input).unwrap_or_default();
    if !line.is_empty() {
        let _ = ui.raw(format!("{line}\n").as_bytes());
    }
    Exit::Done
}

fn line(variables: &Variables, input: &[u8]) -> Option<String> {
    let status = Document::from_bytes(input.to_vec()).ok();
    let directory = status.as_ref().and_then(|status| directory(status.root()));
    let directory = directory.filter(|directory| directory.is_dir());
    let directory = directory.or_else(|| std::env::current_dir().ok())?;
    let workspace = Workspace::open(&directory, &variables.git(), hook::limited()).ok()?;
    if !workspace.is_in_use() {
        return None;
    }
    let (facts, summary, others) = workspace.glance().ok()??;
    Some(written(&facts, &summary, others))
}

fn directory(status: Node<'_>) -> Option<PathBuf> {
    let workspace = status.get("workspace");
    let current = workspace.and_then(|workspace| workspace.get("current_dir"));
    let directory = current.or_else(|| status.get("cwd"))?.as_str()?;
    Some(PathBuf::from(directory.into_owned()))
}

fn written(facts: &Facts, summary: &Summary, others: usize) -> String {
    let short = |text: &str| {
        let text = one_line(text);
        match text.chars().count() > LONGEST_NAME {
            true => text.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
            false => text,
        }
    };
    let progress = summary.progress;
    let mut line = format!(
        "{} {}/{}",
        short(&summary.key.short()),
        progress.done,
        progress.total
    );
    // A task that is next may be in another phase than the first one that is open.
    let next = facts.next().and_then(|next| next.ids.first());
    let is_plan = matches!(summary.key, Key::Plan(_));
    let is_other = is_plan && next.is_some() && next != summary.current_task.as_ref();
    let (phase, task) = match is_other {
        true => (None, next),
        false => (
            summary.current_phase.as_ref(),
            summary.current_task.as_ref(),
        ),
    };
    if let Some(phase) = phase {
        line += &format!(" {}", short(phase));
    }
    if let Some(task) = task {
        line += &format!(" › {}", short(task));
    }
    let has = |kinds: &[Hazard]| {
        let mut hazards = facts.hazards().filter_map(Fact::hazard);
        hazards.any(|hazard| kinds.contains(&hazard))
    };
    for (mark, applies) in [
        (
            "blocked",
            has(&[
                Hazard::Blocked,
                Hazard::Stopped,
                Hazard::GateBlocked,
                Hazard::GateVoid,
            ]),
        ),
        ("gate not checked", has(&[Hazard::GateUnchecked])),
        ("failed", has(&[Hazard::Failed, Hazard::GateFailed])),
        ("stale", summary.stale.is_some()),
        ("trouble", has(&[Hazard::PlanUnusable, Hazard::NewerFormat])),
    ] {
        if applies {
            line += &format!(" · {mark}");
        }
    }
    if others > 0 {
        line += &format!(" · +{others}");
    }
    line
}
