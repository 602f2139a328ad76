//! `ckpt list`

use ckpt::key::Key;
use ckpt::voice::flat;
use ckpt::workspace::{Depth, Summary};
use ckpt::{Lifecycle, Progress};
use clap::Args;

use super::in_archive::{note_missing, note_unreadable, unreadable_archives};
use crate::failure::{Exit, Failure, reason};
use crate::render::row::{Row, table};
use crate::session::Session;
use crate::ui::Ui;

/// List all checkpoints, one per line.
///
/// On a terminal, the columns are aligned, as in `ckpt status`. Elsewhere, tabs separate key, state, progress, phase and
/// the time of the last save. JSON files of other tools in the same directory are recognised by their shape and skipped.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt list --json")]
pub(crate) struct List {}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "List"))]
pub(crate) struct Report<'s> {
    checkpoints: &'s [Summary],
    /// What is wrong with what cannot be read, archives too.
    unreadable: Vec<String>,
    /// The checkpoints, archived ones too, that are missing here and that `ckpt recover` can bring back.
    missing: Vec<Key>,
}

impl List {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let (checkpoints, problems) = session.workspace.list(Depth::WithoutGit)?;
        let mut unreadable: Vec<String> = problems.into_iter().map(reason).collect();
        unreadable.extend(unreadable_archives(session));
        let missing = session.workspace.missing_keys();
        if session.json {
            ui.json(&Report {
                checkpoints: &checkpoints,
                unreadable,
                missing,
            })?;
            return Ok(Exit::Done);
        }
        match ui.is_shown() {
            true => {
                let rows = checkpoints.iter();
                let rows: Vec<Row> = rows
                    .map(|summary| Row::of(summary, session.now()))
                    .collect();
                ui.text(&table(&rows))?;
            }
            // For `cut` and other programs.
            false => {
                let mut text = String::new();
                for summary in &checkpoints {
                    line(summary, &mut text);
                }
                ui.raw(text.as_bytes())?;
            }
        }
        for summary in &checkpoints {
            if let Some(trouble) = &summary.trouble {
                ui.note(&format!("warning: {}: {trouble}", summary.key.short()));
            }
        }
        note_unreadable(ui, &unreadable);
        note_missing(ui, &missing);
        Ok(Exit::Done)
    }
}

fn line(summary: &Summary, out: &mut String) {
    use std::fmt::Write;
    let state = match summary.lifecycle {
        Lifecycle::InFlight if summary.stale.is_some() => "stale",
        lifecycle => lifecycle.word(),
    };
    let Progress { done, total } = summary.progress;
    let _ = writeln!(
        out,
        "{}\t{state}\t{done}/{total}\t{}\t{}",
        flat(&summary.key.short()),
        flat(summary.current_phase.as_deref().unwrap_or("-")),
        flat(summary.updated_at.as_deref().unwrap_or("-")),
    );
}
